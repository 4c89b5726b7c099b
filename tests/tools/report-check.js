/* report-check.js -- looks at a report from within a browser, and tells the page around it.
 *
 * tests/integration/test-report.sh puts it into a copy of the report, in a frame of some width.
 */
addEventListener('load', () => {
	const seen = (selector) =>
		[...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length);
	const box = (e) => e.getBoundingClientRect();
	const name = (e) => `${e.tagName}.${e.getAttribute('class') || e.id}: ` +
		`${(e.textContent || '').trim().slice(0, 30)}`;
	const width = document.documentElement.clientWidth;
	const out = [];

	for (const e of seen('body *')) {
		const b = box(e), svg = e.closest('svg');

		if (b.width === 0 || e.closest('title'))
			continue;
		/* What scrolls in a box of its own may be wider; the box may not. */
		if (!e.parentElement.closest('.scroll') && (b.left < -0.5 || b.right > width + 0.5))
			out.push(`beyond the page, ${b.left} to ${b.right} of ${width}: ${name(e)}`);
		/* A drawing cuts off what is outside of it. */
		if (e.tagName === 'text' && (b.left < box(svg).left - 1 || b.right > box(svg).right + 1 ||
			b.top < box(svg).top - 1 || b.bottom > box(svg).bottom + 1))
			out.push(`cut off: ${name(e)}`);
		if (e.tagName === 'text' && parseFloat(getComputedStyle(e).fontSize) * (svg.viewBox.baseVal
			&& svg.viewBox.baseVal.width ? box(svg).width / svg.viewBox.baseVal.width : 1) < 10)
			out.push(`too small to read: ${name(e)}`);
	}
	/* Words of a table's head that go on in another line, without a hyphen that was meant. */
	const broken = seen('.numbers thead th').filter((e) => {
		const t = e.firstChild, range = document.createRange();
		return t && [...t.data.matchAll(/[^\s\u00ad]+/g)].some((m) => {
			range.setStart(t, m.index + (t.data[m.index - 1] === '\u00ad')); /* whose hyphen is its own */
			range.setEnd(t, m.index + m[0].length);
			return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1;
		});
	}).map(name);

	parent.postMessage({
		page: location.pathname.split('/').pop(),
		width,
		scrolls: document.scrollingElement.scrollWidth > innerWidth,
		out: out.slice(0, 5),
		/* Tables that one has to push aside to see the end of. */
		cut: seen('.scroll').filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.scrollWidth} in ${e.clientWidth}: ${name(e.firstElementChild)}`),
		broken,
		lanes: seen('#timeline .lane').length,
		steps: seen('#timeline .step').length,
		labels: seen('#timeline .phases text').length,
		links: seen('.links .link').length,
		points: seen('.picture .pt').filter((e) => {
			const b = box(e), all = box(e.closest('svg'));
			return b.left >= all.left && b.right <= all.right && b.top >= all.top && b.bottom <= all.bottom;
		}).length,
		cells: seen('#confusion td.cell').length,
		curves: seen('#objective .curve').length,
		fetched: performance.getEntriesByType('resource').length,
		hurt: typeof hurt !== 'undefined', /* what a hostile run would set */
	}, '*');
});
