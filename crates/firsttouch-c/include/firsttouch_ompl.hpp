// firsttouch in OMPL: a motion validator that proves edges instead of sampling them, and a state validity checker to go
// with it.
//
//     auto checker = std::make_shared<const firsttouch::checker>(robot, obstacles);
//     si->setStateValidityChecker(std::make_shared<firsttouch::ompl_state_checker>(si, checker));
//     si->setMotionValidator(std::make_shared<firsttouch::ompl_motion_validator>(si, checker));
//
// On an edge, every joint moves at a constant rate from its value in one state to its value in the other. OMPL
// interpolates in this way in RealVectorStateSpace, in SO2StateSpace (the shorter way) and in compounds of these,
// including SE2StateSpace. So the proof is about the motion that the planner means, up to the rounding of OMPL's
// interpolation. Spaces that interpolate in another way (SO(3), Dubins, Reeds-Shepp, constrained ones) are refused when
// the validator is made. Custom classes are refused as well; `interpolation::linear` vouches for those.
//
// The validator checks only contacts along an edge and the bounds of its end state. Other reasons for which a state may
// be invalid need their own validator. An edge that is undecided within the budget counts as invalid.
//
// Threads: any number of planners may use one validator at once (ParallelPlan). The checker must not be changed
// meanwhile.

#ifndef FIRSTTOUCH_OMPL_HPP
#define FIRSTTOUCH_OMPL_HPP

#include "firsttouch.hpp"

#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SE2StateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace firsttouch {

// The authority for linear interpolation in a state space.
enum class interpolation {
    known, // the validator, which knows the class
    linear // the caller, for classes derived from known ones
};

// The conversion of OMPL's states to configurations.
class ompl_configurations {
  public:
    // Value k of a state is variable `variables[k]` of the robot; the others stay at `rest`.
    ompl_configurations(const ::ompl::base::StateSpacePtr &space, std::vector<std::size_t> variables, std::vector<double> rest,
                        interpolation says = interpolation::known)
        : space_(space), variables_(std::move(variables)), rest_(std::move(rest)) {
        flatten(*space, says);
        if (is_angle_.size() != variables_.size())
            throw error(FT_STATUS_INVALID_ARGUMENT, "a state of " + space->getName() + " has " + std::to_string(is_angle_.size()) +
                                                        " values, but " + std::to_string(variables_.size()) + " variables are named");
        for (std::size_t variable : variables_)
            if (variable >= rest_.size())
                throw error(FT_STATUS_INVALID_ARGUMENT, "there is no variable " + std::to_string(variable));
    }

    // Value k of a state is variable k of the robot, which has no others.
    ompl_configurations(const ::ompl::base::StateSpacePtr &space, std::size_t dof, interpolation says = interpolation::known)
        : ompl_configurations(space, first(dof), std::vector<double>(dof, 0.0), says) {}

    void read(const ::ompl::base::State *state, std::vector<double> &configuration) const {
        configuration = rest_;
        std::size_t next = 0;
        read(*space_, state, configuration, next);
    }

    // Returns the end of the motion that OMPL interpolates: angles go the shorter way.
    void read_end(const std::vector<double> &from, const ::ompl::base::State *state, std::vector<double> &configuration) const {
        constexpr double pi = 3.14159265358979323846;
        read(state, configuration);
        for (std::size_t k = 0; k < is_angle_.size(); ++k) {
            if (!is_angle_[k]) continue;
            const double turn = configuration[variables_[k]] - from[variables_[k]];
            if (turn > pi) configuration[variables_[k]] -= 2 * pi;
            if (turn < -pi) configuration[variables_[k]] += 2 * pi;
        }
    }

  private:
    static std::vector<std::size_t> first(std::size_t count) {
        std::vector<std::size_t> all(count);
        for (std::size_t k = 0; k < count; ++k) all[k] = k;
        return all;
    }

    // Records, for each value of a state, true if it is an angle, in the order of `read`. Refuses spaces that
    // interpolate in another way.
    void flatten(const ::ompl::base::StateSpace &space, interpolation says) {
        namespace ob = ::ompl::base;
        const std::type_info &type = typeid(space);
        const bool trusted = says == interpolation::linear;
        if (type == typeid(ob::RealVectorStateSpace) || (trusted && dynamic_cast<const ob::RealVectorStateSpace *>(&space))) {
            is_angle_.insert(is_angle_.end(), space.getDimension(), false);
        } else if (type == typeid(ob::SO2StateSpace) || (trusted && dynamic_cast<const ob::SO2StateSpace *>(&space))) {
            is_angle_.push_back(true);
        } else if (type == typeid(ob::CompoundStateSpace) || type == typeid(ob::SE2StateSpace) || (trusted && space.isCompound())) {
            const auto &compound = *space.as<ob::CompoundStateSpace>();
            for (unsigned int k = 0; k < compound.getSubspaceCount(); ++k) flatten(*compound.getSubspace(k), says);
        } else {
            throw error(FT_STATUS_UNSUPPORTED, "not supported: motions in " + space.getName() +
                                                   ", which is no RealVectorStateSpace, SO2StateSpace or compound of these");
        }
    }

    void read(const ::ompl::base::StateSpace &space, const ::ompl::base::State *state, std::vector<double> &configuration,
              std::size_t &next) const {
        namespace ob = ::ompl::base;
        if (space.isCompound()) {
            const auto &compound = *space.as<ob::CompoundStateSpace>();
            const auto *parts = static_cast<const ob::CompoundState *>(state);
            for (unsigned int k = 0; k < compound.getSubspaceCount(); ++k)
                read(*compound.getSubspace(k), parts->components[k], configuration, next);
        } else if (is_angle_[next]) {
            configuration[variables_[next++]] = static_cast<const ob::SO2StateSpace::StateType *>(state)->value;
        } else {
            const auto *values = static_cast<const ob::RealVectorStateSpace::StateType *>(state)->values;
            for (unsigned int k = 0; k < space.getDimension(); ++k) configuration[variables_[next++]] = values[k];
        }
    }

    ::ompl::base::StateSpacePtr space_;
    std::vector<std::size_t> variables_;
    std::vector<double> rest_;
    std::vector<bool> is_angle_;
};

// A state is valid if it is within bounds and provably without contact.
class ompl_state_checker : public ::ompl::base::StateValidityChecker {
  public:
    ompl_state_checker(const ::ompl::base::SpaceInformationPtr &si, std::shared_ptr<const checker> robot, options how = {})
        : ompl_state_checker(si, robot, ompl_configurations(si->getStateSpace(), robot->dof()), how) {}
    ompl_state_checker(const ::ompl::base::SpaceInformationPtr &si, std::shared_ptr<const checker> robot,
                       ompl_configurations configurations, options how = {})
        : StateValidityChecker(si), robot_(std::move(robot)), configurations_(std::move(configurations)), how_(how) {}

    bool isValid(const ::ompl::base::State *state) const override {
        if (!si_->satisfiesBounds(state)) return false;
        thread_local std::vector<double> configuration;
        configurations_.read(state, configuration);
        return robot_->check_state(configuration, how_).is_free();
    }

  private:
    std::shared_ptr<const checker> robot_;
    ompl_configurations configurations_;
    options how_;
};

// A motion is valid if it is proven to be without contact all along.
class ompl_motion_validator : public ::ompl::base::MotionValidator {
  public:
    ompl_motion_validator(const ::ompl::base::SpaceInformationPtr &si, std::shared_ptr<const checker> robot, options how = {})
        : ompl_motion_validator(si, robot, ompl_configurations(si->getStateSpace(), robot->dof()), how) {}
    ompl_motion_validator(const ::ompl::base::SpaceInformationPtr &si, std::shared_ptr<const checker> robot,
                          ompl_configurations configurations, options how = {})
        : MotionValidator(si), robot_(std::move(robot)), configurations_(std::move(configurations)), how_(how) {}

    bool checkMotion(const ::ompl::base::State *s1, const ::ompl::base::State *s2) const override {
        if (!si_->satisfiesBounds(s2)) return counted(false);
        thread_local std::vector<double> from, to;
        configurations_.read(s1, from);
        configurations_.read_end(from, s2, to);
        return counted(robot_->check_motion(from, to, how_.with(mode::any)).is_free());
    }

    // `lastValid` gets a time before which the motion is proven free, and, if there is room for it, the state at that
    // time. Both are a little before the contact, so that the state itself is valid.
    bool checkMotion(const ::ompl::base::State *s1, const ::ompl::base::State *s2,
                     std::pair<::ompl::base::State *, double> &lastValid) const override {
        thread_local std::vector<double> from, to, at;
        configurations_.read(s1, from);
        configurations_.read_end(from, s2, to);
        const bool is_within = si_->satisfiesBounds(s2);
        const answer found = robot_->check_motion(from, to, how_.with(mode::first));
        if (found.is_free() && is_within) return counted(true);
        double time = 0.0;
        // A state at the exact time of contact is within the tolerance of it. These are the fractions of the free time
        // that are tried. If a motion leaves the bounds, only its start is known to be within them.
        if (is_within)
            for (double fraction : {1.0 - 1e-6, 1.0 - 1e-4, 0.99, 0.9, 0.5}) {
                const double t = found.free_until * fraction;
                at.resize(from.size());
                for (std::size_t k = 0; k < at.size(); ++k) at[k] = from[k] + (to[k] - from[k]) * t;
                if (t > 0.0 && robot_->check_state(at, how_).is_free()) {
                    time = t;
                    break;
                }
            }
        lastValid.second = time;
        if (lastValid.first != nullptr) si_->getStateSpace()->interpolate(s1, s2, time, lastValid.first);
        return counted(false);
    }

  private:
    // The counters of OMPL are plain numbers.
    bool counted(bool is_valid) const {
        const std::lock_guard<std::mutex> lock(counters_);
        ++(is_valid ? valid_ : invalid_);
        return is_valid;
    }

    std::shared_ptr<const checker> robot_;
    ompl_configurations configurations_;
    options how_;
    mutable std::mutex counters_;
};

} // namespace firsttouch

#endif // FIRSTTOUCH_OMPL_HPP
