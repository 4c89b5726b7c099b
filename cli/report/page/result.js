/* result.js -- shows a run's result: heading, clusters, scores, confidence, number of clusters. */
const PARTIES_MOST = 16, CLUSTERS_MOST = 64;

const plural = (n, one, many) => [datum(n), ` ${n === 1 ? one : many}`];
const join = (words, separator) => words.filter(Boolean).map((w, i) => i ? [separator, w] : w);

function heading(data, run) {
	const result = member(run, 'result'), job = member(run, 'job');
	const k = num(job, 'clusters') === undefined ? num(result, 'clusters')
		: num(job, 'clusters');
	const parties = list(run, 'parties').length, rows = num(result, 'rows');
	const vertices = num(member(run, 'facts'), 'vertices');

	return make('h1', {}, join([
		data.thing === 'vertex' && vertices !== undefined
			&& plural(vertices, 'vertex', 'vertices'),
		rows !== undefined && plural(rows, data.thing, data.things),
		k !== undefined && plural(k, 'cluster', 'clusters'),
		parties > 0 && plural(parties, 'party', 'parties'),
	], ', '));
}

function header(data, first) {
	const run = first.run, names = list(run, 'parties').filter((p) => typeof p === 'string');
	const status = textOf(run, 'status') || 'status unknown';
	const when = textOf(run, 'started').replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
	const network = textOf(data.network, 'network');
	const line = (...words) => make('p', { class: 'sub' }, join(words, ' \u00b7 '));
	const leftOut = (l) => make('p', { class: 'sub without' },
		`Left out since attempt ${numOr0(l, 'attempt')}, after a dropout: `,
		textOf(l, 'name'),
		textOf(l, 'step') && `; the attempt before was cut short in ${textOf(l, 'step')}`);

	return make('header', {},
		make('p', { class: 'eyebrow' }, 'Coterie, report of a run', data.alone
			&& `, as ${first.leads ? '' : 'the party '}${first.name} recorded it`),
		heading(data, run),
		line(make('span', { class: status === 'done' ? 'good' : 'bad' }, short(status, 40)),
			textOf(data, 'words'), when, textOf(run, 'software'), network
				&& `network ${network}`),
		line(...names.slice(0, PARTIES_MOST),
			names.length > PARTIES_MOST && `and ${names.length - PARTIES_MOST} more`),
		objects(run, 'left_out').slice(0, PARTIES_MOST).map(leftOut),
		textOf(run, 'error') && make('p', { class: 'error' },
			make('b', {}, 'The job failed. '), run.error));
}

const tile = (name, x, how) => x !== undefined && make('div', { class: 'tile' },
	make('dt', {}, name), make('dd', {}, datum(x, how)));

function tiles(data, first) {
	const run = first.run, facts = member(run, 'facts');

	return make('dl', { class: 'tiles' },
		tile('accuracy', num(member(run, 'evaluation'), 'acc'), shown.score),
		tile('confidence', num(facts, 'confidence'), shown.number),
		tile('modularity', num(facts, 'modularity'), shown.number),
		tile('job, offer to result', num(run, 'elapsed_s'), shown.seconds),
		tile(data.alone ? 'bytes on its links' : 'bytes on all links', linkBytes(data),
			shown.bytes));
}

/* Shows the clusters' sizes over all parties. If parties have rows of their own, also shows the
 * sizes at each party. */
function sizes(data, first) {
	const of = (run) => numbers(member(run, 'result'), 'cluster_sizes');
	const all = of(first.run), most = Math.max(...all);
	const parties = data.processes.filter((p) => !p.leads && p !== first)
		.map((p) => [p.name, of(p.run)]).slice(0, PARTIES_MOST)
		.filter(([, s]) => s.length === all.length && s.some((x, c) => x !== all[c]));
	const row = (x, c) => [[clusterKey(c), c], bar(x, most, `k${c % HUES}`), datum(x),
		...parties.map(([, s]) => shade(s[c] / Math.max(1, x), datum(s[c])))];

	return sum(all) > 0 && section('sizes', 'Clusters',
		table('Sizes of the clusters',
			['<cluster', '', data.things, ...parties.map(([name]) => name)],
			all.slice(0, CLUSTERS_MOST).map(row), { class: 'numbers sizes' }),
		parties.length > 0
			&& note('All, and those of each party, shaded by its part of the cluster.'),
		all.length > CLUSTERS_MOST
			&& note(`The first ${CLUSTERS_MOST} of ${all.length} clusters.`));
}

/* ---- scores ---- */

const WAYS = ['result', 'majority', 'size', 'log-size', 'untrained', 'alone'];
const SCORES = { acc: 'ACC', nmi: 'NMI', ari: 'ARI', f1: 'macro-F1' };
const scoreOf = (o, key) => typeof o[key] === 'number' && Math.abs(o[key]) <= 1 ? o[key]
	: undefined;

/* Shows the scores of kind fedgcn, where each party has classes of its own. */
function graphScores(e) {
	const cells = (ways, key) =>
		WAYS.map((w) => datum(scoreOf(member(ways, w), key), shown.score));
	const means = (key, title) => Object.entries(SCORES).map(([s, name]) =>
		[`${title}, ${name}`, ...cells(member(e, key), s)]);

	return [
		table('Each party\u2019s ACC', ['<party', 'graphs', ...WAYS],
			objects(e, 'parties').map((p) =>
			[textOf(p, 'party'), datum(num(p, 'graphs')),
				...cells(member(p, 'ways'), 'acc')]),
		{ id: 'graph-scores' }),
		make('h3', {}, 'Means over the parties'),
		table('Means over the parties', ['<mean', ...WAYS],
			[...means('mean', 'plain'), ...means('weighted', 'by graphs')],
				{ id: 'graph-means' }),
		note('First each party\u2019s ACC. Beside the result what each finds itself: all '
			+ 'graphs in one cluster, k-means on the nodes, a Gaussian mixture on '
			+ 'their logarithm, the network untrained, or trained on its own graphs.'),
	];
}

/* Makes the confusion matrix: a row per class, with clusters in the order of the best match. */
function matrix(e, corner, id) {
	const rows = list(e, 'confusion').filter(Array.isArray), clusters = list(e, 'clusters');
	const whole = rows.length && Math.max(rows.length, clusters.length) <= CLUSTERS_MOST;
	const row = (r, i) => [list(e, 'classes')[i],
		clusters.map((c, j) => good(r[j]) ? r[j] : 0)];

	return whole
		? cross('Rows of each class in each cluster', corner, clusters.map(String),
			rows.map(row),
			{ id })
		: note(`No matrix: it is made for at most ${CLUSTERS_MOST} classes and clusters.`);
}

function evaluation(run) {
	const e = member(run, 'evaluation');

	if (objects(e, 'parties').length)
		return section('evaluation', 'Against the truth', graphScores(e));
	return Object.keys(e).length > 0 && section('evaluation', 'Against the truth',
		note(`${textOf(e, 'truth')}, ${numOr0(e, 'rows')} rows`),
		make('dl', { class: 'tiles' }, Object.entries(SCORES).map(([key, name]) =>
			tile(name, scoreOf(e, key), shown.score))),
		matrix(e, 'class', 'confusion'),
		note('Rows of each known class in each cluster, shaded by part of the class. The '
			+ 'best match stands on the diagonal.'));
}

/* ---- number of clusters, confidence ---- */

function selection(data, run) {
	const facts = member(run, 'facts'), k = num(facts, 'selection_k');
	const from = numOr0(facts, 'selection_from');
	const measures = Object.entries({
		silhouette: 'Silhouette', inertia: 'Inertia', ratio: 'Calinski and Harabasz',
		stability: 'Stability over halves', eigengap: 'Eigengap',
	}).map(([key, name]) => [name, numbers(facts, `selection_${key}`)]).filter(([, v]) =>
		v.length);
	const last = from + (measures.length && measures[0][1].length) - 1;

	return k !== undefined && measures.length > 0 && section('selection', 'How many clusters',
		make('div', { class: 'figures' },
			measures.map(([name, v]) => curve(name, v, from, 'k =', k))),
		note(`Of ${from} to ${last} clusters these are ${k}: of all whose stability, where `
			+ `known, is at least ${data.stable} of the highest, they have the largest `
			+ 'simplified silhouette, ',
		datum(numOr0(facts, 'selection_margin'), shown.number),
		' above the next. The other curves decide nothing.', (k === from || k === last)
			&& ' It is the range\u2019s end: a wider one may have better.'));
}

function confidence(data) {
	const known = data.processes.map((p) => [p.name, member(p.run, 'facts')])
		.filter(([, f]) => list(f, 'confidence_tenths').length > 1).slice(0, PARTIES_MOST);
	const draw = ([name, f]) => curve(
		`${name}: ${shown.number(numOr0(f, 'confidence'))} on average`,
		numbers(f, 'confidence_tenths'), 1, 'tenth');

	return known.length > 0 && section('confidence', 'Label confidence',
		make('div', { class: 'figures' }, known.map(draw)),
		note('The share of the rows in each tenth of confidence: 0 between two centres, 1 '
			+ 'at one; 1 less the distance to the nearest over that to the next.'));
}

/* ---- what to know ---- */

function items(id, title, values) {
	return values.length > 0
		&& section(id, title, make('ul', {}, values.map((v) => make('li', {}, v))));
}

const warnings = (data) => items('warnings', 'Warnings', objects(data, 'warnings').map((w) =>
	[make('b', {}, w.names), `: ${w.sentence} `, make('code', {}, short(w.code, 40))]));
const missing = (data) => items('missing', 'Missing parts', objects(data, 'missing').map((m) =>
	[make('b', {}, m.subject), `: ${m.text}`]));
