// page_check.js - the report page in headless Chromium: page_check.js MODULES CHECK PAGE [REPORT.json]
// MODULES holds playwright-core and axe-core. Each CHECK ends with 0, or says what is wrong.
'use strict';
const [, , modules, check, file, json] = process.argv;
const {chromium} = require(modules + '/playwright-core');
const assert = require('assert');
const fs = require('fs');
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

async function open(browser, {isStatic, ...options}, wrongs) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.on('console', m => { if (['error', 'warning'].includes(m.type())) wrongs.push('console: ' + m.text()); });
  page.on('pageerror', e => wrongs.push('error: ' + e.message));
  page.on('dialog', d => { wrongs.push('dialog: ' + d.message()); d.dismiss(); });
  page.on('request', r => { if (r.url() !== 'file://' + file) wrongs.push('request: ' + r.url().slice(0, 100)); });
  await page.goto('file://' + file);
  if (options.javaScriptEnabled !== false && !isStatic) await page.waitForFunction(() => document.documentElement.classList.contains('ready'));
  return page;
}
// Have the script prepare every visible figure by scrolling to it.
async function drawAll(page) {
  for (const f of await page.$$('.view.chosen .figure:not([hidden])')) {
    await f.scrollIntoViewIfNeeded();
    await page.waitForFunction(e => e.marks, f);
  }
}
const near = (a, b, what) => assert(Math.abs(a - b) <= 1e-4 * Math.abs(b) + 1e-9, what + ': ' + a + ' is not ' + b);

const checks = {
  // Every view: the marks of each diagram hold what the report says of their points.
  async marks(browser, wrongs) {
    const page = await open(browser, {}, wrongs), report = JSON.parse(fs.readFileSync(json));
    const find = p => report.points.find(r => r.case === p.name && r.target === p.target && r.ranks === p.ranks && r.nodes === p.nodes &&
      r.with === p.with && r.cache === p.cache && p.rawMode === r.mode);
    const about = await page.$eval('.view.chosen', ({dataset: d}) => ({case: d.case, mode: d.mode, cache: d.cache, target: d.targets.split('\n')[d.firstTarget]}));
    const seen = {};
    for (const option of await page.$$eval('#choose-case option', o => o.map(x => x.value)))
      for (const cache of ['cold', 'warm']) {
        await page.selectOption('#choose-case', option);
        await page.selectOption('#choose-cache', cache);
        await drawAll(page);
        const figures = await page.evaluate(() => [...document.querySelectorAll('.view.chosen .figure:not([hidden])')].map(f => ({
          kind: f.dataset.kind, series: f.marks.map((list, i) => list.map(e => {
            const d = e.dataset, at = d.run === undefined ? -1 : ids.indexOf(+d.run), n = v => v === undefined ? null : +v;
            const p = points[at >= 0 ? D.point[at] : +d.point];
            return {y: n(d.y), low: n(d.low), high: n(d.high), part: f.querySelectorAll('.legend .key')[i].textContent, status: at < 0 ? null : run.status(at), total: at < 0 ? null : D.total[at],
              text: d.text, p: {...p, all: 0, rawMode: D.texts[D.points[p.index][1]]}};
          })),
        })));
        for (const f of figures)
          for (const m of f.series.flat()) {
            seen[f.kind] = (seen[f.kind] || 0) + 1;
            const r = find(m.p);
            assert(r, 'no such point: ' + JSON.stringify(m.p));
            assert(m.text.includes(m.p.target) || f.kind === 'phases', f.kind + ': a mark does not say whose it is: ' + m.text);
            if (f.kind === 'scaling' || f.kind === 'caches' || f.kind === 'modes') {
              near(m.y, r.median_s, f.kind); near(m.low, r.best_s, f.kind); near(m.high, r.worst_s, f.kind);
            } else if (f.kind === 'operations') near(m.y, r.operations, f.kind);
            else if (f.kind === 'operations-per-rank') near(m.y, r.operations_per_rank, f.kind);
            else if (f.kind === 'bystander') near(m.y, r.bystander_server_s ?? r.bystander_s, f.kind);
            else if (f.kind === 'phases') { near(m.y, r.parts_s[m.part], f.kind + ' ' + m.part); assert(Math.abs(m.high - m.low - m.y) < 1e-4 * m.high, 'a piece is not as high as its value'); }
            else if (f.kind === 'history' && m.status !== 'done') assert.equal(m.y, null);
            else if (f.kind === 'history') near(m.y, m.total, f.kind);
          }
        const history = figures.filter(f => f.kind === 'history').flatMap(f => f.series.flat());
        for (const m of history.slice(0, 1))
          assert.equal(history.filter(o => o.p.index === m.p.index).length, await page.evaluate(i => points[i].all.length, m.p.index), 'a history lacks runs');
      }
    for (const kind of ['scaling', 'phases', 'operations', 'operations-per-rank', 'bystander', 'ready', 'caches', 'modes', 'history', 'hours'])
      assert(seen[kind] > 4, kind + ' has ' + seen[kind] + ' marks');
    const runs = await page.evaluate(() => ({n: D.point.length, failed: Object.keys(D.status).length}));
    assert.equal(runs.n, Object.values(report.runs).reduce((a, b) => a + b));
    assert.equal(runs.failed, runs.n - report.runs.done);
    assert.equal(await page.textContent('h1'), report.headline);
    const ready = report.points.find(p => p.case === about.case && p.with === 'plain' && p.target === about.target &&
      p.cache === about.cache && report.conditions.includes(about.mode + ', ' + about.cache) && report.headline.includes(' ' + p.ranks + ' ranks of ' + about.case));
    assert(ready, 'the page opens with ' + JSON.stringify(about) + ', its sentence is about something else: ' + report.conditions);
  },

  // Without JavaScript: the same figures as SVG, all of them visible.
  async svg(browser, wrongs) {
    const page = await open(browser, {javaScriptEnabled: false}, wrongs), html = fs.readFileSync(file, 'utf8'), report = JSON.parse(fs.readFileSync(json));
    const figures = html.split('<figure ').slice(1).map(f => ({kind: /data-kind="([^"]+)"/.exec(f)[1], ys: [...f.split('</figure>')[0].matchAll(/data-y="([^"]+)"/g)].map(m => +m[1])}));
    const has = (list, y) => list.some(v => v !== null && Math.abs(v - y) <= 1e-4 * Math.abs(y) + 1e-9);
    let n = 0;
    for (const f of figures)
      for (const y of f.ys) {
        n++;
        if (f.kind === 'scaling') assert(has(report.points.map(p => p.median_s), y), f.kind + ' ' + y);
        if (f.kind === 'operations') assert(has(report.points.map(p => p.operations), y), f.kind + ' ' + y);
        if (f.kind === 'phases') assert(has(report.points.flatMap(p => Object.values(p.parts_s)), y), f.kind + ' ' + y);
      }
    assert(n > 100);
    const texts = await page.locator('svg text').count();
    assert(texts > 50);
    assert.equal(await page.locator('.view:visible').count(), html.split('class="view"').length - 1);
    assert.equal(await page.locator('#table tbody tr').count(), Math.min(100, Object.values(report.runs).reduce((a, b) => a + b)));
  },

  async table(browser, wrongs) {
    const page = await open(browser, {}, wrongs);
    const column = n => page.$$eval('#table tbody tr:not(.more)', (rows, i) => rows.map(r => r.cells[i] ? r.cells[i].textContent : ''), n);
    const total = await page.evaluate(() => D.point.length);
    assert((await page.textContent('#count')).includes(total.toLocaleString('en-US')));
    await page.click('#table th:nth-child(12) button');
    const values = await page.evaluate(() => rows.order.slice(0, 50).map(i => D.total[i]));
    assert.deepEqual(values, [...values].sort((a, b) => a - b));
    assert.equal(await page.getAttribute('#table th:nth-child(12)', 'aria-sort'), 'ascending');
    await page.selectOption('#filter-5', 'common');
    await page.selectOption('#filter-8', 'Loadcast');
    assert((await column(5)).every(t => t === 'common') && (await column(8)).every(t => t === 'Loadcast'));
    await page.selectOption('#filter-2', 'failed');
    assert((await column(2)).every(t => t === 'failed') && (await column(11)).every(t => t === '–'));
    await page.selectOption('#filter-5', '');
    await page.selectOption('#filter-8', '');
    await page.fill('#search', 'importerror');
    await page.waitForFunction(() => rows.text === 'importerror');
    await page.click('#table tbody tr:first-child button');
    const more = await page.textContent('#table tr.more');
    for (const word of ['ImportError: no module named numpy', 'rank 3 ended with status 1', 'login1', 'Open MPI 4.1.4', 'rw,relatime', '2.36'])
      assert(more.includes(word), word + ' is not in ' + more);
    await page.fill('#search', 'no such thing anywhere');
    await page.waitForFunction(() => document.querySelector('#table tbody').textContent.includes('No run matches'));
    await page.fill('#search', '');
    await page.selectOption('#filter-2', '');
    await page.waitForFunction(t => rows.order.length === t, total);
    await page.click('#pages button:last-child');
    assert((await page.textContent('#count')).startsWith('51–'));
  },

  // What a mark says: by mouse and by keyboard, with its provenance.
  async tips(browser, wrongs) {
    const page = await open(browser, {}, wrongs);
    const figure = await page.$('.view.chosen .figure[data-kind=scaling]');
    await figure.scrollIntoViewIfNeeded();
    await page.waitForFunction(e => e.marks, figure);
    const at = await figure.evaluate(f => { const b = f.querySelector('.plot').getBoundingClientRect(), [x, y] = markCenter(f, f.marks[0][2]); return [b.x + x, b.y + y]; });
    await page.mouse.move(at[0] + 3, at[1] - 2);
    const tip = () => figure.$eval('.tip', t => t.hidden ? '' : t.textContent);
    for (const word of ['plain', '16 ranks', 'cold', 'login1', 'Linux 6.1.0', 'Loadcast 0.1.0', 'drop_caches'])
      assert((await tip()).includes(word), word + ' is not in ' + await tip());
    await page.mouse.move(5, 5);
    assert.equal(await tip(), '');
    await figure.$eval('.plot', p => p.focus());
    await page.keyboard.press('ArrowRight');
    assert((await tip()).includes('1 rank,'));
    await page.keyboard.press('ArrowRight');
    assert((await tip()).includes('4 ranks'));
    await page.keyboard.press('ArrowDown');
    assert((await tip()).includes('Loadcast'));
    await page.keyboard.press('Escape');
    assert.equal(await tip(), '');
    const key = await figure.$('.legend button');
    await key.focus();
    await page.keyboard.press('Enter');
    assert.equal(await key.getAttribute('aria-pressed'), 'false');
    assert.equal(await figure.evaluate(f => getComputedStyle(f.groups[0]).display), 'none');
    // The first element the Tab key reaches leads past the header; the choosers follow.
    await page.reload();
    await page.waitForFunction(() => document.documentElement.classList.contains('ready'));
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'choose-case');
  },

  // A history: a part of it enlarged by dragging, and all of it again by a double click.
  async zoom(browser, wrongs) {
    const page = await open(browser, {}, wrongs), figure = await page.$('.view.chosen .figure[data-kind=history]:not([hidden])');
    await figure.scrollIntoViewIfNeeded();
    await page.waitForFunction(e => e.marks, figure);
    const state = () => figure.evaluate(f => ({marks: f.marks.flat().length, ticks: [...f.svg.querySelectorAll('.tx')].map(t => t.textContent).join(' ')}));
    const all = await state(), box = await (await figure.$('svg')).boundingBox();
    await page.mouse.move(box.x + box.width * .4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * .6, box.y + box.height / 2, {steps: 4});
    assert.equal(await figure.evaluate(f => f.querySelectorAll('.selection').length), 1);
    await page.mouse.up();
    const part = await state();
    assert(part.marks > 0 && part.marks < all.marks / 2, part.marks + ' of ' + all.marks);
    assert.notEqual(part.ticks, all.ticks);
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    assert.deepEqual(await state(), all);
  },

  // What became slower stands above everything, and leads to the diagrams of its case and target.
  async slower(browser, wrongs) {
    const page = await open(browser, {}, wrongs), report = JSON.parse(fs.readFileSync(json)), worst = report.regressions[0];
    const top = await page.$eval('main > :first-child', e => ({name: e.className, y: e.getBoundingClientRect().y, text: e.textContent}));
    assert.equal(top.name, 'regressions');
    assert(top.y < 200 && top.text.includes('Slower than before on ' + worst.target), JSON.stringify(top));
    assert.notEqual(await page.inputValue('#choose-target'), worst.target);
    await page.click('.regressions tbody tr:first-child a');
    assert.equal(await page.inputValue('#choose-target'), worst.target);
    assert((await page.inputValue('#choose-case')).startsWith(worst.case));
    assert.equal(await page.inputValue('#choose-cache'), worst.cache);
    await drawAll(page);
    assert.equal(await page.locator('.view.chosen .figure[data-kind=history]:visible').count(), 1);
    const rows = await page.$$eval('.view.chosen table.targets tbody tr', l => l.map(r => r.cells[0].textContent));
    const order = report.targets.find(t => t.case === worst.case && t.mode === worst.mode && t.cache === worst.cache);
    assert.deepEqual(rows, order.from_best_to_worst.map(t => t.target));
    const axe = fs.readFileSync(modules + '/axe-core/axe.min.js', 'utf8');
    await page.evaluate(axe);
    const found = (await page.evaluate(() => axe.run())).violations.filter(v => ['serious', 'critical'].includes(v.impact));
    assert.equal(found.length, 0, found.map(v => v.id + ': ' + v.nodes[0].html.slice(0, 200)).join('\n'));
    for (const width of [360, 1280]) {
      await page.setViewportSize({width, height: 800});
      await page.waitForTimeout(300);
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than ' + width);
    }
    if (process.env.SHOT) {
      await page.evaluate(() => scrollTo(0, 0));
      await page.setViewportSize({width: 1280, height: 1500});
      await page.waitForTimeout(300);
      await page.screenshot({path: process.env.SHOT});
    }
  },

  // Light, dark, changing, phone: nothing sticks out, and the colours change.
  async looks(browser, wrongs) {
    const page = await open(browser, {colorScheme: 'light'}, wrongs);
    const state = () => page.evaluate(() => ({back: getComputedStyle(document.documentElement).backgroundColor, line: getComputedStyle(document.querySelector('.drawn svg .line')).stroke}));
    await page.waitForSelector('.drawn');
    const light = await state();
    await page.emulateMedia({colorScheme: 'dark'});
    assert.notEqual((await state()).line, light.line);
    assert.notEqual((await state()).back, light.back);
    for (const width of [360, 768, 1920]) {
      await page.setViewportSize({width, height: 800});
      await page.waitForTimeout(300);
      await drawAll(page);
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than ' + width);
      assert(await page.evaluate(() => [...document.querySelectorAll('.drawn')].every(f => f.hidden || f.svg.clientWidth <= f.clientWidth)), 'a diagram is wider than its frame at ' + width);
      assert(await page.evaluate(() => [...document.querySelectorAll('.view.chosen .arms td')].every(e => e.scrollWidth <= e.clientWidth)), 'what an arm needs is cut off at ' + width);
    }
    await page.emulateMedia({media: 'print', colorScheme: 'light'});
    assert.equal(await page.isVisible('#chooser'), false);
  },

  async axe(browser, wrongs) {
    const axe = fs.readFileSync(modules + '/axe-core/axe.min.js', 'utf8');
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(browser, {colorScheme}, wrongs);
      await drawAll(page);
      await page.click('#table tbody tr:first-child button');
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run());
      const serious = found.violations.filter(v => ['serious', 'critical'].includes(v.impact));
      assert.equal(serious.length, 0, serious.map(v => v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')).join('\n'));
    }
  },

  // Names made to break things are text, everywhere.
  async hostile(browser, wrongs) {
    const page = await open(browser, {}, wrongs);
    for (const option of await page.$$eval('#choose-case option', o => o.map(x => x.value))) {
      await page.selectOption('#choose-case', option);
      await drawAll(page);
      const figure = await page.$('.view.chosen .figure[data-kind=scaling]');
      await figure.$eval('.plot', p => p.focus());
      await page.keyboard.press('ArrowRight');
    }
    await page.click('#table tbody tr:first-child button');
    assert.equal(await page.locator('img, iframe, object, embed, link, [onerror], [onload]').count(), 0);
    assert.equal(await page.locator('script').count(), 3);
    const cases = await page.$$eval('#choose-case option', o => o.map(x => x.textContent));
    for (const name of ['<script>alert(1)</script>', '"\'`--></style>', '&amp;&lt;', 'no\\xff\\xfeutf8\\xc3', '</script><img src=x onerror=alert(2)>', '=cmd()|calc'])
      assert(cases.some(c => c.startsWith(name + ', ')), name + ' is not among ' + cases.join(' '));
    assert(cases.every(c => c.length < 300));
    assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'a long name widens the page');
  },

  // The page of 'loadcast predict', which has no script: its marks and its table hold what the JSON says.
  async predict(browser, wrongs) {
    const predicted = JSON.parse(fs.readFileSync(json)), key = {time: 'worst_s', rate: 'requests_per_s', bystander: 'bystander_s'};
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(browser, {colorScheme, isStatic: true}, wrongs);
      assert.equal(await page.textContent('h1'), predicted.headline);
      for (const kind of Object.keys(key)) {
        const series = await page.$$eval(`.figure[data-kind=${kind}] svg > g`, l => l.map(g => [...g.querySelectorAll('.mark')].map(m =>
          ({y: +m.dataset.y, text: m.textContent, x: m.getBoundingClientRect().x, drawn: m.getBoundingClientRect().y}))));
        const names = await page.$$eval(`.figure[data-kind=${kind}] .legend .key`, l => l.map(k => k.textContent));
        assert.deepEqual(names, Object.keys(predicted.widths[0].with));
        assert.equal(series.length, names.length);
        series.forEach((marks, s) => predicted.widths.forEach((w, i) => {
          near(marks[i].y, w.with[names[s]][key[kind]], kind + ' ' + names[s]);
          assert(marks[i].text.includes(names[s]) && marks[i].text.includes(w.ranks.toLocaleString('en-US') + ' rank'), marks[i].text);
          assert(i === 0 || marks[i].x > marks[i - 1].x, 'marks do not go to the right');
        }));
        const all = series.flat().sort((a, b) => a.y - b.y);
        assert(all[0].drawn > all[all.length - 1].drawn, 'the largest is not drawn highest');
      }
      const cells = await page.$$eval('table tbody tr', l => l.map(r => [...r.querySelectorAll('[data-s]')].map(c => +c.dataset.s)));
      predicted.widths.forEach((w, i) => Object.values(w.with).forEach((e, k) => near(cells[i][k], e.worst_s, 'table')));
      const from = await page.$$eval('table tfoot td', l => l.map(c => c.textContent)), pays = predicted.from_ranks.pays;
      assert.deepEqual(from, Object.keys(predicted.widths[0].with).map(n => n === 'plain' ? '' : pays[n] ? pays[n].toLocaleString('en-US') : 'never'));
      await page.evaluate(fs.readFileSync(modules + '/axe-core/axe.min.js', 'utf8'));
      const found = (await page.evaluate(() => axe.run())).violations.filter(v => ['serious', 'critical'].includes(v.impact));
      assert.equal(found.length, 0, found.map(v => v.id + ': ' + v.nodes[0].html.slice(0, 200)).join('\n'));
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({width, height: 900});
        assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'wider than ' + width);
      }
      if (process.env.SHOT) {
        await page.setViewportSize({width: 1280, height: 1500});
        await page.screenshot({path: process.env.SHOT});
      }
    }
  },

  // It opens, and that is all.
  async nothing(browser, wrongs) {
    await open(browser, {}, wrongs);
  },

  // Milliseconds until the first diagram is ready for the mouse; the bar is in t/bench.
  async first(browser, wrongs) {
    const page = await open(browser, {}, wrongs);
    await page.waitForSelector('.drawn');
    console.log(Math.round(await page.evaluate(() => performance.getEntriesByName('first-plot')[0].startTime)));
  },
};

(async () => {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: flags});
  const wrongs = [];
  try {
    await checks[check](browser, wrongs);
    assert.deepEqual(wrongs, []);
  } finally {
    await browser.close();
  }
})().catch(e => { console.error(e.message); process.exit(1); });
