// Bundles the page into one file, which is part of the crate of files. The same sources give the same bytes: versions
// are exact, and there is no other input.
//
//   node build.mjs           writes crates/firsttouch-io/assets/viewer.html
//   node build.mjs --check   fails if that file differs from a build of the sources
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "crates", "firsttouch-io", "assets", "viewer.html");

async function bundle(entry, loader) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome110", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    ...loader,
  });
  return result.outputFiles[0].text.trim();
}

const three = JSON.parse(readFileSync(join(here, "node_modules/three/package.json"), "utf8"));
const licence = readFileSync(join(here, "node_modules/three/LICENSE"), "utf8").trim();
const banner = `/*\nContains three.js ${three.version}, ${three.homepage}\n\n${licence}\n*/\n`;
// Nothing inside the script may look like its end.
const script = (banner + (await bundle("src/main.ts", {}))).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = await bundle("src/style.css", {});
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  // For the page that is served with live reload; from a file nothing is reached.
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = { policy, style, script };
const page = readFileSync(join(here, "src/page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== page) {
    console.error("assets/viewer.html is not what the sources give: run `npm run build` and commit it");
    process.exit(1);
  }
  console.log("assets/viewer.html is what the sources give");
} else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, page);
  console.log(`assets/viewer.html: ${kilobytes(page.length)}, ${kilobytes(gzipSync(page).length)} gzipped`);
}
