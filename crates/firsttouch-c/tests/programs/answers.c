/* Queries of every kind through C. The argument is the folder testdata; the output is compared with Rust's. */
#include "print.h"

#include <stdlib.h>

static void must(ft_status status) {
    if (status != FT_STATUS_OK) {
        fprintf(stderr, "status %d: %s\n", (int)status, ft_last_error());
        exit(2);
    }
}

static ft_shape *random_shape(int kind) {
    ft_shape *shape = NULL;
    const double a = uniform(0.2, 0.8), b = uniform(0.2, 0.8), c = uniform(0.2, 0.8);
    double points[8][3];
    const uint32_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) points[i][k] = uniform(-0.5, 0.5);
    switch (kind % 7) {
    case 0: must(ft_shape_box(a, b, c, &shape)); break;
    case 1: must(ft_shape_sphere(a, &shape)); break;
    case 2: must(ft_shape_capsule(a, b, &shape)); break;
    case 3: must(ft_shape_cylinder(a, b, &shape)); break;
    case 4: must(ft_shape_ellipsoid(a, b, c, &shape)); break;
    case 5: must(ft_shape_hull(points[0], 8, 0, &shape)); break;
    default: must(ft_shape_mesh(points[0], 8, sizeof points[0], faces[0], 4, sizeof faces[0], &shape)); break;
    }
    return shape;
}

static ft_motion *random_motion(int kind) {
    ft_motion *motion = NULL;
    const ft_pose from = random_pose(), to = random_pose();
    switch (kind % 4) {
    case 0: must(ft_motion_fixed(&from, &motion)); break;
    case 1: must(ft_motion_linear(&from, &to, &motion)); break;
    case 2: must(ft_motion_screw(&from, &to, &motion)); break;
    default: must(ft_motion_rational(&from, &to, &motion)); break;
    }
    return motion;
}

static void two_shapes(void) {
    for (int k = 0; k < 84; ++k) {
        ft_shape *a = random_shape(k), *b = random_shape(k / 7);
        ft_motion *path_a = random_motion(k / 2), *path_b = random_motion(k);
        ft_options options = ft_options_default();
        ft_answer answer;
        options.mode = (uint32_t)(k % 2);
        options.t_max = k % 3 == 0 ? 0.75 : 1.0;
        must(ft_first_touch(a, path_a, b, path_b, &options, &answer));
        print_answer("two", &answer);
        ft_shape_free(a), ft_shape_free(b);
        ft_motion_free(path_a), ft_motion_free(path_b);
    }
}

static void print_report(const ft_report *report) {
    ft_answer answer;
    size_t pairs = 0, overlaps = 0;
    must(ft_report_answer(report, &answer));
    print_answer("report", &answer);
    must(ft_report_pair_count(report, &pairs));
    for (size_t k = 0; k < pairs; ++k) {
        ft_overlap list[16];
        ft_status status;
        must(ft_report_pair(report, k, &answer));
        print_answer("pair", &answer);
        status = ft_report_pair_overlaps(report, k, list, 16, &overlaps);
        if (status == FT_STATUS_NOT_FOUND) continue;
        must(status);
        for (size_t i = 0; i < overlaps; ++i) print_overlap(&list[i]);
    }
}

static void scenes(const char *folder) {
    ft_scene *scene = NULL, *copy = NULL;
    ft_report *report = NULL;
    ft_answer answer;
    ft_options options = ft_options_default();
    const ft_pose away = {{50.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    char path[4096], text[64];
    must(ft_scene_new(&scene));
    for (int k = 0; k < 5; ++k) {
        ft_shape *shape = random_shape(k);
        ft_motion *motion = random_motion(k + 1);
        snprintf(text, sizeof text, "body%d", k);
        must(ft_scene_add(scene, text, shape, motion, NULL));
        ft_shape_free(shape), ft_motion_free(motion);
    }
    for (options.mode = 0; options.mode < 3; ++options.mode) {
        must(ft_scene_check(scene, &options, &answer));
        print_answer("scene", &answer);
    }
    options.mode = FT_MODE_ALL;
    must(ft_scene_report(scene, &options, NULL, &report));
    print_report(report);
    ft_report_free(report);
    must(ft_scene_clone(scene, &copy));
    must(ft_scene_set_pose(copy, "body3", &away));
    must(ft_scene_remove(copy, "body1"));
    must(ft_scene_allow(copy, "body0", "body2"));
    must(ft_scene_keep_apart(copy, "body2", "body4", 0.5));
    must(ft_scene_check(copy, NULL, &answer));
    print_answer("changed", &answer);
    must(ft_scene_check(scene, NULL, &answer));
    print_answer("unchanged", &answer);
    ft_scene_free(copy), ft_scene_free(scene);

    snprintf(path, sizeof path, "%s/scenes/mixed.toml", folder);
    must(ft_scene_from_file(path, &options, &scene));
    must(ft_scene_check(scene, &options, &answer));
    print_answer("mixed", &answer);
    for (int side = 0; side < 2; ++side) {
        must(ft_scene_body_name(scene, (size_t)answer.bodies[side], text, sizeof text, NULL));
        printf("%s ", text);
        must(ft_scene_part_text(scene, (size_t)answer.bodies[side], &answer.parts[side], text, sizeof text, NULL));
        printf("%s\n", text);
    }
    ft_scene_free(scene);
}

static void robots(const char *folder) {
    ft_robot *robot = NULL;
    ft_scene *posts = NULL;
    ft_checker *checker = NULL, *copy = NULL;
    ft_shape *post = NULL, *tool = NULL;
    ft_answer answer, answers[20];
    ft_path_answer path_answer;
    ft_options threads = ft_options_default();
    double from[20][2], to[20][2];
    char urdf[4096], srdf[4096], text[64];
    const ft_pose at = {{0.75, 0.3, 1.2}, {1.0, 0.0, 0.0, 0.0}}, hand = {{0.0, 0.8, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    const ft_pose moved = {{-0.75, 0.3, 1.2}, {1.0, 0.0, 0.0, 0.0}}, base = {{0.1, 0.2, 0.0}, {0.9, 0.0, 0.0, 0.1}};
    const char *touch_links[1] = {"arm"};
    snprintf(urdf, sizeof urdf, "%s/robots/plain.urdf", folder);
    snprintf(srdf, sizeof srdf, "%s/robots/plain.srdf", folder);
    must(ft_robot_from_urdf_file(urdf, srdf, &robot));
    must(ft_scene_new(&posts));
    must(ft_shape_box(0.3, 0.3, 3.0, &post));
    must(ft_shape_capsule(0.05, 1.6, &tool));
    ft_motion *resting = NULL;
    must(ft_motion_fixed(&at, &resting));
    must(ft_scene_add(posts, "post", post, resting, NULL));
    must(ft_checker_new(robot, NULL, posts, &checker));
    must(ft_checker_clone(checker, &copy));
    must(ft_checker_hold(checker, "tool", tool, "hand", &hand, touch_links, 1));
    ft_robot_free(robot), ft_scene_free(posts), ft_shape_free(post), ft_shape_free(tool), ft_motion_free(resting);
    for (int k = 0; k < 20; ++k) {
        from[k][0] = uniform(-3.0, 3.0), from[k][1] = uniform(0.1, 0.5);
        to[k][0] = uniform(-3.0, 3.0), to[k][1] = uniform(0.1, 0.5);
        must(ft_checker_check_motion(checker, from[k], to[k], 2, NULL, &answer));
        print_answer("edge", &answer);
        must(ft_checker_check_state(checker, from[k], 2, NULL, &answer));
        print_answer("state", &answer);
        must(ft_checker_part_text(checker, &answer.parts[0], text, sizeof text, NULL));
        printf("%s\n", text);
    }
    threads.threads = 2;
    must(ft_checker_check_motions(checker, from[0], to[0], 20, 2, 0, &threads, answers));
    for (int k = 0; k < 20; ++k) print_answer("batch", &answers[k]);
    must(ft_checker_check_states(checker, from[0], 20, 2, sizeof from[0], NULL, answers));
    for (int k = 0; k < 20; ++k) print_answer("states", &answers[k]);
    must(ft_checker_check_path(checker, from[0], 20, 2, 0, NULL, &path_answer));
    print_answer("path", &path_answer.answer);
    printf("segment %u of %u\n", (unsigned)path_answer.segment, (unsigned)path_answer.segments);
    must(ft_checker_move_obstacle(checker, "post", &moved));
    must(ft_checker_set_base(checker, &base));
    must(ft_checker_check_motions(checker, from[0], to[0], 20, 2, 0, NULL, answers));
    for (int k = 0; k < 20; ++k) print_answer("moved", &answers[k]);
    must(ft_checker_release(checker, "tool"));
    must(ft_checker_check_motions(checker, from[0], to[0], 20, 2, 0, NULL, answers));
    for (int k = 0; k < 20; ++k) print_answer("released", &answers[k]);
    must(ft_checker_check_motions(copy, from[0], to[0], 20, 2, 0, NULL, answers));
    for (int k = 0; k < 20; ++k) print_answer("copy", &answers[k]);
    ft_checker_free(copy), ft_checker_free(checker);
}

static void sheets(void) {
    double t0[64][3], t1[64][3], step = 0.0;
    uint32_t triangles[98][3];
    ft_deformable *sheet = NULL;
    ft_report *report = NULL;
    ft_answer answer;
    ft_options options = ft_options_default();
    random_sheet(t0, t1, triangles);
    must(ft_deformable_new(t0[0], t1[0], 64, 0, triangles[0], 98, NULL, 0, NULL, 0, 1, &sheet));
    must(ft_deformable_check(sheet, NULL, &answer));
    print_answer("sheet", &answer);
    must(ft_deformable_safe_step(sheet, NULL, 0.8, &step));
    printf("step");
    print_numbers(&step, 1);
    printf("\n");
    options.mode = FT_MODE_ALL;
    must(ft_deformable_report(sheet, &options, &report));
    print_report(report);
    ft_report_free(report);
    must(ft_deformable_step_to(sheet, t0[0], 64, sizeof t0[0]));
    must(ft_deformable_check(sheet, NULL, &answer));
    print_answer("back", &answer);
    ft_deformable_free(sheet);
}

static void features(void) {
    ft_four_points queries[200];
    ft_contact contacts[200];
    ft_options options = ft_options_default();
    options.min_separation = 0.25;
    for (int k = 0; k < 200; ++k) queries[k] = random_points();
    must(ft_vertex_face_batch(queries, 200, NULL, contacts));
    for (int k = 0; k < 200; ++k) print_contact("vf", &contacts[k]);
    must(ft_edge_edge_batch(queries, 200, NULL, contacts));
    for (int k = 0; k < 200; ++k) print_contact("ee", &contacts[k]);
    for (int k = 0; k < 20; ++k) {
        must(ft_vertex_face(&queries[k], &options, &contacts[0]));
        print_contact("vf apart", &contacts[0]);
        must(ft_edge_edge(&queries[k], NULL, &contacts[0]));
        print_contact("ee alone", &contacts[0]);
    }
}

static void ellipsoids(void) {
    for (int k = 0; k < 40; ++k) {
        ft_ellipsoid a, b, around;
        ft_overlap list[16];
        ft_motion *path_a = NULL, *path_b = NULL;
        double points[12][3];
        uint32_t relation = 0;
        size_t count = 0;
        for (int i = 0; i < 3; ++i) a.semi_axes[i] = uniform(0.3, 1.5), b.semi_axes[i] = uniform(0.3, 1.5);
        a.pose = random_pose(), b.pose = random_pose();
        must(ft_ellipsoid_relation(&a, &b, &relation));
        printf("relation %u\n", relation);
        const ft_pose to = random_pose();
        must(ft_motion_rational(&a.pose, &to, &path_a));
        must(ft_motion_fixed(&b.pose, &path_b));
        must(ft_ellipsoid_overlaps(&a, path_a, &b, path_b, NULL, list, 16, &count));
        for (size_t i = 0; i < count; ++i) print_overlap(&list[i]);
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 3; ++j) points[i][j] = uniform(-1.0, 1.0);
        must(ft_ellipsoid_enclosing(points[0], 12, 0, &around));
        printf("around");
        print_numbers(around.semi_axes, 3);
        print_numbers(around.pose.xyz, 3);
        printf("\n");
        ft_motion_free(path_a), ft_motion_free(path_b);
    }
}

int main(int count, char **arguments) {
    if (count != 2 || ft_abi_version() != FT_ABI_VERSION) return 2;
    random_state = 19;
    two_shapes();
    scenes(arguments[1]);
    robots(arguments[1]);
    sheets();
    features();
    ellipsoids();
    return 0;
}
