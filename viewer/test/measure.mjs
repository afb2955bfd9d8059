// Sizes and opening times, as the table in docs/viewer.md: node test/measure.mjs. Opening is from the call to the first
// picture. The CPU time of all the browser's processes is beside it, because the wall time says little on a machine
// with other work.
import { readdirSync, readFileSync } from "node:fs";
import { open } from "./browser.mjs";
import { cloth, many, rigid } from "./documents.mjs";
import { page as makePage } from "./pack.mjs";

/** CPU seconds by kind of process, for the browser with this profile. */
function cpu(folder) {
  const parents = new Map();
  const uses = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      parents.set(pid, fields[1]);
      uses.set(pid, {
        seconds: (Number(fields[11]) + Number(fields[12])) / 100,
        root: command.includes(folder),
        kind: /--type=([\w-]+)/.exec(command)?.[1] ?? "browser",
      });
    } catch {
      // It has ended in the meantime.
    }
  }
  const total = { renderer: 0, "gpu-process": 0 };
  for (const [pid, use] of uses) {
    let up = pid;
    while (up && !uses.get(up)?.root) up = parents.get(up);
    if (up && use.kind in total) total[use.kind] += use.seconds;
  }
  return total;
}

console.log("| document | page | wall | CPU: page | CPU: drawing |");
console.log("|---|---|---|---|---|");
const cases = {
  "small scene": rigid(),
  "cloth, 16,200 triangles": cloth(),
  "100,000 triangles": many(1e5),
  "1,000,000 triangles": many(1e6),
  "1,000,000 triangles, shared geometry": many(1e6, { shared: true }),
};
const browser = await open();
await (await browser.show("warm", rigid())).close();
for (const [name, document] of Object.entries(cases)) {
  const bytes = Buffer.byteLength(makePage(document));
  const before = cpu(browser.folder);
  const start = performance.now();
  const page = await browser.show("measured", document);
  // The first picture is there when the browser has come back from a frame after it.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  await page.evaluate(() => {
    const gl = globalThis.document.getElementById("canvas").getContext("webgl2");
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  });
  const wall = performance.now() - start;
  const after = cpu(browser.folder);
  const used = (kind) => (after[kind] - before[kind]).toFixed(1);
  console.log(
    `| ${name} | ${(bytes / 1e6).toFixed(2)} MB | ${(wall / 1000).toFixed(1)} s | ${used("renderer")} s | ${used("gpu-process")} s |`,
  );
  if (process.argv.includes("--pictures")) console.log(await page.evaluate(() => globalThis.firsttouch.pictures()));
  await page.close();
}
await browser.close();
