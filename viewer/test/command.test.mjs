// Pages that the command makes, in the browser: every kind of input, and the page that it serves.
// `npm run test:command`; needs `cargo build` before. FIRSTTOUCH names another command. A picture of each is left in
// out/ for inspection.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EXECUTABLE, open } from "./browser.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scenes = join(root, "testdata", "scenes");
const out = join(root, "viewer", "out");
const command =
  process.env.FIRSTTOUCH ?? ["release", "debug"].map((p) => join(root, "target", p, "firsttouch")).find((file) => existsSync(file));
if (!command) throw new Error("no command: cargo build, or set FIRSTTOUCH");
if (!EXECUTABLE) throw new Error("no Chromium: install Debian's `chromium`, or set CHROMIUM to the path of one");

let browser;
let folder;
before(async () => {
  mkdirSync(out, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "firsttouch-command-"));
  browser = await open();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const robot = ["../robots/plain.urdf", "../robots/plain.csv"];
const INPUTS = {
  touch: ["mesh.toml"],
  all: ["many.toml", "--mode", "all"],
  mixed: ["mixed.toml"],
  ellipsoids: ["affine.toml", "--mode", "all"],
  path: [...robot, "--scene", "touch.toml"],
  deform: ["falling0.obj", "falling1.obj", "--mode", "all"],
  free: ["--demo", "near_miss"],
  clearance: ["--demo", "near_miss", "--clearance"],
  shapes: ["shapes.toml"],
  scan: ["scan.toml", "--mode", "all"],
  held: ["pick_and_place/gantry.urdf", "pick_and_place/path.csv", "--scene", "pick_and_place/cell.toml"],
  plan: ["../robots/plain.urdf", "--srdf", "../robots/plain.srdf", "--from", "-1,0.2", "--to", "2,0.5"],
};

for (const [name, input] of Object.entries(INPUTS)) {
  test(`the page of ${name}`, async () => {
    const file = join(folder, `${name}.html`);
    execFileSync(command, ["view", ...input, "--out", file], { cwd: scenes, stdio: "pipe" });
    const page = await browser.show(`command-${name}`, readFileSync(file, "utf8"), { raw: true, hash: "#t=touch" });
    assert.equal(await page.evaluate(() => globalThis.document.documentElement.dataset.firsttouch), "ready");
    const { time, touch } = await page.evaluate(() => ({
      time: globalThis.firsttouch.state.time,
      touch: globalThis.firsttouch.document.runs[0].answer.time,
    }));
    if (touch !== undefined) assert.equal(time, touch);
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(out, `command-${name}.png`) });
    assert.deepEqual(page.complaints, []);
    await page.close();
  });
}

test("a page that is served comes again when its file changes", async () => {
  const scene = join(folder, "touch.toml");
  copyFileSync(join(scenes, "touch.toml"), scene);
  const server = spawn(command, ["view", scene, "--no-open", "--json", "--timeout", "120"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const line = await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))));
    const page = await browser.context.newPage();
    const complaints = [];
    page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(JSON.parse(line).address);
    const radius = () => page.evaluate(() => globalThis.firsttouch?.document.geometries[0].radius);
    await page.waitForFunction(() => globalThis.document.documentElement.dataset.firsttouch === "ready");
    assert.equal(await radius(), 1);
    await page.evaluate(() => globalThis.firsttouch.setTime(0.125));
    writeFileSync(scene, readFileSync(scene, "utf8").replaceAll("radius = 1", "radius = 2"));
    await page.waitForFunction(
      () =>
        globalThis.document.documentElement.dataset.firsttouch === "ready" &&
        globalThis.firsttouch?.document.geometries[0].radius === 2,
      null,
      { timeout: 30000 },
    );
    assert.equal(await page.evaluate(() => globalThis.firsttouch.state.time), 0.125);
    assert.deepEqual(complaints, []);
    await page.close();
  } finally {
    server.kill();
  }
});
