/* main.js -- builds the page from its data: the result, then the course of the run, folded. */
function report(data) {
	const first = data.processes[0], run = first.run;

	return [
		header(data, first), tiles(data, first), picture(data), sizes(data, first),
		profile(data, 'profile', 'What sets the clusters apart',
			'By this party\u2019s own columns and rows alone.'),
		profile(data, 'profile-joint', 'What sets the clusters apart, over all parties',
			'From sums of clusters of job.min_cluster rows or more, with noise.'),
		distributions(data), silhouette(data), unsure(data), byColumn(data),
			evaluation(run),
		selection(data, run), confidence(data), warnings(data), missing(data),
		details('How it went: time, traffic, facts, disclosures, the job', 'telemetry',
			() => telemetry(data)),
	];
}

{
	const data = JSON.parse(document.getElementById('data').textContent);
	const page = document.getElementById('page');
	const parts = data.page === 'compare' ? compared(data) : report(data);

	page.append(...parts.filter(Boolean), make('footer', {},
		`Made by ${data.software}`, data.out && ` from ${data.out}`,
		'. Each number stands in the page exactly, as the value of what shows it.'));
	/* On paper nothing is folded. */
	addEventListener('beforeprint', () => {
		for (const unfold of folded)
			unfold();
		for (const draw of charts)
			draw();
	});
}
