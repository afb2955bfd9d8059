// For users of FCL: the loop that steps through a motion, and the query that replaces it.
//
// A rod turns through a thin slat. FCL's usual loop samples the motion, and sees nothing if the slat fits between two
// samples. Its continuous query with conservative advancement is run beside it.
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <firsttouch.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

namespace ft = firsttouch;

namespace {

double micros(const std::chrono::steady_clock::time_point &since) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - since).count();
}

} // namespace

int main() {
    // A rod of length 2 along x, turning about z by 90 degrees while it moves in y. A thin slat stands in its way.
    const auto rod = std::make_shared<fcl::Boxd>(2.0, 0.02, 0.02);
    const auto slat = std::make_shared<fcl::Boxd>(0.01, 0.002, 0.5);
    fcl::Transform3d from = fcl::Transform3d::Identity(), to = from, at = from;
    from.translation() << 0.0, -1.0, 0.0;
    to.translation() << 0.0, 1.0, 0.0;
    to.linear() = Eigen::AngleAxisd(1.5707963267948966, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    at.translation() << 0.8, 0.05, 0.0;

    // FCL, sampling: 20 samples.
    auto began = std::chrono::steady_clock::now();
    int first_hit = -1;
    constexpr int samples = 20;
    for (int k = 0; k <= samples && first_hit < 0; ++k) {
        const double t = static_cast<double>(k) / samples;
        fcl::Transform3d now = fcl::Transform3d::Identity();
        now.translation() = from.translation() + t * (to.translation() - from.translation());
        now.linear() = Eigen::Quaterniond(from.linear()).slerp(t, Eigen::Quaterniond(to.linear())).toRotationMatrix();
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        if (fcl::collide(rod.get(), now, slat.get(), at, request, result) > 0) first_hit = k;
    }
    std::printf("FCL, %d samples:   %s, %.1f us\n", samples,
                first_hit < 0 ? "nothing seen" : ("hit at sample " + std::to_string(first_hit)).c_str(), micros(began));

    // FCL, continuous.
    began = std::chrono::steady_clock::now();
    fcl::ContinuousCollisionRequestd request;
    request.ccd_motion_type = fcl::CCDM_LINEAR;
    request.ccd_solver_type = fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
    request.gjk_solver_type = fcl::GST_LIBCCD;
    fcl::ContinuousCollisionResultd result;
    fcl::continuousCollide(rod.get(), from, to, slat.get(), at, at, request, result);
    std::printf("FCL, continuous:   %s at t = %.6f, %.1f us\n", result.is_collide ? "touch" : "nothing", result.time_of_contact,
                micros(began));

    // firsttouch. Eigen was included before its header, so FCL's transforms are poses.
    const ft::shape ft_rod = ft::shape::box(2.0, 0.02, 0.02), ft_slat = ft::shape::box(0.01, 0.002, 0.5);
    const ft::motion turning = ft::motion::linear(from, to), resting = ft::motion::fixed(at);
    began = std::chrono::steady_clock::now();
    const ft::answer answer = ft::first_touch(ft_rod, turning, ft_slat, resting);
    std::printf("firsttouch:        %s at t = %.6f, gap %.1e, proven free before, %.1f us\n", answer.touches() ? "touch" : "free",
                answer.toi, answer.gap, micros(began));
    return answer.touches() ? 0 : 1;
}
