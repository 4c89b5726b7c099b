/* rows.js -- shows a party's own rows: the picture, columns by cluster, and the confidence of
 * each row. */
const VALUES_MOST = 24, UNSURE_MOST = 15, CLUSTERS_DRAWN = 12, HEAT_MOST = 30, NAME_MOST = 60;
const PROFILE = ['cluster', 'rows', 'column', 'mean', 'mean_of_all', 'share', 'lift', 'z'];

const clustersOf = (p) => [...new Set(list(p, 'label'))].sort((a, b) => a - b);
const named = (c) => [clusterKey(c), c];
const mean = (values) => sum(values) / Math.max(1, values.length);

function picture(data) {
	const p = member(data, 'points'), clusters = clustersOf(p), hidden = new Set();
	if (!clusters.length)
		return null;
	const said = make('p', { class: 'said' });
	const say = (i) => { said.textContent = i < 0 ? '' : `${p.id[i]}, cluster ${p.label[i]}`; };
	const [box, redraw] = scatter('Points in two dimensions, coloured by cluster', p, hidden,
		say);
	const toggle = (c) => {
		const b = make('button', { type: 'button', 'aria-pressed': 'true' }, clusterKey(c),
			`cluster ${c}`);

		b.addEventListener('click', () => {
			if (!hidden.delete(c))
				hidden.add(c);
			b.setAttribute('aria-pressed', String(!hidden.has(c)));
			redraw();
		});
		return b;
	};

	return section('picture', 'Points in the plane', note(`The ${data.things} of ${p.of}.`),
		box,
		said, clusters.length <= CLUSTERS_MOST
			&& make('p', { class: 'marks' }, clusters.map(toggle)),
		note(p.caption, ' Drag to enlarge, click twice to go back.'));
}

/* Parses the text of profile.csv. Returns [] if the text has another heading. */
function profileOf(text) {
	const [names, ...rows] = csvRows(text);
	if (!names || names.join() !== PROFILE.join())
		return [];
	return rows.map((r) => Object.fromEntries(names.map((name, i) =>
		[name, name === 'column' ? r[i] : Number(r[i])]))).filter((l) =>
			Number.isFinite(l.z));
}

function means(lines) {
	/* If no value is 0, shares carry no information. */
	const sparse = lines.some((l) => l.share < 1);
	const row = (l) => [short(l.column, NAME_MOST), datum(l.cluster), datum(l.rows),
		...[l.mean, l.mean_of_all, l.z].map((x) => datum(x, shown.number)),
		...sparse ? [datum(l.share, shown.percent), datum(l.lift, shown.number)] : []];

	return [
		table('Means by cluster', ['<column', 'cluster', 'rows', 'mean', 'of all', 'z',
			...sparse ? ['not 0', 'lift'] : []], lines.map(row)),
		sparse ? note('Not 0: the rows of the cluster in which the column is not 0; '
			+ 'lift: that over the share of all rows.') : '',
	];
}

/* Shows z for each column and cluster, with the columns of largest z first. Then shows the
 * underlying numbers. */
function profile(data, id, title, of) {
	const lines = profileOf(textOf(data, id)), most = new Map(), at = new Map();

	for (const l of lines) {
		most.set(l.column, Math.max(most.get(l.column) || 0, Math.abs(l.z)));
		at.set(`${l.cluster} ${l.column}`, l.z);
	}
	const columns = [...most.keys()].sort((a, b) => most.get(b) - most.get(a));
	const clusters = [...new Set(lines.map((l) => l.cluster))].sort((a, b) => a - b);
	const cell = (z) => z === undefined ? make('td', { class: 'cell' })
		: shade(z / 3, datum(z, (x) => (Math.round(10 * x) / 10 || 0).toFixed(1)));

	return lines.length > 0 && section(id, title,
		note(`${of} z: deviations of a cluster's mean above or below the median of all. An `
			+ 'empty cell: the column is not among those of largest z there.'),
		table(title, ['<column', ...clusters.map((c) => `cluster ${c}`)],
			columns.slice(0, HEAT_MOST).map((column) => [short(column, NAME_MOST),
				...clusters.map((c) => cell(at.get(`${c} ${column}`)))]),
			{ class: 'numbers matrix', id: `${id}-heat` }),
		columns.length > HEAT_MOST
			&& note(`The first ${HEAT_MOST} of ${columns.length} columns.`),
		details('Means', `${id}-means`, () => means(lines)));
}

/* Shows each cluster's share of 1 in a column of 0 and 1; for other columns, shares by value. */
function distribution(p, c, clusters) {
	const values = list(c, 'values'), name = short(textOf(c, 'name'), NAME_MOST);
	const binary = values.every((v) => v === 0 || v === 1);
	const row = (k) => {
		const part = mean(values.filter((v, i) => p.label[i] === k));

		return make('tr', {}, make('th', { scope: 'row' }, named(k)),
			make('td', { class: 'wide' }, bar(part, 1, `k${k % HUES}`)),
			make('td', {}, datum(part, shown.percent)));
	};

	return make('figure', {}, make('figcaption', {}, make('b', {}, name),
		textOf(c, 'unit') && ` (${c.unit})`,
			` ${shown.percent(c.between)} of its variance`),
	binary ? make('table', { class: 'bars' }, clusters.map(row))
		: histogram(name, values, p.label, clusters, 24));
}

function distributions(data) {
	const p = member(data, 'points'), columns = objects(p, 'columns');
	const clusters = clustersOf(p).slice(0, CLUSTERS_DRAWN);

	return columns.length > 0 && section('distributions', 'Columns that separate the clusters',
		note('The share of each cluster\u2019s rows by value; of a column of 0 and 1 the '
			+ 'rows with 1. First the one of whose variance most is between clusters.'),
		make('p', { class: 'marks' },
			clusters.map((k) => make('span', {}, clusterKey(k), `cluster ${k}`))),
		make('div', { class: 'figures' },
			columns.map((c) => distribution(p, c, clusters))));
}

function silhouette(data) {
	const p = member(data, 'points'), s = member(p, 'silhouette'), point = list(s, 'point');
	const value = list(s, 'value');
	const groups = clustersOf(p).map((cluster) => ({
		cluster, values: value.filter((v, i) => p.label[point[i]] === cluster),
	})).filter((g) => g.values.length);
	const row = ({ cluster, values }) => [named(cluster), values.length,
		datum(mean(values), shown.score),
			datum(mean(values.map((v) => v < 0 ? 1 : 0)), shown.percent)];

	return value.length > 0 && section('silhouette', 'Silhouette',
		note(datum(mean(value), shown.score), ` on average of ${value.length} rows`,
			value.length < p.total && `, a sample of ${p.total}`,
				'. Near 1: a row is among its '
			+ 'own; below 0: another cluster is nearer.'),
		ranked('Silhouettes of the rows of each cluster, largest first', groups),
		table('Silhouettes', ['<cluster', 'rows', 'mean', 'below 0'], groups.map(row)));
}

/* Lists the rows with the lowest confidence or, if the job computed none, the lowest
 * silhouettes. */
function unsure(data) {
	const p = member(data, 'points'), given = list(p, 'confidence'),
		s = member(p, 'silhouette');
	const what = given.length ? 'confidence' : 'silhouette';
	const rows = given.length ? given.map((v, i) => [v, i])
		: list(s, 'value').map((v, i) => [v, list(s, 'point')[i]]);

	rows.sort((a, b) => a[0] - b[0]);
	return rows.length > 0 && section('unsure', 'Rows that are least sure',
		table(`Rows of least ${what}`, ['<row', 'cluster', what],
			rows.slice(0, UNSURE_MOST).map(([v, i]) =>
				[short(p.id[i], NAME_MOST), named(p.label[i]),
					datum(v, shown.score)])));
}

/* Returns the names of a column's values, and a function that names a value. Texts and few numbers
 * are their own names. If there are more numbers, each is named by its quarter of the rows. */
function few(values) {
	const all = [...new Set(values)], name = (e) => `to ${shown.number(e)}`;
	if (all.length <= VALUES_MOST || typeof all[0] !== 'number')
		return [all.sort((a, b) => typeof a === 'number' ? a - b : a < b ? -1 : 1)
			.slice(0, VALUES_MOST).map(String), String];
	const sorted = [...values].sort((a, b) => a - b);
	const ends = [1, 2, 3, 4].map((q) => sorted[Math.ceil(sorted.length * q / 4) - 1]);

	return [[...new Set(ends.map(name))], (v) => name(ends.find((e) => v <= e))];
}

function byColumn(data) {
	const p = member(data, 'points'), by = member(p, 'by'), values = list(by, 'values');
	const [names, name] = few(values), counts = new Map();

	values.forEach((v, i) => {
		const key = `${p.label[i]} ${name(v)}`;

		counts.set(key, (counts.get(key) || 0) + 1);
	});
	return values.length > 0 && section('by', `Clusters by ${short(by.column, NAME_MOST)}`,
		cross(`Rows of each cluster by ${by.column}`, 'cluster',
			names.map((n) => n || 'none of these'), clustersOf(p).map((c) =>
				[named(c), names.map((n) => counts.get(`${c} ${n}`) || 0)]),
					{ id: 'by-table' }),
		note('Shaded by the part of the cluster.',
			p.id.length < p.total && ` Of the ${p.id.length} rows in the picture.`));
}
