#include "party/daemon/served.h"
#include "common/base/alloc.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "crypto/hash.h"
#include "party/daemon/params.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEX_ID = 2 * JOB_ID_LEN,
	HEX_HASH = 2 * SECAGG_HASH_LEN,
	LINE_MAX_BYTES = HEX_ID + HEX_HASH + SHA256_CHECK + 32,
};

struct line {
	/* The hash is "" if a version without hashes wrote the line. */
	char id[HEX_ID + 1], hash[HEX_HASH + 1];
	uint32_t attempt;
	bool done;
	bool cut; /* the line is incomplete; only its id counts, if the id is complete */
};

/* The lines read so far. A running party reads only new lines. */
struct served {
	char *path, *state;
	struct stat file;
	off_t read; /* number of bytes of complete lines */
	size_t lines, cap;
	struct line *line; /* the complete lines, parsed */
};

/* The mark CUT completes a line whose writer died before it had written the whole line. */
#define CUT  " cut"
#define DONE "done"

/* Parses "ID ATTEMPT HASH CHECK" or, at the end of a job, "ID 0 done CHECK". Lines of earlier
 * versions end after the attempt or the hash. A line that was cut by a power loss may contain zero
 * bytes, and ends with CUT. text: n bytes and a zero byte. */
static bool served_parse_line(const char *text, size_t n, struct line *l)
{
	char check[SHA256_CHECK + 1] = "", right[SHA256_CHECK + 1];
	int before = 0, end = 0;

	*l = (struct line){ 0 };
	if (n >= strlen(CUT) && !memcmp(text + n - strlen(CUT), CUT, strlen(CUT))) {
		l->cut = true;
		sscanf(text, "%32[0-9a-f]", l->id);
		return true;
	}
	if (memchr(text, 0, n) ||
	    sscanf(text, "%32[0-9a-f] %" SCNu32 "%n", l->id, &l->attempt, &end) != 2 ||
	    strlen(l->id) != HEX_ID)
		return false;
	if (sscanf(text + end, " %64[0-9a-fon]%n", l->hash, &before) == 1) {
		l->done = l->attempt == 0 && !strcmp(l->hash, DONE);
		if (!l->done && (strlen(l->hash) != HEX_HASH || strpbrk(l->hash, "on")))
			return false;
		end += before;
		before = end;
		if (sscanf(text + end, " %16[0-9a-f]%n", check, &end) == 1) {
			sha256_check(text, (size_t)before, right);
			return strcmp(check, right) == 0 && text[before + end] == 0;
		}
	}
	return text[end] == 0;
}

static enum err served_compare_line(struct work *work, const struct line *l)
{
	char then_hash[HEX_HASH + 1];
	uint8_t then[SECAGG_HASH_LEN];

	params_of_attempt(work, l->attempt, then);
	hex_write(then, sizeof(then), then_hash);
	if (l->cut) {
		work->later = true;
		return err_set(ERR_PEER,
			       "job %s was served before, in an attempt whose line was cut short",
			       l->id);
	}
	if (l->done) {
		work->later = false;
		return err_set(ERR_PEER,
			       "job %s is done: no further attempt is served, so that no question "
			       "is repeated unnoticed",
			       l->id);
	}
	if (*l->hash && strcmp(l->hash, then_hash) != 0) {
		work->later = false;
		return err_set(ERR_PEER,
			       "attempt %u of job %s was served before, with other parties or "
			       "parameters than are offered now",
			       l->attempt, l->id);
	}
	if (l->attempt < work->attempt)
		return ERR_OK;
	work->later = true;
	return err_set(ERR_PEER,
		       "job %s, attempt %u was served before: its masks must not be used twice",
		       l->id, l->attempt);
}

struct served *served_new(const char *state)
{
	struct served *s;

	ALLOC(s, 1);
	s->path = file_join(state, "served");
	s->state = alloc_copy(state);
	return s;
}

void served_free(struct served *s)
{
	if (!s)
		return;
	free(s->line);
	free(s->path);
	free(s->state);
	free(s);
}

/* Reads the lines that any process has written since the last call. *cut: the last line is
 * incomplete, since its writer died. If a line is unreadable, it might be about any job, so the
 * party then serves none. */
static enum err served_read_lines(struct served *s, FILE *f, bool *cut)
{
	char *text = NULL;
	size_t cap = 0;
	ssize_t got;
	struct stat st;
	enum err e = ERR_OK;

	*cut = false;
	if (fstat(fileno(f), &st) != 0 || st.st_dev != s->file.st_dev ||
	    st.st_ino != s->file.st_ino || st.st_size < s->read)
		s->read = 0, s->lines = 0;
	s->file = st;
	if (fseeko(f, s->read, SEEK_SET) != 0)
		return err_set(ERR_INPUT, "%s: cannot be read", s->path);
	while (!*cut && (got = getline(&text, &cap, f)) > 0) {
		size_t n = (size_t)got;
		struct line l = { .cut = true };

		*cut =
		    /* The incomplete line counts now, and is read again once it is complete. */
		    text[n - 1] != '\n';
		text[n - !*cut] = 0;
		if (*cut)
			sscanf(text, "%32[0-9a-f]", l.id);
		else if (!served_parse_line(text, n - 1, &l))
			e = err_set(ERR_INPUT,
				    "%s: line %zu is damaged, so it is not known what was served "
				    "before: put a backup in its place, or, only if no coordinator "
				    "can repeat a job, remove the line",
				    s->path, s->lines + 1);
		if (e != ERR_OK)
			break;
		ALLOC_ROOM(s->line, s->lines, s->cap);
		s->line[s->lines] = l;
		s->lines += !*cut;
		s->read += *cut ? 0 : (off_t)n;
	}
	free(text);
	if (e == ERR_OK && ferror(f))
		e = err_set(ERR_INPUT, "%s: cannot be read", s->path);
	return e;
}

/* Appends the line and waits until it is on disk. On errors, leaves the file unchanged. */
static enum err append(int fd, const char *path, const char *line)
{
	size_t n = strlen(line);
	struct stat st;
	enum err e;

	if (fstat(fd, &st) != 0)
		return err_set(ERR_JOB, "%s: %s", path, strerror(errno));
	if (write(fd, line, n) == (ssize_t)n && fsync(fd) == 0)
		return ERR_OK;
	e = err_set(ERR_JOB, "%s cannot be appended to: %s", path, strerror(errno));
	if (ftruncate(fd, st.st_size) != 0)
		log_debug("%s: %s", path, strerror(errno));
	return e;
}

/* Appends job id, attempt and text, with their checksum. If work is not NULL, appends only if no
 * line forbids the attempt. */
static enum err served_add_line(struct served *s, const uint8_t *job_id, uint32_t attempt,
				const char *what, struct work *work)
{
	char id[HEX_ID + 1], check[SHA256_CHECK + 1], line[LINE_MAX_BYTES];
	enum err e = file_make_dirs(s->state);
	FILE *f = NULL;
	bool cut = false;
	int fd = -1, n;

	hex_write(job_id, JOB_ID_LEN, id);
	n = snprintf(line, sizeof(line), "%s %" PRIu32 " %s", id, attempt, what);
	sha256_check(line, (size_t)n, check);
	snprintf(line + n, sizeof(line) - (size_t)n, " %s\n", check);
	if (e == ERR_OK) {
		fd = open(s->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, FILE_SECRET);
		f = fd >= 0 ? fdopen(fd, "r+") : NULL;
		if (!f)
			e = err_set(ERR_JOB, "%s cannot be opened to append: %s", s->path,
				    strerror(errno));
	}
	/* Prevents that two processes with one state directory both serve the attempt. */
	if (e == ERR_OK && flock(fd, LOCK_EX) != 0)
		log_debug("%s: %s", s->path, strerror(errno));
	if (e == ERR_OK)
		e = served_read_lines(s, f, &cut);
	for (size_t i = 0; e == ERR_OK && work && i < s->lines + cut; i++)
		if (strcmp(s->line[i].id, id) == 0)
			e = served_compare_line(work, &s->line[i]);
	/* The file is new; its name must survive a power loss, too. */
	if (e == ERR_OK && s->read == 0)
		e = file_sync_dir(s->path);
	if (e == ERR_OK && cut) {
		log_warn("%s: its last line was cut short", s->path);
		e = append(fd, s->path, CUT "\n");
	}
	if (e == ERR_OK)
		e = append(fd, s->path, line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return e;
}

enum err served_note(struct served *s, struct work *work)
{
	char hash[HEX_HASH + 1];

	hex_write(work->params_hash, SECAGG_HASH_LEN, hash);
	return served_add_line(s, work->job_id, work->attempt, hash, work);
}

enum err served_done(struct served *s, const struct work *work)
{
	return served_add_line(s, work->job_id, 0, DONE, NULL);
}
