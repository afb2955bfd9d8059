// The panel: the answer with all its digits, the paths, the bodies, and the work of the search.

import { type BodyAnswer, bodyAnswers, isTouch, proof, touchTime, WORDS } from "./answers";
import type { App } from "./app";
import type { Body, Run, ViewDocument } from "./format";
import { iconButton, relabel } from "./icons";
import { brief, count, el, exact, nameElement, plural, visible, withUnit } from "./text";

/** Rows of bodies shown at once; the filter finds the others. */
const MAX_ROWS = 400;

interface Row {
  root: HTMLElement;
  eye: HTMLButtonElement;
  swatch: HTMLElement;
  chip: HTMLElement;
}

export class Panel {
  private readonly answer = el("section", { class: "card", "aria-label": "Answer" });
  private readonly paths = el("section", { class: "card", "aria-label": "Paths" });
  private readonly bodies = el("section", { class: "card", "aria-label": "Bodies" });
  private readonly search = el("section", { class: "card", "aria-label": "Search" });
  private readonly rows = new Map<number, Row>();
  private readonly groups: { eye: HTMLButtonElement; members: number[] }[] = [];
  private answers: BodyAnswer[] = [];
  private readonly pathButtons: HTMLButtonElement[] = [];

  constructor(
    root: HTMLElement,
    private readonly app: App,
    private readonly doc: ViewDocument,
  ) {
    const title = visible(doc.title);
    const header = el("header", {}, el("h1", { title }, el("bdi", {}, title)));
    if (doc.command) header.append(el("code", { class: "command", title: visible(doc.command) }, visible(doc.command)));
    root.append(header, this.answer, this.paths, this.bodies, this.search);
    this.buildPaths();
    this.buildBodies();
  }

  setRun(run: Run): void {
    this.paintAnswer(run);
    this.paintSearch(run);
    this.answers = bodyAnswers(run, this.doc);
    this.paintChips();
    this.pathButtons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === this.app.state.run)));
  }

  private paintChips(): void {
    for (const [index, row] of this.rows) {
      const { word, text } = this.answers[index];
      row.chip.textContent = text;
      row.chip.className = `chip ${word}`;
    }
  }

  /** The hidden bodies, the selected one, and the colours. */
  refresh(colorOf: (body: number) => string): void {
    const { hidden, selected } = this.app.state;
    const chosen = this.app.selection;
    const lookOf = (index: number): string => `${chosen.has(index) ? "chosen" : ""} ${hidden.has(index) ? "gone" : ""}`;
    for (const [index, row] of this.rows) {
      const gone = hidden.has(index);
      const name = visible(this.doc.bodies[index].name);
      row.root.className = `body ${lookOf(index)}`;
      row.root.querySelector(".pick")!.setAttribute("aria-pressed", String(index === selected));
      if ((row.eye.dataset.gone === "1") !== gone) {
        relabel(row.eye, gone ? "hidden" : "eye", `${gone ? "Show" : "Hide"} ${name}`);
        row.eye.dataset.gone = gone ? "1" : "0";
      }
      row.eye.setAttribute("aria-pressed", String(!gone));
      row.swatch.style.background = colorOf(index);
    }
    for (const { eye, members } of this.groups) {
      const gone = members.every((index) => hidden.has(index));
      const name = visible(this.doc.bodies[members[0]].group ?? "");
      relabel(eye, gone ? "hidden" : "eye", `${gone ? "Show" : "Hide"} all of ${name}`);
      eye.setAttribute("aria-pressed", String(!gone));
    }
  }

  /** Brings the row of a body into view. */
  reveal(index: number): void {
    const row = this.rows.get(index)?.root;
    if (!row) return;
    const details = row.closest("details");
    if (details) details.open = true;
    // Only the panel scrolls, not the page: on a phone the scene stays where it is.
    const panel = row.closest("#panel") as HTMLElement;
    if (panel.scrollHeight > panel.clientHeight + 1) row.scrollIntoView({ block: "nearest" });
  }

  private paintAnswer(run: Run): void {
    const { answer } = run;
    const { time_unit, length_unit, bodies, min_separation, tolerance, mode } = this.doc;
    const facts = el("dl", {});
    const fact = (term: string, ...value: (Node | string)[]): void => {
      facts.append(el("dt", {}, term), el("dd", {}, ...value));
    };
    const length = (value: number): string => withUnit(exact(value), length_unit);
    const vector = (v: number[]): string => v.map((c) => exact(c)).join(", ");
    if (isTouch(answer)) {
      const toi = answer.toi ?? touchTime(answer)!;
      fact("time", el("span", { id: "toi" }, withUnit(exact(toi), time_unit)));
      if (answer.segment !== undefined) fact("segment", String(answer.segment));
      if (answer.free_until !== undefined && answer.free_until < touchTime(answer)!)
        fact("free until", withUnit(exact(answer.free_until), time_unit));
      if (answer.gap !== undefined) fact("gap", `at most ${length(answer.gap)}`);
      if (answer.normal) fact("normal", vector(answer.normal));
    } else if (answer.answer === "undecided") {
      fact("free until", withUnit(exact(answer.free_until ?? 0), time_unit));
      if (answer.segment !== undefined) fact("segment", String(answer.segment));
    }
    const least = run.clearance?.least;
    if (least) {
      fact("clearance", `${length(least.lower)} to ${length(least.upper)}`);
      fact("closest at", withUnit(exact(least.time), time_unit));
    }
    if (min_separation) fact("separation", length(min_separation));
    if (tolerance !== undefined) fact("tolerance", length(tolerance));
    if (mode && mode !== "first") fact("mode", mode);

    const sides = el("div", { class: "sides" });
    answer.bodies?.forEach((body, side) => {
      const lines = [nameElement(bodies[body].name)];
      const small = (text: string | undefined): void => {
        if (text) lines.push(nameElement(text, "small"));
      };
      small(bodies[body].group);
      if (answer.parts?.[side] !== bodies[body].name) small(answer.parts?.[side]);
      small(answer.features?.[side]);
      if (answer.points) lines.push(el("span", { class: "small number" }, vector(answer.points[side])));
      const button = el("button", { type: "button", class: `party ${side ? "b" : "a"}` }, ...lines);
      button.addEventListener("click", () => this.app.select(body));
      sides.append(button);
    });
    const contacts = run.contacts?.length ?? 0;
    this.answer.className = `card answer ${answer.answer}`;
    this.answer.replaceChildren(
      el("h2", { id: "answer" }, WORDS[answer.answer]),
      el("p", { class: "proof" }, proof(run, this.doc)),
      facts,
      sides,
      ...(contacts > 1 ? [el("p", { class: "small" }, `${count(contacts)} contacts within the tolerance`)] : []),
    );
  }

  private buildPaths(): void {
    const { runs } = this.doc;
    this.paths.hidden = runs.length < 2;
    if (runs.length < 2) return;
    const touched = runs.filter((run) => isTouch(run.answer)).length;
    const free = runs.filter((run) => run.answer.answer === "free").length;
    const list = el("div", { class: "paths", role: "group", "aria-label": "Choose a path" });
    runs.forEach((run, i) => {
      const name = run.name ?? `path ${i + 1}`;
      const said = `${visible(name)}: ${WORDS[run.answer.answer].toLowerCase()}`;
      const button = el(
        "button",
        { type: "button", class: run.answer.answer, "aria-pressed": "false", "aria-label": said, title: said },
        // The number that the command gives to the path.
        /\d+$/.exec(name)?.[0] ?? String(i + 1),
      );
      button.addEventListener("click", () => this.app.setRun(i));
      this.pathButtons.push(button);
      list.append(button);
    });
    this.paths.append(
      el("h3", {}, plural(runs.length, "path"), el("span", { class: "count" }, `${count(free)} free, ${count(touched)} touch`)),
      list,
    );
  }

  private buildBodies(): void {
    const { bodies } = this.doc;
    const heading = el("h3", {}, plural(bodies.length, "body", "bodies"));
    const list = el("div", { class: "bodies" });
    this.bodies.append(heading, list);
    if (bodies.length > 12) {
      const filter = el("input", { type: "search", placeholder: "Filter by name", "aria-label": "Filter bodies by name" });
      filter.addEventListener("input", () => this.listBodies(list, filter.value));
      heading.after(filter);
    }
    this.listBodies(list, "");
  }

  private listBodies(list: HTMLElement, filter: string): void {
    list.replaceChildren();
    this.rows.clear();
    this.groups.length = 0;
    const wanted = filter.trim().toLowerCase();
    const groups = new Map<string, HTMLElement>();
    let shown = 0;
    let left = 0;
    this.doc.bodies.forEach((body, index) => {
      if (wanted && !`${body.name} ${body.group ?? ""}`.toLowerCase().includes(wanted)) return;
      if (shown >= MAX_ROWS) {
        left++;
        return;
      }
      shown++;
      const row = this.row(body, index);
      if (body.group === undefined) {
        list.append(row);
        return;
      }
      let group = groups.get(body.group);
      if (!group) {
        const made = this.group(body.group, this.doc.bodies.length <= 40 || !!wanted);
        group = made.details;
        groups.set(body.group, group);
        list.append(made.root);
      }
      group.append(row);
    });
    if (left > 0) list.append(el("p", { class: "small" }, `${count(left)} more; filter by name to see them`));
    if (!this.app.started) return;
    this.paintChips();
    this.app.repaint();
  }

  private group(name: string, open: boolean): { root: HTMLElement; details: HTMLElement } {
    const members = this.doc.bodies.flatMap((body, index) => (body.group === name ? [index] : []));
    const eye = iconButton("eye", `Hide all of ${visible(name)}`, undefined, () => {
      const gone = members.every((index) => this.app.state.hidden.has(index));
      this.app.setHidden(members, !gone);
    });
    eye.classList.add("eye");
    this.groups.push({ eye, members });
    // The eye is next to the summary and not inside it: a button in a button is not accessible.
    const details = el(
      "details",
      open ? { open: "" } : {},
      el("summary", {}, nameElement(name), el("span", { class: "count" }, plural(members.length, "part"))),
    );
    return { root: el("div", { class: "group" }, eye, details), details };
  }

  private row(body: Body, index: number): HTMLElement {
    const eye = iconButton("eye", `Hide ${visible(body.name)}`, undefined, () =>
      this.app.setHidden([index], !this.app.state.hidden.has(index)),
    );
    eye.classList.add("eye");
    const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
    const chip = el("span", { class: "chip" });
    const pick = el(
      "button",
      { type: "button", class: "pick", "aria-pressed": "false" },
      swatch,
      nameElement(body.name),
      el("span", { class: "kind" }, visible(body.kind)),
      chip,
    );
    pick.addEventListener("click", () => this.app.select(this.app.state.selected === index ? undefined : index));
    const root = el("div", { class: "body", "data-body": String(index) }, eye, pick);
    this.rows.set(index, { root, eye, swatch, chip });
    return root;
  }

  private paintSearch(run: Run): void {
    const { stats } = run;
    this.search.hidden = !stats;
    if (!stats) return;
    const parts: [string, string, string][] = [
      ["boxes_apart", "boxes apart", "culled by the broad phase: their boxes never meet"],
      ["allowed", "allowed", "left out by the input"],
      ["later", "later", "their lower bound lies beyond the first touch"],
      ["advanced", "advanced", "searched by the narrow phase"],
    ];
    const known = parts.filter(([key]) => stats[key] !== undefined);
    const total = stats.pairs ?? known.reduce((sum, [key]) => sum + stats[key], 0);
    const bar = el("div", {
      class: "funnel",
      role: "img",
      "aria-label": `${count(total)} pairs: ${known.map(([key, name]) => `${count(stats[key])} ${name}`).join(", ")}`,
    });
    const legend = el("ul", { class: "legend" });
    for (const [key, name, why] of known) {
      const piece = el("div", { class: key, title: `${count(stats[key])} ${name}: ${why}` });
      piece.style.flexGrow = String(stats[key]);
      if (stats[key] > 0) bar.append(piece);
      legend.append(el("li", { title: why }, el("span", { class: `swatch ${key}` }), name, el("b", {}, count(stats[key]))));
    }
    const table = el("dl", {});
    for (const [key, value] of Object.entries(stats)) {
      if (key === "pairs" || parts.some(([part]) => part === key)) continue;
      table.append(
        el("dt", {}, visible(key.replaceAll("_", " "))),
        el("dd", {}, Number.isInteger(value) ? count(value) : brief(value)),
      );
    }
    if (known.length === 0) {
      this.search.replaceChildren(el("h3", {}, "The search"), table);
      return;
    }
    const culled = total - (stats.advanced ?? total);
    this.search.replaceChildren(
      el("h3", {}, "What was culled", el("span", { class: "count" }, `${count(culled)} of ${plural(total, "pair")}`)),
      bar,
      legend,
      table,
    );
  }
}
