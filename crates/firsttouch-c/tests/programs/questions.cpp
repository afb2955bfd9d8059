// More questions through C++: the least distance, contacts, overlaps, derivatives, and motions of all kinds. The
// argument is the folder testdata; every number is printed by its bits.
#include "print.h"

#include <firsttouch.hpp>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace ft = firsttouch;

static void print_clearance(const char *label, const ft_clearance &found) {
    printf("%s %u.%u.%u.%u", label, (unsigned)found.is_tight, (unsigned)found.segment, (unsigned)found.bodies[0],
           (unsigned)found.bodies[1]);
    const double numbers[3] = {found.lower, found.upper, found.t};
    print_numbers(numbers, 3);
    print_numbers(found.points[0], 3);
    print_numbers(found.points[1], 3);
    print_numbers(found.normal, 3);
    printf("\n");
}

static void print_contact_point(const ft_contact_point &contact) {
    printf("contact %u.%u", (unsigned)contact.bodies[0], (unsigned)contact.bodies[1]);
    print_numbers(contact.points[0], 3);
    print_numbers(contact.points[1], 3);
    print_numbers(contact.normal, 3);
    print_numbers(&contact.gap, 1);
    printf("\n");
}

static void print_gradient(const char *label, const ft_gradient &gradient) {
    printf("%s %u", label, (unsigned)gradient.degenerate);
    for (const ft_pose_gradient &body : gradient.bodies) {
        print_numbers(body.from_xyz, 3), print_numbers(body.from_rotation, 3);
        print_numbers(body.to_xyz, 3), print_numbers(body.to_rotation, 3);
    }
    for (int side = 0; side < 2; ++side)
        for (std::uint64_t k = 0; k < gradient.vertex_counts[side]; ++k) {
            const ft_vertex_gradient &vertex = gradient.vertices[side][k];
            printf(" %u", (unsigned)vertex.vertex);
            print_numbers(vertex.from_xyz, 3), print_numbers(vertex.to_xyz, 3);
        }
    printf("\n");
}

static void print_step(const char *label, const ft::step_gradient &step) {
    printf("%s %u", label, (unsigned)step.degenerate);
    print_numbers(&step.value, 1);
    print_numbers(step.by_from.data(), (int)step.by_from.size());
    print_numbers(step.by_to.data(), (int)step.by_to.size());
    printf("\n");
}

static ft::pose at(double x, double y, double z) {
    ft::pose pose;
    pose.xyz[0] = x, pose.xyz[1] = y, pose.xyz[2] = z;
    return pose;
}

static void falling() {
    // A cube falls through a floor.
    ft::scene scene;
    scene.add("cube", ft::shape::box(2, 2, 2), ft::motion::linear(at(0.3, 0, 3), at(0.3, 0, -5)));
    scene.add("floor", ft::shape::box(9, 9, 1), at(0, 0, -0.5));
    const ft::answer answer = scene.check();
    for (const ft_contact_point &contact : scene.contacts(answer.toi)) print_contact_point(contact);
    for (const ft_overlap &overlap : scene.overlaps("cube", "floor")) print_overlap(&overlap);
    print_clearance("least", *scene.clearance());
    print_clearance("start", *scene.distance_at(0.0));
    print_gradient("toi", *scene.toi_gradient());
}

static void motions() {
    const ft::pose from = at(2, 0, 0);
    ft_leg legs[3] = {};
    legs[0].until = 1, legs[0].by = FT_LEG_KIND_LINEAR, legs[0].pose = at(2, 1, 0);
    legs[1].until = 2, legs[1].by = FT_LEG_KIND_HOLD;
    legs[2].until = 4, legs[2].by = FT_LEG_KIND_TURN, legs[2].axis[2] = 1, legs[2].angle = 2.5;
    const double times[3] = {0, 1, 3};
    const ft_pose poses[3] = {at(2, 0, 0), at(2, 2, 0), at(-2, 2, 0)};
    const ft::motion turn = ft::motion::turn(from, {0, 0, 1}, {0.25, 0, 0}, 7.0);
    const ft::motion path = ft::motion::path(from, ft::view<ft_leg>(legs, 3), 4.0);
    const ft::motion spline = ft::motion::spline(ft::view<double>(times, 3), ft::view<ft_pose>(poses, 3));
    const ft::motion within = spline.within(turn);
    for (const ft::motion *motion : {&turn, &path, &spline, &within}) {
        ft::scene scene;
        scene.add("moving", ft::shape::box(0.5, 0.6, 0.7), *motion);
        scene.add("ball", ft::shape::sphere(0.75));
        print_clearance("motion", *scene.clearance());
        print_gradient("least", *scene.clearance_gradient());
    }
}

static void deforming() {
    // A triangle falls onto a ball, one corner first, and a loose edge and a loose point beside it.
    const double t0[6][3] = {{-1, -1, 3}, {2, -1, 3.5}, {0, 2, 4}, {5, -1, 3}, {5, 1, 3.25}, {9, 0.1, 3}};
    double t1[6][3];
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) t1[i][k] = t0[i][k] - (k == 2 ? 5.0 : 0.0);
    const std::uint32_t triangles[1][3] = {{0, 1, 2}}, edges[1][2] = {{3, 4}}, points[1] = {5};
    const ft::deformable sheet(t0, t1, triangles, edges, points);
    for (const double x : {0.0, 5.0, 9.0}) {
        ft::scene scene;
        scene.add_deforming("sheet", sheet);
        scene.add("ball", ft::shape::sphere(1.0), ft::motion::linear({x, 0.2, 0}, {x, 0.2, 0.5}));
        print_gradient("toi", *scene.toi_gradient());
        scene.set_pose("ball", at(x, 0.2, -5));
        print_gradient("least", *scene.clearance_gradient());
    }
}

static void shapes() {
    // A ball falls onto one of each of the shapes that have no other test.
    const double corners[4][3] = {{-2, -2, 0}, {2, -2, 0}, {0, 2, 0}, {0, 0, 1}};
    const std::uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const ft_octree_cell cells[2] = {{{-1, -1, 0}, 0}, {{0, 0, -2}, 1}};
    const double heights[2][3] = {{0.1, 0.4, 0.2}, {0.3, 0.9, -0.2}};
    const ft::shape all[] = {
        ft::shape::cone(1.5, 2.0),          ft::shape::half_space({0.1, 0.2, 2.0}, 0.3), ft::shape::solid_mesh(corners, faces),
        ft::shape::point_cloud(corners, 0.2), ft::shape::octree(0.5, cells),             ft::shape::height_field(heights, 3.0, 4.0),
        ft::shape::compound({ft::shape::cone(1.0, 1.0), ft::shape::sphere(0.25)}),
    };
    const ft::motion falling = ft::motion::linear({0.1, 0.2, 5}, {0, 0, 0});
    for (const ft::shape &shape : all) {
        const ft::answer answer = ft::first_touch(ft::shape::sphere(0.5), falling, shape, ft::motion::fixed({}));
        print_answer("shape", &answer);
    }
}

static void robots(const std::string &testdata) {
    const ft::robot robot = ft::robot::from_urdf_file(testdata + "/robots/plain.urdf", testdata + "/robots/plain.srdf");
    ft::scene obstacles;
    obstacles.add("post", ft::shape::box(0.3, 0.3, 3.0), at(0.0, 0.0, 3.2));
    const ft::checker checker(robot, obstacles);
    const std::vector<double> from = {-2.0, 0.2}, to = {2.0, 0.5};
    const std::vector<std::array<double, 2>> path = {{{-2.0, 0.2}}, {{-1.5, 0.3}}, {{-1.0, 0.25}}};
    print_clearance("path", *checker.clearance(path));
    print_clearance("state", *checker.distance(from));
    print_step("toi", *checker.toi_gradient(from, to));
    print_step("least", *checker.clearance_gradient(path[0], path[1]));
    const ft::answer touch = checker.check_motion(from, to);
    for (const ft_contact_point &contact : checker.contacts(from, to, touch.toi)) print_contact_point(contact);

    // The scene's settings for a robot hold for the checker.
    ft::scene all(obstacles);
    all.add_robot("arm", robot, from, to);
    all.allow("arm", "post");
    printf("allowed %u\n", (unsigned)ft::checker::from_scene(all, "arm").check_motion(from, to).kind);
    ft::scene wide(obstacles);
    wide.add_robot("arm", robot, from, to);
    wide.keep_apart("arm", "post", 0.1);
    wide.pad("arm", 0.05);
    ft::checker same(robot, obstacles);
    same.keep_apart("*", "post", 0.1);
    same.set_padding(0.05);
    const double far = ft::checker::from_scene(wide, "arm").check_motion(from, to).toi;
    printf("rules %d\n", far == same.check_motion(from, to).toi && far < touch.toi);
    obstacles.add("other", ft::shape::sphere(0.1), at(9, 9, 9));
    obstacles.keep_apart("post", "other", 0.1);
    int refused = 0;
    try {
        ft::checker(robot, obstacles);
    } catch (const ft::error &) {
        ++refused;
    }
    printf("refused %d\n", refused);
}

int main(int, char **arguments) {
    falling();
    motions();
    deforming();
    shapes();
    robots(arguments[1]);
    return EXIT_SUCCESS;
}
