/* bench_paillier -- CPU seconds of one operation of crypto/paillier.h, the minimum of 9 runs.
 *
 *   bench_paillier D     combine_s is for D ciphertexts */
#include "tests/bench/bench.h"
#include "common/base/alloc.h"
#include "crypto/paillier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 9, D_MAX = 4096 };

int main(int argc, char **argv)
{
	size_t d = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	double encrypt = INFINITY, combine = INFINITY, decrypt = INFINITY;
	int64_t x[PAILLIER_SLOTS] = { 1, -2, 3 }, *w;
	uint8_t n[PAILLIER_KEY_LEN], out[PAILLIER_LEN], *c;
	struct paillier_vector *v;
	struct paillier_pair *pair;
	struct paillier *key;
	const char *why;

	if (d < 1 || d > D_MAX)
		return 4;
	ALLOC(w, d);
	c = alloc(d, PAILLIER_LEN);
	need(paillier_pair_new(&pair));
	paillier_pair_public(pair, n);
	key = paillier_new(n);
	for (size_t t = 0; t < d; t++) {
		w[t] = (int64_t)t - 1000;
		need(paillier_encrypt(pair, x, PAILLIER_SLOTS, c + t * PAILLIER_LEN));
	}
	v = paillier_vector_new(key, c, d, &why);
	for (int i = 0; i < TIMES; i++) {
		double from = bench_cpu_s(), to;

		need(paillier_encrypt(pair, x, PAILLIER_SLOTS, out));
		to = bench_cpu_s();
		encrypt = fmin(encrypt, to - from);
		need(paillier_combine(v, w, out));
		from = bench_cpu_s();
		combine = fmin(combine, from - to);
		if (paillier_decrypt(pair, out, x, PAILLIER_SLOTS))
			return 5;
		decrypt = fmin(decrypt, bench_cpu_s() - from);
	}
	printf("d=%zu encrypt_s=%.6f combine_s=%.6f decrypt_s=%.6f\n", d, encrypt, combine,
	       decrypt);
	paillier_vector_free(v);
	paillier_free(key);
	paillier_pair_free(pair);
	free(c);
	free(w);
	return 0;
}
