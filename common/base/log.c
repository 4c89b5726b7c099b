#include "common/base/log.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/service.h"
#include "common/base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

const char *const log_level_names[] = { "error", "warn", "info", "debug", NULL };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned level_max = LOG_INFO;
static char subject[80] = "coterie", job[33];
static _Thread_local char job_here[33];
static struct job_log {
	char job[33]; /* "": free */
	int file;
} job_log[LOG_JOBS_MAX];
static int job_logs;
static int stream = STDERR_FILENO, file = -1;
static bool terminal, journal;

/* The line that moves, as it stands on the terminal; empty: none. */
static struct buf moving;
static _Thread_local char moving_phase[64]; /* of this thread's job */
static _Thread_local double moving_drawn_s;

void log_init(const char *name, enum log_level level)
{
	snprintf(subject, sizeof(subject), "%s", name);
	log_set_level(level);
	log_set_stream(STDERR_FILENO, isatty(STDERR_FILENO));
	journal = service_is_journal(STDERR_FILENO);
}

void log_set_level(enum log_level level)
{
	level_max = level;
}

void log_set_job(const char *id)
{
	pthread_mutex_lock(&lock);
	snprintf(job, sizeof(job), "%s", id);
	pthread_mutex_unlock(&lock);
}

void log_set_job_here(const char *id)
{
	snprintf(job_here, sizeof(job_here), "%s", id);
}

static int open_to_append(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

enum err log_job_open(const char *id, const char *path)
{
	int fd = open_to_append(path);
	struct job_log *free_one = NULL;

	if (fd < 0)
		return err_set(ERR_INPUT, "%s: cannot open the log: %s", path, strerror(errno));
	log_job_close(id);
	pthread_mutex_lock(&lock);
	for (struct job_log *l = job_log; l < job_log + LOG_JOBS_MAX && !free_one; l++)
		free_one = *l->job ? NULL : l;
	assert(free_one); /* no more jobs than that run at a time */
	snprintf(free_one->job, sizeof(free_one->job), "%s", id);
	free_one->file = fd;
	job_logs++;
	pthread_mutex_unlock(&lock);
	return ERR_OK;
}

void log_job_close(const char *id)
{
	pthread_mutex_lock(&lock);
	for (struct job_log *l = job_log; l < job_log + LOG_JOBS_MAX; l++)
		if (*l->job && !strncmp(l->job, id, sizeof(l->job) - 1)) {
			close(l->file);
			l->job[0] = 0;
			job_logs--;
		}
	pthread_mutex_unlock(&lock);
}

void log_set_stream(int fd, bool is_terminal)
{
	pthread_mutex_lock(&lock);
	stream = fd;
	terminal = is_terminal;
	journal = false;
	moving.n = 0;
	moving_phase[0] = 0;
	pthread_mutex_unlock(&lock);
}

enum err log_open(const char *path)
{
	int fd = open_to_append(path);

	if (fd < 0)
		return err_set(ERR_INPUT, "%s: cannot open the log: %s", path, strerror(errno));
	log_close();
	pthread_mutex_lock(&lock);
	file = fd;
	pthread_mutex_unlock(&lock);
	return ERR_OK;
}

void log_close(void)
{
	pthread_mutex_lock(&lock);
	if (file >= 0)
		close(file);
	file = -1;
	pthread_mutex_unlock(&lock);
}

/* One write per line, so that lines of several processes do not mix. A log that cannot be written
 * must not end the job. */
static void put(int fd, const struct buf *b)
{
	const uint8_t *p = b->p;
	size_t n = b->n;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		p += done;
		n -= (size_t)done;
	}
}

void log_dying(const char *text, const char *more)
{
	static const char open_line[] = "{\"level\":\"error\",\"text\":\"", close_line[] = "\"}\n";
	const struct iovec line[] = { { (void *)open_line, sizeof(open_line) - 1 },
				      { (void *)text, strlen(text) },
				      { (void *)more, strlen(more) },
				      { (void *)close_line, sizeof(close_line) - 1 } };

	(void)!writev(stream, line, 4);
	if (file >= 0)
		(void)!writev(file, line, 4);
}

/* Text from outside must not move the cursor or forge a line. */
static void add_safe(struct buf *b, const char *text)
{
	char *safe = alloc_copy(text);

	utf8_make_harmless(safe);
	buf_add(b, safe, strlen(safe));
	free(safe);
}

static void line_for_people(struct buf *b, enum log_level level, const struct log_pair *pairs,
			    size_t count, const char *text)
{
	char date[32];

	clock_utc(date, sizeof(date));
	buf_printf(b, "%.12s %-5s %s: ", date + 11, log_level_names[level], subject);
	add_safe(b, text);
	for (size_t i = 0; i < count; i++) {
		double x = pairs[i].number;

		buf_printf(b, " %s=", pairs[i].key);
		if (pairs[i].text)
			add_safe(b, pairs[i].text);
		else
			buf_printf(b, fabs(x) < 1e15 && x == floor(x) ? "%.0f" : "%.6g", x);
	}
	buf_add(b, "\n", 1);
}

static void line_for_programs(struct buf *b, enum log_level level, const struct log_pair *pairs,
			      size_t count, const char *text)
{
	struct json *line = json_object();
	char date[32];

	clock_utc(date, sizeof(date));
	json_put_string(line, "time", date);
	json_put_string(line, "level", log_level_names[level]);
	json_put_string(line, "subject", subject);
	if (*job_here || *job)
		json_put_string(line, "job", *job_here ? job_here : job);
	json_put_string(line, "text", text);
	for (size_t i = 0; i < count; i++) {
		if (pairs[i].text)
			json_put_string(line, pairs[i].key, pairs[i].text);
		else
			json_put_seconds(line, pairs[i].key,
					 pairs[i].number); /* digits enough for all */
	}
	json_write(line, b);
	buf_add(b, "\n", 1);
	json_free(line);
}

static void emit(enum log_level level, const struct log_pair *pairs, size_t count, const char *text,
		 bool to_file)
{
	static const unsigned priority[] = { 3, 4, 6, 7 }; /* of syslog(3), for each level */
	struct buf people = { 0 }, programs = { 0 };

	pthread_mutex_lock(&lock);
	if (!terminal || (to_file && (file >= 0 || job_logs)))
		line_for_programs(&programs, level, pairs, count, text);
	if (terminal) {
		if (moving.n)
			buf_printf(&people, "\r\033[K");
		line_for_people(&people, level, pairs, count, text);
		buf_add(&people, moving.p, moving.n);
		put(stream, &people);
	} else if (journal) {
		buf_printf(&people, "<%u>", priority[level]);
		buf_add(&people, programs.p, programs.n);
		put(stream, &people);
	} else {
		put(stream, &programs);
	}
	if (to_file && file >= 0)
		put(file, &programs);
	for (struct job_log *l = job_log; to_file && job_logs && l < job_log + LOG_JOBS_MAX; l++)
		if (*l->job && !strcmp(l->job, *job_here ? job_here : job))
			put(l->file, &programs);
	pthread_mutex_unlock(&lock);
	buf_release(&people);
	buf_release(&programs);
}

static void emit_v(enum log_level level, const struct log_pair *pairs, size_t count, bool to_file,
		   const char *fmt, va_list ap)
{
	char text[2 * ERR_DETAIL_MAX]; /* a longer sentence is cut */

	if (level > level_max)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	emit(level, pairs, count, text, to_file);
}

void log_event(enum log_level level, const struct log_pair *pairs, size_t count, const char *fmt,
	       ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_v(level, pairs, count, true, fmt, ap);
	va_end(ap);
}

void log_next(const char *phase)
{
	struct log_pair pair = LOG_TEXT("phase", phase);

	log_event(LOG_INFO, &pair, 1, "next");
	service_status("job %s: %s", *job_here ? job_here : job, phase);
}

void log_private(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_v(LOG_ERROR, NULL, 0, false, fmt, ap);
	va_end(ap);
}

/* ---- the line that moves ---- */

static void draw(const struct log_progress *p)
{
	double bytes = (double)p->bytes;
	struct buf line = { 0 };

	moving.n = 0;
	buf_printf(&moving, "%s: ", subject);
	if (job_logs > 1)
		buf_printf(&moving, "job %.8s: ", job_here);
	add_safe(&moving, p->phase);
	if (p->iteration)
		buf_printf(&moving, ", iteration %u, %ju moved", p->iteration, (uintmax_t)p->moved);
	if (bytes < 1e4)
		buf_printf(&moving, ", %.0f B", bytes);
	else if (bytes < 1e7)
		buf_printf(&moving, ", %.1f kB", 1e-3 * bytes);
	else
		buf_printf(&moving, ", %.1f MB", 1e-6 * bytes);
	buf_printf(&moving, ", %.1f s", p->elapsed_s);
	buf_printf(&line, "\r\033[K");
	buf_add(&line, moving.p, moving.n);
	put(stream, &line);
	buf_release(&line);
}

void log_progress(const struct log_progress *p)
{
	double now = clock_now_s();
	bool due, as_line;

	pthread_mutex_lock(&lock);
	due = strncmp(moving_phase, p->phase, sizeof(moving_phase) - 1) != 0 ||
	      now - moving_drawn_s >= (terminal ? 0.1 : 1.0);
	as_line = due && !terminal && level_max >= LOG_INFO;
	if (due) {
		snprintf(moving_phase, sizeof(moving_phase), "%s", p->phase);
		moving_drawn_s = now;
		if (terminal)
			draw(p);
	}
	pthread_mutex_unlock(&lock);
	if (as_line) {
		struct log_pair pairs[] = { LOG_TEXT("phase", p->phase),
					    LOG_NUMBER("iteration", p->iteration),
					    LOG_NUMBER("moved", p->moved),
					    LOG_NUMBER("bytes", p->bytes),
					    LOG_NUMBER("elapsed_s", p->elapsed_s) };

		emit(LOG_INFO, pairs, sizeof(pairs) / sizeof(*pairs), "progress", true);
	}
}

void log_progress_end(void)
{
	static const char clear[] = "\r\033[K";

	pthread_mutex_lock(&lock);
	if (moving.n)
		put(stream,
		    &(struct buf){ .p = (uint8_t *)(uintptr_t)clear, .n = sizeof(clear) - 1 });
	moving.n = 0;
	moving_phase[0] = 0;
	pthread_mutex_unlock(&lock);
}
