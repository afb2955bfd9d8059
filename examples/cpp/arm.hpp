// An arm of seven joints in front of a shelf, made in code: for the examples with a planner.
#ifndef FIRSTTOUCH_EXAMPLE_ARM_HPP
#define FIRSTTOUCH_EXAMPLE_ARM_HPP

#include <firsttouch.hpp>

#include <string>
#include <vector>

namespace example {

namespace ft = firsttouch;

struct joint_range {
    double lower, upper;
};

// Of the seven joints, in their order.
inline const std::vector<joint_range> &ranges() {
    static const std::vector<joint_range> all = {{-2.8, 2.8}, {-1.8, 1.8}, {-2.8, 2.8}, {-2.4, 2.4},
                                                 {-2.8, 2.8}, {-1.9, 1.9}, {-2.8, 2.8}};
    return all;
}

// A base, and seven links on it: joints about z and y in turn, an upper arm and a forearm of 0.4, a hand and a plate
// that it carries.
inline ft::robot arm() {
    const auto link = [](const std::string &name, const std::string &geometry, double z) {
        return "<link name=\"" + name + "\"><collision><origin xyz=\"0 0 " + std::to_string(z) + "\"/><geometry>" + geometry +
               "</geometry></collision></link>";
    };
    const auto cylinder = [](double radius, double length) {
        return "<cylinder radius=\"" + std::to_string(radius) + "\" length=\"" + std::to_string(length) + "\"/>";
    };
    const auto ball = [](double radius) { return "<sphere radius=\"" + std::to_string(radius) + "\"/>"; };
    const auto box = [](const std::string &sides) { return "<box size=\"" + sides + "\"/>"; };
    std::string urdf = "<robot name=\"arm\">";
    urdf += link("base", cylinder(0.08, 0.2), 0.1);
    urdf += link("shoulder", ball(0.07), 0.0);
    urdf += link("upper_arm", cylinder(0.05, 0.36), 0.2);
    urdf += link("elbow", ball(0.055), 0.0);
    urdf += link("forearm", cylinder(0.045, 0.34), 0.2);
    urdf += link("wrist", ball(0.045), 0.0);
    urdf += link("hand", box("0.06 0.16 0.08"), 0.07);
    urdf += link("plate", box("0.12 0.02 0.12"), 0.07);
    const char *names[] = {"base", "shoulder", "upper_arm", "elbow", "forearm", "wrist", "hand", "plate"};
    const char *axes[] = {"0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1", "0 1 0", "0 0 1"};
    const double heights[] = {0.2, 0.1, 0.4, 0.0, 0.4, 0.0, 0.11};
    for (std::size_t k = 0; k < 7; ++k)
        urdf += "<joint name=\"joint" + std::to_string(k + 1) + "\" type=\"revolute\"><parent link=\"" + names[k] + "\"/><child link=\"" +
                names[k + 1] + "\"/><origin xyz=\"0 0 " + std::to_string(heights[k]) + "\"/><axis xyz=\"" + axes[k] +
                "\"/><limit lower=\"" + std::to_string(ranges()[k].lower) + "\" upper=\"" + std::to_string(ranges()[k].upper) +
                "\" effort=\"1\" velocity=\"1\"/></joint>";
    urdf += "</robot>";
    // Links that a ball joins may come close.
    std::string srdf = "<robot name=\"arm\">";
    const char *close[][2] = {{"base", "upper_arm"}, {"upper_arm", "forearm"}, {"forearm", "hand"}, {"wrist", "plate"}};
    for (const auto &pair : close)
        srdf += std::string("<disable_collisions link1=\"") + pair[0] + "\" link2=\"" + pair[1] + "\" reason=\"Adjacent\"/>";
    srdf += "</robot>";
    return ft::robot::from_urdf_text(urdf, srdf);
}

// Thin boards on two sides: narrow passages for the plate, and easy to step through without noticing.
inline ft::scene shelf() {
    ft::scene scene;
    const ft::shape board = ft::shape::box(0.36, 1.0, 0.012), side = ft::shape::box(0.36, 0.012, 1.08);
    const double heights[] = {0.26, 0.62, 0.98, 1.34};
    for (int k = 0; k < 4; ++k) scene.add("board" + std::to_string(k), board, ft::pose(0.62, 0.0, heights[k]));
    scene.add("left", side, ft::pose(0.62, 0.5, 0.8));
    scene.add("right", side, ft::pose(0.62, -0.5, 0.8));
    scene.add("middle", side, ft::pose(0.62, 0.0, 0.8));
    return scene;
}

} // namespace example

#endif
