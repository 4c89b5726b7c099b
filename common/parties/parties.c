#include "common/parties/parties.h"
#include "common/base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *parties_name(const struct parties *p, size_t l)
{
	return p->name ? p->name[l] : "a party";
}

void parties_phase(struct parties *p, const char *name)
{
	p->phase = name;
	if (p->backend->phase)
		p->backend->phase(p->ctx, name);
}

void parties_progress(struct parties *p, unsigned round, size_t moved)
{
	if (p->backend->progress)
		p->backend->progress(p->ctx, round, moved);
}

void parties_note(struct parties *p, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (!p->backend->note)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->backend->note(p->ctx, text);
}

enum err parties_broadcast_choice(struct parties *p, enum choice what, uint64_t value)
{
	return p->backend->broadcast_choice ? p->backend->broadcast_choice(p->ctx, what, value)
					    : ERR_OK;
}

enum err parties_broadcast_reals(struct parties *p, enum parties_reals as, const double *x,
				 size_t n)
{
	return p->backend->broadcast_reals ? p->backend->broadcast_reals(p->ctx, as, x, n) : ERR_OK;
}

enum err parties_pass_reals(struct parties *p, double *x, size_t n)
{
	return p->backend->pass_reals ? p->backend->pass_reals(p->ctx, x, n) : ERR_OK;
}

enum err parties_refuse(struct parties *p, enum err e)
{
	return p->backend->refuse ? p->backend->refuse(p->ctx, e) : e;
}

enum err parties_broadcast_labels(struct parties *p, enum parties_labels as, size_t values,
				  const uint32_t *label, size_t n)
{
	if (!p->backend->broadcast_labels)
		return ERR_OK;
	return p->backend->broadcast_labels(p->ctx, as, values, label, n);
}

enum err parties_warm(struct parties *p)
{
	return p->backend->warm ? p->backend->warm(p->ctx) : ERR_OK;
}

enum err parties_sum(struct parties *p, const void *question, double *x, size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_WIDE, 0, x, n);
}

enum err parties_sum_opened(struct parties *p, const void *question, double *x, size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_OPENED, 0, x, n);
}

enum err parties_sum_opened_parts(struct parties *p, const void *question, double *x, size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_OPENED_PARTS, 0, x, n);
}

enum err parties_check_counts(const char *phase, const char *what, const double *x, size_t n,
			      double most, double *all)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(x[i] >= 0 && x[i] <= most) || x[i] != nearbyint(x[i]))
			return err_set(
			    ERR_PEER,
			    "a party's count is wrong: the parties' counts of %s %zu add to %.17g, "
			    "expected a whole number from 0 to %.17g (during %s)",
			    what, i, x[i], most, phase);
		sum += x[i];
	}
	if (all)
		*all = sum;
	return ERR_OK;
}

enum err parties_sum_bound(struct parties *p, const void *question, double most, double *x,
			   size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_BOUND, most, x, n);
}

enum err parties_bound(struct parties *p, int *e)
{
	*e = 0;
	return p->backend->bound ? p->backend->bound(p->ctx, e) : ERR_OK;
}

enum err parties_collect_labels(struct parties *p, const void *question, size_t values,
				uint32_t *label, size_t n)
{
	return p->backend->collect_labels(p->ctx, question, values, label, n);
}

enum err parties_collect_reals(struct parties *p, const void *question, double *x, size_t n)
{
	return p->backend->collect_reals(p->ctx, question, x, n);
}

enum err parties_collect_rows(struct parties *p, const void *question, struct mat *C)
{
	return p->backend->collect_rows(p->ctx, question, C);
}

enum err parties_exchange(struct parties *p, const void *question, enum parties_batches what)
{
	if (!p->backend->exchange)
		return err_set(ERR_INPUT, "parties in memory exchange nothing");
	return p->backend->exchange(p->ctx, question, what);
}

enum err parties_send_labels(struct parties *p, size_t values, const uint32_t *label, size_t n)
{
	return p->backend->send_labels(p->ctx, values, label, n);
}

static void *party(const struct memory *m, size_t l)
{
	return (char *)m->party + l * m->kind->size;
}

static enum err parties_memory_sum(void *ctx, const void *question, enum parties_how how,
				   double most, double *x, size_t n)
{
	const struct memory *m = ctx;
	/* Fixed point as in a job: round(x 2^f) as integers, added modulo 2^64. */
	double scale = ldexp(1, (int)m->fraction_bits);
	double bound = ldexp(1, 63) / scale / (double)m->count;
	double *term = alloc(n, sizeof(*term));
	uint64_t *acc = m->fraction_bits ? alloc(n, sizeof(*acc)) : NULL;
	enum err err = ERR_OK;

	(void)how;
	(void)most;
	for (size_t i = 0; i < n; i++)
		x[i] = 0;
	for (size_t l = 0; l < m->count && !err; l++) {
		err = m->kind->answer(party(m, l), l, question, term);
		for (size_t i = 0; i < n && !err; i++) {
			if (!acc)
				x[i] +=
				    m->step > 0 ? nearbyint(term[i] / m->step) * m->step : term[i];
			else if (fabs(term[i]) < bound)
				acc[i] += (uint64_t)(int64_t)nearbyint(term[i] * scale);
			else
				err = err_set(ERR_JOB,
					      "%g is beyond %g, the bound of fixed point with %u "
					      "bits behind the point",
					      term[i], bound, m->fraction_bits);
		}
		if (err)
			err = err_prefix(err, "party %zu", l);
	}
	for (size_t i = 0; i < n && acc; i++)
		x[i] = ldexp((double)(int64_t)acc[i], -(int)m->fraction_bits);
	free(acc);
	free(term);
	return !err && m->watch ? m->watch(m->watcher, question, x, n) : err;
}

static enum err parties_memory_collect_labels(void *ctx, const void *question, size_t values,
					      uint32_t *label, size_t n)
{
	const struct memory *m = ctx;

	(void)values;
	for (size_t l = 0; l < m->count; l++)
		TRY(m->kind->labels(party(m, l), question, label + l * n));
	return ERR_OK;
}

static enum err parties_memory_collect_reals(void *ctx, const void *question, double *x, size_t n)
{
	const struct memory *m = ctx;

	for (size_t l = 0; l < m->count; l++)
		TRY(m->kind->upload(party(m, l), question, x + l * n));
	return ERR_OK;
}

static enum err parties_memory_collect_rows(void *ctx, const void *question, struct mat *C)
{
	const struct memory *m = ctx;
	size_t at = 0;

	for (size_t l = 0; l < m->count; l++) {
		struct mat own;
		enum err err = m->kind->rows(party(m, l), question, &own);

		if (err)
			return err_prefix(err, "party %zu", l);
		assert(own.cols == C->cols && at + own.rows <= C->rows);
		memcpy(ROW(C, at), own.a, own.rows * own.cols * sizeof(double));
		at += own.rows;
		mat_release(&own);
	}
	assert(at == C->rows);
	return ERR_OK;
}

static enum err parties_memory_send_labels(void *ctx, size_t values, const uint32_t *label,
					   size_t n)
{
	const struct memory *m = ctx;
	size_t at = 0;

	(void)values;
	for (size_t l = 0; l < m->count; l++) {
		size_t taken = 0;

		TRY(m->kind->take(party(m, l), label + at, n - at, &taken));
		at += taken;
	}
	return ERR_OK;
}

void parties_in_memory(struct parties *p, struct memory *m)
{
	static const struct parties_backend backend = { .sum = parties_memory_sum,
							.collect_labels =
							    parties_memory_collect_labels,
							.collect_reals =
							    parties_memory_collect_reals,
							.collect_rows = parties_memory_collect_rows,
							.send_labels = parties_memory_send_labels };

	assert(m->count > 0);
	*p = (struct parties){ .count = m->count, .backend = &backend, .ctx = m, .phase = "" };
}
