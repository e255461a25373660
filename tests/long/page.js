// Opens pages of every kind as a reader does, and says what is wrong with them: node page.js FOLDER, with the files that
// page.sh has made. playwright-core and axe-core are found by NODE_PATH, the browser by CHROMIUM.
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { chromium } = require("playwright-core");

const folder = path.resolve(process.argv[2]);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const show = JSON.parse(fs.readFileSync(path.join(folder, "show.json"), "utf8"));
const url = (name, fragment = "") => "file://" + path.join(folder, name) + fragment;

/* A page that nothing is wrong with: no message on the console, no policy violated, no request, no error. */
async function opened(browser, name, options = {}, fragment = "") {
  const { script, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 900, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], ...rest });
  const page = await context.newPage();
  page.wrong = [];
  page.on("console", (message) => page.wrong.push("console: " + message.text()));
  page.on("pageerror", (error) => page.wrong.push("error: " + error.message));
  page.on("dialog", (dialog) => { page.wrong.push("dialog: " + dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith(url(name))) page.wrong.push("request: " + request.url()); });
  await page.goto(url(name, fragment));
  return page;
}
async function closed(page) {
  assert.deepStrictEqual(page.wrong, []);
  await page.context().close();
}
const shown = (page) => page.locator("#list > li:not(.hidden)").count();

const tests = {
  async "filters, and what is chosen stands in the fragment and stays on reload"(browser) {
    const page = await opened(browser, "test.html");
    const all = await page.locator("#list > li").count(), usual = await shown(page);
    assert(usual > 0 && usual < all, `${usual} of ${all}`);
    await page.getByRole("checkbox", { name: "ok" }).check();
    assert(await shown(page) > usual);
    await page.getByRole("searchbox").fill("bureau-alert deliver/");
    assert.strictEqual(await shown(page), 1);
    await page.locator("#list > li:not(.hidden) .row").click();
    const before = page.url();
    assert(before.includes("q=bureau-alert") && before.includes("open="), before);
    await page.reload();
    assert.strictEqual(page.url(), before);
    assert.strictEqual(await page.getByRole("searchbox").inputValue(), "bureau-alert deliver/");
    assert.strictEqual(await shown(page), 1);
    assert.strictEqual(await page.locator("#list .case").count(), 1);
    await closed(page);
  },
  async "what is to be fixed first leads to its check"(browser) {
    const page = await opened(browser, "test.html");
    await page.locator("#lines a").first().click();
    const name = await page.locator("#lines a").first().textContent();
    assert((await page.locator("#list > li:has(.case)").textContent()).includes(name));
    await closed(page);
  },
  async "keys go through the list, open, compare and help"(browser) {
    const page = await opened(browser, "capture.html", {}, "#show=fail warn note ok");
    assert(await page.locator("#list .text", { hasText: "repeat" }).count() > 0);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    assert.strictEqual(await page.locator("#case-1 .case").count(), 1);
    await page.keyboard.press("d");
    await page.keyboard.press("j");
    await page.keyboard.press("d");
    assert(await page.locator("#compare").isVisible());
    assert((await page.locator("#compare td").allTextContents()).includes("/service"));
    await page.keyboard.press("k");
    assert.strictEqual(await page.evaluate(() => document.activeElement.closest("li").id), "case-1");
    await page.keyboard.press("/");
    assert.strictEqual(await page.evaluate(() => document.activeElement.type), "search");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    assert(await page.locator("dialog").isVisible());
    await page.keyboard.press("Escape");
    assert(!await page.locator("dialog").isVisible());
    await page.reload();
    assert(await page.locator("#compare").isVisible());
    await closed(page);
  },
  async "plots are drawn, read by pointer and keys, and have their tables"(browser) {
    const page = await opened(browser, "replay.html");
    const plots = page.locator("figure");
    assert.strictEqual(await plots.count(), 4);
    for (let i = 1; i < 4; i++) {
      const plot = plots.nth(i);
      await plot.locator("svg.plot").focus();
      await page.keyboard.press("Home");
      assert.match(await plot.locator(".reading").textContent(), /[0-9]/);
      await plot.locator("svg.plot").hover();
      assert.match(await plot.locator(".reading").textContent(), /[0-9]/);
      assert(await plot.locator("svg.plot text").count() > 2);
      await plot.locator("summary").click();
      await plot.locator("tbody tr").first().waitFor();
    }
    assert(await page.locator("#reasons li").count() > 0);
    await closed(page);
  },
  async "a day of 20,000 records: its numbers are those of show, and each is a filter"(browser) {
    const page = await opened(browser, "day.html"), found = page.locator("#tools .found");
    const rows = page.locator("#list > li:not(.hidden) .row");
    const cell = (event, column) => page.locator("#byEvent tr", { has: page.locator("td:first-child", { hasText: event }) }).locator("td").nth(column);
    const columns = await page.locator("#byEvent th").allTextContents();
    for (const [event, status, numbers] of show.cells) {
      await cell(event, columns.indexOf(status)).locator("a").click();
      assert.strictEqual(await cell(event, columns.indexOf(status)).textContent(), numbers.length.toLocaleString("en"));
      const listed = await rows.locator(".seq").allTextContents();
      assert.deepStrictEqual(listed, numbers.filter((number) => listed.includes("#" + number)).map((number) => "#" + number));
      assert.strictEqual(listed[0], "#" + numbers[0]);
      assert((await rows.locator(".name").allTextContents()).every((name) => event === "all" || name === event));
      assert((await rows.locator(".status").allTextContents()).every((one) => one[0] === status[0]));
      assert.match(await found.textContent(), listed.length < numbers.length
        ? new RegExp(`^first (and last )?${listed.length.toLocaleString("en")} of ${numbers.length.toLocaleString("en")}$`)
        : new RegExp(`^${listed.length.toLocaleString("en")} of 20,000$`));
    }
    await page.goto(url("day.html"));
    await page.getByLabel("filter by event").selectOption("bureau-alert");
    await page.getByLabel("filter by status").selectOption("404");
    assert.strictEqual(await rows.count(), show.picked);
    await closed(page);
  },
  async "what failed at noon is two clicks away, and its curl line is copied"(browser) {
    const page = await opened(browser, "day.html", { timezoneId: "UTC" });
    const plot = page.locator("figure", { hasText: "by status" }).locator("svg.plot");
    await plot.scrollIntoViewIfNeeded();
    const bars = await plot.locator("rect.fill-fail").evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().toJSON()));
    const bar = bars.find((one) => one.height === Math.max(...bars.map((other) => other.height)));
    await page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
    await page.locator("#tools button:not(.hidden)").waitFor();
    const rows = page.locator("#list > li:not(.hidden) .row");
    const hours = new Set((await rows.locator(".time").allTextContents()).map((time) => time.slice(0, 2)));
    assert.deepStrictEqual([...hours], ["12"]);
    assert(await page.locator("#cases").isVisible() && (await rows.locator(".status").allTextContents()).includes("503"));
    await rows.first().click();
    await page.getByRole("button", { name: "copy" }).click();
    await page.getByRole("button", { name: "copied" }).waitFor();
    const number = (await rows.first().locator(".seq").textContent()).slice(1);
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), show.curl[number]);
    await closed(page);
  },
  async "a reason of a run lists its deliveries"(browser) {
    const page = await opened(browser, "replay.html");
    const link = page.locator("#reasons a").first(), number = Number((await link.textContent()).replace(",", ""));
    await link.click();
    assert.strictEqual(await shown(page), Math.min(number, 1000));
    await closed(page);
  },
  async "no text is cut, and no name broken, where there is room"(browser, names) {
    for (const name of names)
      for (const width of [400, 900, 1600]) {
        const page = await opened(browser, name, { viewport: { width, height: 900 } });
        const wrong = await page.locator("#list > li:not(.hidden) .row").evaluateAll((rows, width) => rows.slice(0, 200).filter((row) => {
          const [name, text] = [".name", ".text"].map((one) => row.querySelector(one));
          const room = parseFloat(getComputedStyle(row).fontSize) * (width < 800 ? 12 : 22), right = row.getBoundingClientRect().right - 8;
          const isCut = text.scrollWidth > text.clientWidth, isBroken = name.getClientRects().length && name.scrollHeight > 36;
          const range = document.createRange();
          range.selectNodeContents(name);
          const lines = range.getClientRects().length;
          return (isCut && (width < 800 || Math.abs(text.getBoundingClientRect().right - right) > 1)) ||
            (isBroken && lines > 1 && name.getBoundingClientRect().width < room);
        }).map((row) => row.textContent), width);
        assert.deepStrictEqual(wrong, [], `${name} at ${width}`);
        await closed(page);
      }
  },
  async "nothing that came from outside is an element, runs, or hides"(browser) {
    for (const name of ["hostile-validate.html", "hostile-send.html", "hostile-capture.html"]) {
      const page = await opened(browser, name);
      for (const row of await page.locator("#list .row").all())
        if (await row.isVisible()) await row.click();
      assert(await page.locator("#list .case").count() > 0);
      assert.strictEqual(await page.locator("img, iframe, a[href^='javascript:'], main script:not([type]), #list b").count(), 0);
      const text = await page.locator("body").innerText();
      assert(text.includes("<img src=x onerror=") && !/[\u202a-\u202e\u2066-\u2069\u0000-\u0008]/.test(text), name);
      const plain = [await page.title(), ...await page.locator("option").allTextContents(),
        ...await page.locator("mark").evaluateAll((marks) => marks.map((mark) => mark.title))].join(" ");
      assert(!/[\u202a-\u202e\u2066-\u2069\u0000-\u001f]/.test(plain), `${name}: ${plain}`);
      assert(name !== "hostile-validate.html" || plain.includes("\u27e8U+202E\u27e9.json"), plain);
      assert.strictEqual(await page.evaluate(() => window.ran), undefined);
      await closed(page);
    }
  },
  async "without JavaScript there is a table"(browser, names) {
    for (const name of names) {
      const page = await opened(browser, name, { javaScriptEnabled: false });
      assert(await page.locator("#plain").isVisible());
      assert(await page.locator("#plain tbody tr").count() > 0, name);
      await closed(page);
    }
  },
  async "fits 400 to 2,000 pixels, in light and dark, and axe finds nothing serious"(browser, names) {
    for (const name of names)
      for (const [width, colorScheme] of [[400, "light"], [900, "dark"], [2000, "light"]]) {
        const page = await opened(browser, name, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert(wide <= width, `${name}: ${wide} pixels at ${width}`);
        for (const row of (await page.locator("#list > li:not(.hidden) .row").all()).slice(0, 2)) await row.click();
        if (name === "day.html") { // its rows are those of capture.html, which axe reads in a fraction of the time
          await closed(page);
          continue;
        }
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run());
        const serious = found.violations.filter((one) => /serious|critical/.test(one.impact));
        assert.deepStrictEqual(serious.map((one) => `${one.id}: ${one.nodes[0].html}`), [], `${name} at ${width}, ${colorScheme}`);
        await closed(page);
      }
  },
};

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const names = fs.readdirSync(folder).filter((name) => name.endsWith(".html"));
  let failed = 0;
  for (const [name, run] of Object.entries(tests))
    try {
      await run(browser, names);
      console.log("ok " + name);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}\n  ${error.message}`);
    }
  await browser.close();
  process.exit(failed > 0 ? 1 : 0);
})();
