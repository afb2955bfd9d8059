// The validator for OMPL: both forms of checkMotion, angles that go the shorter way, compounds, spaces that are
// refused, threads.
#include <firsttouch_ompl.hpp>

#include <ompl/base/ScopedState.h>
#include <ompl/base/spaces/DubinsStateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/tools/multiplan/ParallelPlan.h>
#include <ompl/util/Console.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ft = firsttouch;
namespace ob = ompl::base;

static int failures = 0;

#define EXPECT(condition)                                                                                                                   \
    do {                                                                                                                                    \
        if (!(condition)) {                                                                                                                 \
            ++failures;                                                                                                                     \
            std::printf("line %d: %s\n", __LINE__, #condition);                                                                             \
        }                                                                                                                                   \
    } while (0)

// A robot of one link on one joint: a ball of radius 1 on a slide along x, or a bar of length 2 that starts in its
// hinge.
static ft::robot one_joint(const std::string &type, const std::string &axis, const std::string &geometry) {
    return ft::robot::from_urdf_text("<robot name=\"r\"><link name=\"base\"/><link name=\"tool\"><collision>" + geometry +
                                     "</collision></link><joint name=\"j\" type=\"" + type +
                                     "\"><parent link=\"base\"/><child link=\"tool\"/><axis xyz=\"" + axis +
                                     "\"/><limit lower=\"-20\" upper=\"20\" effort=\"1\" velocity=\"1\"/></joint></robot>");
}

static const char *const ball = "<geometry><sphere radius=\"1\"/></geometry>";
static const char *const bar = "<origin xyz=\"1 0 0\"/><geometry><box size=\"2 0.1 0.1\"/></geometry>";

static std::shared_ptr<const ft::checker> among(const ft::robot &robot, const ft::pose &post) {
    ft::scene scene;
    scene.add("post", ft::shape::sphere(1.0), post);
    return std::make_shared<const ft::checker>(robot, scene);
}

static ob::SpaceInformationPtr with_validator(const ob::StateSpacePtr &space, const std::shared_ptr<const ft::checker> &checker) {
    const auto si = std::make_shared<ob::SpaceInformation>(space);
    si->setStateValidityChecker(std::make_shared<ft::ompl_state_checker>(si, checker));
    si->setMotionValidator(std::make_shared<ft::ompl_motion_validator>(si, checker));
    si->setup();
    return si;
}

static ob::StateSpacePtr reals(unsigned int dimension, double limit) {
    const auto space = std::make_shared<ob::RealVectorStateSpace>(dimension);
    space->setBounds(-limit, limit);
    return space;
}

static void slide() {
    // The ball goes from x = 0 to x = 16 and touches the post at x = 10 when it is at 8.
    const auto si = with_validator(reals(1, 20.0), among(one_joint("prismatic", "1 0 0", ball), {10, 0, 0}));
    ob::ScopedState<> from(si), to(si), last(si), near(si), outside(si);
    from[0] = 0.0, to[0] = 16.0, near[0] = 5.0, outside[0] = -25.0;
    EXPECT(!si->checkMotion(from.get(), to.get()));
    EXPECT(si->checkMotion(from.get(), near.get()));
    EXPECT(!si->checkMotion(from.get(), outside.get()));
    std::pair<ob::State *, double> at(last.get(), -1.0);
    EXPECT(!si->checkMotion(from.get(), to.get(), at));
    EXPECT(at.second > 0.4999 && at.second < 0.5);
    EXPECT(std::fabs(last[0] - 16.0 * at.second) < 1e-12 && si->isValid(last.get()));
    EXPECT(si->checkMotion(from.get(), last.get()));
    // A free motion writes no result, and without room no state is written.
    at.second = -1.0, last[0] = 3.0;
    EXPECT(si->checkMotion(from.get(), near.get(), at) && at.second == -1.0 && last[0] == 3.0);
    at.first = nullptr;
    EXPECT(!si->checkMotion(from.get(), to.get(), at) && at.second > 0.4999);
    // The room may be the end state itself.
    at.first = to.get();
    EXPECT(!si->checkMotion(from.get(), to.get(), at) && si->isValid(to.get()));
    // A motion that leaves the bounds, or starts in a contact, returns only its start.
    at = {last.get(), -1.0};
    EXPECT(!si->checkMotion(from.get(), outside.get(), at) && at.second == 0.0 && last[0] == 0.0);
    from[0] = 9.0;
    EXPECT(!si->checkMotion(from.get(), near.get(), at) && at.second == 0.0);
    EXPECT(si->getMotionValidator()->getValidMotionCount() == 3 && si->getMotionValidator()->getInvalidMotionCount() == 7);
}

static void shorter_way() {
    // From 2.8 to -2.8 a real number passes 0, an angle passes pi.
    const ft::robot robot = one_joint("continuous", "0 0 1", bar);
    for (const bool behind : {false, true}) {
        const auto checker = among(robot, {behind ? -2.0 : 2.0, 0, 0});
        const auto numbers = with_validator(reals(1, 4.0), checker), angles = with_validator(std::make_shared<ob::SO2StateSpace>(), checker);
        ob::ScopedState<> a(numbers), b(numbers);
        ob::ScopedState<ob::SO2StateSpace> c(angles), d(angles);
        // The post has an angle of about 30 degrees to each side.
        a[0] = 2.4, b[0] = -2.4;
        c->value = 2.4, d->value = -2.4;
        EXPECT(numbers->checkMotion(a.get(), b.get()) == behind);
        EXPECT(angles->checkMotion(c.get(), d.get()) != behind);
        EXPECT(angles->checkMotion(d.get(), c.get()) != behind);
        std::pair<ob::State *, double> at(d.get(), -1.0);
        if (behind) {
            EXPECT(!angles->checkMotion(c.get(), d.get(), at) && angles->isValid(d.get()));
            EXPECT(d->value > 2.4 && d->value < 3.1415);
        }
    }
}

static void compounds() {
    // A ball in the plane: x and y, and an angle that has no effect.
    const auto plane = std::make_shared<ob::SE2StateSpace>();
    ob::RealVectorBounds bounds(2);
    bounds.setLow(-20), bounds.setHigh(20);
    plane->setBounds(bounds);
    const auto si = with_validator(plane, among(one_joint("planar", "0 0 1", ball), {4, 4, 0}));
    ob::ScopedState<ob::SE2StateSpace> a(si), b(si);
    a->setXY(0, 0), a->setYaw(3.0), b->setXY(8, 8), b->setYaw(-3.0);
    EXPECT(!si->checkMotion(a.get(), b.get()));
    b->setXY(8, 0);
    EXPECT(si->checkMotion(a.get(), b.get()));

    // A turn and a lift, in the other order than the robot's, and a joint that is not planned.
    const ft::robot crane = ft::robot::from_urdf_text(
        "<robot name=\"crane\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"><collision>" + std::string(bar) +
        "</collision></link><joint name=\"shift\" type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 1 0\"/>"
        "<limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/></joint><joint name=\"lift\" type=\"prismatic\"><parent link=\"b\"/>"
        "<child link=\"c\"/><axis xyz=\"0 0 1\"/><limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/></joint>"
        "<joint name=\"turn\" type=\"continuous\"><parent link=\"c\"/><child link=\"d\"/><axis xyz=\"0 0 1\"/></joint></robot>");
    const auto checker = among(crane, {-2.0, 0.5, 3.0});
    const auto both = std::make_shared<ob::CompoundStateSpace>();
    both->addSubspace(std::make_shared<ob::SO2StateSpace>(), 1.0);
    both->addSubspace(reals(1, 9.0), 1.0);
    const auto crane_si = std::make_shared<ob::SpaceInformation>(both);
    // Variables: shift 0, lift 1, turn 2. The state has turn, lift; the shift stays at 0.5.
    const ft::ompl_configurations read(both, {2, 1}, {0.5, 0.0, 0.0});
    crane_si->setStateValidityChecker(std::make_shared<ft::ompl_state_checker>(crane_si, checker, read));
    crane_si->setMotionValidator(std::make_shared<ft::ompl_motion_validator>(crane_si, checker, read));
    crane_si->setup();
    ob::ScopedState<> c(crane_si), d(crane_si);
    c[0] = 2.4, c[1] = 3.0, d[0] = -2.4, d[1] = 3.0;
    EXPECT(!crane_si->checkMotion(c.get(), d.get()));
    c[1] = 0.0, d[1] = 0.0;
    EXPECT(crane_si->checkMotion(c.get(), d.get()));
}

template <class Make> static bool refused(Make make, ft_status status) {
    try {
        make();
        return false;
    } catch (const ft::error &error) {
        return error.status() == status;
    }
}

static void refusals() {
    using configurations = ft::ompl_configurations;
    // These interpolate in other ways than joints do.
    EXPECT(refused([] { configurations(std::make_shared<ob::SO3StateSpace>(), 4); }, FT_STATUS_UNSUPPORTED));
    EXPECT(refused([] { configurations(std::make_shared<ob::SE3StateSpace>(), 7); }, FT_STATUS_UNSUPPORTED));
    EXPECT(refused([] { configurations(std::make_shared<ob::DubinsStateSpace>(), 3); }, FT_STATUS_UNSUPPORTED));
    struct warped : ob::RealVectorStateSpace {
        using RealVectorStateSpace::RealVectorStateSpace;
    };
    EXPECT(refused([] { configurations(std::make_shared<warped>(2), 2); }, FT_STATUS_UNSUPPORTED));
    EXPECT(!refused([] { configurations(std::make_shared<warped>(2), 2, ft::interpolation::linear); }, FT_STATUS_UNSUPPORTED));
    // Values and variables must fit.
    EXPECT(refused([] { configurations(reals(3, 1.0), 2); }, FT_STATUS_INVALID_ARGUMENT));
    EXPECT(refused([] { configurations(reals(1, 1.0), {5}, {0.0, 0.0}); }, FT_STATUS_INVALID_ARGUMENT));
}

static void threads() {
    const auto si = with_validator(reals(1, 20.0), among(one_joint("prismatic", "1 0 0", ball), {10, 0, 0}));
    constexpr int count = 200;
    const auto work = [&](std::vector<int> &found) {
        ob::ScopedState<> from(si), to(si), last(si);
        for (int k = 0; k < count; ++k) {
            from[0] = -8.0 + 0.05 * k, to[0] = 0.08 * k;
            std::pair<ob::State *, double> at(last.get(), -1.0);
            found.push_back((si->checkMotion(from.get(), to.get()) ? 1 : 0) + (si->checkMotion(from.get(), to.get(), at) ? 2 : 0));
        }
    };
    std::vector<std::vector<int>> found(5);
    work(found[0]);
    std::vector<std::thread> all;
    for (int k = 1; k < 5; ++k) all.emplace_back([&, k] { work(found[static_cast<std::size_t>(k)]); });
    for (std::thread &thread : all) thread.join();
    for (const auto &one : found) EXPECT(one == found[0]);
    EXPECT(si->getMotionValidator()->getCheckedMotionCount() == 5u * 2u * count);
}

static void parallel_plan() {
    // Two RRT-Connects on two threads search at once with one validator. A ball of radius 1 in the plane goes round a
    // wall that is open only below y = -7. Another validator proves every edge of their paths.
    const auto plane = reals(2, 10.0);
    const ft::robot slider = ft::robot::from_urdf_text(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"><collision>" + std::string(ball) +
        "</collision></link><joint name=\"x\" type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"1 0 0\"/>"
        "<limit lower=\"-10\" upper=\"10\" effort=\"1\" velocity=\"1\"/></joint><joint name=\"y\" type=\"prismatic\">"
        "<parent link=\"b\"/><child link=\"c\"/><axis xyz=\"0 1 0\"/><limit lower=\"-10\" upper=\"10\" effort=\"1\" velocity=\"1\"/>"
        "</joint></robot>");
    ft::scene scene;
    scene.add("wall", ft::shape::box(0.02, 16, 4), ft::pose(0, 2, 0));
    const auto checker = std::make_shared<const ft::checker>(slider, scene);
    const auto si = with_validator(plane, checker), other = with_validator(plane, checker);
    ob::ScopedState<> start(si), goal(si);
    start[0] = -5.0, start[1] = 5.0, goal[0] = 5.0, goal[1] = 5.0;
    EXPECT(!si->checkMotion(start.get(), goal.get()));
    int solved = 0;
    for (int run = 0; run < 20; ++run) {
        const auto problem = std::make_shared<ob::ProblemDefinition>(si);
        problem->setStartAndGoalStates(start, goal);
        ompl::tools::ParallelPlan plan(problem);
        plan.addPlanner(std::make_shared<ompl::geometric::RRTConnect>(si));
        plan.addPlanner(std::make_shared<ompl::geometric::RRTConnect>(si));
        // Both planners run to their end, and their paths are put together.
        if (plan.solve(60.0, 2, 2, run % 2 == 0) != ob::PlannerStatus::EXACT_SOLUTION) continue;
        ++solved;
        const auto path = std::static_pointer_cast<ompl::geometric::PathGeometric>(problem->getSolutionPath());
        for (std::size_t k = 0; k + 1 < path->getStateCount(); ++k)
            EXPECT(other->checkMotion(path->getState(static_cast<unsigned>(k)), path->getState(static_cast<unsigned>(k + 1))));
    }
    EXPECT(solved == 20);
    // Motions were found valid and invalid.
    EXPECT(si->getMotionValidator()->getValidMotionCount() > 20u && si->getMotionValidator()->getInvalidMotionCount() > 20u);
}

int main() {
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    slide();
    shorter_way();
    compounds();
    refusals();
    threads();
    parallel_plan();
    std::printf("OMPL: %d expectations not met\n", failures);
    return failures == 0 ? 0 : 1;
}
