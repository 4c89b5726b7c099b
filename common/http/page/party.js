/* party.js -- shows the parts of a party's page: offers and answers to them, ledger, budgets. */
import { ask, at, bytes, clock, count, fill, make, news, small, table } from '/dom.js';
import { showFilesAgain } from '/files.js';
import { forgetIfRefused, keepToken, posting, token } from '/token.js';

function useToken(event) {
	event.preventDefault();
	keepToken(at('token').value);
	at('token').value = '';
	showTokenForm();
	news('The token is kept for this tab.');
	showFilesAgain();
}

function showTokenForm() {
	at('token-form').hidden = Boolean(token()) || !at('offer-list').querySelector('.offer');
}

/* ---- offers ---- */

async function give(offer, yes, why, card) {
	const buttons = card.querySelectorAll('.answer button');

	if (!token()) {
		showTokenForm();
		at('token').focus();
		news('The token of this party is needed to answer.', true);
		return;
	}
	for (const b of buttons)
		b.disabled = true;
	try {
		await ask(`/api/offers/${offer.job_id}`, posting({ answer: yes ? 'yes' : 'no', offer: offer.offer, why }));
		news(`${yes ? 'Agreed to' : 'Refused'}: job ${offer.job_id.slice(0, 8)}.`);
		at('offers').focus();
	} catch (e) {
		forgetIfRefused(e);
		news(e.message, true);
		for (const b of buttons)
			b.disabled = false;
	}
	await showOffers();
}

/* Enables the button `agree` only after the user has opened the details and the screen has shown
 * `last`, their last sentence. */
function watchReading(details, last, agree, note) {
	const seen = new IntersectionObserver((entries) => {
		if (!details.open || !entries.some((e) => e.isIntersecting))
			return;
		seen.disconnect();
		agree.disabled = false;
		note.textContent = 'You have seen what it shows.';
	});

	details.addEventListener('toggle', () => details.open && seen.observe(last), { once: true });
}

function card(offer, text) {
	const id = offer.job_id;
	const leaks = offer.leaks.map((l) => make('li', {}, l));
	const note = make('p', { class: 'note', id: `note-${id}` }, 'Read what it shows first.');
	const agree = make('button', { type: 'button', class: 'press', disabled: true, 'aria-describedby': `note-${id}` }, 'Agree');
	const refuse = make('button', { type: 'button' }, 'Refuse');
	const why = make('input', { id: `why-${id}`, maxlength: 400, autocomplete: 'off' });
	const details = make('details', {},
		make('summary', {}, `Disclosures of this job: ${leaks.length} sentences`),
		make('ul', {}, leaks), make('details', {}, make('summary', {}, 'All that was offered'), make('pre', { tabindex: 0 }, text)));
	const all = make('article', { class: 'offer', 'data-offer': offer.offer, 'aria-label': `Offer of job ${id.slice(0, 8)}` },
		make('h3', {}, `${offer.kind} `, make('code', {}, id.slice(0, 8))),
		make('p', {}, `Offered by ${offer.coordinator}, which says that ${offer.submitter} submitted it, ${clock(offer.offered)}. `,
			`Parties: ${offer.parties.join(', ')}.`),
		details, note,
		make('div', { class: 'answer' }, agree, make('label', { for: `why-${id}` }, 'Why not, for this party\'s log'), why, refuse));

	watchReading(details, leaks[leaks.length - 1] || details, agree, note);
	agree.addEventListener('click', () => give(offer, true, '', all));
	refuse.addEventListener('click', () => give(offer, false, why.value, all));
	return all;
}

/* Shows the offers. Does not redraw an offer that the user is reading. */
export async function showOffers() {
	const { offers, texts } = await ask('/api/offers');
	const list = at('offer-list');

	for (const e of list.querySelectorAll('.offer'))
		if (!offers.some((o) => o.offer === e.dataset.offer))
			e.remove();
	for (const o of offers)
		if (![...list.querySelectorAll('.offer')].some((e) => e.dataset.offer === o.offer))
			list.append(card(o, texts[o.job_id] || ''));
	for (const e of list.querySelectorAll('p.dim'))
		e.remove();
	if (!offers.length)
		list.append(make('p', { class: 'dim' }, 'None.'));
	showTokenForm();
	return offers.length;
}

/* ---- the ledger ---- */

let next = 0;

function rowsOf(list) {
	return table('Rows of the ledger', [['Row'], ['What', 'whole'], ['Bytes', 'num'], ['Numbers', 'num']], list.map((r) => ({
		cells: [
			[count(r.number), small(clock(r.time))],
			[r.purpose, small(`${r.type}, ${r.step}, ${r.kind} ${r.job.slice(0, 8)}-${r.attempt}, to ${r.coordinator}${r.masked ? ', masked' : ''}`)],
			bytes(r.bytes), r.words ? count(r.words) : '',
		],
	})));
}

export async function showLedger(more) {
	const words = at('ledger-words').value;
	const found = await ask(`/api/ledger?q=${encodeURIComponent(words)}&before=${more ? next : 0}`);
	const body = rowsOf(found.rows);

	next = found.next;
	at('ledger-more').hidden = !next;
	at('ledger-head').textContent = `${count(found.count)} row${found.count === 1 ? '' : 's'}, the last one's hash begins with ${found.head.slice(0, 16)}. `
		+ 'coterie ledger verify tells whether it is whole.';
	if (more && at('ledger-table').querySelector('tbody'))
		at('ledger-table').querySelector('tbody').append(...body.querySelector('tbody').children);
	else
		fill(at('ledger-table'), found.rows.length ? body : make('p', { class: 'dim' }, next ? 'None among the last rows.' : 'None.'));
}

/* ---- budgets ---- */

const kinds = [['jobs', 'Jobs'], ['rounds', 'Secure sums'], ['words', 'Numbers']];

function used(value, limit, what) {
	if (limit === undefined)
		return [count(value), small('no bound')];
	return [`${count(value)} of ${count(limit)}`,
		make('meter', { min: 0, max: limit, high: 0.8 * limit, value, 'aria-label': what }, `${value} of ${limit}`)];
}

function privacy(s, limit) {
	const text = s.privacy.map((u) => `${u.eps.toPrecision(3)} of each ${u.unit}`).join(', ');

	return limit === undefined || !s.eps ? [text] : [text, small(`of ${limit}`)];
}

export async function showBudgets() {
	const { limits, spent } = await ask('/api/budgets');

	fill(at('budget-table'), spent.length ? table('Budgets', [['Coordinator'], ...kinds.map(([, name]) => [name]), ['eps, of all coordinators']],
		spent.map((s) => ({
			cells: [[s.coordinator, small(`key ${s.key}, data ${s.data}`)],
				...kinds.map(([key, name]) => used(s[key], limits[key], `${name} of ${s.coordinator}`)), privacy(s, limits.eps)],
		}))) : make('p', { class: 'dim' }, 'Nothing has left this party yet.'));
}

export function startParty() {
	at('token-form').addEventListener('submit', useToken);
	at('ledger-form').addEventListener('submit', (e) => {
		e.preventDefault();
		showLedger(false).catch((why) => news(why.message, true));
	});
	at('ledger-more').addEventListener('click', () => showLedger(true).catch((why) => news(why.message, true)));
	at('offers').tabIndex = -1;
}
