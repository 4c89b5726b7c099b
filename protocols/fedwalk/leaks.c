#include "protocols/fedwalk/job.h"
#include "common/kind/own.h"

void fedwalk_leaks(struct said *s, const void *p, size_t parties)
{
	const struct fedwalk_job *job = p;
	bool walks = job->mode == FEDWALK_WALKS;

	say_names(s, parties);
	said_add(s, job->ids == IDS_PLAIN,
		 "the coordinator sees every id, and which party hosts it");
	said_add(s, job->ids == IDS_HASHED,
		 "the coordinator sees how many vertices each party hosts, but no id");
	said_add(s, parties > 1,
		 "each party can ask of any id that it knows or guesses whether it takes part, and "
		 "which party hosts it; a tie of two parties' vertices becomes known to both");
	said_add(s, walks, "the coordinator sees each vertex's noisy degree vector");
	said_add(s, walks && job->dissimilarity == DISSIMILARITY_DTW,
		 "the coordinator sees each vertex's matrix of degree vectors, whose rows say who "
		 "its neighbours are: dtw gives every tie away, whatever eps is");
	said_add(s, walks,
		 "the coordinator sees the encoded walks, and the encoder keeps nearly every "
		 "vertex as it is: pairs of neighbouring tokens, counted, are the ties; run.json "
		 "has how many of them this run's own attack found");
	said_add(
	    s, walks,
	    "the parties see every vertex's noisy degree vector, and each walk that comes to them "
	    "with all it has written so far: ties between vertices of other parties, too");
	said_add(s, walks,
		 "the coordinator sees how large the batches between two parties are, to a "
		 "quarter, and at which party a walk ends");
	said_add(
	    s, !walks,
	    "the coordinator sees one randomised report of each pair of vertices, and all else "
	    "follows from it; eps of 8 is a weak promise: of most ties the report is true");
	said_add(s, !walks && parties > 1,
		 "the coordinator sees how many ties two parties have between them, to a quarter");
	said_add(s, true,
		 "the coordinator computes every vertex's embedding; a party gets those of its own "
		 "vertices");
	said_add(s, walks,
		 "coordinator and parties see how many ties the coordinator's attack finds, and "
		 "how many there are, over all parties; a coordinator that lies can guess one pair "
		 "alone, and learns whether it is a tie");
	say_privacy(
	    s,
	    walks
		? "differential privacy: of the job none; the degree vectors by themselves are "
		  "(eps, delta)-private in each tie by the discrete Laplace mechanism, eps being 2 "
		  "job.eps and delta 0: one tie changes two of them; in no useful way in a vertex"
		: "differential privacy: what is made of the reports is (eps, delta)-private in "
		  "each tie by randomised response, eps being job.eps and delta 0; but two "
		  "parties' common ties are told to both, and how many they are to the "
		  "coordinator");
	say_collusion(s, parties == 2, parties);
}
