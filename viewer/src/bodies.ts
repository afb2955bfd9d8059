// Bodies of the document as objects of three.js: their shapes, colours, and places at a time.

import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  CircleGeometry,
  Color,
  DoubleSide,
  FrontSide,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshPhongMaterial,
  type Object3D,
  Points,
  PointsMaterial,
  Quaternion,
  ShaderMaterial,
  Vector3,
} from "three";
import type { Loaded } from "./document";
import type { Body, Run } from "./format";
import { poseOf, resting, sampled, type Track } from "./motion";
import { build, type Built, vertexNormals } from "./shapes";
import type { Theme } from "./theme";

/** A drawn object, with the material for the picture and the one that tells bodies apart when a click is looked up. */
interface Drawn {
  object: Object3D & { material: Material };
  shown: Material;
  id?: Material;
}

export class BodyView {
  readonly root = new Group();
  readonly surface: MeshPhongMaterial;
  private readonly lines: LineBasicMaterial;
  private readonly dots: ShaderMaterial;
  private readonly loose: PointsMaterial;
  private readonly strings = new LineBasicMaterial();
  private readonly drawn: Drawn[] = [];
  private readonly roles: { group: Group; role: string | undefined }[] = [];
  readonly box = new Box3();
  readonly triangles: number;
  track: Track;

  constructor(
    readonly body: Body,
    readonly index: number,
    readonly builts: Built[],
  ) {
    this.track = resting(body);
    this.surface = new MeshPhongMaterial({ shininess: 28, specular: 0x1c1c1c });
    this.lines = new LineBasicMaterial({ transparent: true });
    this.dots = pointsMaterial();
    this.loose = new PointsMaterial({ size: 6, sizeAttenuation: false });
    this.root.matrixAutoUpdate = false;
    this.root.name = body.name;
    this.triangles = builts.reduce((sum, built) => sum + built.triangles, 0);
    body.shapes.forEach((shape, i) => {
      const group = new Group();
      group.matrixAutoUpdate = false;
      group.matrix.copy(poseOf(shape));
      this.draw(builts[i], group);
      this.box.union(builts[i].box.clone().applyMatrix4(group.matrix));
      this.roles.push({ group, role: shape.role });
      this.root.add(group);
    });
    this.showCollision(false);
  }

  private draw(built: Built, group: Group): void {
    const id = idColor(this.index);
    const add = (object: Drawn["object"], idMaterial?: Material): void => {
      this.drawn.push({ object, shown: object.material, id: idMaterial });
      group.add(object);
    };
    const side = built.closed ? FrontSide : DoubleSide;
    if (built.kind === "surface") {
      this.surface.flatShading = built.flat;
      this.surface.side = side;
      const mesh = new Mesh(built.geometry, this.surfaceFor(built));
      mesh.castShadow = true;
      // A mesh need not be oriented, so the usual remedy against self-shading could do the opposite.
      mesh.receiveShadow = built.closed;
      if (built.deform) darkBack(this.surface);
      if (built.triangles > 0) add(mesh, new MeshBasicMaterial({ color: id, side }));
      if (built.creases) add(new LineSegments(built.creases, this.lines));
      if (built.looseEdges) add(new LineSegments(built.looseEdges, this.strings), new LineBasicMaterial({ color: id }));
      if (built.loosePoints) {
        add(new Points(built.loosePoints, this.loose), new PointsMaterial({ color: id, size: 9, sizeAttenuation: false }));
      }
    } else if (built.kind === "points") {
      const points = new Points(built.geometry, this.dots);
      const { min, max } = built.box;
      const height = { value: new Vector3(min.z, max.z, 0) };
      this.dots.uniforms.radius.value = built.radius ?? 0;
      this.dots.uniforms.height = height;
      const idMaterial = pointsMaterial();
      idMaterial.uniforms.radius.value = built.radius ?? 0;
      idMaterial.uniforms.flatColor.value = 1;
      idMaterial.uniforms.color.value = id;
      add(points, idMaterial);
    } else if (built.kind === "cells") {
      this.surface.flatShading = true;
      const mesh = cells(built, this.surface);
      mesh.castShadow = mesh.receiveShadow = true;
      add(mesh, new MeshBasicMaterial({ color: id }));
    } else {
      const plane = new Mesh(new CircleGeometry(1, 96), this.surface);
      this.surface.side = DoubleSide;
      this.surface.transparent = true;
      this.surface.opacity = 0.6;
      this.surface.alphaMap = fading();
      this.surface.depthWrite = false;
      const { normal, offset } = built.plane!;
      plane.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
      plane.position.copy(normal).multiplyScalar(offset);
      plane.userData.endless = true;
      add(plane, new MeshBasicMaterial({ color: id, side: DoubleSide }));
    }
  }

  /** Bodies of several shapes may mix smooth and flat ones; those that differ from the first get a copy. */
  private surfaceFor(built: Built): MeshPhongMaterial {
    const first = this.builts.find((other) => other.kind === "surface");
    if (!first || first === built || (first.flat === built.flat && first.closed === built.closed)) return this.surface;
    const copy = this.surface.clone();
    copy.flatShading = built.flat;
    copy.side = built.closed ? FrontSide : DoubleSide;
    this.copies.push(copy);
    return copy;
  }
  private readonly copies: MeshPhongMaterial[] = [];

  /** True if its pose or its vertices change. */
  get moves(): boolean {
    return this.track.moves || this.builts.some((built) => built.deform);
  }
  get deforms(): boolean {
    return this.builts.some((built) => built.deform);
  }
  get endless(): boolean {
    return this.builts.some((built) => built.plane);
  }

  follow(run: Run, loaded: Loaded): void {
    const motion = run.motions.find((motion) => motion.body === this.index);
    this.track = motion ? sampled(motion, loaded, `the motion of body ${this.index}`) : resting(this.body);
  }

  setTime(time: number): void {
    this.track.at(time, this.root.matrix);
    this.root.matrixWorldNeedsUpdate = true;
    for (const built of this.builts) built.deform?.set(time);
  }

  showCollision(collision: boolean): void {
    for (const { group, role } of this.roles) group.visible = !role || (role === "collision") === collision;
  }

  /** Sets the size and the place at which endless shapes are drawn. */
  reach(center: Vector3, radius: number): void {
    for (const { object } of this.drawn) {
      if (!object.userData.endless) continue;
      object.scale.setScalar(radius);
      const plane = this.builts.find((built) => built.plane)!.plane!;
      const local = center.clone().applyMatrix4(this.root.matrix.clone().invert());
      object.position.copy(local).addScaledVector(plane.normal, plane.offset - local.dot(plane.normal));
    }
  }

  paint(theme: Theme, color: Color, look: { selected: boolean; dimmed: boolean }): void {
    const tinted = look.dimmed
      ? color.clone().lerp(theme.name === "light" ? new Color("#e3e6eb") : new Color("#3a404a"), 0.55)
      : color;
    for (const material of [this.surface, ...this.copies]) {
      material.color.copy(tinted);
      material.emissive.copy(look.selected ? theme.selected : new Color(0));
      material.emissiveIntensity = look.selected ? 0.28 : 0;
    }
    this.lines.color.copy(look.selected ? theme.selected : theme.crease);
    this.lines.opacity = look.selected ? 1 : theme.creaseOpacity;
    const thin = look.selected ? theme.selected : tinted.clone().lerp(theme.crease, 0.35);
    this.loose.color.copy(thin);
    this.strings.color.copy(thin);
    // A cloud is all surface: slightly calmer than a body, but still in the colour of its side.
    const calm = tinted.clone().lerp(theme.resting[0], 0.2);
    this.dots.uniforms.color.value = look.selected ? calm.lerp(theme.selected, 0.5) : calm;
  }

  /** The number of pixels of the drawing that a length of 1 at a distance of 1 takes; points need it. */
  setPixels(pixels: number): void {
    for (const { shown, id } of this.drawn) {
      for (const material of [shown, id]) {
        if (material instanceof ShaderMaterial) material.uniforms.pixels.value = pixels;
      }
    }
  }

  /** Swaps to the colours that tell bodies apart, and back. */
  showIds(on: boolean): void {
    for (const { object, shown, id } of this.drawn) {
      object.visible = !on || !!id;
      object.material = on && id ? id : shown;
    }
  }

  /** A translucent copy at a time. Its depth is drawn first, so that only its outside is seen. */
  ghost(time: number, material: Material): Object3D {
    const copy = new Group();
    copy.matrixAutoUpdate = false;
    this.track.at(time, copy.matrix);
    this.body.shapes.forEach((shape, i) => {
      const built = this.builts[i];
      const { group } = this.roles[i];
      if (!group.visible || built.kind === "plane" || built.kind === "points") return;
      let object: Object3D;
      if (built.kind === "cells") object = cells(built, material);
      else object = new Mesh(built.deform ? frozen(built, time) : built.geometry, material);
      object.matrixAutoUpdate = false;
      object.matrix.copy(poseOf(shape));
      object.renderOrder = 2;
      const depth = object.clone() as Mesh;
      depth.material = DEPTH_ONLY;
      depth.renderOrder = 1;
      copy.add(object, depth);
    });
    return copy;
  }

  /** The way of the body's middle over the run; undefined if it does not move. */
  trail(duration: number, material: LineBasicMaterial): Line | undefined {
    if (!this.track.moves || this.box.isEmpty()) return undefined;
    const center = this.box.getCenter(new Vector3());
    const points: Vector3[] = [];
    const pose = new Matrix4();
    for (let i = 0; i <= 96; i++) points.push(center.clone().applyMatrix4(this.track.at((duration * i) / 96, pose)));
    return new Line(new BufferGeometry().setFromPoints(points), material);
  }
}

/** All bodies of a document; bodies share the objects that are built from a geometry. */
export function buildBodies(loaded: Loaded): BodyView[] {
  const { geometries, bodies } = loaded.document;
  const built = new Map<number, Built>();
  const get = (index: number): Built => {
    let found = built.get(index);
    if (!found) built.set(index, (found = build(geometries[index], loaded, `geometry ${index}`)));
    return found;
  };
  return bodies.map(
    (body, index) =>
      new BodyView(
        body,
        index,
        body.shapes.map((shape) => get(shape.geometry)),
      ),
  );
}

/** The back of a cloth is darker than its front, so that folds are seen. Other meshes need not be oriented. */
function darkBack(material: MeshPhongMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <color_fragment>",
      "#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb *= 0.66;",
    );
  };
}

/** Counts as transparent, so that it is drawn after all solid bodies. */
const DEPTH_ONLY = new MeshBasicMaterial({
  colorWrite: false,
  transparent: true,
  side: DoubleSide,
  polygonOffset: true,
  polygonOffsetFactor: 1,
  polygonOffsetUnits: 2,
});

let fade: CanvasTexture | undefined;

/** White in the middle, black at the rim: endless shapes fade out. */
function fading(): CanvasTexture {
  if (fade) return fade;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 256;
  const context = canvas.getContext("2d")!;
  const gradient = context.createRadialGradient(128, 128, 30, 128, 128, 127);
  gradient.addColorStop(0, "#fff");
  gradient.addColorStop(1, "#000");
  context.fillStyle = gradient;
  context.fillRect(0, 0, 256, 256);
  return (fade = new CanvasTexture(canvas));
}

function frozen(built: Built, time: number): BufferGeometry {
  const geometry = new BufferGeometry();
  const positions = new Float32Array(built.geometry.getAttribute("position").array.length);
  built.deform!.at(time, positions);
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(built.geometry.index);
  geometry.setAttribute("normal", new BufferAttribute(vertexNormals(positions, built.geometry.index!.array).normals, 3));
  return geometry;
}

function cells(built: Built, material: Material): InstancedMesh<BufferGeometry, Material> {
  const centers = built.geometry.getAttribute("position").array;
  const sizes = built.sizes!;
  const mesh = new InstancedMesh<BufferGeometry, Material>(new BoxGeometry(1, 1, 1), material, sizes.length);
  const matrix = new Matrix4();
  for (let i = 0; i < sizes.length; i++) {
    const s = sizes[i] * 0.96;
    matrix.makeScale(s, s, s).setPosition(centers[3 * i], centers[3 * i + 1], centers[3 * i + 2]);
    mesh.setMatrixAt(i, matrix);
  }
  mesh.frustumCulled = false;
  return mesh;
}

/** The index of a body as a colour that survives the round trip through 8 bits; 0 is nothing. */
function idColor(index: number): Color {
  const id = index + 1;
  // Linear values: colours that are drawn into a render target are not converted.
  return new Color().setRGB(((id >> 16) & 255) / 255, ((id >> 8) & 255) / 255, (id & 255) / 255);
}

/** Points as small shaded balls, a little darker further down. */
function pointsMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: {
      color: { value: new Color() },
      radius: { value: 0.01 },
      pixels: { value: 500 },
      flatColor: { value: 0 },
      height: { value: new Vector3(0, 1, 0) },
    },
    vertexShader: `
      uniform float radius; uniform float pixels; uniform vec3 height;
      varying float level;
      void main() {
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        gl_Position = projectionMatrix * seen;
        gl_PointSize = max(2.0, 2.0 * radius * pixels / -seen.z);
        level = clamp((position.z - height.x) / max(height.y - height.x, 1e-9), 0.0, 1.0);
      }`,
    fragmentShader: `
      uniform vec3 color; uniform float flatColor;
      varying float level;
      void main() {
        vec2 p = gl_PointCoord * 2.0 - 1.0;
        float r = dot(p, p);
        if (r > 1.0) discard;
        if (flatColor > 0.5) { gl_FragColor = vec4(color, 1.0); return; }
        vec3 normal = vec3(p.x, -p.y, sqrt(1.0 - r));
        float light = 0.6 + 0.45 * max(dot(normal, normalize(vec3(-0.4, 0.7, 0.6))), 0.0);
        gl_FragColor = vec4(color * light * mix(0.6, 1.08, level), 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
