#include "party/daemon/psks.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "crypto/secret.h"

#include <stdlib.h>
#include <string.h>

struct psks {
	const struct config_map *peers;
	struct psk *key; /* key of each peer, by its index in peers */
};

static bool names_any(const struct config_map *peers)
{
	for (size_t i = 0; i < peers->count; i++)
		if (peers->item[i].path)
			return true;
	return false;
}

enum err psks_read(struct psks **psks, const struct party_config *config)
{
	const struct config_map *peers = &config->peers;
	struct psks *read;
	enum err e = ERR_OK;

	*psks = NULL;
	if (!names_any(peers))
		return ERR_OK;
	ALLOC(read, 1);
	read->peers = peers;
	read->key = secret_new(peers->count * sizeof(*read->key));
	for (size_t i = 0; i < peers->count && e == ERR_OK; i++)
		if (peers->item[i].path) {
			e = psk_read(&read->key[i], peers->item[i].path);
			if (e != ERR_OK)
				err_prefix(e, "peers.%s.psk", peers->item[i].key);
		}
	if (e == ERR_OK)
		*psks = read;
	else
		psks_free(read);
	return e;
}

void psks_free(struct psks *psks)
{
	if (!psks)
		return;
	secret_free(psks->key, psks->peers->count * sizeof(*psks->key));
	free(psks);
}

enum err psks_check(const struct party_config *config)
{
	struct psks *psks;

	TRY(psks_read(&psks, config));
	psks_free(psks);
	return ERR_OK;
}

static const struct psk *with(const struct psks *psks, const char *name)
{
	for (size_t i = 0; i < psks->peers->count; i++)
		if (!strcmp(psks->peers->item[i].key, name))
			return &psks->key[i];
	return NULL;
}

struct psk *psks_of(const struct psks *psks, const struct work *work)
{
	const char *coordinator = channel_peer(work->channel);
	const struct psk *found;
	struct psk *psk;
	size_t shared = 0;

	if (!psks)
		return NULL;
	found = with(psks, coordinator);
	if (found && found->n)
		log_warn("peers.%s.psk is of no use: %s is the coordinator, and only parties "
			 "share such keys",
			 coordinator, coordinator);
	psk = secret_new(work->L * sizeof(*psk));
	for (size_t l = 0; l < work->L; l++) {
		found = l == work->own ? NULL : with(psks, work->name[l]);
		if (!found || !found->n)
			continue;
		psk[l] = *found;
		shared++;
	}
	log_info("pre-shared keys protect the keys with %zu of %zu other parties", shared,
		 work->L - 1);
	return psk;
}

void psks_forget(struct psk *psk, const struct work *work)
{
	secret_free(psk, work->L * sizeof(*psk));
}
