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

/* What a backend has not, it does not do. */
#define CALL(name, ...) (p->backend->name ? p->backend->name(p->ctx, __VA_ARGS__) : ERR_OK)

enum err parties_tell_choice(struct parties *p, enum choice what, uint64_t value)
{
	return CALL(tell_choice, what, value);
}

enum err parties_tell_reals(struct parties *p, enum parties_reals as, const double *x, size_t n)
{
	return CALL(tell_reals, as, x, n);
}

enum err parties_tell_labels(struct parties *p, enum parties_labels as, size_t values,
			     const uint32_t *label, size_t n)
{
	return CALL(tell_labels, as, values, label, n);
}

enum err parties_sum(struct parties *p, const void *question, double *x, size_t n)
{
	return CALL(sum, question, PARTIES_WIDE, 0, x, n);
}

enum err parties_sum_parts(struct parties *p, const void *question, double *x, size_t n)
{
	return CALL(sum, question, PARTIES_PARTS, 0, x, n);
}

enum err parties_sum_bound(struct parties *p, const void *question, double most, double *x,
			   size_t n)
{
	return CALL(sum, question, PARTIES_BOUND, most, x, n);
}

enum err parties_collect_labels(struct parties *p, const void *question, size_t values,
				uint32_t *label, size_t n)
{
	return CALL(collect_labels, question, values, label, n);
}

enum err parties_collect_reals(struct parties *p, const void *question, double *x, size_t n)
{
	return CALL(collect_reals, question, x, n);
}

enum err parties_collect_rows(struct parties *p, const void *question, struct mat *C)
{
	return CALL(collect_rows, question, C);
}

enum err parties_hand(struct parties *p, size_t values, const uint32_t *label, size_t n)
{
	return CALL(hand, values, label, n);
}

enum err parties_warm(struct parties *p)
{
	return p->backend->warm ? p->backend->warm(p->ctx) : ERR_OK;
}
