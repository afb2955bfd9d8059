// The start of the page: reads the document, builds the page, and follows the address and the file.

import { Vector3 } from "three";
import { App, notice } from "./app";
import { DocumentError, load } from "./document";
import { listen } from "./keys";
import type { ViewName } from "./stage";
import type { ThemeName } from "./theme";
import { visible } from "./text";

const root = document.documentElement;
const dark = window.matchMedia("(prefers-color-scheme: dark)");

async function start(): Promise<App> {
  root.dataset.theme = dark.matches ? "dark" : "light";
  const text = document.getElementById("firsttouch-document")?.textContent;
  if (!text) throw new DocumentError("this page has no document: it is made by `firsttouch view`");
  const loaded = await load(text);
  const given = hash();
  // `ui` changes the size of the scene, so it comes before the first picture.
  if (given.get("ui") === "0") root.dataset.ui = "off";
  const app = new App(
    loaded,
    given.get("theme") === "dark" ? "dark" : given.get("theme") === "light" ? "light" : (root.dataset.theme as ThemeName),
  );
  restore(app);
  apply(app, given);
  listen(app);
  window.addEventListener("hashchange", () => apply(app, hash()));
  dark.addEventListener("change", () => app.setTheme(dark.matches ? "dark" : "light"));
  if (loaded.document.live) follow(app, loaded.document.live);
  app.stage?.drawNow();
  return app;
}

const hash = (): URLSearchParams => new URLSearchParams(window.location.hash.slice(1));

function indices(text: string | null): number[] {
  return (text ?? "")
    .split(",")
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
}

/** Shows the state that the address gives. */
function apply(app: App, given: URLSearchParams): void {
  const { bodies } = app.document;
  const run = given.get("run");
  if (run !== null) app.setRun(Number(run));
  const theme = given.get("theme");
  if (theme === "light" || theme === "dark") app.setTheme(theme);
  const t = given.get("t");
  if (t === "touch") app.jump();
  else if (t === "start") app.setTime(0);
  else if (t === "end") app.setTime(app.run.duration);
  else if (t !== null && Number.isFinite(Number(t))) app.setTime(Number(t));
  const hide = indices(given.get("hide")).filter((body) => body < bodies.length);
  if (hide.length > 0) app.setHidden(hide, true);
  const selected = indices(given.get("select"))[0];
  if (selected !== undefined && selected < bodies.length) app.select(selected);
  if (given.has("ghosts")) app.setGhosts(given.get("ghosts") !== "0");
  const view = given.get("view");
  if (view === "iso" || view === "front" || view === "side" || view === "top") app.view(view satisfies ViewName);
  if (given.get("zoom") === "touch") app.closeUp();
  const camera = (given.get("camera") ?? "").split(",").map(Number);
  if (camera.length === 6 && camera.every(Number.isFinite)) {
    app.stage?.look(new Vector3(camera[3], camera[4], camera[5]), new Vector3(camera[0], camera[1], camera[2]));
  }
}

/** Reloads the page when the command reports a change of the file, and comes back to the same view. */
function follow(app: App, address: string): void {
  new EventSource(address).addEventListener("message", () => {
    const { time, run, hidden, ghosts } = app.state;
    const { stage } = app;
    const camera = stage && [...stage.camera.position.toArray(), ...stage.controls.target.toArray()];
    sessionStorage.setItem("firsttouch", JSON.stringify({ time, run, hidden: [...hidden], ghosts, camera }));
    window.location.reload();
  });
}

function restore(app: App): void {
  if (!app.document.live) return;
  const text = sessionStorage.getItem("firsttouch");
  if (!text) return;
  sessionStorage.removeItem("firsttouch");
  const saved = JSON.parse(text) as { time: number; run: number; hidden: number[]; ghosts: boolean; camera?: number[] };
  app.setRun(saved.run);
  app.setTime(saved.time);
  app.setHidden(
    saved.hidden.filter((body) => body < app.document.bodies.length),
    true,
  );
  app.setGhosts(saved.ghosts);
  const c = saved.camera;
  if (c) app.stage?.look(new Vector3(c[3], c[4], c[5]), new Vector3(c[0], c[1], c[2]));
}

const ready = start().then(
  (app) => {
    root.dataset.firsttouch = "ready";
    return app;
  },
  (error: Error) => {
    root.dataset.firsttouch = "error";
    notice(`This page cannot be shown: ${visible(error.message)}`);
    if (!(error instanceof DocumentError)) console.error(error);
    throw error;
  },
);
// Any code that waits for it sees the error; the page has already shown it.
ready.catch(() => {});

/** For tests and scripts. */
const door = {
  ready: ready.then((app) => {
    Object.assign(door, {
      state: app.state,
      document: app.document,
      setTime: (time: number) => app.setTime(time),
      setRun: (index: number) => app.setRun(index),
      select: (body: number | undefined) => app.select(body),
      setHidden: (body: number, hidden = true) => app.setHidden([body], hidden),
      setGhosts: (ghosts: boolean) => app.setGhosts(ghosts),
      play: () => app.play(),
      pause: () => app.pause(),
      fit: () => app.fit(),
      project: (point: [number, number, number]) => app.stage?.project(new Vector3(...point)),
      pick: (x: number, y: number) => app.stage?.pick(x, y),
      ghostCount: () => app.stage?.ghostCount ?? 0,
      bodyAt: (body: number) => app.stage?.bodies[body].root.matrix.toArray(),
      vertexOf: (body: number, vertex: number) => {
        const positions = app.stage!.bodies[body].builts[0].geometry.getAttribute("position");
        return [positions.getX(vertex), positions.getY(vertex), positions.getZ(vertex)];
      },
      pictures: () => app.stage?.pictures ?? 0,
    });
  }),
};
door.ready.catch(() => {});
(window as unknown as { firsttouch: object }).firsttouch = door;
