// An arm among shelves, planned by OMPL's RRT-Connect with every edge proven.
#include "arm.hpp"

#include <firsttouch_ompl.hpp>

#include <ompl/base/ScopedState.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <cstdio>
#include <memory>
#include <vector>

namespace ft = firsttouch;
namespace ob = ompl::base;
namespace og = ompl::geometric;

int main() {
    ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
    ompl::RNG::setSeed(19);
    const auto checker = std::make_shared<const ft::checker>(example::arm(), example::shelf());

    const auto space = std::make_shared<ob::RealVectorStateSpace>(7);
    ob::RealVectorBounds bounds(7);
    for (unsigned int k = 0; k < 7; ++k) {
        bounds.setLow(k, example::ranges()[k].lower);
        bounds.setHigh(k, example::ranges()[k].upper);
    }
    space->setBounds(bounds);
    og::SimpleSetup setup(space);
    const auto &si = setup.getSpaceInformation();
    si->setStateValidityChecker(std::make_shared<ft::ompl_state_checker>(si, checker));
    si->setMotionValidator(std::make_shared<ft::ompl_motion_validator>(si, checker));
    setup.setPlanner(std::make_shared<og::RRTConnect>(si));

    // The plate in the compartment at the upper left, then in the one at the upper right.
    const std::vector<double> from = {0.45, 0.55, 0.0, 0.9, 0.0, 0.1, 0.0}, to = {-0.45, 0.55, 0.0, 0.9, 0.0, 0.1, 0.0};
    ob::ScopedState<> start(space), goal(space);
    for (unsigned int k = 0; k < 7; ++k) start[k] = from[k], goal[k] = to[k];
    setup.setStartAndGoalStates(start, goal);
    const ft::answer straight = checker->check_motion(from, to);
    std::printf("straight ahead: free until t = %.3f, then %s touches %s\n", straight.free_until,
                checker->part(straight, 0).c_str(), checker->name(straight.bodies[1]).c_str());

    if (setup.solve(30.0) != ob::PlannerStatus::EXACT_SOLUTION) {
        std::printf("no path found\n");
        return 1;
    }
    std::vector<double> waypoints;
    const og::PathGeometric &path = setup.getSolutionPath();
    for (std::size_t k = 0; k < path.getStateCount(); ++k) {
        const double *values = path.getState(static_cast<unsigned int>(k))->as<ob::RealVectorStateSpace::StateType>()->values;
        waypoints.insert(waypoints.end(), values, values + 7);
    }
    const ft::path_answer proof = checker->check_path(ft::rows<double>(waypoints.data(), path.getStateCount(), 7));
    std::printf("a path of %zu segments, all proven free: %s\n", proof.segments, proof.answer.is_free() ? "yes" : "no");
    return proof.answer.is_free() ? 0 : 1;
}
