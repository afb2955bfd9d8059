"""Compares the world poses of all geoms with those of MuJoCo. Run by hand: it needs `pip install mujoco numpy`.

    cargo run -p firsttouch-io --example mjcf_poses -- MODEL.xml 100 | python compare.py MODEL.xml

A mesh is compared by its vertices, because MuJoCo moves meshes into the frames of their inertia.
"""

import json
import sys

import mujoco
import numpy as np


def main() -> None:
    path = sys.argv[1]
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    names = ["trans_x", "trans_y", "trans_z", "rot_w", "rot_x", "rot_y", "rot_z"]
    largest, points, compared, seen = 0.0, 0.0, 0, set()
    for line in sys.stdin:
        case = json.loads(line)
        q = case["variables"]
        for j in range(model.njnt):
            joint = model.joint(j)
            first, kind = model.jnt_qposadr[j], model.jnt_type[j]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                data.qpos[first : first + 7] = [q[f"{joint.name}/{name}"] for name in names]
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                data.qpos[first : first + 4] = [q[f"{joint.name}/{name}"] for name in names[3:]]
            else:
                data.qpos[first] = q[joint.name]
        mujoco.mj_kinematics(model, data)
        for name, ours in case["geoms"].items():
            g = model.geom(name).id
            xyz, turn = np.array(ours["xyz"]), np.array(ours["rows"])
            theirs, their_turn = data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3)
            if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH:
                # Their vertices are in single precision, and in the frame of the inertia.
                mesh = model.geom_dataid[g]
                start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
                vertices = model.mesh_vert[start : start + count].astype(float) @ their_turn.T + theirs
                points = max(points, np.abs(vertices - np.array(ours["points"])).max())
                if any(model.mesh_pos[mesh] != 0) and name != "knob":
                    continue
                # Without refpos and refquat, the transform to that frame also takes it back.
                by = np.zeros(9)
                mujoco.mju_quat2Mat(by, model.mesh_quat[mesh])
                back = their_turn @ by.reshape(3, 3).T
                off = max(np.abs(back - turn).max(), np.abs(theirs - back @ model.mesh_pos[mesh] - xyz).max())
            else:
                off = max(np.abs(theirs - xyz).max(), np.abs(their_turn - turn).max())
            if off > 1e-9:
                print(f"{name} is off by {off:.3g}")
            largest, compared = max(largest, off), compared + 1
            seen.add(name)
    unseen = {model.geom(g).name for g in range(model.ngeom)} - seen
    print(f"{path}: {compared} poses, largest difference {largest:.2e}, of mesh vertices {points:.2e}, not compared: {sorted(unseen)}")
    assert largest < 1e-9 and points < 1e-6 and compared > 0


if __name__ == "__main__":
    main()
