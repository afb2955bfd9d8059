"""``ft.widget.Drag`` without a browser: the requests of its sliders, and its answers."""

import numpy as np
import pytest

import firsttouch as ft

pytest.importorskip("anywidget")


def test_it_stops_where_it_touches(checker, edges):
    kinds = checker.check_motions(*edges).kind
    k = int(np.flatnonzero(kinds == "touch")[0])
    drag = ft.widget.Drag(checker, edges[0][k])
    assert drag.told == "free" and drag.picture.startswith("data:image/png;base64,") and drag.joints == checker.joint_names
    before = drag.picture
    drag.goal = edges[1][k].tolist()
    expected = checker.check_motion(edges[0][k], edges[1][k])
    assert np.allclose(drag.q, edges[0][k] + expected.free_until * (edges[1][k] - edges[0][k]))
    assert drag.touches and "touches" in drag.told and drag.picture != before
    # Back out of it, and look from elsewhere.
    drag.goal = edges[0][k].tolist()
    assert np.allclose(drag.q, edges[0][k]) and drag.told == "free" and not drag.touches
    before, drag.eye = drag.picture, [0.5, 0.1]
    assert drag.picture != before and len(drag.picture) < 30_000


def test_what_it_holds_and_wrong_starts(checker):
    checker.hold("pole", ft.Box([0.4, 0.02, 0.02]), "hand", ft.Pose([0.3, 0, 0]))
    assert ft.widget.Drag(checker).picture
    with pytest.raises(ValueError, match="q must"):
        ft.widget.Drag(checker, [0.0])
