// The state of the page and everything that changes it. The parts of the page draw this state and call its methods.

import { Vector3 } from "three";
import { isTouch, provenUntil, touchTime } from "./answers";
import { type Event, Marker } from "./contact";
import type { Loaded } from "./document";
import type { Answer, Pair, Run, Vec3, ViewDocument } from "./format";
import { iconButton, relabel } from "./icons";
import { fillHelp } from "./keys";
import { forgetLabel, placeLabel } from "./label";
import { Panel } from "./panel";
import { Stage, type ViewName } from "./stage";
import { clock, el, withUnit } from "./text";
import { type ThemeName, THEMES } from "./theme";
import { Timeline } from "./timeline";

export interface State {
  time: number;
  run: number;
  playing: boolean;
  selected: number | undefined;
  hidden: Set<number>;
  ghosts: boolean;
  collision: boolean;
  theme: ThemeName;
  speed: number;
}

const byId = <T extends Element>(id: string): T => document.getElementById(id) as unknown as T;

export class App {
  readonly state: State = {
    time: 0,
    run: 0,
    playing: false,
    selected: undefined,
    hidden: new Set(),
    ghosts: false,
    collision: false,
    theme: "light",
    speed: 1,
  };
  readonly document: ViewDocument;
  /** Undefined if the browser cannot draw in three dimensions. */
  readonly stage: Stage | undefined;
  started = false;
  private readonly timeline: Timeline;
  private readonly panel: Panel;
  private marker: Marker | undefined;
  private pair: Pair | undefined;
  private readonly chip = byId<HTMLElement>("chip");
  private readonly buttons: Record<"ghosts" | "collision" | "theme" | "close", HTMLButtonElement>;
  private last = 0;

  constructor(
    private readonly loaded: Loaded,
    theme: ThemeName,
  ) {
    this.document = loaded.document;
    this.state.theme = theme;
    document.documentElement.dataset.theme = theme;
    document.title = `${loaded.document.title} · firsttouch`;
    const canvas = byId<HTMLCanvasElement>("canvas");
    try {
      this.stage = new Stage(canvas, loaded, THEMES[theme]);
    } catch (error) {
      if (!(error as Error).message.includes("WebGL")) throw error;
      notice(
        "This browser cannot draw in three dimensions (WebGL is off). The answer and the times are shown without a picture.",
      );
    }
    this.panel = new Panel(byId("panel"), this, loaded.document);
    this.timeline = new Timeline(byId("dock"), this, loaded);
    const hasRoles = loaded.document.bodies.some((body) => body.shapes.some((shape) => shape.role));
    this.buttons = {
      ghosts: iconButton("ghosts", "Ghosts of start, touch and end", "g", () => this.setGhosts(!this.state.ghosts)),
      collision: iconButton("shapes", "Show collision shapes", "v", () => this.setCollision(!this.state.collision)),
      close: iconButton("zoom", "Look closely at the touch", "c", () => this.closeUp()),
      theme: iconButton("dark", "Dark", "d", () => this.toggleTheme()),
    };
    this.buttons.collision.hidden = !hasRoles;
    byId<HTMLElement>("tools").append(
      iconButton("fit", "Fit everything", "f", () => this.fit()),
      this.buttons.close,
      this.buttons.ghosts,
      this.buttons.collision,
      this.buttons.theme,
      iconButton("help", "Keys and help", "?", () => this.help()),
    );
    fillHelp(byId<HTMLDialogElement>("help"));
    if (this.stage) {
      this.stage.beforeDraw = () => this.beforeDraw();
      this.listenToClicks(canvas);
    }
    this.setRun(0);
    if (this.stage) {
      // The dock has its height now, so this is the size that stays.
      const scene = byId<HTMLElement>("scene");
      const tools = byId<HTMLElement>("tools");
      const resize = (): void => {
        this.stage!.headroom = tools.offsetHeight > 0 ? tools.offsetTop + tools.offsetHeight : 0;
        this.stage!.resize(scene.clientWidth, scene.clientHeight);
      };
      resize();
      new ResizeObserver(resize).observe(scene);
    }
    this.view("iso");
    this.started = true;
  }

  get run(): Run {
    return this.document.runs[this.state.run];
  }

  /** The target of a jump: the touch, the end of the proof, or the least clearance. */
  get target(): number | undefined {
    return targetOf(this.run);
  }

  /** The bodies that stand out: the selected one, or both of the selected pair. */
  get selection(): Set<number> {
    if (this.pair) return new Set(this.pair.bodies);
    return new Set(this.state.selected === undefined ? [] : [this.state.selected]);
  }

  // Time

  setTime(time: number): void {
    const { duration } = this.run;
    this.state.time = Number.isFinite(time) ? Math.min(duration, Math.max(0, time)) : 0;
    this.stage?.setTime(this.state.time);
    this.marker?.setTime(this.state.time, duration);
    this.timeline.setTime(this.state.time);
    this.paintChip();
  }

  step(steps: number): void {
    this.setTime(this.state.time + (steps * this.run.duration) / 100);
  }

  jump(): void {
    this.pause();
    const target = this.pair ? (touchTime(this.pair) ?? this.target) : this.target;
    if (target !== undefined) this.setTime(target);
  }

  togglePlay(): void {
    if (this.state.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.state.playing) return;
    if (this.state.time >= this.run.duration) this.setTime(0);
    this.state.playing = true;
    this.timeline.setPlaying(true);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    this.state.playing = false;
    this.timeline.setPlaying(false);
    this.paintChip();
  }

  private tick(now: number): void {
    if (!this.state.playing) return;
    const { duration, segments } = this.run;
    // In real time if the unit is known; else four seconds for the whole, or one and a half for each segment of a path.
    const whole = this.document.time_unit === "s" ? duration : segments ? 1.5 * (segments.length - 1) : 4;
    const time = this.state.time + (Math.max(0, now - this.last) / 1000 / whole) * duration * this.state.speed;
    this.last = now;
    this.setTime(time);
    if (this.state.time >= duration) this.pause();
    else requestAnimationFrame((next) => this.tick(next));
  }

  setSpeed(speed: number): void {
    this.state.speed = speed;
  }

  setRun(index: number): void {
    const { runs } = this.document;
    if (!(index >= 0 && index < runs.length)) return;
    this.pause();
    this.state.run = index;
    this.pair = undefined;
    this.stage?.setRun(this.run, this.loaded);
    this.timeline.setRun(this.run);
    this.panel.setRun(this.run);
    this.repaint();
    this.setTime(this.target ?? 0);
    if (this.stage && !this.stage.moved) this.stage.fit();
    if (this.state.ghosts) this.setGhosts(true);
  }

  // Visible bodies

  select(body: number | undefined): void {
    this.pair = undefined;
    this.state.selected = body;
    this.repaint();
    if (body !== undefined) this.panel.reveal(body);
  }

  selectPair(pair: Pair): void {
    this.state.selected = undefined;
    this.pair = this.pair === pair ? undefined : pair;
    this.repaint();
    const time = this.pair && (touchTime(pair) ?? (pair.answer === "undecided" ? pair.free_until : undefined));
    if (time !== undefined) {
      this.pause();
      this.setTime(time);
    }
  }

  setHidden(bodies: number[], hidden: boolean): void {
    for (const body of bodies) {
      if (hidden) this.state.hidden.add(body);
      else this.state.hidden.delete(body);
    }
    this.stage?.setHidden(this.state.hidden);
    this.panel.refresh((body) => this.stage?.colorOf(body) ?? "#888");
    if (this.state.ghosts) this.setGhosts(true);
  }

  hideSelected(): void {
    const bodies = [...this.selection];
    if (bodies.length > 0) this.setHidden(bodies, !bodies.every((body) => this.state.hidden.has(body)));
  }

  setGhosts(ghosts: boolean): void {
    this.state.ghosts = ghosts;
    this.buttons.ghosts.setAttribute("aria-pressed", String(ghosts));
    const { duration, answer } = this.run;
    const touch = touchTime(answer);
    if (ghosts) this.stage?.showGhosts([...new Set([0, ...(touch === undefined ? [] : [touch]), duration])]);
    else this.stage?.clearGhosts();
  }

  setCollision(collision: boolean): void {
    this.state.collision = collision;
    relabel(this.buttons.collision, "shapes", collision ? "Show visual shapes" : "Show collision shapes", "v");
    this.buttons.collision.setAttribute("aria-pressed", String(collision));
    this.stage?.showCollision(collision);
    if (this.state.ghosts) this.setGhosts(true);
  }

  toggleTheme(): void {
    this.setTheme(this.state.theme === "light" ? "dark" : "light");
  }

  setTheme(theme: ThemeName): void {
    this.state.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.repaint();
    if (this.state.ghosts) this.setGhosts(true);
  }

  /** Colours, the selection and the marks of the touch. */
  repaint(): void {
    const { theme } = this.state;
    relabel(this.buttons.theme, theme === "light" ? "dark" : "light", theme === "light" ? "Dark" : "Light", "d");
    this.stage?.paint(THEMES[theme], this.event()?.bodies ?? this.labelled().bodies, this.selection);
    this.panel.refresh((body) => this.stage?.colorOf(body) ?? "#888");
    this.timeline.setSelectedPair(this.pair);
    if (!this.stage) return;
    this.marker?.dispose();
    forgetLabel();
    const event = this.event();
    this.marker = event && new Marker(event, this.stage, THEMES[theme]);
    if (this.marker) {
      this.stage.scene.add(this.marker.group);
      this.marker.setTime(this.state.time, this.run.duration);
    }
    this.buttons.close.disabled = !this.marker;
    this.paintChip();
    this.stage.draw();
  }

  /** The answer shown by colours and marks: that of the selected pair, or of the run. */
  labelled(): Answer {
    return this.pair ?? this.run.answer;
  }

  /** The event that the marks in the scene show: the touch of the pair or of the run, or the least clearance. */
  private event(): Event | undefined {
    const answer = this.labelled();
    const time = touchTime(answer);
    if (time !== undefined && answer.points && answer.bodies) {
      const { bodies, points, normal, marks } = answer;
      const others = answer === this.run.answer ? this.run.contacts?.map(({ points: [a, b] }) => middle(a, b)) : undefined;
      return { kind: "touch", time, bodies, points, normal, marks, others: (others?.length ?? 0) > 1 ? others : undefined };
    }
    const least = this.run.clearance?.least;
    if (least?.points && least.bodies && !isTouch(this.run.answer)) {
      return { kind: "least", time: least.time, bodies: least.bodies, points: least.points };
    }
    return undefined;
  }

  // Camera

  view(view: ViewName): void {
    if (!this.stage) return;
    const { answer } = this.run;
    const across: Vector3[] = [];
    if (answer.normal) across.push(new Vector3(...answer.normal));
    for (const body of answer.bodies ?? []) across.push(this.way(body));
    const seen = (answer.points ?? []).map((point) => new Vector3(...point));
    for (const { moves, box, root } of this.stage.bodies.slice(0, 100)) {
      if (moves && !box.isEmpty()) seen.push(box.getCenter(new Vector3()).applyMatrix4(root.matrix));
    }
    this.stage.fit(this.stage.direction(view, across, seen), false);
  }

  /** The direction in which a body goes, and 0 if it does not go anywhere. */
  private way(body: number): Vector3 {
    const view = this.stage!.bodies[body];
    const [from, to] = [view.root.matrix.clone(), view.root.matrix.clone()];
    view.track.at(0, from);
    view.track.at(this.run.duration, to);
    const way = new Vector3().setFromMatrixPosition(to).sub(new Vector3().setFromMatrixPosition(from));
    return way.length() > 0.05 * this.stage!.radius ? way.normalize() : way.set(0, 0, 0);
  }

  fit(): void {
    this.stage?.fit(undefined, true);
  }

  closeUp(): void {
    if (!this.stage || !this.marker) return;
    this.jump();
    // Close enough to see the features, if they are known.
    const size = Math.max(
      0,
      ...(this.marker.event.marks ?? []).flat().map((p) => this.marker!.anchor.distanceTo(new Vector3(...p))),
    );
    this.stage.approach(this.marker.anchor, Math.min(this.stage.radius, Math.max(size * 9, this.stage.radius * 0.16)));
  }

  help(): void {
    const dialog = byId<HTMLDialogElement>("help");
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  private listenToClicks(canvas: HTMLCanvasElement): void {
    let down = { x: 0, y: 0 };
    canvas.addEventListener("pointerdown", (event) => (down = { x: event.clientX, y: event.clientY }));
    canvas.addEventListener("pointerup", (event) => {
      // A click, not the end of a turn.
      if (event.button !== 0 || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4) return;
      const box = canvas.getBoundingClientRect();
      const body = this.stage!.pick(event.clientX - box.left, event.clientY - box.top);
      this.select(body === this.state.selected ? undefined : body);
    });
  }

  // Text over the scene

  private beforeDraw(): void {
    this.marker?.resize();
    placeLabel(this, this.marker);
  }

  private paintChip(): void {
    const { time, playing } = this.state;
    const { run } = this;
    const until = provenUntil(run.answer, run.duration);
    const touch = touchTime(run.answer);
    const [look, text] =
      touch !== undefined && Math.abs(time - touch) <= run.duration * 1e-6
        ? ["touch", "touch"]
        : run.answer.answer === "free" || time < until
          ? ["free", "proven free"]
          : touch !== undefined && time > touch
            ? ["unknown", "after the touch"]
            : ["undecided", "not decided"];
    const shown = `t = ${withUnit(clock(time, run.duration), this.document.time_unit)}`;
    this.chip.className = look;
    this.chip.replaceChildren(el("b", {}, text), el("span", {}, shown));
    // During playback, sixty announcements a second would be useless.
    this.chip.setAttribute("aria-live", playing ? "off" : "polite");
  }
}

function targetOf(run: Run): number | undefined {
  if (run.answer.answer === "undecided") return run.answer.free_until;
  return touchTime(run.answer) ?? run.clearance?.least?.time;
}

const middle = (a: Vec3, b: Vec3): Vec3 => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2];

/** A message over the scene. */
export function notice(text: string): void {
  const box = byId<HTMLElement>("notice");
  box.textContent = text;
  box.hidden = false;
}
