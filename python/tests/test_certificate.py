"""Certificates from Python: the files are accepted by the verifier, and changed files are not."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

import firsttouch as ft
import firsttouch_verify


def verified(path):
    done = subprocess.run([sys.executable, "-m", "firsttouch_verify", str(path), "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def slider():
    slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
    c = ft.Checker(ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide]))
    c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    return c


def test_a_scene_until_it_touches(tmp_path):
    s = ft.Scene(duration=4)
    s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0])))
    s.add("slab", ft.Box([8, 8, 2]))
    r = s.check()
    certificate = s.certify()
    # The answer is in the time of the scene, the certificate a part of it.
    assert certificate.free_until <= r.free_until / 4 and certificate.free_until > 0.7999
    source = tmp_path / "slab.txt"
    source.write_text("8 8 2")
    certificate.save(tmp_path / "s.ftc", sources=[source])
    told = verified(tmp_path / "s.ftc")
    assert told["free_until"] == certificate.free_until and told["parts"] == 2 == certificate.verify()["parts"]
    head, *rest = (tmp_path / "s.ftc").read_text().splitlines()
    [listed] = json.loads(head)["sources"]
    assert listed == {"file": str(source), "sha256": hashlib.sha256(b"8 8 2").hexdigest()}
    assert [json.loads(line) for line in rest[: len(certificate.statement)]] == certificate.statement
    assert repr(certificate).startswith("Certificate(free until 0.7999") or repr(certificate).startswith("Certificate(free until 0.8,")
    # Half a millimetre nearer: another claim, which this proof does not prove.
    changed = (tmp_path / "s.ftc").read_text().replace('"sphere":1}', '"sphere":1.001}')
    (tmp_path / "changed.ftc").write_text(changed)
    done = subprocess.run([sys.executable, "-m", "firsttouch_verify", str(tmp_path / "changed.ftc")], capture_output=True, text=True)
    assert changed != certificate.text([source]) and done.returncode == 1 and "refused" in done.stdout


def test_a_separation_is_claimed():
    s = ft.Scene()
    s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 4])))
    s.add("slab", ft.Box([8, 8, 2]))
    assert s.certify(min_separation=1.5).verify()["separation"] == 1.5
    assert s.certify(min_separation=2.5).free_until < 1.0


def test_motions_paths_and_trajectories_of_a_robot(checker, edges, tmp_path):
    answers = checker.check_motions(*edges)
    made = 0
    for k in np.flatnonzero(answers.kind != "touching_at_start")[:12]:
        certificate = checker.certify_motion(edges[0][k], edges[1][k])
        assert certificate.free_until <= answers.free_until[k] and certificate.free_until > answers.free_until[k] - 2e-3
        certificate.save(tmp_path / "m.ftc")
        assert verified(tmp_path / "m.ftc")["free_until"] == certificate.free_until
        made += 1
    assert made == 12
    q = edges[0][np.flatnonzero(answers.is_free)[0]]
    path = np.array([q, q + 1e-3, q - 1e-3])
    assert checker.certify_path(path).verify()["free_until"] == 1.0
    way = ft.Trajectory(path, times=[0, 1, 3], interpolation="spline")
    assert checker.certify_trajectory(way).verify()["free_until"] == 1.0


def test_a_polynomial_of_degree_eleven_is_certified():
    c = slider()
    powers = [0.0, 1.0, -2.0, 0.5, 0.25, -0.125, 1.0, -1.0, 0.5, 2.0, -1.5, 3.0]
    way = ft.Trajectory.polynomials([0, 1], [[powers]])
    assert c.check_trajectory(way).is_free
    assert c.certify_trajectory(way).verify()["free_until"] == 1.0
    with pytest.raises(ValueError, match="at most 11"):
        c.check_trajectory(ft.Trajectory.polynomials([0, 1], [[[*powers, 1.0]]]))


def test_what_is_held_and_allowed_and_padded():
    c = slider()
    c.padding = 0.5
    assert c.certify_motion([0], [7.4]).verify()["free_until"] == 1.0
    assert c.certify_motion([0], [7.6]).free_until < 1.0
    c.hold("nose", ft.Box([2, 0.1, 0.1]), "ball", ft.Pose([2, 0, 0]))
    # Its tip is 3 ahead of the ball, and the padding counts: it may go to 5.5.
    assert 5.4 / 7 < c.certify_motion([0], [7.0]).free_until <= 5.5 / 7
    c.allow("nose", "post")
    told = c.certify_motion([0], [7.0])
    assert told.free_until == 1.0 and any("allowed" in reason["why"] for reason in told.verify()["unchecked"])


def test_what_cannot_be_certified_says_why(tmp_path):
    c = slider()
    with pytest.raises(ValueError, match="touches at the start"):
        c.certify_motion([9], [0])
    with pytest.raises(ValueError, match="segment 1 is not free"):
        c.certify_path([[0], [1], [9]])
    with pytest.raises(OSError, match="nowhere"):
        c.certify_motion([0], [1]).save(tmp_path / "nowhere" / "c.ftc")
    with pytest.raises(firsttouch_verify.Unreadable):
        firsttouch_verify.verify(open(__file__, "rb"))
