#include "protocols/fedgcn/party/fedgcn.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/labels.h"
#include "protocols/fedgcn/job.h"
#include "protocols/fedgcn/baselines.h"
#include "common/cluster/metrics.h"

#include <stdio.h>
#include <stdlib.h>

enum err graph_labels_write(const char *csv, const char *npy, const uint32_t *label, size_t n)
{
	struct {
		char text[24];
	} * name;
	char **id;
	enum err e;

	ALLOC(name, n);
	ALLOC(id, n);
	for (size_t i = 0; i < n; i++) {
		snprintf(name[i].text, sizeof(name[i].text), "%zu", i + 1);
		id[i] = name[i].text;
	}
	e = labels_write(csv, npy, id, label, NULL, n);
	free(id);
	free(name);
	return e;
}

enum err party_compare(struct work *work, const uint32_t *label)
{
	static const char *const fact[] = { "like_size", "like_log_size", "like_untrained",
					    "like_alone" };
	uint32_t *found;
	struct fedgcn_params p;
	struct metrics m;
	char name[48], *path;
	enum err e = ERR_OK;

	if (fedgcn_job(&work->job)->baselines == BASELINES_OFF)
		return ERR_OK;
	TRY(fedgcn_params_of(fedgcn_job(&work->job), work->threads, &p));
	work_phase(work, "baselines");
	ALLOC(found, work->graphs->count);
	for (unsigned b = 0; b < GRAPH_BASELINES && e == ERR_OK; b++) {
		if (b == GRAPH_ALONE && fedgcn_job(&work->job)->baselines == BASELINES_QUICK)
			continue;
		if (graph_baseline(work->graphs, &p, (enum graph_baseline)b, found) != ERR_OK) {
			log_warn("no baseline \"%s\": %s", graph_baseline_names[b], err_detail());
			continue;
		}
		e = metrics_of(found, label, work->graphs->count, &m);
		if (e != ERR_OK)
			break;
		facts_number(&work->record->facts, fact[b], m.ari);
		snprintf(name, sizeof(name), "baseline-%s.csv", graph_baseline_names[b]);
		path = file_join(work->output, name);
		e = file_make_dirs(work->output);
		if (e == ERR_OK)
			e = graph_labels_write(path, NULL, found, work->graphs->count);
		free(path);
	}
	free(found);
	return e;
}
