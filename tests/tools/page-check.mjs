/* page-check.mjs -- uses a daemon's page in Chromium as a user does, and prints its faults.
 *
 *     node page-check.mjs SCENARIO URL PICTURES [ARG]
 *
 * tests/integration/test-page.sh starts the daemons and chooses the scenario. This script prints
 * "ready" when the shell may continue. It prints a fault as a line "fault: ..." and exits with 1.
 * It needs puppeteer-core and axe-core in build/browser, which scripts/deps --browser installs. */
import { createRequire } from 'node:module';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(path.join(root, 'build/browser/node_modules/'));
const puppeteer = require('puppeteer-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [scenario, url, pictures, arg] = process.argv.slice(2);
const PATIENCE = 120000;
const asked = new Set();

function fault(text) {
	console.log(`fault: ${text}`);
	process.exitCode = 1;
}

async function open(browser, address, options) {
	const page = await browser.newPage();

	page.setDefaultTimeout(PATIENCE);
	page.on('request', (r) => asked.add(new URL(r.url()).origin));
	page.on('response', (r) => r.status() === 404 && r.url().includes('/api/') && fault(`${r.url()} is not there`));
	page.on('pageerror', (e) => fault(`the script: ${e.message}`));
	page.on('console', (m) => scenario !== 'foreign' && /Content.Security.Policy|Refused to/.test(m.text()) && fault(m.text()));
	await page.setViewport({ width: 1280, height: 900, ...options });
	await page.goto(address, { waitUntil: 'domcontentloaded' });
	return page;
}

const live = (page, how) => page.waitForFunction((h) => document.body.dataset.link === h, {}, how);
const has = (page, selector, text) => page.waitForFunction((s, t) =>
	[...document.querySelectorAll(s)].some((e) => e.getClientRects().length && e.textContent.includes(t)), {}, selector, text);

/* Presses Tab until the element has the focus, as a user without a mouse does. */
async function tabTo(page, selector) {
	for (let i = 0; i < 120; i++) {
		await page.keyboard.press('Tab');
		if (await page.evaluate((s) => document.activeElement.matches(s), selector))
			return;
	}
	fault(`the keyboard does not come to ${selector}`);
	throw new Error(selector);
}

/* Checks that no element is beyond the sides of the page, and that axe finds no serious or critical
 * fault. */
async function judge(page, name) {
	const beyond = await page.evaluate(() => [...document.querySelectorAll('body *')].filter((e) => {
		const b = e.getBoundingClientRect();
		return b.width && !e.closest('pre, .skip, thead') && !e.parentElement.closest('.scroll') && (b.left < -1 || b.right > document.documentElement.clientWidth + 1);
	}).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`));
	const scrolls = await page.evaluate(() => document.scrollingElement.scrollWidth > innerWidth);

	if (scrolls || beyond.length)
		fault(`${name}: beyond the page: ${beyond.slice(0, 3).join('; ')}${scrolls ? ', and it scrolls sideways' : ''}`);
	await page.evaluate(axe);
	for (const v of (await page.evaluate(() => window.axe.run(document))).violations)
		if (v.impact === 'serious' || v.impact === 'critical')
			fault(`${name}: axe: ${v.impact}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join('; ')}`);
	await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

/* Returns the text of a file of the report, downloaded with its button. */
async function fetched(page, name) {
	const session = await page.createCDPSession(), file = path.join(pictures, name);

	rmSync(file, { force: true });
	await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: pictures });
	await page.waitForSelector(`#report button[data-file="${name}"]`);
	await page.$eval(`#report button[data-file="${name}"]`, (e) => e.click());
	for (let i = 0; i < 600 && !existsSync(file); i++)
		await new Promise((r) => { setTimeout(r, 100); });
	return readFileSync(file, 'utf8');
}

/* Judges the current page in both sizes and both colour schemes. */
async function judgeAll(page, name) {
	for (const [width, height] of [[1280, 900], [360, 780]])
		for (const scheme of ['light', 'dark']) {
			await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
			await page.setViewport({ width, height });
			await judge(page, `${name}-${width}-${scheme}`);
		}
}

const scenarios = {
	/* Watches a coordinator from before the parties connect until its process exits. */
	async watch(browser) {
		const page = await open(browser, url);

		await live(page, 'live');
		await has(page, '#now .state', 'waiting for parties');
		await page.evaluate(() => {
			window.seen = [];
			new MutationObserver(() => {
				for (const e of document.querySelectorAll('#now .state'))
					if (window.seen.at(-1) !== e.textContent)
						window.seen.push(e.textContent);
			}).observe(document.getElementById('now'), { subtree: true, childList: true, characterData: true });
		});
		console.log('ready');
		await has(page, '#now .state', 'running');
		await has(page, '#now .phases th', 'keys');
		await has(page, '#peers .state', 'connected');
		await judge(page, 'coordinator-running');
		await has(page, '#now .state', 'done');
		await live(page, 'lost');
		await has(page, '#news', 'The daemon does not answer');
		const seen = await page.evaluate(() => window.seen.join(' '));
		if (!/running( running)* done/.test(seen))
			fault(`the job is seen ${seen}`);
		await page.screenshot({ path: path.join(pictures, 'coordinator-lost.png') });
	},

	/* A coordinator serves two jobs, of which the second must wait; the test watches both to
	 * the end. */
	async queue(browser) {
		const page = await open(browser, url);

		await live(page, 'live');
		await has(page, '#jobs .dim', 'None yet');
		console.log('ready');
		await has(page, '#job-table tbody th', '2 kcagc');
		await page.waitForFunction(() => /queued.*(running|awaiting approval)/s.test(document.getElementById('job-table').textContent));
		await judgeAll(page, 'queue');
		console.log('ready');
		await page.waitForFunction(() => document.querySelectorAll('#job-table .state.good').length === 2
			&& (document.getElementById('job-table').textContent.match(/done/g) || []).length === 2);
		/* Queue and records are one list: each job is listed once, with its time and
		 * button. */
		await page.waitForFunction(() => document.querySelectorAll('#job-table tbody tr').length === 2
			&& document.querySelectorAll('#job-table button[data-job]').length === 2
			&& [...document.querySelectorAll('#job-table td[data-of="Took"]')].every((e) => / s$/.test(e.textContent)));
		/* A user without a certificate gets no files. */
		await page.click('#job-table button');
		await has(page, '#report .note', 'Readers and its submitter');
	},

	/* If no user may submit, the page shows no form. */
	async look(browser) {
		const page = await open(browser, url);

		await live(page, 'live');
		await has(page, '#jobs .dim', 'None yet');
		if (await page.$eval('#submit-form', (e) => e.getClientRects().length))
			fault('a form is shown to who may not submit');
	},

	/* Remote users each use a host name for which the browser sends a different certificate. A
	 * submitter submits and cancels by the keyboard: one job does not parse, one runs to its
	 * end, and one, from a file, is cancelled. A viewer has no form; a user without a role gets
	 * no data. arg: the job's text and its file. */
	async far(browser) {
		const { text, file } = JSON.parse(arg);
		const at = (name) => url.replace('//', `//${name}.`);
		const page = await open(browser, at('anna'));
		const submit = async (words) => {
			await page.$eval('#submit-text', (e) => { e.value = ''; });
			await tabTo(page, '#submit-text');
			await page.keyboard.type(words);
			await tabTo(page, '#submit-form button');
			await page.keyboard.press('Enter');
		};

		await live(page, 'live');
		await has(page, '#submit h2', 'Submit a job');
		await has(page, '#submit-as', 'submitted by anna');
		await judgeAll(page, 'submit');
		await submit('{ "kind": "kcagc", "clusters": }');
		await has(page, '#submit-said.bad', 'the job: line 1');
		const near = await page.evaluate(() => document.getElementById('submit-said').getBoundingClientRect().top
			- document.querySelector('#submit-form button').getBoundingClientRect().top);
		if (Math.abs(near) > 80)
			fault(`the error is ${near} px from the button`);
		/* The fields of the form make the text of a job: one of two parties, method
		 * landmark. */
		await page.select('#submit-kind', 'kmeans');
		if (await page.$eval('#submit-methods', (e) => e.getClientRects().length))
			fault('kmeans has a method');
		await page.select('#submit-kind', 'kcagc');
		await page.select('#submit-method', 'landmark');
		await page.$eval('#submit-clusters', (e) => { e.value = 4; e.dispatchEvent(new Event('change', { bubbles: true })); });
		await page.$eval('#submit-parties input[value="party-01"]', (e) => e.click());
		const made = await page.$eval('#submit-text', (e) => e.value);
		if (made !== '{"kind":"kcagc","clusters":4,"method":"landmark","parties":["party-00"]}')
			fault(`the fields make ${made}`);
		if (await page.$eval('#job-table', (e) => e.textContent.includes('kcagc')))
			fault('what does not parse is in the queue');
		await submit(text);
		await has(page, '#submit-said', 'Submitted: job 1');
		await has(page, '#job-table tbody th', 'by anna');
		await has(page, '#job-table .state', 'done');
		await page.waitForSelector('#job-table button[data-job]');
		await page.click('#job-table button[data-job]');
		await has(page, '#report h3', 'Traffic');
		if (JSON.parse(await fetched(page, 'run.json')).submitter !== 'anna')
			fault('run.json is not that of the job');
		await has(page, '#report dd', 'anna');
		await judgeAll(page, 'far');
		console.log('ready');
		await has(page, '#peers .state', 'disconnected');
		await (await page.$('#submit-file')).uploadFile(file);
		await tabTo(page, '#submit-form button');
		await page.keyboard.press('Enter');
		await has(page, '#submit-said', 'Submitted: job 2');
		await has(page, '#job-table .state', 'waiting for parties');
		await tabTo(page, '#job-table button[data-cancel]');
		await page.keyboard.press('Enter');
		await has(page, '#news', 'Cancelled: job 2');
		await has(page, '#job-table .state', 'cancelled');
		await has(page, '#job-table small', 'cancelled by anna');
		await page.type('#job-words', 'anna cancelled');
		if (await page.$$eval('#job-table tbody tr', (l) => l.filter((e) => e.getClientRects().length).length) !== 1)
			fault('the search does not find the job that was cancelled, and it alone');

		const looks = await open(browser, at('vera'));
		await live(looks, 'live');
		await has(looks, '#job-table tbody th', 'by anna');
		if (await looks.$eval('#submit-form', (e) => e.getClientRects().length))
			fault('a form is shown to who may only look');

		const stranger = await open(browser, at('nina'));
		await has(stranger, 'body', 'nina has no role');
		for (const name of ['anna', 'vera', 'nina'])
			asked.delete(new URL(at(name)).origin);
	},

	/* A browser without a certificate gets no page. */
	async nobody(browser) {
		const page = await browser.newPage();
		const why = await page.goto(url).then((r) => `status ${r.status()}`, (e) => e.message);

		if (!/ERR_(BAD_)?SSL_CLIENT_AUTH|ERR_SOCKET_NOT_CONNECTED/.test(why))
			fault(`without a certificate: ${why}`);
	},

	/* A user without a mouse reads an offer and approves it; arg: the token, which the URL has
	 * after '#'. */
	async consent(browser) {
		const page = await open(browser, `${url}#token=${arg}`);
		const agree = '.offer .press';

		await live(page, 'live');
		await page.waitForSelector(agree);
		if (await page.evaluate(() => location.hash))
			fault('the token stays in the address');
		if (!await page.$eval(agree, (e) => e.disabled))
			fault('one may agree without having read anything');
		await page.evaluate((s) => document.querySelector(s).click(), agree);
		await has(page, '#news', 'An offer waits for you');
		await tabTo(page, '.offer summary');
		await judge(page, 'offer-unread');
		await page.keyboard.press('Enter');
		await page.waitForFunction((s) => !document.querySelector(s).disabled, {}, agree);
		if (await page.$$eval('.offer > details > ul > li', (l) => l.filter((e) => e.textContent.length > 20).length) < 3)
			fault('what the job shows is not said');
		await judgeAll(page, 'offer');
		await tabTo(page, agree);
		await page.keyboard.press('Enter');
		await has(page, '#news', 'Agreed to');
		await has(page, '#now .state', 'done');
		await has(page, '#jobs .state', 'done');
		await has(page, '#ledger td', 'polish');
		await has(page, '#budgets meter', '');
		/* Opens the job's report by keyboard and searches the ledger for a word. */
		await tabTo(page, '#job-table button');
		await page.keyboard.press('Enter');
		await has(page, '#report h3', 'Traffic');
		if (!/^id,label/.test(await fetched(page, 'labels.csv')))
			fault('labels.csv is not that of the job');
		/* Without the token the page asks for it; with the token it gives the files. */
		await page.evaluate(() => sessionStorage.clear());
		await page.$eval('#job-table button', (e) => e.click());
		await has(page, '#report .note', 'With the token of this party');
		await judge(page, 'party-without-token');
		await page.type('#token', arg);
		await page.keyboard.press('Enter');
		await page.waitForSelector('#report button[data-file="labels.csv"]');
		await has(page, '#report dd', 'party-01');
		await tabTo(page, '#ledger-words');
		await page.keyboard.type('ACCEPT');
		await page.keyboard.press('Enter');
		await page.waitForFunction(() => document.querySelectorAll('#ledger-table tbody tr').length === 1);
		await judgeAll(page, 'party');
	},

	/* The user types the token, first a wrong one, and refuses the offer with a reason. */
	async refuse(browser) {
		const page = await open(browser, url);

		await live(page, 'live');
		await page.waitForSelector('.offer');
		await has(page, 'label', 'Token of this party');
		await page.type('#token', 'f'.repeat(64));
		await page.keyboard.press('Enter');
		await page.type('.offer input', 'not before Monday');
		await tabTo(page, '.offer .answer > button:last-child');
		await page.keyboard.press('Enter');
		await has(page, '#news', 'another token');
		await page.waitForSelector('#token-form:not([hidden])');
		await page.type('#token', arg);
		await page.keyboard.press('Enter');
		await page.click('.offer .answer > button:last-child');
		await has(page, '#news', 'Refused');
		await has(page, '#now .bad', 'not before Monday');
		await has(page, '#now .state', 'failed');
		await judge(page, 'refused');
	},

	/* Tests a report of coterie report, on the screen and on paper; arg: the prefix of the
	 * pictures' names. */
	async report(browser) {
		const page = await open(browser, url);

		await page.waitForSelector('#sizes');
		await page.evaluate(async () => {
			for (let i = 0; i < 2; i++) {
				document.querySelectorAll('details').forEach((e) => { e.open = true; });
				await new Promise((r) => { setTimeout(r, 200); });
			}
		});
		await has(page, '#telemetry h2', 'Disclosures');
		/* A party's picture describes the point under the pointer, and the keyboard can
		 * hide a cluster. */
		if (await page.$('#picture')) {
			const box = await (await page.$('#picture .u-over')).boundingBox();

			await page.evaluate(() => {
				const said = document.querySelector('#picture .said');

				window.told = 0;
				new MutationObserver(() => { window.told += said.textContent !== ''; })
					.observe(said, { childList: true });
			});
			for (let y = 10; y < box.height; y += 20)
				for (let x = 10; x < box.width; x += 20)
					await page.mouse.move(box.x + x, box.y + y);
			if (!await page.evaluate(() => window.told))
				fault('the picture does not say which point is under the pointer');
			await tabTo(page, '#picture button');
			await page.keyboard.press('Enter');
			await page.waitForSelector('#picture button[aria-pressed="false"]');
			await page.keyboard.press('Enter');
		}
		await judgeAll(page, arg);
		await page.pdf({ path: path.join(pictures, `${arg}.pdf`), printBackground: true, preferCSSPageSize: true });
	},

	/* The daemon stops and starts again. */
	async lost(browser) {
		const page = await open(browser, url);

		await live(page, 'live');
		console.log('ready');
		await live(page, 'lost');
		await has(page, '#news', 'what you see is of');
		await judge(page, 'lost');
		console.log('ready');
		await live(page, 'live');
		await page.waitForFunction(() => !document.getElementById('news').textContent.includes('does not answer'));
	},

	/* Tests a page of another site on this host; arg: the offer and the token, which a real
	 * attacker would have to guess. */
	async foreign(browser) {
		const { id, hash, token } = JSON.parse(arg);
		const server = createServer((q, r) => r.setHeader('Content-Type', 'text/html').end('<h1>another site</h1>'));

		await new Promise((done) => server.listen(0, '127.0.0.1', done));
		const page = await open(browser, `http://localhost:${server.address().port}/`);
		const tried = await page.evaluate(async (base, offer, body, word) => {
			const did = async (...a) => {
				try {
					const r = await fetch(...a);
					return `${r.type} ${r.status}`;
				} catch (e) {
					return 'refused';
				}
			};
			const frame = document.createElement('iframe');
			frame.src = base;
			document.body.append(frame);
			await new Promise((r) => { frame.onload = r; setTimeout(r, 5000); });
			return [
				await did(`${base}api/status`), await did(`${base}api/ledger`),
				await did(`${base}api/offers/${offer}`, { method: 'POST', body, headers: { Authorization: `Bearer ${word}` } }),
				await did(`${base}api/offers/${offer}`, { method: 'POST', body, mode: 'no-cors' }),
			];
		}, url, id, JSON.stringify({ answer: 'yes', offer: hash }), token);
		if (tried.slice(0, 3).some((t) => t !== 'refused'))
			fault(`another site could: ${tried.join(', ')}`);
		if (page.frames().some((f) => f.url().startsWith(url)))
			fault('another site could put the page in a frame');
		server.close();
	},
};

const browser = await puppeteer.launch({
	executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
	protocolTimeout: 2 * PATIENCE,
});
try {
	await scenarios[scenario](browser);
	asked.delete(new URL(url).origin);
	for (const other of asked)
		if (scenario !== 'foreign')
			fault(`the page asked ${other}`);
} catch (e) {
	fault(e.stack);
	for (const page of await browser.pages())
		console.log((await page.evaluate(() => document.body && document.body.innerText).catch(() => '')).slice(0, 2000));
} finally {
	await browser.close();
}
