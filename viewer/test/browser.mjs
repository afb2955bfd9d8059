// Debian's Chromium with software rendering, driven by playwright-core. The environment variable CHROMIUM names another
// one.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { page as makePage } from "./pack.mjs";

export const EXECUTABLE = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);

/** Flags for drawing without a graphics card, without a network and without touching anybody's profile. */
export const FLAGS = [
  "--no-sandbox",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
];

/** A browser with a profile of its own, and a folder for pages. */
export async function open() {
  const folder = mkdtempSync(join(tmpdir(), "firsttouch-viewer-"));
  mkdirSync(join(folder, "profile"));
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: EXECUTABLE,
    headless: true,
    args: FLAGS,
    viewport: { width: 1280, height: 800 },
  });
  return {
    context,
    folder,
    /** Opens a document from a file, and collects the complaints of the page. */
    async show(
      name,
      document,
      {
        hash = "",
        viewport = { width: 1280, height: 800 },
        colorScheme = "light",
        wait = true,
        raw = false,
        page = undefined,
      } = {},
    ) {
      const file = join(folder, `${name}.html`);
      writeFileSync(file, raw ? document : makePage(document));
      page ??= await context.newPage();
      page.complaints = [];
      page.requests = [];
      page.on(
        "console",
        (message) =>
          ["error", "warning"].includes(message.type()) &&
          !/GPU stall|Automatic fallback to software/.test(message.text()) &&
          page.complaints.push(message.text()),
      );
      page.on("pageerror", (error) => page.complaints.push(String(error)));
      page.on("request", (request) => page.requests.push(request.url()));
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await page.goto(pathToFileURL(file).href + hash);
      if (wait)
        await page.waitForFunction(() => globalThis.document.documentElement.dataset.firsttouch, null, { timeout: 30000 });
      return page;
    },
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
