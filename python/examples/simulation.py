"""Simulation: the steps of MuJoCo itself, each checked for a body that it passed through, and stopped there."""

import mujoco
import numpy as np

import firsttouch as ft

MODEL = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
  <geom name="floor" type="plane" size="9 9 1"/>
  <geom name="wall" type="box" size="0.002 1 1" pos="1.03 0 1"/>
  <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size="0.02" mass="1"/></body>
</worldbody></mujoco>"""

model = mujoco.MjModel.from_xml_string(MODEL)
data = mujoco.MjData(model)
data.qvel[0] = 20.0  # 0.2 m in a step, through a wall of 4 mm
checker = ft.mujoco.checker(model)

for step in range(20):
    before = ft.mujoco.configuration(model, data.qpos)
    mujoco.mj_step(model, data)
    answer = checker.check_motion(before, ft.mujoco.configuration(model, data.qpos))
    if not answer.is_free:
        break
assert data.ncon == 0 and set(answer.parts) == {"ball", "world"}, (data.ncon, answer)
print(f"MuJoCo: no contact in {step + 1} steps, the ball is at x = {data.qpos[0]:.3f}")
print(f"firsttouch: {answer.kind} {answer.parts} at t = {(step + answer.toi) * model.opt.timestep:.6f} s, at {np.round(answer.points[0], 4)}")
