// Makes the animations of docs/pictures/ again: node animation.mjs [NAME..]
//
// The command makes the page, Chromium draws it at even steps of time and compresses each frame, and the frames become
// one animated WebP. FIRSTTOUCH names the command; otherwise the one that cargo has built, the newer of release and
// debug.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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

/** The input of each animation. It runs up to the touch, which stands still for a while. */
const ANIMATIONS = { arm: ["--demo", "arm"] };
const [WIDTH, HEIGHT, FRAMES, MILLISECONDS, STILL] = [480, 300, 36, 70, 1500];
const QUALITY = 0.7;

/** The chunks of a RIFF file after its header: the name and the bytes of each. */
function chunks(bytes) {
  const found = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    found.push([bytes.toString("latin1", at, at + 4), bytes.subarray(at + 8, at + 8 + length)]);
    at += 8 + length + (length & 1);
  }
  return found;
}

function chunk(name, ...parts) {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length & 1)]);
}

function uint24(value) {
  return Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);
}

/** Frames, each a WebP file with its time in milliseconds, as one file that repeats for ever. */
function animated(frames, width, height) {
  const size = Buffer.concat([uint24(width - 1), uint24(height - 1)]);
  const parts = [chunk("VP8X", Buffer.from([0b10, 0, 0, 0]), size), chunk("ANIM", Buffer.from([255, 255, 255, 255, 0, 0]))];
  for (const { webp, milliseconds } of frames) {
    const picture = chunks(webp).filter(([name]) => name.startsWith("VP8 ") || name === "VP8L");
    if (picture.length !== 1) throw new Error("a frame is not one plain picture");
    // No offset, no blending: every frame replaces the one before.
    const head = Buffer.concat([uint24(0), uint24(0), size, uint24(milliseconds), Buffer.from([0b10])]);
    parts.push(chunk("ANMF", head, ...picture.map(([name, body]) => chunk(name, body))));
  }
  const body = Buffer.concat([Buffer.from("WEBP", "latin1"), ...parts]);
  const head = Buffer.alloc(8);
  head.write("RIFF", "latin1");
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

const folder = mkdtempSync(join(tmpdir(), "firsttouch-animation-"));
const browser = await open();
try {
  const wanted = process.argv.slice(2);
  for (const [name, input] of Object.entries(ANIMATIONS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const file = join(folder, `${name}.html`);
    execFileSync(command, ["view", ...input, "--out", file], { stdio: ["ignore", "ignore", "inherit"] });
    const html = readFileSync(file, "utf8");
    const page = await browser.show(name, html, { raw: true, hash: "#t=0&ui=0&theme=light" });
    await page.setViewportSize({ width: WIDTH, height: HEIGHT });
    const press = await page.context().newPage();
    const end = await page.evaluate(() => {
      const [run] = globalThis.firsttouch.document.runs;
      return run.answer.time ?? run.duration;
    });
    const frames = [];
    for (let k = 0; k < FRAMES; k++) {
      const time = (end * k) / (FRAMES - 1);
      await page.evaluate((hash) => (globalThis.location.hash = hash), `#t=${k === FRAMES - 1 ? "touch" : time}&ui=0&theme=light`);
      await page.waitForTimeout(150);
      const png = (await page.screenshot()).toString("base64");
      const webp = await press.evaluate(
        async ({ png, quality }) => {
          const image = new Image();
          image.src = `data:image/png;base64,${png}`;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height);
          canvas.getContext("2d", { alpha: false }).drawImage(image, 0, 0);
          const blob = await canvas.convertToBlob({ type: "image/webp", quality });
          return Array.from(new Uint8Array(await blob.arrayBuffer()));
        },
        { png, quality: QUALITY },
      );
      frames.push({ webp: Buffer.from(webp), milliseconds: k === FRAMES - 1 ? STILL : MILLISECONDS });
    }
    const bytes = animated(frames, WIDTH, HEIGHT);
    writeFileSync(join(root, "docs", "pictures", `${name}.webp`), bytes);
    console.log(`${name}.webp: ${frames.length} frames, ${(bytes.length / 1000).toFixed(0)} kB`);
    await page.close();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
