// plots.js - figures drawn by uPlot, in the place of their SVG. Without uPlot the SVG stays.
const PARTS = 7;
function colours() {
  const css = getComputedStyle(document.documentElement), v = n => css.getPropertyValue('--' + n).trim();
  return {c: i => v('c' + i), p: i => v('p' + i), ink: v('ink'), soft: v('soft'), line: v('line'), paper: v('paper'), bad: v('bad')};
}
function faint(hex, share) { return hex + Math.round(share * 255).toString(16).padStart(2, '0'); }

// Every mark of a figure: {s, x, y, low, high, point, run}.
function marksOf(spec) {
  return spec.series.map((s, n) => s.of !== undefined
    ? points[s.of].all.map(i => ({s: n, x: started[i], y: D.total[i], low: null, high: null, point: points[s.of], run: i}))
    : s.marks.map(m => ({s: n, x: m[0], y: m[1], low: m[2], high: m[3], point: points[m[4]]})));
}

// uPlot wants one list of x for all series.
function table(spec, marks) {
  const xs = unique(marks.flat().map(m => m.x)).sort((a, b) => a - b), at = new Map(xs.map((x, i) => [x, i]));
  const column = (list, get) => { const c = new Array(xs.length).fill(null); for (const m of list) c[at.get(m.x)] = get(m); return c; };
  const zero = y => y === null ? null : spec.y === 'log0' && y < 1 ? 0.5 : y;
  return {xs, values: marks.map(l => column(l, m => zero(m.y))), tops: marks.map(l => column(l, m => m.high)), lows: marks.map(l => column(l, m => m.low))};
}

function logTicks(min, max) {
  const ticks = [], wide = Math.log10(max / min) > 2.2;
  for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++)
    for (const k of wide ? [1] : [1, 2, 5]) { const t = k * 10 ** e; if (t >= min * 0.999 && t <= max * 1.001) ticks.push(t); }
  return ticks;
}
function axisX(spec, xs, c) {
  const base = {stroke: c.soft, grid: {show: false}, ticks: {stroke: c.line, size: 5}, font: '13px system-ui, sans-serif', size: 30,
    label: spec.unitX || undefined, labelSize: 20, labelGap: 0, labelFont: '13px system-ui, sans-serif'};
  if (spec.x === 'time') return {...base, space: 90, values: (u, t) => {
    const span = u.scales.x.max - u.scales.x.min, words = v => new Date(v * 1e3).toISOString();
    return t.map(v => span < 2 * 86400 ? words(v).slice(11, 16) : words(v).slice(0, 10));
  }};
  if (spec.x === 'names') return {...base, size: spec.kind === 'phases' ? 44 : 30, splits: () => spec.names.map((_, i) => i), values: (u, t) => t.map(i => names(spec, i, u.width)), filter: (u, t) => t, space: 1};
  if (spec.x === 'ranks') return {...base, splits: () => xs, values: (u, t) => t.map(count), filter: (u, t) => t};
  if (spec.x === 'hours') return {...base, splits: () => [0, 4, 8, 12, 16, 20, 24], values: (u, t) => t.map(String)};
  return {...base, splits: (u, a, min, max) => logTicks(min, max), values: (u, t) => t.map(seconds), filter: (u, t) => t};
}
function names(spec, i, width) {
  const name = spec.names[i] || '';
  return spec.kind !== 'phases' ? name : name.replace(' ', '\n').replace('Loadcast', 'LC').replace('plain', width < 480 ? 'p' : 'plain');
}
function axisY(spec, c) {
  const base = {stroke: c.soft, grid: {stroke: c.line, width: 1}, ticks: {show: false}, font: '13px system-ui, sans-serif', size: 66, gap: 6};
  const words = v => spec.y === 'share' ? Math.round(v * 100) + ' %' : spec.counts ? count(v < 1 ? 0 : v) : seconds(v);
  if (spec.y === 'share') return {...base, splits: () => [0, .25, .5, .75, 1], values: (u, t) => t.map(words)};
  if (spec.y === 'linear') return {...base, values: (u, t) => t.map(words)};
  return {...base, splits: (u, a, min, max) => { const t = logTicks(spec.y === 'log0' ? Math.max(min, 1) : min, max); if (spec.y === 'log0' && min <= .5) t.unshift(.5); return t; },
    values: (u, t) => t.map(words), filter: (u, t) => t};
}
function scales(spec, data) {
  const around = by => (u, min, max) => [min / by, max * by];
  const x = spec.x === 'time' ? {time: true, range: (u, a, b) => { const pad = (b - a) * .03 + 60; return [a - pad, b + pad]; }}
    : spec.x === 'names' ? {time: false, range: () => [-.6, spec.names.length - .4]}
    : spec.x === 'ranks' ? {time: false, distr: 3, log: 2, range: around(1.25)}
    : spec.x === 'hours' ? {time: false, range: () => [0, 24]} : {time: false, distr: 3, range: around(1.2)};
  const all = [...data.values, ...data.tops, ...data.lows].flat().filter(v => v !== null && v > 0);
  const low = Math.min(...all.length < 5e4 ? all : [all.reduce((a, b) => Math.min(a, b))]), high = all.reduce((a, b) => Math.max(a, b), low);
  const by = high / low < 2 ? 1.5 : 1.2;
  const y = spec.y === 'share' ? {range: () => [0, 1.02]} : spec.y === 'linear' ? {range: () => [0, high * 1.08]} : {distr: 3, range: () => [low / by, high * by]};
  return {x, y};
}

function lineSeries(spec, s, c) {
  const colour = s.look === 'bar' ? c.p(s.colour) : c.c(s.colour);
  if (s.look === 'bar') return {label: s.target, stroke: c.paper, width: 1, fill: colour, paths: uPlot.paths.bars({size: [0.86, 52]}), points: {show: false}};
  return {label: s.target + (s.with ? ', ' + withWords(s.with) : ''), stroke: colour, width: s.look === 'dots' ? 0 : 2.4, dash: s.plain ? [7, 5] : undefined, spanGaps: true,
    paths: s.look === 'steps' ? uPlot.paths.stepped({align: 1}) : s.look === 'dots' ? () => null : undefined,
    points: {show: s.look !== 'steps', size: s.look === 'dots' ? 5 : 9, width: 2, stroke: colour, fill: s.plain ? c.paper : colour}};
}

function options(fig, spec, data, c, width) {
  const series = [{}], values = [data.xs], bands = [];
  const bars = spec.series[0].look === 'bar', order = spec.series.map((_, i) => i);
  if (bars) order.reverse(); // the longest first: those below are drawn over it
  fig.plotSeries = [];
  for (const i of order) {
    const s = spec.series[i];
    fig.plotSeries[i] = [series.length];
    series.push(lineSeries(spec, s, c));
    values.push(bars ? data.tops[i] : data.values[i]);
    if (bars || !data.tops[i].some(v => v !== null)) continue;
    fig.plotSeries[i].push(series.length, series.length + 1);
    for (const edge of [data.tops[i], data.lows[i]]) { series.push({stroke: 'transparent', width: 0, points: {show: false}, spanGaps: true}); values.push(edge); }
    bands.push({series: [series.length - 2, series.length - 1], fill: faint(c.c(s.colour), .14)});
  }
  return [{width, height: Math.max(240, Math.min(340, Math.round(width * .6))), series, bands, scales: scales(spec, data), legend: {show: false},
    axes: [axisX(spec, data.xs, c), axisY(spec, c)], tzDate: t => uPlot.tzDate(new Date(t * 1e3), 'Etc/UTC'),
    cursor: {points: {show: false}, drag: {x: spec.x === 'time', y: false}, x: false, y: false}, hooks: {draw: [u => drawEvents(u, fig, c)]}, padding: [10, 14, 0, 0]}, values];
}

// Runs without a value, outliers, and where it became slower.
function drawEvents(u, fig, c) {
  if (fig.spec.kind !== 'history') return;
  const g = u.ctx, r = devicePixelRatio, box = u.bbox;
  g.save();
  g.beginPath(); g.rect(box.left, box.top, box.width, box.height); g.clip();
  for (const m of fig.marks.flat()) {
    const x = u.valToPos(m.x, 'x', true);
    if (m.y === null) {
      g.strokeStyle = c.bad; g.lineWidth = 1.8 * r; g.beginPath();
      g.moveTo(x - 4 * r, box.top + 2 * r); g.lineTo(x + 4 * r, box.top + 10 * r); g.moveTo(x + 4 * r, box.top + 2 * r); g.lineTo(x - 4 * r, box.top + 10 * r); g.stroke();
      continue;
    }
    if (slower.has(m.run)) { g.strokeStyle = c.bad; g.lineWidth = 1.6 * r; g.setLineDash([2 * r, 3 * r]); g.beginPath(); g.moveTo(x, box.top); g.lineTo(x, box.top + box.height); g.stroke(); g.setLineDash([]); }
    if (outlier.has(m.run)) { g.strokeStyle = c.ink; g.lineWidth = 1.4 * r; g.beginPath(); g.arc(x, u.valToPos(m.y, 'y', true), 6.5 * r, 0, 7); g.stroke(); }
  }
  g.restore();
}

// What a mark says: its value, its conditions, where it was measured.
function words(spec, m) {
  const s = spec.series[m.s], p = m.point;
  const value = m.y === null ? 'no value: ' + run.status(m.run) : spec.counts ? count(m.y) + ' ' + spec.unitY
    : spec.y === 'share' ? Math.round(m.y * 100) + ' % ready after ' + seconds(m.x) : seconds(m.y);
  const lines = [s.target + (s.with ? ', ' + withWords(s.with) : '')];
  if (spec.kind === 'phases') lines[0] += ', ' + withWords(p.with);
  lines.push(p.ranks + (p.ranks === 1 ? ' rank, ' : ' ranks, ') + p.nodes + (p.nodes === 1 ? ' node, ' : ' nodes, ') + p.cache + (p.how ? ' (' + p.how + ')' : '') + ', ' + p.mode);
  if (m.run !== undefined) {
    lines.push('run ' + ids[m.run] + ', ' + moment(started[m.run]) + ' UTC' + (outlier.has(m.run) ? ', outlier' : '') + (slower.has(m.run) ? ', slower from here on' : ''));
    if (run.why(m.run)[0]) lines.push(run.why(m.run)[0]);
  } else {
    if (m.low !== null && m.high !== null && spec.kind !== 'phases') lines.push('from ' + seconds(m.low) + ' to ' + seconds(m.high));
    if (spec.kind === 'bystander' && m.low !== null) lines.push('idle: ' + seconds(m.low));
    lines.push(p.runs + (p.runs === 1 ? ' run' : ' runs') + (p.failed ? ', ' + p.failed + ' without a value' : ''));
  }
  return {value, lines, where: placeWords(m.run !== undefined ? run.place(m.run) : p.place)};
}

function placeOf(fig, m) {
  const u = fig.plot, y = m.y === null ? 6 : u.valToPos(fig.spec.series[m.s].look === 'bar' ? (m.low + m.high) / 2 : fig.spec.y === 'log0' && m.y < 1 ? .5 : m.y, 'y');
  return [u.valToPos(m.x, 'x') + u.over.offsetLeft, y + u.over.offsetTop];
}
function tell(fig, m) {
  fig.told = m;
  fig.tip.hidden = !m;
  if (!m) return;
  const w = words(fig.spec, m), [x, y] = placeOf(fig, m), box = fig.querySelector('.plot');
  fig.tip.replaceChildren(el('p', {}, el('b', {}, w.value)), ...w.lines.map(l => el('p', {}, l)), el('p', {class: 'where'}, w.where));
  fig.tip.style.left = Math.max(0, Math.min(x + 12, box.clientWidth - fig.tip.offsetWidth)) + 'px';
  const above = y - fig.tip.offsetHeight - 12;
  fig.tip.style.top = (above > -60 ? above : y + 14) + 'px';
}
function visible(fig) { return fig.marks.filter((_, i) => fig.plot.series[fig.plotSeries[i][0]].show).flat(); }
function nearest(fig, px, py) {
  let best = null, least = 40 * 40;
  for (const m of visible(fig)) { const [x, y] = placeOf(fig, m), d = (x - px) ** 2 + (y - py) ** 2; if (d < least) { least = d; best = m; } }
  return best;
}
// Arrow keys: left and right along a series, up and down to the next one.
function key(fig, e) {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (e.key === 'Escape') tell(fig, null);
  if (!step) return;
  e.preventDefault();
  const lists = fig.marks.filter(l => l.length);
  if (!fig.told) return tell(fig, lists[0][0]);
  let s = lists.findIndex(l => l.includes(fig.told)), i = lists[s].indexOf(fig.told);
  if (step[1]) { s = (s + step[1] + lists.length) % lists.length; const x = fig.told.x; i = lists[s].reduce((b, m, k) => Math.abs(m.x - x) < Math.abs(lists[s][b].x - x) ? k : b, 0); }
  else i = Math.max(0, Math.min(lists[s].length - 1, i + step[0]));
  tell(fig, lists[s][i]);
}

function legend(fig) {
  fig.querySelectorAll('.legend .key').forEach((li, i) => {
    const button = el('button', {type: 'button', 'aria-pressed': 'true', onclick: () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', on);
      for (const n of fig.plotSeries[i]) fig.plot.setSeries(n, {show: on});
    }}, li.textContent);
    if (fig.spec.kind !== 'phases') li.replaceChildren(button);
  });
}

function draw(fig) {
  const box = fig.querySelector('.plot'), width = box.clientWidth;
  if (!width) return;
  const first = !fig.spec;
  if (first) {
    fig.spec = D.figures[+fig.dataset.figure];
    fig.marks = marksOf(fig.spec);
    fig.data = table(fig.spec, fig.marks);
    fig.tip = el('div', {class: 'tip', role: 'status', hidden: true});
  }
  if (fig.plot) fig.plot.destroy();
  box.replaceChildren(fig.tip);
  const [opts, values] = options(fig, fig.spec, fig.data, colours(), width);
  fig.plot = new uPlot(opts, values, box);
  fig.plot.over.addEventListener('mousemove', e => tell(fig, nearest(fig, e.offsetX + fig.plot.over.offsetLeft, e.offsetY + fig.plot.over.offsetTop)));
  fig.plot.over.addEventListener('mouseleave', () => tell(fig, null));
  if (!first) return;
  box.tabIndex = 0;
  box.setAttribute('role', 'application');
  box.setAttribute('aria-roledescription', 'diagram');
  box.setAttribute('aria-label', fig.querySelector('h3').textContent + '. Arrow keys go from mark to mark.');
  box.addEventListener('keydown', e => key(fig, e));
  box.addEventListener('blur', () => tell(fig, null));
  legend(fig);
  fig.classList.add('drawn');
  if (!performance.getEntriesByName('first-plot').length) performance.mark('first-plot');
}

if (typeof uPlot !== 'undefined') {
  const near = new IntersectionObserver(seen => { for (const s of seen) if (s.isIntersecting && !s.target.plot) draw(s.target); }, {rootMargin: '300px'});
  shown.push(figures => figures.forEach(f => near.observe(f)));
  const again = () => document.querySelectorAll('.figure.drawn').forEach(f => { if (!f.hidden && f.closest('.view').classList.contains('chosen')) draw(f); else { f.plot.destroy(); f.plot = null; f.classList.remove('drawn'); } });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  let last = innerWidth, waiting;
  addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(() => { if (innerWidth !== last) { last = innerWidth; again(); } }, 120); });
  addEventListener('beforeprint', () => document.querySelectorAll('.view.chosen .figure:not([hidden])').forEach(f => { if (!f.plot) draw(f); }));
}
