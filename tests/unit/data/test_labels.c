/* Writes labels in three formats, reads them back, and refuses invalid ones. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/base/file.h"
#include "common/data/labels.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err txt(const char *text, struct labels *l)
{
	struct bytes b = exact_text(text);
	enum err err = labels_parse_txt(b, "l.txt", l);

	free((void *)(uintptr_t)b.p);
	return err;
}

static enum err csv(const char *text, struct labels *l)
{
	struct bytes b = exact_text(text);
	enum err err = labels_parse_csv(b, "l.csv", l);

	free((void *)(uintptr_t)b.p);
	return err;
}

TEST(test_txt)
{
	struct labels l;

	assert_ok(txt("3\n0\r\n1048575", &l));
	assert_int_equal(l.n, 3);
	assert_int_equal(l.label[0], 3);
	assert_int_equal(l.label[2], 1048575);
	assert_null(l.id);
	labels_release(&l);
	assert_err(txt("", &l), ERR_INPUT, "l.txt: 0 labels");
	assert_err(txt("1\n\n2\n", &l), ERR_INPUT,
		   "l.txt:2: the line ends where the label is expected");
	assert_err(txt("1\n1048576\n", &l), ERR_INPUT, "l.txt:2: the label is \"1048576\"");
	assert_err(txt("1\n-1\n", &l), ERR_INPUT, "l.txt:2: the label is \"-1\"");
	assert_err(txt("1\n2 3\n", &l), ERR_INPUT,
		   "l.txt:2: \"3\" is more than expected"); /* several labels in a line */
	assert_null(l.label);
}

TEST(test_csv)
{
	struct labels l;

	assert_ok(csv("id,label\r\na,2\n\"b,\"\"c\",0\n", &l));
	assert_int_equal(l.n, 2);
	assert_string_equal(l.id[0], "a");
	assert_string_equal(l.id[1], "b,\"c");
	assert_int_equal(l.label[0], 2);
	labels_release(&l);
	assert_ok(csv("id,label,confidence\na,2,0.25\nb,0,1\n", &l));
	assert_int_equal(l.label[1], 0);
	assert_true(l.confidence[0] == 0.25 && l.confidence[1] == 1);
	labels_release(&l);
	assert_err(
	    csv("id,label,confidence\na,2\n", &l), ERR_INPUT,
	    "l.csv:2: the label is \"2\", expected a whole number below 1048576, and a confidence");
	assert_err(csv("id,label,confidence\na,2,1.5\n", &l), ERR_INPUT,
		   "l.csv:2: the confidence is \"1.5\", expected a number from 0 to 1");
	assert_err(csv("id,label,confidence\na,2,nan\n", &l), ERR_INPUT,
		   "the confidence is \"nan\"");
	assert_err(csv("id,label,confidence\na,2,\n", &l), ERR_INPUT, "the confidence is \"\"");
	assert_err(csv("id,label,confidence\na,2,0,0\n", &l), ERR_INPUT,
		   "l.csv:2: more than an id, a label and a confidence");
	assert_err(csv("id,label,confidence,x\n", &l), ERR_INPUT,
		   "l.csv:1: the heading has more than three names");
	assert_err(csv("id\n", &l), ERR_INPUT, "l.csv:1: the heading is not");
	assert_err(csv("", &l), ERR_INPUT, "l.csv:1: the heading is not");
	assert_err(csv("a,2\n", &l), ERR_INPUT, "the heading is not \"id,label\"");
	assert_err(csv("id,label,x\n", &l), ERR_INPUT, "the heading is not \"id,label\"");
	assert_err(csv("id,label\n", &l), ERR_INPUT, "l.csv: 0 labels");
	assert_err(csv("id,label\na,1\na\n", &l), ERR_INPUT, "l.csv:3: one field");
	assert_err(csv("id,label\na,1\nb,2,3\n", &l), ERR_INPUT, "l.csv:3: the label is \"2\"");
	assert_err(csv("id,label\na,1\nb,x\n", &l), ERR_INPUT, "l.csv:3: the label is \"x\"");
	assert_err(csv("id,label\na,1048576\n", &l), ERR_INPUT,
		   "l.csv:2: the label is \"1048576\"");
	assert_err(csv("id,label\na,1\n,2\n", &l), ERR_INPUT, "l.csv:3: an id of 0 bytes");
	assert_err(csv("id,label\na,1\n\"b,2\n", &l), ERR_INPUT,
		   "l.csv:3: a quoted field does not end");
	assert_null(l.id);
}

/* A spreadsheet would evaluate these ids as formulas. All readers here keep the bytes of the
 * ids. */
TEST(test_ids_like_formulas)
{
	static char *ids[] = { (char *)"=1+1", (char *)"+49", (char *)"-5", (char *)"@user",
			       (char *)"=a,b" };
	static const uint32_t label[] = { 0, 1, 2, 3, 4 };
	static const char file[] = "id,label\n=1+1,0\n+49,1\n-5,2\n@user,3\n\"=a,b\",4\n";
	char dir[] = "/tmp/coterie-test-XXXXXX", path[64];
	struct buf text = { 0 };
	struct labels l;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/l.csv", dir);
	assert_ok(labels_write(path, NULL, ids, label, NULL, 5));
	assert_ok(file_read(path, sizeof(file), &text));
	assert_int_equal(text.n, sizeof(file) - 1);
	assert_memory_equal(text.p, file, text.n);
	buf_release(&text);
	assert_ok(labels_read(path, &l));
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(l.id[i], ids[i]);
	labels_release(&l);
	unlink(path);
	rmdir(dir);
}

TEST(test_written_as_read)
{
	static char *ids[] = { (char *)"x", (char *)"a,b", (char *)"\"q\"" };
	static const uint32_t label[] = { 2, 0, 1048575 };
	static const double sure[] = { 0, 0.125, 1 };
	char dir[] = "/tmp/coterie-test-XXXXXX", path[64];
	struct labels l;
	struct stat st;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/l.csv", dir);
	assert_ok(labels_write(path, NULL, ids, label, NULL, 3));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600); /* ids may identify persons */
	assert_ok(labels_read(path, &l));
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(l.id[i], ids[i]);
	assert_memory_equal(l.label, label, sizeof(label));
	labels_release(&l);
	assert_ok(labels_write(path, NULL, NULL, label, sure, 3));
	assert_ok(labels_read(path, &l));
	assert_string_equal(l.id[2], "2");
	assert_true(l.confidence[0] == 0 && l.confidence[1] == 0.125 && l.confidence[2] == 1);
	labels_release(&l);
	unlink(path);
	snprintf(path, sizeof(path), "%s/l.npy", dir);
	assert_ok(labels_write(NULL, path, NULL, label, NULL, 3));
	assert_ok(labels_read(path, &l));
	assert_int_equal(l.n, 3);
	assert_memory_equal(l.label, label, sizeof(label));
	labels_release(&l);
	unlink(path);
	snprintf(path, sizeof(path), "%s/l.txt", dir);
	assert_ok(labels_write_txt(path, label, 3));
	assert_ok(labels_read(path, &l));
	assert_memory_equal(l.label, label, sizeof(label));
	labels_release(&l);
	unlink(path);
	rmdir(dir);
	assert_err(labels_read("/etc/passwd", &l), ERR_INPUT,
		   "expected labels in a file .txt, .csv or .npy");
}

/* Refuses .npy files with numbers that are not labels, or with two dimensions. */
TEST(test_npy_refusals)
{
	static const struct {
		const char *descr, *shape, *message;
		unsigned char data[8];
	} cases[] = {
		{ "<f8", "(1,)", "label 0 (from 0) is 0.5", { 0, 0, 0, 0, 0, 0, 0xe0, 0x3f } },
		{ "<i8",
		  "(1,)",
		  "label 0 (from 0) is -1",
		  { 255, 255, 255, 255, 255, 255, 255, 255 } },
		{ "<i4", "(2,)", "label 1 (from 0) is 1048576", { 0, 0, 0, 0, 0, 0, 16, 0 } },
		{ "<i4", "(1, 2)", "2 columns, expected labels in one dimension", { 0 } },
	};
	char path[] = "/tmp/coterie-test-XXXXXX.npy";

	close(mkstemps(path, 4));
	for (size_t i = 0; i < 4; i++) {
		struct buf file = { 0 };
		struct labels l;
		char header[128];
		int n = snprintf(header, sizeof(header),
				 "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
				 cases[i].descr, cases[i].shape);

		buf_add(&file, "\x93NUMPY\x01\x00", 8);
		buf_add(&file, (char[]){ (char)n, 0 }, 2);
		buf_add(&file, header, (size_t)n);
		buf_add(&file, cases[i].data, 8);
		assert_ok(file_write(path, (struct bytes){ file.p, file.n }, FILE_PUBLIC));
		assert_err(labels_read(path, &l), ERR_INPUT, cases[i].message);
		assert_null(l.label);
		buf_release(&file);
	}
	unlink(path);
}
