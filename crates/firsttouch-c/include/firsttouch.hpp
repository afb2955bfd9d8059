// firsttouch for C++17: RAII handles, views of the caller's memory, exceptions. Header-only, over firsttouch.h.
//
//     #include <firsttouch.hpp>
//     namespace ft = firsttouch;
//
//     ft::scene scene;
//     scene.add("ball", ft::shape::sphere(1.0), ft::motion::linear({0, 0, 10}, {0, 0, 0}));
//     scene.add("slab", ft::shape::box(8, 8, 2), ft::motion::fixed({}));
//     ft::answer answer = scene.check();                     // answer.touches(), answer.toi <= 0.8
//
// Errors are exceptions (ft::error). Most of them come from constructors, which cannot fail in another way, and code
// that forgets to check a result must not take a refused query for a free one. The result of a query, including
// "undecided", is an answer and never an exception.
//
// Threads: const member functions may run at once on one object; the others need the object for themselves. Moved-from
// objects can only be assigned to or destroyed.
//
// Eigen: if <Eigen/Geometry> is included before this header, poses are made from Eigen's transforms, configurations
// from its vectors, and lists of points or configurations from its matrices, without a copy. The entries of a list are
// the columns of a column-major matrix (Eigen's default, 3 x N), and the rows of a row-major one (N x 3).

#ifndef FIRSTTOUCH_HPP
#define FIRSTTOUCH_HPP

#include "firsttouch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace firsttouch {

// An input that the library refuses; what() says what and where.
class error : public std::runtime_error {
  public:
    error(ft_status status, const std::string &what) : std::runtime_error(what), status_(status) {}

    ft_status status() const noexcept { return status_; }

  private:
    ft_status status_;
};

namespace detail {

inline void check(ft_status status) {
    if (status != FT_STATUS_OK) throw error(status, ft_last_error());
}

// Refuses a library with another interface than the header's. Checked once, when the first handle is made.
inline void check_version() {
    static const bool same = [] {
        if (ft_abi_version() == FT_ABI_VERSION) return true;
        throw error(FT_STATUS_UNSUPPORTED, std::string("firsttouch.h describes interface ") + std::to_string(FT_ABI_VERSION) +
                                               ", but the library has " + std::to_string(ft_abi_version()));
    }();
    (void)same;
}

// A handle that is freed with its owner.
template <class T, void (*Free)(T *)> class handle {
  public:
    T *get() const noexcept { return owner_.get(); }

  protected:
    // Takes the handle that `make` writes.
    template <class Make> explicit handle(Make make) {
        check_version();
        T *made = nullptr;
        check(make(&made));
        owner_.reset(made);
    }

  private:
    struct deleter {
        void operator()(T *handle) const noexcept { Free(handle); }
    };
    std::unique_ptr<T, deleter> owner_;
};

// Returns the text that `write(buffer, capacity, &length)` writes.
template <class Write> std::string text(Write write) {
    std::string room(63, '\0');
    std::size_t length = 0;
    ft_status status = write(room.data(), room.size() + 1, &length);
    if (status == FT_STATUS_TOO_SMALL) {
        room.resize(length);
        status = write(room.data(), room.size() + 1, &length);
    }
    check(status);
    room.resize(length);
    return room;
}

} // namespace detail

// A view of numbers that others own, like std::span of C++20.
template <class T> class view {
  public:
    constexpr view() noexcept = default;
    constexpr view(const T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr view(const T (&array)[N]) noexcept : data_(array), size_(N) {}
    // For arguments only: the list lives as long as the call.
    constexpr view(std::initializer_list<T> list) noexcept : data_(list.begin()), size_(list.size()) {}
    // Anything with data() and size(): vectors, arrays, Eigen's vectors.
    template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<const C &>().data()), const T *>>>
    constexpr view(const C &container) noexcept : data_(container.data()), size_(static_cast<std::size_t>(container.size())) {}

    constexpr const T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }

  private:
    const T *data_ = nullptr;
    std::size_t size_ = 0;
};

// Rows of numbers that others own: `count` rows of `width` numbers, `stride` bytes from one to the next.
template <class T> class rows {
  public:
    rows() noexcept = default;
    // 0 stands for rows without gaps.
    rows(const T *data, std::size_t count, std::size_t width, std::size_t stride = 0) noexcept
        : data_(data), count_(count), width_(width), stride_(stride) {}
    template <std::size_t N>
    rows(const std::vector<std::array<T, N>> &list) noexcept
        : data_(list.empty() ? nullptr : list.front().data()), count_(list.size()), width_(N) {}
    template <std::size_t N, std::size_t M>
    rows(const std::array<std::array<T, N>, M> &list) noexcept : data_(list.front().data()), count_(M), width_(N) {}
    template <std::size_t N, std::size_t M> rows(const T (&list)[M][N]) noexcept : data_(list[0]), count_(M), width_(N) {}
#ifdef EIGEN_WORLD_VERSION
    // Column-major matrices have a point per column, row-major ones a point per row.
    template <int R, int C, int O, int MR, int MC>
    rows(const Eigen::Matrix<T, R, C, O, MR, MC> &matrix) noexcept
        : data_(matrix.data()), count_(static_cast<std::size_t>(matrix.outerSize())),
          width_(static_cast<std::size_t>(matrix.innerSize())) {}
#endif

    const T *data() const noexcept { return data_; }
    std::size_t count() const noexcept { return count_; }
    std::size_t width() const noexcept { return width_; }
    std::size_t stride() const noexcept { return stride_; }

    // Returns the rows, which must have this width.
    const rows &of_width(std::size_t width, const char *what) const {
        if (count_ > 0 && width_ != width)
            throw error(FT_STATUS_INVALID_ARGUMENT, std::string(what) + ": rows of " + std::to_string(width) +
                                                        " numbers are needed, but have " + std::to_string(width_));
        return *this;
    }

  private:
    const T *data_ = nullptr;
    std::size_t count_ = 0, width_ = 0, stride_ = 0;
};

// A placement. The quaternion's order is in its name.
struct pose : ft_pose {
    pose() noexcept : ft_pose(ft_pose_identity()) {}
    pose(const ft_pose &plain) noexcept : ft_pose(plain) {}
    pose(double x, double y, double z) noexcept : pose() {
        xyz[0] = x, xyz[1] = y, xyz[2] = z;
    }
    pose(const std::array<double, 3> &at, const std::array<double, 4> &wxyz) noexcept : pose(at[0], at[1], at[2]) {
        for (int k = 0; k < 4; ++k) quat_wxyz[k] = wxyz[static_cast<std::size_t>(k)];
    }
#ifdef EIGEN_WORLD_VERSION
    // The linear part must be a rotation.
    template <int Mode, int Options>
    pose(const Eigen::Transform<double, 3, Mode, Options> &transform)
        : pose(transform.translation().x(), transform.translation().y(), transform.translation().z()) {
        const Eigen::Quaterniond q(Eigen::Matrix3d(transform.linear()));
        quat_wxyz[0] = q.w(), quat_wxyz[1] = q.x(), quat_wxyz[2] = q.y(), quat_wxyz[3] = q.z();
    }
#endif
};

enum class mode : std::uint32_t { first = FT_MODE_FIRST, any = FT_MODE_ANY, all = FT_MODE_ALL };

enum class start : std::uint32_t { report = FT_START_REPORT, ignore = FT_START_IGNORE };

// The settings of a query: options().with(mode::any).with_tolerance(1e-4), or its fields.
struct options : ft_options {
    options() noexcept : ft_options(ft_options_default()) {}
    options(const ft_options &plain) noexcept : ft_options(plain) {}
    options(firsttouch::mode question) noexcept : options() { mode = static_cast<std::uint32_t>(question); }

    options with(firsttouch::mode question) const noexcept {
        options changed = *this;
        changed.mode = static_cast<std::uint32_t>(question);
        return changed;
    }
    options with(firsttouch::start at_start) const noexcept {
        options changed = *this;
        changed.start = static_cast<std::uint32_t>(at_start);
        return changed;
    }
    options with_tolerance(double length) const noexcept {
        options changed = *this;
        changed.tolerance = length;
        return changed;
    }
    options with_min_separation(double length) const noexcept {
        options changed = *this;
        changed.min_separation = length;
        return changed;
    }
    options with_t_max(double time) const noexcept {
        options changed = *this;
        changed.t_max = time;
        return changed;
    }
    options with_threads(std::uint64_t count) const noexcept {
        options changed = *this;
        changed.threads = count;
        return changed;
    }
};

// The answer of a query: the fields of ft_answer, and words for its kinds. It has no truth value: "is it free?" and
// "does it touch?" are two questions, and undecided is neither.
struct answer : ft_answer {
    answer() noexcept : ft_answer{} {}
    answer(const ft_answer &plain) noexcept : ft_answer(plain) {}

    bool is_free() const noexcept { return kind == FT_ANSWER_KIND_FREE; }
    bool touches() const noexcept { return kind == FT_ANSWER_KIND_TOUCH || touches_at_start(); }
    bool touches_at_start() const noexcept { return kind == FT_ANSWER_KIND_TOUCHING_AT_START; }
    bool is_undecided() const noexcept { return kind == FT_ANSWER_KIND_UNDECIDED; }
    std::optional<double> time_of_touch() const noexcept { return touches() ? std::optional<double>(toi) : std::nullopt; }
};

// A shape in its own frame. Copies share it.
class shape {
  public:
    static shape box(double x, double y, double z) {
        return shape([&](ft_shape **out) { return ft_shape_box(x, y, z, out); });
    }
    static shape sphere(double radius) {
        return shape([&](ft_shape **out) { return ft_shape_sphere(radius, out); });
    }
    static shape capsule(double radius, double length) {
        return shape([&](ft_shape **out) { return ft_shape_capsule(radius, length, out); });
    }
    static shape cylinder(double radius, double length) {
        return shape([&](ft_shape **out) { return ft_shape_cylinder(radius, length, out); });
    }
    static shape cone(double radius, double length) {
        return shape([&](ft_shape **out) { return ft_shape_cone(radius, length, out); });
    }
    // All points on the side of the plane to which the normal does not point.
    static shape half_space(const std::array<double, 3> &normal, double offset = 0.0) {
        const double plain[3] = {normal[0], normal[1], normal[2]};
        return shape([&](ft_shape **out) { return ft_shape_half_space(&plain, offset, out); });
    }
    static shape ellipsoid(double a, double b, double c) {
        return shape([&](ft_shape **out) { return ft_shape_ellipsoid(a, b, c, out); });
    }
    static shape hull(const rows<double> &points) {
        points.of_width(3, "points");
        return shape([&](ft_shape **out) { return ft_shape_hull(points.data(), points.count(), points.stride(), out); });
    }
    static shape mesh(const rows<double> &vertices, const rows<std::uint32_t> &triangles) {
        vertices.of_width(3, "vertices"), triangles.of_width(3, "triangles");
        return shape([&](ft_shape **out) {
            return ft_shape_mesh(vertices.data(), vertices.count(), vertices.stride(), triangles.data(), triangles.count(),
                                 triangles.stride(), out);
        });
    }
    // The inside of a closed mesh.
    static shape solid_mesh(const rows<double> &vertices, const rows<std::uint32_t> &triangles) {
        vertices.of_width(3, "vertices"), triangles.of_width(3, "triangles");
        return shape([&](ft_shape **out) {
            return ft_shape_solid_mesh(vertices.data(), vertices.count(), vertices.stride(), triangles.data(), triangles.count(),
                                       triangles.stride(), out);
        });
    }
    // Balls of one radius around points.
    static shape point_cloud(const rows<double> &points, double radius) {
        points.of_width(3, "points");
        return shape(
            [&](ft_shape **out) { return ft_shape_point_cloud(points.data(), points.count(), points.stride(), radius, out); });
    }
    static shape octree(double resolution, view<ft_octree_cell> cells) {
        return shape([&](ft_shape **out) { return ft_shape_octree(resolution, cells.data(), cells.size(), out); });
    }
    // Rows of heights, from low y to high y, over a rectangle about the origin.
    static shape height_field(const rows<double> &heights, double x, double y) {
        return shape([&](ft_shape **out) {
            return ft_shape_height_field(heights.data(), heights.count(), heights.width(), heights.stride(), x, y, out);
        });
    }
    static shape mesh_file(const std::string &path) {
        return shape([&](ft_shape **out) { return ft_shape_mesh_file(path.c_str(), out); });
    }
    static shape compound(const std::vector<shape> &pieces) {
        std::vector<const ft_shape *> handles;
        for (const shape &piece : pieces) handles.push_back(piece.get());
        return shape([&](ft_shape **out) { return ft_shape_compound(handles.data(), handles.size(), out); });
    }

    // Parts of its file that were ignored.
    std::vector<std::string> warnings() const {
        std::size_t count = 0;
        detail::check(ft_shape_warnings(get(), &count));
        std::vector<std::string> all;
        for (std::size_t k = 0; k < count; ++k)
            all.push_back(detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_shape_warning(get(), k, t, c, l); }));
        return all;
    }

    const ft_shape *get() const noexcept { return owner_.get(); }

  private:
    template <class Make> explicit shape(Make make) {
        detail::check_version();
        ft_shape *made = nullptr;
        detail::check(make(&made));
        owner_.reset(made, ft_shape_free);
    }
    std::shared_ptr<const ft_shape> owner_;
};

// The pose of a body at each time in [0, 1].
class motion : public detail::handle<ft_motion, ft_motion_free> {
  public:
    static motion fixed(const pose &at) {
        return motion([&](ft_motion **out) { return ft_motion_fixed(&at, out); });
    }
    static motion linear(const pose &from, const pose &to) {
        return motion([&](ft_motion **out) { return ft_motion_linear(&from, &to, out); });
    }
    static motion screw(const pose &from, const pose &to) {
        return motion([&](ft_motion **out) { return ft_motion_screw(&from, &to, out); });
    }
    static motion contact_screw(const pose &from, const pose &to) {
        return motion([&](ft_motion **out) { return ft_motion_contact_screw(&from, &to, out); });
    }
    static motion rational(const pose &from, const pose &to) {
        return motion([&](ft_motion **out) { return ft_motion_rational(&from, &to, out); });
    }
    // Given by coefficients: entry k is that of t^k.
    static motion rational(const rows<double> &quat_wxyz, const rows<double> &xyz, view<double> weight = {}) {
        quat_wxyz.of_width(4, "quat_wxyz"), xyz.of_width(3, "xyz");
        return motion([&](ft_motion **out) {
            return ft_motion_rational_coefficients(quat_wxyz.data(), quat_wxyz.count(), xyz.data(), xyz.count(), weight.data(),
                                                   weight.size(), out);
        });
    }

    // A rotation about an axis in space through `point`, by any angle in radians.
    static motion turn(const pose &from, const std::array<double, 3> &axis, const std::array<double, 3> &point, double angle) {
        return motion([&](ft_motion **out) { return ft_motion_turn(&from, to_c(axis), to_c(point), angle, out); });
    }
    // Legs one after the other; their times run up to `duration`.
    static motion path(const pose &from, view<ft_leg> legs, double duration) {
        return motion([&](ft_motion **out) { return ft_motion_path(&from, legs.data(), legs.size(), duration, out); });
    }
    // A smooth motion through poses at their times.
    static motion spline(view<double> times, view<ft_pose> poses) {
        if (times.size() != poses.size())
            throw error(FT_STATUS_INVALID_ARGUMENT, "there must be as many times as poses");
        return motion([&](ft_motion **out) { return ft_motion_spline(times.data(), poses.data(), times.size(), out); });
    }
    // This motion as seen from a frame that itself moves.
    motion within(const motion &frame) const {
        return motion([&](ft_motion **out) { return ft_motion_within(get(), frame.get(), out); });
    }

  private:
    using handle::handle;
    static const double (*to_c(const std::array<double, 3> &v))[3] { return reinterpret_cast<const double(*)[3]>(v.data()); }
};

// A tree of links that move by their joints.
class robot : public detail::handle<ft_robot, ft_robot_free> {
  public:
    struct limits {
        double lower, upper;
    };

    static robot from_urdf_file(const std::string &urdf, const std::optional<std::string> &srdf = std::nullopt) {
        return robot([&](ft_robot **out) { return ft_robot_from_urdf_file(urdf.c_str(), srdf ? srdf->c_str() : nullptr, out); });
    }
    // Mesh files are searched from the folder upwards.
    static robot from_urdf_text(std::string_view urdf, std::optional<std::string_view> srdf = std::nullopt,
                                const std::string &folder = ".") {
        return robot([&](ft_robot **out) {
            return ft_robot_from_urdf_text(urdf.data(), urdf.size(), srdf ? srdf->data() : nullptr, srdf ? srdf->size() : 0,
                                           folder.c_str(), out);
        });
    }

    std::string name() const {
        return detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_robot_name(get(), t, c, l); });
    }
    std::size_t dof() const {
        std::size_t count = 0;
        detail::check(ft_robot_sizes(get(), &count, nullptr, nullptr));
        return count;
    }
    std::vector<std::string> variable_names() const {
        std::vector<std::string> names;
        for (std::size_t k = 0, n = dof(); k < n; ++k)
            names.push_back(
                detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_robot_variable_name(get(), k, t, c, l); }));
        return names;
    }
    std::optional<limits> variable_limits(std::size_t index) const {
        bool limited = false;
        limits range{};
        detail::check(ft_robot_variable_limits(get(), index, &limited, &range.lower, &range.upper));
        return limited ? std::optional<limits>(range) : std::nullopt;
    }
    std::vector<std::string> link_names() const {
        std::size_t count = 0;
        detail::check(ft_robot_sizes(get(), nullptr, &count, nullptr));
        std::vector<std::string> names;
        for (std::size_t k = 0; k < count; ++k)
            names.push_back(
                detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_robot_link_name(get(), k, t, c, l); }));
        return names;
    }
    // Parts of its files that were ignored.
    std::vector<std::string> warnings() const {
        std::size_t count = 0;
        detail::check(ft_robot_sizes(get(), nullptr, nullptr, &count));
        std::vector<std::string> all;
        for (std::size_t k = 0; k < count; ++k)
            all.push_back(detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_robot_warning(get(), k, t, c, l); }));
        return all;
    }
    robot &allow(const std::string &link_a, const std::string &link_b) {
        detail::check(ft_robot_allow(get(), link_a.c_str(), link_b.c_str()));
        return *this;
    }

  private:
    using handle::handle;
};

// The complete result of a query.
class report : public detail::handle<ft_report, ft_report_free> {
  public:
    template <class Make> explicit report(Make make) : handle(make) {}

    firsttouch::answer answer() const {
        ft_answer found;
        detail::check(ft_report_answer(get(), &found));
        return found;
    }
    ft_stats stats() const {
        ft_stats found;
        detail::check(ft_report_stats(get(), &found));
        return found;
    }
    // In mode all: every pair that is not free.
    std::vector<firsttouch::answer> pairs() const {
        std::size_t count = 0;
        detail::check(ft_report_pair_count(get(), &count));
        std::vector<firsttouch::answer> all(count);
        for (std::size_t k = 0; k < count; ++k) detail::check(ft_report_pair(get(), k, &all[k]));
        return all;
    }
    // All times of overlap of a pair of ellipsoids; empty if they are not known.
    std::optional<std::vector<ft_overlap>> overlaps(std::size_t pair) const {
        std::size_t count = 0;
        const ft_status status = ft_report_pair_overlaps(get(), pair, nullptr, 0, &count);
        if (status == FT_STATUS_NOT_FOUND) return std::nullopt;
        if (status != FT_STATUS_TOO_SMALL) detail::check(status);
        std::vector<ft_overlap> all(count);
        detail::check(ft_report_pair_overlaps(get(), pair, all.data(), count, &count));
        return all;
    }
    std::optional<std::uint64_t> crossings_at_start() const {
        std::uint64_t count = 0;
        const ft_status status = ft_report_crossings_at_start(get(), &count);
        if (status == FT_STATUS_NOT_FOUND) return std::nullopt;
        detail::check(status);
        return count;
    }
};

// A mesh whose vertices move on straight lines from one frame to the next.
class deformable : public detail::handle<ft_deformable, ft_deformable_free> {
  public:
    deformable(const rows<double> &t0, const rows<double> &t1, const rows<std::uint32_t> &triangles,
               const rows<std::uint32_t> &edges = {}, view<std::uint32_t> points = {}, std::uint64_t threads = 1)
        : handle([&](ft_deformable **out) {
              const std::size_t count = same(t0, t1);
              triangles.of_width(3, "triangles"), edges.of_width(2, "edges");
              return ft_deformable_new(t0.data(), t1.data(), count, t0.stride(), triangles.data(), triangles.count(), edges.data(),
                                       edges.count(), points.data(), points.size(), threads, out);
          }) {}

    void set_frames(const rows<double> &t0, const rows<double> &t1) {
        const std::size_t count = same(t0, t1);
        detail::check(ft_deformable_set_frames(get(), t0.data(), t1.data(), count, t0.stride()));
    }
    void step_to(const rows<double> &t1) {
        t1.of_width(3, "t1");
        detail::check(ft_deformable_step_to(get(), t1.data(), t1.count(), t1.stride()));
    }
    firsttouch::answer check(const options &how = {}) const {
        ft_answer found;
        detail::check(ft_deformable_check(get(), &how, &found));
        return found;
    }
    firsttouch::report report(const options &how = {}) const {
        return firsttouch::report([&](ft_report **out) { return ft_deformable_report(get(), &how, out); });
    }
    // Returns how far a simulator may advance, multiplied by the factor if there is a touch after it.
    double safe_step(double factor, const options &how = {}) const {
        double step = 0;
        detail::check(ft_deformable_safe_step(get(), &how, factor, &step));
        return step;
    }

  private:
    static std::size_t same(const rows<double> &t0, const rows<double> &t1) {
        t0.of_width(3, "t0"), t1.of_width(3, "t1");
        if (t0.count() != t1.count() || t0.stride() != t1.stride())
            throw error(FT_STATUS_INVALID_ARGUMENT, "the two frames must have the same number of vertices and the same stride");
        return t0.count();
    }
};

// A flag that ends queries early. Any thread may raise and lower it.
class interrupt : public detail::handle<ft_interrupt, ft_interrupt_free> {
  public:
    interrupt() : handle(ft_interrupt_new) {}
    void raise() const noexcept { ft_interrupt_raise(get()); }
    void lower() const noexcept { ft_interrupt_lower(get()); }
};

namespace detail {

// Returns a list whose length is known only after the call, which is repeated if there was too little room.
template <class T, class Write> std::vector<T> listed(Write write) {
    std::vector<T> all(8);
    std::size_t count = 0;
    ft_status status = write(all.data(), all.size(), &count);
    if (status == FT_STATUS_TOO_SMALL) {
        all.resize(count);
        status = write(all.data(), all.size(), &count);
    }
    check(status);
    all.resize(count);
    return all;
}

// Returns the value, or std::nullopt if there is none.
template <class T> std::optional<T> found(ft_status status, const T &value) {
    if (status == FT_STATUS_NOT_FOUND) return std::nullopt;
    check(status);
    return value;
}

} // namespace detail

// Bodies of any kind, and the first touch among them.
class scene : public detail::handle<ft_scene, ft_scene_free> {
  public:
    scene() : handle(ft_scene_new) {}
    scene(const scene &other) : handle([&](ft_scene **out) { return ft_scene_clone(other.get(), out); }) {}
    scene(scene &&) noexcept = default;
    scene &operator=(const scene &other) { return *this = scene(other); }
    scene &operator=(scene &&) noexcept = default;

    // Returns the scene of a scene file, and the options that it sets.
    static std::pair<scene, options> from_file(const std::string &path) {
        options how;
        scene made([&](ft_scene **out) { return ft_scene_from_file(path.c_str(), &how, out); });
        return {std::move(made), how};
    }

    std::size_t add(const std::string &name, const shape &body, const motion &path) {
        std::size_t index = 0;
        detail::check(ft_scene_add(get(), name.c_str(), body.get(), path.get(), &index));
        return index;
    }
    std::size_t add(const std::string &name, const shape &body, const pose &at = {}) { return add(name, body, motion::fixed(at)); }
    std::size_t add_affine(const std::string &name, const std::array<double, 3> &semi_axes, const rows<double> &linear,
                           const rows<double> &xyz = {}, view<double> weight = {}) {
        linear.of_width(9, "linear"), xyz.of_width(3, "xyz");
        std::size_t index = 0;
        detail::check(ft_scene_add_affine(get(), name.c_str(), semi_axes[0], semi_axes[1], semi_axes[2], linear.data(),
                                          linear.count(), xyz.data(), xyz.count(), weight.data(), weight.size(), &index));
        return index;
    }
    std::size_t add_deforming(const std::string &name, const deformable &mesh) {
        std::size_t index = 0;
        detail::check(ft_scene_add_deforming(get(), name.c_str(), mesh.get(), &index));
        return index;
    }
    std::size_t add_robot(const std::string &name, const robot &body, view<double> from, view<double> to, const pose &base = {}) {
        if (from.size() != to.size())
            throw error(FT_STATUS_INVALID_ARGUMENT, "the two configurations must have the same number of values");
        std::size_t index = 0;
        detail::check(
            ft_scene_add_robot(get(), name.c_str(), body.get(), &base, from.data(), to.data(), from.size(), &index));
        return index;
    }
    std::size_t attach(const std::string &name, const shape &body, const std::string &to_robot, const std::string &link, const pose &at,
                       const std::vector<std::string> &touch_links = {}) {
        std::vector<const char *> names;
        for (const std::string &touch_link : touch_links) names.push_back(touch_link.c_str());
        std::size_t index = 0;
        detail::check(ft_scene_attach(get(), name.c_str(), body.get(), to_robot.c_str(), link.c_str(), &at, names.data(), names.size(),
                                      &index));
        return index;
    }

    void set_motion(const std::string &name, const motion &path) { detail::check(ft_scene_set_motion(get(), name.c_str(), path.get())); }
    void set_pose(const std::string &name, const pose &at) { detail::check(ft_scene_set_pose(get(), name.c_str(), &at)); }
    void replace_shape(const std::string &name, const shape &body) {
        detail::check(ft_scene_replace_shape(get(), name.c_str(), body.get()));
    }
    void remove(const std::string &name) { detail::check(ft_scene_remove(get(), name.c_str())); }
    void allow(const std::string &a, const std::string &b) { detail::check(ft_scene_allow(get(), a.c_str(), b.c_str())); }
    void keep_apart(const std::string &a, const std::string &b, double min_separation) {
        detail::check(ft_scene_keep_apart(get(), a.c_str(), b.c_str(), min_separation));
    }
    void pad(const std::string &name, double padding) { detail::check(ft_scene_pad(get(), name.c_str(), padding)); }
    // A mesh on a contact screw and a mesh at rest, by CONTACT.
    void decide_by_contact(const std::string &a, const std::string &b, double leaf_radius = 0) {
        detail::check(ft_scene_decide_by_contact(get(), a.c_str(), b.c_str(), leaf_radius));
    }

    std::size_t size() const {
        std::size_t count = 0;
        detail::check(ft_scene_body_count(get(), &count));
        return count;
    }
    std::string name(std::size_t body) const {
        return detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_scene_body_name(get(), body, t, c, l); });
    }
    std::optional<std::size_t> index_of(const std::string &name) const {
        std::size_t index = 0;
        const ft_status status = ft_scene_index_of(get(), name.c_str(), &index);
        if (status == FT_STATUS_NOT_FOUND) return std::nullopt;
        detail::check(status);
        return index;
    }
    // Returns the part of one side (0 or 1) of a touch in words: "hand/tri 12".
    std::string part(const firsttouch::answer &of, int side) const {
        return detail::text([&](char *t, std::size_t c, std::size_t *l) {
            return ft_scene_part_text(get(), static_cast<std::size_t>(of.bodies[side]), &of.parts[side], t, c, l);
        });
    }

    firsttouch::answer check(const options &how = {}) const {
        ft_answer found;
        detail::check(ft_scene_check(get(), &how, &found));
        return found;
    }
    firsttouch::report report(const options &how = {}, const interrupt *watched = nullptr) const {
        return firsttouch::report(
            [&](ft_report **out) { return ft_scene_report(get(), &how, watched ? watched->get() : nullptr, out); });
    }

    // Returns the least distance over time, proven from both sides, or std::nullopt if there is no pair.
    std::optional<ft_clearance> clearance(const options &how = {}) const {
        ft_clearance least{};
        return detail::found(ft_scene_clearance(get(), &how, &least), least);
    }
    std::optional<ft_clearance> distance_at(double t, const options &how = {}) const {
        ft_clearance least{};
        return detail::found(ft_scene_distance_at(get(), t, &how, &least), least);
    }
    // Returns all contacts at an instant.
    std::vector<ft_contact_point> contacts(double t, const options &how = {}) const {
        return detail::listed<ft_contact_point>([&](ft_contact_point *all, std::size_t capacity, std::size_t *count) {
            return ft_scene_contacts(get(), t, &how, all, capacity, count);
        });
    }
    // Returns all times at which two bodies touch.
    std::vector<ft_overlap> overlaps(const std::string &a, const std::string &b, const options &how = {}) const {
        return detail::listed<ft_overlap>([&](ft_overlap *all, std::size_t capacity, std::size_t *count) {
            return ft_scene_overlaps(get(), a.c_str(), b.c_str(), &how, all, capacity, count);
        });
    }
    // Returns the derivatives of the time of the first touch, or of the least distance, by the motions of the two
    // bodies.
    std::optional<ft_gradient> toi_gradient(const options &how = {}) const {
        ft_gradient gradient{};
        return detail::found(ft_scene_toi_gradient(get(), &how, nullptr, &gradient), gradient);
    }
    std::optional<ft_gradient> clearance_gradient(const options &how = {}) const {
        ft_gradient gradient{};
        return detail::found(ft_scene_clearance_gradient(get(), &how, nullptr, &gradient), gradient);
    }

  private:
    using handle::handle;
};

// Returns the first touch of two shapes in motion, without a scene.
inline answer first_touch(const shape &a, const motion &path_a, const shape &b, const motion &path_b, const options &how = {}) {
    ft_answer found;
    detail::check(ft_first_touch(a.get(), path_a.get(), b.get(), path_b.get(), &how, &found));
    return found;
}

// A moving mesh and one at rest, with their trees of spheres, by the method of CONTACT.
class screw_pair : public detail::handle<ft_screw_pair, ft_screw_pair_free> {
  public:
    screw_pair(const shape &moving, const shape &resting, double leaf_radius = 0)
        : handle([&](ft_screw_pair **out) { return ft_screw_pair_new(moving.get(), resting.get(), leaf_radius, out); }) {}

    // The moving mesh goes from one pose to another on a contact screw.
    answer check(const pose &from, const pose &to, const pose &at_rest = {}, const options &how = {}) const {
        ft_answer found;
        detail::check(ft_screw_pair_check(get(), &from, &to, &at_rest, &how, &found));
        return found;
    }
};

// The proof for a path: the answer of its first segment that is not free, in its own time.
struct path_answer {
    firsttouch::answer answer;
    std::size_t segment, segments;
};

// The derivatives of a time of contact, or of a least distance, by both configurations of a step.
struct step_gradient {
    double value; // the time of contact, or the upper bound of the least distance
    std::vector<double> by_from, by_to;
    ft_degenerate degenerate;
};

// A robot among obstacles, ready for many queries. Const member functions may run on many threads at once.
class checker : public detail::handle<ft_checker, ft_checker_free> {
  public:
    explicit checker(const robot &body, const pose &base = {})
        : handle([&](ft_checker **out) { return ft_checker_new(body.get(), &base, nullptr, out); }) {}
    checker(const robot &body, const scene &obstacles, const pose &base = {})
        : handle([&](ft_checker **out) { return ft_checker_new(body.get(), &base, obstacles.get(), out); }) {}
    // The robot of a scene with this name; all other bodies are obstacles.
    static checker from_scene(const scene &all, const std::string &robot_name) {
        return checker([&](ft_checker **out) { return ft_checker_from_scene(all.get(), robot_name.c_str(), out); });
    }
    checker(const checker &other) : handle([&](ft_checker **out) { return ft_checker_clone(other.get(), out); }) {}
    checker(checker &&) noexcept = default;
    checker &operator=(const checker &other) { return *this = checker(other); }
    checker &operator=(checker &&) noexcept = default;

    std::size_t dof() const {
        std::size_t count = 0;
        detail::check(ft_checker_dof(get(), &count));
        return count;
    }
    std::size_t add_obstacle(const std::string &name, const shape &body, const motion &path) {
        std::size_t index = 0;
        detail::check(ft_checker_add_obstacle(get(), name.c_str(), body.get(), path.get(), &index));
        return index;
    }
    std::size_t add_obstacle(const std::string &name, const shape &body, const pose &at) {
        return add_obstacle(name, body, motion::fixed(at));
    }
    std::size_t add_deforming(const std::string &name, const deformable &mesh) {
        std::size_t index = 0;
        detail::check(ft_checker_add_deforming(get(), name.c_str(), mesh.get(), &index));
        return index;
    }
    void move_obstacle(const std::string &name, const pose &at) { detail::check(ft_checker_move_obstacle(get(), name.c_str(), &at)); }
    void remove_obstacle(const std::string &name) { detail::check(ft_checker_remove_obstacle(get(), name.c_str())); }
    void allow(const std::string &a, const std::string &b) { detail::check(ft_checker_allow(get(), a.c_str(), b.c_str())); }
    void keep_apart(const std::string &a, const std::string &b, double min_separation) {
        detail::check(ft_checker_keep_apart(get(), a.c_str(), b.c_str(), min_separation));
    }
    void set_padding(double padding) { detail::check(ft_checker_set_padding(get(), padding)); }
    void set_link_padding(const std::string &link, double padding) {
        detail::check(ft_checker_set_link_padding(get(), link.c_str(), padding));
    }
    void hold(const std::string &name, const shape &body, const std::string &link, const pose &at,
              const std::vector<std::string> &touch_links = {}) {
        std::vector<const char *> names;
        for (const std::string &touch_link : touch_links) names.push_back(touch_link.c_str());
        detail::check(ft_checker_hold(get(), name.c_str(), body.get(), link.c_str(), &at, names.data(), names.size()));
    }
    void release(const std::string &name) { detail::check(ft_checker_release(get(), name.c_str())); }
    void set_base(const pose &base) { detail::check(ft_checker_set_base(get(), &base)); }

    answer check_motion(view<double> from, view<double> to, const options &how = {}) const {
        same_size(from, to);
        ft_answer found;
        detail::check(ft_checker_check_motion(get(), from.data(), to.data(), from.size(), &how, &found));
        return found;
    }
    answer check_state(view<double> configuration, const options &how = {}) const {
        ft_answer found;
        detail::check(ft_checker_check_state(get(), configuration.data(), configuration.size(), &how, &found));
        return found;
    }
    path_answer check_path(const rows<double> &waypoints, const options &how = {}) const {
        ft_path_answer found;
        detail::check(ft_checker_check_path(get(), waypoints.data(), waypoints.count(), waypoints.width(), waypoints.stride(), &how,
                                            &found));
        return {found.answer, static_cast<std::size_t>(found.segment), static_cast<std::size_t>(found.segments)};
    }
    // Checks many edges at once, with the number of threads of the options.
    std::vector<answer> check_motions(const rows<double> &from, const rows<double> &to, const options &how = {}) const {
        if (from.count() != to.count() || from.width() != to.width() || from.stride() != to.stride())
            throw error(FT_STATUS_INVALID_ARGUMENT, "the two lists of configurations must have the same sizes and strides");
        std::vector<ft_answer> found(from.count());
        detail::check(ft_checker_check_motions(get(), from.data(), to.data(), from.count(), from.width(), from.stride(), &how,
                                               found.data()));
        return {found.begin(), found.end()};
    }
    std::vector<answer> check_states(const rows<double> &configurations, const options &how = {}) const {
        std::vector<ft_answer> found(configurations.count());
        detail::check(ft_checker_check_states(get(), configurations.data(), configurations.count(), configurations.width(),
                                              configurations.stride(), &how, found.data()));
        return {found.begin(), found.end()};
    }

    // Returns the least distance along a path, proven from both sides, or std::nullopt if there is no distance to
    // measure.
    std::optional<ft_clearance> clearance(const rows<double> &waypoints, const options &how = {}) const {
        ft_clearance least{};
        return detail::found(ft_checker_clearance(get(), waypoints.data(), waypoints.count(), waypoints.width(), waypoints.stride(), &how,
                                                  &least),
                             least);
    }
    std::optional<ft_clearance> distance(view<double> configuration, const options &how = {}) const {
        ft_clearance least{};
        return detail::found(ft_checker_distance(get(), configuration.data(), configuration.size(), &how, &least), least);
    }
    std::vector<ft_contact_point> contacts(view<double> from, view<double> to, double t, const options &how = {}) const {
        same_size(from, to);
        return detail::listed<ft_contact_point>([&](ft_contact_point *all, std::size_t capacity, std::size_t *count) {
            return ft_checker_contacts(get(), from.data(), to.data(), from.size(), t, &how, all, capacity, count);
        });
    }
    std::optional<step_gradient> toi_gradient(view<double> from, view<double> to, const options &how = {}) const {
        same_size(from, to);
        step_gradient found{0.0, std::vector<double>(from.size()), std::vector<double>(from.size()), FT_DEGENERATE_NO};
        std::uint64_t degenerate = 0;
        const ft_status status = ft_checker_toi_gradient(get(), from.data(), to.data(), from.size(), &how, found.by_from.data(),
                                                         found.by_to.data(), &found.value, &degenerate);
        found.degenerate = static_cast<ft_degenerate>(degenerate);
        return detail::found(status, found);
    }
    std::optional<step_gradient> clearance_gradient(view<double> from, view<double> to, const options &how = {}) const {
        same_size(from, to);
        step_gradient found{0.0, std::vector<double>(from.size()), std::vector<double>(from.size()), FT_DEGENERATE_NO};
        std::uint64_t degenerate = 0;
        ft_clearance least{};
        const ft_status status = ft_checker_clearance_gradient(get(), from.data(), to.data(), from.size(), &how, found.by_from.data(),
                                                               found.by_to.data(), &least, &degenerate);
        found.value = least.upper;
        found.degenerate = static_cast<ft_degenerate>(degenerate);
        return detail::found(status, found);
    }

    // Body 0 of an answer is the robot, body 1 + k obstacle k.
    std::string name(std::size_t body) const {
        return detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_checker_body_name(get(), body, t, c, l); });
    }
    // Returns the part of one side (0 or 1) of a touch in words: "hand/tri 12".
    std::string part(const answer &of, int side) const {
        return detail::text([&](char *t, std::size_t c, std::size_t *l) { return ft_checker_part_text(get(), &of.parts[side], t, c, l); });
    }

  private:
    using handle::handle;
    static void same_size(view<double> from, view<double> to) {
        if (from.size() != to.size())
            throw error(FT_STATUS_INVALID_ARGUMENT, "the two configurations must have the same number of values");
    }
};

// One vertex and face, or two edges, whose vertices move on straight lines: decided exactly. See ft_four_points for
// their order.
inline ft_contact vertex_face(const ft_four_points &points, const options &how = {}) {
    ft_contact found;
    detail::check(ft_vertex_face(&points, &how, &found));
    return found;
}
inline ft_contact edge_edge(const ft_four_points &points, const options &how = {}) {
    ft_contact found;
    detail::check(ft_edge_edge(&points, &how, &found));
    return found;
}
inline std::vector<ft_contact> vertex_face(view<ft_four_points> points, const options &how = {}) {
    std::vector<ft_contact> found(points.size());
    detail::check(ft_vertex_face_batch(points.data(), points.size(), &how, found.data()));
    return found;
}
inline std::vector<ft_contact> edge_edge(view<ft_four_points> points, const options &how = {}) {
    std::vector<ft_contact> found(points.size());
    detail::check(ft_edge_edge_batch(points.data(), points.size(), &how, found.data()));
    return found;
}

// Returns the position of two ellipsoids relative to each other, decided exactly.
inline ft_relation relation(const ft_ellipsoid &a, const ft_ellipsoid &b) {
    std::uint32_t found = 0;
    detail::check(ft_ellipsoid_relation(&a, &b, &found));
    return static_cast<ft_relation>(found);
}
// Returns all times at which two ellipsoids touch or overlap. The motions, fixed or rational, give their places; the
// poses are not used.
inline std::vector<ft_overlap> overlaps(const ft_ellipsoid &a, const motion &path_a, const ft_ellipsoid &b, const motion &path_b,
                                        const options &how = {}) {
    std::vector<ft_overlap> all(8);
    std::size_t count = 0;
    ft_status status = ft_ellipsoid_overlaps(&a, path_a.get(), &b, path_b.get(), &how, all.data(), all.size(), &count);
    all.resize(count);
    if (status == FT_STATUS_TOO_SMALL)
        status = ft_ellipsoid_overlaps(&a, path_a.get(), &b, path_b.get(), &how, all.data(), all.size(), &count);
    detail::check(status);
    return all;
}
inline ft_ellipsoid enclosing_ellipsoid(const rows<double> &points) {
    points.of_width(3, "points");
    ft_ellipsoid found;
    detail::check(ft_ellipsoid_enclosing(points.data(), points.count(), points.stride(), &found));
    return found;
}

} // namespace firsttouch

#endif // FIRSTTOUCH_HPP
