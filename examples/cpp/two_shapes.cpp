// A ball falls onto a slab: when do they touch? In C++, and with Eigen's transforms where Eigen is installed.
#if __has_include(<Eigen/Geometry>)
#include <Eigen/Geometry>
#endif
#include <firsttouch.hpp>

#include <cstdio>

namespace ft = firsttouch;

int main() {
    ft::scene scene;
    scene.add("ball", ft::shape::sphere(1.0), ft::motion::linear({0, 0, 10}, {0, 0, 0}));
    scene.add("slab", ft::shape::box(8, 8, 2));
    const ft::answer answer = scene.check();
    if (!answer.touches()) return 1;
    std::printf("%s touches %s at t = %.7f, normal (%g, %g, %g)\n", scene.name(answer.bodies[0]).c_str(),
                scene.name(answer.bodies[1]).c_str(), answer.toi, answer.normal[0], answer.normal[1], answer.normal[2]);

    // With a gap of 1 to be kept, the ball may come no closer than at z = 3.
    const ft::answer wary = scene.check(ft::options().with_min_separation(1.0));
    std::printf("a gap of 1 is kept until t = %.7f\n", wary.free_until);

    // Bad input is refused where it enters.
    try {
        ft::shape::sphere(-1.0);
    } catch (const ft::error &refused) {
        std::printf("refused: %s\n", refused.what());
    }

#ifdef EIGEN_WORLD_VERSION
    // A tetrahedron given as an Eigen matrix, a point per column, turning by a quarter while it passes the ball.
    Eigen::Matrix3Xd corners(3, 4);
    corners << 0, 1, 0, 0, /**/ 0, 0, 1, 0, /**/ 0, 0, 0, 1;
    Eigen::Isometry3d from = Eigen::Isometry3d::Identity(), to = from;
    from.translation() << -5, 0, 0;
    to.translation() << 5, 0, 0;
    to.rotate(Eigen::AngleAxisd(1.5707963267948966, Eigen::Vector3d::UnitZ()));
    const ft::answer passing = ft::first_touch(ft::shape::hull(corners), ft::motion::linear(from, to), ft::shape::sphere(1.0),
                                               ft::motion::fixed(Eigen::Isometry3d::Identity()));
    std::printf("the tetrahedron touches the ball at t = %.6f\n", passing.toi);
#endif
}
