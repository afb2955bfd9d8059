/* Random inputs, the same in C, C++ and Rust, and answers as text, every number by its bits. */
#ifndef FIRSTTOUCH_TEST_PRINT_H
#define FIRSTTOUCH_TEST_PRINT_H

#include <firsttouch.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* splitmix64 */
static uint64_t random_state;

static inline double uniform(double low, double high) {
    uint64_t z;
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = random_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

static inline ft_pose random_pose(void) {
    ft_pose pose;
    for (int k = 0; k < 3; ++k) pose.xyz[k] = uniform(-2.0, 2.0);
    for (int k = 0; k < 4; ++k) pose.quat_wxyz[k] = uniform(-1.0, 1.0);
    return pose;
}

/* Four points on a coarse grid, so that degenerate cases occur. */
static inline ft_four_points random_points(void) {
    ft_four_points q;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) q.t0[i][k] = (double)(int)uniform(0.0, 5.0), q.t1[i][k] = (double)(int)uniform(0.0, 5.0);
    return q;
}

/* A sheet of 64 vertices, crumpled at random from one frame to the next. */
static inline void random_sheet(double t0[64][3], double t1[64][3], uint32_t triangles[98][3]) {
    int next = 0;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            double *a = t0[8 * i + j], *b = t1[8 * i + j];
            a[0] = i, a[1] = j, a[2] = 0.0;
            for (int k = 0; k < 3; ++k) b[k] = a[k] + uniform(-0.9, 0.9);
        }
    for (uint32_t i = 0; i < 7; ++i)
        for (uint32_t j = 0; j < 7; ++j) {
            const uint32_t a = 8 * i + j, corners[2][3] = {{a, a + 1, a + 8}, {a + 1, a + 9, a + 8}};
            memcpy(triangles[next], corners, sizeof corners);
            next += 2;
        }
}

static inline uint64_t bits(double number) {
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

static inline void print_numbers(const double *numbers, int count) {
    for (int k = 0; k < count; ++k) printf(" %016" PRIx64, bits(numbers[k]));
}

static inline void print_answer(const char *label, const ft_answer *answer) {
    printf("%s %u", label, (unsigned)answer->kind);
    const double times[3] = {answer->toi, answer->free_until, answer->gap};
    print_numbers(times, 3);
    for (int side = 0; side < 2; ++side) {
        const ft_part *part = &answer->parts[side];
        printf(" %u/%u.%u.%u.%u.%u/%u.%u", (unsigned)answer->bodies[side], part->kind, part->index, part->link, part->shape, part->piece_kind,
               answer->features[side].kind, answer->features[side].index);
        print_numbers(answer->points[side], 3);
    }
    print_numbers(answer->normal, 3);
    printf("\n");
}

static inline void print_contact(const char *label, const ft_contact *contact) {
    printf("%s %u.%u", label, contact->kind, contact->stage);
    const double times[3] = {contact->toi, contact->toi_upper, contact->free_until};
    print_numbers(times, 3);
    print_numbers(contact->point, 3);
    print_numbers(contact->parameters, 3);
    print_numbers(contact->normal, 3);
    printf("\n");
}

static inline void print_overlap(const ft_overlap *overlap) {
    printf("overlap %u", (unsigned)overlap->certain);
    print_numbers(overlap->start, 2);
    print_numbers(overlap->end, 2);
    printf("\n");
}

#endif
