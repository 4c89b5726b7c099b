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
	    "each party can test whether any id takes part, and which party hosts it; both "
	    "parties learn of a tie between their vertices");
	disclosures_add(s, walks, "the coordinator sees each vertex's noisy degree vector");
	disclosures_add(
	    s, walks && job->dissimilarity == DISSIMILARITY_DTW,
	    "the coordinator sees each vertex's matrix of degree vectors, whose rows identify "
	    "its neighbours: dtw discloses every tie, whatever eps is");
	disclosures_add(
	    s, walks,
	    "the coordinator sees the encoded walks, and the encoder leaves nearly every "
	    "vertex unchanged: frequent pairs of neighbouring tokens are ties; run.json "
	    "records how many of them this run's own attack found");
	disclosures_add(
	    s, walks,
	    "the parties see every vertex's noisy degree vector, and the complete prefix of "
	    "each walk that reaches them: also ties between vertices of other parties");
	disclosures_add(s, walks,
			"the coordinator sees how large the batches between two parties are, to a "
			"quarter, and at which party a walk ends");
	disclosures_add(
	    s, !walks,
	    "the coordinator sees one randomised report of each pair of vertices, from which "
	    "all else follows; eps of 8 is weak: most reports on ties are true");
	disclosures_add(
	    s, !walks && parties > 1,
	    "the coordinator sees how many ties two parties have between them, to a quarter");
	disclosures_add(
	    s, true,
	    "the coordinator computes every vertex's embedding; a party gets those of its own "
	    "vertices");
	disclosures_add(
	    s, walks,
	    "coordinator and parties see how many ties the coordinator's attack finds, and "
	    "how many there are, over all parties; a malicious coordinator can guess a single "
	    "pair, and learns whether it is a tie");
	disclose_privacy(
	    s,
	    walks
		? "differential privacy: of the job none; the degree vectors by themselves are "
		  "(eps, delta)-private in each tie by the discrete Laplace mechanism, eps being 2 "
		  "job.eps and delta 0: one tie changes two of them; in no useful way in a vertex"
		: "differential privacy: everything derived from the reports is (eps, "
		  "delta)-private in each tie by randomised response, eps being job.eps and delta "
		  "0; but two parties learn their common ties, and the coordinator their number");
	disclose_collusion(s, parties == 2, parties);
}
