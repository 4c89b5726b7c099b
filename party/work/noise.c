#include "party/work/noise.h"
#include "common/base/alloc.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "crypto/prg.h"
#include "crypto/secret.h"
#include "party/work/secret.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct work_noise {
	struct noise_source source;
	struct work *work;
	enum noise_on on;
	uint32_t releases; /* number of releases so far */
	bool keyed;
	struct prg *prg;
};

/* Version of the samplers. It changes with them, because a new version must not reuse a stream. */
static const char version[] = "coterie noise v2";

static void add_field(struct hmac *h, const void *p, size_t n)
{
	uint64_t length = htobe64(n);

	hmac_add(h, &length, sizeof(length));
	hmac_add(h, p, n);
}

static void add_number(struct hmac *h, uint64_t number)
{
	number = htobe64(number);
	add_field(h, &number, sizeof(number));
}

static void add_members(struct hmac *h, const struct work *work)
{
	add_number(h, work->L);
	for (size_t l = 0; l < work->L; l++)
		add_field(h, work->name[l], strlen(work->name[l]));
}

static void add_question(struct hmac *h, const struct work_noise *noise)
{
	const struct work *work = noise->work;

	add_field(h, version, sizeof(version));
	add_number(h, noise->on);
	add_number(h, noise->releases);
	add_field(h, work->job_id, sizeof(work->job_id));
	add_field(h, work->began_hash, sizeof(work->began_hash));
	add_field(h, work->data_hash, work->data_hash ? SHA256_LEN : 0);
	add_field(h, work->received, sizeof(work->received));
	if (noise->on == NOISE_IN_SUM)
		add_members(h, work);
}

/* Sets the key of the noise. The key and the question's hash are both derived from one HMAC. The
 * key cannot be computed from the hash. */
static enum err noise_key(void *ctx, const struct bytes *part, size_t parts)
{
	struct work_noise *noise = ctx;
	const struct work *work = noise->work;
	uint8_t mac[HMAC_LEN], key[PRG_KEY_LEN], question[SHA256_LEN];
	struct hmac *h;
	enum err e = ERR_OK;

	noise->keyed = false;
	TRY(secret_hmac(work, &h));
	add_question(h, noise);
	add_number(h, parts);
	for (size_t i = 0; i < parts; i++)
		add_field(h, part[i].p, part[i].n);
	hmac_end(h, mac);
	hmac_free(h);
	kdf_expand(mac, (struct bytes){ (const uint8_t *)"question", 8 }, question,
		   sizeof(question));
	kdf_expand(mac, (struct bytes){ (const uint8_t *)"stream", 6 }, key, sizeof(key));
	if (work->question)
		e = work->question(noise->work, noise->releases, question);
	if (e == ERR_OK)
		prg_start(noise->prg, key);
	noise->keyed = e == ERR_OK;
	noise->releases++;
	wipe(key, sizeof(key));
	wipe(mac, sizeof(mac));
	return e;
}

static enum err next_bytes(void *ctx, void *p, size_t n)
{
	struct work_noise *noise = ctx;

	if (!noise->keyed)
		return err_set(ERR_INTERNAL, "noise was drawn for no answer");
	for (uint8_t *to = p; n > 0;) {
		size_t some = n < PRG_BLOCK ? n : PRG_BLOCK;

		prg_next(noise->prg, to, some);
		to += some;
		n -= some;
	}
	return ERR_OK;
}

const struct noise_source *work_noise(struct work *work, enum noise_on on)
{
	struct work_noise *noise = work->noise;

	if (!noise) {
		ALLOC(noise, 1);
		noise->prg = prg_new();
		noise->work = work;
		noise->source = (struct noise_source){ noise, next_bytes, noise_key };
		work->noise = noise;
	}
	noise->on = on;
	noise->keyed = false;
	return &noise->source;
}

void work_noise_end(struct work *work)
{
	if (work->noise)
		prg_free(work->noise->prg);
	free(work->noise);
	work->noise = NULL;
}
