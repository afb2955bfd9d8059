// A cloth falls onto a ball, step by step: how far may each step go before something touches?
#include <firsttouch.hpp>

#include <array>
#include <cstdio>
#include <cstdint>
#include <vector>

namespace ft = firsttouch;
using points = std::vector<std::array<double, 3>>;

int main() {
    constexpr int n = 40; // vertices along a side
    points now;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) now.push_back({-1.0 + 2.0 * i / (n - 1), -1.0 + 2.0 * j / (n - 1), 1.0});
    for (std::uint32_t i = 0; i + 1 < n; ++i)
        for (std::uint32_t j = 0; j + 1 < n; ++j) {
            const std::uint32_t a = i * n + j, b = a + 1, c = a + n, d = c + 1;
            triangles.push_back({a, b, c});
            triangles.push_back({b, d, c});
        }

    // The wish of an integrator: each vertex falls, faster and faster.
    const auto next = [&](const points &from, double fall) {
        points to = from;
        for (auto &p : to) p[2] -= fall;
        return to;
    };
    ft::deformable cloth(now, next(now, 0.1), triangles);
    const ft::shape ball = ft::shape::sphere(0.5);
    const ft::motion resting = ft::motion::fixed({});

    for (int step = 0; step < 10; ++step) {
        const points wish = next(now, 0.05 + 0.02 * step);
        cloth.set_frames(now, wish);
        // The cloth with itself and with the ball, in one query.
        ft::scene scene;
        scene.add_deforming("cloth", cloth);
        scene.add("ball", ball, resting);
        const ft::answer answer = scene.check();
        // A little less than the proven time.
        const double t = answer.is_free() ? 1.0 : 0.9 * answer.free_until;
        for (std::size_t k = 0; k < now.size(); ++k) now[k][2] += t * (wish[k][2] - now[k][2]);
        std::printf("step %d: goes %.6f of the way, z = %.6f%s\n", step, t, now[0][2], answer.touches() ? ", then it touches" : "");
        if (answer.touches()) {
            std::printf("%s of the %s touches the %s, gap %.1e\n", scene.part(answer, 0).c_str(), scene.name(answer.bodies[0]).c_str(),
                        scene.name(answer.bodies[1]).c_str(), answer.gap);
            return now[0][2] > 0.5 ? 0 : 1;
        }
    }
    return 1;
}
