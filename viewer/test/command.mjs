// Opens pages that the command made in the browser: node test/command.mjs PAGE.html.. writes out/command-*.png beside what it says.
import { mkdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "./browser.mjs";

const out = fileURLToPath(new URL("../out/", import.meta.url));
mkdirSync(out, { recursive: true });
const browser = await open();
let failed = 0;
for (const file of process.argv.slice(2)) {
  const name = basename(file, ".html");
  const page = await browser.show(`command-${name}`, readFileSync(file, "utf8"), { raw: true, hash: "#t=touch" });
  await page.waitForTimeout(300);
  const state = await page.evaluate(() => document.documentElement.dataset.firsttouch);
  await page.screenshot({ path: `${out}command-${name}.png` });
  console.log(name, state, page.complaints);
  if (state !== "ready" || page.complaints.length > 0) failed++;
  await page.close();
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
