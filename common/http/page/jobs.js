/* jobs.js -- shows the running jobs, the peers, and the report of a job, from its run.json. */
import { ask, at, bytes, clock, count, fill, make, seconds, small, state, table } from '/dom.js';
import { showFiles } from '/files.js';

/* ---- phases ---- */

const spent = [['compute', 'compute_s'], ['wait', 'wait_s'], ['wire', 'wire_s']];

function bar(phase, whole, rest) {
	const b = make('div', { class: 'bar', role: 'img', 'aria-label': spent.map(([name, key]) =>
		`${name} ${seconds(phase[key] || 0)}`).join(', ') });

	for (const [name, key] of spent) {
		const part = make('span', { class: name });

		part.style.width = `${whole > 0 ? 100 * (phase[key] || 0) / whole : 0}%`;
		b.append(part);
	}
	if (rest > 0) { /* the record has no data yet about the running step */
		const part = make('span', { class: 'rest' });

		part.style.width = `${100 * rest / whole}%`;
		b.append(part);
	}
	return b;
}

export function phases(list, running) {
	const known = (p) => (p.compute_s || 0) + (p.wait_s || 0) + (p.wire_s || 0);
	const length = (p) => p.seconds !== undefined ? p.seconds : known(p);
	const whole = Math.max(1e-9, ...list.map(length));

	return [
		table('Phases', [['Phase'], ['Time', 'time'], ['Took', 'num'], ['Sums', 'num'], ['Round trips', 'num']],
			list.map((p, i) => ({
				class: running && i + 1 === list.length ? 'running' : '',
				cells: [p.name, bar(p, whole, running && i + 1 === list.length ? length(p) - known(p) : 0), seconds(length(p)), count(p.rounds || 0), count(p.round_trips || 0)],
			})), { class: 'phases' }),
		make('p', { class: 'note' }, spent.map(([name]) => [make('span', { class: `key ${name}` }), name]),
			': computing here, waiting while others compute, bytes on the wire'),
	];
}

/* ---- now ---- */

function title(j) {
	return [j.kind || 'a job', ' ', make('code', {}, j.id.slice(0, 8)), ' ', state(j.state, j.waiting_for)];
}

export function showNow(status) {
	const jobs = status.jobs.filter((j) => ['running', 'waiting', 'awaiting approval'].includes(j.state));
	const last = status.jobs.filter((j) => !jobs.includes(j)).slice(-1);

	fill(at('job-list'), jobs.length + last.length ? [...jobs, ...last].map((j) => [
		make('h3', {}, title(j)),
		make('p', { class: 'sub' }, [j.submitter && `submitted by ${j.submitter}`, j.attempt > 1 && `attempt ${j.attempt}`,
			`began ${clock(j.started)}`, `${seconds(j.elapsed_s)}${j.state === 'running' ? ' so far' : ''}`]
			.filter(Boolean).join(', ')),
		j.error && make('p', { class: 'bad' }, j.error),
		j.phases.length > 0 && phases(j.phases, j.state === 'running'),
	]).flat(3) : make('p', { class: 'dim' }, status.role === 'party' ? 'No job: this party waits for an offer.' : 'No job.'),
	status.queued > 0 && make('p', {}, `${count(status.queued)} more in the queue.`));
}

export function showPeers(status) {
	fill(at('peer-table'), status.peers.length ? table('Peers',
		[['Peer'], ['Connection'], ['Round trip', 'num'], ['Sent', 'num'], ['Received', 'num']],
		status.peers.map((p) => ({
			cells: [
				[p.name, small(p.software)],
				[make('span', { class: `state ${p.connected ? 'good' : 'bad'}` },
					p.connected ? 'connected' : 'disconnected'),
					` for ${seconds(Math.round(p.since_s))}`, small([p.address, p.times_gone > 0 && `connection ${count(p.times_gone + p.connected)}`]
						.filter(Boolean).join(', '))],
				p.rtt_ms === undefined ? '' : `${p.rtt_ms.toFixed(p.rtt_ms < 1 ? 2 : 1)} ms`,
				p.job ? bytes(p.bytes_sent) : '', p.job ? bytes(p.bytes_received) : '',
			],
		}))) : make('p', { class: 'dim' }, 'None.'));
}

/* ---- the report of one job ---- */

function group(list, key, sums) {
	const by = new Map();

	for (const o of list || []) {
		const sum = by.get(o[key]) || Object.fromEntries(sums.map((s) => [s, 0]));

		for (const s of sums)
			sum[s] += o[s] || 0;
		by.set(o[key], sum);
	}
	return [...by];
}

function facts(run) {
	const rows = [
		['State', [state(run.status), run.exit_status ? ` (exit ${run.exit_status})` : '']],
		['Submitted by', run.submitter], ['Attempt', run.attempt], ['Began', clock(run.started)],
		['Took', seconds(run.elapsed_s || 0)], ['Parties', (run.parties || []).join(', ')],
		['Secure sums', run.rounds === undefined ? undefined : count(run.rounds)],
		['Memory', run.memory_peak_bytes && bytes(run.memory_peak_bytes)], ['Software', run.software],
	];

	return make('dl', { class: 'facts' }, rows.filter(([, value]) => value !== undefined && value !== '')
		.map(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]).flat());
}

function attempts(run) {
	const leftOut = (l) => `Left out since attempt ${l.attempt}, after a dropout: ${l.name}`;
	return make('ul', {}, run.attempts.map((a) => make('li', {}, `attempt ${a.attempt}: ${a.cause}`)),
		(run.left_out || []).map((l) => make('li', {}, leftOut(l))));
}

function traffic(run) {
	const sums = ['messages_sent', 'messages_received', 'bytes_sent', 'bytes_received'];
	const show = (label, key, first) => table(label, [[first], ['Messages out', 'num'], ['Messages in', 'num'], ['Bytes out', 'num'], ['Bytes in', 'num']],
		group(run.traffic, key, sums).map(([name, s]) => ({
			cells: [name, count(s.messages_sent), count(s.messages_received), bytes(s.bytes_sent), bytes(s.bytes_received)],
		})));

	return [make('h3', {}, 'Traffic'), show('Traffic by peer', 'peer', 'Peer'),
		make('details', {}, make('summary', {}, 'By message'), show('Traffic by message', 'type', 'Message'))];
}

export async function showReport(which) {
	const box = at('report'), files = make('div', { class: 'files' });
	let run;

	try {
		run = await ask(`/api/jobs/${which}`);
	} catch (e) {
		fill(box, make('p', { class: 'bad' }, e.message));
		box.hidden = false;
		return;
	}
	fill(box,
		make('h3', { id: 'report-title' }, `${(run.job && run.job.kind) || 'Job'} `, make('code', {}, run.job_id)),
		run.error && make('p', { class: 'bad' }, run.error), facts(run),
		run.result && (run.result.cluster_sizes || []).length > 0 && [make('h3', {}, 'Clusters'),
			make('p', {}, `${count(run.result.rows)} rows: ${run.result.cluster_sizes.map(count).join(', ')}`)],
		files,
		(run.attempts || []).length > 0 && [make('h3', {}, 'Attempts before'), attempts(run)],
		(run.phases || []).length > 0 && [make('h3', {}, 'Phases'), phases(run.phases, run.status === 'running')].flat(),
		(run.traffic || []).length > 0 && traffic(run),
		(run.leaks || []).length > 0 && [make('h3', {}, 'What it shows, and to whom'), make('ul', {}, run.leaks.map((l) => make('li', {}, l)))],
		make('details', {}, make('summary', {}, 'All of run.json'), make('pre', { tabindex: 0 }, JSON.stringify(run, null, 1))));
	box.hidden = false;
	box.focus();
	await showFiles(files, run);
}
