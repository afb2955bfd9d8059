// Makes the pictures of docs/pictures/ again, by the command itself: node gallery.mjs [NAME..]
//
// FIRSTTOUCH names the command; otherwise the one that cargo has built, the newer of release and debug. Chromium draws.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "./test/browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = ["release", "debug"].map((profile) => join(root, "target", profile, "firsttouch")).filter((file) => existsSync(file));
const command = process.env.FIRSTTOUCH ?? built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
if (!command) {
  console.error("there is no command: cargo build --release");
  process.exit(1);
}

/** The input of each picture, and its time. */
const PICTURES = {
  capsule_sweep: ["--demo", "capsule_sweep"],
  mixture: ["--demo", "mixture"],
  manipulation: ["--demo", "manipulation"],
  exercise: ["--demo", "exercise"],
  crane: ["--demo", "crane"],
  four_trains: ["--demo", "four_trains"],
  boxers: ["--demo", "boxers"],
  cloth: ["--demo", "cloth"],
  organs: ["--demo", "organs"],
  falling_man: ["--demo", "falling_man"],
  walk: ["--demo", "walk"],
  door: ["--demo", "door"],
};

/** Whole pages, with the panel and the time line. */
const PAGES = {
  page_all: ["--demo", "mixture", "--mode", "all"],
  page_clearance: ["--demo", "near_miss", "--clearance"],
};

const out = join(root, "docs", "pictures");
mkdirSync(out, { recursive: true });
const wanted = process.argv.slice(2);
let large = 0;
for (const [name, input] of Object.entries(PICTURES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const file = join(out, `${name}.png`);
  execFileSync(command, ["view", ...input, "--png", file, "--size", "560x350"], { stdio: ["ignore", "ignore", "inherit"] });
  const { size } = statSync(file);
  console.log(`${name}.png: ${(size / 1000).toFixed(0)} kB`);
  if (size > 150_000) large++;
}
const pages = Object.entries(PAGES).filter(([name]) => wanted.length === 0 || wanted.includes(name));
if (pages.length > 0) {
  const folder = mkdtempSync(join(tmpdir(), "firsttouch-gallery-"));
  const browser = await open();
  for (const [name, input] of pages) {
    const html = join(folder, `${name}.html`);
    execFileSync(command, ["view", ...input, "--out", html], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    const viewport = { width: 1040, height: 650 };
    const page = await browser.show(name, readFileSync(html, "utf8"), { raw: true, hash: "#t=touch", viewport });
    await page.waitForTimeout(200);
    const file = join(out, `${name}.jpg`);
    await page.screenshot({ path: file, type: "jpeg", quality: 85 });
    await page.close();
    const { size } = statSync(file);
    console.log(`${name}.jpg: ${(size / 1000).toFixed(0)} kB`);
    if (size > 150_000) large++;
  }
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
if (large > 0) {
  console.error(`${large} pictures have more than 150 kB`);
  process.exit(1);
}
