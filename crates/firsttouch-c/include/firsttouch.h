// firsttouch finds the first time moving things touch, and proves when they never do. This is its C interface.
//
// Made by cbindgen from crates/firsttouch-c/src; a test compares the two. Do not edit it.
//
// Calls
// - Nearly every function returns an ft_status. On any other status than FT_STATUS_OK, ft_last_error() describes the
//   problem, and nothing was written or changed unless the function says otherwise. No exception and no panic leaves a
//   function.
// - A pointer must not be NULL unless the function says that it may be; a NULL is refused. A list of 0 entries may be
//   NULL.
// - A pointer that is not NULL points to as much memory as the function's description says, aligned for its type.
//   Results are written to memory that overlaps no other memory of the call.
// - Texts are UTF-8 and end with a NUL, unless a size is given. Text results take a buffer and its size in bytes, and
//   write the length without the NUL (the address of the length may be NULL); a size of 0 queries the length. Lists are
//   written the same way. If there is too little room, the status is FT_STATUS_TOO_SMALL.
// - Strides are in bytes. 0 stands for rows without gaps.
// - A result of a function is freed with the _free function of its type. An object that was made from others no longer
//   needs them.
// - Numbers are the user's own units; times run over [0, 1].
//
// Threads
// - A function that takes a handle by `const T *` only reads it: any number of threads may do so at once.
// - A function that takes it by `T *` changes or frees it: no other thread may use the handle meanwhile.
// - Different handles are independent, even where they share geometry (clones, a shape of several bodies).
// - ft_last_error() belongs to the thread that made the call.
// - The library starts threads only where ft_options.threads, or a parameter `threads`, is not 1; the answers are the
//   same bit for bit.
//
// Versions: a program that may meet another library at run time first compares FT_ABI_VERSION with ft_abi_version().


#ifndef FIRSTTOUCH_H
#define FIRSTTOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of the interface that this header describes. A program that was compiled with another one must not call
// the library; it compares this number with `ft_abi_version()`.
#define FT_ABI_VERSION 1

// The outcome of a call. On any other status than `FT_STATUS_OK`, `ft_last_error()` describes the problem, and nothing
// was written or changed unless the function says otherwise.
typedef enum {
    // The call succeeded.
    FT_STATUS_OK = 0,
    // A pointer that must not be NULL is NULL.
    FT_STATUS_NULL_ARGUMENT = 1,
    // A number, a size, a stride, an index or a text is invalid.
    FT_STATUS_INVALID_ARGUMENT = 2,
    // No object has this name or index.
    FT_STATUS_NOT_FOUND = 3,
    // The name is taken.
    FT_STATUS_DUPLICATE_NAME = 4,
    // The library does not support this. It never answers "free" instead.
    FT_STATUS_UNSUPPORTED = 5,
    // A file, or a text in a file's format, was refused.
    FT_STATUS_FILE = 6,
    // The room given for a text or a list is too small. The size needed was written.
    FT_STATUS_TOO_SMALL = 7,
    // A bug in the library. A handle that the call was changing can only be freed.
    FT_STATUS_PANIC = 8,
} ft_status;

// The question: `ft_options.mode`.
typedef enum {
    // The earliest touch of all.
    FT_MODE_FIRST = 0,
    // Any touch: the query ends as soon as one is known. The time before `free_until` is proven free, not the time
    // before `toi`.
    FT_MODE_ANY = 1,
    // The first touch of every pair.
    FT_MODE_ALL = 2,
} ft_mode;

// The treatment of contacts at time 0: `ft_options.start`.
typedef enum {
    // The answer is `FT_ANSWER_KIND_TOUCHING_AT_START`.
    FT_START_REPORT = 0,
    // They are left out while they do not deepen by more than the tolerance. Checkers refuse this.
    FT_START_IGNORE = 1,
} ft_start;

// The four answers: `ft_answer.kind`.
typedef enum {
    // The distance is at least `min_separation` in all of [0, t_max]. This is proven.
    FT_ANSWER_KIND_FREE = 0,
    // At `toi` the gap is at most `min_separation + tolerance`; free on [0, free_until).
    FT_ANSWER_KIND_TOUCH = 1,
    // Within `min_separation + tolerance`, or overlapping, at time 0.
    FT_ANSWER_KIND_TOUCHING_AT_START = 2,
    // The budget ran out, or the query was interrupted; free on [0, free_until).
    FT_ANSWER_KIND_UNDECIDED = 3,
} ft_answer_kind;

// The kind of the touching part: `ft_part.kind` and, within a link, `ft_part.piece_kind`.
typedef enum {
    // The body is one convex solid.
    FT_PART_KIND_SOLID = 0,
    // Triangle `index` of a mesh.
    FT_PART_KIND_TRIANGLE = 1,
    // Piece `index` of a compound.
    FT_PART_KIND_PIECE = 2,
    // Shape number `shape` of link `link` of a robot, and its piece, given by `piece_kind` and `index`.
    FT_PART_KIND_LINK = 3,
    // Loose edge `index` of a deforming mesh.
    FT_PART_KIND_LOOSE_EDGE = 4,
    // Loose point `index` of a deforming mesh.
    FT_PART_KIND_LOOSE_POINT = 5,
    // A kind that this version of the header does not name.
    FT_PART_KIND_OTHER = 6,
} ft_part_kind;

// The kind of the touching feature: `ft_feature.kind`.
typedef enum {
    // A corner.
    FT_FEATURE_KIND_VERTEX = 0,
    // An edge, straight or curved.
    FT_FEATURE_KIND_EDGE = 1,
    // A face, flat or curved.
    FT_FEATURE_KIND_FACE = 2,
} ft_feature_kind;

// The stage of the cascade that decided: `ft_contact.stage`.
typedef enum {
    // Entry and exit times along the coordinate axes.
    FT_STAGE_AXES = 0,
    // Signs of Bernstein coefficients.
    FT_STAGE_BERNSTEIN = 1,
    // Certified roots in floating point.
    FT_STAGE_FLOAT = 2,
    // Exact arithmetic.
    FT_STAGE_EXACT = 3,
    // Conservative advancement, for a separation.
    FT_STAGE_ADVANCEMENT = 4,
} ft_stage;

// The position of two solid ellipsoids relative to each other.
typedef enum {
    // No point in common.
    FT_RELATION_SEPARATE = 0,
    // Points of the surfaces in common, but no inner ones.
    FT_RELATION_TOUCHING = 1,
    // Inner points in common.
    FT_RELATION_OVERLAPPING = 2,
} ft_relation;

// The reason why there is no derivative: `degenerate` of a gradient.
typedef enum {
    // There is one.
    FT_DEGENERATE_NO = 0,
    // The two touch at the start.
    FT_DEGENERATE_AT_START = 1,
    // The two approach too slowly.
    FT_DEGENERATE_GRAZING = 2,
    // Several places touch at once, or the features change near the touch.
    FT_DEGENERATE_SEVERAL_FEATURES = 3,
    // A kind that this version of the header does not name.
    FT_DEGENERATE_OTHER = 4,
} ft_degenerate;

// The kind of motion on a leg of a path: `ft_leg.by`.
typedef enum {
    // It waits.
    FT_LEG_KIND_HOLD = 0,
    // To `pose`, straight, turning at a constant rate, the shorter way.
    FT_LEG_KIND_LINEAR = 1,
    // To `pose`, on one screw at a constant rate.
    FT_LEG_KIND_SCREW = 2,
    // About the axis through `point` along `axis`, by `angle` radians.
    FT_LEG_KIND_TURN = 3,
} ft_leg_kind;

// A robot among obstacles. In its answers body 0 is the robot, body 1 + k obstacle k.
typedef struct ft_checker ft_checker;

// A mesh whose vertices move on straight lines from one frame to the next.
typedef struct ft_deformable ft_deformable;

// A flag that ends queries early. Any thread may raise and lower it while others use it.
typedef struct ft_interrupt ft_interrupt;

// The pose of a body at each time in [0, 1]. It never changes, and objects that are given a motion copy it.
typedef struct ft_motion ft_motion;

// The answer of a scene or a deforming mesh with its pairs and statistics. It never changes.
typedef struct ft_report ft_report;

// A tree of links that move by their joints. Scenes and checkers copy it, sharing its geometry.
typedef struct ft_robot ft_robot;

// Bodies of any kind, and the pairs of them that are not checked.
typedef struct ft_scene ft_scene;

// A moving mesh and one at rest, with their trees of spheres, ready for any number of queries by the method of
// CONTACT. It never changes.
typedef struct ft_screw_pair ft_screw_pair;

// A shape in its own frame. It never changes. Objects that are given a shape share it. So it can be freed at once, and
// several bodies can have it without a copy.
typedef struct ft_shape ft_shape;

// A placement. `quat_wxyz` need not have unit length; a zero quaternion is refused.
typedef struct {
    // The translation.
    double xyz[3];
    // The rotation: w, x, y, z.
    double quat_wxyz[4];
} ft_pose;

// The settings of a query. Start from `ft_options_default()`.
typedef struct {
    // One of `ft_mode`.
    uint32_t mode;
    // One of `ft_start`.
    uint32_t start;
    // At the reported time the gap is at most `min_separation + tolerance`.
    double tolerance;
    // Bodies closer than this count as touching.
    double min_separation;
    // The end of the time to check, in (0, 1].
    double t_max;
    // The number of steps of advancement that one pair may take before the answer is undecided.
    uint64_t max_iterations;
    // The number of threads; 0 is one per core. Answers do not depend on it.
    uint64_t threads;
    // Zero, reserved for future options.
    uint64_t reserved[4];
} ft_options;

// A solid cell of an octree.
typedef struct {
    // Its low corner, in units of the resolution.
    int32_t key[3];
    // Its sides are `2^level` units long.
    uint32_t level;
} ft_octree_cell;

// One leg of a path. Fields that its kind does not mention are ignored.
typedef struct {
    // The time at which it ends, in the unit of the path's duration.
    double until;
    // One of `ft_leg_kind`.
    uint64_t by;
    // The pose at its end.
    ft_pose pose;
    // The direction of the axis, of any length.
    double axis[3];
    // A point of the axis.
    double point[3];
    // The angle in radians.
    double angle;
} ft_leg;

// The part of a body that touches. Fields that its kind does not mention are 0.
typedef struct {
    // One of `ft_part_kind`.
    uint32_t kind;
    // The index of the triangle, piece, loose edge or loose point.
    uint32_t index;
    // The link of the robot.
    uint32_t link;
    // The shape of the link.
    uint32_t shape;
    // One of `ft_part_kind`: solid, triangle or piece.
    uint32_t piece_kind;
} ft_part;

// The feature of a part that touches.
typedef struct {
    // One of `ft_feature_kind`.
    uint32_t kind;
    // Its index.
    uint32_t index;
} ft_feature;

// The answer of a query. Without a touch, all fields that describe one are 0.
typedef struct {
    // One of `ft_answer_kind`.
    uint32_t kind;
    // Zero.
    uint32_t reserved;
    // A time of touch. In the modes first and all it is never after the first contact, and equal to `free_until`.
    double toi;
    // The time before which there is no touch. This is proven for every kind: `t_max` if free, 0 if touching at the
    // start.
    double free_until;
    // An upper bound of the gap at `toi`; 0 if the two overlap.
    double gap;
    // The two bodies that touch, or whose budget ran out. In a scene: their indices. In a checker: 0 is the robot, 1 +
    // k obstacle k.
    uint64_t bodies[2];
    // The part of each that touches.
    ft_part parts[2];
    // The feature of each part.
    ft_feature features[2];
    // The closest point on each side, in world coordinates at `toi`.
    double points[2][3];
    // The unit normal from the first to the second.
    double normal[3];
} ft_answer;

// The work of a query of a scene; all zero for a deforming mesh alone.
typedef struct {
    // All pairs of bodies, and every robot or deforming mesh with itself.
    uint64_t pairs;
    // Pairs that are allowed to touch.
    uint64_t allowed;
    // Pairs whose boxes over time stay apart.
    uint64_t boxes_apart;
    // Pairs that were examined.
    uint64_t advanced;
    // Pairs dropped because they cannot touch before the first touch.
    uint64_t later;
    // Steps of advancement of all pairs together.
    uint64_t iterations;
} ft_stats;

// A time during which two ellipsoids touch or overlap. The start lies between the two numbers of `start`, the end
// between those of `end`.
typedef struct {
    // The interval that contains its start.
    double start[2];
    // The interval that contains its end.
    double end[2];
    // 1 if they certainly overlap, 0 if rounding hides whether they touch.
    uint64_t certain;
} ft_overlap;

// The proof for a path.
typedef struct {
    // The answer of the first segment that is not free, in its own time; free if all are.
    ft_answer answer;
    // That segment, counted from 0; the number of segments if all are free.
    uint64_t segment;
    // The number of segments.
    uint64_t segments;
} ft_path_answer;

// The least distance, bounded from both sides.
typedef struct {
    // The distance is never smaller than this. This is proven.
    double lower;
    // At `t` the two bodies are at most this far apart. This is proven.
    double upper;
    // A time at which the distance is at most `upper`; along a path, in the time of its segment.
    double t;
    // 1 if `upper - lower` is at most the tolerance, 0 if the budget was spent first.
    uint64_t is_tight;
    // The segment of a path, counted from 0.
    uint64_t segment;
    // The two bodies, as in `ft_answer`.
    uint64_t bodies[2];
    // The parts that are closest.
    ft_part parts[2];
    // The features that are closest.
    ft_feature features[2];
    // The closest point on each side, in world coordinates at `t`.
    double points[2][3];
    // The unit normal from the first to the second.
    double normal[3];
} ft_clearance;

// One of all contacts at an instant.
typedef struct {
    // The two bodies, as in `ft_answer`.
    uint64_t bodies[2];
    // The part of each body.
    ft_part parts[2];
    // The feature of each part.
    ft_feature features[2];
    // The point on each side, in world coordinates.
    double points[2][3];
    // The unit normal from the first to the second.
    double normal[3];
    // The distance of the two points along the normal; 0 where the two overlap.
    double gap;
} ft_contact_point;

// The derivatives by the poses of a rigid body at both ends of its motion.
typedef struct {
    // By the position of the body's origin at time 0.
    double from_xyz[3];
    // By a rotation vector at time 0, in radians, about the body's origin and the axes of the world.
    double from_rotation[3];
    // By the position at time 1.
    double to_xyz[3];
    // By a rotation vector at time 1.
    double to_rotation[3];
    // 1 if the body is rigid and moves linearly, on a screw, or not at all; otherwise 0, and all other fields are 0 as
    // well.
    uint64_t is_known;
} ft_pose_gradient;

// The derivatives by the two places of a vertex of a deforming mesh.
typedef struct {
    // The index of the vertex.
    uint64_t vertex;
    // By its place at time 0.
    double from_xyz[3];
    // By its place at time 1.
    double to_xyz[3];
} ft_vertex_gradient;

// The derivatives of a time of contact, or of a least distance, by the motions of two bodies: rigid ones and deforming
// meshes. Those of robots are in `ft_checker_toi_gradient` and `ft_checker_clearance_gradient`.
typedef struct {
    // For each of the two bodies of the answer, if it is rigid.
    ft_pose_gradient bodies[2];
    // For each of the two bodies, if it is a deforming mesh: the vertices of the part that touches. All other vertices
    // have zero derivatives.
    ft_vertex_gradient vertices[2][3];
    // The number of used entries of `vertices`, for each of the two bodies: 0 if it is not a deforming mesh.
    uint64_t vertex_counts[2];
    // One of `ft_degenerate`.
    uint64_t degenerate;
} ft_gradient;

// Four points that move on straight lines. For a vertex and a face: the vertex, then the corners of the triangle. For
// two edges: the ends of the first, then of the second.
typedef struct {
    // The points at time 0.
    double t0[4][3];
    // The points at time 1.
    double t1[4][3];
} ft_four_points;

// The answer about two features.
typedef struct {
    // `FT_ANSWER_KIND_FREE`, `FT_ANSWER_KIND_TOUCH` or (with a separation only) `FT_ANSWER_KIND_UNDECIDED`.
    uint32_t kind;
    // One of `ft_stage`.
    uint32_t stage;
    // Never after the exact first contact; 0 if they touch at time 0.
    double toi;
    // Never before the exact first contact; with a separation equal to `toi`.
    double toi_upper;
    // The time before which they do not touch. This is proven.
    double free_until;
    // The midpoint of the closest points at `toi`.
    double point[3];
    // A vertex and a face: the weights of the corners. Two edges: the position on the first, the position on the
    // second, 0.
    double parameters[3];
    // The unit normal from the first to the second.
    double normal[3];
} ft_contact;

// A solid ellipsoid at its place.
typedef struct {
    // The semi-axes, along x, y and z of its frame.
    double semi_axes[3];
    // The pose.
    ft_pose pose;
} ft_ellipsoid;

// The point in which two ellipsoids touch, or would touch if both were scaled about their centres.
typedef struct {
    // The point.
    double point[3];
    // The unit normal from the first to the second.
    double normal[3];
    // The factor of scaling: below 1 if the two overlap, above 1 if they are separate.
    double ratio;
} ft_ellipsoid_contact;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the version of the library, for example "0.1.0".
const char *ft_version(void);

// Returns the version of the interface that the library has: `FT_ABI_VERSION` of its header.
uint32_t ft_abi_version(void);

// Returns the problem of the last call of this thread that failed, in UTF-8; empty if no call has failed. The text is
// valid until the next call on this thread that fails. Never NULL.
const char *ft_last_error(void);

// Returns the pose without translation and rotation.
ft_pose ft_pose_identity(void);

// Returns the defaults: mode first, tolerance 1e-6, no separation, all of [0, 1], 10,000 iterations, one thread,
// contacts at the start reported.
ft_options ft_options_default(void);

// Creates a solid box with these full side lengths, about its origin.
ft_status ft_shape_box(double x, double y, double z, ft_shape **out);

// Creates a solid ball.
ft_status ft_shape_sphere(double radius, ft_shape **out);

// Creates a solid capsule along z. `length` is that of its axis, without the caps.
ft_status ft_shape_capsule(double radius, double length, ft_shape **out);

// Creates a solid cylinder along z.
ft_status ft_shape_cylinder(double radius, double length, ft_shape **out);

// Creates a solid cone along z. Its base is at `-length / 2`, its tip at `length / 2`.
ft_status ft_shape_cone(double radius, double length, ft_shape **out);

// Creates a half-space: all points `x` with `normal . x <= offset`, for the normal of length 1. `normal` has three
// numbers and any length but 0.
ft_status ft_shape_half_space(const double (*normal)[3], double offset, ft_shape **out);

// Creates a solid ellipsoid with these semi-axes.
ft_status ft_shape_ellipsoid(double a, double b, double c, ft_shape **out);

// Creates the solid convex hull of `count` points of three numbers, `stride` bytes apart (0: 24).
ft_status ft_shape_hull(const double *points, size_t count, size_t stride, ft_shape **out);

// Creates a triangle soup, which is a surface: `vertex_count` points of three numbers, `vertex_stride` bytes apart (0:
// 24), and `triangle_count` triples of indices, `triangle_stride` bytes apart (0: 12).
ft_status ft_shape_mesh(const double *vertices,
                        size_t vertex_count,
                        size_t vertex_stride,
                        const uint32_t *triangles,
                        size_t triangle_count,
                        size_t triangle_stride,
                        ft_shape **out);

// Creates the inside of a closed mesh, which is given as in `ft_shape_mesh`. Refuses a mesh that is not closed.
ft_status ft_shape_solid_mesh(const double *vertices,
                              size_t vertex_count,
                              size_t vertex_stride,
                              const uint32_t *triangles,
                              size_t triangle_count,
                              size_t triangle_stride,
                              ft_shape **out);

// Creates balls of one radius around `count` points of three numbers, `stride` bytes apart (0: 24). The radius may be
// 0.
ft_status ft_shape_point_cloud(const double *points, size_t count, size_t stride, double radius, ft_shape **out);

// Creates a shape from `count` solid cells of an octree, in any order. `resolution` is the unit of their corners.
ft_status ft_shape_octree(double resolution, const ft_octree_cell *cells, size_t count, ft_shape **out);

// Creates a surface over a rectangle about the origin, with sides of `x` and `y`: `rows` rows of `columns` heights,
// from low y to high y, `stride` bytes apart (0: 8 columns).
ft_status ft_shape_height_field(const double *heights,
                                size_t rows,
                                size_t columns,
                                size_t stride,
                                double x,
                                double y,
                                ft_shape **out);

// Creates a triangle soup from an OBJ, STL, PLY, OFF, glTF or COLLADA file. `ft_shape_warnings` reports contents of
// the file that the shape lacks, for example loose edges.
ft_status ft_shape_mesh_file(const char *path, ft_shape **out);

// Writes the number of warnings from reading the shape's file.
ft_status ft_shape_warnings(const ft_shape *shape, size_t *count);

// Writes a warning about an ignored part of the shape's file.
ft_status ft_shape_warning(const ft_shape *shape, size_t index, char *text, size_t capacity, size_t *length);

// Creates one shape from several convex shapes, all in one frame. Refuses meshes and compounds.
ft_status ft_shape_compound(const ft_shape *const *pieces, size_t count, ft_shape **out);

// Frees a shape. NULL is left alone.
void ft_shape_free(ft_shape *shape);

// Creates a motion at rest.
ft_status ft_motion_fixed(const ft_pose *pose, ft_motion **out);

// Creates a motion whose origin moves on a straight line at a constant velocity while the body turns at a constant
// rate about one axis, the shorter way.
ft_status ft_motion_linear(const ft_pose *from, const ft_pose *to, ft_motion **out);

// Creates one screw at a constant rate.
ft_status ft_motion_screw(const ft_pose *from, const ft_pose *to, ft_motion **out);

// Creates the same screw with a timing that makes contacts of meshes algebraic.
ft_status ft_motion_contact_screw(const ft_pose *from, const ft_pose *to, ft_motion **out);

// Creates a rational motion from one pose to another, for ellipsoids.
ft_status ft_motion_rational(const ft_pose *from, const ft_pose *to, ft_motion **out);

// Creates a rational motion from its coefficients, where entry k is that of t^k: `quat_count` quaternions w, x, y, z;
// `xyz_count` vectors; `weight_count` numbers (0: the weight is 1). The rotation is the normalised quaternion, the
// translation `xyz / weight`.
ft_status ft_motion_rational_coefficients(const double *quat_wxyz,
                                          size_t quat_count,
                                          const double *xyz,
                                          size_t xyz_count,
                                          const double *weight,
                                          size_t weight_count,
                                          ft_motion **out);

// Creates a rotation about an axis in space through `point`, by any angle in radians, from the pose `from`.
ft_status ft_motion_turn(const ft_pose *from,
                         const double (*axis)[3],
                         const double (*point)[3],
                         double angle,
                         ft_motion **out);

// Creates a motion of `count` legs, one after the other, from the pose `from`. Their times run up to `duration`; if
// the last one ends earlier, the body waits.
ft_status ft_motion_path(const ft_pose *from, const ft_leg *legs, size_t count, double duration, ft_motion **out);

// Creates a smooth (C2) motion through `count` poses at their times, which must ascend. Only the ratios of the times
// matter.
ft_status ft_motion_spline(const double *times, const ft_pose *poses, size_t count, ft_motion **out);

// Creates the motion of a body that is given in the frame of another: `motion` as seen from `frame`, which itself
// moves.
ft_status ft_motion_within(const ft_motion *motion, const ft_motion *frame, ft_motion **out);

// Frees a motion. NULL is left alone.
void ft_motion_free(ft_motion *motion);

// Creates a robot from a URDF file with its meshes and, unless `srdf_path` is NULL, an SRDF file.
ft_status ft_robot_from_urdf_file(const char *urdf_path, const char *srdf_path, ft_robot **out);

// Creates a robot from the texts of a URDF file and, unless `srdf` is NULL, of an SRDF file. The texts need not end
// with a NUL; their sizes are in bytes. Mesh files are searched from `folder` upwards; NULL stands for the current
// one.
ft_status ft_robot_from_urdf_text(const char *urdf,
                                  size_t urdf_size,
                                  const char *srdf,
                                  size_t srdf_size,
                                  const char *folder,
                                  ft_robot **out);

// Writes the number of values in a configuration, the number of links, and the number of warnings from reading the
// robot. Each may be NULL.
ft_status ft_robot_sizes(const ft_robot *robot, size_t *dof, size_t *links, size_t *warnings);

// Writes the name of the robot.
ft_status ft_robot_name(const ft_robot *robot, char *text, size_t capacity, size_t *length);

// Writes the name of number `index` of a configuration: its joint's, with a suffix for planar and floating joints.
ft_status ft_robot_variable_name(const ft_robot *robot, size_t index, char *text, size_t capacity, size_t *length);

// Writes the range in which number `index` of a configuration should stay. If there is none, `limited` is set to
// false, and both ends to 0.
ft_status ft_robot_variable_limits(const ft_robot *robot, size_t index, bool *limited, double *lower, double *upper);

// Writes the name of a link.
ft_status ft_robot_link_name(const ft_robot *robot, size_t index, char *text, size_t capacity, size_t *length);

// Writes a warning about an ignored part of the robot's files.
ft_status ft_robot_warning(const ft_robot *robot, size_t index, char *text, size_t capacity, size_t *length);

// Leaves two links out of every check against each other. Objects that were made from the robot before do not change.
ft_status ft_robot_allow(ft_robot *robot, const char *link_a, const char *link_b);

// Frees a robot. NULL is left alone.
void ft_robot_free(ft_robot *robot);

// Creates a mesh from its two frames and its features. `t0` and `t1` have `vertex_count` points of three numbers,
// `vertex_stride` bytes apart (0: 24). `triangles` are triples, `edges` pairs of indices (edges that belong to no
// triangle), `points` single ones, all without gaps; any of the three may be empty. The hierarchy is built with
// `threads` threads; 0 is one per core.
ft_status ft_deformable_new(const double *t0,
                            const double *t1,
                            size_t vertex_count,
                            size_t vertex_stride,
                            const uint32_t *triangles,
                            size_t triangle_count,
                            const uint32_t *edges,
                            size_t edge_count,
                            const uint32_t *points,
                            size_t point_count,
                            uint64_t threads,
                            ft_deformable **out);

// Replaces both frames. The number of vertices stays the same. Scenes that have the mesh keep the frames that they
// were given.
ft_status ft_deformable_set_frames(ft_deformable *mesh,
                                   const double *t0,
                                   const double *t1,
                                   size_t vertex_count,
                                   size_t vertex_stride);

// Makes the frame at time 1 the one at time 0, and `t1` the next.
ft_status ft_deformable_step_to(ft_deformable *mesh, const double *t1, size_t vertex_count, size_t vertex_stride);

// Finds the first touch of the mesh with itself. `options` may be NULL: the default. In mode all,
// `ft_deformable_report` has all touches.
ft_status ft_deformable_check(const ft_deformable *mesh, const ft_options *options, ft_answer *answer);

// Checks the mesh with itself and returns the complete result. `options` may be NULL: the default.
ft_status ft_deformable_report(const ft_deformable *mesh, const ft_options *options, ft_report **out);

// Writes how far a simulator may advance: the largest time proven free, multiplied by `factor` (from 0 to 1) if there
// is a touch after it. It is 0 if there is a touch at the start, `t_max` if there is none. `options` may be NULL: the
// default.
ft_status ft_deformable_safe_step(const ft_deformable *mesh, const ft_options *options, double factor, double *step);

// Frees a deforming mesh. NULL is left alone.
void ft_deformable_free(ft_deformable *mesh);

// Writes the overall answer.
ft_status ft_report_answer(const ft_report *report, ft_answer *answer);

// Writes the work of the query.
ft_status ft_report_stats(const ft_report *report, ft_stats *stats);

// Writes the number of pairs that are not free, in mode all: pairs of bodies of a scene, pairs of features of a
// deforming mesh.
ft_status ft_report_pair_count(const ft_report *report, size_t *count);

// Writes the answer of one pair.
ft_status ft_report_pair(const ft_report *report, size_t index, ft_answer *answer);

// Writes all times at which the two ellipsoids of a pair touch or overlap. `FT_STATUS_NOT_FOUND` for pairs for which
// they are not known. They are known only for ellipsoids in rational motions, without a separation to keep.
ft_status ft_report_pair_overlaps(const ft_report *report,
                                  size_t index,
                                  ft_overlap *overlaps,
                                  size_t capacity,
                                  size_t *count);

// Writes the number of pairs of an edge and a triangle of a deforming mesh that cross at time 0. `FT_STATUS_NOT_FOUND`
// if they were not counted: in mode any, if contacts at the start are ignored, and in scenes.
ft_status ft_report_crossings_at_start(const ft_report *report, uint64_t *count);

// Frees a report. NULL is left alone.
void ft_report_free(ft_report *report);

// Creates an empty scene.
ft_status ft_scene_new(ft_scene **out);

// Creates a scene from a scene file, and writes the options that the file sets. `file_options` may be NULL.
ft_status ft_scene_from_file(const char *path, ft_options *file_options, ft_scene **out);

// Creates a copy. Geometry is shared.
ft_status ft_scene_clone(const ft_scene *scene, ft_scene **out);

// Adds a rigid body. `index` may be NULL.
ft_status ft_scene_add(ft_scene *scene,
                       const char *name,
                       const ft_shape *shape,
                       const ft_motion *motion,
                       size_t *index);

// Adds an ellipsoid that changes its shape: the image of an ellipsoid with semi-axes `a`, `b`, `c` under an affine
// motion. Its coefficients are given, where entry k is that of t^k: `linear_count` matrices of 9 numbers, row by row;
// `xyz_count` vectors; `weight_count` numbers. A list without entries stands for the identity, no translation, and the
// weight 1. `index` may be NULL.
ft_status ft_scene_add_affine(ft_scene *scene,
                              const char *name,
                              double a,
                              double b,
                              double c,
                              const double *linear,
                              size_t linear_count,
                              const double *xyz,
                              size_t xyz_count,
                              const double *weight,
                              size_t weight_count,
                              size_t *index);

// Adds a deforming mesh as it is now. It is also checked against itself. `index` may be NULL.
ft_status ft_scene_add_deforming(ft_scene *scene, const char *name, const ft_deformable *mesh, size_t *index);

// Adds a robot on its way from one configuration to another, `dof` numbers each. `base` may be NULL: the identity.
// `index` may be NULL.
ft_status ft_scene_add_robot(ft_scene *scene,
                             const char *name,
                             const ft_robot *robot,
                             const ft_pose *base,
                             const double *from,
                             const double *to,
                             size_t dof,
                             size_t *index);

// Adds a body that a robot of the scene holds: it moves with a link, at `pose` in the link's frame, and is checked
// against everything except that link and the `touch_link_count` links named in `touch_links`. `index` may be NULL.
ft_status ft_scene_attach(ft_scene *scene,
                          const char *name,
                          const ft_shape *shape,
                          const char *robot,
                          const char *link,
                          const ft_pose *pose,
                          const char *const *touch_links,
                          size_t touch_link_count,
                          size_t *index);

// Gives a rigid body another motion.
ft_status ft_scene_set_motion(ft_scene *scene, const char *name, const ft_motion *motion);

// Puts a rigid body at rest in a pose.
ft_status ft_scene_set_pose(ft_scene *scene, const char *name, const ft_pose *pose);

// Gives a rigid body another shape.
ft_status ft_scene_replace_shape(ft_scene *scene, const char *name, const ft_shape *shape);

// Removes a body from the scene. The indices of the bodies after it decrease by one. Refuses a body that is attached
// to a robot, and a robot that holds a body.
ft_status ft_scene_remove(ft_scene *scene, const char *name);

// Leaves a pair of bodies out of every check; for a body and itself, its own parts are not checked against each other.
ft_status ft_scene_allow(ft_scene *scene, const char *a, const char *b);

// Sets the distance below which two bodies, or the parts of one, count as touching, regardless of the options.
ft_status ft_scene_keep_apart(ft_scene *scene, const char *a, const char *b, double min_separation);

// Keeps all other bodies this much farther away from a robot, or from one of its links (`robot/link`), than the
// separation of their pair. The name may be a pattern. Distances do not change.
ft_status ft_scene_pad(ft_scene *scene, const char *name, double padding);

// Lets CONTACT decide a pair: a mesh on a contact screw and a mesh at rest. A check returns FT_STATUS_UNSUPPORTED if
// the two are anything else by then. `leaf_radius` is the radius of the leaf spheres; 0 takes about the size of the
// smaller triangles.
ft_status ft_scene_decide_by_contact(ft_scene *scene, const char *a, const char *b, double leaf_radius);

// Writes the number of bodies.
ft_status ft_scene_body_count(const ft_scene *scene, size_t *count);

// Writes the name of a body.
ft_status ft_scene_body_name(const ft_scene *scene, size_t index, char *text, size_t capacity, size_t *length);

// Writes the index of the body with a name.
ft_status ft_scene_index_of(const ft_scene *scene, const char *name, size_t *index);

// Writes a part of body `body` in words, with the names of links: "hand/tri 12".
ft_status ft_scene_part_text(const ft_scene *scene,
                             size_t body,
                             const ft_part *part,
                             char *text,
                             size_t capacity,
                             size_t *length);

// Checks the scene. `options` may be NULL: the default. In mode all, `ft_scene_report` has the answers of all pairs.
ft_status ft_scene_check(const ft_scene *scene, const ft_options *options, ft_answer *answer);

// Checks the scene and returns the complete result. `options` may be NULL: the default. `interrupt` may be NULL; if
// another thread raises it, the query ends with the proof up to then.
ft_status ft_scene_report(const ft_scene *scene,
                          const ft_options *options,
                          const ft_interrupt *interrupt,
                          ft_report **out);

// Finds the first touch of two shapes in motion, without a scene: `a` is body 0, `b` body 1. `options` may be NULL:
// the default.
ft_status ft_first_touch(const ft_shape *shape_a,
                         const ft_motion *motion_a,
                         const ft_shape *shape_b,
                         const ft_motion *motion_b,
                         const ft_options *options,
                         ft_answer *answer);

// Frees a scene. NULL is left alone.
void ft_scene_free(ft_scene *scene);

// Creates a flag that is not raised.
ft_status ft_interrupt_new(ft_interrupt **out);

// Soon ends the queries that watch the flag. Safe in a signal handler if the flag is not NULL.
ft_status ft_interrupt_raise(const ft_interrupt *interrupt);

// Lowers the flag, for the next query.
ft_status ft_interrupt_lower(const ft_interrupt *interrupt);

// Frees a flag, when no query watches it any more. NULL is left alone.
void ft_interrupt_free(ft_interrupt *interrupt);

// Builds the trees of spheres of two meshes. `leaf_radius` is the radius of the leaf spheres of both; 0 takes about
// the size of the smaller triangles.
ft_status ft_screw_pair_new(const ft_shape *moving, const ft_shape *resting, double leaf_radius, ft_screw_pair **out);

// Finds the first touch while the moving mesh, body 0, goes from one pose to another on a contact screw and the other,
// body 1, is at rest. `options` may be NULL: the default. A contact at time 0 is reported.
ft_status ft_screw_pair_check(const ft_screw_pair *pair,
                              const ft_pose *from,
                              const ft_pose *to,
                              const ft_pose *at_rest,
                              const ft_options *options,
                              ft_answer *answer);

// Finds the first touch of two moving meshes, each given by its first and its last pose: two poses each. The motion of
// the first relative to the second is the contact screw between its first and last pose in the second one's frame; a
// third body would see another motion. The points and the normal of a touch are in that frame. `options` may be NULL:
// the default.
ft_status ft_screw_pair_check_relative(const ft_screw_pair *pair,
                                       const ft_pose (*first)[2],
                                       const ft_pose (*second)[2],
                                       const ft_options *options,
                                       ft_answer *answer);

// Frees a screw pair. NULL is left alone.
void ft_screw_pair_free(ft_screw_pair *pair);

// Creates a checker. `base` may be NULL: the identity. The bodies of `obstacles` are the obstacles, moving or not; it
// may be NULL, and must not contain robots. Obstacles are not checked against each other, so pairs of them that are
// allowed to touch make no difference. A scene that keeps some obstacles apart from each other is refused
// (`FT_STATUS_UNSUPPORTED`), because no query would check that. `ft_checker_from_scene` takes a robot that is in the
// scene, with the scene's settings for it.
ft_status ft_checker_new(const ft_robot *robot, const ft_pose *base, const ft_scene *obstacles, ft_checker **out);

// Creates a checker for the robot of a scene with this name, and the bodies attached to it; all other bodies are
// obstacles. Pairs that the scene allows to touch are left out, and its separations hold. Refuses a scene with another
// robot, and a robot on a path.
ft_status ft_checker_from_scene(const ft_scene *scene, const char *robot, ft_checker **out);

// Creates a copy that shares all parts that neither of the two changes, so it costs very little.
ft_status ft_checker_clone(const ft_checker *checker, ft_checker **out);

// Writes the number of values in a configuration.
ft_status ft_checker_dof(const ft_checker *checker, size_t *dof);

// Adds a rigid obstacle. `index` may be NULL.
ft_status ft_checker_add_obstacle(ft_checker *checker,
                                  const char *name,
                                  const ft_shape *shape,
                                  const ft_motion *motion,
                                  size_t *index);

// Adds a deforming obstacle as it is now. `index` may be NULL.
ft_status ft_checker_add_deforming(ft_checker *checker, const char *name, const ft_deformable *mesh, size_t *index);

// Moves an obstacle that is at rest to another place. Refuses obstacles that move by themselves.
ft_status ft_checker_move_obstacle(ft_checker *checker, const char *name, const ft_pose *pose);

// Removes an obstacle. The indices of the obstacles after it decrease by one.
ft_status ft_checker_remove_obstacle(ft_checker *checker, const char *name);

// Leaves a pair out of every check: two links, or a link (or the robot, by its name) and an obstacle.
ft_status ft_checker_allow(ft_checker *checker, const char *a, const char *b);

// Sets the distance below which two bodies count as touching, regardless of the options: a link (or the robot, by its
// name), and an obstacle, a link or the robot itself. Names may be patterns with `*` and `?`; a link is called
// `robot/link` in them.
ft_status ft_checker_keep_apart(ft_checker *checker, const char *a, const char *b, double min_separation);

// Keeps all obstacles this much farther away from the robot than the separation of their pair. Distances do not
// change.
ft_status ft_checker_set_padding(ft_checker *checker, double padding);

// Does the same for one link, in addition to the padding of the robot.
ft_status ft_checker_set_link_padding(ft_checker *checker, const char *link, double padding);

// Attaches a shape to a link, at `pose` in the link's frame: the robot holds it from now on. It is a link with this
// name, checked against everything except the link that holds it and the `touch_link_count` links named in
// `touch_links`.
ft_status ft_checker_hold(ft_checker *checker,
                          const char *name,
                          const ft_shape *shape,
                          const char *link,
                          const ft_pose *pose,
                          const char *const *touch_links,
                          size_t touch_link_count);

// Removes a body that the robot holds.
ft_status ft_checker_release(ft_checker *checker, const char *name);

// Moves the base of the robot to another place.
ft_status ft_checker_set_base(ft_checker *checker, const ft_pose *base);

// Finds the first touch on the way from one configuration to another, `dof` numbers each, with every joint moving at a
// constant rate. `options` may be NULL: the default.
ft_status ft_checker_check_motion(const ft_checker *checker,
                                  const double *from,
                                  const double *to,
                                  size_t dof,
                                  const ft_options *options,
                                  ft_answer *answer);

// Checks one configuration of `dof` numbers, at time 0 of bodies that move by themselves: free, touching at the start,
// or undecided. `options` may be NULL: the default.
ft_status ft_checker_check_state(const ft_checker *checker,
                                 const double *configuration,
                                 size_t dof,
                                 const ft_options *options,
                                 ft_answer *answer);

// Finds the first touch along a path through `count` waypoints of `dof` numbers, `stride` bytes apart (0: 8 dof).
// `options` may be NULL: the default; its time is that of each segment.
ft_status ft_checker_check_path(const ft_checker *checker,
                                const double *waypoints,
                                size_t count,
                                size_t dof,
                                size_t stride,
                                const ft_options *options,
                                ft_path_answer *answer);

// Checks many edges at once, on `options->threads` threads: `count` rows of `dof` numbers at `from` and at `to`,
// `stride` bytes apart (0: 8 dof); `count` answers are written. `options` may be NULL: the default. If one row is
// refused, nothing is written.
ft_status ft_checker_check_motions(const ft_checker *checker,
                                   const double *from,
                                   const double *to,
                                   size_t count,
                                   size_t dof,
                                   size_t stride,
                                   const ft_options *options,
                                   ft_answer *answers);

// Checks many configurations, one after the other: `count` rows of `dof` numbers, `stride` bytes apart (0: 8 dof);
// `count` answers are written. `options` may be NULL: the default. If one row is refused, nothing is written.
ft_status ft_checker_check_states(const ft_checker *checker,
                                  const double *configurations,
                                  size_t count,
                                  size_t dof,
                                  size_t stride,
                                  const ft_options *options,
                                  ft_answer *answers);

// Writes the number of obstacles.
ft_status ft_checker_obstacle_count(const ft_checker *checker, size_t *count);

// Writes the name of a body of an answer: 0 is the robot, 1 + k obstacle k.
ft_status ft_checker_body_name(const ft_checker *checker, size_t index, char *text, size_t capacity, size_t *length);

// Writes a part of an answer in words, with the names of links: "hand/tri 12".
ft_status ft_checker_part_text(const ft_checker *checker,
                               const ft_part *part,
                               char *text,
                               size_t capacity,
                               size_t *length);

// Frees a checker. NULL is left alone.
void ft_checker_free(ft_checker *checker);

// Finds the least distance of any two bodies over [0, t_max], proven from both sides to the tolerance.
// `FT_STATUS_NOT_FOUND` if there is no pair. Separations have no effect. `options` may be NULL: the default.
ft_status ft_scene_clearance(const ft_scene *scene, const ft_options *options, ft_clearance *clearance);

// Finds the least distance of any two bodies at the time `t`, as exact as rounding allows. `FT_STATUS_NOT_FOUND` if
// there is no pair.
ft_status ft_scene_distance_at(const ft_scene *scene, double t, const ft_options *options, ft_clearance *clearance);

// Finds all contacts at the time `t` within `min_separation + tolerance`; their number is written to `count`. If there
// is too little room for them, the status is `FT_STATUS_TOO_SMALL`, and only the number is written.
ft_status ft_scene_contacts(const ft_scene *scene,
                            double t,
                            const ft_options *options,
                            ft_contact_point *contacts,
                            size_t capacity,
                            size_t *count);

// Finds all times at which two bodies touch, for every kind of pair; their number is written to `count`. All other
// times are proven free.
ft_status ft_scene_overlaps(const ft_scene *scene,
                            const char *a,
                            const char *b,
                            const ft_options *options,
                            ft_overlap *overlaps,
                            size_t capacity,
                            size_t *count);

// Computes the derivatives of the time of the first touch by the motions of its two bodies. `FT_STATUS_NOT_FOUND` if
// there is no touch. `toi` may be NULL.
ft_status ft_scene_toi_gradient(const ft_scene *scene, const ft_options *options, double *toi, ft_gradient *gradient);

// Computes the derivatives of the least distance by the motions of its two bodies. `FT_STATUS_NOT_FOUND` if there is
// no pair. `clearance` may be NULL.
ft_status ft_scene_clearance_gradient(const ft_scene *scene,
                                      const ft_options *options,
                                      ft_clearance *clearance,
                                      ft_gradient *gradient);

// Finds the least distance along a path through `count` waypoints of `dof` numbers, `stride` bytes apart (0: 8 dof),
// proven from both sides to the tolerance. `FT_STATUS_NOT_FOUND` if there is no segment, or no distance to measure.
// `options` may be NULL: the default.
ft_status ft_checker_clearance(const ft_checker *checker,
                               const double *waypoints,
                               size_t count,
                               size_t dof,
                               size_t stride,
                               const ft_options *options,
                               ft_clearance *clearance);

// Finds the least distance in one configuration of `dof` numbers, as exact as rounding allows. `FT_STATUS_NOT_FOUND`
// if there is no distance to measure.
ft_status ft_checker_distance(const ft_checker *checker,
                              const double *configuration,
                              size_t dof,
                              const ft_options *options,
                              ft_clearance *clearance);

// Finds all contacts at the time `t` on the way from one configuration to another; see `ft_scene_contacts`.
ft_status ft_checker_contacts(const ft_checker *checker,
                              const double *from,
                              const double *to,
                              size_t dof,
                              double t,
                              const ft_options *options,
                              ft_contact_point *contacts,
                              size_t capacity,
                              size_t *count);

// Computes the derivatives of the time of the first touch by both configurations: `dof` numbers each are written to
// `by_from` and `by_to`. `FT_STATUS_NOT_FOUND` if there is no touch. `toi` may be NULL. `degenerate` is one of
// `ft_degenerate`.
ft_status ft_checker_toi_gradient(const ft_checker *checker,
                                  const double *from,
                                  const double *to,
                                  size_t dof,
                                  const ft_options *options,
                                  double *by_from,
                                  double *by_to,
                                  double *toi,
                                  uint64_t *degenerate);

// Computes the derivatives of the least distance on the way from one configuration to another by both: `dof` numbers
// each are written to `by_from` and `by_to`. `FT_STATUS_NOT_FOUND` if there is no distance to measure. `clearance` may
// be NULL. `degenerate` is one of `ft_degenerate`.
ft_status ft_checker_clearance_gradient(const ft_checker *checker,
                                        const double *from,
                                        const double *to,
                                        size_t dof,
                                        const ft_options *options,
                                        double *by_from,
                                        double *by_to,
                                        ft_clearance *clearance,
                                        uint64_t *degenerate);

// Finds the first contact of a moving vertex and a moving triangle, decided exactly. `options` may be NULL: the
// default.
ft_status ft_vertex_face(const ft_four_points *points, const ft_options *options, ft_contact *contact);

// Finds the first contact of two moving segments, decided exactly. `options` may be NULL: the default.
ft_status ft_edge_edge(const ft_four_points *points, const ft_options *options, ft_contact *contact);

// Answers `count` queries of `ft_vertex_face`, several at a time with vector instructions; `count` contacts are
// written. `options` may be NULL: the default. If one query is refused, nothing is written.
ft_status ft_vertex_face_batch(const ft_four_points *points,
                               size_t count,
                               const ft_options *options,
                               ft_contact *contacts);

// Answers `count` queries of `ft_edge_edge`, several at a time with vector instructions; `count` contacts are written.
// `options` may be NULL: the default. If one query is refused, nothing is written.
ft_status ft_edge_edge_batch(const ft_four_points *points,
                             size_t count,
                             const ft_options *options,
                             ft_contact *contacts);

// Writes the position of two ellipsoids relative to each other, decided exactly: one of `ft_relation`.
ft_status ft_ellipsoid_relation(const ft_ellipsoid *a, const ft_ellipsoid *b, uint32_t *relation);

// Finds all times up to `t_max` at which two ellipsoids touch or overlap, in order; between them they are proven
// separate. The motions, which must be fixed or rational, give the places of `a` and `b`; their poses are not used.
// `options` may be NULL: the default.
ft_status ft_ellipsoid_overlaps(const ft_ellipsoid *a,
                                const ft_motion *motion_a,
                                const ft_ellipsoid *b,
                                const ft_motion *motion_b,
                                const ft_options *options,
                                ft_overlap *overlaps,
                                size_t capacity,
                                size_t *count);

// Computes the point and the normal of the contact at a time of contact in [0, 1], in plain floating point. The poses
// of `a` and `b` are not used. `FT_STATUS_NOT_FOUND` if the centres coincide.
ft_status ft_ellipsoid_contact_at_time(const ft_ellipsoid *a,
                                       const ft_motion *motion_a,
                                       const ft_ellipsoid *b,
                                       const ft_motion *motion_b,
                                       double t,
                                       ft_ellipsoid_contact *contact);

// Computes an ellipsoid around `count` points of three numbers, `stride` bytes apart (0: 24), as small as can be found
// quickly.
ft_status ft_ellipsoid_enclosing(const double *points, size_t count, size_t stride, ft_ellipsoid *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FIRSTTOUCH_H */
