/* Passes every kind of wrong argument, and checks that each is refused with its status and a text, and that nothing was
   written. */
#include <firsttouch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls, failures;

#define REFUSED(expected, call)                                                                                                             \
    do {                                                                                                                                    \
        const ft_status status = (call);                                                                                                    \
        ++calls;                                                                                                                            \
        if (status != (expected) || strlen(ft_last_error()) == 0) {                                                                         \
            ++failures;                                                                                                                     \
            printf("line %d: status %d instead of %d, \"%s\"\n", __LINE__, (int)status, (int)(expected), ft_last_error());                  \
        }                                                                                                                                   \
    } while (0)
#define NULL_(call) REFUSED(FT_STATUS_NULL_ARGUMENT, call)
#define INVALID(call) REFUSED(FT_STATUS_INVALID_ARGUMENT, call)
#define NOT_FOUND(call) REFUSED(FT_STATUS_NOT_FOUND, call)
#define UNSUPPORTED(call) REFUSED(FT_STATUS_UNSUPPORTED, call)
#define DUPLICATE(call) REFUSED(FT_STATUS_DUPLICATE_NAME, call)
#define TOO_SMALL(call) REFUSED(FT_STATUS_TOO_SMALL, call)
#define BAD_FILE(call) REFUSED(FT_STATUS_FILE, call)

static void must(ft_status status) {
    if (status != FT_STATUS_OK) {
        printf("status %d: %s\n", (int)status, ft_last_error());
        exit(2);
    }
}

static const char URDF[] = "<robot name=\"slider\"><link name=\"rail\"/><link name=\"ball\"><collision><geometry><sphere radius=\"1\"/>"
                           "</geometry></collision></link><joint name=\"slide\" type=\"prismatic\"><parent link=\"rail\"/>"
                           "<child link=\"ball\"/><axis xyz=\"1 0 0\"/><limit lower=\"0\" upper=\"9\" effort=\"1\" velocity=\"1\"/>"
                           "</joint></robot>";

int main(void) {
    ft_shape *ball = NULL, *mesh = NULL, *shape = NULL;
    ft_motion *resting = NULL, *moving = NULL, *motion = NULL;
    ft_scene *scene = NULL, *empty = NULL;
    ft_robot *robot = NULL, *other = NULL;
    ft_checker *checker = NULL;
    ft_deformable *sheet = NULL;
    ft_report *report = NULL;
    ft_interrupt *interrupt = NULL;
    ft_answer answer, answers[2];
    ft_path_answer path;
    ft_contact contact;
    ft_overlap overlap;
    ft_ellipsoid egg = {{1.0, 1.0, 1.0}, {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}}, broken_egg = egg;
    ft_ellipsoid_contact touch;
    ft_stats stats;
    ft_part part = {0, 0, 0, 0, 0}, odd_part = {77, 0, 0, 0, 0}, odd_piece = {FT_PART_KIND_LINK, 0, 0, 0, 77};
    ft_pose here = ft_pose_identity(), there = ft_pose_identity(), flat = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    ft_pose nowhere = {{NAN, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    double corners[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, not_finite[4][3], number = 0.0;
    uint32_t faces[2][3] = {{0, 1, 2}, {0, 1, 3}}, beyond[1][3] = {{0, 1, 4}}, closed[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, relation = 0;
    uint64_t crossings = 0;
    size_t count = 0, index = 0;
    bool limited = false;
    char text[64];
    const char *const no_links[1] = {NULL};
    memcpy(not_finite, corners, sizeof corners);
    not_finite[2][1] = INFINITY;
    there.xyz[0] = 8.0;

    /* The addresses of texts never are NULL, and the first one is empty. */
    if (ft_last_error() == NULL || strlen(ft_last_error()) != 0 || strlen(ft_version()) == 0) ++failures;
    if (ft_abi_version() != FT_ABI_VERSION) ++failures;

    /* Shapes. */
    NULL_(ft_shape_box(1, 1, 1, NULL));
    INVALID(ft_shape_box(1, 0, 1, &shape));
    INVALID(ft_shape_box(1, NAN, 1, &shape));
    INVALID(ft_shape_box(1, 1, 1e200, &shape));
    INVALID(ft_shape_sphere(-1, &shape));
    INVALID(ft_shape_capsule(1, -1, &shape));
    INVALID(ft_shape_cylinder(INFINITY, 1, &shape));
    INVALID(ft_shape_ellipsoid(1, 1, 0, &shape));
    INVALID(ft_shape_cone(1, 0, &shape));
    INVALID(ft_shape_cone(NAN, 1, &shape));
    NULL_(ft_shape_cone(1, 1, NULL));
    {
        const double up[3] = {0.0, 0.0, 1.0}, none[3] = {0.0, 0.0, 0.0}, nan[3] = {0.0, NAN, 0.0};
        NULL_(ft_shape_half_space(NULL, 0, &shape));
        NULL_(ft_shape_half_space(&up, 0, NULL));
        INVALID(ft_shape_half_space(&none, 0, &shape));
        INVALID(ft_shape_half_space(&nan, 0, &shape));
        INVALID(ft_shape_half_space(&up, INFINITY, &shape));
    }
    NULL_(ft_shape_sphere(1, NULL));
    NULL_(ft_shape_capsule(1, 1, NULL));
    NULL_(ft_shape_cylinder(1, 1, NULL));
    NULL_(ft_shape_ellipsoid(1, 1, 1, NULL));
    NULL_(ft_shape_hull(NULL, 4, 0, &shape));
    INVALID(ft_shape_hull(corners[0], 0, 0, &shape));
    INVALID(ft_shape_hull(NULL, 0, 0, &shape));
    INVALID(ft_shape_hull(corners[0], 4, 16, &shape));
    INVALID(ft_shape_hull(corners[0], 4, 25, &shape));
    INVALID(ft_shape_hull(corners[0], SIZE_MAX, 0, &shape));
    INVALID(ft_shape_hull(corners[0], SIZE_MAX / 24, 24, &shape));
    INVALID(ft_shape_hull((const double *)((const char *)corners + 4), 2, 0, &shape));
    INVALID(ft_shape_hull(not_finite[0], 4, 0, &shape));
    NULL_(ft_shape_mesh(NULL, 4, 0, faces[0], 2, 0, &shape));
    NULL_(ft_shape_mesh(corners[0], 4, 0, NULL, 2, 0, &shape));
    NULL_(ft_shape_mesh(corners[0], 4, 0, faces[0], 2, 0, NULL));
    INVALID(ft_shape_mesh(corners[0], 4, 0, faces[0], 0, 0, &shape));
    INVALID(ft_shape_mesh(corners[0], 4, 0, beyond[0], 1, 0, &shape));
    INVALID(ft_shape_mesh(corners[0], 4, 0, faces[0], 2, 8, &shape));
    INVALID(ft_shape_mesh(corners[0], 4, 0, faces[0], 2, 13, &shape));
    INVALID(ft_shape_mesh(not_finite[0], 4, 0, faces[0], 2, 0, &shape));
    NULL_(ft_shape_solid_mesh(NULL, 4, 0, faces[0], 2, 0, &shape));
    NULL_(ft_shape_solid_mesh(corners[0], 4, 0, NULL, 2, 0, &shape));
    NULL_(ft_shape_solid_mesh(corners[0], 4, 0, closed[0], 4, 0, NULL));
    UNSUPPORTED(ft_shape_solid_mesh(corners[0], 4, 0, faces[0], 2, 0, &shape)); /* it is open */
    INVALID(ft_shape_solid_mesh(corners[0], 4, 0, beyond[0], 1, 0, &shape));
    INVALID(ft_shape_solid_mesh(corners[0], 4, 16, closed[0], 4, 0, &shape));
    NULL_(ft_shape_point_cloud(NULL, 4, 0, 0.1, &shape));
    NULL_(ft_shape_point_cloud(corners[0], 4, 0, 0.1, NULL));
    INVALID(ft_shape_point_cloud(corners[0], 0, 0, 0.1, &shape));
    INVALID(ft_shape_point_cloud(corners[0], 4, 0, -1.0, &shape));
    INVALID(ft_shape_point_cloud(corners[0], 4, 20, 0.1, &shape));
    INVALID(ft_shape_point_cloud(not_finite[0], 4, 0, 0.1, &shape));
    {
        const ft_octree_cell cell = {{0, 0, 0}, 0}, deep = {{0, 0, 0}, 256}, large = {{0, 0, 0}, 40}, far = {{INT32_MAX, 0, 0}, 0};
        NULL_(ft_shape_octree(0.1, NULL, 1, &shape));
        NULL_(ft_shape_octree(0.1, &cell, 1, NULL));
        INVALID(ft_shape_octree(0.1, &cell, 0, &shape));
        INVALID(ft_shape_octree(0.0, &cell, 1, &shape));
        INVALID(ft_shape_octree(NAN, &cell, 1, &shape));
        INVALID(ft_shape_octree(0.1, &deep, 1, &shape));
        INVALID(ft_shape_octree(0.1, &large, 1, &shape));
        INVALID(ft_shape_octree(0.1, &far, 1, &shape));
        INVALID(ft_shape_octree(0.1, &cell, SIZE_MAX, &shape));
    }
    NULL_(ft_shape_height_field(NULL, 2, 2, 0, 1, 1, &shape));
    NULL_(ft_shape_height_field(corners[0], 2, 2, 0, 1, 1, NULL));
    INVALID(ft_shape_height_field(corners[0], 1, 4, 0, 1, 1, &shape));
    INVALID(ft_shape_height_field(corners[0], 4, 0, 0, 1, 1, &shape));
    INVALID(ft_shape_height_field(corners[0], 2, 2, 8, 1, 1, &shape));
    INVALID(ft_shape_height_field(corners[0], 2, 2, 0, 0, 1, &shape));
    INVALID(ft_shape_height_field(corners[0], SIZE_MAX / 8, SIZE_MAX / 8, 0, 1, 1, &shape));
    INVALID(ft_shape_height_field(not_finite[0], 4, 3, 0, 1, 1, &shape));
    NULL_(ft_shape_mesh_file(NULL, &shape));
    BAD_FILE(ft_shape_mesh_file("there/is/no/such/file.obj", &shape));
    BAD_FILE(ft_shape_mesh_file("strange.format", &shape));
    INVALID(ft_shape_mesh_file("\xff\xfe.obj", &shape));
    must(ft_shape_sphere(1.0, &ball));
    must(ft_shape_mesh(corners[0], 4, 0, faces[0], 2, 0, &mesh));
    {
        const ft_shape *pieces[2] = {ball, NULL}, *meshes[1] = {mesh};
        NULL_(ft_shape_compound(pieces, 2, &shape));
        NULL_(ft_shape_compound(NULL, 2, &shape));
        INVALID(ft_shape_compound(pieces, 0, &shape));
        UNSUPPORTED(ft_shape_compound(meshes, 1, &shape));
        NULL_(ft_shape_compound(pieces, 1, NULL));
    }
    if (shape != NULL) ++failures; /* written to by a refused call */

    /* Motions. */
    NULL_(ft_motion_fixed(NULL, &motion));
    NULL_(ft_motion_fixed(&here, NULL));
    INVALID(ft_motion_fixed(&flat, &motion));
    INVALID(ft_motion_fixed(&nowhere, &motion));
    NULL_(ft_motion_linear(&here, NULL, &motion));
    NULL_(ft_motion_linear(NULL, &here, &motion));
    NULL_(ft_motion_linear(&here, &here, NULL));
    INVALID(ft_motion_linear(&here, &nowhere, &motion));
    INVALID(ft_motion_screw(&nowhere, &here, &motion));
    NULL_(ft_motion_screw(NULL, &here, &motion));
    INVALID(ft_motion_contact_screw(&flat, &here, &motion));
    NULL_(ft_motion_contact_screw(NULL, NULL, &motion));
    INVALID(ft_motion_rational(&flat, &here, &motion));
    NULL_(ft_motion_rational(NULL, &here, &motion));
    NULL_(ft_motion_rational_coefficients(NULL, 1, NULL, 0, NULL, 0, &motion));
    INVALID(ft_motion_rational_coefficients(flat.quat_wxyz, 1, NULL, 0, NULL, 0, &motion));
    INVALID(ft_motion_rational_coefficients(here.quat_wxyz, 1, NULL, 0, &number, 1, &motion));
    NULL_(ft_motion_rational_coefficients(here.quat_wxyz, 1, NULL, 0, NULL, 0, NULL));
    {
        const double up[3] = {0.0, 0.0, 1.0}, none[3] = {0.0, 0.0, 0.0}, nan[3] = {0.0, NAN, 0.0};
        NULL_(ft_motion_turn(NULL, &up, &none, 1.0, &motion));
        NULL_(ft_motion_turn(&here, NULL, &none, 1.0, &motion));
        NULL_(ft_motion_turn(&here, &up, NULL, 1.0, &motion));
        NULL_(ft_motion_turn(&here, &up, &none, 1.0, NULL));
        INVALID(ft_motion_turn(&flat, &up, &none, 1.0, &motion));
        INVALID(ft_motion_turn(&here, &none, &none, 1.0, &motion));
        INVALID(ft_motion_turn(&here, &up, &nan, 1.0, &motion));
        INVALID(ft_motion_turn(&here, &up, &none, NAN, &motion));
    }
    {
        ft_leg legs[2] = {{0}}, broken[2];
        legs[0].until = 1.0, legs[0].by = FT_LEG_KIND_HOLD;
        legs[1].until = 2.0, legs[1].by = FT_LEG_KIND_LINEAR, legs[1].pose = there;
        NULL_(ft_motion_path(NULL, legs, 2, 2.0, &motion));
        NULL_(ft_motion_path(&here, NULL, 2, 2.0, &motion));
        NULL_(ft_motion_path(&here, legs, 2, 2.0, NULL));
        NULL_(ft_motion_path(&here, legs, 0, 2.0, NULL));
        INVALID(ft_motion_path(&here, legs, 2, 1.5, &motion)); /* the last leg ends after the path */
        INVALID(ft_motion_path(&here, legs, 2, 0.0, &motion));
        INVALID(ft_motion_path(&here, legs, 2, NAN, &motion));
        INVALID(ft_motion_path(&nowhere, legs, 2, 2.0, &motion));
        INVALID(ft_motion_path(&here, legs, SIZE_MAX, 2.0, &motion));
        for (int k = 0; k < 6; ++k) {
            memcpy(broken, legs, sizeof legs);
            switch (k) {
            case 0: broken[1].by = 4; break;
            case 1: broken[1].by = UINT64_MAX; break;
            case 2: broken[1].pose = flat; break;
            case 3: broken[1].by = FT_LEG_KIND_SCREW, broken[1].pose = nowhere; break;
            case 4: broken[1].by = FT_LEG_KIND_TURN, broken[1].angle = 1.0; break; /* about no axis */
            default: broken[0].until = 3.0; break;                                 /* the legs go back in time */
            }
            INVALID(ft_motion_path(&here, broken, 2, 2.0, &motion));
        }
    }
    {
        const double times[3] = {0.0, 1.0, 2.0}, backwards[3] = {0.0, 2.0, 1.0}, nan[3] = {0.0, NAN, 1.0};
        const ft_pose poses[3] = {here, there, here}, broken[3] = {here, flat, here};
        NULL_(ft_motion_spline(NULL, poses, 3, &motion));
        NULL_(ft_motion_spline(times, NULL, 3, &motion));
        NULL_(ft_motion_spline(times, poses, 3, NULL));
        INVALID(ft_motion_spline(times, poses, 0, &motion));
        INVALID(ft_motion_spline(times, poses, 1, &motion));
        INVALID(ft_motion_spline(backwards, poses, 3, &motion));
        INVALID(ft_motion_spline(nan, poses, 3, &motion));
        INVALID(ft_motion_spline(times, broken, 3, &motion));
    }
    must(ft_motion_fixed(&there, &resting));
    must(ft_motion_linear(&here, &there, &moving));
    NULL_(ft_motion_within(NULL, resting, &motion));
    NULL_(ft_motion_within(resting, NULL, &motion));
    NULL_(ft_motion_within(resting, moving, NULL));
    if (motion != NULL) ++failures;

    /* Scenes. */
    NULL_(ft_scene_new(NULL));
    must(ft_scene_new(&scene));
    must(ft_scene_new(&empty));
    NULL_(ft_scene_clone(NULL, &empty));
    NULL_(ft_scene_clone(scene, NULL));
    NULL_(ft_scene_add(NULL, "a", ball, resting, NULL));
    NULL_(ft_scene_add(scene, NULL, ball, resting, NULL));
    NULL_(ft_scene_add(scene, "a", NULL, resting, NULL));
    NULL_(ft_scene_add(scene, "a", ball, NULL, NULL));
    INVALID(ft_scene_add(scene, "\xc3", ball, resting, NULL));
    must(ft_scene_add(scene, "post", ball, resting, NULL));
    must(ft_scene_add(scene, "ball", ball, moving, NULL));
    DUPLICATE(ft_scene_add(scene, "post", ball, resting, NULL));
    INVALID(ft_scene_add_affine(scene, "egg", 1, 1, 0, NULL, 0, NULL, 0, NULL, 0, NULL));
    NULL_(ft_scene_add_affine(scene, "egg", 1, 1, 1, NULL, 2, NULL, 0, NULL, 0, NULL));
    NULL_(ft_scene_add_affine(NULL, "egg", 1, 1, 1, NULL, 0, NULL, 0, NULL, 0, NULL));
    NULL_(ft_scene_add_deforming(scene, "sheet", NULL, NULL));
    NULL_(ft_scene_set_motion(scene, "post", NULL));
    NOT_FOUND(ft_scene_set_motion(scene, "ghost", resting));
    NULL_(ft_scene_set_pose(scene, "post", NULL));
    INVALID(ft_scene_set_pose(scene, "post", &nowhere));
    NOT_FOUND(ft_scene_set_pose(scene, "ghost", &here));
    NULL_(ft_scene_replace_shape(scene, "post", NULL));
    NOT_FOUND(ft_scene_replace_shape(scene, "ghost", ball));
    NOT_FOUND(ft_scene_remove(scene, "ghost"));
    NULL_(ft_scene_remove(scene, NULL));
    NOT_FOUND(ft_scene_allow(scene, "post", "ghost"));
    NULL_(ft_scene_allow(scene, NULL, "post"));
    INVALID(ft_scene_keep_apart(scene, "post", "ball", -1));
    INVALID(ft_scene_keep_apart(scene, "post", "ball", NAN));
    NOT_FOUND(ft_scene_keep_apart(scene, "ghost", "ball", 1));
    {
        /* A triangle flies from z = 2 to z = -2 through another at z = 0, by CONTACT. */
        ft_shape *triangle = NULL;
        ft_screw_pair *pair = NULL;
        ft_motion *screw = NULL;
        ft_scene *flight = NULL;
        ft_pose above = ft_pose_identity(), below = ft_pose_identity(), ends[2], broken[2];
        ft_answer found;
        above.xyz[2] = 2.0, below.xyz[2] = -2.0;
        ends[0] = above, ends[1] = below, broken[0] = above, broken[1] = nowhere;
        must(ft_shape_mesh(corners[0], 4, 0, faces[0], 1, 0, &triangle));
        NULL_(ft_screw_pair_new(NULL, triangle, 0, &pair));
        NULL_(ft_screw_pair_new(triangle, triangle, 0, NULL));
        INVALID(ft_screw_pair_new(triangle, ball, 0, &pair));
        INVALID(ft_screw_pair_new(triangle, triangle, -1, &pair));
        if (pair != NULL) ++failures;
        must(ft_screw_pair_new(triangle, triangle, 0.3, &pair));
        NULL_(ft_screw_pair_check(NULL, &above, &below, &here, NULL, &found));
        NULL_(ft_screw_pair_check(pair, &above, NULL, &here, NULL, &found));
        INVALID(ft_screw_pair_check(pair, &above, &nowhere, &here, NULL, &found));
        NULL_(ft_screw_pair_check_relative(pair, NULL, &ends, NULL, &found));
        INVALID(ft_screw_pair_check_relative(pair, &ends, &broken, NULL, &found));
        must(ft_screw_pair_check(pair, &above, &below, &here, NULL, &found));
        if (found.kind != FT_ANSWER_KIND_TOUCH || !(found.toi <= 0.5 && found.toi > 0.499999)) ++failures;
        broken[0] = broken[1] = here;
        must(ft_screw_pair_check_relative(pair, &ends, &broken, NULL, &found));
        if (found.kind != FT_ANSWER_KIND_TOUCH || !(found.toi <= 0.5 && found.toi > 0.499999)) ++failures;

        must(ft_scene_new(&flight));
        must(ft_motion_contact_screw(&above, &below, &screw));
        must(ft_scene_add(flight, "flying", triangle, screw, NULL));
        must(ft_scene_add(flight, "resting", triangle, resting, NULL));
        must(ft_scene_set_pose(flight, "resting", &here));
        must(ft_scene_add(flight, "ball", ball, moving, NULL));
        must(ft_scene_allow(flight, "ball", "flying"));
        must(ft_scene_allow(flight, "ball", "resting"));
        NOT_FOUND(ft_scene_decide_by_contact(flight, "flying", "ghost", 0));
        UNSUPPORTED(ft_scene_decide_by_contact(flight, "flying", "ball", 0));
        INVALID(ft_scene_decide_by_contact(flight, "flying", "resting", -1));
        must(ft_scene_decide_by_contact(flight, "flying", "resting", 0));
        must(ft_scene_check(flight, NULL, &found));
        if (found.kind != FT_ANSWER_KIND_TOUCH || !(found.toi <= 0.5 && found.toi > 0.499999)) ++failures;
        must(ft_scene_set_motion(flight, "flying", moving));
        UNSUPPORTED(ft_scene_check(flight, NULL, &found));
        ft_scene_free(flight), ft_motion_free(screw), ft_screw_pair_free(pair), ft_screw_pair_free(NULL), ft_shape_free(triangle);
    }
    NULL_(ft_scene_body_count(scene, NULL));
    NULL_(ft_scene_body_count(NULL, &count));
    NOT_FOUND(ft_scene_body_name(scene, 2, text, sizeof text, NULL));
    NOT_FOUND(ft_scene_body_name(scene, SIZE_MAX, text, sizeof text, NULL));
    NULL_(ft_scene_body_name(scene, 0, NULL, 9, NULL));
    memset(text, 'x', sizeof text);
    TOO_SMALL(ft_scene_body_name(scene, 0, text, 4, &count));
    if (count != 4 || text[0] != 'x') ++failures;
    TOO_SMALL(ft_scene_body_name(scene, 0, NULL, 0, &count));
    must(ft_scene_body_name(scene, 0, text, 5, &count));
    if (strcmp(text, "post") != 0 || text[5] != 'x') ++failures;
    NOT_FOUND(ft_scene_index_of(scene, "ghost", &index));
    NULL_(ft_scene_index_of(scene, "post", NULL));
    NULL_(ft_scene_part_text(scene, 0, NULL, text, sizeof text, NULL));
    INVALID(ft_scene_part_text(scene, 0, &odd_part, text, sizeof text, NULL));
    INVALID(ft_scene_part_text(scene, 0, &odd_piece, text, sizeof text, NULL));
    NOT_FOUND(ft_scene_part_text(scene, 9, &part, text, sizeof text, NULL));
    BAD_FILE(ft_scene_from_file("there/is/no/such/scene.toml", NULL, &scene));
    NULL_(ft_scene_from_file(NULL, NULL, &scene));
    NULL_(ft_scene_from_file("scene.toml", NULL, NULL));
    NULL_(ft_scene_attach(scene, "held", ball, "post", "hand", NULL, NULL, 0, NULL));
    UNSUPPORTED(ft_scene_attach(scene, "held", ball, "post", "hand", &here, NULL, 0, NULL));
    NOT_FOUND(ft_scene_attach(scene, "held", ball, "ghost", "hand", &here, NULL, 0, NULL));

    /* Options. */
    NULL_(ft_scene_check(NULL, NULL, &answer));
    NULL_(ft_scene_check(scene, NULL, NULL));
    for (int k = 0; k < 11; ++k) {
        ft_options options = ft_options_default();
        switch (k) {
        case 0: options.mode = 3; break;
        case 1: options.mode = UINT32_MAX; break;
        case 2: options.start = 2; break;
        case 3: options.reserved[3] = 1; break;
        case 4: options.tolerance = 0.0; break;
        case 5: options.tolerance = NAN; break;
        case 6: options.min_separation = -1.0; break;
        case 7: options.min_separation = INFINITY; break;
        case 8: options.t_max = 1.5; break;
        case 9: options.t_max = 0.0; break;
        default: options.max_iterations = 0; break;
        }
        INVALID(ft_scene_check(scene, &options, &answer));
        INVALID(ft_first_touch(ball, moving, ball, resting, &options, &answer));
    }
    NULL_(ft_first_touch(NULL, moving, ball, resting, NULL, &answer));
    NULL_(ft_first_touch(ball, NULL, ball, resting, NULL, &answer));
    NULL_(ft_first_touch(ball, moving, NULL, resting, NULL, &answer));
    NULL_(ft_first_touch(ball, moving, ball, NULL, NULL, &answer));
    NULL_(ft_first_touch(ball, moving, ball, resting, NULL, NULL));

    /* Reports. */
    NULL_(ft_scene_report(scene, NULL, NULL, NULL));
    NULL_(ft_scene_report(NULL, NULL, NULL, &report));
    must(ft_interrupt_new(&interrupt));
    NULL_(ft_interrupt_new(NULL));
    NULL_(ft_interrupt_raise(NULL));
    NULL_(ft_interrupt_lower(NULL));
    must(ft_scene_report(scene, NULL, interrupt, &report));
    NULL_(ft_report_answer(report, NULL));
    NULL_(ft_report_answer(NULL, &answer));
    NULL_(ft_report_stats(NULL, &stats));
    NULL_(ft_report_pair_count(NULL, &count));
    NOT_FOUND(ft_report_pair(report, 0, &answer));
    NOT_FOUND(ft_report_pair_overlaps(report, 0, &overlap, 1, &count));
    NOT_FOUND(ft_report_crossings_at_start(report, &crossings));

    /* Robots. */
    NULL_(ft_robot_from_urdf_file(NULL, NULL, &other));
    BAD_FILE(ft_robot_from_urdf_file("there/is/no/such/robot.urdf", NULL, &other));
    NULL_(ft_robot_from_urdf_text(NULL, 10, NULL, 0, NULL, &other));
    BAD_FILE(ft_robot_from_urdf_text("nonsense", 8, NULL, 0, NULL, &other));
    BAD_FILE(ft_robot_from_urdf_text(URDF, sizeof URDF / 2, NULL, 0, NULL, &other));
    BAD_FILE(ft_robot_from_urdf_text(URDF, 0, NULL, 0, NULL, &other));
    BAD_FILE(ft_robot_from_urdf_text(URDF, sizeof URDF - 1, "nonsense", 8, NULL, &other));
    INVALID(ft_robot_from_urdf_text(URDF, SIZE_MAX, NULL, 0, NULL, &other));
    NULL_(ft_robot_from_urdf_text(URDF, sizeof URDF - 1, NULL, 0, NULL, NULL));
    if (other != NULL) ++failures;
    must(ft_robot_from_urdf_text(URDF, sizeof URDF - 1, NULL, 0, NULL, &robot));
    NULL_(ft_robot_sizes(NULL, &count, NULL, NULL));
    NULL_(ft_robot_name(NULL, text, sizeof text, NULL));
    NOT_FOUND(ft_robot_variable_name(robot, 1, text, sizeof text, NULL));
    NOT_FOUND(ft_robot_variable_limits(robot, 1, &limited, NULL, NULL));
    NOT_FOUND(ft_robot_link_name(robot, 2, text, sizeof text, NULL));
    NOT_FOUND(ft_robot_warning(robot, 0, text, sizeof text, NULL));
    NULL_(ft_shape_warnings(NULL, &count));
    NULL_(ft_shape_warnings(ball, NULL));
    NULL_(ft_shape_warning(NULL, 0, text, sizeof text, NULL));
    NOT_FOUND(ft_shape_warning(ball, 0, text, sizeof text, NULL));
    TOO_SMALL(ft_robot_name(robot, text, 6, &count));
    REFUSED(FT_STATUS_NOT_FOUND, ft_robot_allow(robot, "rail", "ghost"));
    NULL_(ft_robot_allow(robot, NULL, "rail"));
    NULL_(ft_scene_add_robot(scene, "slider", NULL, NULL, &number, &number, 1, NULL));
    NULL_(ft_scene_add_robot(scene, "slider", robot, NULL, NULL, &number, 1, NULL));
    INVALID(ft_scene_add_robot(scene, "slider", robot, NULL, &number, &number, 0, NULL));
    INVALID(ft_scene_add_robot(scene, "slider", robot, &flat, &number, &number, 1, NULL));

    /* Checkers. */
    NULL_(ft_checker_new(NULL, NULL, NULL, &checker));
    NULL_(ft_checker_new(robot, NULL, NULL, NULL));
    INVALID(ft_checker_new(robot, &nowhere, NULL, &checker));
    must(ft_scene_add_robot(empty, "slider", robot, NULL, &number, &number, 1, NULL));
    UNSUPPORTED(ft_checker_new(robot, NULL, empty, &checker));
    {
        ft_scene *strict = NULL;
        NULL_(ft_checker_from_scene(NULL, "slider", &checker));
        NULL_(ft_checker_from_scene(empty, NULL, &checker));
        NULL_(ft_checker_from_scene(empty, "slider", NULL));
        NOT_FOUND(ft_checker_from_scene(empty, "ghost", &checker));
        INVALID(ft_checker_from_scene(empty, "\xff", &checker));
        must(ft_scene_clone(empty, &strict));
        must(ft_scene_add(strict, "post", ball, resting, NULL));
        INVALID(ft_checker_from_scene(strict, "post", &checker)); /* it is no robot */
        must(ft_scene_keep_apart(strict, "slider", "post", 0.5));
        INVALID(ft_scene_pad(strict, "slider", -1.0));
        UNSUPPORTED(ft_scene_pad(strict, "post", 0.1));
        NOT_FOUND(ft_scene_pad(strict, "ghost", 0.1));
        NULL_(ft_scene_pad(NULL, "slider", 0.1));
        must(ft_checker_from_scene(strict, "slider", &checker));
        INVALID(ft_checker_keep_apart(checker, "slider", "post", -1.0));
        NOT_FOUND(ft_checker_keep_apart(checker, "slider", "ghost", 1.0));
        INVALID(ft_checker_set_padding(checker, -1.0));
        NOT_FOUND(ft_checker_set_link_padding(checker, "ghost", 1.0));
        NULL_(ft_checker_set_padding(NULL, 1.0));
        ft_checker_free(checker);
        checker = NULL;
        ft_scene_free(strict);
    }
    if (checker != NULL) ++failures;
    must(ft_checker_new(robot, NULL, NULL, &checker));
    NULL_(ft_checker_clone(NULL, &checker));
    NULL_(ft_checker_dof(checker, NULL));
    must(ft_checker_add_obstacle(checker, "post", ball, resting, NULL));
    must(ft_checker_add_obstacle(checker, "train", ball, moving, NULL));
    DUPLICATE(ft_checker_add_obstacle(checker, "post", ball, resting, NULL));
    NULL_(ft_checker_add_obstacle(checker, "wall", NULL, resting, NULL));
    NULL_(ft_checker_add_deforming(checker, "sheet", NULL, NULL));
    NOT_FOUND(ft_checker_move_obstacle(checker, "ghost", &here));
    NULL_(ft_checker_move_obstacle(checker, "post", NULL));
    INVALID(ft_checker_move_obstacle(checker, "post", &flat));
    UNSUPPORTED(ft_checker_move_obstacle(checker, "train", &here));
    NOT_FOUND(ft_checker_remove_obstacle(checker, "ghost"));
    NOT_FOUND(ft_checker_allow(checker, "ball", "ghost"));
    NULL_(ft_checker_allow(checker, "ball", NULL));
    NULL_(ft_checker_hold(checker, "tool", NULL, "ball", &here, NULL, 0));
    NULL_(ft_checker_hold(checker, "tool", ball, "ball", NULL, NULL, 0));
    NULL_(ft_checker_hold(checker, "tool", ball, "ball", &here, NULL, 1));
    NULL_(ft_checker_hold(checker, "tool", ball, "ball", &here, no_links, 1));
    NOT_FOUND(ft_checker_hold(checker, "tool", ball, "ghost", &here, NULL, 0));
    NOT_FOUND(ft_checker_release(checker, "tool"));
    NULL_(ft_checker_set_base(checker, NULL));
    INVALID(ft_checker_set_base(checker, &flat));
    NULL_(ft_checker_check_motion(NULL, &number, &number, 1, NULL, &answer));
    NULL_(ft_checker_check_motion(checker, NULL, &number, 1, NULL, &answer));
    NULL_(ft_checker_check_motion(checker, &number, NULL, 1, NULL, &answer));
    NULL_(ft_checker_check_motion(checker, &number, &number, 1, NULL, NULL));
    INVALID(ft_checker_check_motion(checker, corners[0], corners[1], 2, NULL, &answer));
    INVALID(ft_checker_check_motion(checker, NULL, NULL, 0, NULL, &answer));
    INVALID(ft_checker_check_motion(checker, &number, &not_finite[2][1], 1, NULL, &answer));
    INVALID(ft_checker_check_motion(checker, (const double *)((const char *)corners + 1), &number, 1, NULL, &answer));
    {
        ft_options ignore = ft_options_default();
        ignore.start = FT_START_IGNORE;
        UNSUPPORTED(ft_checker_check_motion(checker, &number, &number, 1, &ignore, &answer));
    }
    NULL_(ft_checker_check_state(checker, NULL, 1, NULL, &answer));
    INVALID(ft_checker_check_state(checker, corners[0], 3, NULL, &answer));
    NULL_(ft_checker_check_path(checker, NULL, 2, 1, 0, NULL, &path));
    INVALID(ft_checker_check_path(checker, &number, 0, 1, 0, NULL, &path));
    INVALID(ft_checker_check_path(checker, corners[0], 2, 1, 4, NULL, &path));
    INVALID(ft_checker_check_path(checker, corners[0], SIZE_MAX, 1, 0, NULL, &path));
    INVALID(ft_checker_check_path(checker, corners[0], 2, 3, 0, NULL, &path));
    NULL_(ft_checker_check_motions(checker, corners[0], NULL, 2, 1, 0, NULL, answers));
    NULL_(ft_checker_check_motions(checker, corners[0], corners[1], 2, 1, 0, NULL, NULL));
    INVALID(ft_checker_check_motions(checker, corners[0], corners[1], 2, 2, 0, NULL, answers));
    answers[0].kind = 99;
    INVALID(ft_checker_check_motions(checker, not_finite[1], not_finite[2], 2, 1, 0, NULL, answers));
    INVALID(ft_checker_check_states(checker, not_finite[2], 2, 1, 0, NULL, answers));
    if (answers[0].kind != 99) ++failures;
    NULL_(ft_checker_check_states(checker, NULL, 2, 1, 0, NULL, answers));
    must(ft_checker_check_motions(checker, NULL, NULL, 0, 1, 0, NULL, NULL)); /* none at all is fine */
    NOT_FOUND(ft_checker_body_name(checker, 3, text, sizeof text, NULL));
    NULL_(ft_checker_obstacle_count(checker, NULL));
    INVALID(ft_checker_part_text(checker, &odd_part, text, sizeof text, NULL));

    /* Deforming meshes. */
    NULL_(ft_deformable_new(NULL, corners[0], 4, 0, faces[0], 2, NULL, 0, NULL, 0, 1, &sheet));
    NULL_(ft_deformable_new(corners[0], NULL, 4, 0, faces[0], 2, NULL, 0, NULL, 0, 1, &sheet));
    NULL_(ft_deformable_new(corners[0], corners[0], 4, 0, NULL, 2, NULL, 0, NULL, 0, 1, &sheet));
    NULL_(ft_deformable_new(corners[0], corners[0], 4, 0, faces[0], 2, NULL, 1, NULL, 0, 1, &sheet));
    NULL_(ft_deformable_new(corners[0], corners[0], 4, 0, faces[0], 2, NULL, 0, NULL, 1, 1, &sheet));
    INVALID(ft_deformable_new(corners[0], corners[0], 4, 0, NULL, 0, NULL, 0, NULL, 0, 1, &sheet));
    INVALID(ft_deformable_new(corners[0], corners[0], 4, 0, beyond[0], 1, NULL, 0, NULL, 0, 1, &sheet));
    INVALID(ft_deformable_new(corners[0], not_finite[0], 4, 0, faces[0], 2, NULL, 0, NULL, 0, 1, &sheet));
    INVALID(ft_deformable_new(corners[0], corners[0], 4, 20, faces[0], 2, NULL, 0, NULL, 0, 1, &sheet));
    must(ft_deformable_new(corners[0], corners[0], 4, 0, faces[0], 2, NULL, 0, NULL, 0, 1, &sheet));
    INVALID(ft_deformable_set_frames(sheet, corners[0], corners[0], 3, 0));
    NULL_(ft_deformable_set_frames(sheet, corners[0], NULL, 4, 0));
    INVALID(ft_deformable_step_to(sheet, not_finite[0], 4, 0));
    INVALID(ft_deformable_step_to(sheet, corners[0], 2, 0));
    NULL_(ft_deformable_check(sheet, NULL, NULL));
    NULL_(ft_deformable_report(NULL, NULL, &report));
    NULL_(ft_deformable_safe_step(sheet, NULL, 1.0, NULL));

    /* Elementary tests. */
    {
        ft_four_points still, broken;
        memcpy(still.t0, corners, sizeof corners), memcpy(still.t1, corners, sizeof corners);
        broken = still;
        broken.t1[3][0] = NAN;
        const ft_four_points both[2] = {still, broken};
        ft_contact contacts[2] = {{0}};
        NULL_(ft_vertex_face(NULL, NULL, &contact));
        NULL_(ft_vertex_face(&still, NULL, NULL));
        INVALID(ft_vertex_face(&broken, NULL, &contact));
        NULL_(ft_edge_edge(NULL, NULL, &contact));
        INVALID(ft_edge_edge(&broken, NULL, &contact));
        contacts[0].kind = 99;
        INVALID(ft_vertex_face_batch(both, 2, NULL, contacts));
        INVALID(ft_edge_edge_batch(both, 2, NULL, contacts));
        if (contacts[0].kind != 99) ++failures;
        NULL_(ft_vertex_face_batch(NULL, 2, NULL, contacts));
        NULL_(ft_edge_edge_batch(both, 1, NULL, NULL));
        INVALID(ft_vertex_face_batch(both, SIZE_MAX, NULL, contacts));
        must(ft_vertex_face_batch(NULL, 0, NULL, NULL));
    }

    /* Ellipsoids. */
    broken_egg.semi_axes[1] = -1.0;
    NULL_(ft_ellipsoid_relation(NULL, &egg, &relation));
    NULL_(ft_ellipsoid_relation(&egg, &egg, NULL));
    INVALID(ft_ellipsoid_relation(&broken_egg, &egg, &relation));
    broken_egg = egg, broken_egg.pose = flat;
    INVALID(ft_ellipsoid_relation(&egg, &broken_egg, &relation));
    UNSUPPORTED(ft_ellipsoid_overlaps(&egg, moving, &egg, resting, NULL, &overlap, 1, &count));
    NULL_(ft_ellipsoid_overlaps(&egg, NULL, &egg, resting, NULL, &overlap, 1, &count));
    TOO_SMALL(ft_ellipsoid_overlaps(&egg, resting, &egg, resting, NULL, NULL, 0, &count));
    NOT_FOUND(ft_ellipsoid_contact_at_time(&egg, resting, &egg, resting, 0.5, &touch));
    INVALID(ft_ellipsoid_contact_at_time(&egg, moving, &egg, resting, 2.0, &touch));
    INVALID(ft_ellipsoid_contact_at_time(&egg, moving, &egg, resting, NAN, &touch));
    NULL_(ft_ellipsoid_enclosing(NULL, 3, 0, &egg));
    INVALID(ft_ellipsoid_enclosing(corners[0], 0, 0, &egg));
    INVALID(ft_ellipsoid_enclosing(not_finite[0], 4, 0, &egg));

    /* More questions. */
    {
        ft_clearance least, untouched;
        ft_gradient gradient;
        ft_contact_point points[1];
        ft_scene *none = NULL, *alone = NULL;
        double by_from[1], by_to[1], row[2] = {0.0, 9.0}, far[2] = {0.0, 1.0}, toi = -1.0;
        uint64_t degenerate = 99;
        ft_options wrong = ft_options_default();
        wrong.tolerance = -1.0;
        memset(&least, 0x55, sizeof least), untouched = least;
        must(ft_scene_new(&none));
        must(ft_scene_new(&alone));
        must(ft_scene_add(alone, "ball", ball, resting, NULL));

        NULL_(ft_scene_clearance(NULL, NULL, &least));
        NULL_(ft_scene_clearance(scene, NULL, NULL));
        INVALID(ft_scene_clearance(scene, &wrong, &least));
        NOT_FOUND(ft_scene_clearance(none, NULL, &least));
        NOT_FOUND(ft_scene_clearance(alone, NULL, &least));
        NULL_(ft_scene_distance_at(NULL, 0.5, NULL, &least));
        NULL_(ft_scene_distance_at(scene, 0.5, NULL, NULL));
        INVALID(ft_scene_distance_at(scene, -0.5, NULL, &least));
        INVALID(ft_scene_distance_at(scene, 1.5, NULL, &least));
        INVALID(ft_scene_distance_at(scene, NAN, NULL, &least));
        INVALID(ft_scene_distance_at(scene, 0.5, &wrong, &least));
        NOT_FOUND(ft_scene_distance_at(none, 0.5, NULL, &least));
        NULL_(ft_scene_contacts(NULL, 0.75, NULL, points, 1, &count));
        NULL_(ft_scene_contacts(scene, 0.75, NULL, NULL, 1, &count));
        INVALID(ft_scene_contacts(scene, 2.0, NULL, points, 1, &count));
        INVALID(ft_scene_contacts(scene, NAN, NULL, points, 1, &count));
        INVALID(ft_scene_contacts(scene, 0.75, &wrong, points, 1, &count));
        count = 99;
        TOO_SMALL(ft_scene_contacts(scene, 0.75, NULL, NULL, 0, &count));
        if (count != 1) ++failures;
        NULL_(ft_scene_overlaps(NULL, "post", "ball", NULL, &overlap, 1, &count));
        NULL_(ft_scene_overlaps(scene, NULL, "ball", NULL, &overlap, 1, &count));
        NULL_(ft_scene_overlaps(scene, "post", NULL, NULL, &overlap, 1, &count));
        NULL_(ft_scene_overlaps(scene, "post", "ball", NULL, NULL, 1, &count));
        NOT_FOUND(ft_scene_overlaps(scene, "post", "ghost", NULL, &overlap, 1, &count));
        INVALID(ft_scene_overlaps(scene, "post", "\xff", NULL, &overlap, 1, &count));
        INVALID(ft_scene_overlaps(scene, "post", "ball", &wrong, &overlap, 1, &count));
        count = 99;
        TOO_SMALL(ft_scene_overlaps(scene, "post", "ball", NULL, NULL, 0, &count));
        if (count != 1) ++failures;
        NULL_(ft_scene_toi_gradient(NULL, NULL, &toi, &gradient));
        NULL_(ft_scene_toi_gradient(scene, NULL, &toi, NULL));
        INVALID(ft_scene_toi_gradient(scene, &wrong, &toi, &gradient));
        NOT_FOUND(ft_scene_toi_gradient(alone, NULL, &toi, &gradient));
        NULL_(ft_scene_clearance_gradient(NULL, NULL, &least, &gradient));
        NULL_(ft_scene_clearance_gradient(scene, NULL, &least, NULL));
        INVALID(ft_scene_clearance_gradient(scene, &wrong, &least, &gradient));
        NOT_FOUND(ft_scene_clearance_gradient(alone, NULL, &least, &gradient));

        NULL_(ft_checker_clearance(NULL, row, 2, 1, 0, NULL, &least));
        NULL_(ft_checker_clearance(checker, NULL, 2, 1, 0, NULL, &least));
        NULL_(ft_checker_clearance(checker, row, 2, 1, 0, NULL, NULL));
        INVALID(ft_checker_clearance(checker, row, 1, 2, 0, NULL, &least));
        INVALID(ft_checker_clearance(checker, row, 2, 1, 4, NULL, &least));
        INVALID(ft_checker_clearance(checker, row, SIZE_MAX, 1, 0, NULL, &least));
        INVALID(ft_checker_clearance(checker, not_finite[2], 2, 1, 0, NULL, &least));
        INVALID(ft_checker_clearance(checker, row, 2, 1, 0, &wrong, &least));
        NULL_(ft_checker_distance(NULL, row, 1, NULL, &least));
        NULL_(ft_checker_distance(checker, NULL, 1, NULL, &least));
        NULL_(ft_checker_distance(checker, row, 1, NULL, NULL));
        INVALID(ft_checker_distance(checker, row, 2, NULL, &least));
        INVALID(ft_checker_distance(checker, &not_finite[2][1], 1, NULL, &least));
        INVALID(ft_checker_distance(checker, row, 1, &wrong, &least));
        NULL_(ft_checker_contacts(NULL, row, row + 1, 1, 0.5, NULL, points, 1, &count));
        NULL_(ft_checker_contacts(checker, NULL, row + 1, 1, 0.5, NULL, points, 1, &count));
        NULL_(ft_checker_contacts(checker, row, NULL, 1, 0.5, NULL, points, 1, &count));
        NULL_(ft_checker_contacts(checker, row, row + 1, 1, 0.5, NULL, NULL, 1, &count));
        INVALID(ft_checker_contacts(checker, row, row, 2, 0.5, NULL, points, 1, &count));
        INVALID(ft_checker_contacts(checker, row, row + 1, 1, 1.5, NULL, points, 1, &count));
        INVALID(ft_checker_contacts(checker, row, row + 1, 1, NAN, NULL, points, 1, &count));
        INVALID(ft_checker_contacts(checker, row, &not_finite[2][1], 1, 0.5, NULL, points, 1, &count));
        INVALID(ft_checker_contacts(checker, row, row + 1, 1, 0.5, &wrong, points, 1, &count));
        TOO_SMALL(ft_checker_contacts(checker, row, row + 1, 1, 1.0, NULL, NULL, 0, &count));
        NULL_(ft_checker_toi_gradient(NULL, row, row + 1, 1, NULL, by_from, by_to, &toi, &degenerate));
        NULL_(ft_checker_toi_gradient(checker, NULL, row + 1, 1, NULL, by_from, by_to, &toi, &degenerate));
        NULL_(ft_checker_toi_gradient(checker, row, NULL, 1, NULL, by_from, by_to, &toi, &degenerate));
        NULL_(ft_checker_toi_gradient(checker, row, row + 1, 1, NULL, NULL, by_to, &toi, &degenerate));
        NULL_(ft_checker_toi_gradient(checker, row, row + 1, 1, NULL, by_from, NULL, &toi, &degenerate));
        NULL_(ft_checker_toi_gradient(checker, row, row + 1, 1, NULL, by_from, by_to, &toi, NULL));
        INVALID(ft_checker_toi_gradient(checker, row, row, 0, NULL, by_from, by_to, &toi, &degenerate));
        INVALID(ft_checker_toi_gradient(checker, &not_finite[2][1], row, 1, NULL, by_from, by_to, &toi, &degenerate));
        INVALID(ft_checker_toi_gradient(checker, row, row + 1, 1, &wrong, by_from, by_to, &toi, &degenerate));
        must(ft_checker_remove_obstacle(checker, "train"));
        NOT_FOUND(ft_checker_toi_gradient(checker, far, far + 1, 1, NULL, by_from, by_to, &toi, &degenerate));
        NULL_(ft_checker_clearance_gradient(NULL, far, far + 1, 1, NULL, by_from, by_to, &least, &degenerate));
        NULL_(ft_checker_clearance_gradient(checker, NULL, far + 1, 1, NULL, by_from, by_to, &least, &degenerate));
        NULL_(ft_checker_clearance_gradient(checker, far, NULL, 1, NULL, by_from, by_to, &least, &degenerate));
        NULL_(ft_checker_clearance_gradient(checker, far, far + 1, 1, NULL, NULL, by_to, &least, &degenerate));
        NULL_(ft_checker_clearance_gradient(checker, far, far + 1, 1, NULL, by_from, NULL, &least, &degenerate));
        NULL_(ft_checker_clearance_gradient(checker, far, far + 1, 1, NULL, by_from, by_to, &least, NULL));
        INVALID(ft_checker_clearance_gradient(checker, far, far, 0, NULL, by_from, by_to, &least, &degenerate));
        INVALID(ft_checker_clearance_gradient(checker, far, &not_finite[2][1], 1, NULL, by_from, by_to, &least, &degenerate));
        INVALID(ft_checker_clearance_gradient(checker, far, far + 1, 1, &wrong, by_from, by_to, &least, &degenerate));
        must(ft_checker_remove_obstacle(checker, "post"));
        NOT_FOUND(ft_checker_clearance(checker, far, 2, 1, 0, NULL, &least));
        NOT_FOUND(ft_checker_distance(checker, far, 1, NULL, &least));
        NOT_FOUND(ft_checker_clearance_gradient(checker, far, far + 1, 1, NULL, by_from, by_to, &least, &degenerate));
        if (memcmp(&least, &untouched, sizeof least) != 0 || toi != -1.0 || degenerate != 99) ++failures; /* written to */
        ft_scene_free(none), ft_scene_free(alone);
    }

    /* After all that, everything still works. */
    must(ft_scene_check(scene, NULL, &answer));
    if (answer.kind != FT_ANSWER_KIND_TOUCH || fabs(answer.toi - 0.75) > 1e-6) ++failures;

    ft_shape_free(NULL), ft_motion_free(NULL), ft_scene_free(NULL), ft_robot_free(NULL), ft_checker_free(NULL);
    ft_deformable_free(NULL), ft_report_free(NULL), ft_interrupt_free(NULL);
    ft_deformable_free(sheet), ft_checker_free(checker), ft_robot_free(robot), ft_report_free(report), ft_interrupt_free(interrupt);
    ft_scene_free(scene), ft_scene_free(empty), ft_motion_free(resting), ft_motion_free(moving), ft_shape_free(ball), ft_shape_free(mesh);
    printf("%d wrong calls, %d not refused as they should be\n", calls, failures);
    return failures == 0 ? 0 : 1;
}
