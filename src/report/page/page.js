// page.js - the report page's data, and choosing what it shows. Without this script everything is
// shown, as SVG.
'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const PLACE = ['host', 'CPU', 'kernel', 'file system', 'mount options', 'launcher', 'MPI', 'Python', 'glibc', 'Loadcast'];

// An element with attributes and children; strings become text, never markup.
function htmlElement(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {}))
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v !== null && v !== undefined) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// Format numbers for people.
function formatCount(n) { return Math.round(n).toLocaleString('en-US'); }
function formatSeconds(s) {
  if (s === null || s === undefined) return '–';
  const [v, u] = s < 1e-3 ? [s * 1e6, 'µs'] : s < 0.9995 ? [s * 1e3, 'ms'] : s < 120 ? [s, 's'] : s < 7200 ? [s / 60, 'min'] : [s / 3600, 'h'];
  if (s === 0) return '0';
  return (v < 100 ? String(+v.toPrecision(3)) : formatCount(v)) + ' ' + u;
}
function formatTime(s) { return new Date(s * 1000).toISOString().slice(0, 16).replace('T', ' '); }
function withText(w) { return w === 'loadcast' ? 'Loadcast' : w; }

// Points as objects, runs as typed arrays, from the columns in the data.
const MODES = {'pyMPI': 'imported', 'mpi4py': 'imported (mpi4py)', 'pynamic-pyMPI': 'linked', 'pynamic-sdb-pyMPI': 'linked (sdb)',
  'pynamic-bigexe': 'bigexe', 'python-import': 'imported', 'cloadtest': 'linked (C)', 'cloadtest-mpi': 'linked (C, MPI)'};
const points = D.points.map((p, index) => ({
  index, name: D.texts[p[0]], mode: MODES[D.texts[p[1]]] || D.texts[p[1]], target: D.texts[p[2]], with: D.texts[p[3]],
  cache: D.texts[p[4]], how: D.texts[p[5]], ranks: p[6], nodes: p[7], runs: p[8], failed: p[9], place: p[10],
  best: p[11], median: p[12], worst: p[13], all: [],
}));
const started = new Float64Array(D.point.length), ids = new Int32Array(D.point.length);
for (let i = 0, t = 0, id = D.firstId; i < D.point.length; i++) {
  t += D.ago[i];
  if (D.id) id = i ? id + D.id[i] : D.id[0];
  started[i] = t;
  ids[i] = D.id ? id : D.firstId + i;
  points[D.point[i]].all.push(i);
}
for (const p of points) p.all.sort((a, b) => started[a] - started[b]);
const outlier = new Set(D.outlier), slower = new Set(D.slower);
const run = {
  status: i => D.status[i] || 'done',
  place: i => D.place ? D.place[i] : points[D.point[i]].place < 0 ? 0 : points[D.point[i]].place,
  suite: i => D.texts[D.suites ? D.suites[i] : D.suite],
  why: i => (D.why[i] || []).map(t => D.texts[t]),
  job: i => i in D.job ? D.texts[D.job[i]] : '',
};

function placeText(n) {
  const p = D.places[n];
  if (!p) return '';
  return [p[0], p[1], p[2] && 'Linux ' + p[2], p[3] && p[3] + (p[4] ? ' (' + p[4] + ')' : ''), p[5], p[6], p[7] && 'Python ' + p[7],
    p[8] && 'glibc ' + p[8], 'Loadcast ' + p[9]].filter(Boolean).join(' · ');
}

// One view at a time, chosen by case and way of loading, then by cache and target.
const views = [...document.querySelectorAll('.view')].map(e => ({
  e, name: e.dataset.case, mode: e.dataset.mode, cache: e.dataset.cache || 'unknown', targets: e.dataset.targets.split('\n'),
  first: +e.dataset.firstTarget,
}));
const chosen = {};
const shown = []; // called with the figures that became visible

function selectBox(label, id, options, value, change) {
  const select = htmlElement('select', {id, onchange: () => change(select.value)}, ...options.map(([v, text]) => htmlElement('option', {value: v, selected: v === value}, text)));
  return htmlElement('label', {for: id}, label, select);
}
function unique(list) { return [...new Set(list)]; }

function showView() {
  const same = views.filter(v => v.name === chosen.name && v.mode === chosen.mode);
  const view = same.find(v => v.cache === chosen.cache) || same[0];
  chosen.cache = view.cache;
  if (!view.targets.includes(chosen.target)) chosen.target = view.targets[view.first];
  const target = view.targets.indexOf(chosen.target);
  for (const v of views) v.e.classList.toggle('chosen', v === view);
  for (const f of view.e.querySelectorAll('.figure')) f.hidden = 'target' in f.dataset && +f.dataset.target !== target;
  const box = document.getElementById('chooser');
  const focused = document.activeElement && document.activeElement.id;
  box.replaceChildren(
    selectBox('Case', 'choose-case', unique(views.map(v => v.name + '\t' + v.mode)).map(k => [k, k.replace('\t', ', ')]), chosen.name + '\t' + chosen.mode,
      v => { [chosen.name, chosen.mode] = v.split('\t'); showView(); }),
    selectBox('Cache', 'choose-cache', unique(same.map(v => v.cache)).map(c => [c, c]), chosen.cache, v => { chosen.cache = v; showView(); }),
    selectBox('Target of the single diagrams', 'choose-target', view.targets.map(t => [t, t]), chosen.target, v => { chosen.target = v; showView(); }));
  if (focused) document.getElementById(focused)?.focus();
  for (const f of shown) f([...view.e.querySelectorAll('.figure:not([hidden])')]);
}

// Links in the table of what became slower lead to the diagrams.
for (const a of document.querySelectorAll('a.go'))
  a.addEventListener('click', e => {
    const view = views.find(v => '#' + v.e.id === a.getAttribute('href'));
    if (!view) return;
    e.preventDefault();
    Object.assign(chosen, {name: view.name, mode: view.mode, cache: view.cache, target: view.targets[a.dataset.target]});
    showView();
    document.getElementById('chooser').scrollIntoView();
    document.getElementById('choose-target').focus({preventScroll: true});
  });

// Printing shows what is on the screen. The first view is the one that the opening sentence is about.
function showFirstView() {
  if (!views.length) return;
  const first = views.find(v => 'headline' in v.e.dataset) || views.find(v => v.cache === 'cold') || views[0];
  Object.assign(chosen, {name: first.name, mode: first.mode, cache: first.cache, target: first.targets[first.first]});
  document.getElementById('chooser').hidden = false;
  showView();
}
