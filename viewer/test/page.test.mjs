// The page in a real browser, from a file, without a network: every kind of document opens without a complaint, and
// every control does what its name says.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { EXECUTABLE, open } from "./browser.mjs";
import { all, cloth, crowd, free, hostile, KINDS, many, rigid, robot, soup } from "./documents.mjs";
import { page as makePage } from "./pack.mjs";
import { readPng } from "./png.mjs";

if (!EXECUTABLE) {
  throw new Error("no Chromium: install Debian's `chromium`, or set CHROMIUM to the path of one");
}

let browser;
before(async () => {
  browser = await open();
});
after(async () => {
  await browser?.close();
});

/** The state of the page, as plain data. */
const state = (page) =>
  page.evaluate(() => ({ ...globalThis.firsttouch.state, hidden: [...globalThis.firsttouch.state.hidden] }));

const still = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** A document in the browser; fails if the page complains about anything or asks for anything beyond itself. */
async function showing(name, document, options, act) {
  const page = await browser.show(name, document, options);
  try {
    assert.equal(await page.evaluate(() => globalThis.document.documentElement.dataset.firsttouch), "ready");
    await act?.(page);
    assert.deepEqual(page.complaints, [], "the console stays empty");
    assert.ok(
      page.requests.every((url) => url.startsWith("file:") || url.startsWith("blob:") || url.startsWith("data:")),
      `no network: ${page.requests}`,
    );
  } finally {
    await page.close();
  }
}

/** The number of different colours of a picture, on a coarse grid: an empty one has few. */
async function colors(page) {
  const image = readPng(await page.screenshot());
  const seen = new Set();
  for (let x = 360; x < image.width; x += 8)
    for (let y = 60; y < 460; y += 8)
      seen.add(
        image
          .at(x, y)
          .map((c) => c >> 4)
          .join(),
      );
  return seen.size;
}

for (const [kind, make] of Object.entries(KINDS)) {
  test(`${kind}: opens, draws something, and every control has a name`, () =>
    showing(kind, make(), {}, async (page) => {
      assert.ok((await colors(page)) > 12, "the scene is drawn");
      const nameless = await page.evaluate(() =>
        [...globalThis.document.querySelectorAll("button, input, select, [role=img], summary")]
          .filter((element) => !(element.getAttribute("aria-label") ?? "").trim() && !element.textContent.trim())
          .map((element) => element.outerHTML.slice(0, 120)),
      );
      assert.deepEqual(nameless, []);
      const { runs, bodies } = make();
      const { answer } = runs[0];
      const word = { free: "Free", touch: "Touch" }[answer.answer];
      assert.equal(await page.textContent("#answer"), word);
      assert.equal(await page.locator(".body").count(), bodies.length);
      // It opens at what matters: the touch, or the least clearance.
      const expected = answer.time ?? runs[0].clearance?.least?.time ?? 0;
      assert.equal((await state(page)).time, expected);
      if (answer.answer === "touch")
        assert.ok((await page.textContent("#toi")).startsWith(String(answer.toi ?? answer.time)), "all digits");
    }));
}

test("time: the slider, the keys, play and the address all set it", () =>
  showing("time", rigid(), { hash: "#t=0.25" }, async (page) => {
    const toi = rigid().runs[0].answer.time;
    assert.equal((await state(page)).time, 0.25, "the address");
    await page.evaluate(() => (globalThis.location.hash = "#t=0.5"));
    await page.waitForFunction(() => globalThis.firsttouch.state.time === 0.5);

    await page.locator("#time").fill("0.125");
    assert.equal((await state(page)).time, 0.125, "the slider");
    assert.match(await page.getAttribute("#time", "aria-valuetext"), /proven free/);
    assert.equal(await page.textContent("#readout"), "0.1250");

    const press = async (key, time) => {
      await page.keyboard.press(key);
      assert.ok(Math.abs((await state(page)).time - time) < 1e-12, `${key}: ${(await state(page)).time} instead of ${time}`);
    };
    await press("ArrowRight", 0.135);
    await press("ArrowLeft", 0.125);
    await press("Shift+ArrowRight", 0.126);
    await press("End", 1);
    assert.match(await page.getAttribute("#time", "aria-valuetext"), /beyond the proof/);
    await press("Home", 0);
    await press("t", toi);
    assert.match(await page.textContent("#chip"), /^touch/);

    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    assert.equal((await state(page)).playing, true);
    await page.waitForFunction(() => globalThis.firsttouch.state.time > 0.02);
    await page.keyboard.press("Space");
    const { time, playing } = await state(page);
    assert.ok(!playing && time < 1);
    await page.getByRole("button", { name: "Jump to the touch" }).click();
    assert.equal((await state(page)).time, toi);
    await page.getByLabel("Speed").selectOption("4");
    assert.equal((await state(page)).speed, 4);
    await page.evaluate(() => globalThis.firsttouch.setTime(Number.NaN));
    assert.equal((await state(page)).time, 0, "nonsense is the start");
  }));

test("motion: bodies are where the samples say, and on the curve in between", () =>
  showing("motion", rigid(), {}, async (page) => {
    const { motions } = rigid().runs[0];
    const height = async (t) => {
      await page.evaluate((t) => globalThis.firsttouch.setTime(t), t);
      return (await page.evaluate(() => globalThis.firsttouch.bodyAt(0)))[14];
    };
    for (const i of [0, 5, 24]) assert.ok(Math.abs((await height(motions[0].times[i])) - motions[0].positions[3 * i + 2]) < 1e-9);
    // It falls at a constant speed, so in between it is on the line.
    const [a, b, middle] = [await height(0.25), await height(0.75), await height(0.5)];
    assert.ok(Math.abs((a + b) / 2 - middle) < 1e-9);
  }));

test("deforming: vertices are linear between frames, to the quantisation", () =>
  showing("deforming", cloth(12), {}, async (page) => {
    const at = async (t) => {
      await page.evaluate((t) => globalThis.firsttouch.setTime(t), t);
      return page.evaluate(() => globalThis.firsttouch.vertexOf(0, 7));
    };
    const [start, half, end] = [await at(0), await at(0.5), await at(1)];
    for (let i = 0; i < 3; i++) assert.ok(Math.abs((start[i] + end[i]) / 2 - half[i]) < 1e-6);
    assert.ok(Math.abs(start[0] + 1.3) < 1e-4 && start[2] !== end[2]);
  }));

test("the touch: pixels at the contact change colour, and the label says what touches", () =>
  showing("touch", rigid(), { hash: "#theme=light" }, async (page) => {
    const { answer } = rigid().runs[0];
    const colorAt = async (time) => {
      await page.evaluate((t) => globalThis.firsttouch.setTime(t), time);
      await still(page);
      const box = await page.locator("#canvas").boundingBox();
      const { x, y } = await page.evaluate((p) => globalThis.firsttouch.project(p), answer.points[1]);
      const image = readPng(await page.screenshot());
      // The normal starts at the point; a little way along it is drawn in the colour of the touch.
      return image.at(box.x + x, box.y + y + 14);
    };
    const red = ([r, g, b]) => r > 180 && g < 90 && b < 110;
    const before = await colorAt(0.2);
    const now = await colorAt(answer.time);
    const later = await colorAt(0.9);
    assert.ok(red(now), `red at the touch: ${now}`);
    assert.ok(!red(before) && !red(later), `not red before and after: ${before}, ${later}`);
    await page.evaluate((t) => globalThis.firsttouch.setTime(t), answer.time);
    await still(page);
    const label = await page.textContent("#label");
    for (const word of ["touch at 0.618033", "knot", "vertex 2514", "block", "face 5", "gap ≤ 3.42e-13"])
      assert.ok(label.includes(word), `${word} in ${label}`);
    await page.evaluate(() => globalThis.firsttouch.setTime(0.2));
    await still(page);
    assert.match(await page.textContent("#label"), /apart$/);
  }));

test("picking: a click selects the body in the scene and in the list", () =>
  showing("picking", rigid(), {}, async (page) => {
    const box = await page.locator("#canvas").boundingBox();
    const pillar = await page.evaluate(() => globalThis.firsttouch.project([2.2, 1.1, 0.8]));
    await page.mouse.click(box.x + pillar.x, box.y + pillar.y);
    assert.equal((await state(page)).selected, 2);
    assert.equal(await page.locator(".body.chosen .name").textContent(), "pillar");
    // The list does the same, and a click beside everything selects nothing.
    await page.locator(".body .pick", { hasText: "peg" }).click();
    assert.equal((await state(page)).selected, 3);
    await page.mouse.click(box.x + 30, box.y + 300);
    assert.equal((await state(page)).selected, undefined);
    // A turn of the camera is no click.
    await page.mouse.move(box.x + pillar.x, box.y + pillar.y);
    await page.mouse.down();
    await page.mouse.move(box.x + pillar.x + 60, box.y + pillar.y, { steps: 3 });
    await page.mouse.up();
    assert.equal((await state(page)).selected, undefined);
    const moved = await page.evaluate(() => globalThis.firsttouch.project([2.2, 1.1, 0.8]));
    assert.ok(Math.abs(moved.x - pillar.x) > 5, "the camera has turned");
    await page.keyboard.press("1");
    assert.ok(
      Math.abs((await page.evaluate(() => globalThis.firsttouch.project([2.2, 1.1, 0.8]))).x - pillar.x) < 1,
      "and is back",
    );
  }));

test("hiding: by a click, by a key and by group; what is hidden cannot be picked", () =>
  showing("hiding", robot(), {}, async (page) => {
    const where = await page.evaluate(() => globalThis.firsttouch.project([0, -0.15, -0.03]));
    const pick = () => page.evaluate(({ x, y }) => globalThis.firsttouch.pick(x, y), where);
    const pedestal = robot().bodies.findIndex(({ name }) => name === "pedestal");
    assert.equal(await pick(), pedestal);
    await page.getByRole("button", { name: "Hide pedestal" }).click();
    assert.deepEqual((await state(page)).hidden, [pedestal]);
    assert.notEqual(await pick(), pedestal);
    await page.getByRole("button", { name: "Show pedestal" }).click();
    assert.equal(await pick(), pedestal);
    await page.getByRole("button", { name: "Hide all of arm6" }).click();
    assert.deepEqual((await state(page)).hidden, [0, 1, 2, 3, 4, 5, 6]);
    await page.evaluate(() => globalThis.document.activeElement.blur());
    await page.keyboard.press("a");
    assert.deepEqual((await state(page)).hidden, []);
    await page.evaluate(() => globalThis.firsttouch.select(3));
    await page.keyboard.press("h");
    assert.deepEqual((await state(page)).hidden, [3]);
  }));

test("paths: each has its answer, its time and its motion; collision shapes are a key away", () =>
  showing("paths", robot(), {}, async (page) => {
    const doc = robot();
    assert.equal(await page.locator(".paths button").count(), doc.runs.length);
    assert.equal(await page.textContent("#toi"), "0.4375");
    const before = await page.evaluate(() => globalThis.firsttouch.bodyAt(5));
    await page.getByRole("button", { name: "path 2: free" }).click();
    assert.equal(await page.textContent("#answer"), "Free");
    assert.notDeepEqual(await page.evaluate(() => globalThis.firsttouch.bodyAt(5)), before);
    await page.getByRole("button", { name: "path 8: undecided" }).click();
    assert.equal(await page.textContent("#answer"), "Undecided");
    assert.equal((await state(page)).time, 2.25);
    await page.evaluate(() => globalThis.document.activeElement.blur());
    await page.keyboard.press("]");
    assert.equal((await state(page)).run, 8);
    await page.keyboard.press("v");
    assert.equal((await state(page)).collision, true);
  }));

test("pairs: rows say when they touch, a click goes there, and the tracks stand under the slider", () =>
  showing("pairs", all(), {}, async (page) => {
    const doc = all();
    assert.equal(await page.locator(".pair").count(), doc.runs[0].pairs.length);
    const overlaps = doc.runs[0].pairs.flatMap((pair) => pair.overlaps ?? []);
    assert.equal(await page.locator(".pair .overlap").count(), overlaps.length);
    assert.equal(await page.locator(".pair .overlap.maybe").count(), overlaps.filter(({ certain }) => !certain).length);
    const slider = await page.locator(".proven").boundingBox();
    const track = await page.locator(".pair .track").first().boundingBox();
    assert.ok(Math.abs(slider.x - track.x) < 1 && Math.abs(slider.width - track.width) < 1, "one scale of time");
    const tick = await page.locator(".pair .tick.touch").first().boundingBox();
    assert.ok(Math.abs(tick.x + 1.5 - (track.x + (track.width * 1.62) / 4)) < 1.5, "the touch is where its time is");
    await page.locator(".pair").nth(2).click();
    assert.equal((await state(page)).time, 2.7);
    assert.equal(await page.locator(".body.chosen").count(), 2);
    await still(page);
    assert.match(await page.textContent("#label"), /blue car.*lorry/);
    assert.match(
      await page.locator(".pair").nth(6).getAttribute("aria-label"),
      /blue car and bus: undecided; advanced, 5 steps, iterations 1,000/,
    );
    assert.match(
      await page.locator(".funnel").getAttribute("aria-label"),
      /15 pairs: 1 boxes apart, 5 allowed, 1 later, 8 advanced/,
    );
  }));

test("clearance: the curve sets the time, and bounds are rounded to the safe side", () =>
  showing("clearance", free(), {}, async (page) => {
    assert.equal((await state(page)).time, 0.5);
    await still(page);
    assert.match(await page.textContent("#label"), /distance ≥ 0\.1999$/, "0.1999994 is not 0.2");
    const plot = await page.locator(".plot").boundingBox();
    await page.mouse.click(plot.x + plot.width * 0.25, plot.y + 20);
    assert.ok(Math.abs((await state(page)).time - 0.25) < 0.01);
    assert.equal(await page.locator(".plot .separation").count(), 1);
  }));

test("ghosts, light and dark, help", () =>
  showing("looks", rigid(), { colorScheme: "dark" }, async (page) => {
    assert.equal((await state(page)).theme, "dark", "as the system has it");
    await page.keyboard.press("d");
    assert.equal((await state(page)).theme, "light");
    assert.equal(await page.evaluate(() => globalThis.document.documentElement.dataset.theme), "light");
    const plain = await page.screenshot();
    await page.keyboard.press("g");
    assert.equal((await state(page)).ghosts, true);
    assert.ok((await page.evaluate(() => globalThis.firsttouch.ghostCount())) >= 3);
    await still(page);
    assert.notDeepEqual(await page.screenshot(), plain);
    await page.keyboard.press("g");
    assert.equal(await page.evaluate(() => globalThis.firsttouch.ghostCount()), 0);
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    await page.keyboard.press("End");
    assert.notEqual((await state(page)).time, 1, "keys of the dialog are not keys of the scene");
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("#help").isVisible()));
  }));

test("the first view: what moves is large in a large hall, and a key fits everything", async () => {
  const hall = rigid();
  hall.geometries.push({ kind: "box", size: [60, 60, 0.2] });
  hall.bodies.push({ name: "floor", kind: "box", shapes: [{ geometry: hall.geometries.length - 1 }], position: [0, 0, -0.1] });
  await showing("hall", hall, {}, async (page) => {
    const seen = () =>
      page.evaluate(() => {
        const at = globalThis.firsttouch.project;
        const canvas = globalThis.document.getElementById("canvas");
        const tools = globalThis.document.getElementById("tools").getBoundingClientRect();
        return {
          pillar: Math.abs(at([2.2, 1.1, 0]).y - at([2.2, 1.1, 2.6]).y) / canvas.clientHeight,
          corner: at([30, 30, 0]),
          width: canvas.clientWidth,
          // The knot at the start: the highest point of all that moves.
          top: at([0, 0, 0.6 + 1.2 * 0.7 + 3.2 * 0.618 + 1.2 * 0.7])?.y,
          tools: tools.bottom,
        };
      });
    const first = await seen();
    assert.ok(first.pillar > 0.2, `the pillar takes ${first.pillar} of the height`);
    assert.ok(first.top > first.tools, "nothing that moves is under the tools");
    await page.keyboard.press("f");
    const all = await seen();
    assert.ok(all.pillar < first.pillar / 3, `the pillar takes ${all.pillar} of the height when all is shown`);
    assert.ok(all.corner.x > 0 && all.corner.x < all.width, "the corner of the floor is in the picture");
  });
});

test("hostile names are text, and nothing of them runs", () =>
  showing("hostile", hostile(), {}, async (page) => {
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
    assert.equal(await page.locator("#panel img, #panel script, #dock script, #label b").count(), 0);
    const names = await page.locator(".body .name").allTextContents();
    assert.equal(names[0], "<script>window.hacked = true</script>");
    assert.equal(names[4], "⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+0000⟩⟨U+0007⟩", "what is invisible is written out");
    assert.equal(names[8], "“   ”");
    await page.getByLabel("Filter bodies by name").fill("SCRIPT");
    assert.deepEqual(await page.locator(".body .name").allTextContents(), [names[0], names[1], names[3]]);
    assert.match(await page.locator(".body .chip").first().textContent(), /^touch/);
    await page.getByLabel("Filter bodies by name").fill("");
    assert.equal(await page.locator(".body").count(), names.length);
    const { scrollWidth, clientWidth } = await page.evaluate(() => ({
      scrollWidth: globalThis.document.documentElement.scrollWidth,
      clientWidth: globalThis.document.documentElement.clientWidth,
    }));
    assert.ok(scrollWidth <= clientWidth, "a long name does not widen the page");
  }));

test("a script that breaks out of a document which was not escaped is not run", async () => {
  const careless = makePage("{}").replace("{}</script>", '{"title": "</script><script>window.hacked = true</script>"}</script>');
  const page = await browser.show("careless", careless, { raw: true });
  assert.equal(await page.evaluate(() => globalThis.document.documentElement.dataset.firsttouch), "error");
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  await page.close();
  // The same without the policy, to see that the test would notice.
  const open = await browser.show("open", careless.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""), {
    raw: true,
  });
  assert.equal(await open.evaluate(() => globalThis.hacked), true);
  await open.close();
});

test("live reload: the page comes back to the same time, camera and hidden bodies", async () => {
  let title = "first";
  const listeners = new Set();
  const server = createServer((request, response) => {
    if (request.url === "/changes") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(":\n\n");
      listeners.add(response);
    } else {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(makePage({ ...rigid(), title, live: "/changes" }));
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const page = await browser.context.newPage();
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => globalThis.document.documentElement.dataset.firsttouch === "ready");
    await page.evaluate(() => {
      globalThis.firsttouch.setTime(0.125);
      globalThis.firsttouch.setHidden(3);
    });
    await page.keyboard.press("4");
    const seen = await page.evaluate(() => globalThis.firsttouch.project([0, 0, 0]));
    title = "second";
    while (listeners.size === 0) await new Promise((done) => setTimeout(done, 20));
    for (const listener of listeners) listener.write("data: changed\n\n");
    await page.waitForFunction(
      () => globalThis.document.title.startsWith("second") && globalThis.document.documentElement.dataset.firsttouch === "ready",
    );
    const { time, hidden } = await state(page);
    assert.equal(time, 0.125);
    assert.deepEqual(hidden, [3]);
    const again = await page.evaluate(() => globalThis.firsttouch.project([0, 0, 0]));
    assert.ok(Math.hypot(again.x - seen.x, again.y - seen.y) < 1);
  } finally {
    await page.close();
    for (const listener of listeners) listener.end();
    server.close();
  }
});

test("a document that cannot be shown says why", async () => {
  const good = rigid();
  const cases = [
    ["{", /not JSON/],
    ["{}", /not a firsttouch document/],
    [{ ...good, version: 2 }, /version 2/],
    [{ ...good, runs: [] }, /no run/],
    [{ ...good, buffers: [{ ...good.buffers[0], bytes: 3 }] }, /announced/],
    [{ ...good, runs: [{ ...good.runs[0], motions: [{ body: 9, times: [0], positions: [0, 0, 0] }] }] }, /no body 9/],
    [
      { ...good, geometries: [{ ...good.geometries[0], indices: [0, 1, 999999] }, ...good.geometries.slice(1)] },
      /no vertex 999999/,
    ],
  ];
  for (const [document, expected] of cases) {
    const page = await browser.show("broken", document);
    assert.equal(await page.evaluate(() => globalThis.document.documentElement.dataset.firsttouch), "error");
    assert.match(await page.textContent("#notice"), expected);
    assert.deepEqual(page.complaints, []);
    await page.close();
  }
});

test("a phone: nothing is wider than the screen, and the controls are large enough to touch", () =>
  showing("phone", all(), { viewport: { width: 390, height: 844 } }, async (page) => {
    const { scrollWidth } = await page.evaluate(() => globalThis.document.documentElement);
    assert.ok(scrollWidth === undefined || scrollWidth <= 390);
    assert.ok(await page.evaluate(() => globalThis.document.documentElement.scrollWidth <= 390));
    for (const button of await page.locator("#tools .tool:visible, .buttons .tool:visible").all()) {
      const box = await button.boundingBox();
      assert.ok(box.width >= 36 && box.height >= 36 && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    }
    const canvas = await page.locator("#canvas").boundingBox();
    assert.ok(canvas.height > 400);
  }));

test("pictures: #ui=0 shows the scene alone", () =>
  showing(
    "picture",
    rigid(),
    { hash: "#t=touch&ui=0&theme=light&ghosts=1", viewport: { width: 800, height: 500 } },
    async (page) => {
      assert.deepEqual(await page.locator("#canvas").boundingBox(), { x: 0, y: 0, width: 800, height: 500 });
      assert.ok(!(await page.locator("#panel").isVisible()) && !(await page.locator("#dock").isVisible()));
      assert.ok(await page.locator("#label").isVisible());
    },
  ));

test("sizes: 100,000 triangles fit into 5 MB, at rest even without compression, and deforming with nothing shared", () => {
  const megabytes = (document) => Buffer.byteLength(makePage(document)) / 1e6;
  assert.ok(megabytes(many(1e5)) < 2);
  assert.ok(megabytes(many(1e5, { encoding: "base64" })) < 5);
  assert.ok(megabytes(soup(1e5, { frames: 1, encoding: "base64" })) < 5);
  assert.ok(megabytes(soup(1e5)) < 5);
});

test("a million triangles open, in one picture", () =>
  showing("million", many(1e6), {}, async (page) => {
    assert.equal(await page.evaluate(() => globalThis.firsttouch.pictures()), 1, "an opening page draws once");
    assert.ok((await colors(page)) > 12);
  }));

test("a crowd: a thousand bodies and two thousand pairs, a part of them listed at once", () =>
  showing("crowd", crowd(), {}, async (page) => {
    assert.equal(await page.locator(".body").count(), 400);
    assert.match(await page.textContent("#panel"), /600 more; filter by name/);
    assert.equal(await page.locator(".pair").count(), 200);
    await page.locator(".more").click();
    assert.equal(await page.locator(".pair").count(), 400);
    await page.getByLabel("Filter bodies by name").fill("body 987");
    assert.equal(await page.locator(".body").count(), 1);
    await page.locator(".body .pick").click();
    assert.equal((await state(page)).selected, 987);
  }));

test("without WebGL the answer is there, and a line says why the picture is not", async () => {
  const page = await browser.context.newPage();
  await page.addInitScript(() => {
    globalThis.HTMLCanvasElement.prototype.getContext = () => null;
  });
  const shown = await browser.show("flat", all(), { page });
  assert.equal(await shown.evaluate(() => globalThis.document.documentElement.dataset.firsttouch), "ready");
  assert.match(await shown.textContent("#notice"), /WebGL/);
  assert.equal(await shown.textContent("#answer"), "Touch");
  await shown.keyboard.press("End");
  await shown.keyboard.press("g");
  await shown.locator(".pair").nth(2).click();
  await shown.getByRole("button", { name: "Hide lorry" }).click();
  assert.equal((await state(shown)).time, 2.7);
  assert.ok(
    shown.complaints.every((text) => /WebGL/.test(text)),
    `${shown.complaints}`,
  );
  await shown.close();
});

test("the other answers: at the start, undecided, and a touch that is not the first", async () => {
  const shownAs = async (answer, more = {}) => {
    const document = free();
    document.runs[0] = { ...document.runs[0], clearance: undefined, answer };
    const page = await browser.show("answers", { ...document, ...more });
    const said = {
      title: await page.textContent("#answer"),
      proof: await page.textContent(".proof"),
      time: (await state(page)).time,
      green: await page.locator(".proven .free").evaluate((span) => span.style.width),
      complaints: page.complaints,
    };
    await page.close();
    assert.deepEqual(said.complaints, []);
    return said;
  };
  const touch = {
    gap: 0,
    bodies: [0, 1],
    parts: ["solid", "solid"],
    features: ["face 0", "face 0"],
    points: [
      [0, 0.5, 0],
      [0, 0.5, 0],
    ],
    normal: [0, 1, 0],
  };
  const start = await shownAs({ answer: "touching_at_start", time: 0, ...touch });
  assert.deepEqual([start.title, start.time, start.green], ["Touching at the start", 0, "0%"]);
  const undecided = await shownAs({ answer: "undecided", free_until: 0.25, bodies: [0, 1] });
  assert.deepEqual([undecided.title, undecided.time, undecided.green], ["Undecided", 0.25, "25%"]);
  assert.match(undecided.proof, /before t = 0\.25\..*budget/);
  const any = await shownAs({ answer: "touch", time: 0.75, free_until: 0.5, ...touch }, { mode: "any" });
  assert.deepEqual([any.title, any.time, any.green], ["Touch", 0.75, "50%"]);
  assert.match(any.proof, /A touch at t = 0\.75\. Proven: nothing comes closer than 0\.05 before t = 0\.5\./);
});

test("plain base64 gives the same scene as deflated", () =>
  showing("plain", rigid("base64"), {}, async (page) => {
    const plain = await page.evaluate(() => globalThis.firsttouch.vertexOf(0, 100));
    const other = await browser.show("deflated", rigid());
    assert.deepEqual(await other.evaluate(() => globalThis.firsttouch.vertexOf(0, 100)), plain);
    await other.close();
  }));
