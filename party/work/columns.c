#include "party/work/columns.h"
#include "common/base/sort.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "crypto/hmac.h"
#include "crypto/secret.h"

#include <stdlib.h>
#include <string.h>

/* Shortened hashes that this party sends to the others. If its columns have no names, all bytes are
 * zero. */
struct disclosures {
	uint8_t names[12];  /* the names in their order */
	uint8_t sorted[10]; /* the same names in the order of their bytes */
	uint8_t held[10];   /* types and units, in the order of the columns */
};
_Static_assert(sizeof(struct disclosures) == SECAGG_HASH_LEN, "it is shown as 32 bytes");

static const char LABEL[] = "coterie columns v1";

static void party_columns_add_text(struct hmac *h, const char *text)
{
	hmac_add(h, text, strlen(text) + 1);
}

static void party_columns_end_hash(struct hmac *h, uint8_t *out, size_t n)
{
	uint8_t mac[HMAC_LEN];

	hmac_end(h, mac);
	memcpy(out, mac, n);
}

static void party_columns_summarise(const struct work *work, const struct columns *c,
				    struct disclosures *s)
{
	uint8_t key[KDF_KEY_LEN];
	const char **name;
	struct hmac *h;

	kdf_expand(work->group_key, (struct bytes){ (const uint8_t *)LABEL, sizeof(LABEL) - 1 },
		   key, sizeof(key));
	h = hmac_new((struct bytes){ key, sizeof(key) });
	wipe(key, sizeof(key));
	ALLOC(name, c->n);
	for (size_t j = 0; j < c->n; j++)
		party_columns_add_text(h, name[j] = c->column[j].name);
	party_columns_end_hash(h, s->names, sizeof(s->names));
	sort_texts(name, c->n);
	party_columns_add_text(h, "sorted");
	for (size_t j = 0; j < c->n; j++)
		party_columns_add_text(h, name[j]);
	party_columns_end_hash(h, s->sorted, sizeof(s->sorted));
	party_columns_add_text(h, "held");
	for (size_t j = 0; j < c->n; j++) {
		party_columns_add_text(h, column_type_name(c->column[j].type));
		party_columns_add_text(h, c->column[j].unit);
	}
	party_columns_end_hash(h, s->held, sizeof(s->held));
	hmac_free(h);
	free(name);
}

static const char *differs(const struct disclosures *a, const struct disclosures *b)
{
	if (memcmp(a->sorted, b->sorted, sizeof(a->sorted)) != 0)
		return "with other names";
	if (memcmp(a->names, b->names, sizeof(a->names)) != 0)
		return "with the same names in another order";
	if (memcmp(a->held, b->held, sizeof(a->held)) != 0)
		return "with other types or units under the same names";
	return NULL;
}

static bool has_names(const struct disclosures *s)
{
	static const struct disclosures none;

	return memcmp(s, &none, sizeof(none)) != 0;
}

static enum err party_columns_compare_all(struct work *work, const struct disclosures *said)
{
	const struct disclosures *own = &said[work->own];
	struct buf others = { 0 };
	size_t named = 0;
	enum err e = ERR_OK;

	for (size_t l = 0; l < work->L; l++)
		named += has_names(&said[l]);
	for (size_t l = 0; l < work->L && named; l++) {
		const char *how = has_names(own) ? differs(own, &said[l]) : NULL;

		if (!has_names(&said[l]))
			log_warn("the columns of %s have no names (columns.json), so their "
				 "names are not compared with those of other parties",
				 work->name[l]);
		else if (how)
			buf_printf(&others, "%s%s %s", others.n ? ", " : "", work->name[l], how);
	}
	if (others.n) {
		work->ending = ENDING_COLUMNS;
		e = err_set(ERR_PEER,
			    "the columns of %s differ from those of other parties: compared with "
			    "its own, there is %.*s; give all parties the same columns.json, and "
			    "features in that order and those units",
			    work->name[work->own], (int)others.n, (const char *)others.p);
	}
	buf_release(&others);
	return e;
}

enum err party_compare_columns(struct work *work, const struct columns *columns)
{
	uint8_t shown[PARTIES_MAX][SECAGG_HASH_LEN] = { 0 };
	struct disclosures said[PARTIES_MAX] = { 0 };

	if (columns && columns->n)
		party_columns_summarise(work, columns, &said[work->own]);
	memcpy(shown[work->own], &said[work->own], SECAGG_HASH_LEN);
	TRY(work_show_all(work, SEALED_COLUMNS, shown));
	memcpy(said, shown, work->L * sizeof(*said));
	return party_columns_compare_all(work, said);
}
