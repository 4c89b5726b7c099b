#include "party/ranks/workers.h"
#include "common/base/alloc.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/progress.h"
#include "common/data/limits.h"
#include "party/ranks/mpirun.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURN_MS = 500, SAID_MAX = 4096, SHOWN = 500 };
static const double LAST_WORDS_S = 2;

struct workers {
	struct mpirun at;
	struct workers_sizes sizes;
	struct ranks_place *place;
	bool greeted, died;
	char said[SAID_MAX]; /* of what mpirun and ranks wrote on standard error, the beginning */
	size_t said_n;
	struct ranks_order order;
	uint8_t *piece; /* RANKS_FRAME_MAX */
};

/* ---- what went wrong ---- */

static bool hear_said(struct workers *w)
{
	char text[1024];
	ssize_t n = read(w->at.said, text, sizeof(text));

	for (ssize_t i = 0; i < n && w->said_n < SAID_MAX - 1; i++)
		w->said[w->said_n++] = text[i];
	if (n > 0)
		log_debug("mpirun: %.*s", (int)n, text);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)); /* more may come */
}

/* Lines of words alone, in one. */
static void flatten(const char *from, char *to, size_t len)
{
	size_t n = 0;

	for (; *from && n < len - 1; from++) {
		char c = *from >= ' ' && *from < 127 ? *from : ' ';

		if ((c == ' ' && (n == 0 || to[n - 1] == ' ')) ||
		    (c == '-' && (from[1] == '-' || (n && to[n - 1] == '-'))))
			continue;
		to[n++] = c;
	}
	to[n] = 0;
}

static enum err say_dead_rank(const struct workers *w)
{
	const char *line = strstr(w->said, "process rank ");
	unsigned rank;
	int signal;

	line = line ? line : "";
	if (sscanf(line, "process rank %u with PID %*d on node %*s exited on signal %d", &rank,
		   &signal) != 2 ||
	    rank >= w->sizes.ranks)
		return ERR_OK;
	return err_set(ERR_INTERNAL, "rank %u of %zu, on %s, was ended by signal %d (%s)%s", rank,
		       w->sizes.ranks, workers_host(w, rank), signal, strsignal(signal),
		       signal == SIGKILL ? "; was its host out of memory?" : "");
}

/* What coterie-worker said itself, else all of it. */
static void show_said(const struct workers *w, char text[static SHOWN])
{
	static const char own[] = "coterie-worker: ";
	const char *line = strstr(w->said, own);
	char first[SHOWN];

	if (!line) {
		flatten(w->said, text, SHOWN);
		return;
	}
	line += strlen(own);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(line, "\n"), line);
	flatten(first, text, SHOWN);
}

/* mpirun has ended: by its last words, why. */
static enum err say_end(struct workers *w, int status)
{
	double end_s = clock_now_s() + LAST_WORDS_S;
	struct pollfd p = { .fd = w->at.said, .events = POLLIN };
	char text[SHOWN];

	while (clock_now_s() < end_s && poll(&p, 1, TURN_MS) > 0 && hear_said(w))
		;
	w->said[w->said_n] = 0;
	w->died = true;
	if (w->greeted && say_dead_rank(w) != ERR_OK)
		return ERR_INTERNAL;
	show_said(w, text);
	return err_set(
	    w->greeted ? ERR_INTERNAL : ERR_INPUT, "the ranks (mpirun) ended with %s %d%s: %s",
	    WIFSIGNALED(status) ? "signal" : "status",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	    w->greeted ? "" : " before all ranks were there", *text ? text : "it has not said why");
}

/* ---- frames ---- */

/* Until fd can be read, or written. */
static enum err await(struct workers *w, int fd, short events)
{
	bool open = true;

	for (;;) {
		struct pollfd p[3] = { { .fd = fd, .events = events },
				       { .fd = mpirun_watched(), .events = POLLIN },
				       { .fd = open ? w->at.said : -1, .events = POLLIN } };
		int status;

		TRY(progress_check());
		if (poll(p, 3, TURN_MS) < 0 && errno != EINTR)
			return err_set(ERR_INTERNAL, "ranks: poll: %s", strerror(errno));
		if (p[2].revents)
			open = hear_said(w);
		if (p[0].revents & events)
			return ERR_OK;
		if (p[1].revents && mpirun_ended(&w->at, &status))
			return say_end(w, status);
	}
}

static enum err take(struct workers *w, void *to, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t more = read(w->at.from, (char *)to + got, n - got);

		if (more > 0)
			got += (size_t)more;
		else
			TRY(await(w, w->at.from, POLLIN));
	}
	return ERR_OK;
}

static enum err put(struct workers *w, const void *from, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t more = write(w->at.to, (const char *)from + done, n - done);

		if (more > 0)
			done += (size_t)more;
		else
			TRY(await(w, w->at.to, POLLOUT));
	}
	return ERR_OK;
}

/* A frame of `bytes` at most into `to`; *got: how many it has. */
static enum err hear(struct workers *w, enum ranks_what what, void *to, size_t bytes, size_t *got)
{
	struct ranks_frame f;

	do {
		TRY(take(w, &f, sizeof(f)));
		progress_tick();
	} while (f.what == RANKS_TICK && f.bytes == 0);
	if (f.what != what || f.bytes == 0 || f.bytes > bytes)
		return err_set(
		    ERR_INTERNAL,
		    "ranks: rank 0 sent frame %u of %u bytes, expected %d of at most %zu; "
		    "are party and coterie-worker of one release?",
		    f.what, f.bytes, what, bytes);
	*got = f.bytes;
	return take(w, to, f.bytes);
}

static enum err say(struct workers *w, enum ranks_what what, const void *from, size_t n)
{
	struct ranks_frame f = { .what = what, .bytes = (uint32_t)n };

	TRY(put(w, &f, sizeof(f)));
	return put(w, from, n);
}

static enum err send_all(struct workers *w, const void *from, size_t n)
{
	for (size_t at = 0; at < n; at += RANKS_FRAME_MAX)
		TRY(say(w, RANKS_PIECE, (const char *)from + at,
			n - at < RANKS_FRAME_MAX ? n - at : RANKS_FRAME_MAX));
	return ERR_OK;
}

static enum err receive_all(struct workers *w, void *to, size_t n)
{
	for (size_t at = 0, got; at < n; at += got)
		TRY(hear(w, RANKS_PIECE, (char *)to + at, n - at, &got));
	return ERR_OK;
}

static enum err send_mat(struct workers *w, const struct mat *m)
{
	return send_all(w, m->a, m->rows * m->cols * sizeof(*m->a));
}

static enum err receive_mat(struct workers *w, struct mat *m)
{
	return receive_all(w, m->a, m->rows * m->cols * sizeof(*m->a));
}

static enum err give(struct workers *w, enum ranks_op op)
{
	w->order.op = op;
	return say(w, RANKS_ORDER, &w->order, sizeof(w->order));
}

static enum err answered(struct workers *w, struct ranks_reply *r)
{
	size_t got;

	TRY(hear(w, RANKS_REPLY, r, sizeof(*r), &got));
	if (got != sizeof(*r) || r->code > ERR_CANCELLED)
		return err_set(ERR_INTERNAL, "ranks: a reply of %zu bytes with code %d", got,
			       (int)r->code);
	r->why[sizeof(r->why) - 1] = 0;
	return r->code == ERR_OK ? ERR_OK : err_set(r->code, "%s", r->why);
}

/* An order with nothing besides. */
static enum err ask(struct workers *w, enum ranks_op op, struct ranks_reply *r)
{
	TRY(give(w, op));
	return answered(w, r);
}

/* ---- the beginning and the end ---- */

static enum err greet(struct workers *w)
{
	struct ranks_hello h;
	size_t got;

	TRY(hear(w, RANKS_HELLO, &h, sizeof(h), &got));
	h.version[sizeof(h.version) - 1] = 0;
	if (got != sizeof(h) || strcmp(h.version, COTERIE_VERSION) != 0 ||
	    h.order_size != sizeof(struct ranks_order) ||
	    h.reply_size != sizeof(struct ranks_reply) || h.ranks < 1 || h.ranks > RANKS_MOST)
		return err_set(ERR_INPUT,
			       "ranks: coterie-worker is of another build (%.31s) than this party "
			       "(%s): install both of one release",
			       h.version, COTERIE_VERSION);
	w->sizes.ranks = h.ranks;
	ALLOC(w->place, h.ranks);
	TRY(receive_all(w, w->place, h.ranks * sizeof(*w->place)));
	for (size_t r = 0; r < h.ranks; r++) {
		w->place[r].host[RANKS_HOST_MAX - 1] = 0;
		log_info("rank %zu of %u: process %jd on %s", r, h.ranks, (intmax_t)w->place[r].pid,
			 w->place[r].host);
	}
	w->greeted = true;
	return ERR_OK;
}

enum err workers_start(struct workers **out)
{
	struct workers *w = alloc(1, sizeof(*w));
	enum err e = mpirun_start(&w->at);

	*out = NULL;
	if (e != ERR_OK) {
		free(w);
		return e;
	}
	w->piece = alloc(RANKS_FRAME_MAX, 1);
	e = greet(w);
	if (e == ERR_OK)
		*out = w;
	else
		workers_end(w);
	return e;
}

void workers_end(struct workers *w)
{
	if (!w)
		return;
	mpirun_stop(&w->at);
	free(w->place);
	free(w->piece);
	free(w);
}

bool workers_died(const struct workers *w)
{
	return w && w->died;
}

struct workers_sizes workers_sizes(const struct workers *w)
{
	return w->sizes;
}

const char *workers_host(const struct workers *w, size_t rank)
{
	return w->place[rank].host;
}

/* ---- orders ---- */

static enum err put_path(char *to, const char *path)
{
	char *whole = !*path || *path == '/' ? NULL : realpath(path, NULL);
	int n = snprintf(to, RANKS_PATH_MAX, "%s", whole ? whole : path);

	free(whole);
	return n < RANKS_PATH_MAX
		   ? ERR_OK
		   : err_set(ERR_INPUT, "%s: a path longer than %d bytes", path, RANKS_PATH_MAX);
}

enum err workers_read(struct workers *w, const char *features, const char *edges)
{
	struct ranks_reply r;

	TRY(put_path(w->order.features, features));
	TRY(put_path(w->order.edges, edges ? edges : ""));
	TRY(ask(w, RANKS_READ, &r));
	if (r.n < 1 || r.n > ROWS_MAX || r.cols < 1 || r.cols > COLS_MAX ||
	    r.neighbours > 2 * EDGES_MAX || (r.is_sparse && r.entries > 2 * EDGES_MAX))
		return err_set(ERR_INTERNAL, "ranks: %zu x %zu features and %zu neighbours", r.n,
			       r.cols, r.neighbours);
	w->sizes.n = r.n;
	w->sizes.cols = r.cols;
	w->sizes.neighbours = r.neighbours;
	w->sizes.weighted = r.weighted;
	w->sizes.is_sparse = r.is_sparse;
	w->sizes.entries = r.entries;
	return ERR_OK;
}

enum err workers_rename(struct workers *w, const uint32_t *place)
{
	struct ranks_reply r;

	TRY(give(w, RANKS_RENAME));
	TRY(send_all(w, place, w->sizes.n * sizeof(*place)));
	return answered(w, &r);
}

/* start (n + 1): of that many entries. */
static enum err receive_starts(struct workers *w, enum ranks_op op, size_t *start, size_t entries)
{
	struct ranks_reply r;

	TRY(ask(w, op, &r));
	TRY(receive_all(w, start, (w->sizes.n + 1) * sizeof(*start)));
	for (size_t i = 0; i < w->sizes.n; i++)
		if (start[0] != 0 || start[i] > start[i + 1] || start[w->sizes.n] != entries)
			return err_set(ERR_INTERNAL, "ranks: starts of rows that do not rise");
	return ERR_OK;
}

/* A piece of at most `left` bytes, into w->piece, of items of `unit` bytes: as many as *count says.
 */
static enum err next_piece(struct workers *w, size_t *left, size_t unit, size_t *count)
{
	size_t got;

	TRY(hear(w, RANKS_PIECE, w->piece, *left < RANKS_FRAME_MAX ? *left : RANKS_FRAME_MAX,
		 &got));
	*left -= got;
	*count = got / unit;
	return ERR_OK;
}

static enum err receive_entries(struct workers *w, enum workers_part part, size_t entries,
				workers_entries *each, void *arg)
{
	size_t unit = part == WORKERS_INDEX ? sizeof(uint32_t) : sizeof(double);

	for (size_t left = entries * unit, count; left;) {
		TRY(next_piece(w, &left, unit, &count));
		each(arg, part, w->piece, count);
	}
	return ERR_OK;
}

enum err workers_graph(struct workers *w, size_t *start, workers_entries *each, void *arg)
{
	size_t entries = w->sizes.neighbours;

	TRY(receive_starts(w, RANKS_GRAPH, start, entries));
	TRY(receive_entries(w, WORKERS_INDEX, entries, each, arg));
	return w->sizes.weighted ? receive_entries(w, WORKERS_VALUES, entries, each, arg) : ERR_OK;
}

enum err workers_sparse(struct workers *w, size_t *start, workers_entries *each, void *arg)
{
	size_t entries = w->sizes.entries;

	TRY(receive_starts(w, RANKS_FEATURES, start, entries));
	TRY(receive_entries(w, WORKERS_INDEX, entries, each, arg));
	return receive_entries(w, WORKERS_VALUES, entries, each, arg);
}

static enum err receive_values(struct workers *w, size_t values, workers_values *each, void *arg)
{
	for (size_t left = values * sizeof(double), count; left;) {
		TRY(next_piece(w, &left, sizeof(double), &count));
		TRY(each(arg, (const double *)(const void *)w->piece, count));
	}
	return ERR_OK;
}

enum err workers_rows(struct workers *w, workers_values *each, void *arg)
{
	struct ranks_reply r;

	TRY(ask(w, RANKS_FEATURES, &r));
	return receive_values(w, w->sizes.n * w->sizes.cols, each, arg);
}

struct edge_walk {
	const size_t *start;
	size_t row, at;
	dataset_feed *feed;
	void *arg;
};

static void feed_edge(struct edge_walk *k, uint32_t to, double weight)
{
	while (k->at >= k->start[k->row + 1])
		k->row++;
	dataset_feed_neighbour(k->row, to, weight, k->feed, k->arg);
	k->at++;
}

static void feed_plain(void *arg, enum workers_part part, const void *p, size_t count)
{
	const uint32_t *index = p;

	(void)part;
	for (size_t i = 0; i < count; i++)
		feed_edge(arg, index[i], 1);
}

static enum err feed_weighted(struct workers *w, size_t *start, struct edge_walk *k)
{
	const struct ranks_neighbour *each = (const void *)w->piece;

	TRY(receive_starts(w, RANKS_EDGES, start, w->sizes.neighbours));
	for (size_t left = w->sizes.neighbours * sizeof(*each), count; left;) {
		TRY(next_piece(w, &left, sizeof(*each), &count));
		for (size_t i = 0; i < count; i++)
			feed_edge(k, each[i].number, each[i].weight);
	}
	return ERR_OK;
}

enum err workers_feed_edges(struct workers *w, dataset_feed *feed, void *arg)
{
	size_t *start = alloc(w->sizes.n + 1, sizeof(*start));
	struct edge_walk k = { .start = start, .feed = feed, .arg = arg };
	enum err e;

	dataset_feed_graph(w->sizes.n, w->sizes.neighbours, feed, arg);
	e = w->sizes.weighted ? feed_weighted(w, start, &k)
			      : workers_graph(w, start, feed_plain, &k);
	free(start);
	return e;
}

enum err workers_embed(struct workers *w, const struct embed_params *p, struct embedding *how)
{
	struct ranks_reply r;

	*how = (struct embedding){ .filter = p->filter,
				   .order = p->order,
				   .unit_rows = p->unit_rows,
				   .row_power = p->row_power };
	w->order.embed = *p;
	TRY(ask(w, RANKS_EMBED, &r));
	if (r.dims < 1 || r.dims > w->sizes.cols)
		return err_set(ERR_INTERNAL, "ranks: projected on %zu of %zu dimensions", r.dims,
			       w->sizes.cols);
	w->sizes.dims = r.dims;
	how->word = r.word;
	how->mean_norm = r.mean_norm;
	mat_init(&how->map, w->sizes.cols, r.dims);
	TRY(receive_mat(w, &how->map));
	if (!r.has_idf)
		return ERR_OK;
	ALLOC(how->idf, w->sizes.cols);
	return receive_all(w, how->idf, w->sizes.cols * sizeof(*how->idf));
}

enum err workers_embed_again(struct workers *w, const struct embedding *how)
{
	struct ranks_reply r;

	w->order.embed = (struct embed_params){ .filter = how->filter,
						.order = how->order,
						.unit_rows = how->unit_rows,
						.row_power = how->row_power };
	w->order.word = how->word;
	w->order.mean_norm = how->mean_norm;
	w->order.has_idf = how->idf != NULL;
	w->order.dims = w->sizes.dims = how->map.cols;
	TRY(give(w, RANKS_AGAIN));
	TRY(send_mat(w, &how->map));
	if (how->idf)
		TRY(send_all(w, how->idf, w->sizes.cols * sizeof(*how->idf)));
	return answered(w, &r);
}

enum err workers_norms(struct workers *w, double *norm)
{
	struct ranks_reply r;

	TRY(ask(w, RANKS_NORMS, &r));
	return receive_all(w, norm, w->sizes.n * sizeof(*norm));
}

enum err workers_scale(struct workers *w, const double *norm, double mean, double power)
{
	struct ranks_reply r;

	w->order.mean_norm = mean;
	w->order.embed.row_power = power;
	TRY(give(w, RANKS_SCALE));
	TRY(send_all(w, norm, w->sizes.n * sizeof(*norm)));
	return answered(w, &r);
}

static enum err receive_labels(struct workers *w, size_t k, uint32_t *label)
{
	TRY(receive_all(w, label, w->sizes.n * sizeof(*label)));
	for (size_t i = 0; i < w->sizes.n; i++)
		if (label[i] >= k)
			return err_set(ERR_INTERNAL, "ranks: row %zu is in cluster %u of %zu", i,
				       label[i], k);
	return ERR_OK;
}

enum err workers_clusters(struct workers *w, const struct kmeans_params *p, uint32_t *label,
			  struct mat *centres)
{
	struct ranks_reply r;

	mat_init(centres, p->k, w->sizes.dims);
	w->order.clusters = *p;
	TRY(ask(w, RANKS_CLUSTERS, &r));
	TRY(receive_labels(w, p->k, label));
	return receive_mat(w, centres);
}

enum err workers_centres(struct workers *w, const uint32_t *label, struct mat *c)
{
	struct ranks_reply r;

	w->order.k = c->rows;
	TRY(give(w, RANKS_CENTRES));
	TRY(send_mat(w, c));
	TRY(send_all(w, label, w->sizes.n * sizeof(*label)));
	TRY(answered(w, &r));
	return receive_mat(w, c);
}

enum err workers_distances(struct workers *w, const struct mat *c, workers_values *each, void *arg)
{
	struct ranks_reply r;

	w->order.k = c->rows;
	TRY(give(w, RANKS_DISTANCES));
	TRY(send_mat(w, c));
	TRY(answered(w, &r));
	return receive_values(w, w->sizes.n * c->rows, each, arg);
}

enum err workers_intra(struct workers *w, bool begins, const struct embed_params *how,
		       const struct kmeans_params *clusters, double *intra)
{
	struct ranks_reply r;

	w->order.begins = begins;
	w->order.embed = *how;
	w->order.clusters = *clusters;
	TRY(ask(w, RANKS_INTRA, &r));
	return receive_all(w, intra, ORDER_BLOCK * sizeof(*intra));
}

/* ---- landmark and gcc ---- */

static void put_question(struct workers *w, const struct question *q)
{
	w->order.question = *q;
	w->order.question.square = NULL;
	w->order.question.label = NULL;
	w->order.question.B = NULL;
	w->order.question.how = NULL;
	w->order.dims = q->kind == ASK_PRODUCTS ? q->B->cols : 0;
	if (q->kind == ASK_MEANS)
		w->order.question.labellings = 1;
}

enum err workers_answer(struct workers *w, const struct question *q, workers_values *each,
			void *arg)
{
	size_t n = w->sizes.n;
	struct ranks_reply r;

	put_question(w, q);
	TRY(give(w, RANKS_ASK));
	if (q->kind == ASK_SPREADS)
		TRY(send_all(w, q->square, n * sizeof(*q->square)));
	else if (q->kind == ASK_PRODUCTS)
		TRY(send_mat(w, q->B));
	else
		TRY(send_all(w, q->label, w->order.question.labellings * n * sizeof(*q->label)));
	TRY(answered(w, &r));
	return receive_values(w, question_words(q, n), each, arg);
}

enum err workers_cells(struct workers *w, unsigned order, size_t parties, size_t dims,
		       const struct kmeans_params *how, uint32_t *label)
{
	struct question q = { .kind = ASK_CELLS, .order = order, .parties = parties, .dims = dims };
	struct ranks_reply r;

	put_question(w, &q);
	w->order.clusters = *how;
	TRY(ask(w, RANKS_CELLS, &r));
	return receive_labels(w, how->k, label);
}

enum err workers_means(struct workers *w, const uint32_t *label, size_t k, struct slice *s,
		       struct mat *M)
{
	size_t cols = w->sizes.cols;
	struct ranks_reply r;

	mat_init(M, k, cols);
	w->order.k = k;
	TRY(give(w, RANKS_MEANS));
	TRY(send_all(w, label, w->sizes.n * sizeof(*label)));
	TRY(answered(w, &r));
	TRY(receive_mat(w, M));
	TRY(receive_all(w, s->shift, cols * sizeof(*s->shift)));
	TRY(receive_all(w, s->weight, cols * sizeof(*s->weight)));
	return receive_all(w, s->word, cols);
}

enum err workers_place_weigh(struct workers *w, const struct placing *p, double *length)
{
	size_t cols = w->sizes.cols;
	struct ranks_reply r;

	w->order.k = p->map.cols;
	w->order.embed.order = p->order;
	TRY(give(w, RANKS_WEIGH));
	TRY(send_all(w, p->shift, cols * sizeof(*p->shift)));
	TRY(send_all(w, p->weight, cols * sizeof(*p->weight)));
	TRY(send_all(w, p->word, cols));
	TRY(send_all(w, p->offset, p->map.cols * sizeof(*p->offset)));
	TRY(send_mat(w, &p->map));
	TRY(answered(w, &r));
	return receive_all(w, length, w->sizes.n * sizeof(*length));
}

enum err workers_place(struct workers *w, const struct placing *p, const double *norm,
		       workers_values *each, void *arg)
{
	struct ranks_reply r;

	TRY(give(w, RANKS_PLACE));
	TRY(send_all(w, norm, w->sizes.n * sizeof(*norm)));
	TRY(answered(w, &r));
	return receive_values(w, w->sizes.n * p->map.cols, each, arg);
}

/* ---- sums over rows ---- */

enum err workers_rows_begin(struct workers *w, double min_cluster)
{
	struct ranks_reply r;

	w->order.min_cluster = min_cluster;
	return ask(w, RANKS_ROWS, &r);
}

/* The numbers that go with a question: *given of them. */
static const double *question_numbers(const struct fedsc_question *q, size_t m, size_t *given)
{
	const struct fedkmeans_question *c = q->clusters;

	*given = 0;
	if (q->kind == FEDSC_SPREAD || (q->kind == FEDSC_SCALE && q->unit)) {
		*given = m;
		return q->kind == FEDSC_SPREAD ? q->mean : q->unit;
	}
	if (q->kind != FEDSC_CLUSTERS)
		return NULL;
	*given = c->kind == FEDKMEANS_COUNTS ? c->centres->rows * m : c->k;
	return c->kind == FEDKMEANS_COUNTS ? c->centres->a : c->count;
}

enum err workers_ask(struct workers *w, const struct fedsc_question *q, double *x)
{
	struct ranks_question *o = &w->order.asked;
	const struct fedkmeans_question *c = q->clusters;
	const double *numbers = question_numbers(q, w->sizes.cols, &o->given);
	struct ranks_reply r;

	o->kind = q->kind;
	o->columns = q->columns;
	o->has_unit = q->unit != NULL;
	o->scale = q->scale;
	o->clip = q->clip;
	if (q->kind == FEDSC_CLUSTERS) {
		o->clusters = c->kind;
		o->k = c->kind == FEDKMEANS_COUNTS ? c->centres->rows : c->k;
		o->least = c->least;
	}
	o->words = fedsc_words(q, w->sizes.cols);
	if (o->words > RANKS_WORDS_MAX || o->given > RANKS_WORDS_MAX)
		return err_set(ERR_INPUT,
			       "a question of %zu numbers with an answer of %zu: ranks "
			       "take at most %d",
			       o->given, o->words, RANKS_WORDS_MAX);
	TRY(give(w, RANKS_ASK_ROWS));
	TRY(send_all(w, numbers, o->given * sizeof(*numbers)));
	TRY(answered(w, &r));
	return receive_all(w, x, o->words * sizeof(*x));
}

enum err workers_nearest(struct workers *w, uint32_t *label, double *margin)
{
	struct ranks_reply r;

	TRY(ask(w, RANKS_NEAREST, &r));
	TRY(receive_all(w, label, w->sizes.n * sizeof(*label)));
	return receive_all(w, margin, w->sizes.n * sizeof(*margin));
}

enum err workers_costs(struct workers *w, struct ranks_cost *cost)
{
	struct ranks_reply r;

	TRY(ask(w, RANKS_COSTS, &r));
	return receive_all(w, cost, w->sizes.ranks * sizeof(*cost));
}
