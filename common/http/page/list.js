/* list.js -- one list of all jobs with a search field: jobs in a coordinator's queue, running jobs,
 * and jobs that left a run.json. */
import { ask, at, clock, count, fill, make, seconds, small, state, table } from '/dom.js';
import { cancelButton } from '/submit.js';

let queue = []; /* jobs in the queue of a coordinator with --serve */
/* records: attempts with a run.json that were fetched; whole: number of all attempts with a
 * run.json */
let records = [], whole = 0;

/* Makes the row of a job in the queue. record: the run.json of its newest attempt, if there is
 * one. */
function rowOfQueue(j, record) {
	const which = j.job_id && `${j.job_id}-${record ? record.attempt : j.attempts}`;

	return {
		number: j.id, kind: j.kind, which, id: j.job_id, submitter: j.submitter,
		state: [state(j.state, j.waiting_for), ' ', cancelButton(j), small(j.cause)],
		parties: j.parties.join(', '), when: j.submitted, took: record, rows: record && record.rows,
		attempts: j.attempts,
	};
}

function rowOfRecord(r) {
	return {
		kind: r.kind, which: `${r.job_id}-${r.attempt}`, id: r.job_id, submitter: r.submitter,
		state: [state(r.status), small(r.error)], parties: '', when: r.started, took: r,
		rows: r.rows, attempts: r.attempt,
	};
}

/* Merges queue and records, newest first. Earlier attempts of a job have rows of their own. */
function merge() {
	const rows = queue.map((j) => rowOfQueue(j, records.find((r) => r.job_id === j.job_id)));
	const shown = new Set(rows.map((r) => r.which));

	for (const r of records)
		if (!shown.has(`${r.job_id}-${r.attempt}`))
			rows.push(rowOfRecord(r));
	return rows.sort((a, b) => a.when < b.when ? 1 : a.when > b.when ? -1 : (b.number || 0) - (a.number || 0));
}

function cells(r) {
	const name = `${r.number ? `${r.number} ` : ''}${r.kind || 'a job'}${r.id ? ` ${r.id.slice(0, 8)}` : ''}`;
	const took = r.took && r.took.status !== 'running' && r.took.elapsed_s !== undefined;

	return [
		[r.which ? make('button', { type: 'button', class: 'plain', 'data-job': r.which }, name) : name,
			small(r.submitter && `by ${r.submitter}`)],
		[r.state, small(r.attempts > 1 && `attempt ${count(r.attempts)}`)],
		r.parties, clock(r.when), took ? seconds(r.took.elapsed_s) : '', r.rows === undefined ? '' : count(r.rows),
	];
}

/* Hides the rows that lack one of the words. */
export function search() {
	const words = at('job-words').value.toLowerCase().split(/\s+/).filter(Boolean);
	const rows = [...document.querySelectorAll('#job-table tbody tr')];

	for (const row of rows)
		row.hidden = !words.every((w) => row.textContent.toLowerCase().includes(w));
	at('job-count').textContent = words.length
		? `${count(rows.filter((row) => !row.hidden).length)} of ${count(rows.length)} jobs have these words${at('job-more').hidden ? '' : '; older ones are not among them'}.`
		: '';
}

const columns = [['Job'], ['State'], ['Parties'], ['Submitted or begun'], ['Took', 'num'], ['Rows', 'num']];

function showJobs() {
	const rows = merge();
	/* without a queue, no row has a list of parties */
	const known = (_, i) => i !== 2 || queue.length > 0;

	at('job-more').hidden = records.length >= whole;
	fill(at('job-table'), rows.length ? table('Jobs', columns.filter(known),
		rows.map((r) => ({ cells: cells(r).filter(known) }))) : make('p', { class: 'dim' }, 'None yet.'));
	search();
}

export async function showQueue() {
	({ queue } = await ask('/api/queue'));
	showJobs();
}

export async function showRecords(more) {
	const from = more ? records.length : 0;
	const list = await ask(`/api/jobs?from=${from}`);

	records = more ? [...records, ...list.jobs] : list.jobs;
	whole = list.jobs.length ? list.count : records.length;
	showJobs();
}
