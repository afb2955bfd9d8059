// The touch in the scene: the two points, the two features, the normal and the gap.
//
// Points and features are given in the world at the time of the touch. Each rides on its body, so before and after the
// touch one sees how far the two are from meeting. At the touch itself they turn red, with a ring, the normal and the
// filled features.

import {
  BufferGeometry,
  CanvasTexture,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  Line,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  Sprite,
  SpriteMaterial,
  SRGBColorSpace,
  Vector3,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { BodyView } from "./bodies";
import type { Vec3 } from "./format";
import type { Stage } from "./stage";
import type { Theme } from "./theme";

export interface Event {
  time: number;
  bodies: [number, number];
  points: [Vec3, Vec3];
  normal?: Vec3;
  marks?: [Vec3[], Vec3[]];
  /** Other contacts at the same time. */
  others?: Vec3[];
  /** A touch is red; the least distance of a free motion is green. */
  kind: "touch" | "least";
}

/** Pixels. */
const DOT = 13;
const RING = 46;
const ARROW = 74;

export class Marker {
  readonly group = new Group();
  /** The point at which the label points. */
  readonly anchor = new Vector3();
  /** True if the time is that of the event. */
  now = false;
  /** The distance of the two points at the time shown. */
  apart = 0;
  private readonly sides: { frame: Group; rides: boolean; inverse: Matrix4; view: BodyView; dot: Sprite; point: Vector3 }[];
  private readonly ring: Sprite;
  private readonly arrow = new Group();
  private readonly between: Line2;
  private readonly fills: MeshBasicMaterial[] = [];
  private readonly outlines: LineMaterial[] = [];
  private readonly corners: Sprite[] = [];
  private readonly others: Sprite[] = [];
  private readonly normal: Vector3 | undefined;
  private readonly color: Color;

  constructor(
    readonly event: Event,
    private readonly stage: Stage,
    private readonly theme: Theme,
  ) {
    this.color = event.kind === "touch" ? theme.touch : theme.free;
    this.group.renderOrder = 10;
    this.sides = event.bodies.map((body, side) => {
      const view = stage.bodies[body];
      const frame = new Group();
      frame.matrixAutoUpdate = false;
      const inverse = view.track.at(event.time, new Matrix4()).invert();
      const point = new Vector3(...event.points[side]);
      const dot = sprite(dotTexture(theme.sides[side]));
      dot.position.copy(point);
      frame.add(dot);
      this.drawMark(event.marks?.[side] ?? [], frame, theme.sides[side]);
      this.group.add(frame);
      return { frame, rides: !view.deforms, inverse, view, dot, point };
    });
    this.ring = sprite(ringTexture(this.color));
    this.between = this.line([new Vector3(), new Vector3(1, 0, 0)], this.color, 2.2);
    this.between.material.dashed = true;
    this.group.add(this.ring, this.between, this.arrow);
    for (const point of event.others ?? []) {
      const dot = sprite(dotTexture(this.color));
      dot.position.set(...point);
      this.others.push(dot);
      this.group.add(dot);
    }
    if (event.normal) {
      this.normal = new Vector3(...event.normal).normalize();
      const material = new MeshBasicMaterial({ color: this.color, depthTest: false, transparent: true });
      const shaft = new Mesh(new CylinderGeometry(0.022, 0.022, 0.8, 12).translate(0, 0.4, 0), material);
      const head = new Mesh(new ConeGeometry(0.085, 0.24, 20).translate(0, 0.88, 0), material);
      shaft.renderOrder = head.renderOrder = 12;
      this.arrow.add(shaft, head);
      this.arrow.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), this.normal));
    }
  }

  private drawMark(corners: Vec3[], frame: Group, color: Color): void {
    const points = corners.map((corner) => new Vector3(...corner));
    if (points.length === 1) {
      const corner = sprite(cornerTexture(color));
      corner.position.copy(points[0]);
      this.corners.push(corner);
      frame.add(corner);
    }
    if (points.length >= 3) {
      const flat: number[] = [];
      for (let i = 1; i + 1 < points.length; i++) for (const p of [points[0], points[i], points[i + 1]]) flat.push(p.x, p.y, p.z);
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new Float32BufferAttribute(flat, 3));
      // On its own surface, and behind the bodies in front of it.
      const material = new MeshBasicMaterial({
        color: color.clone().lerp(new Color("#fff"), 0.45),
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
        polygonOffset: true,
        polygonOffsetFactor: -2,
        polygonOffsetUnits: -4,
      });
      const fill = new Mesh(geometry, material);
      fill.renderOrder = 9;
      this.fills.push(material);
      frame.add(fill);
    }
    if (points.length >= 2) {
      const closed = points.length > 2 ? [...points, points[0]] : points;
      const width = points.length === 2 ? 4.5 : 2.5;
      for (const [shade, extra] of [
        [new Color("#fff"), 2.5],
        [color, 0],
      ] as const) {
        const outline = this.line(closed, shade, width + extra);
        this.outlines.push(outline.material);
        frame.add(outline);
      }
    }
  }

  private line(points: Vector3[], color: Color, width: number): Line2 {
    const geometry = new LineGeometry();
    geometry.setPositions(points.flatMap((p) => [p.x, p.y, p.z]));
    const material = new LineMaterial({ color: color.getHex(), linewidth: width, depthTest: false, transparent: true });
    const line = new Line2(geometry, material);
    line.renderOrder = 10;
    line.frustumCulled = false;
    return line;
  }

  /** Puts all marks at their places for a time. */
  setTime(time: number, duration: number): void {
    const { event } = this;
    this.now = Math.abs(time - event.time) <= duration * 1e-6;
    const world = this.sides.map(({ frame, rides, inverse, view, point }) => {
      frame.visible = rides || Math.abs(time - event.time) <= duration * 0.02;
      if (rides) view.track.at(time, frame.matrix).multiply(inverse);
      frame.matrixWorldNeedsUpdate = true;
      return point.clone().applyMatrix4(frame.matrix);
    });
    this.apart = world[0].distanceTo(world[1]);
    this.anchor.copy(world[0]).lerp(world[1], 0.5);
    this.ring.position.copy(this.anchor);
    this.arrow.position.copy(world[0]);
    this.ring.visible = this.now;
    // If the two points are one, a single dot in the colour of the touch shows it.
    const together = this.now && this.apart <= this.stage.radius * 2e-3;
    this.sides.forEach(({ dot }, side) => {
      dot.material.map = dotTexture(together ? this.color : this.theme.sides[side]);
    });
    this.arrow.visible = this.now && !!this.normal;
    for (const other of this.others) other.visible = this.now;
    for (const fill of this.fills) fill.opacity = this.now ? 0.62 : 0.25;
    for (const outline of this.outlines) outline.opacity = this.now ? 1 : 0.5;
    const far = this.sides.every(({ frame }) => frame.visible);
    this.between.visible = far && this.apart > this.stage.radius * 1e-5;
    if (this.between.visible) {
      this.between.geometry.setPositions(world.flatMap((p) => [p.x, p.y, p.z]));
      this.between.computeLineDistances();
    }
    this.between.material.color.copy(this.now || time > event.time ? this.color : this.theme.grid);
    this.between.material.dashed = !this.now;
  }

  /** Keeps sizes in pixels the same at any distance of the camera. */
  resize(): void {
    const pixel = this.stage.pixelAt(this.anchor);
    for (const { dot, point, frame } of this.sides) {
      dot.scale.setScalar(DOT * this.stage.pixelAt(point.clone().applyMatrix4(frame.matrix)));
    }
    for (const other of this.others) other.scale.setScalar(DOT * 0.75 * this.stage.pixelAt(other.position));
    for (const corner of this.corners) corner.scale.setScalar(24 * pixel);
    this.ring.scale.setScalar(RING * pixel);
    this.arrow.scale.setScalar(ARROW * pixel);
    this.between.material.dashSize = 7 * pixel;
    this.between.material.gapSize = 6 * pixel;
    const { clientWidth, clientHeight } = this.stage.canvas;
    for (const material of [this.between.material, ...this.outlines]) material.resolution.set(clientWidth, clientHeight);
  }

  dispose(): void {
    this.group.removeFromParent();
    this.group.traverse((object) => {
      if (object instanceof Mesh || object instanceof Line) object.geometry.dispose();
    });
  }
}

function sprite(map: CanvasTexture): Sprite {
  const made = new Sprite(new SpriteMaterial({ map, depthTest: false, transparent: true }));
  made.renderOrder = 11;
  return made;
}

const textures = new Map<string, CanvasTexture>();

function texture(name: string, draw: (context: CanvasRenderingContext2D) => void): CanvasTexture {
  let made = textures.get(name);
  if (!made) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 128;
    const context = canvas.getContext("2d")!;
    context.translate(64, 64);
    draw(context);
    made = new CanvasTexture(canvas);
    made.colorSpace = SRGBColorSpace;
    textures.set(name, made);
  }
  return made;
}

function disk(context: CanvasRenderingContext2D, radius: number, style: string): void {
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.fillStyle = style;
  context.fill();
}

/** A dot with a white rim. */
const dotTexture = (color: Color): CanvasTexture =>
  texture(`dot ${color.getHexString()}`, (context) => {
    disk(context, 63, "rgba(0, 0, 0, 0.5)");
    disk(context, 58, "#fff");
    disk(context, 42, color.getStyle());
  });

const ringTexture = (color: Color): CanvasTexture =>
  texture(`ring ${color.getHexString()}`, (context) => {
    context.globalAlpha = 0.16;
    disk(context, 62, color.getStyle());
    context.globalAlpha = 1;
    for (const [width, style] of [
      [13, "#fff"],
      [8, color.getStyle()],
    ] as const) {
      context.lineWidth = width;
      context.strokeStyle = style;
      context.beginPath();
      context.arc(0, 0, 56, 0, 2 * Math.PI);
      context.stroke();
    }
  });

/** A vertex: a square around the dot. */
const cornerTexture = (color: Color): CanvasTexture =>
  texture(`corner ${color.getHexString()}`, (context) => {
    for (const [width, style] of [
      [22, "#fff"],
      [11, color.getStyle()],
    ] as const) {
      context.lineWidth = width;
      context.strokeStyle = style;
      context.strokeRect(-46, -46, 92, 92);
    }
  });
