#include "common/parties/parties.h"

#include <stdarg.h>
#include <stdio.h>

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

enum err parties_tell_choice(struct parties *p, enum choice what, uint64_t value)
{
	return p->backend->tell_choice ? p->backend->tell_choice(p->ctx, what, value) : ERR_OK;
}

enum err parties_tell_reals(struct parties *p, enum parties_reals as, const double *x, size_t n)
{
	return p->backend->tell_reals ? p->backend->tell_reals(p->ctx, as, x, n) : ERR_OK;
}

enum err parties_tell_labels(struct parties *p, enum parties_labels as, size_t values,
			     const uint32_t *label, size_t n)
{
	if (!p->backend->tell_labels)
		return ERR_OK;
	return p->backend->tell_labels(p->ctx, as, values, label, n);
}

enum err parties_warm(struct parties *p)
{
	return p->backend->warm ? p->backend->warm(p->ctx) : ERR_OK;
}

enum err parties_sum(struct parties *p, const void *question, double *x, size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_WIDE, 0, x, n);
}

enum err parties_sum_parts(struct parties *p, const void *question, double *x, size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_PARTS, 0, x, n);
}

enum err parties_sum_bound(struct parties *p, const void *question, double most, double *x,
			   size_t n)
{
	return p->backend->sum(p->ctx, question, PARTIES_BOUND, most, x, n);
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

enum err parties_hand(struct parties *p, size_t values, const uint32_t *label, size_t n)
{
	return p->backend->hand(p->ctx, values, label, n);
}
