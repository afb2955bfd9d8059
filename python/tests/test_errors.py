"""An error names the word that is misspelt or of a wrong type, and suggests the one that was probably meant."""

import numpy as np
import pytest

import firsttouch as ft


def test_names_that_are_nearly_right(checker):
    scene = ft.Scene()
    scene.add("chair", ft.Sphere(1))
    wrong = [
        (lambda: checker.allow("hand", "pots"), 'nothing is called "pots"; did you mean "post"'),
        (lambda: checker.allow("hnd", "post"), 'nothing is called "hnd"; did you mean .*"hand"'),
        (lambda: checker.keep_apart("arm/hnad", "post", 0.1), '"arm/hand"'),
        (lambda: checker.hold("tool", ft.Sphere(0.1), "hnd"), 'no link is called "hnd"; did you mean "hand"'),
        (lambda: checker.move_obstacle("shelves", np.eye(4)), '"shelf"'),
        (lambda: checker.remove_obstacle("shelff"), '"shelf"'),
        (lambda: checker.set_link_padding("lowr", 0.1), '"lower"'),
        (lambda: checker.release("tool"), "nothing that the robot holds"),
        (lambda: checker.overlaps([0, 0, 0], [1, 0, 0], "pst"), '"post"'),
        (lambda: scene["char"], 'did you mean "chair"'),
        (lambda: scene.remove("chairs"), 'did you mean "chair"'),
        (lambda: scene.allow("chair", "chiar"), 'nothing is called "chiar"; did you mean "chair"'),
    ]
    for call, text in wrong:
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(KeyError):
        scene["char"]


def test_wrong_types_name_the_argument(arm, checker):
    wrong = [
        (lambda: ft.Checker("panda.urdf"), "robot must be a Robot, not str; ft.Robot.from_urdf"),
        (lambda: ft.Checker([arm, arm]), "ft.Robot.join"),
        (lambda: ft.Checker(arm, obstacles=[ft.Sphere(1)]), "obstacles must be a Scene, not list"),
        (lambda: ft.Checker(arm, padding="wide"), "padding must be a number"),
        (lambda: checker.add_obstacle("box", "box"), "a shape must be a Shape .*, not str: ft.Mesh.load"),
        (lambda: checker.add_obstacle(3, ft.Sphere(1)), "a name must be a string, not int"),
        (lambda: checker.hold("tool", ft.Sphere(1), "hand", touch_links="lower"), "touch_links must be a list of names"),
        (lambda: ft.Sphere("big"), "sphere radius must be a number"),
        (lambda: ft.Robot.join(["left"]), "a robot to join must be a Robot"),
    ]
    for call, text in wrong:
        with pytest.raises(TypeError, match=text):
            call()
        # Bad input of any kind can be caught as one.
        with pytest.raises(ValueError):
            call()
