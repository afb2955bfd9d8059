// The scene: camera, light, floor, bodies and ghosts. It draws when the state has changed and rests otherwise.

import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Ray,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BodyView, buildBodies } from "./bodies";
import type { Loaded } from "./document";
import type { Run } from "./format";
import { poseOf } from "./motion";
import type { Theme } from "./theme";

/** Above this number of triangles there are no shadows: each triangle would be drawn twice. */
const MAX_SHADOWED = 200_000;

/** Above this number of triangles edges are not smoothed: without a graphics card that takes most of the time. */
const MAX_SMOOTHED = 400_000;

export type ViewName = "iso" | "front" | "side" | "top";

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly bodies: BodyView[];
  readonly controls: OrbitControls;
  /** The middle and the radius of everything over the whole run. */
  readonly center = new Vector3();
  radius = 1;
  /** Called before each picture, with the camera in place. */
  beforeDraw: () => void = () => {};
  private readonly renderer: WebGLRenderer;
  private readonly up: Vector3;
  private readonly key = new DirectionalLight(0xffffff, 1.85);
  private readonly hemisphere = new HemisphereLight(0xffffff, 0x888888, 1);
  /** Beside the camera, so that the visible side is never all in the shade. */
  private readonly head = new DirectionalLight(0xffffff, 0.5);
  private readonly floor = new Group();
  private readonly grid: ShaderMaterial;
  private readonly shadows = new ShadowMaterial({ transparent: true, depthWrite: false });
  private readonly ghosts = new Group();
  private readonly target = new WebGLRenderTarget(1, 1);
  private run: Run;
  private time = 0;
  private theme: Theme;
  /** The number of pixels at the upper edge that are covered. */
  headroom = 0;
  /** True if the camera is fitted to all bodies, false if it is fitted to the moving bodies and those near them. */
  private fitsAll = false;
  /** True if the user has chosen this view; otherwise it is fitted again when the window or the path changes. */
  moved = true;
  private requested = false;
  /** False until the page is complete: one picture of a large scene takes longer than the rest. */
  private open = false;
  /** Width, height and pixels per point; and those of the drawing. */
  private readonly size = new Vector3();
  private readonly drawnSize = new Vector3();
  private colors: Color[] = [];
  private hidden = new Set<number>();

  constructor(
    readonly canvas: HTMLCanvasElement,
    loaded: Loaded,
    theme: Theme,
  ) {
    this.bodies = buildBodies(loaded);
    const triangles = this.bodies.reduce((sum, body) => sum + body.triangles, 0);
    this.renderer = new WebGLRenderer({
      canvas,
      antialias: triangles <= MAX_SMOOTHED,
      alpha: true,
      powerPreference: "high-performance",
    });
    this.renderer.setClearColor(0, 0);
    this.theme = theme;
    this.run = loaded.document.runs[0];
    this.up = loaded.document.up === "y" ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
    this.camera.up.copy(this.up);
    for (const body of this.bodies) this.scene.add(body.root);

    this.renderer.shadowMap.enabled = triangles <= MAX_SHADOWED;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.key.castShadow = this.renderer.shadowMap.enabled;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.scene.add(
      this.hemisphere,
      this.key,
      this.key.target,
      new AmbientLight(0xffffff, 0.15),
      this.head,
      this.head.target,
      this.floor,
      this.ghosts,
    );
    this.hemisphere.position.copy(this.up);

    this.grid = gridMaterial();
    const plane = new PlaneGeometry(2, 2);
    const lines = new Mesh(plane, this.grid);
    const shade = new Mesh(plane, this.shadows);
    shade.receiveShadow = true;
    shade.renderOrder = -1;
    lines.renderOrder = -1;
    this.floor.add(shade, lines);
    this.floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => (this.moved = true));
    this.controls.addEventListener("change", () => this.draw());
  }

  /** The number of pictures that have been drawn. */
  pictures = 0;

  /** Shows another run: its motions and the space that they take. */
  setRun(run: Run, loaded: Loaded): void {
    this.run = run;
    for (const body of this.bodies) body.follow(run, loaded);
    this.measure();
    this.clearGhosts();
  }

  setTime(time: number): void {
    this.time = time;
    for (const body of this.bodies) {
      if (!this.hidden.has(body.index)) body.setTime(time);
    }
    this.placeGhosts();
    this.draw();
  }

  /** Sets the shown bodies; those that come back are put at their current places. */
  setHidden(hidden: Set<number>): void {
    this.hidden = new Set(hidden);
    for (const body of this.bodies) {
      body.root.visible = !hidden.has(body.index);
      if (body.root.visible) body.setTime(this.time);
    }
    this.draw();
  }

  showCollision(collision: boolean): void {
    for (const body of this.bodies) body.showCollision(collision);
    this.clearGhosts();
    this.draw();
  }

  /** Sets the colours: the two sides of the answer stand out; a selection dims the rest. */
  paint(theme: Theme, sides: [number, number] | undefined, selected: Set<number>): void {
    this.theme = theme;
    const groups = new Map<string, number>();
    let next = 0;
    this.colors = this.bodies.map((view) => {
      const key = view.body.group ?? `body ${view.index}`;
      if (!groups.has(key)) groups.set(key, next++);
      if (sides?.[0] === view.index) return theme.sides[0];
      if (sides?.[1] === view.index) return theme.sides[1];
      const palette = view.moves ? theme.moving : theme.resting;
      const color = palette[groups.get(key)! % palette.length];
      // Links of one robot have one colour, a little lighter and darker in turn.
      return view.body.group ? color.clone().multiplyScalar(view.index % 2 ? 0.93 : 1.04) : color;
    });
    for (const view of this.bodies) {
      const dimmed = selected.size > 0 && !selected.has(view.index);
      // A pair stands out by the colours of its sides.
      view.paint(theme, this.colors[view.index], { selected: selected.has(view.index) && selected.size === 1, dimmed });
    }
    this.grid.uniforms.color.value = theme.grid;
    this.shadows.opacity = theme.shadow;
    this.hemisphere.color.copy(theme.sky);
    this.hemisphere.groundColor.copy(theme.ground);
    this.draw();
  }

  colorOf(body: number): string {
    return `#${(this.colors[body] ?? new Color(0.5, 0.5, 0.5)).getHexString()}`;
  }

  // Ghosts

  /** Draws translucent copies of all moving bodies, at some times, and the ways in between. */
  showGhosts(times: number[]): void {
    this.clearGhosts();
    const moving = this.bodies.filter((view) => view.moves && view.root.visible);
    for (const view of moving) {
      const color = this.colors[view.index];
      const material = new MeshLambertMaterial({
        color,
        transparent: true,
        opacity: this.theme.ghostOpacity,
        depthWrite: false,
        side: DoubleSide,
      });
      for (const time of times) {
        const ghost = view.ghost(time, material);
        ghost.userData.time = time;
        this.ghosts.add(ghost);
      }
      const way = view.trail(this.run.duration, new LineBasicMaterial({ color, transparent: true, opacity: 0.7 }));
      if (way) this.ghosts.add(way);
    }
    this.placeGhosts();
    this.draw();
  }

  /** A ghost is not drawn where the body itself is. */
  private placeGhosts(): void {
    for (const ghost of this.ghosts.children) {
      const { time } = ghost.userData as { time?: number };
      ghost.visible = time === undefined || Math.abs(time - this.time) > 1e-6 * this.run.duration;
    }
  }

  clearGhosts(): void {
    this.ghosts.clear();
    this.draw();
  }

  get ghostCount(): number {
    return this.ghosts.children.length;
  }

  // Camera

  /** Corners of the box of a body, at several times of the run. */
  private cornersOf(view: BodyView): Vector3[] {
    const corners: Vector3[] = [];
    const pose = new Matrix4();
    const { min, max } = view.box;
    const times = view.track.moves ? 12 : 0;
    for (let i = 0; i <= times; i++) {
      view.track.at((this.run.duration * i) / Math.max(1, times), pose);
      for (let k = 0; k < 8; k++) {
        corners.push(new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(pose));
      }
    }
    return corners;
  }

  /** The same for all shown bodies. */
  private corners(): Vector3[] {
    const there = this.bodies.filter((view) => !view.box.isEmpty());
    const shown = there.filter((view) => view.root.visible);
    const corners = (shown.length > 0 ? shown : there).flatMap((view) => this.cornersOf(view));
    return corners.length > 0 ? corners : [new Vector3(-1, -1, -1), new Vector3(1, 1, 1)];
  }

  /**
   * The same for the moving bodies, with the surroundings near them. A robot in a large hall would otherwise be too
   * small to see.
   */
  private cornersNearMotion(): Vector3[] {
    const shown = this.bodies.filter((view) => view.root.visible && !view.box.isEmpty());
    const moving = shown.filter((view) => view.moves).flatMap((view) => this.cornersOf(view));
    const points = (this.run.answer.points ?? []).map((point) => new Vector3(...point));
    const near = new Box3().setFromPoints([...moving, ...points]);
    const reach = near.getSize(new Vector3()).length() / 2;
    if (moving.length === 0 || this.radius < 2.5 * reach) return this.corners();
    near.expandByScalar(0.8 * reach);
    const resting = shown.filter((view) => !view.moves).map((view) => this.cornersOf(view));
    const around = resting.filter((corners) => near.intersectsBox(new Box3().setFromPoints(corners))).flat();
    return [...moving, ...points, ...around.map((corner) => corner.clamp(near.min, near.max))];
  }

  private measure(): void {
    const corners = this.corners();
    const box = new Box3().setFromPoints(corners);
    box.getCenter(this.center);
    this.radius = corners.reduce((most, corner) => Math.max(most, corner.distanceTo(this.center)), 1e-12);
    let lowest = corners.reduce((least, corner) => Math.min(least, corner.dot(this.up)), Infinity);
    // A half-space that is a floor carries the grid; with another one there is none.
    const floors = this.bodies.flatMap((view) => view.builts.flatMap(({ plane }) => (plane && !view.moves ? [plane] : [])));
    const level = floors.length === 1 && floors[0].normal.dot(this.up) > 0.999 ? floors[0].offset : undefined;
    if (level !== undefined) lowest = level + this.radius * 0.006;
    const down = this.center.clone().addScaledVector(this.up, lowest - this.radius * 0.004 - this.center.dot(this.up));
    this.floor.position.copy(down);
    this.floor.scale.setScalar(this.radius * 4);
    this.floor.visible = level !== undefined || !this.bodies.some((view) => view.endless);
    // Lines of the grid at a round distance, about twelve across the scene.
    const rough = this.radius / 6;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough)! * power;
    this.grid.uniforms.step.value = step;
    this.grid.uniforms.extent.value = this.radius * 4;
    for (const view of this.bodies) {
      view.setTime(0);
      view.reach(this.center, this.radius * 2.5);
    }
    const light = this.key.shadow.camera;
    light.left = light.bottom = -this.radius * 1.5;
    light.right = light.top = this.radius * 1.5;
    light.near = this.radius * 0.5;
    light.far = this.radius * 8;
    light.updateProjectionMatrix();
    // Surfaces are moved along their normals by about two texels of the shadow, so that they do not shade themselves.
    this.key.shadow.normalBias = this.radius * 0.004;
    this.key.shadow.bias = -0.0006;
    const east = this.up.z ? new Vector3(0.5, -0.7, 0) : new Vector3(0.5, 0, 0.7);
    this.key.position
      .copy(this.center)
      .addScaledVector(this.up, this.radius * 3.4)
      .addScaledVector(east, this.radius * 1.6);
    this.key.target.position.copy(this.center);
    this.controls.minDistance = this.radius * 1e-4;
    this.controls.maxDistance = this.radius * 40;
  }

  /** The direction from the scene to the camera. */
  direction(view: ViewName, across: Vector3[] = [], seen: Vector3[] = []): Vector3 {
    const [x, y] = this.up.z ? [new Vector3(1, 0, 0), new Vector3(0, 1, 0)] : [new Vector3(1, 0, 0), new Vector3(0, 0, -1)];
    const turned = (azimuth: number, height: number): Vector3 =>
      new Vector3()
        .addScaledVector(x, Math.cos(azimuth) * Math.cos(height))
        .addScaledVector(y, Math.sin(azimuth) * Math.cos(height))
        .addScaledVector(this.up, Math.sin(height));
    if (view === "front") return turned(-Math.PI / 2, 0.02);
    if (view === "side") return turned(0, 0.02);
    if (view === "top") return turned(-Math.PI / 2, Math.PI / 2 - 0.001);
    // The important parts (the normal, the way of the bodies) are seen best from the side. The usual corner wins a
    // draw.
    let best = turned(-0.95, 0.42);
    let least = Infinity;
    for (const azimuth of [-0.95, -2.2, -0.4, -2.75, 0.6, 2.5, 1.2, -1.5]) {
      const candidate = turned(azimuth, 0.42);
      const along = across.reduce((sum, way) => sum + Math.abs(candidate.dot(way)), 0);
      const cost = 0.6 * along + this.covered(seen, candidate) + 0.02 * Math.abs(azimuth + 0.95);
      if (cost < least - 1e-9) [best, least] = [candidate, cost];
    }
    return best;
  }

  /**
   * The average number of boxes between some points and a far camera; a rough guess that only steers the first view.
   */
  private covered(points: Vector3[], direction: Vector3): number {
    let total = 0;
    for (const view of this.bodies.slice(0, 300)) {
      const inverse = view.root.matrix.clone().invert();
      view.body.shapes.forEach((shape, i) => {
        const { box } = view.builts[i];
        if (box.isEmpty() || view.builts[i].kind === "points" || shape.role === "collision") return;
        const local = poseOf(shape).invert().multiply(inverse);
        for (const point of points) {
          const ray = new Ray(
            point
              .clone()
              .addScaledVector(direction, this.radius * 0.02)
              .applyMatrix4(local),
            direction.clone().transformDirection(local),
          );
          if (!box.containsPoint(ray.origin) && ray.intersectsBox(box)) total++;
        }
      });
    }
    return Math.min(2, total / Math.max(1, points.length));
  }

  /**
   * Moves the camera so that all shown bodies are inside the picture, seen from `from`; or only those near the motion,
   * until all are requested.
   */
  fit(from: Vector3 = this.camera.position.clone().sub(this.controls.target), all = this.fitsAll): void {
    this.fitsAll = all;
    const back = from.clone().normalize();
    const right = new Vector3().crossVectors(this.up, back).normalize();
    const above = new Vector3().crossVectors(back, right);
    const whole = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = whole * this.camera.aspect;
    // The tools lie over the upper edge of the picture, which stays empty.
    const covered = Math.min(0.2, this.headroom / Math.max(1, this.canvas.clientHeight));
    const tall = whole * (1 - covered);
    const corners = all ? this.corners() : this.cornersNearMotion();
    const target = this.center.clone();
    let distance = 0;
    for (let pass = 0; pass < 3; pass++) {
      // Bounds of the visible part, as slopes from the camera; then their middle becomes the middle of the picture.
      const low = [Infinity, Infinity];
      const high = [-Infinity, -Infinity];
      let needed = 0;
      for (const corner of corners) {
        const relative = corner.clone().sub(target);
        const [x, y, z] = [relative.dot(right), relative.dot(above), relative.dot(back)];
        needed = Math.max(needed, Math.abs(x) / wide + z, Math.abs(y) / tall + z);
        const depth = Math.max(1e-9, (distance || this.radius * 4) - z);
        low[0] = Math.min(low[0], x / depth);
        low[1] = Math.min(low[1], y / depth);
        high[0] = Math.max(high[0], x / depth);
        high[1] = Math.max(high[1], y / depth);
      }
      distance = needed;
      if (pass < 2) {
        const depth = distance || this.radius * 4;
        target.addScaledVector(right, ((low[0] + high[0]) / 2) * depth).addScaledVector(above, ((low[1] + high[1]) / 2) * depth);
      }
    }
    distance = Math.max(distance * 1.08, this.radius * 1e-3);
    target.addScaledVector(above, covered * whole * distance);
    this.look(target, target.clone().addScaledVector(back, distance));
    this.moved = false;
  }

  look(target: Vector3, from: Vector3): void {
    this.moved = true;
    this.controls.target.copy(target);
    this.camera.position.copy(from);
    this.controls.update();
    this.draw();
  }

  /** Looks at a point from the same side, close by. */
  approach(point: Vector3, distance: number): void {
    const back = this.camera.position.clone().sub(this.controls.target).normalize();
    this.look(point, point.clone().addScaledVector(back, distance));
  }

  /** The length of one pixel at a point of the world. */
  pixelAt(point: Vector3): number {
    const depth = point.clone().sub(this.camera.position).dot(this.camera.getWorldDirection(new Vector3()));
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360) * Math.max(depth, 1e-12)) / this.canvas.clientHeight;
  }

  /** A point of the world in pixels of the canvas; undefined behind the camera. */
  project(point: Vector3): { x: number; y: number } | undefined {
    // The camera may have moved since the last picture.
    this.camera.updateMatrixWorld();
    const seen = point.clone().project(this.camera);
    if (!(Math.abs(seen.z) <= 1)) return undefined;
    return { x: ((seen.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - seen.y) / 2) * this.canvas.clientHeight };
  }

  resize(width: number, height: number): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    if (width === 0 || height === 0 || (this.size.x === width && this.size.y === height && this.size.z === ratio)) return;
    this.size.set(width, height, ratio);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.moved) this.fit();
    // At once: the observer of the size calls before the page is painted, so a stretched picture is never seen.
    if (this.open) this.drawNow();
  }

  // Drawing

  /** Requests a picture; several requests in a row give one. */
  draw(): void {
    if (this.requested || !this.open) return;
    this.requested = true;
    requestAnimationFrame(() => {
      if (this.requested) this.drawNow();
    });
  }

  drawNow(): void {
    this.open = true;
    this.requested = false;
    // A change of the size empties the canvas, so it is done just before the canvas is filled again.
    if (!this.size.equals(this.drawnSize)) {
      this.drawnSize.copy(this.size);
      this.renderer.setPixelRatio(this.size.z);
      this.renderer.setSize(this.size.x, this.size.y, false);
    }
    const away = this.camera.position.distanceTo(this.center);
    this.camera.near = Math.max(
      away - this.radius * 5,
      this.camera.position.distanceTo(this.controls.target) * 0.02,
      this.radius * 1e-5,
    );
    this.camera.far = away + this.radius * 8;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const pixels = this.canvas.height / 2 / tall;
    for (const view of this.bodies) view.setPixels(pixels);
    this.head.position
      .copy(this.camera.position)
      .addScaledVector(new Vector3(-0.5, 0.3, 0).applyQuaternion(this.camera.quaternion), away);
    this.head.target.position.copy(this.controls.target);
    this.beforeDraw();
    this.renderer.render(this.scene, this.camera);
    this.pictures++;
  }

  /** The body at a pixel of the canvas, or undefined. Every body is drawn into one pixel, in its own colour. */
  pick(x: number, y: number): number | undefined {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.camera.updateMatrixWorld();
    const others = this.scene.children.filter((child) => child.visible && !this.bodies.some((view) => view.root === child));
    const shadows = this.renderer.shadowMap.enabled;
    for (const child of others) child.visible = false;
    for (const view of this.bodies) view.showIds(true);
    this.renderer.shadowMap.enabled = false;
    this.camera.setViewOffset(width, height, x, y, 1, 1);
    this.renderer.setRenderTarget(this.target);
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    const pixel = new Uint8Array(4);
    this.renderer.readRenderTargetPixels(this.target, 0, 0, 1, 1, pixel);
    this.renderer.setRenderTarget(null);
    this.camera.clearViewOffset();
    this.renderer.shadowMap.enabled = shadows;
    for (const view of this.bodies) view.showIds(false);
    for (const child of others) child.visible = true;
    this.draw();
    const id = (pixel[0] << 16) | (pixel[1] << 8) | pixel[2];
    return pixel[3] > 0 && id > 0 && id <= this.bodies.length ? id - 1 : undefined;
  }

  /** The directions of the three axes on the screen, for the little compass. */
  axes(): Vector3[] {
    const turn = new Quaternion().copy(this.camera.quaternion).invert();
    return [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((axis) => axis.applyQuaternion(turn));
  }
}

/** Lines at round distances that fade away from the scene. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { color: { value: new Color() }, step: { value: 1 }, extent: { value: 1 } },
    vertexShader: `
      varying vec2 at;
      uniform float extent;
      void main() {
        at = position.xy * extent;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      varying vec2 at;
      uniform vec3 color; uniform float step; uniform float extent;
      float lines(float spacing) {
        vec2 cell = at / spacing;
        vec2 width = fwidth(cell);
        vec2 line = smoothstep(width * 1.2, width * 0.2, abs(fract(cell - 0.5) - 0.5));
        return max(line.x, line.y) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
      }
      void main() {
        float fade = 1.0 - smoothstep(0.2, 0.62, length(at) / extent);
        float strength = max(lines(step) * 0.16, lines(step * 5.0) * 0.3);
        gl_FragColor = vec4(color, strength * fade);
        #include <colorspace_fragment>
      }`,
  });
}
