// The label of the touch, its leader line and the little compass: plain elements over the canvas.

import { touchTime } from "./answers";
import type { App } from "./app";
import type { Marker } from "./contact";
import { brief, briefDown, briefUp, el, nameElement, withUnit } from "./text";

const label = (): HTMLElement => document.getElementById("label")!;
let shown = "";

export function placeLabel(app: App, marker: Marker | undefined): void {
  compass(app);
  const box = label();
  const line = document.querySelector("#leader line")!;
  const anchor = marker && app.stage!.project(marker.anchor);
  const far = marker && !marker.now && marker.apart <= app.stage!.radius * 1e-5;
  box.hidden = !anchor || !!far;
  line.setAttribute("visibility", box.hidden ? "hidden" : "visible");
  if (!marker || !anchor || far) return;
  write(app, marker, box);

  // To the side with more room, away from the middle, and always inside.
  const { clientWidth: width, clientHeight: height } = app.stage!.canvas;
  const [w, h] = [box.offsetWidth, box.offsetHeight];
  const reach = marker.now ? Math.min(90, width * 0.12) : 24;
  const right = anchor.x + reach + w < width - 12 || anchor.x < width / 2;
  const above = anchor.y - reach - h > 12;
  const x = clamp(right ? anchor.x + reach : anchor.x - reach - w, 10, width - w - 10);
  const y = clamp(above ? anchor.y - reach - h * 0.6 : anchor.y + reach, 10, height - h - 10);
  box.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  const end = { x: clamp(anchor.x, x, x + w), y: clamp(anchor.y, y, y + h) };
  for (const [key, value] of Object.entries({ x1: anchor.x, y1: anchor.y, x2: end.x, y2: end.y }))
    line.setAttribute(key, value.toFixed(1));
  line.setAttribute("class", marker.now ? marker.event.kind : "");
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), Math.max(low, high));

function write(app: App, marker: Marker, box: HTMLElement): void {
  const { length_unit, time_unit, bodies } = app.document;
  const { event } = marker;
  const apart = withUnit(brief(marker.apart, 3), length_unit);
  const answer = app.labelled();
  const key = marker.now ? `now ${event.kind} ${event.time} ${event.bodies}` : `apart ${apart}`;
  if (key === shown) return;
  shown = key;
  if (!marker.now) {
    box.className = "away";
    box.replaceChildren(`these points are ${apart} apart`);
    return;
  }
  box.className = event.kind;
  const segment = answer.segment === undefined ? "" : ` of segment ${answer.segment}`;
  const title =
    event.kind === "touch"
      ? `touch at ${withUnit(briefDown(answer.toi ?? touchTime(answer) ?? 0, 6), time_unit)}${segment}`
      : `closest at ${withUnit(brief(event.time, 6), time_unit)}`;
  const rows = event.bodies.map((body, side) => {
    const detail = [answer.parts?.[side], answer.features?.[side]].filter((text) => text && text !== bodies[body].name);
    return el(
      "div",
      { class: "line" },
      el("span", { class: `swatch ${side ? "b" : "a"}` }),
      nameElement(bodies[body].name),
      ...detail.map((text) => nameElement(text!, "small")),
    );
  });
  const least = app.run.clearance?.least;
  const gap =
    event.kind === "touch"
      ? answer.gap === undefined
        ? []
        : [`gap ≤ ${withUnit(briefUp(answer.gap, 3), length_unit)}`]
      : least
        ? [distance(least, length_unit)]
        : [];
  box.replaceChildren(el("div", { class: "title" }, title), ...rows, ...gap.map((text) => el("div", { class: "small" }, text)));
}

/** The least distance in words: its lower bound, or both bounds if these differ visibly. */
function distance({ lower, upper }: { lower: number; upper: number }, unit: string | undefined): string {
  return upper - lower <= 1e-3 * upper
    ? `distance ≥ ${withUnit(briefDown(lower, 4), unit)}`
    : `distance ${briefDown(lower, 4)} to ${withUnit(briefUp(upper, 4), unit)}`;
}

/** Forgets the label's text, because its words may have changed. */
export function forgetLabel(): void {
  shown = "";
}

function compass(app: App): void {
  const svg = document.getElementById("compass")!;
  if (svg.childElementCount === 0) {
    for (const name of ["x", "y", "z"]) {
      for (const tag of ["line", "text"]) {
        const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
        element.setAttribute("class", name);
        if (tag === "text") element.textContent = name;
        svg.append(element);
      }
    }
  }
  app.stage!.axes().forEach((axis, i) => {
    const [line, text] = [svg.children[2 * i], svg.children[2 * i + 1]];
    line.setAttribute("x2", (axis.x * 24).toFixed(1));
    line.setAttribute("y2", (-axis.y * 24).toFixed(1));
    text.setAttribute("x", (axis.x * 33).toFixed(1));
    text.setAttribute("y", (-axis.y * 33 + 4).toFixed(1));
  });
}
