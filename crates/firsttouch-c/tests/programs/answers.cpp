// The queries of answers.c through C++. The argument is the folder testdata; the output is the same.
#include "print.h"

#include <firsttouch.hpp>

#include <array>
#include <string>
#include <vector>

namespace ft = firsttouch;
using points = std::vector<std::array<double, 3>>;

static ft::shape random_shape(int kind) {
    const double a = uniform(0.2, 0.8), b = uniform(0.2, 0.8), c = uniform(0.2, 0.8);
    points corners(8);
    for (auto &corner : corners)
        for (double &x : corner) x = uniform(-0.5, 0.5);
    switch (kind % 7) {
    case 0: return ft::shape::box(a, b, c);
    case 1: return ft::shape::sphere(a);
    case 2: return ft::shape::capsule(a, b);
    case 3: return ft::shape::cylinder(a, b);
    case 4: return ft::shape::ellipsoid(a, b, c);
    case 5: return ft::shape::hull(corners);
    default:
        return ft::shape::mesh(corners, std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}});
    }
}

static ft::motion random_motion(int kind) {
    const ft::pose from = random_pose(), to = random_pose();
    switch (kind % 4) {
    case 0: return ft::motion::fixed(from);
    case 1: return ft::motion::linear(from, to);
    case 2: return ft::motion::screw(from, to);
    default: return ft::motion::rational(from, to);
    }
}

static void two_shapes() {
    for (int k = 0; k < 84; ++k) {
        const ft::shape a = random_shape(k), b = random_shape(k / 7);
        const ft::motion path_a = random_motion(k / 2), path_b = random_motion(k);
        const ft::options how = ft::options(k % 2 ? ft::mode::any : ft::mode::first).with_t_max(k % 3 == 0 ? 0.75 : 1.0);
        const ft::answer answer = ft::first_touch(a, path_a, b, path_b, how);
        print_answer("two", &answer);
    }
}

static void print_report(const ft::report &report) {
    const ft::answer whole = report.answer();
    print_answer("report", &whole);
    std::size_t index = 0;
    for (const ft::answer &answer : report.pairs()) {
        print_answer("pair", &answer);
        if (const auto overlaps = report.overlaps(index++))
            for (const ft_overlap &overlap : *overlaps) print_overlap(&overlap);
    }
}

static void scenes(const std::string &folder) {
    ft::scene scene;
    for (int k = 0; k < 5; ++k) {
        const ft::shape shape = random_shape(k);
        scene.add("body" + std::to_string(k), shape, random_motion(k + 1));
    }
    for (ft::mode mode : {ft::mode::first, ft::mode::any, ft::mode::all}) {
        const ft::answer answer = scene.check(mode);
        print_answer("scene", &answer);
    }
    print_report(scene.report(ft::mode::all));
    ft::scene copy = scene;
    copy.set_pose("body3", {50, 0, 0});
    copy.remove("body1");
    copy.allow("body0", "body2");
    copy.keep_apart("body2", "body4", 0.5);
    const ft::answer changed = copy.check(), unchanged = scene.check();
    print_answer("changed", &changed);
    print_answer("unchanged", &unchanged);

    const auto [mixed, how] = ft::scene::from_file(folder + "/scenes/mixed.toml");
    const ft::answer answer = mixed.check(how);
    print_answer("mixed", &answer);
    for (int side = 0; side < 2; ++side)
        std::printf("%s %s\n", mixed.name(answer.bodies[side]).c_str(), mixed.part(answer, side).c_str());
}

static void robots(const std::string &folder) {
    const ft::robot robot = ft::robot::from_urdf_file(folder + "/robots/plain.urdf", folder + "/robots/plain.srdf");
    ft::scene posts;
    posts.add("post", ft::shape::box(0.3, 0.3, 3.0), ft::pose(0.75, 0.3, 1.2));
    ft::checker checker(robot, posts);
    const ft::checker copy = checker;
    checker.hold("tool", ft::shape::capsule(0.05, 1.6), "hand", {0, 0.8, 0}, {"arm"});
    std::vector<std::array<double, 2>> from(20), to(20);
    for (int k = 0; k < 20; ++k) {
        from[k][0] = uniform(-3.0, 3.0), from[k][1] = uniform(0.1, 0.5);
        to[k][0] = uniform(-3.0, 3.0), to[k][1] = uniform(0.1, 0.5);
        const ft::answer edge = checker.check_motion(from[k], to[k]), state = checker.check_state(from[k]);
        print_answer("edge", &edge);
        print_answer("state", &state);
        std::printf("%s\n", checker.part(state, 0).c_str());
    }
    const auto print_all = [](const char *label, const std::vector<ft::answer> &answers) {
        for (const ft::answer &answer : answers) print_answer(label, &answer);
    };
    print_all("batch", checker.check_motions(from, to, ft::options().with_threads(2)));
    print_all("states", checker.check_states(from));
    const ft::path_answer path = checker.check_path(from);
    print_answer("path", &path.answer);
    std::printf("segment %zu of %zu\n", path.segment, path.segments);
    checker.move_obstacle("post", {-0.75, 0.3, 1.2});
    checker.set_base(ft::pose({0.1, 0.2, 0.0}, {0.9, 0.0, 0.0, 0.1}));
    print_all("moved", checker.check_motions(from, to));
    checker.release("tool");
    print_all("released", checker.check_motions(from, to));
    print_all("copy", copy.check_motions(from, to));
}

static void sheets() {
    double t0[64][3], t1[64][3];
    std::uint32_t triangles[98][3];
    random_sheet(t0, t1, triangles);
    ft::deformable sheet(t0, t1, triangles);
    const ft::answer answer = sheet.check();
    print_answer("sheet", &answer);
    const double step = sheet.safe_step(0.8);
    std::printf("step");
    print_numbers(&step, 1);
    std::printf("\n");
    print_report(sheet.report(ft::mode::all));
    sheet.step_to(t0);
    const ft::answer back = sheet.check();
    print_answer("back", &back);
}

static void features() {
    std::vector<ft_four_points> queries(200);
    for (ft_four_points &query : queries) query = random_points();
    for (const ft_contact &contact : ft::vertex_face(queries)) print_contact("vf", &contact);
    for (const ft_contact &contact : ft::edge_edge(queries)) print_contact("ee", &contact);
    for (int k = 0; k < 20; ++k) {
        const ft_contact apart = ft::vertex_face(queries[k], ft::options().with_min_separation(0.25));
        print_contact("vf apart", &apart);
        const ft_contact alone = ft::edge_edge(queries[k]);
        print_contact("ee alone", &alone);
    }
}

static void ellipsoids() {
    for (int k = 0; k < 40; ++k) {
        ft_ellipsoid a, b;
        for (int i = 0; i < 3; ++i) a.semi_axes[i] = uniform(0.3, 1.5), b.semi_axes[i] = uniform(0.3, 1.5);
        a.pose = random_pose(), b.pose = random_pose();
        std::printf("relation %u\n", static_cast<unsigned>(ft::relation(a, b)));
        const ft::motion path_a = ft::motion::rational(ft::pose(a.pose), ft::pose(random_pose())), path_b = ft::motion::fixed(b.pose);
        for (const ft_overlap &overlap : ft::overlaps(a, path_a, b, path_b)) print_overlap(&overlap);
        points cloud(12);
        for (auto &point : cloud)
            for (double &x : point) x = uniform(-1.0, 1.0);
        const ft_ellipsoid around = ft::enclosing_ellipsoid(cloud);
        std::printf("around");
        print_numbers(around.semi_axes, 3);
        print_numbers(around.pose.xyz, 3);
        std::printf("\n");
    }
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    random_state = 19;
    two_shapes();
    scenes(arguments[1]);
    robots(arguments[1]);
    sheets();
    features();
    ellipsoids();
    // Errors are exceptions with the text of the library.
    try {
        ft::shape::sphere(-1.0);
        return 1;
    } catch (const ft::error &refused) {
        if (refused.status() != FT_STATUS_INVALID_ARGUMENT || std::string(refused.what()).find("radius") == std::string::npos) return 1;
    }
    try {
        ft::shape::hull(ft::rows<double>(nullptr, 3, 3));
        return 1;
    } catch (const ft::error &refused) {
        if (refused.status() != FT_STATUS_NULL_ARGUMENT) return 1;
    }
    return 0;
}
