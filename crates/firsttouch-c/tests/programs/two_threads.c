/* Two threads on one checker and one scene: the answers are those of one thread, and no memory is raced for. */
#include "print.h"

#include <pthread.h>
#include <stdlib.h>

enum { EDGES = 200 };

static ft_checker *checker;
static ft_scene *scene;
static double from[EDGES][1], to[EDGES][1];

static const char URDF[] = "<robot name=\"slider\"><link name=\"rail\"/><link name=\"ball\"><collision><geometry><sphere radius=\"1\"/>"
                           "</geometry></collision></link><joint name=\"slide\" type=\"prismatic\"><parent link=\"rail\"/>"
                           "<child link=\"ball\"/><axis xyz=\"1 0 0\"/><limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/>"
                           "</joint></robot>";

static void must(ft_status status) {
    if (status != FT_STATUS_OK) {
        fprintf(stderr, "status %d: %s\n", (int)status, ft_last_error());
        exit(2);
    }
}

static void *work(void *room) {
    ft_answer *answers = room;
    for (int k = 0; k < EDGES; ++k) {
        ft_checker *own = NULL;
        must(ft_checker_check_motion(checker, from[k], to[k], 1, NULL, &answers[2 * k]));
        must(ft_scene_check(scene, NULL, &answers[2 * k + 1]));
        /* Clones are made and thrown away meanwhile, and errors are of their thread. */
        must(ft_checker_clone(checker, &own));
        if (ft_checker_remove_obstacle(own, "ghost") != FT_STATUS_NOT_FOUND || strstr(ft_last_error(), "ghost") == NULL) exit(3);
        ft_checker_free(own);
    }
    return NULL;
}

int main(void) {
    static ft_answer alone[2 * EDGES], both[2][2 * EDGES];
    pthread_t threads[2];
    ft_robot *robot = NULL;
    ft_shape *ball = NULL, *mesh = NULL;
    ft_motion *resting = NULL, *turning = NULL;
    ft_pose at = ft_pose_identity(), start = ft_pose_identity(), end = ft_pose_identity();
    double corners[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
    const uint32_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    at.xyz[0] = 4.0, at.xyz[1] = 1.5, start.xyz[2] = -5.0, end.xyz[2] = 5.0, end.quat_wxyz[1] = 1.0;
    must(ft_robot_from_urdf_text(URDF, sizeof URDF - 1, NULL, 0, NULL, &robot));
    must(ft_shape_sphere(1.0, &ball));
    must(ft_shape_mesh(corners[0], 4, 0, faces[0], 4, 0, &mesh));
    must(ft_motion_fixed(&at, &resting));
    must(ft_motion_linear(&start, &end, &turning));
    must(ft_scene_new(&scene));
    must(ft_scene_add(scene, "mesh", mesh, turning, NULL));
    must(ft_scene_add(scene, "ball", ball, resting, NULL));
    must(ft_checker_new(robot, NULL, scene, &checker));
    random_state = 5;
    for (int k = 0; k < EDGES; ++k) from[k][0] = uniform(-9.0, 2.0), to[k][0] = uniform(-9.0, 9.0);

    for (int k = 0; k < 2; ++k)
        if (pthread_create(&threads[k], NULL, work, both[k]) != 0) return 2;
    for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
    work(alone);
    const int same = memcmp(alone, both[0], sizeof alone) == 0 && memcmp(alone, both[1], sizeof alone) == 0;
    int touching = 0;
    for (int k = 0; k < EDGES; ++k) touching += alone[2 * k].kind != FT_ANSWER_KIND_FREE;
    printf("%d edges, %d touch, answers of two threads %s\n", EDGES, touching, same ? "the same" : "different");

    ft_checker_free(checker), ft_scene_free(scene), ft_robot_free(robot), ft_shape_free(ball), ft_shape_free(mesh);
    ft_motion_free(resting), ft_motion_free(turning);
    return same && touching > EDGES / 10 && touching < EDGES * 9 / 10 ? 0 : 1;
}
