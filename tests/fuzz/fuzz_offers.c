/* Fuzzes the files in state/offers. An answer counts only if its file has the offer's hash; its
 * reason is printable. The first byte selects which of an offer's three files has the rest of the
 * input; the other two do not exist. */
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/job/offer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ID   "0123456789abcdef0123456789abcdef"
#define HASH "1111111111111111111111111111111111111111111111111111111111111111"

static char dir[] = "/tmp/fuzz-offers-XXXXXX", path[96];

static void check(bool good)
{
	if (!good)
		abort();
}

static void leave(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	check(system(command) == 0);
}

static bool contains(const uint8_t *data, size_t size, const char *text)
{
	return size && memmem(data, size, text, strlen(text));
}

static void look(const uint8_t *data, size_t size)
{
	struct offer_answer a;
	struct json *list;
	struct buf text = { 0 };
	char full[OFFER_ID_TEXT];

	if (offer_answer_read(dir, ID, HASH, &a) == ERR_OK && a.given)
		check(contains(data, size, "1111") && contains(data, size, a.yes ? "yes" : "no"));
	for (const char *c = a.why; *c; c++)
		check(*c >= 0x20 && *c < 0x7f);
	if (offer_list(dir, &list) == ERR_OK)
		json_free(list);
	if (offer_read(dir, "0123", full, &text) == ERR_OK)
		check(strcmp(full, ID) == 0);
	buf_release(&text);
	if (offer_answer_write(dir, ID, true, "", 7) == ERR_OK)
		check(offer_answer_read(dir, ID, HASH, &a) == ERR_OK);
	offer_withdraw(dir, ID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const suffix[] = { ".json", ".txt", ".answer" };
	FILE *f;

	if (size < 1)
		return 0;
	if (!path[0]) {
		check(mkdtemp(dir));
		atexit(leave);
		log_init("fuzz", LOG_ERROR);
	}
	snprintf(path, sizeof(path), "%s/offers", dir);
	check(mkdir(path, 0700) == 0);
	snprintf(path, sizeof(path), "%s/offers/%s%s", dir, ID, suffix[data[0] % 3]);
	f = fopen(path, "w");
	check(f && fwrite(data + 1, 1, size - 1, f) == size - 1 && fclose(f) == 0);
	look(data + 1, size - 1);
	leave();
	check(mkdir(dir, 0700) == 0);
	return 0;
}
