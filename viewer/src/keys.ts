// Keys and the dialog that lists them.

import type { App } from "./app";
import { el } from "./text";

interface Binding {
  keys: string[];
  shown: string;
  does: string;
  act: (app: App, event: KeyboardEvent) => void;
}

const BINDINGS: Binding[] = [
  { keys: [" "], shown: "space", does: "play or pause", act: (app) => app.togglePlay() },
  {
    keys: ["ArrowLeft", "ArrowRight"],
    shown: "← →",
    does: "a step back or forward; with shift a small one",
    act: (app, event) => app.step((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 0.1 : 1)),
  },
  {
    keys: ["Home", "End"],
    shown: "Home End",
    does: "the start or the end",
    act: (app, event) => app.setTime(event.key === "Home" ? 0 : app.run.duration),
  },
  { keys: ["t"], shown: "t", does: "jump to the touch, or to the least clearance", act: (app) => app.jump() },
  { keys: ["c"], shown: "c", does: "look closely at the touch", act: (app) => app.closeUp() },
  { keys: ["f"], shown: "f", does: "fit everything into the picture", act: (app) => app.fit() },
  {
    keys: ["1", "2", "3", "4"],
    shown: "1 2 3 4",
    does: "from the corner, front, side, top",
    act: (app, event) => app.view((["iso", "front", "side", "top"] as const)[Number(event.key) - 1]),
  },
  { keys: ["g"], shown: "g", does: "ghosts of start, touch and end", act: (app) => app.setGhosts(!app.state.ghosts) },
  { keys: ["h"], shown: "h", does: "hide or show the selected body", act: (app) => app.hideSelected() },
  { keys: ["a"], shown: "a", does: "show all bodies", act: (app) => app.setHidden([...app.state.hidden], false) },
  { keys: ["v"], shown: "v", does: "collision or visual shapes", act: (app) => app.setCollision(!app.state.collision) },
  {
    keys: ["[", "]"],
    shown: "[ ]",
    does: "the path before or after",
    act: (app, event) => app.setRun(app.state.run + (event.key === "[" ? -1 : 1)),
  },
  { keys: ["d"], shown: "d", does: "light or dark", act: (app) => app.toggleTheme() },
  { keys: ["Escape"], shown: "Esc", does: "select nothing", act: (app) => app.select(undefined) },
  { keys: ["?"], shown: "?", does: "this list", act: (app) => app.help() },
];

export function listen(app: App): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const typing = target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== "range");
    if (typing || document.querySelector("dialog[open]")) return;
    // Space presses the button that has the focus, as everywhere.
    if (event.key === " " && (target instanceof HTMLButtonElement || target.tagName === "SUMMARY")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const binding = BINDINGS.find(({ keys }) => keys.includes(key));
    if (!binding) return;
    event.preventDefault();
    binding.act(app, event);
  });
}

export function fillHelp(dialog: HTMLDialogElement): void {
  const list = el("dl", {});
  for (const { shown, does } of BINDINGS) {
    list.append(el("dt", {}, ...shown.split(" ").map((key) => el("kbd", {}, key))), el("dd", {}, does));
  }
  const close = el("button", { type: "button", class: "close" }, "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.append(
    el("h2", { id: "help-title" }, "Keys"),
    list,
    el(
      "p",
      { class: "small" },
      "Drag to turn, drag with the right button or two fingers to shift, scroll or pinch to zoom. Click a body to select it. Green is proven free; hatched is not searched.",
    ),
    close,
  );
}
