/* Tests which characters of a peer's text are printed and which are replaced. */
#include "tests/test.h"

#include "common/base/err.h"
#include "common/base/json.h"
#include "common/base/utf8.h"

#include <stdlib.h>
#include <string.h>

static void becomes(const char *text, const char *expected)
{
	char copy[64];

	strcpy(copy, text);
	utf8_make_harmless(copy);
	assert_string_equal(copy, expected);
	utf8_make_harmless(copy); /* a second call changes nothing */
	assert_string_equal(copy, expected);
}

TEST(test_harmless)
{
	becomes("", "");
	becomes("a b~", "a b~");
	becomes("Z\xc3\xbcrich \xe6\x97\xa5 \xf0\x9f\x98\x80",
		"Z\xc3\xbcrich \xe6\x97\xa5 \xf0\x9f\x98\x80");
	becomes("\033[2J\n\t\r\x7f", "?[2J????");
	becomes("\xc2\x9b"
		"31m",
		"??31m");                /* CSI, one of the C1 control characters */
	becomes("\xc2\xa0", "\xc2\xa0"); /* the first character after C1 */
	becomes("a\xe2\x80\xae"
		"fdp.exe",
		"a???fdp.exe");                                  /* right-to-left override */
	becomes("\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c", "????????"); /* isolates, Arabic letter mark */
	becomes("\xe2\x80\xa8\xe2\x80\xa9", "??????");           /* line and paragraph separator */
	becomes("\xef\xbb\xbf", "???");                          /* byte order mark */
	becomes("\xff\xc3\xed\xa0\x80\xc0\x80", "???????");      /* not UTF-8 */
	becomes("\xe2\x80", "??");                               /* an incomplete sequence */
}

TEST(test_codes)
{
	assert_int_equal(utf8_code((const unsigned char *)"a", 1), 'a');
	assert_int_equal(utf8_code((const unsigned char *)"\xc3\xbc", 2), 0xfc);
	assert_int_equal(utf8_code((const unsigned char *)"\xe2\x80\xae", 3), 0x202e);
	assert_int_equal(utf8_code((const unsigned char *)"\xf0\x9f\x98\x80", 4), 0x1f600);
}

TEST(test_sentences)
{
	err_set(ERR_INPUT, "%s",
		"a\033b\xc2\x9b"
		"c\xe2\x80\xae"
		"d");
	assert_string_equal(err_detail(), "a?b??c???d");
	err_prefix(ERR_INPUT, "%s", "\xe2\x80\xae");
	assert_string_equal(err_detail(), "???: a?b??c???d");
}

TEST(test_trees)
{
	static const char text[] = "{\"a\\u001b\": [\"\\u009b\", {\"b\": \"\\u202e\"}, 1]}";
	struct buf out = { 0 };
	struct json *v;

	assert_ok(json_parse((struct bytes){ (const uint8_t *)text, sizeof(text) - 1 }, "x", &v));
	json_make_harmless(v);
	json_write(v, &out);
	buf_add(&out, "", 1);
	assert_string_equal((const char *)out.p, "{\"a?\":[\"??\",{\"b\":\"???\"},1]}");
	buf_release(&out);
	json_free(v);
}
