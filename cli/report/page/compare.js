/* compare.js -- shows several runs side by side, and whether their labels agree. */
const METRICS = {
	seconds: shown.seconds, rounds: shown.count, round_trips: shown.count,
	link_bytes: shown.bytes, memory_bytes: shown.bytes, rows: shown.count,
		clusters: shown.count,
	acc: shown.score, nmi: shown.score, ari: shown.score, f1: shown.score,
		agreement: shown.score,
};
const valueOf = (run, key) => {
	const x = member(run, 'values')[key];

	return typeof x === 'number' ? x : undefined;
};

/* Finds parameters in which the jobs differ; nested ones are named "a.b". */
function differences(runs) {
	const said = (v) => typeof v === 'string' ? v : JSON.stringify(v);
	const jobs = runs.map((r) => new Map(flatten(member(r, 'job'), '', [])
		.map(([name, v]) => [name, said(v)])));
	const names = [...new Set(jobs.flatMap((j) => [...j.keys()]))];

	return names.map((name) => [name, ...jobs.map((j) => j.get(name) || '')])
		.filter(([, ...values]) => new Set(values).size > 1);
}

function agreement(runs) {
	const known = runs.filter((r) => valueOf(r, 'agreement') !== undefined);

	return known.length > 0 && section('agreement', 'Agreement of the labels',
		known.map((r) => [
			make('h3', {}, `${textOf(r, 'out')} beside ${textOf(runs[0], 'out')}`),
			note('Adjusted Rand index ', datum(valueOf(r, 'agreement'), shown.score),
				', NMI ',
				datum(r.agreement.nmi, shown.score), '; ',
					datum(r.agreement.acc, shown.percent),
				' of the rows are in clusters that match.'),
			matrix(r.agreement, 'first run', false),
		]),
		note('Adjusted Rand index: 1 if the clusters are the same whatever their numbers, '
			+ '0 as by chance. Rows: the first run\u2019s clusters.'));
}

function bars(runs, key) {
	const most = Math.max(...runs.map((r) => valueOf(r, key) || 0));
	const row = (r) => make('tr', {}, make('th', { scope: 'row' }, short(textOf(r, 'out'), 40)),
		make('td', { class: 'wide' }, bar(valueOf(r, key) || 0, most, 'compute')),
		make('td', {}, datum(valueOf(r, key), METRICS[key])));

	return most > 0 && [make('h3', {}, key), make('table', { class: 'bars' }, runs.map(row))];
}

function compared(data) {
	const runs = objects(data, 'runs'), names = runs.map((r) => textOf(r, 'out'));
	const differ = differences(runs);
	const present = Object.keys(METRICS).filter((k) =>
		runs.some((r) => valueOf(r, k) !== undefined));
	const texts = [['job', 'words'], ['status', 'status']];

	return [
		make('header', {}, make('p', { class: 'eyebrow' }, 'Coterie, runs compared'),
			make('h1', {}, `${runs.length} runs`)),
		agreement(runs),
		section('numbers', 'Cost and results', table('Cost and results', ['', ...names], [
			...texts.map(([name, key]) => [name, ...runs.map((r) => textOf(r, key))]),
			...present.map((k) => [k, ...runs.map((r) =>
				datum(valueOf(r, k), METRICS[k]))]),
		], { id: 'compared' }), ['seconds', 'link_bytes', 'acc',
			'nmi'].map((k) => bars(runs, k))),
		section('parameters', 'Parameters in which the jobs differ', differ.length > 0
			? table('Parameters that differ', ['', ...names], differ,
				{ id: 'differences' })
			: note('None.')),
	];
}
