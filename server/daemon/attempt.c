#include "server/daemon/attempt.h"
#include "common/base/file.h"
#include "crypto/hash.h"
#include "crypto/secret.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "coterie job state v2\n"

/* Suffixes of the second line of job.state. DONE: the job is done. WITHOUT: a line for each
 * left-out party follows. */
#define DONE    " done"
#define WITHOUT " without"

enum { LINE = 128, STATE_MAX = 320 + LINE * PARTIES_MAX };

void attempt_hash(const struct job *job, const char *const *name, size_t L,
		  uint8_t hash[static HASH_LEN])
{
	struct sha256 *h = sha256_new();
	struct buf text = { 0 };

	job_write(job, &text);
	sha256_add_text(h, HEAD);
	sha256_add_u64(h, text.n);
	sha256_add(h, text.p, text.n);
	for (size_t l = 0; l < L; l++)
		sha256_add_text(h, name[l]);
	sha256_end(h, hash);
	buf_release(&text);
}

enum err attempt_keep(const char *path, const struct attempt_state *s)
{
	char id[2 * JOB_ID_LEN + 1], what[2 * HASH_LEN + 1], check[SHA256_CHECK + 1];
	char numbers[2 * NUMBERING_KEY_LEN + 1];
	struct buf text = { 0 };
	enum err e;

	hex_write(s->job_id, JOB_ID_LEN, id);
	hex_write(s->what, HASH_LEN, what);
	hex_write(s->numbers, NUMBERING_KEY_LEN, numbers);
	buf_printf(&text, HEAD "%s %" PRIu32 " %s %s%s%s\n", id, s->attempt, what, numbers,
		   s->done ? DONE : "", s->lefts ? WITHOUT : "");
	for (size_t i = 0; i < s->lefts; i++)
		buf_printf(&text, "%s left out from %" PRIu32 " on, %s\n", s->left[i].name,
			   s->left[i].attempt, *s->left[i].step ? s->left[i].step : "-");
	sha256_check((const char *)text.p, text.n, check);
	if (s->lefts)
		buf_printf(&text, "%s\n", check);
	e = file_write(path, (struct bytes){ text.p, text.n }, FILE_SECRET);
	wipe(text.p, text.n);
	wipe(numbers, sizeof(numbers));
	buf_release(&text);
	return e;
}

void attempt_touch(const char *path)
{
	/* Another process may have removed the file since the last call. */
	(void)!utimensat(AT_FDCWD, path, NULL, 0);
}

void attempt_forget(const char *path)
{
	if (path)
		unlink(path);
}

static bool look_left(const char *text, const char *at, struct attempt_state *s)
{
	char check[SHA256_CHECK + 1];

	for (int end = 0; s->lefts < PARTIES_MAX; at += end + 1) {
		struct record_left *left = &s->left[s->lefts];

		if (sscanf(at, "%64[A-Za-z0-9._-] left out from %" SCNu32 " on, %23[!-~]%n",
			   left->name, &left->attempt, left->step, &end) != 3 ||
		    at[end] != '\n')
			break;
		if (!strcmp(left->step, "-"))
			left->step[0] = '\0';
		s->lefts++;
	}
	sha256_check(text, (size_t)(at - text), check);
	return s->lefts && !strncmp(at, check, SHA256_CHECK) && !strcmp(at + SHA256_CHECK, "\n");
}

static enum err attempt_read(const char *path, struct attempt_state *s)
{
	char id[2 * JOB_ID_LEN + 1], what[2 * HASH_LEN + 1], numbers[2 * NUMBERING_KEY_LEN + 1];
	struct buf text = { 0 };
	const char *at;
	bool good;
	int end = 0;

	*s = (struct attempt_state){ 0 };
	TRY(file_read(path, STATE_MAX, &text));
	at = (const char *)text.p + strlen(HEAD);
	good = strncmp((const char *)text.p, HEAD, strlen(HEAD)) == 0 &&
	       sscanf(at, "%32[0-9a-f] %" SCNu32 " %64[0-9a-f] %64[0-9a-f]%n", id, &s->attempt,
		      what, numbers, &end) == 4 &&
	       s->attempt > 0 && hex_read(id, s->job_id, JOB_ID_LEN) &&
	       hex_read(what, s->what, HASH_LEN) &&
	       hex_read(numbers, s->numbers, NUMBERING_KEY_LEN);
	at += end;
	s->done = good && strncmp(at, DONE, strlen(DONE)) == 0;
	at += s->done ? strlen(DONE) : 0;
	if (good && strncmp(at, WITHOUT "\n", strlen(WITHOUT "\n")) == 0)
		good = look_left((const char *)text.p, at + strlen(WITHOUT "\n"), s);
	else
		good = good && strcmp(at, "\n") == 0;
	buf_release(&text);
	return good ? ERR_OK : err_set(ERR_INPUT, "%.200s is damaged", path);
}

enum err attempt_done(const char *path)
{
	struct attempt_state s;

	TRY(attempt_read(path, &s));
	s.done = true;
	return attempt_keep(path, &s);
}

bool attempt_find(const char *path, double limit_s, struct attempt_state *s, char *why)
{
	struct timespec now;
	struct stat st;
	double age;

	*why = '\0';
	if (stat(path, &st) != 0)
		return false;
	if (attempt_read(path, s) != ERR_OK) {
		*s = (struct attempt_state){ 0 };
		snprintf(why, ERR_DETAIL_MAX, "%.200s is damaged", path);
		return false;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	age = difftime(now.tv_sec, st.st_mtim.tv_sec);
	if (age > limit_s) {
		snprintf(why, ERR_DETAIL_MAX,
			 "the job of %.200s was left %.0f s ago, longer than %.0f s", path, age,
			 limit_s);
		return false;
	}
	return true;
}
