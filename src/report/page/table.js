// table.js - the table of all runs: sorting, filters, pages of fifty rows.
const COLUMNS = [
  ['Run', i => ids[i], 'n'], ['Started (UTC)', i => started[i], '', i => formatTime(started[i])], ['Status', i => run.status(i)],
  ['Case', i => points[D.point[i]].name], ['Loads', i => points[D.point[i]].mode], ['Target', i => points[D.point[i]].target],
  ['Ranks', i => points[D.point[i]].ranks, 'n'], ['Nodes', i => points[D.point[i]].nodes, 'n'],
  ['With', i => withText(points[D.point[i]].with)], ['Cache', i => points[D.point[i]].cache], ['Repetition', i => D.rep[i], 'n'],
  ['Last rank ready', i => D.total[i] === null ? Infinity : D.total[i], 'n', i => formatSeconds(D.total[i])],
];
const ROWS = 50, rows = {order: [], page: 0, sort: 1, down: true, filters: {}, text: '', open: new Set()};

function runMatches(i) {
  for (const [column, value] of Object.entries(rows.filters)) if (value && String(COLUMNS[column][1](i)) !== value) return false;
  if (!rows.text) return true;
  const p = points[D.point[i]];
  return [ids[i], p.name, p.target, p.mode, run.status(i), run.suite(i), run.job(i), ...run.why(i), placeText(run.place(i))].join('\n').toLowerCase().includes(rows.text);
}
function sortRows() {
  const get = COLUMNS[rows.sort][1], sign = rows.down ? -1 : 1, order = [];
  for (let i = 0; i < D.point.length; i++) if (runMatches(i)) order.push(i);
  const keys = new Map(order.map(i => [i, get(i)]));
  order.sort((a, b) => { const x = keys.get(a), y = keys.get(b); return (x < y ? -1 : x > y ? 1 : a - b) * sign; });
  rows.order = order;
  rows.page = 0;
}

function detailRow(i) {
  const p = points[D.point[i]], place = D.places[run.place(i)] || [], [reason, errors] = run.why(i), list = [];
  const add = (k, v) => { if (v) list.push(htmlElement('dt', {}, k), htmlElement('dd', {}, String(v))); };
  add('suite', run.suite(i));
  add('why', reason);
  add('last words', errors);
  add('cold by', p.how);
  add('job', run.job(i));
  PLACE.forEach((k, n) => add(k, place[n]));
  return htmlElement('tr', {class: 'more'}, htmlElement('td', {colspan: COLUMNS.length}, htmlElement('dl', {}, ...list)));
}
function runRow(i) {
  const cells = COLUMNS.map(([, get, kind, words], n) => {
    const text = String(words ? words(i) : get(i));
    if (n > 0) return htmlElement('td', {class: kind || null, title: text.length > 24 ? text : null}, text);
    return htmlElement('td', {class: 'n'}, htmlElement('button', {type: 'button', 'aria-expanded': rows.open.has(i), 'aria-label': 'Run ' + text + ', where it ran', onclick: () => {
      rows.open.has(i) ? rows.open.delete(i) : rows.open.add(i);
      fillTable();
      document.querySelector('#table button[aria-label="Run ' + text + ', where it ran"]')?.focus();
    }}, text));
  });
  return htmlElement('tr', {class: run.status(i)}, ...cells);
}
function fillTable() {
  const body = document.querySelector('#table tbody'), from = rows.page * ROWS, part = rows.order.slice(from, from + ROWS);
  body.replaceChildren(...part.flatMap(i => rows.open.has(i) ? [runRow(i), detailRow(i)] : [runRow(i)]));
  if (!part.length) body.append(htmlElement('tr', {}, htmlElement('td', {colspan: COLUMNS.length}, 'No run matches.')));
  document.querySelectorAll('#table th').forEach((th, n) => th.setAttribute('aria-sort', n !== rows.sort ? 'none' : rows.down ? 'descending' : 'ascending'));
  const last = Math.max(0, Math.ceil(rows.order.length / ROWS) - 1), pages = document.getElementById('pages');
  const go = n => () => { rows.page = n; fillTable(); };
  pages.replaceChildren(htmlElement('button', {type: 'button', disabled: rows.page === 0, onclick: go(rows.page - 1)}, 'Previous'),
    htmlElement('span', {role: 'status', id: 'count'}, rows.order.length ? formatCount(from + 1) + '–' + formatCount(from + part.length) + ' of ' + formatCount(rows.order.length) + (rows.order.length < D.point.length ? ' (of ' + formatCount(D.point.length) + ' runs)' : '') : 'none of ' + formatCount(D.point.length) + ' runs'),
    htmlElement('button', {type: 'button', disabled: rows.page >= last, onclick: go(rows.page + 1)}, 'Next'));
}
function makeHeadings() {
  document.querySelector('#table thead tr').replaceChildren(...COLUMNS.map(([name, , kind], n) => htmlElement('th', {scope: 'col', class: kind || null},
    htmlElement('button', {type: 'button', onclick: () => { rows.down = rows.sort === n ? !rows.down : false; rows.sort = n; sortRows(); fillTable(); }}, name))));
}
function filterBox(n, label) {
  const get = COLUMNS[n][1], values = unique(D.point.map((_, i) => String(get(i)))).sort((a, b) => a.localeCompare(b, 'en', {numeric: true}));
  return selectBox(label, 'filter-' + n, [['', 'all'], ...values.map(v => [v, v])], '', v => { rows.filters[n] = v; sortRows(); fillTable(); });
}
function makeFilters() {
  let waiting;
  const search = htmlElement('input', {type: 'search', id: 'search', placeholder: 'host, job, reason…', oninput: () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { rows.text = search.value.toLowerCase(); sortRows(); fillTable(); }, 150);
  }});
  const box = document.getElementById('filters');
  box.replaceChildren(htmlElement('label', {for: 'search'}, 'Search', search), filterBox(3, 'Case'), filterBox(5, 'Target'), filterBox(6, 'Ranks'), filterBox(8, 'With'), filterBox(9, 'Cache'), filterBox(2, 'Status'));
  box.hidden = false;
  document.getElementById('pages').hidden = false;
}

showFirstView();
setTimeout(() => { makeHeadings(); makeFilters(); sortRows(); fillTable(); document.documentElement.classList.add('ready'); });
