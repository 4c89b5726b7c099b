/* page.js -- receives the daemon's status when it changes (/events), and shows it. */
import { at, bytes, clock, fill, make, news } from '/dom.js';
import { showNow, showPeers, showReport } from '/jobs.js';
import { search, showQueue, showRecords } from '/list.js';
import { showBudgets, showLedger, showOffers, startParty } from '/party.js';
import { showParties, startSubmitting } from '/submit.js';
import { takeToken } from '/token.js';

const SILENT_MS = 40000, AGAIN_MS = 3000;
let heard = 0, states, person, stream, rows, queued, submitting;

const complain = (e) => news(e.message, true);

function showLink(live) {
	const link = at('link');

	link.textContent = live ? 'live' : 'lost';
	link.className = `state ${live ? 'good' : 'bad'}`;
	document.body.dataset.link = live ? 'live' : 'lost';
	if (!live)
		news(`The daemon does not answer${heard ? `; what you see is of ${new Date(heard).toLocaleTimeString()}` : ''}. Trying again.`, true);
	else if (at('news').className === 'bad' && /^The daemon does not answer/.test(at('news').textContent))
		news('');
}

function showHost(status) {
	const c = status.certificate, facts = [];

	if (c)
		facts.push(['Certificate', make('span', { class: c.days < 14 ? 'bad' : '' }, `${c.days} days left, until ${clock(c.until)}`)]);
	if (status.disk.free_bytes !== undefined)
		facts.push(['Room on disk', [bytes(status.disk.free_bytes), ' free for ', make('code', {}, status.disk.output)]]);
	facts.push(['Running since', clock(status.started)]);
	fill(at('host'), facts.map(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]).flat());
}

/* Starts the parts of a party's page, once the role is known. */
function showParty(status) {
	if (status.role !== 'party' || person !== undefined)
		return;
	for (const e of document.querySelectorAll('.party'))
		e.hidden = false;
	at('token-path').textContent = `${status.disk.output}/http.token`;
	startParty();
}

/* Fetches data that has changed and that is not part of the status. */
function refresh(status) {
	const now = status.jobs.map((j) => `${j.id}-${j.attempt} ${j.state}`).join();

	if (now !== states)
		showRecords(false).catch(complain);
	if (status.role === 'coordinator' && status.phase === 'serving' && !submitting) {
		submitting = true;
		startSubmitting().then(showQueue).catch(complain);
	} else if (submitting && (status.queue_written !== queued || now !== states)) {
		showQueue().catch(complain);
	}
	queued = status.queue_written;
	if (status.role === 'party') {
		if (person !== status.person_awaited)
			showOffers().then((n) => n && news(n === 1 ? 'An offer waits for you.' : `${n} offers wait for you.`)).catch(complain);
		if (now !== states || (rows !== status.ledger.count && !at('ledger-words').value && rows === undefined)) {
			showLedger(false).catch(complain);
			showBudgets().catch(complain);
		}
		rows = status.ledger.count;
		person = status.person_awaited;
	}
	states = now;
}

function show(status) {
	heard = Date.now();
	document.title = `${status.name}: ${status.phase || 'Coterie'}`;
	at('role').textContent = status.role === 'party' ? 'Coterie, a party' : 'Coterie, the coordinator';
	at('name').textContent = status.name;
	at('phase').textContent = status.phase;
	at('software').textContent = `${status.software}. Times are UTC; this page loads nothing from anywhere else.`;
	showParty(status);
	showNow(status);
	showPeers(status);
	showParties(status.peers.map((p) => p.name));
	showHost(status);
	refresh(status);
	showLink(true);
}

function listen() {
	stream = new EventSource('/events');
	stream.onmessage = (e) => show(JSON.parse(e.data));
	stream.onerror = () => {
		showLink(false);
		if (stream.readyState === EventSource.CLOSED)
			setTimeout(listen, AGAIN_MS);
	};
}

setInterval(() => {
	if (heard && Date.now() - heard > SILENT_MS)
		showLink(false);
}, 5000);
at('job-table').addEventListener('click', (e) => {
	const b = e.target.closest('button[data-job]');

	if (b)
		showReport(b.dataset.job);
});
at('job-words').addEventListener('input', search);
at('job-more').addEventListener('click', () => showRecords(true).catch(complain));
takeToken();
addEventListener('hashchange', takeToken);
listen();
