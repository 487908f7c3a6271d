// marks.js - tooltips of marks by mouse and keyboard, showing and hiding series, zooming into a
// history. The diagrams are SVG (svg.c) and are complete without this script.
function svgElement(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// Converts values to coordinates and back; 'range' is "lowest highest from to" as svg.c wrote it.
function makeScale(range, isLog) {
  const [min, max, from, to] = range.split(' ').map(Number), of = isLog ? Math.log : v => v;
  const share = v => (of(v) - of(min)) / (of(max) - of(min));
  return {min, max, from, to, at: v => from + share(v) * (to - from), value: p => min + (p - from) / (to - from) * (max - min)};
}

function runText(i, point) {
  const lines = [D.total[i] === null ? 'no value: ' + run.status(i) : formatSeconds(D.total[i]), point.target + ', ' + withText(point.with),
    'run ' + ids[i] + ', ' + formatTime(started[i]) + ' UTC' + (outlier.has(i) ? ', outlier' : '') + (slower.has(i) ? ', slower from here on' : '')];
  if (run.why(i)[0]) lines.push(run.why(i)[0]);
  return [...lines, placeText(run.place(i))].join('\n');
}

// Draws every run between two times; svg.c draws only some of them if there are many.
function drawRuns(fig, min, max) {
  const x = makeScale([min, max, fig.x.from, fig.x.to].join(' ')), y = makeScale(fig.svg.dataset.y, true), {from: bottom, to: top} = y;
  for (const g of fig.groups) {
    const point = points[+g.dataset.point], marks = [];
    for (const i of point.all) {
      if (started[i] < min || started[i] > max) continue;
      const cx = x.at(started[i]), data = {'data-run': ids[i], 'data-text': runText(i, point)};
      if (D.total[i] === null) { marks.push(svgElement('path', {class: 'failed', ...data, d: `M${cx - 4} ${top}l8 8m0-8l-8 8`})); continue; }
      const cy = y.at(D.total[i]);
      if (slower.has(i)) marks.push(svgElement('path', {class: 'slower', d: `M${cx} ${top}V${bottom}`}));
      if (outlier.has(i)) marks.push(svgElement('circle', {class: 'outlier', cx, cy, r: 6.5}));
      marks.push(svgElement('circle', {class: 'mark', ...data, 'data-y': D.total[i], cx, cy, r: 2.2}));
    }
    g.replaceChildren(...marks);
  }
  const ticks = [...fig.svg.querySelectorAll('.tx')];
  ticks.forEach((t, k) => {
    const words = new Date((min + (max - min) * k / (ticks.length - 1)) * 1e3).toISOString();
    t.textContent = max - min > 4 * 86400 ? words.slice(0, 10) : words.slice(5, 16).replace('T', ' ');
  });
  fig.x = x;
  collectMarks(fig);
}

// Drag along a history to enlarge that part; a double click shows all of it again.
function enableZoom(fig) {
  const whole = fig.x, place = e => Math.max(whole.from, Math.min(whole.to, new DOMPoint(e.clientX, e.clientY).matrixTransform(fig.svg.getScreenCTM().inverse()).x));
  let start = null, box = null;
  fig.svg.addEventListener('pointerdown', e => { start = place(e); });
  fig.svg.addEventListener('pointermove', e => {
    if (start === null) return;
    const [a, b] = [start, place(e)].sort((m, n) => m - n);
    box ||= fig.svg.appendChild(svgElement('rect', {class: 'selection', y: 12, height: 264}));
    box.setAttribute('x', a);
    box.setAttribute('width', b - a);
  });
  addEventListener('pointerup', e => {
    if (start === null) return;
    const [a, b] = [start, place(e)].sort((m, n) => m - n);
    if (box) box.remove();
    start = box = null;
    if (b - a > 5) drawRuns(fig, fig.x.value(a), fig.x.value(b));
  });
  fig.svg.addEventListener('dblclick', () => drawRuns(fig, whole.min, whole.max));
}

// A line of steps: a mark for each rank that became ready.
function addSteps(fig, g) {
  const x = makeScale(fig.svg.dataset.x, true), y = makeScale(fig.svg.dataset.y), p = points[+g.dataset.point], xs = g.dataset.steps.split(' ').map(Number);
  g.append(...xs.map((s, k) => svgElement('circle', {class: 'step', r: 4, cx: x.at(s), cy: y.at((k + 1) / xs.length), 'data-point': p.index, 'data-y': (k + 1) / xs.length,
    'data-text': [Math.round((k + 1) / xs.length * 100) + ' % ready after ' + formatSeconds(s), p.target + ', ' + withText(p.with),
      p.ranks + (p.ranks === 1 ? ' rank, ' : ' ranks, ') + p.cache + ', ' + p.mode, placeText(p.place)].join('\n')})));
}

// Fills fig.marks, a list of marks per series. Their titles become the text of the tooltip.
function collectMarks(fig) {
  fig.marks = fig.groups.map(g => [...g.querySelectorAll('.mark, .piece, .failed, .step')]);
  for (const e of fig.marks.flat()) {
    const title = e.querySelector('title');
    if (title) { e.dataset.text = title.textContent; title.remove(); }
    e.removeAttribute('tabindex');
  }
  showTip(fig, null);
}

// The middle of a mark, in pixels from the corner of the diagram.
function markCenter(fig, e) {
  const b = e.getBoundingClientRect(), box = fig.querySelector('.plot').getBoundingClientRect();
  return [b.x + b.width / 2 - box.x, b.y + b.height / 2 - box.y];
}
function showTip(fig, e) {
  if (fig.told) fig.told.classList.remove('told');
  fig.told = e;
  fig.tip.hidden = !e;
  if (!e) return;
  e.classList.add('told');
  const lines = e.dataset.text.split('\n'), where = lines.pop(), [x, y] = markCenter(fig, e);
  fig.tip.replaceChildren(htmlElement('p', {}, htmlElement('b', {}, lines[0])), ...lines.slice(1).map(l => htmlElement('p', {}, l)), htmlElement('p', {class: 'where'}, where));
  fig.tip.style.left = Math.max(0, Math.min(x + 12, fig.querySelector('.plot').clientWidth - fig.tip.offsetWidth)) + 'px';
  const above = y - fig.tip.offsetHeight - 12;
  fig.tip.style.top = (above > -60 ? above : y + 14) + 'px';
}
function shownMarks(fig) { return fig.marks.filter((_, i) => !fig.groups[i].hasAttribute('hidden')); }
function nearestMark(fig, px, py) {
  let best = null, least = 40 * 40;
  for (const e of shownMarks(fig).flat()) {
    const [x, y] = markCenter(fig, e), d = (x - px) ** 2 + (y - py) ** 2;
    if (d < least) { least = d; best = e; }
  }
  return best;
}
// Arrow keys: left and right along a series, up and down to the next one.
function handleKey(fig, e) {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
  if (e.key === 'Escape') showTip(fig, null);
  const lists = shownMarks(fig).filter(l => l.length);
  if (!step || !lists.length) return;
  e.preventDefault();
  if (!fig.told) return showTip(fig, lists[0][0]);
  let s = Math.max(0, lists.findIndex(l => l.includes(fig.told))), i = lists[s].indexOf(fig.told);
  if (step[1]) {
    const [x] = markCenter(fig, fig.told);
    s = (s + step[1] + lists.length) % lists.length;
    i = lists[s].reduce((b, m, k) => Math.abs(markCenter(fig, m)[0] - x) < Math.abs(markCenter(fig, lists[s][b])[0] - x) ? k : b, 0);
  } else i = Math.max(0, Math.min(lists[s].length - 1, i + step[0]));
  showTip(fig, lists[s][i]);
}

function makeLegendButtons(fig) {
  fig.querySelectorAll('.legend .key').forEach((li, i) => {
    if (fig.dataset.kind === 'phases') return; // segments of one bar cannot be hidden
    const button = htmlElement('button', {type: 'button', 'aria-pressed': 'true', onclick: () => {
      const on = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', on);
      fig.groups[i].toggleAttribute('hidden', !on);
      showTip(fig, null);
    }}, li.textContent);
    li.replaceChildren(button);
  });
}

function prepareFigure(fig) {
  const box = fig.querySelector('.plot');
  fig.svg = box.querySelector('svg');
  fig.groups = [...fig.svg.querySelectorAll(':scope > g')];
  fig.tip = box.appendChild(htmlElement('div', {class: 'tip', role: 'status', hidden: true}));
  for (const g of fig.groups) if (g.dataset.steps) addSteps(fig, g);
  if (fig.dataset.kind === 'history') {
    fig.x = makeScale(fig.svg.dataset.x);
    enableZoom(fig);
    drawRuns(fig, fig.x.min, fig.x.max);
  } else collectMarks(fig);
  box.tabIndex = 0;
  box.setAttribute('role', 'application');
  box.setAttribute('aria-roledescription', 'diagram');
  box.setAttribute('aria-label', fig.querySelector('h3').textContent + '. Arrow keys go from mark to mark.');
  box.addEventListener('mousemove', e => { const b = box.getBoundingClientRect(); showTip(fig, nearestMark(fig, e.clientX - b.x, e.clientY - b.y)); });
  box.addEventListener('mouseleave', () => showTip(fig, null));
  box.addEventListener('keydown', e => handleKey(fig, e));
  box.addEventListener('blur', () => showTip(fig, null));
  makeLegendButtons(fig);
  fig.classList.add('drawn');
  if (!performance.getEntriesByName('first-plot').length) performance.mark('first-plot');
}

const near = new IntersectionObserver(seen => { for (const s of seen) if (s.isIntersecting && !s.target.marks) prepareFigure(s.target); }, {rootMargin: '300px'});
shown.push(figures => figures.forEach(f => near.observe(f)));
