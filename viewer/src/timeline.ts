// The dock at the bottom: play, the slider with the proven time, the clearance, and a row for every pair.
//
// All rows share one scale of time, so that a touch, a dip of the clearance and the end of a proof stand above each
// other.

import { isTouch, pairNames, provenUntil, STAGES, touchTime, WORDS } from "./answers";
import type { App } from "./app";
import type { Loaded } from "./document";
import type { Pair, Run } from "./format";
import { iconButton, relabel } from "./icons";
import { brief, briefDown, clock, count, el, exact, nameElement, withUnit } from "./text";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
/** Rows shown at once; more on request. */
const ROWS = 200;

export class Timeline {
  private readonly slider = el("input", { type: "range", id: "time", min: "0", step: "any", "aria-label": "Time" });
  private readonly readout = el("output", { id: "readout", for: "time" });
  private readonly total = el("span", { class: "side" });
  private readonly proven = el("div", { class: "track proven", "aria-hidden": "true" });
  private readonly play: HTMLButtonElement;
  private readonly jump: HTMLButtonElement;
  private readonly curve = el("div", { class: "row curve", id: "clearance" });
  private readonly pairs = el("div", { id: "pairs", role: "list", "aria-label": "Pairs over time" });
  private readonly cursors: HTMLElement[] = [];
  private readonly curveValue = el("span", { class: "side" });
  private readonly pairCount = el("span", { class: "count" });
  private readonly pairBox = el("details", { id: "pairbox", open: "" });
  private clearance: { times: ArrayLike<number>; lower: ArrayLike<number>; upper: ArrayLike<number> } | undefined;
  private rows = new Map<Pair, HTMLElement>();

  constructor(
    root: HTMLElement,
    private readonly app: App,
    private readonly loaded: Loaded,
  ) {
    this.play = iconButton("play", "Play", "space", () => app.togglePlay());
    this.jump = iconButton("touch", "Jump to the touch", "t", () => app.jump());
    this.jump.classList.add("jump");
    const speed = el("select", { id: "speed", "aria-label": "Speed" });
    for (const factor of SPEEDS) speed.append(el("option", { value: String(factor) }, `${factor}×`));
    speed.value = "1";
    speed.addEventListener("change", () => app.setSpeed(Number(speed.value)));
    const buttons = el(
      "div",
      { class: "buttons", role: "group", "aria-label": "Play" },
      iconButton("start", "Go to the start", "Home", () => app.setTime(0)),
      iconButton("back", "Step back", "ArrowLeft", () => app.step(-1)),
      this.play,
      iconButton("forward", "Step forward", "ArrowRight", () => app.step(1)),
      iconButton("end", "Go to the end", "End", () => app.setTime(app.run.duration)),
      this.jump,
      speed,
    );
    this.slider.addEventListener("input", () => app.setTime(Number(this.slider.value)));
    const slide = el(
      "div",
      { class: "row main" },
      el("div", { class: "lead" }, this.readout),
      el("div", { class: "slide" }, this.proven, this.slider),
      this.total,
    );
    const summary = el("summary", {}, "Pairs ", this.pairCount);
    this.pairBox.append(summary, this.pairs);
    root.append(buttons, slide, this.curve, this.pairBox);
    // A list that scrolls is narrower than the slider; its tracks must not be.
    new ResizeObserver(() => root.style.setProperty("--track", `${this.proven.clientWidth}px`)).observe(this.proven);
  }

  setRun(run: Run): void {
    this.slider.max = String(run.duration);
    this.total.textContent = withUnit(brief(run.duration), this.loaded.document.time_unit);
    this.cursors.length = 0;
    this.paintProven(run);
    this.paintCurve(run);
    this.paintPairs(run, ROWS);
    const target = this.app.target;
    this.jump.disabled = target === undefined;
    const label =
      run.answer.answer === "undecided"
        ? "Jump to where the proof ends"
        : isTouch(run.answer)
          ? "Jump to the touch"
          : "Jump to the least clearance";
    relabel(this.jump, "touch", label, "t");
    this.jump.dataset.answer = run.answer.answer;
  }

  setTime(time: number): void {
    const { run } = this.app;
    const { time_unit, length_unit } = this.loaded.document;
    this.slider.value = String(time);
    const text = clock(time, run.duration);
    this.readout.textContent = text;
    const until = provenUntil(run.answer, run.duration);
    const state =
      time < until || run.answer.answer === "free"
        ? "proven free"
        : time === touchTime(run.answer)
          ? "touch"
          : "beyond the proof";
    this.slider.setAttribute("aria-valuetext", `${withUnit(text, time_unit)} of ${brief(run.duration)}, ${state}`);
    for (const cursor of this.cursors) cursor.style.left = `${(100 * time) / run.duration}%`;
    if (this.clearance) {
      const at = this.clearanceAt(time);
      this.curveValue.textContent = at ? withUnit(`≈ ${brief(at[0], 3)}`, length_unit) : "";
      this.curveValue.title = at ? `between ${exact(at[0])} and ${exact(at[1])}, interpolated between samples` : "";
    }
  }

  setPlaying(playing: boolean): void {
    relabel(this.play, playing ? "pause" : "play", playing ? "Pause" : "Play", "space");
  }

  setSelectedPair(pair: Pair | undefined): void {
    for (const [other, row] of this.rows) row.setAttribute("aria-current", String(other === pair));
  }

  private span(parent: HTMLElement, from: number, to: number, className: string, title?: string): void {
    const { duration } = this.app.run;
    const [left, right] = [Math.max(0, from / duration), Math.min(1, to / duration)];
    const mark = el("div", { class: `span ${className}` });
    mark.style.left = `${100 * left}%`;
    mark.style.width = `${100 * Math.max(0, right - left)}%`;
    if (title) mark.title = title;
    parent.append(mark);
  }

  private tick(parent: HTMLElement, at: number, className: string, title?: string): void {
    const mark = el("div", { class: `tick ${className}` });
    mark.style.left = `${(100 * at) / this.app.run.duration}%`;
    if (title) mark.title = title;
    parent.append(mark);
  }

  private cursor(parent: HTMLElement): void {
    const cursor = el("div", { class: "cursor" });
    parent.append(cursor);
    this.cursors.push(cursor);
  }

  private paintProven(run: Run): void {
    const track = this.proven;
    track.replaceChildren();
    const until = provenUntil(run.answer, run.duration);
    this.span(track, until, run.duration, "unknown");
    this.span(track, 0, until, "free");
    for (const pair of run.pairs ?? []) {
      for (const overlap of pair.overlaps ?? [])
        this.span(track, overlap.from, overlap.to, overlap.certain ? "overlap" : "overlap maybe");
    }
    for (const at of run.segments?.slice(1, -1) ?? []) this.tick(track, at, "segment");
    const touch = touchTime(run.answer);
    if (touch !== undefined) this.tick(track, touch, "touch");
    else if (run.answer.answer === "undecided") this.tick(track, until, "undecided");
  }

  private paintCurve(run: Run): void {
    this.curve.replaceChildren();
    this.curve.hidden = !run.clearance;
    this.clearance = undefined;
    if (!run.clearance) return;
    const numbers = (data: NonNullable<Run["clearance"]>["times"]): ArrayLike<number> => this.loaded.numbers(data, "clearance");
    const { least } = run.clearance;
    const [times, lower, upper] = [numbers(run.clearance.times), numbers(run.clearance.lower), numbers(run.clearance.upper)];
    this.clearance = { times, lower, upper };
    const top = Array.from(upper).reduce((a, b) => Math.max(a, b), this.loaded.document.min_separation ?? 0) || 1;
    const x = (t: number): string => ((1000 * t) / run.duration).toFixed(2);
    const y = (v: number): string => (100 - (94 * Math.max(0, v)) / top).toFixed(2);
    const along = (values: ArrayLike<number>): string[] => Array.from(values, (v, i) => `${x(times[i])},${y(v)}`);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 1000 100");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute(
      "aria-label",
      `Clearance over time, at most ${brief(top)}${least ? `, least ${brief(least.lower)} at ${brief(least.time)}` : ""}`,
    );
    const path = (d: string, className: string): void => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", "path");
      element.setAttribute("d", d);
      element.setAttribute("class", className);
      svg.append(element);
    };
    const last = times.length - 1;
    path(`M${x(times[0])},100 L${along(lower).join(" ")} L${x(times[last])},100Z`, "area");
    path(`M${along(lower).join(" L")} L${along(upper).reverse().join(" ")}Z`, "band");
    path(`M${along(lower).join(" L")}`, "line");
    const separation = this.loaded.document.min_separation;
    if (separation) path(`M0,${y(separation)} L1000,${y(separation)}`, "separation");
    const track = el("div", { class: "track plot" });
    track.append(svg);
    if (least)
      this.tick(
        track,
        least.time,
        "least",
        `least: between ${exact(least.lower)} and ${exact(least.upper)} at t = ${exact(least.time)}`,
      );
    this.cursor(track);
    track.addEventListener("pointerdown", (event) => {
      const box = track.getBoundingClientRect();
      this.app.setTime(((event.clientX - box.left) / box.width) * run.duration);
    });
    const unit = this.loaded.document.length_unit;
    const lead = el(
      "div",
      { class: "lead" },
      el("span", { class: "axis" }, withUnit(brief(top, 3), unit)),
      el("span", {}, "Clearance"),
      el("span", { class: "axis" }, "0"),
    );
    this.curve.append(lead, track, this.curveValue);
  }

  private clearanceAt(time: number): [number, number] | undefined {
    const { times, lower, upper } = this.clearance!;
    const n = times.length;
    if (n === 0 || time < times[0] || time > times[n - 1]) return undefined;
    let i = 0;
    while (i + 2 < n && times[i + 1] <= time) i++;
    const j = Math.min(i + 1, n - 1);
    const s = times[j] > times[i] ? (time - times[i]) / (times[j] - times[i]) : 0;
    return [lower[i] + (lower[j] - lower[i]) * s, upper[i] + (upper[j] - upper[i]) * s];
  }

  private paintPairs(run: Run, limit: number): void {
    const list = run.pairs ?? [];
    this.rows.clear();
    this.pairs.replaceChildren();
    this.pairBox.hidden = list.length === 0;
    this.pairCount.textContent = count(list.length);
    for (const pair of list.slice(0, limit)) {
      const row = this.row(pair, run);
      this.rows.set(pair, row.firstElementChild as HTMLElement);
      this.pairs.append(row);
    }
    if (list.length > limit) {
      const more = el(
        "button",
        { type: "button", class: "more" },
        `Show ${count(Math.min(ROWS, list.length - limit))} more of ${count(list.length)} pairs`,
      );
      more.addEventListener("click", () => {
        this.paintPairs(run, limit + ROWS);
        this.setTime(this.app.state.time);
      });
      this.pairs.append(more);
    }
  }

  private row(pair: Pair, run: Run): HTMLElement {
    const doc = this.loaded.document;
    const track = el("div", { class: "track thin", "aria-hidden": "true" });
    const stage = pair.search?.stage;
    const until = stage === "boxes_apart" ? run.duration : provenUntil(pair, run.duration);
    const touch = touchTime(pair);
    if (stage === "allowed") {
      this.span(track, 0, run.duration, "allowed", STAGES.allowed);
    } else {
      this.span(
        track,
        until,
        run.duration,
        stage === "later" ? "later" : "unknown",
        stage === "later" ? STAGES.later : "not searched",
      );
      this.span(track, 0, until, stage === "boxes_apart" ? "free faint" : "free", stage ? STAGES[stage] : "proven free");
      for (const window of pair.search?.windows ?? []) {
        this.span(
          track,
          window.from,
          window.to,
          "window",
          `proven free in [${brief(window.from)}, ${brief(window.to)}] by ${window.by}`,
        );
      }
    }
    for (const overlap of pair.overlaps ?? []) {
      const sure = overlap.certain ? "touching" : "touching, not certain";
      this.span(
        track,
        overlap.from,
        overlap.to,
        overlap.certain ? "overlap" : "overlap maybe",
        `${sure} in [${exact(overlap.from)}, ${exact(overlap.to)}]`,
      );
    }
    const steps = pair.search?.steps ? this.loaded.numbers(pair.search.steps, "steps") : [];
    for (let i = 0; i < Math.min(steps.length, 200); i++) this.tick(track, steps[i], "step");
    if (touch !== undefined) this.tick(track, touch, "touch");
    else if (pair.answer === "undecided") this.tick(track, until, "undecided");
    this.cursor(track);

    const said =
      stage === "allowed" || stage === "boxes_apart"
        ? STAGES[stage].replace(", not checked", "")
        : touch !== undefined
          ? briefDown(touch)
          : stage === "later"
            ? "later"
            : WORDS[pair.answer].toLowerCase();
    const counters = Object.entries(pair.search?.counts ?? {}).map(
      ([name, value]) => `${name.replaceAll("_", " ")} ${count(value)}`,
    );
    const side = el("span", { class: `side ${pair.answer}` }, said);
    const details = [stage && STAGES[stage], steps.length > 0 && `${count(steps.length)} steps`, ...counters]
      .filter(Boolean)
      .join(", ");
    if (details) side.title = details;
    const [a, b] = pairNames(pair, doc);
    const row = el("button", {
      type: "button",
      class: "row pair",
      "aria-current": "false",
      "aria-label": `${a} and ${b}: ${WORDS[pair.answer].toLowerCase()}${touch === undefined ? "" : ` at ${briefDown(touch)}`}${details ? `; ${details}` : ""}`,
    });
    row.append(
      el(
        "div",
        { class: "lead" },
        nameElement(doc.bodies[pair.bodies[0]].name),
        el("span", { class: "sep" }, "–"),
        nameElement(doc.bodies[pair.bodies[1]].name),
      ),
      track,
      side,
    );
    row.addEventListener("click", () => this.app.selectPair(pair));
    return el("div", { role: "listitem" }, row);
  }
}
