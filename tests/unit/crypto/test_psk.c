/* Loads pre-shared keys from valid files and refuses all other files. test_secagg_bytes.c tests the
 * markers and salts of these keys. */
#include "crypto/psk.h"
#include "common/base/file.h"
#include "tests/unit/crypto/lab.h"

#include <sys/stat.h>

#define HEX16    "000102030405060708090a0b0c0d0e0f"
#define HEX16_UP "101112131415161718191A1B1C1D1E1F"
/* these texts encode the first 32, 33, 34 and 64 of the bytes 0, 1, 2 ... */
#define BASE64_32 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define BASE64_33 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"
#define BASE64_34 "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gIQ=="
#define BASE64_64                                                                                  \
	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"                         \
	"MDEyMzQ1Njc4OTo7PD0+Pw=="

static char dir[64], *path;

static int make(void **state)
{
	(void)state;
	lab_dir(dir);
	path = file_join(dir, "key");
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	free(path);
	lab_remove(dir);
	return 0;
}

static enum err reading(const void *content, size_t n, mode_t mode, struct psk *p)
{
	assert_ok(file_write(path, (struct bytes){ content, n }, FILE_SECRET));
	assert_int_equal(chmod(path, mode), 0);
	return psk_read(p, path);
}

static void counts_up(const struct psk *p, size_t n)
{
	assert_int_equal(p->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(p->key[i], i);
}

TEST(text_in_all_its_ways)
{
	static const struct {
		const char *text;
		size_t n;
	} c[] = {
		{ HEX16 HEX16_UP, 32 },
		{ HEX16 HEX16_UP "\n", 32 },
		{ HEX16 HEX16_UP "\r\n", 32 },
		{ HEX16 HEX16_UP "20", 33 },
		{ BASE64_32, 32 },
		{ BASE64_32 "\n", 32 },
		{ BASE64_33, 33 },
		{ BASE64_34 "\r\n", 34 },
		{ BASE64_64 "\n", 64 },
	};
	struct psk p;

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		print_message("%s\n", c[i].text);
		assert_ok(reading(c[i].text, strlen(c[i].text), 0600, &p));
		counts_up(&p, c[i].n);
	}
}

TEST(bytes_as_they_are)
{
	uint8_t bytes[PSK_MAX + 1];
	struct psk p;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (size_t n = PSK_MIN; n <= PSK_MAX; n++) {
		assert_ok(reading(bytes, n, n % 2 ? 0400 : 0600, &p));
		counts_up(&p, n);
	}
	bytes[PSK_MIN - 1] = '\n'; /* this newline belongs to the key */
	assert_ok(reading(bytes, PSK_MIN, 0600, &p));
	assert_int_equal(p.n, PSK_MIN);
	assert_memory_equal(p.key, bytes, PSK_MIN);
	assert_err(reading(bytes, PSK_MIN - 1, 0600, &p), ERR_INPUT,
		   "a key of 31 bytes, expected 32 to 64 random ones");
	assert_err(reading(bytes, PSK_MAX + 1, 0600, &p), ERR_INPUT, "a key of 65 bytes");
	assert_int_equal(p.n, 0);
}

TEST(files_that_do_not_do)
{
	static const struct {
		const char *text, *says;
	} c[] = {
		{ "", "a key of 0 bytes, expected 32 to 64" },
		{ "\n", "a key of 0 bytes" },
		{ HEX16, "a key of 16 bytes" },
		{ HEX16 HEX16 HEX16 HEX16 "00", "a key of 65 bytes" },
		{ HEX16 "0001020304050607", "a key of 24 bytes" },
		{ "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", "a key of 31 bytes" },
		{ BASE64_64 "\n" HEX16, "neither" }, /* two lines */
		{ "correct horse battery staple and more", "neither hexadecimal nor base64" },
		{ "===============================================", "neither" },
		{ "AAECAwQFBgcICQoL=A0ODxAREhMUFRYXGBkaGxwdHh8=", "neither" },
		{ HEX16 HEX16 "g", "neither" },
	};
	char much[PSK_FILE_MAX + 1] = { 0 };
	struct psk p;

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		print_message("%s\n", c[i].text);
		assert_err(reading(c[i].text, strlen(c[i].text), 0600, &p), ERR_INPUT, c[i].says);
		assert_non_null(strstr(err_detail(), path));
		assert_int_equal(p.n, 0);
		/* the error must not contain the file's text */
		if (*c[i].text && *c[i].text != '\n' && *c[i].text != '=')
			assert_null(strstr(err_detail(), "AAECAwQF")
				    ?: strstr(err_detail(), "staple")
				    ?: strstr(err_detail(), HEX16));
	}
	assert_err(reading(much, sizeof(much), 0600, &p), ERR_INPUT, "at most 256 are read");
	for (mode_t bit = 1; bit < 0100; bit <<= 1)
		assert_err(reading(HEX16 HEX16, 64, 0600 | bit, &p), ERR_INPUT,
			   "lets others at the pre-shared key: chmod 600");
	assert_int_equal(p.n, 0);
	assert_err(psk_read(&p, dir), ERR_INPUT, "is a directory");
	assert_err(psk_read(&p, "/nowhere/key"), ERR_INPUT, "/nowhere/key: No such file");
}

TESTS_BETWEEN(make, unmake)
