/* submit.js -- submits and cancels jobs of a coordinator with --serve, for users who may do so. */
import { ask, at, fill, make, news } from '/dom.js';
import { readAs } from '/files.js';
import { posting } from '/token.js';

let me, parties = []; /* the user and the user's rights: /api/me */

function showForm() {
	for (const e of document.querySelectorAll('#submit, a[href="#submit"]'))
		e.hidden = !me || (me.role !== 'submitter' && me.role !== 'operator');
	at('submit-as').textContent = me && me.name ? `It is submitted by ${me.name}.` : '';
}

function say(text, bad) {
	at('submit-said').textContent = text;
	at('submit-said').className = bad ? 'bad' : 'good';
}

/* Writes a job's text from the fields of the form. The user may edit the text. */
function compose() {
	const kind = at('submit-kind').value, method = at('submit-method').value;
	const boxes = [...document.querySelectorAll('#submit-parties input')];
	const chosen = boxes.filter((b) => b.checked).map((b) => b.value);
	const job = { kind, clusters: Number(at('submit-clusters').value) };

	if (kind === 'kcagc' && method)
		job.method = method;
	if (chosen.length < boxes.length)
		job.parties = chosen;
	at('submit-methods').hidden = kind !== 'kcagc';
	at('submit-text').value = JSON.stringify(job);
}

/* Lists the parties that the coordinator knows. At first all are chosen. */
export function showParties(names) {
	if (names.join() === parties.join())
		return;
	parties = names;
	fill(at('submit-parties'), names.map((name) =>
		make('label', {}, make('input', { type: 'checkbox', value: name, checked: true }), ` ${name}`)));
}

async function submit(event) {
	const button = at('submit-form').querySelector('button');
	const file = at('submit-file').files[0];

	event.preventDefault();
	button.disabled = true;
	try {
		const text = file ? await file.text() : at('submit-text').value;
		const taken = await ask('/api/ask', posting({ do: 'submit', job: text, where: file ? file.name : 'the job' }));

		say(`Submitted: job ${taken.id}.`);
		at('submit-file').value = '';
		at('submit-text').value = '';
		at('submit-text').disabled = false;
	} catch (e) {
		say(e.message, true);
	}
	button.disabled = false;
}

const over = ['done', 'failed', 'cancelled'];

/* Makes a button for a job of the queue. Returns null if the job is over, or if the user is neither
 * an operator nor its submitter. The coordinator checks that, too. */
export function cancelButton(job) {
	if (!me || over.includes(job.state) || !(me.role === 'operator' || (me.role === 'submitter' && me.name === job.submitter)))
		return null;
	return make('button', { type: 'button', class: 'plain', 'data-cancel': job.id, 'aria-label': `Cancel job ${job.id}` }, 'Cancel');
}

async function cancel(event) {
	const button = event.target.closest('button[data-cancel]');

	if (!button)
		return;
	try {
		await ask('/api/ask', posting({ do: 'cancel', id: Number(button.dataset.cancel) }));
		news(`Cancelled: job ${button.dataset.cancel}.`);
	} catch (e) {
		news(e.message, true);
	}
}

/* Runs once, when the page knows that the coordinator runs with --serve. */
export async function startSubmitting() {
	at('submit-form').addEventListener('submit', submit);
	at('submit-fields').addEventListener('change', compose);
	at('submit-file').addEventListener('change', () => { at('submit-text').disabled = at('submit-file').files.length > 0; });
	at('job-table').addEventListener('click', cancel);
	me = await ask('/api/me');
	readAs(me);
	showForm();
	compose();
}
