/* dom.js -- makes elements from plain values, and formats numbers. Text never becomes markup,
 * because a run may be of any origin. Missing or implausible values of a run count as absent.
 *
 * The page's files are one script, in the order of page.c, after uPlot.
 */
const NUMBER_MAX = 1e15;

/* Makes an element, as in make('td', { class: 'num' }, 7, another). Omits attributes and children
 * that are undefined, null or false. */
function make(name, attributes, ...children) {
	const e = document.createElement(name);

	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== undefined && value !== null && value !== false)
			e.setAttribute(key, value);
	e.append(...children.flat(Infinity).filter((c) => c !== undefined && c !== null
		&& c !== false)
		.map((c) => c instanceof Node ? c : String(c)));
	return e;
}

const good = (x) => typeof x === 'number' && x >= 0 && x <= NUMBER_MAX;
const isObject = (v) => Boolean(v) && typeof v === 'object' && !Array.isArray(v);
const member = (o, key) => isObject(o) && isObject(o[key]) ? o[key] : {};
const num = (o, key) => isObject(o) && good(o[key]) ? o[key] : undefined;
const numOr0 = (o, key) => num(o, key) || 0;
const list = (o, key) => isObject(o) && Array.isArray(o[key]) ? o[key] : [];
const objects = (o, key) => list(o, key).filter(isObject);
const numbers = (o, key) => list(o, key).map((x) => good(x) ? x : 0);
const textOf = (o, key) => isObject(o) && typeof o[key] === 'string' ? o[key] : '';
const sum = (values) => values.reduce((a, b) => a + b, 0);
const short = (text, most) => text.length > most ? `${text.slice(0, most)}\u2026` : text;

const shown = {
	count: (x) => Math.abs(x) >= 1e4 && Number.isInteger(x)
		? String(x).replace(/\B(?=(\d{3})+$)/g, '\u202f') : shown.number(x),
	number: (x) => String(Number(x.toPrecision(5))),
	score: (x) => x.toFixed(4),
	percent: (x) => `${(100 * x).toFixed(1)} %`,
	bytes(x) {
		const units = ['B', 'kB', 'MB', 'GB', 'TB'];
		let i = 0;

		for (; x >= 1000 && i + 1 < units.length; i++)
			x /= 1000;
		return `${i ? x.toFixed(1) : x} ${units[i]}`;
	},
	seconds(x) {
		if (x < 0.01)
			return x > 0 ? `${(1e3 * x).toFixed(2)} ms` : '0 s';
		if (x < 1)
			return `${(1e3 * x).toFixed(0)} ms`;
		return x < 100 ? `${x.toFixed(2)} s` : `${Number(x.toPrecision(6))} s`;
	},
};

/* Shows a rounded number; the element's value is the exact one. */
const datum = (x, how) => typeof x === 'number'
	&& make('data', { value: x }, (how || shown.count)(x));

function section(id, title, ...children) {
	return make('section', { id }, make('h2', {}, title), ...children);
}

const note = (...children) => make('p', { class: 'note' }, ...children);

/* Makes a table. columns: titles; '<' marks a column of texts. The first cell of a row is its
 * heading. A table wider than the page scrolls by itself, also by keyboard. */
function table(label, columns, rows, how) {
	const kind = columns.map((c) => c.startsWith('<') ? 'text' : undefined);
	const cell = (c, i) => c instanceof HTMLTableCellElement ? c
		: make(i ? 'td' : 'th', { scope: i ? false : 'row', class: kind[i] }, c);

	return make('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0 },
		make('table', { class: 'numbers', ...how },
			make('thead', {}, make('tr', {}, columns.map((c, i) =>
				make(c ? 'th' : 'td', { scope: c ? 'col' : false, class: kind[i] },
					c.replace(/^</, ''))))),
			make('tbody', {}, rows.map((row) => make('tr', {}, row.map(cell))))));
}

/* Makes a bar for x out of `most`. */
function bar(x, most, kind) {
	const fill = make('span', { class: kind });

	fill.style.width = `${most > 0 ? Math.min(100, 100 * Math.max(0, x) / most) : 0}%`;
	return make('span', { class: 'bar' }, fill);
}

/* Makes a cell shaded by `part`, from -1 to 1. */
function shade(part, ...children) {
	const cell = make('td', { class: 'cell' }, ...children);
	const strength = (0.5 * Math.min(1, Math.abs(part) || 0)).toFixed(3);

	cell.style.background = `rgb(var(--${part < 0 ? 'cold' : 'heat'}) / ${strength})`;
	return cell;
}

/* Makes a cross table. The shade of a cell shows its share of the row's sum. */
function cross(label, corner, columns, rows, how) {
	return table(label, [`<${corner}`, ...columns], rows.map(([name, counts]) => {
		const all = sum(counts);

		return [name, ...counts.map((x) => shade(all ? x / all : 0, datum(x)))];
	}), { class: 'numbers matrix', ...how });
}

/* Makes a folded section. Its function in `folded` draws it when it is first opened or printed. */
const folded = new Set();
function details(title, id, draw) {
	const e = make('details', { id }, make('summary', {}, title));
	const unfold = () => {
		if (folded.delete(unfold))
			e.append(...draw());
		e.open = true;
	};

	folded.add(unfold);
	e.addEventListener('toggle', () => e.open && unfold());
	return e;
}

/* Parses a CSV file into rows, the heading first. */
function csvRows(text) {
	const rows = [[]];

	for (const [, quoted, plain,
		end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/g)) {
		rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		if (end === '\n')
			rows.push([]);
		else if (!end)
			break;
	}
	return rows.filter((r) => r.length > 1);
}
