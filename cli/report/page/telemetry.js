/* telemetry.js -- shows the course of a run: time, traffic, sums, and the complete job. */
const SPENT = ['compute', 'wait', 'wire'], FIELDS_MOST = 200, DRAWN_MOST = 64;

const phaseOf = (run, o) => textOf(objects(run, 'phases')[numOr0(o, 'phase')], 'name');
const utc = (run) => Date.parse(textOf(run, 'started')) / 1000;
const stepsOf = (run) => objects(run, objects(run, 'steps').length ? 'steps' : 'phases');
const endOf = (s) => numOr0(s, 'start_s') + sum(SPENT.map((k) => numOr0(s, `${k}_s`)));
const lengthOf = (run) => stepsOf(run).reduce((end, s) => Math.max(end, endOf(s)),
	numOr0(run, 'elapsed_s'));

/* Places each process's lane at the time at which the process began by its own clock. If this time
 * is before the first process's begin or after its end, the clock is wrong, and the lane begins at
 * 0. */
function lanesOf(data) {
	const first = data.processes[0].run;

	return data.processes.map(({ name, run }) => {
		const off = utc(run) - utc(first), fits = off >= 0 && off <= lengthOf(first);
		const offset = fits ? off : 0;

		return {
			name, run, offset, moved: !fits && !(Math.abs(off) < 0.01),
			steps: stepsOf(run), end: offset + lengthOf(run),
		};
	}).filter((lane) => lane.steps.length);
}

function svg(name, attributes, ...children) {
	const e = document.createElementNS('http://www.w3.org/2000/svg', name);

	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

/* Makes a stretched drawing of 10000 by 10, with a path for each kind of time. */
function drawLane(lane, end) {
	const path = { compute: '', wait: '', wire: '' };
	const x = (t) => Math.min(1e4, 1e4 * t / end).toFixed(1);

	for (const s of lane.steps) {
		let at = lane.offset + numOr0(s, 'start_s');

		for (const kind of SPENT) {
			const to = at + numOr0(s, `${kind}_s`);

			if (to > at)
				path[kind] += `M${x(at)} 0H${x(to)}V10H${x(at)}z`;
			at = to;
		}
	}
	return svg('svg', { viewBox: '0 0 10000 10', preserveAspectRatio: 'none' },
		...SPENT.map((kind) => svg('path', { class: kind, d: path[kind] })));
}

function timeline(data) {
	const lanes = lanesOf(data), end = Math.max(0, ...lanes.map((l) => l.end));
	const run = data.processes[0].run, said = make('p', { class: 'said' });
	const tell = (lane, event) => {
		const box = event.currentTarget.getBoundingClientRect();
		const t = (event.clientX - box.left) / box.width * end - lane.offset;
		const s = lane.steps.findLast((one) => numOr0(one, 'start_s') <= t);
		const spent = SPENT.map((k) => `${k} ${shown.seconds(numOr0(s, `${k}_s`))}`);

		said.textContent = s ? `${lane.name}, ${textOf(s, 'name') || phaseOf(run, s)} at `
			+ `${shown.seconds(numOr0(s, 'start_s'))}: ${spent.join(', ')}` : '';
	};
	const row = (lane) => {
		const track = make('div', { class: 'track' }, drawLane(lane, end));

		track.addEventListener('pointermove', (event) => tell(lane, event));
		return make('div', { class: 'lane' }, make('b', {}, short(lane.name, 40)),
			datum(num(lane.run, 'elapsed_s'), shown.seconds), track);
	};
	const key = (k) => make('span', {}, make('span', { class: `key ${k}` }), k);

	return end > 0 && section('time', 'Timeline',
		make('p', { class: 'marks' }, SPENT.map(key)), lanes.map(row),
		make('p', { class: 'ends' }, make('span', {}, '0 s'),
			make('span', {}, shown.seconds(end))), said,
		note(`Time 0 is where ${data.processes[0].name} begins, other lanes begin where `
			+ 'their clocks put it. Of a step the sums are known, not their order. ',
		lanes.filter((l) => l.moved).map((l) =>
			`The clock of ${l.name} does not fit: its lane is drawn from 0. `)),
		phases(run));
}

function phases(run) {
	const keys = ['start_s', 'compute_s', 'wait_s', 'wire_s', 'rounds', 'iterations',
		'round_trips'];
	const how = (key) => key.endsWith('_s') ? shown.seconds : shown.count;

	return table(`Phases of ${textOf(run, 'name')}`, ['<phase', 'from', 'compute', 'wait',
		'wire', 'rounds', 'iterations', 'round trips'],
	objects(run, 'phases').slice(0, DRAWN_MOST).map((p) =>
		[textOf(p, 'name'), ...keys.map((key) => datum(num(p, key), how(key)))]),
			{ id: 'phases' });
}

/* ---- links ---- */

/* Reads links from the coordinator's run or, without a coordinator, from each party's run. Returns
 * a { party, types } per link. A flow has bytes to and from the coordinator, and messages to and
 * from it. */
function linksOf(data) {
	const traffic = (p) => objects(p.run, 'traffic');
	const hub = data.processes.find((p) => p.leads && traffic(p).length);
	const row = (to, from) => (t) => ({
		type: textOf(t, 'type'), peer: textOf(t, 'peer'),
			flow: [`bytes_${to}`, `bytes_${from}`,
			`messages_${to}`, `messages_${from}`].map((key) => numOr0(t, key)),
	});
	const types = hub && traffic(hub).map(row('received', 'sent'));

	return hub ? [...new Set(types.map((t) => t.peer))].map((party) =>
		({ party, types: types.filter((t) => t.peer === party) }))
		: data.processes.filter((p) => traffic(p).length).map((p) =>
			({ party: p.name, types: traffic(p).map(row('sent', 'received')) }));
}

const flowOf = (types) => types.reduce((all, t) => all.map((x, i) => x + t.flow[i]), [0, 0, 0, 0]);

function linkBytes(data) {
	const flows = linksOf(data).map((l) => flowOf(l.types));

	return flows.length ? sum(flows.map(([to, from]) => to + from)) : undefined;
}

function links(data) {
	const all = linksOf(data), flows = all.map((l) => flowOf(l.types));
	const most = Math.max(...flows.flatMap(([to, from]) => [to, from]));
	const columns = ['to coordinator', 'messages', 'from coordinator', 'messages'];
	const cells = ([to, from, messages, back]) =>
		[datum(to, shown.bytes), datum(messages), datum(from, shown.bytes), datum(back)];
	const row = (l, i) => [[l.party, make('div', { class: 'pair' },
		bar(flows[i][0], most, 'compute'), bar(flows[i][1], most, 'wire'))],
			...cells(flows[i])];
	const types = (l) => details(`${l.party}, by type of message`, false, () =>
		[table(`Traffic of ${l.party} by message`, ['<message', ...columns],
			l.types.map((t) => [t.type, ...cells(t.flow)]))]);

	return all.length > 0 && section('links', 'Traffic by link',
		table('Traffic by link', ['<party', ...columns], all.map(row),
			{ id: 'link-table' }),
		all.slice(0, DRAWN_MOST).map(types), processes(data));
}

function processes(data) {
	const main = data.processes[0], bound = num(main.run, 'round_trips_bound');
	const milliseconds = (x) => `${Number(x.toPrecision(3))} ms`;
	const row = (p) => {
		const own = p.leads ? undefined : objects(p.run, 'peers')[0];
		const there = objects(main.run, 'peers').find((o) => textOf(o, 'name') === p.name);

		return [p.name, textOf(p.run, 'status'),
			datum(num(p.run, 'elapsed_s'), shown.seconds),
			datum(num(p.run, 'rounds')), datum(num(p.run, 'round_trips')),
			datum(num(there, 'rtt_ms'), milliseconds),
				datum(num(own, 'rtt_ms'), milliseconds),
			textOf(own || there, 'congestion')];
	};

	return [make('h3', {}, 'Processes'),
		table('Processes', ['<process', '<status', 'seconds', 'rounds', 'round trips',
			'TCP round trip, seen by coordinator', 'by itself', '<congestion control'],
		data.processes.map(row), { id: 'processes' }),
		note('A round trip: a process had sent, and waited for an answer. ',
			bound && ['The bound of the method is ', datum(bound), '. '],
			'The TCP round trip is the kernel\u2019s, smoothed, at the end.')];
}

/* ---- sums, facts, disclosures, the job ---- */

function objective(run) {
	const sums = objects(member(run, 'result'),
		'sums').filter((s) => list(s, 'objective').length);
	const draw = (s) => curve(`${phaseOf(run, s)} group ${numOr0(s, 'group')}, `
		+ `${numOr0(s, 'items')} items`, numbers(s, 'objective'), 1, 'iteration');

	return sums.length > 0 && section('objective', 'Objective per iteration',
		make('div', { class: 'figures' }, sums.slice(-DRAWN_MOST).map(draw)),
		note('Of each k-means on secure sums, at the start that was chosen.'));
}

function merged(run) {
	const cells = objects(member(run, 'result'), 'sums').filter((s) => numOr0(s, 'merged') > 0);
	const row = (s) => [phaseOf(run, s),
		...['group', 'merged', 'items'].map((k) => datum(num(s, k)))];

	return cells.length > 0 && section('merged', 'Cells that were merged',
		table('Cells that were merged', ['<phase', 'group', 'merged', 'left'],
			cells.slice(0, DRAWN_MOST).map(row)),
		note('They had fewer nodes than min_cell, ',
			datum(num(member(run, 'job'), 'min_cell')), ', and joined larger ones.'));
}

const isNumbers = (v) => Array.isArray(v) && v.every((x) => typeof x === 'number');

/* Appends the members of `value` to `out`. Nested members are named "a.b". */
function flatten(value, prefix, out) {
	for (const [key, v] of Object.entries(value)) {
		const name = prefix ? `${prefix}.${key}` : key;

		if (out.length >= FIELDS_MOST)
			break;
		if (v !== null && typeof v === 'object' && !isNumbers(v))
			flatten(v, name, out);
		else
			out.push([name, v]);
	}
	return out;
}

function fieldValue(v) {
	if (Array.isArray(v))
		return v.slice(0, 32).map(shown.number).join(' \u00b7 ')
			+ (v.length > 32 ? ` and ${v.length - 32} more` : '');
	return typeof v === 'number' ? datum(v, String) : v === null ? 'none'
		: short(String(v), 1000);
}

function fields(id, title, value, ...more) {
	const row = ([name, v]) => make('div', {}, make('dt', {}, short(name, 160)),
		make('dd', {}, fieldValue(v)));

	return Object.keys(value).length > 0 && section(id, title, more,
		make('dl', { class: 'fields' }, flatten(value, '', []).map(row)));
}

function telemetry(data) {
	const run = data.processes[0].run;

	return [timeline(data), links(data), objective(run), merged(run),
		fields('facts', 'Facts of the job', member(run, 'facts')),
		items('leaks', 'Disclosures',
			list(run, 'leaks').filter((v) => typeof v === 'string')),
		fields('network', 'The network', member(data, 'network'),
			note('By network.json: what the links were set to, and measured before.')),
		fields('job', 'The job in full', member(run, 'job'))].filter(Boolean);
}
