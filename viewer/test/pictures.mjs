// Takes a picture of each kind of document, for inspection: node test/pictures.mjs [KIND..] writes out/*.png.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open } from "./browser.mjs";
import { KINDS } from "./documents.mjs";

const out = fileURLToPath(new URL("../out/", import.meta.url));
mkdirSync(out, { recursive: true });
const wanted = process.argv.slice(2);
const browser = await open();
for (const [name, make] of Object.entries(KINDS)) {
  if (wanted.length > 0 && !wanted.some((w) => w.split("@")[0] === name)) continue;
  const looks = wanted
    .filter((w) => w.split("@")[0] === name)
    .map((w) => w.split("@")[1])
    .filter(Boolean);
  for (const look of looks.length ? looks : [""]) {
    const phone = look.includes("phone");
    const page = await browser.show(name, make(), {
      viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
      colorScheme: look.includes("dark") ? "dark" : "light",
      hash: look.includes("#") ? `#${look.split("#")[1]}` : "",
    });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${out}${name}${look ? `-${look.replace(/[^a-z0-9]+/g, "-")}` : ""}.png`, fullPage: phone });
    console.log(name, look, page.complaints);
    await page.close();
  }
}
await browser.close();
