#include "protocols/fedwalk/job.h"
#include "common/kind/own.h"

void fedwalk_disclosures(struct disclosures *s, const void *p, size_t parties)
{
	const struct fedwalk_job *job = p;
	bool walks = job->mode == FEDWALK_WALKS;

	disclose_names(s, parties);
	disclosures_add(s, job->ids == IDS_PLAIN,
			"the coordinator sees every id, and which party hosts it");
	disclosures_add(s, job->ids == IDS_HASHED,
			"the coordinator sees how many vertices each party hosts, but no id");
	disclosures_add(
	    s, parties > 1,
	    "each party can test whether any id takes part, and which party hosts it. If two "
	    "parties share an edge, both learn of it");
	disclosures_add(s, walks, "the coordinator sees each vertex's noisy degree vector");
	disclosures_add(
	    s, walks && job->dissimilarity == DISSIMILARITY_DTW,
	    "the coordinator sees the degree vectors of each vertex's neighbours. These "
	    "identify the neighbours: dtw discloses every edge, for any eps");
	disclosures_add(
	    s, walks,
	    "the coordinator sees the encoded walks. The encoder leaves nearly every vertex "
	    "unchanged, so frequent pairs of neighbouring tokens are edges. run.json records "
	    "how many edges this run's own attack found");
	disclosures_add(
	    s, walks,
	    "the parties see every vertex's noisy degree vector. They also see each walk that "
	    "reaches them, from its start: this includes edges between vertices of other "
	    "parties");
	disclosures_add(s, walks,
			"the coordinator sees the size of each batch between two parties within "
			"25 %, and at which party each walk ends");
	disclosures_add(
	    s, !walks,
	    "the coordinator sees one randomised report on each pair of vertices; all other "
	    "values follow from the reports. An eps of 8 is weak: most reports on edges are "
	    "true");
	disclosures_add(s, !walks && parties > 1,
			"the coordinator sees the number of edges between two parties within 25 %");
	disclosures_add(
	    s, true,
	    "the coordinator computes every vertex's embedding; a party receives the embeddings "
	    "of its own vertices");
	disclosures_add(
	    s, walks,
	    "coordinator and parties see the number of edges over all parties, and how many the "
	    "coordinator's attack finds. A malicious coordinator can learn whether one pair "
	    "that it guesses is an edge");
	disclose_privacy(
	    s, walks ? "differential privacy: none for the job. The degree vectors alone are (2 "
		       "job.eps, 0)-private for each tie (edge), by the discrete Laplace "
		       "mechanism: a tie changes two vectors. They have no useful privacy for a "
		       "vertex"
		     : "differential privacy: all values derived from the reports are (job.eps, "
		       "0)-private for each tie (edge), by randomised response. But two parties "
		       "learn their common ties, and the coordinator learns their number");
	disclose_collusion(s, parties == 2, parties);
}
