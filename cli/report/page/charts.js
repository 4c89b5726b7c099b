/* charts.js -- draws charts by uPlot, in the page's colours, as wide as their box. */
const HUES = 12;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const hue = (cluster) => colour(`--k${cluster % HUES}`);
const charts = new Set();
const clusterKey = (c) => make('span', { class: `key k${c % HUES}`, 'aria-hidden': 'true' });

/* Draws a chart once its box is in the page, because the box has no width before. Draws it again
 * for each width and colour scheme, with a new call of options(). data: array in uPlot's form. */
function chart(label, height, options, data) {
	const box = make('div', { class: 'chart', role: 'img', 'aria-label': label });
	let plot, width = 0;
	const draw = () => {
		if (plot)
			plot.destroy();
		width = box.clientWidth;
		plot = width > 0 && new uPlot({
			width, height: typeof height === 'function' ? height(width) : height,
			legend: { show: false }, ...options(width),
		}, data, box);
	};

	new ResizeObserver(() => box.clientWidth !== width && draw()).observe(box);
	charts.add(draw);
	return box;
}

for (const media of ['(prefers-color-scheme: dark)', 'print'])
	matchMedia(media).addEventListener('change', () => charts.forEach((draw) => draw()));

function axis(more) {
	return {
		stroke: colour('--soft'), font: '12px system-ui, sans-serif', gap: 4, size: 26,
		grid: { stroke: colour('--track'), width: 1 },
		ticks: { stroke: colour('--line'), width: 1, size: 4 },
		...more,
	};
}

const upright = { size: 46, values: (u, ticks) => ticks.map((x) => shown.number(x)) };

/* Draws numbered values: an objective by iteration, silhouettes by k. marked: the only number whose
 * value is drawn as a point. */
function curve(title, values, first, thing, marked) {
	const x = values.map((v, i) => first + i);
	const said = make('span', { class: 'said' });
	const tell = (u) => {
		const i = u.cursor.idx;

		said.textContent = i === null || i === undefined ? ''
			: `${thing} ${x[i]}: ${shown.number(values[i])}`;
	};
	const points = (u, series, show, gaps) => marked === undefined ? undefined
		: [x.indexOf(marked)].filter((i) => i >= 0);

	return make('figure', { class: 'small curve' },
		make('figcaption', {}, make('b', {}, title), ' ', said),
		chart(`${title}, ${x.length} values from ${shown.number(values[0])} to `
			+ shown.number(values.at(-1)), 130, () => ({
			cursor: { y: false, drag: { x: false } }, hooks: { setCursor: [tell] },
			scales: { x: { time: false, range: (u, a, b) => a < b ? [a, b]
				: [a - 1, a + 1] } },
			axes: [axis({ values: (u, ticks) =>
				ticks.map((t) => Number.isInteger(t) ? t : '') }),
				axis(upright)],
			series: [{}, {
				stroke: colour('--compute'), width: 2,
				points: { show: marked !== undefined || x.length < 30,
					size: marked === undefined ? 5 : 9,
					filter: marked === undefined ? undefined : points },
			}],
		}), [x, values]));
}

/* Draws, for each cluster, the share of its rows in each of `bins` parts of the values' range. The
 * range is cut at four deviations from the mean. */
function histogram(title, values, label, clusters, bins) {
	const mean = sum(values) / values.length;
	const four = 4 * Math.sqrt(sum(values.map((v) => (v - mean) ** 2)) / values.length);
	const all = (how, start) => values.reduce((a, b) => how(a, b), start);
	const from = Math.max(all(Math.min, Infinity), mean - four);
	const to = Math.min(all(Math.max, -Infinity), mean + four);
	const share = clusters.map(() => new Array(bins).fill(0));
	const rows = clusters.map((c) => Math.max(1, label.filter((l) => l === c).length));
	const place = new Map(clusters.map((c, i) => [c, i]));

	values.forEach((v, i) => {
		const bin = Math.floor((v - from) / (to - from) * bins), of = place.get(label[i]);

		if (of !== undefined)
			share[of][Math.min(bins - 1, Math.max(0, bin))] += 1 / rows[of];
	});
	const x = Array.from({ length: bins + 1 }, (v, i) => from + i * (to - from) / bins);
	return chart(`${title}: share of each cluster's rows by value`, 150, () => ({
		cursor: { show: false },
		scales: { x: { time: false, range: [from, to] },
			y: { range: (u, a, b) => [0, b * 1.05] } },
		axes: [axis({}), axis({ size: 46,
			values: (u, t) => t.map((v) => `${Math.round(100 * v)} %`) })],
		series: [{}, ...clusters.map((c) => ({
			stroke: hue(c), width: 2, paths: uPlot.paths.stepped({ align: 1 }),
				points: { show: false },
		}))],
	}), [x, ...share.map((s) => [...s, s.at(-1)])]);
}

/* Draws the values of each cluster, largest first, side by side. */
function ranked(label, groups) {
	const x = groups.flatMap((g) => g.values).map((v, i) => i);
	let at = 0;
	const series = groups.map((g) => {
		const row = new Array(x.length).fill(null);

		g.values.sort((a, b) => b - a).forEach((v, i) => { row[at + i] = v; });
		at += g.values.length;
		return row;
	});

	return chart(label, 190, () => ({
		cursor: { show: false },
		scales: { x: { time: false },
			y: { range: (u, a, b) => [Math.min(0, a), Math.max(0.5, b)] } },
		axes: [axis({ show: false }), axis(upright)],
		series: [{}, ...groups.map((g) => ({
			stroke: hue(g.cluster), fill: hue(g.cluster), width: 1,
				points: { show: false },
			paths: uPlot.paths.bars({ size: [1, 100], align: 1 }),
		}))],
	}), [x, ...series]);
}

const marks = [
	(c, x, y, r) => c.arc(x, y, r, 0, 2 * Math.PI),
	(c, x, y, r) => c.rect(x - r * 0.9, y - r * 0.9, 1.8 * r, 1.8 * r),
	(c, x, y, r) => { c.moveTo(x, y - r * 1.3); c.lineTo(x + r * 1.2, y
		+ r * 0.8); c.lineTo(x - r * 1.2, y + r * 0.8); },
	(c, x, y, r) => { c.moveTo(x, y - r * 1.3); c.lineTo(x + r * 1.3, y); c.lineTo(x, y
		+ r * 1.3); c.lineTo(x - r * 1.3, y); },
];

/* Draws points coloured by cluster. If there are more clusters than hues, marks differ, too. Omits
 * clusters in `hidden`. say: called with the point under the pointer, or -1. Returns the box and a
 * function that draws again. */
function scatter(label, points, hidden, say) {
	const n = points.label.length;
	const radius = (n <= 400 ? 4 : n <= 4000 ? 3 : 1.8) * devicePixelRatio;
	const xs = points.label.map((l, i) => points.xy[2 * i]);
	const ys = points.label.map((l, i) => points.xy[2 * i + 1]);
	const centres = middles(points);
	const seen = (i) => !hidden.has(points.label[i]);
	let plot;

	const paths = (u) => {
		const c = u.ctx;

		for (const cluster of new Set(points.label)) {
			c.beginPath();
			for (let i = 0; i < n; i++)
				if (points.label[i] === cluster && seen(i)) {
					const x = u.valToPos(xs[i], 'x', true),
						y = u.valToPos(ys[i], 'y', true);

					c.moveTo(x + radius, y);
					marks[Math.floor(cluster / HUES) % marks.length](c, x, y,
						radius);
				}
			c.fillStyle = hue(cluster);
			c.strokeStyle = colour('--panel');
			c.lineWidth = devicePixelRatio / 2;
			c.fill();
			if (n <= 4000) /* rims of more would hide other points */
				c.stroke();
		}
		return null;
	};
	const names = (u) => {
		const c = u.ctx;

		c.font = `700 ${17 * devicePixelRatio}px system-ui, sans-serif`;
		c.textAlign = 'center';
		c.textBaseline = 'middle';
		c.lineWidth = 4 * devicePixelRatio;
		for (const [cluster, x, y] of centres.filter(([k]) => !hidden.has(k)).slice(0, 64))
			for (const how of ['strokeText', 'fillText']) {
				c.fillStyle = colour('--ink');
				c.strokeStyle = colour('--panel');
				c[how](cluster, u.valToPos(x, 'x', true), u.valToPos(y, 'y', true));
			}
	};
	const near = (u) => {
		let best = -1, least = 100; /* pixels, squared */

		for (let i = 0; i < n; i++) {
			const d = (u.valToPos(xs[i], 'x') - u.cursor.left) ** 2
				+ (u.valToPos(ys[i], 'y') - u.cursor.top) ** 2;

			if (d < least && seen(i))
				[best, least] = [i, d];
		}
		say(u.cursor.left < 0 ? -1 : best);
	};
	const pad = (u, low, high) => [low - 250, high + 250];
	const box = chart(label, (width) => Math.min(width, 620), () => ({
		mode: 2, axes: [{ show: false }, { show: false }],
		cursor: { x: false, y: false, points: { show: false },
			drag: { x: true, y: true, uni: 20 } },
		scales: { x: { time: false, range: pad }, y: { range: pad } },
		hooks: { ready: [(u) => { plot = u; }], draw: [names], setCursor: [near] },
		series: [null, { paths, facets: [{ scale: 'x', auto: true },
			{ scale: 'y', auto: true }] }],
	}), [null, [xs, ys]]);

	return [box, () => plot && plot.redraw()];
}

/* Computes the medians of each cluster's points. */
function middles(points) {
	const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

	return [...new Set(points.label)].map((cluster) => {
		const of = points.label.map((l, i) => i).filter((i) => points.label[i] === cluster);

		return [cluster, median(of.map((i) => points.xy[2 * i])),
			median(of.map((i) => points.xy[2 * i + 1]))];
	});
}
