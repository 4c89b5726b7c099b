#include "crypto/draw.h"
#include "crypto/hash.h"

uint64_t draw_of_attempt(const uint8_t *job_id, size_t id_len, uint32_t attempt)
{
	struct sha256 *h = sha256_new();
	uint8_t hash[SHA256_LEN];
	uint64_t draw = 0;

	sha256_add_text(h, "coterie draw v1");
	sha256_add_u64(h, id_len);
	sha256_add(h, job_id, id_len);
	sha256_add_u32(h, attempt);
	sha256_end(h, hash);
	for (int i = 0; i < 8; i++)
		draw = draw << 8 | hash[i];
	return draw;
}
