/* A party serves each attempt once, and serves a job only with the same parameters and parties. */
#include "party/daemon/served.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "party/daemon/params.h"
#include "tests/unit/crypto/lab.h"

#include <sys/stat.h>
#include <unistd.h>

struct desk {
	char dir[64], path[96];
	struct work *work;
	struct served *served;
};

static void desk_open(struct desk *d)
{
	lab_dir(d->dir);
	snprintf(d->path, sizeof(d->path), "%s/served", d->dir);
	ALLOC(d->work, 1);
	d->served = served_new(d->dir);
	memset(d->work->params_hash, 0xab, sizeof(d->work->params_hash));
}

static void desk_close(struct desk *d)
{
	free(d->work);
	served_free(d->served);
	lab_remove(d->dir);
}

static enum err serve(struct desk *d, uint8_t id, uint32_t attempt)
{
	memset(d->work->job_id, id, sizeof(d->work->job_id));
	d->work->attempt = attempt;
	d->work->later = false;
	return served_note(d->served, d->work);
}

TEST(test_once)
{
	struct desk d;

	desk_open(&d);
	for (uint32_t attempt = 1; attempt <= 11; attempt += 10) /* "1" is a prefix of "11" */
		for (uint8_t id = 1; id <= 3; id++)
			assert_ok(serve(&d, id, attempt));
	for (uint8_t id = 1; id <= 3; id++) {
		assert_err(serve(&d, id, 1), ERR_PEER, "attempt 1 was served before");
		assert_true(d.work->later);
	}
	/* attempt 10 is older than attempt 11, which was served */
	assert_err(serve(&d, 2, 10), ERR_PEER, "attempt 11 was served before");
	assert_err(serve(&d, 2, 11), ERR_PEER, "attempt 11 was served before");
	assert_ok(serve(&d, 2, 12));
	assert_false(d.work->later);
	assert_ok(serve(&d, 0x11, 1));
	desk_close(&d);
}

/* Refuses all attempts at a job that is done. */
TEST(test_done_is_served_for_ever)
{
	struct desk d;

	desk_open(&d);
	assert_ok(serve(&d, 1, 1));
	assert_ok(served_done(d.served, d.work));
	assert_ok(serve(&d, 2, 1));
	assert_err(serve(&d, 1, 2), ERR_PEER, "is done: no further attempt is served");
	assert_false(d.work->later);
	assert_err(serve(&d, 1, 1000), ERR_PEER, "is done");
	assert_ok(serve(&d, 2, 2));
	desk_close(&d);
}

/* Two processes use one state directory. Each reads the lines that the other has added to the
 * file. */
TEST(test_two_readers)
{
	struct served *own, *other;
	struct desk d;

	desk_open(&d);
	own = d.served;
	other = served_new(d.dir);
	assert_ok(serve(&d, 1, 1));
	d.served = other;
	assert_ok(serve(&d, 2, 1));
	assert_err(serve(&d, 1, 1), ERR_PEER, "was served before");
	d.served = own;
	assert_err(serve(&d, 2, 1), ERR_PEER, "was served before");
	/* The file loses its lines, as if the party had restored an older copy. The party reads it
	 * like any other file. */
	assert_int_equal(truncate(d.path, 0), 0);
	assert_ok(serve(&d, 2, 1));
	assert_err(serve(&d, 2, 1), ERR_PEER, "was served before");
	served_free(other);
	desk_close(&d);
}

TEST(test_same_parameters_and_parties)
{
	struct desk d;

	desk_open(&d);
	assert_ok(serve(&d, 1, 1));
	d.work->params_hash[31] ^= 1;
	assert_err(serve(&d, 1, 2), ERR_PEER, "with other parties or parameters");
	assert_false(d.work->later); /* no later attempt would be served either */
	assert_err(serve(&d, 1, 1), ERR_PEER, "with other parties or parameters");
	assert_ok(serve(&d, 2, 2)); /* another job */
	d.work->params_hash[31] ^= 1;
	assert_ok(serve(&d, 1, 2));
	desk_close(&d);
}

static void leave_out(struct work *work, uint32_t attempt, const char *name)
{
	struct work_left *left = &work->left[work->lefts++];
	size_t l = 0;

	left->attempt = attempt;
	snprintf(left->name, sizeof(left->name), "%s", name);
	while (strcmp(work->name[l], name) != 0)
		l++;
	for (work->L--; l < work->L; l++)
		memcpy(work->name[l], work->name[l + 1], sizeof(work->name[l]));
}

/* Sets up a job of four parties; leave_out() then removes some of the parties. */
static void begin(struct desk *d)
{
	static const char text[] = "{\"kind\":\"kmeans\",\"clusters\":2,\"on_loss\":\"attempt\"}";
	struct work *work = d->work;

	assert_ok(job_parse(&work->job, (struct bytes){ (const uint8_t *)text, strlen(text) }, "t",
			    NULL));
	work->L = 4;
	work->lefts = 0;
	for (size_t l = 0; l < 4; l++)
		snprintf(work->name[l], sizeof(work->name[l]), "p%zu", l);
}

static enum err serve_this(struct desk *d, uint32_t attempt)
{
	d->work->attempt = attempt;
	params_make(d->work);
	return serve(d, 1, attempt);
}

/* Each attempt must have the parties of the attempt before it, or fewer. It must name the parties
 * that were left out. */
TEST(test_without_some)
{
	struct desk d;

	desk_open(&d);
	begin(&d);
	assert_ok(serve_this(&d, 1));
	begin(&d);
	d.work->L = 3; /* p3 is missing but was not left out */
	assert_err(serve_this(&d, 2), ERR_PEER, "with other parties or parameters");
	begin(&d);
	leave_out(d.work, 2, "p3");
	assert_ok(serve_this(&d, 2));
	assert_err(serve_this(&d, 2), ERR_PEER, "attempt 2 was served before");
	begin(&d); /* p3 is back */
	assert_err(serve_this(&d, 3), ERR_PEER, "with other parties or parameters");
	leave_out(d.work, 3, "p2"); /* p2 is left out instead of p3 */
	assert_err(serve_this(&d, 3), ERR_PEER, "with other parties or parameters");
	begin(&d);
	leave_out(d.work, 3, "p3"); /* p3 was left out in attempt 2 */
	assert_err(serve_this(&d, 3), ERR_PEER, "with other parties or parameters");
	begin(&d);
	leave_out(d.work, 2, "p2"); /* attempt 2 did not leave out p2 */
	leave_out(d.work, 2, "p3");
	assert_err(serve_this(&d, 3), ERR_PEER, "with other parties or parameters");
	begin(&d);
	leave_out(d.work, 2, "p3");
	leave_out(d.work, 4, "p1");
	d.work->job_hash[31]++;
	assert_err(serve_this(&d, 4), ERR_PEER, "with other parties or parameters");
	d.work->job_hash[31]--;
	assert_ok(serve_this(&d, 4));
	assert_ok(serve_this(&d, 5));
	desk_close(&d);
}

/* Reads lines of an older version without a hash, and a line that a crash cut short. */
TEST(test_older_lines)
{
	static const char text[] = "01010101010101010101010101010101 2\n"
				   "02020202020202020202020202020202 1 abab";
	struct desk d;

	desk_open(&d);
	assert_ok(
	    file_write(d.path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_SECRET));
	assert_err(serve(&d, 1, 2), ERR_PEER, "attempt 2 was served before");
	assert_ok(serve(&d, 1, 3));
	assert_int_equal(serve(&d, 2, 1), ERR_PEER);
	desk_close(&d);
}

/* A party that cannot record an attempt does not serve it. */
TEST(test_no_memory_no_service)
{
	struct desk d;

	desk_open(&d);
	assert_ok(serve(&d, 1, 1));
	assert_int_equal(remove(d.path), 0);
	assert_int_equal(mkdir(d.path, 0700), 0); /* a directory takes the file's place */
	assert_int_not_equal(serve(&d, 1, 2), ERR_OK);
	assert_non_null(strstr(err_detail(), d.path));
	desk_close(&d);
}

static void write_text(struct desk *d, const char *text)
{
	assert_ok(file_write(d->path, (struct bytes){ (const uint8_t *)text, strlen(text) },
			     FILE_SECRET));
}

/* A line that was cut short must not hide the next line, or attempt 2 would be served twice. */
TEST(test_cut_line)
{
	struct desk d;

	desk_open(&d);
	assert_ok(serve(&d, 1, 1));
	for (off_t keep = 1; keep < 110; keep += 12) {
		write_text(&d, "02020202020202020202020202020202 1\n");
		assert_ok(serve(&d, 3, 1));
		assert_int_equal(truncate(d.path, 35 + keep), 0); /* cuts the second line */
		assert_ok(serve(&d, 1, 2));
		assert_err(serve(&d, 1, 2), ERR_PEER, "attempt 2 was served before");
		assert_err(serve(&d, 2, 1), ERR_PEER, "attempt 1 was served before");
		if (keep > 32) /* the id of the cut line is complete */
			assert_err(serve(&d, 3, 2), ERR_PEER, "cut short");
	}
	desk_close(&d);
}

/* Reads a file of a million lines. */
TEST(test_many_lines)
{
	enum { LINES = 1 << 20 };
	struct buf text = { 0 };
	struct desk d;

	desk_open(&d);
	for (unsigned i = 0; i < LINES; i++)
		buf_printf(&text, "%024x%08x 1\n", 0, i);
	assert_in_range(text.n, 33 << 20, 64 << 20);
	assert_ok(file_write(d.path, (struct bytes){ text.p, text.n }, FILE_SECRET));
	assert_ok(serve(&d, 1, 1));
	assert_err(serve(&d, 1, 1), ERR_PEER, "attempt 1 was served before");
	buf_release(&text);
	desk_close(&d);
}

/* After a power loss the file may end in zeros, from a line that never reached the disk. */
TEST(test_zeros_at_the_end)
{
	static const uint8_t text[] = "02020202020202020202020202020202 1\n\0\0\0\0\0\0\0\0\0\0\0";
	struct desk d;

	desk_open(&d);
	assert_ok(serve(&d, 1, 1));
	assert_ok(file_write(d.path, (struct bytes){ text, sizeof(text) }, FILE_SECRET));
	assert_ok(serve(&d, 1, 2));
	assert_ok(serve(&d, 3, 1));
	assert_err(serve(&d, 1, 2), ERR_PEER, "attempt 2 was served before");
	assert_err(serve(&d, 2, 1), ERR_PEER, "attempt 1 was served before");
	desk_close(&d);
}

/* Refuses all jobs if a line is unreadable, because that line could belong to any job. */
TEST(test_damaged_line)
{
	struct buf text = { 0 };
	struct desk d;

	desk_open(&d);
	assert_ok(serve(&d, 1, 1));
	assert_ok(serve(&d, 2, 1));
	assert_ok(file_read(d.path, 4096, &text));
	for (size_t i = 0; i < text.n / 2; i++) { /* each byte of the first line and its newline */
		text.p[i] ^= 1;
		assert_ok(file_write(d.path, (struct bytes){ text.p, text.n }, FILE_SECRET));
		assert_err(serve(&d, 3, 1), ERR_INPUT, "is damaged");
		text.p[i] ^= 1;
	}
	assert_ok(file_write(d.path, (struct bytes){ text.p, text.n }, FILE_SECRET));
	assert_ok(serve(&d, 3, 1));
	buf_release(&text);
	desk_close(&d);
}
