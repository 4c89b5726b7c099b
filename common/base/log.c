#include "common/base/log.h"
#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/service.h"
#include "common/base/stream.h"
#include "common/base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
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
	char job[33];
	int file;
} job_log[LOG_JOBS_MAX];
static int job_logs;
static struct stream stream = STREAM_OF(STDERR_FILENO);
static int file = -1;
static bool terminal, journal;
static struct log_seldom *seldoms;

#define DRAIN_S  1.0 /* longest wait for the reader of the last lines when a process ends */
#define SELDOM_S 60.0

/* The progress line as shown on the terminal; empty if none. */
static struct buf moving;
static _Thread_local char moving_phase[64];
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
	assert(free_one); /* at most LOG_JOBS_MAX jobs run at a time */
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

void log_never_wait(void)
{
	pthread_mutex_lock(&lock);
	stream_never_wait(&stream);
	pthread_mutex_unlock(&lock);
}

void log_set_stream(int fd, bool is_terminal)
{
	pthread_mutex_lock(&lock);
	stream_release(&stream);
	stream = STREAM_OF(fd);
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
	pthread_mutex_lock(&lock);
	if (file >= 0)
		close(file);
	file = fd;
	pthread_mutex_unlock(&lock);
	return ERR_OK;
}

static void put_file(int fd, const struct buf *b)
{
	stream_put(&STREAM_OF(fd), b->p, b->n);
}

void log_dying(const char *text, const char *more)
{
	static const char open_line[] = "{\"level\":\"error\",\"text\":\"", close_line[] = "\"}\n";
	const struct iovec line[] = { { (void *)open_line, sizeof(open_line) - 1 },
				      { (void *)text, strlen(text) },
				      { (void *)more, strlen(more) },
				      { (void *)close_line, sizeof(close_line) - 1 } };

	struct pollfd to = { .fd = stream.fd, .events = POLLOUT };

	if (stream.waits || poll(&to, 1, 0) == 1)
		(void)!writev(stream.fd, line, 4);
	if (file >= 0)
		(void)!writev(file, line, 4);
}

/* Adds text from outside, which must not move the cursor or forge a line. */
static void add_safe(struct buf *b, const char *text)
{
	char *safe = alloc_copy(text);

	utf8_make_harmless(safe);
	buf_add(b, safe, strlen(safe));
	free(safe);
}

static void line_for_users(struct buf *b, enum log_level level, const struct log_pair *pairs,
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
			json_put_seconds(line, pairs[i].key, pairs[i].number);
	}
	json_write(line, b);
	buf_add(b, "\n", 1);
	json_free(line);
}

/* Needs the lock. Writes the line in the stream's format; programs: from line_for_programs(). */
static void put_line(enum log_level level, const struct log_pair *pairs, size_t count,
		     const char *text, const struct buf *programs)
{
	static const unsigned priority[] = { 3, 4, 6, 7 };
	struct buf line = { 0 };

	if (terminal) {
		if (moving.n)
			buf_printf(&line, "\r\033[K");
		line_for_users(&line, level, pairs, count, text);
		buf_add(&line, moving.p, moving.n);
	} else {
		if (journal)
			buf_printf(&line, "<%u>", priority[level]);
		buf_add(&line, programs->p, programs->n);
	}
	stream_put(&stream, line.p, line.n);
	buf_release(&line);
}

/* Needs the lock. Reports dropped lines once there is room again. */
static void put_gap(void)
{
	size_t dropped = stream_flush(&stream) ? stream_dropped(&stream) : 0;
	struct buf programs = { 0 };
	char text[96];

	if (!dropped)
		return;
	snprintf(text, sizeof(text), "%zu lines are missing here, as nobody read them in time",
		 dropped);
	line_for_programs(&programs, LOG_WARN, NULL, 0, text);
	put_line(LOG_WARN, NULL, 0, text, &programs);
	buf_release(&programs);
}

/* Needs the lock. */
static void emit_here(enum log_level level, const struct log_pair *pairs, size_t count,
		      const char *text)
{
	struct buf programs = { 0 };

	if (!terminal || file >= 0 || job_logs)
		line_for_programs(&programs, level, pairs, count, text);
	put_gap();
	put_line(level, pairs, count, text, &programs);
	if (file >= 0)
		put_file(file, &programs);
	for (struct job_log *l = job_log; job_logs && l < job_log + LOG_JOBS_MAX; l++)
		if (*l->job && !strcmp(l->job, *job_here ? job_here : job))
			put_file(l->file, &programs);
	buf_release(&programs);
}

static void emit(enum log_level level, const struct log_pair *pairs, size_t count, const char *text)
{
	pthread_mutex_lock(&lock);
	emit_here(level, pairs, count, text);
	pthread_mutex_unlock(&lock);
}

void log_event(enum log_level level, const struct log_pair *pairs, size_t count, const char *fmt,
	       ...)
{
	char text[2 * ERR_DETAIL_MAX];
	va_list ap;

	if (level > level_max)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	emit(level, pairs, count, text);
}

void log_next(const char *phase)
{
	struct log_pair pair = LOG_TEXT("phase", phase);

	log_event(LOG_INFO, &pair, 1, "phase started");
	service_status("job %s: %s", *job_here ? job_here : job, phase);
}

/* Needs the lock. */
static void write_seldom(struct log_seldom *s, double now_s)
{
	char text[sizeof(s->last) + 64];

	if (s->more > 1)
		snprintf(text, sizeof(text), "%s (%zu like this in the last %.0f s)", s->last,
			 s->more, now_s - s->said_s);
	else
		snprintf(text, sizeof(text), "%s", s->last);
	s->said_s = now_s;
	s->more = 0;
	if (level_max >= LOG_WARN)
		emit_here(LOG_WARN, NULL, 0, text);
}

void log_seldom(struct log_seldom *s, const char *fmt, ...)
{
	double now_s = clock_now_s();
	va_list ap;

	pthread_mutex_lock(&lock);
	if (!s->listed) {
		s->listed = true;
		s->next = seldoms;
		seldoms = s;
		s->said_s = now_s - SELDOM_S;
	}
	va_start(ap, fmt);
	vsnprintf(s->last, sizeof(s->last), fmt, ap);
	va_end(ap);
	s->more++;
	if (now_s - s->said_s >= SELDOM_S)
		write_seldom(s, now_s);
	pthread_mutex_unlock(&lock);
}

/* Needs the lock. */
static void write_seldoms(double older_s)
{
	double now_s = clock_now_s();

	for (struct log_seldom *s = seldoms; s; s = s->next)
		if (s->more && now_s - s->said_s >= older_s)
			write_seldom(s, now_s);
}

void log_flush(void)
{
	pthread_mutex_lock(&lock);
	write_seldoms(SELDOM_S);
	put_gap();
	pthread_mutex_unlock(&lock);
}

void log_close(void)
{
	pthread_mutex_lock(&lock);
	write_seldoms(0);
	stream_drain(&stream, DRAIN_S);
	put_gap();
	if (file >= 0)
		close(file);
	file = -1;
	pthread_mutex_unlock(&lock);
}

/* ---- progress line ---- */

static void log_draw_progress(const struct log_progress *p)
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
	if (stream_flush(&stream)) /* skip the redraw while unread lines are pending */
		stream_put(&stream, line.p, line.n);
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
			log_draw_progress(p);
	}
	pthread_mutex_unlock(&lock);
	if (as_line) {
		struct log_pair pairs[] = { LOG_TEXT("phase", p->phase),
					    LOG_NUMBER("iteration", p->iteration),
					    LOG_NUMBER("moved", p->moved),
					    LOG_NUMBER("bytes", p->bytes),
					    LOG_NUMBER("elapsed_s", p->elapsed_s) };

		emit(LOG_INFO, pairs, sizeof(pairs) / sizeof(*pairs), "progress");
	}
}

void log_progress_end(void)
{
	static const char clear[] = "\r\033[K";

	pthread_mutex_lock(&lock);
	if (moving.n)
		stream_put(&stream, clear, sizeof(clear) - 1);
	moving.n = 0;
	moving_phase[0] = 0;
	pthread_mutex_unlock(&lock);
}
