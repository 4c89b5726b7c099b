#include "common/kind/own.h"

#include <stdlib.h>
#include <string.h>

void presets_add(struct kind_presets *to, const struct config_preset *from)
{
	while (from->path && to->n < PRESETS_MAX - 1)
		to->item[to->n++] = *from++;
}

const char *const kind_standardize_names[] = { "none", "joint", "local", NULL };
const char *const kind_align_names[] = { "same", "intersect", NULL };

enum err kind_check_align(const void *job)
{
	const struct job_head *head = job;

	if (head->align_bound && head->align == ALIGN_SAME)
		return err_set(ERR_INPUT,
			       "job.align_bound is %u, expected 0 where job.align is \"same\": it "
			       "is read where that is \"intersect\"",
			       head->align_bound);
	if (head->min_common != KIND_MIN_COMMON && head->align == ALIGN_SAME)
		return err_set(ERR_INPUT,
			       "job.min_common is %u, expected %d where job.align is \"same\": it "
			       "is read where that is \"intersect\"",
			       head->min_common, KIND_MIN_COMMON);
	if (head->align != ALIGN_SAME && head->clusters != JOB_AUTO &&
	    head->min_common < head->clusters)
		return err_set(
		    ERR_INPUT,
		    "job.min_common is %u, expected at least job.clusters, %u: a cluster has a row",
		    head->min_common, head->clusters);
	return ERR_OK;
}

const char *const kind_label_files[] = { "labels.csv",  "labels.npy",        "profile.csv",
					 "centres.csv", "profile-joint.csv", "model.rows",
					 NULL };

void kind_standard_clusters(const void *job, struct json *root)
{
	const struct job_head *head = job;

	if (head->kind->clusters == CLUSTERS_NONE)
		return;
	if (head->clusters == JOB_AUTO)
		json_put_string(root, "clusters", "auto");
	else
		json_put_number(root, "clusters", head->clusters);
}

bool kind_among(const char *path, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(path, *list))
			return true;
	return false;
}

const char *kind_has_no_noise(const void *job)
{
	(void)job;
	return "no job of this kind has such noise";
}

void disclosures_add(struct disclosures *s, bool applies, const char *text)
{
	if (applies && s->n < s->max)
		s->text[s->n++] = text;
}

void disclose_names(struct disclosures *s, size_t parties)
{
	disclosures_add(s, true, "coordinator and parties see the names of all parties");
	disclosures_add(s, parties == 1,
			"if there is one party, nothing is masked: the coordinator sees its "
			"numbers");
}

void disclose_align(struct disclosures *s, const void *job, size_t parties)
{
	const struct job_head *head = job;
	bool matched = head->align != ALIGN_SAME && parties > 1;

	disclosures_add(
	    s, matched,
	    "if at least min_common rows are common, coordinator and parties see how many, and "
	    "the parties see which");
	disclosures_add(
	    s, matched && !head->align_bound,
	    "coordinator and parties see the numbers of ids of the parties, rounded up in steps "
	    "of 15 %, and which parties have fewest");
	disclosures_add(
	    s, matched && parties > 2,
	    "the coordinator together with one party can test guesses of ids: whether the party "
	    "with fewest ids has an id, and whether all other parties have an id");
	disclosures_add(
	    s, matched && parties == 2,
	    "the coordinator together with one of the two parties can test guesses of all ids "
	    "of the other");
	disclosures_add(
	    s, matched,
	    "if at least min_common rows are common, a party that adds guessed ids learns which "
	    "of these ids all others have");
}

void disclose_privacy(struct disclosures *s, const char *claim)
{
	disclosures_add(s, true,
			claim ? claim : "differential privacy: none; sums alone do not give it");
}

void disclose_collusion(struct disclosures *s, bool pairs, size_t parties)
{
	disclosures_add(
	    s, parties > 1 && pairs,
	    "the coordinator together with one of the two parties of a sum learns the numbers "
	    "of the other");
	disclosures_add(
	    s, parties > 1 && !pairs,
	    "the coordinator together with all parties except one learns the numbers of that "
	    "party");
}

void kind_standards(const struct kind *kind, void *job, size_t size)
{
	struct config_table table = { .name = kind->name, .row = kind->rows, .size = size };
	struct kind_presets presets = { .n = 0 };
	struct json *root = json_object();

	while (table.row[table.count].path)
		table.count++;
	if (kind->presets)
		kind->presets(root, &presets);
	if (config_read(&table, root, kind->name, NULL, presets.item, job) != ERR_OK)
		abort(); /* a default is out of its own bounds */
	json_free(root);
}
