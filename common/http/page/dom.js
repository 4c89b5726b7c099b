/* dom.js -- makes elements from plain values. Text is inserted as text and never parsed as HTML. */

/* Makes an element, such as make('td', { class: 'num', 'data-of': 'rounds' }, 7, another). */
export function make(name, attributes, ...children) {
	const e = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {}))
		if (value === true)
			e.setAttribute(key, '');
		else if (value !== false && value !== undefined && value !== null)
			e.setAttribute(key, value);
	e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false)
		.map((c) => c instanceof Node ? c : String(c)));
	return e;
}

export const at = (id) => document.getElementById(id);

/* Replaces the contents of e only if they differ, so that a user can go on reading and
 * selecting. */
export function fill(e, ...children) {
	const fresh = make('div', {}, ...children);

	if (fresh.innerHTML !== e.innerHTML)
		e.replaceChildren(...fresh.childNodes);
}

/* Makes a table whose rows become blocks on narrow screens. columns: a [title, class] for each. The
 * first cell of a row is its heading. A cell may be text or an element. */
export function table(label, columns, rows, more) {
	const cell = (c, i) => i === 0
		? make('th', { scope: 'row' }, c)
		: make('td', { class: columns[i][1], 'data-of': columns[i][0] }, make('div', {}, c));

	return make('table', { class: `tall ${(more && more.class) || ''}`, 'aria-label': label },
		make('thead', {}, make('tr', {}, columns.map(([title, kind]) =>
			make('th', { scope: 'col', class: kind === 'num' ? 'num' : undefined }, title)))),
		make('tbody', {}, rows.map((r) => make('tr', { class: r.class }, r.cells.map(cell)))));
}

export const small = (text) => text && make('small', {}, text);

const tone = { 'waiting for parties': 'dim', done: 'good', running: 'good', failed: 'bad', cancelled: 'bad', waiting: 'dim', queued: 'dim', 'awaiting approval': 'dim' };
/* Makes an element for the state of a job and the names of the parties that it waits for. */
export const state = (s, names) => make('span', { class: `state ${tone[s] || ''}` },
	`${s === 'waiting' ? 'waiting for parties' : s}${names && names.length ? ` (${names.join(', ')})` : ''}`);

export function bytes(n) {
	const units = ['B', 'kB', 'MB', 'GB', 'TB'];
	let i = 0;

	for (; n >= 1000 && i + 1 < units.length; i++)
		n /= 1000;
	return `${i && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

export function seconds(s) {
	if (s < 10)
		return `${Number.isInteger(s) ? s : s.toFixed(2)} s`;
	if (s < 120)
		return `${Math.round(s)} s`;
	if (s < 7200)
		return `${Math.round(s / 60)} min`;
	return s < 172800 ? `${(s / 3600).toFixed(1)} h` : `${Math.round(s / 86400)} days`;
}

export const count = (n) => Number(n).toLocaleString('en');
export const clock = (utc) => utc ? utc.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC') : '';

/* Returns the answer's JSON; throws the daemon's error message. */
export async function ask(path, options) {
	const answer = await fetch(path, options);
	const text = await answer.text();
	let json;

	try {
		json = JSON.parse(text);
	} catch {
		throw new Error(`${path}: status ${answer.status}`);
	}
	if (!answer.ok)
		throw new Error(json.error || `${path}: status ${answer.status}`);
	return json;
}

/* Shows a message, also to screen readers; bad: it is an error. */
export function news(text, bad) {
	const e = at('news');

	if (e.textContent !== text)
		e.textContent = text;
	e.className = bad ? 'bad' : '';
}
