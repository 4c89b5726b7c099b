/* files.js -- shows the files that a job left, such as its labels. Users may read them by the role
 * of their certificate, or with a party's token. */
import { ask, at, bytes, fill, make, news } from '/dom.js';
import { forgetIfRefused, posting, token } from '/token.js';

let me; /* the user and the user's rights, from /api/me of a coordinator with --serve */
let last; /* arguments of a showFiles() that needs a token */

export function readAs(user) {
	me = user;
}

const may = (run) => Boolean(token()) || (me && (['reader', 'operator'].includes(me.role) ||
	(me.role === 'submitter' && me.name === run.submitter)));

const options = () => token() ? posting({}) : undefined;

/* Fetches a file piece by piece, and gives it to the browser as a download. */
async function download(id, name, size) {
	const parts = [];

	for (let n = 0; n < size || !parts.length; n += parts.at(-1).size) {
		const answer = await fetch(`/api/results/${id}/${name}?from=${n}`, options());

		if (!answer.ok)
			throw new Error((await answer.json()).error);
		parts.push(await answer.blob());
		if (!parts.at(-1).size)
			break;
	}
	const address = URL.createObjectURL(new Blob(parts));

	make('a', { href: address, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(address), 60000);
}

function button(id, file) {
	const b = make('button', { type: 'button', 'data-file': file.name }, `${file.name}, ${bytes(file.bytes)}`);

	b.addEventListener('click', () => download(id, file.name, file.bytes).catch((e) => news(e.message, true)));
	return b;
}

function refuse(box, run) {
	const party = !at('offers').hidden;

	last = [box, run];
	if (party)
		at('token-form').hidden = false;
	fill(box, (party || me) && make('p', { class: 'note' }, party
		? 'With the token of this party, asked for above, the page gives out labels and profile.'
		: 'Readers and its submitter get its files: coterie results.'));
}

/* Fills a box with the files of a job that has ended. */
export async function showFiles(box, run) {
	if (run.status === 'running')
		return;
	if (!may(run)) {
		refuse(box, run);
		return;
	}
	try {
		const { files } = await ask(`/api/results/${run.job_id}`, options());

		box.replaceChildren(make('h3', {}, 'Files'), make('p', {}, files.map((f) => button(run.job_id, f))));
	} catch (e) {
		forgetIfRefused(e);
		fill(box, make('p', { class: 'bad' }, e.message));
	}
}

/* Shows the files again after the user has entered a token. */
export function showFilesAgain() {
	if (last)
		showFiles(...last);
	last = undefined;
}
