/* Reads the pre-shared keys of a configuration, and orders them by the numbers of a job's
 * parties. */
#include "party/daemon/psks.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "tests/unit/crypto/lab.h"

static char dir[64], *good, *another, *text;

static void write_key(const char *path, const char *hex)
{
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)hex, strlen(hex) }, FILE_SECRET));
}

static int make(void **state)
{
	(void)state;
	lab_dir(dir);
	good = file_join(dir, "good");
	another = file_join(dir, "another");
	text = file_join(dir, "text");
	write_key(good, "0101010101010101010101010101010101010101010101010101010101010101");
	write_key(another, "0202020202020202020202020202020202020202020202020202020202020202"
			   "0202");
	write_key(text, "a word that all of us can remember");
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	free(good);
	free(another);
	free(text);
	lab_remove(dir);
	return 0;
}

#define PEERS 4

static struct party_config config_of(struct config_pair *pair)
{
	return (struct party_config){ .common = { .name = (char *)"b" }, .peers = { pair, PEERS } };
}

TEST(by_number)
{
	struct config_pair pair[PEERS] = { { .key = (char *)"d", .path = another },
					   { .key = (char *)"hub", .path = good },
					   { .key = (char *)"a", .path = good },
					   { .key = (char *)"c" } };
	struct party_config config = config_of(pair);
	struct work *work;
	struct psks *psks;
	struct mailbox *mailbox = mailbox_new(1);
	struct psk *psk;

	ALLOC(work, 1);
	work->channel = channel_new(mailbox, PARTY, "hub");
	work->L = 4;
	work->own = 1;
	for (size_t l = 0; l < work->L; l++)
		work->name[l][0] = (char)('a' + l);
	assert_ok(psks_read(&psks, &config));
	psk = psks_of(psks, work);
	assert_non_null(psk);
	assert_int_equal(psk[0].n, 32);
	assert_int_equal(psk[0].key[31], 1);
	assert_int_equal(psk[1].n, 0); /* party 1 is this party */
	assert_int_equal(psk[2].n, 0);
	assert_int_equal(psk[3].n, 34);
	assert_int_equal(psk[3].key[33], 2);
	psks_forget(psk, work);
	psks_free(psks);
	assert_null(psks_of(NULL, work));
	psks_forget(NULL, work);
	channel_free(work->channel);
	mailbox_free(mailbox);
	free(work);
}

TEST(none_are_nothing)
{
	struct config_pair pair[PEERS] = { { .key = (char *)"a" },
					   { .key = (char *)"c" },
					   { .key = (char *)"d" },
					   { .key = (char *)"hub" } };
	struct party_config config = config_of(pair);
	struct psks *psks;

	assert_ok(psks_read(&psks, &config));
	assert_null(psks);
	psks_free(psks);
}

TEST(refused_by_name)
{
	struct config_pair pair[PEERS] = { { .key = (char *)"a", .path = good },
					   { .key = (char *)"c", .path = text },
					   { .key = (char *)"d" },
					   { .key = (char *)"hub" } };
	struct party_config config = config_of(pair);
	struct psks *psks;

	assert_err(psks_read(&psks, &config), ERR_INPUT, "peers.c.psk: /tmp/coterie-test-");
	assert_null(psks);
	assert_err(psks_check(&config), ERR_INPUT, "neither hexadecimal nor base64");
	pair[1].path = (char *)"/nowhere/key";
	assert_err(psks_check(&config), ERR_INPUT, "peers.c.psk: /nowhere/key: No such file");
	pair[1].path = another;
	assert_ok(psks_check(&config));
}

TESTS_BETWEEN(make, unmake)
