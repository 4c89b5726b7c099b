/* report-check.js -- checks a report inside a browser and posts the result to the page around it.
 *
 * tests/integration/test-report.sh puts this script into a copy of the report, in frames of several
 * widths. */
addEventListener('load', async () => {
	const seen = (selector) =>
		[...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length);
	const box = (e) => e.getBoundingClientRect();
	const name = (e) => `${e.tagName}.${e.getAttribute('class') || e.id}: `
		+ `${(e.textContent || '').trim().slice(0, 30)}`;
	const width = document.documentElement.clientWidth;
	const pause = (ms) => new Promise((r) => { setTimeout(r, ms); });
	/* Counts the pixels that are drawn on a canvas. */
	const ink = (canvas) => {
		const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		let n = 0;

		for (let i = 3; i < data.length; i += 4)
			n += data[i] > 0;
		return n;
	};

	for (let i = 0; i < 2; i++) { /* the second pass waits for nested elements */
		for (const e of document.querySelectorAll('details'))
			e.open = true;
		await pause(400);
	}
	/* Content in a scroll box may be wider than the page, but the box may not. */
	const out = seen('body *').filter((e) => box(e).width && !e.parentElement.closest('.scroll')
		&& (box(e).left < -0.5 || box(e).right > width + 0.5)).map(name);
	const tables = Object.fromEntries(seen('table[id]').map((e) =>
		[e.id, e.querySelectorAll('tbody tr').length]));

	parent.postMessage({
		page: location.pathname.split('/').pop(),
		width,
		scrolls: document.scrollingElement.scrollWidth > innerWidth,
		out: out.slice(0, 5),
		sections: seen('section').map((e) => e.id),
		tables,
		lanes: seen('#time .lane').length,
		steps: seen('#time .track path').map((e) => e.getAttribute('d')).join('').split('M').length - 1,
		moved: [...(document.querySelector('#time') || document.body).textContent
			.matchAll(/The clock of (\S+) does not fit/g)].map((m) => m[1]),
		cells: seen('#confusion td.cell').length,
		blank: seen('canvas').filter((c) => !ink(c)).length,
		charts: seen('canvas').length,
		curves: seen('#objective canvas').length,
		picture: seen('#picture canvas').map(ink)[0] || 0,
		fetched: performance.getEntriesByType('resource').length,
		hurt: typeof hurt !== 'undefined', /* set by a script in a hostile run */
	}, '*');
});
