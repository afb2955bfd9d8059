/* A ball falls onto a slab: when do they touch? In C.
 *
 *     cc two_shapes.c $(pkg-config --cflags --libs firsttouch) -o two_shapes
 */
#include <firsttouch.h>

#include <stdio.h>
#include <stdlib.h>

static void must(ft_status status) {
    if (status != FT_STATUS_OK) {
        fprintf(stderr, "firsttouch: %s\n", ft_last_error());
        exit(2);
    }
}

int main(void) {
    if (ft_abi_version() != FT_ABI_VERSION) {
        fprintf(stderr, "the library has interface %u, the header %u\n", (unsigned)ft_abi_version(), (unsigned)FT_ABI_VERSION);
        return 2;
    }
    /* A ball of radius 1 falls from z = 10 to z = 0 onto a slab whose top is at z = 1:
       they touch when it is at z = 2. */
    ft_pose from = ft_pose_identity(), to = ft_pose_identity(), here = ft_pose_identity();
    from.xyz[2] = 10.0;
    ft_shape *ball = NULL, *slab = NULL;
    ft_motion *falling = NULL, *resting = NULL;
    ft_scene *scene = NULL;
    must(ft_shape_sphere(1.0, &ball));
    must(ft_shape_box(8.0, 8.0, 2.0, &slab));
    must(ft_motion_linear(&from, &to, &falling));
    must(ft_motion_fixed(&here, &resting));
    must(ft_scene_new(&scene));
    must(ft_scene_add(scene, "ball", ball, falling, NULL));
    must(ft_scene_add(scene, "slab", slab, resting, NULL));

    ft_answer answer;
    must(ft_scene_check(scene, NULL, &answer));
    if (answer.kind != FT_ANSWER_KIND_TOUCH) return 1;
    char names[2][32];
    for (int side = 0; side < 2; ++side) must(ft_scene_body_name(scene, (size_t)answer.bodies[side], names[side], 32, NULL));
    printf("%s touches %s at t = %.7f; free before, proven\n", names[0], names[1], answer.toi);

    /* Up to t = 0.75 it is proven free. */
    ft_options early = ft_options_default();
    early.t_max = 0.75;
    must(ft_scene_check(scene, &early, &answer));
    printf("up to t = 0.75: %s\n", answer.kind == FT_ANSWER_KIND_FREE ? "free" : "not free");

    ft_scene_free(scene);
    ft_motion_free(resting);
    ft_motion_free(falling);
    ft_shape_free(slab);
    ft_shape_free(ball);
    return 0;
}
