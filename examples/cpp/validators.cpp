// OMPL's discrete motion validator beside the one of firsttouch: how long planning takes, how many edges are checked,
// and how many of the paths that sampling accepted touch something.
//
//     validators                              the arm and the shelf of arm.hpp, 20 problems
//     validators URDF SRDF FOLDER... another robot; each folder has pairs NAME.toml (obstacles) and NAME.csv
//     (waypoints), of which
//                                             the first and the last row are start and goal
//
// All use the same state validity checker and the same planner (RRT-Connect). Every path that is found is then checked
// by proof.
#include "arm.hpp"

#include <firsttouch_ompl.hpp>

#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/base/ScopedState.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ft = firsttouch;
namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace {

using configuration = std::vector<double>;

struct problem {
    std::shared_ptr<const ft::checker> checker;
    configuration start, goal;                             // the joints that are planned
    std::vector<std::size_t> variables;                    // where they are in a configuration of the robot
    std::vector<ft::robot::limits> limits;
    std::size_t dof;
};

// A way to check edges, and its results.
struct row {
    std::string name;
    double resolution; // 0: proof
    std::size_t solved = 0, wrong_paths = 0, segments = 0, wrong_segments = 0;
    std::size_t edges = 0;
    double seconds = 0.0;
};

std::shared_ptr<ob::SpaceInformation> space_of(const problem &p) {
    const auto dimension = static_cast<unsigned int>(p.variables.size());
    const auto space = std::make_shared<ob::RealVectorStateSpace>(dimension);
    ob::RealVectorBounds bounds(dimension);
    for (unsigned int k = 0; k < dimension; ++k) bounds.setLow(k, p.limits[k].lower), bounds.setHigh(k, p.limits[k].upper);
    space->setBounds(bounds);
    const auto si = std::make_shared<ob::SpaceInformation>(space);
    const ft::ompl_configurations read(space, p.variables, configuration(p.dof, 0.0));
    si->setStateValidityChecker(std::make_shared<ft::ompl_state_checker>(si, p.checker, read));
    return si;
}

void solve(const problem &p, row &by) {
    const auto si = space_of(p);
    const auto &space = si->getStateSpace();
    if (by.resolution > 0.0) {
        si->setStateValidityCheckingResolution(by.resolution);
        si->setMotionValidator(std::make_shared<ob::DiscreteMotionValidator>(si));
    } else {
        const ft::ompl_configurations read(space, p.variables, configuration(p.dof, 0.0));
        si->setMotionValidator(std::make_shared<ft::ompl_motion_validator>(si, p.checker, read));
    }
    og::SimpleSetup setup(si);
    const auto planner = std::make_shared<og::RRTConnect>(si);
    setup.setPlanner(planner);
    ob::ScopedState<> start(space), goal(space);
    for (std::size_t k = 0; k < p.start.size(); ++k)
        start[static_cast<unsigned int>(k)] = p.start[k], goal[static_cast<unsigned int>(k)] = p.goal[k];
    setup.setStartAndGoalStates(start, goal);
    setup.setup();
    const auto began = std::chrono::steady_clock::now();
    const bool solved = setup.solve(10.0) == ob::PlannerStatus::EXACT_SOLUTION;
    by.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    by.edges += si->getMotionValidator()->getCheckedMotionCount();
    if (!solved) return;
    ++by.solved;
    const og::PathGeometric &path = setup.getSolutionPath();
    bool wrong = false;
    configuration from(p.dof, 0.0), to(p.dof, 0.0);
    for (std::size_t k = 0; k + 1 < path.getStateCount(); ++k) {
        const auto values = [&](std::size_t i) {
            return path.getState(static_cast<unsigned int>(i))->as<ob::RealVectorStateSpace::StateType>()->values;
        };
        for (std::size_t j = 0; j < p.variables.size(); ++j) from[p.variables[j]] = values(k)[j], to[p.variables[j]] = values(k + 1)[j];
        ++by.segments;
        if (p.checker->check_motion(from, to, ft::mode::any).touches()) ++by.wrong_segments, wrong = true;
    }
    by.wrong_paths += wrong;
}

std::vector<problem> built_in() {
    const ft::robot robot = example::arm();
    const auto checker = std::make_shared<const ft::checker>(robot, example::shelf());
    problem p{checker, {}, {}, {}, {}, robot.dof()};
    for (std::size_t k = 0; k < 7; ++k) p.variables.push_back(k), p.limits.push_back(*robot.variable_limits(k));
    std::mt19937_64 random(7);
    const auto free_state = [&] {
        for (;;) {
            configuration q(7);
            for (std::size_t k = 0; k < 7; ++k) q[k] = std::uniform_real_distribution<>(p.limits[k].lower, p.limits[k].upper)(random);
            if (checker->check_state(q).is_free()) return q;
        }
    };
    std::vector<problem> all;
    while (all.size() < 20) {
        p.start = free_state(), p.goal = free_state();
        // Problems that a straight line solves tell nothing.
        if (!checker->check_motion(p.start, p.goal, ft::mode::any).is_free()) all.push_back(p);
    }
    return all;
}

std::vector<std::string> split(const std::string &line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
}

std::vector<problem> from_files(const std::string &urdf, const std::string &srdf, const std::vector<std::string> &folders) {
    const ft::robot robot = ft::robot::from_urdf_file(urdf, srdf);
    const std::vector<std::string> names = robot.variable_names();
    std::vector<problem> all;
    for (const std::string &folder : folders) {
        std::vector<std::filesystem::path> files;
        for (const auto &file : std::filesystem::directory_iterator(folder))
            if (file.path().extension() == ".csv") files.push_back(file.path());
        std::sort(files.begin(), files.end());
        for (std::filesystem::path file : files) {
            std::ifstream in(file);
            std::string line, last;
            std::getline(in, line);
            problem p{nullptr, {}, {}, {}, {}, robot.dof()};
            for (const std::string &name : split(line)) {
                const auto found = std::find(names.begin(), names.end(), name);
                if (found == names.end()) throw std::runtime_error(file.string() + ": no joint " + name);
                p.variables.push_back(static_cast<std::size_t>(found - names.begin()));
                p.limits.push_back(robot.variable_limits(p.variables.back()).value_or(ft::robot::limits{-3.2, 3.2}));
            }
            while (std::getline(in, line) && !line.empty()) {
                configuration values;
                for (const std::string &cell : split(line)) values.push_back(std::stod(cell));
                if (p.start.empty()) p.start = values;
                p.goal = values;
            }
            const ft::scene obstacles = ft::scene::from_file(file.replace_extension(".toml").string()).first;
            p.checker = std::make_shared<const ft::checker>(robot, obstacles);
            all.push_back(p);
        }
    }
    return all;
}

} // namespace

int main(int count, char **arguments) {
    ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
    ompl::RNG::setSeed(1);
    const std::vector<std::string> given(arguments + 1, arguments + count);
    const std::vector<problem> problems =
        given.size() >= 3 ? from_files(given[0], given[1], {given.begin() + 2, given.end()}) : built_in();
    std::printf("%zu problems, RRT-Connect, at most 10 s each\n", problems.size());
    std::printf("%-24s %7s %9s %8s %9s %12s %15s\n", "validator", "solved", "seconds", "edges", "us/edge", "wrong paths", "wrong segments");
    std::vector<row> rows = {{"discrete, 0.01 (default)", 0.01}, {"discrete, 0.001", 0.001}, {"firsttouch, proven", 0.0}};
    for (row &by : rows) {
        for (const problem &p : problems) solve(p, by);
        std::printf("%-24s %7zu %9.3f %8zu %9.1f %5zu of %-4zu %6zu of %-6zu\n", by.name.c_str(), by.solved, by.seconds, by.edges,
                    1e6 * by.seconds / static_cast<double>(std::max<std::size_t>(by.edges, 1)), by.wrong_paths, by.solved,
                    by.wrong_segments, by.segments);
        std::fflush(stdout);
    }
    // Sampling may be wrong; a proof may not.
    return rows.back().wrong_paths == 0 && rows.back().solved > 0 ? 0 : 1;
}
