/* Vectors in chunks: packed labels and real numbers; and single numbers. */
#include "common/base/alloc.h"
#include "proto/channel_own.h"
#include "proto/labels.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- vectors of labels ---- */

static size_t labels_per_chunk(uint32_t values)
{
	return (size_t)CHANNEL_CHUNK / labels_bits(values) * 8; /* 8 entries fill whole bytes */
}

enum err channel_send_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, const uint32_t *label, size_t count)
{
	size_t most = labels_per_chunk(values), done = 0;
	struct buf packed = { 0 };
	enum err e;

	assert(count <= MSG_ITEMS_MAX);
	do {
		size_t now = count - done < most ? count - done : most;
		size_t bytes = labels_bytes(values, now);
		struct msg m = { .type = type };

		packed.n = 0;
		labels_pack(buf_extend(&packed, bytes), values, label + done, now);
		m.labels = (struct msg_labels){ .group = group,
						.values = values,
						.count = count,
						.offset = done,
						.packed = { packed.p, bytes } };
		e = channel_send(ch, &m);
		done += now;
	} while (e == ERR_OK && done < count);
	buf_release(&packed);
	return e;
}

/* How many entries a chunk has: what is left, or a multiple of 8 that fills its bytes. 0: neither.
 */
static size_t entries_of(const struct msg_labels *m, size_t left)
{
	unsigned bits = labels_bits(m->values);

	if (m->packed.n == labels_bytes(m->values, left))
		return left;
	if (m->packed.n % bits == 0 && m->packed.n / bits * 8 < left)
		return m->packed.n / bits * 8;
	return 0;
}

static enum err check_labels(struct channel *ch, const struct msg *m, uint32_t group,
			     uint32_t values, size_t count, size_t done)
{
	const struct msg_labels *l = &m->labels;

	if (l->group == group && l->values == values && l->count == count && l->offset == done)
		return ERR_OK;
	return peer_fault(ch,
			  "sent %s of group %" PRIu32 ", values %" PRIu32 ", count %" PRIu64
			  ", offset %" PRIu64 "; expected %" PRIu32 ", %" PRIu32 ", %zu, %zu",
			  msg_name(m->type), l->group, l->values, l->count, l->offset, group,
			  values, count, done);
}

static enum err take_labels(struct channel *ch, const struct msg *m, uint32_t *label, size_t done)
{
	const struct msg_labels *l = &m->labels;
	size_t left = (size_t)l->count - done, now = entries_of(l, left), bad;

	if (now == 0 && left > 0)
		return peer_fault(ch, "sent %s with %zu bytes for %zu entries", msg_name(m->type),
				  l->packed.n, left);
	if (labels_unpack(label + done, l->values, l->packed, now, &bad))
		return ERR_OK;
	if (bad == now)
		return peer_fault(ch, "sent %s with bits set after the last entry",
				  msg_name(m->type));
	return peer_fault(ch, "sent %s with entry %zu = %" PRIu32 ", expected 0 to %" PRIu32,
			  msg_name(m->type), done + bad, label[done + bad], l->values);
}

enum err channel_recv_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, uint32_t *label, size_t count)
{
	return channel_recv_labels_upto(ch, type, group, values, &values, label, count);
}

enum err channel_recv_labels_upto(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t least, uint32_t *values, uint32_t *label, size_t count)
{
	size_t done = 0;
	uint32_t most = *values;

	do {
		struct msg m;
		enum err e;

		TRY(channel_recv(ch, type, &m));
		/* The first chunk says it for all; out of bounds it does not match. */
		if (done == 0)
			*values = m.labels.values < least  ? least
				  : m.labels.values > most ? most
							   : m.labels.values;
		e = check_labels(ch, &m, group, *values, count, done);
		if (e == ERR_OK)
			e = take_labels(ch, &m, label, done);
		if (e != ERR_OK)
			return channel_protocol_error(ch, e);
		done += entries_of(&m.labels, count - done);
	} while (done < count);
	return ERR_OK;
}

enum err channel_recv_labels_some(struct channel *ch, enum msg_type type, uint32_t group,
				  uint32_t values, size_t most, uint32_t **label, size_t *count)
{
	size_t done = 0;

	*label = NULL;
	*count = 0;
	do {
		struct msg m;
		enum err e;

		TRY(channel_recv(ch, type, &m));
		if (done == 0) { /* the first chunk says it for all */
			*count = m.labels.count < most ? (size_t)m.labels.count : most;
			free(*label);
			*label = alloc(*count, sizeof(**label));
		}
		e = check_labels(ch, &m, group, values, *count, done);
		if (e == ERR_OK)
			e = take_labels(ch, &m, *label, done);
		if (e != ERR_OK)
			return channel_protocol_error(ch, e);
		done += entries_of(&m.labels, *count - done);
	} while (done < *count);
	return ERR_OK;
}

/* ---- vectors of real numbers ---- */

static size_t real_size(enum msg_type type)
{
	return type == MSG_BLOCK || type == MSG_EMBEDDING ? sizeof(float) : sizeof(double);
}

/* The wire's order is little-endian. */
static void put_bytes(uint8_t *to, const void *from, size_t size)
{
	memcpy(to, from, size);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t kept = to[i];

		to[i] = to[size - 1 - i];
		to[size - 1 - i] = kept;
	}
#endif
}

static void put_reals(uint8_t *to, const double *x, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		float single = (float)x[i];

		if (size == sizeof(single))
			put_bytes(to + i * size, &single, size);
		else
			put_bytes(to + i * size, &x[i], size);
	}
}

static void get_reals(double *x, const uint8_t *from, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		float single;

		if (size == sizeof(single)) {
			put_bytes((uint8_t *)&single, from + i * size, size);
			x[i] = (double)single;
		} else {
			put_bytes((uint8_t *)&x[i], from + i * size, size);
		}
	}
}

enum err channel_send_reals(struct channel *ch, enum msg_type type, uint32_t group, const double *x,
			    size_t count)
{
	size_t size = real_size(type), most = CHANNEL_CHUNK / size, done = 0;
	uint8_t *chunk = alloc(most, size);
	enum err e;

	assert(count <= MSG_REALS_MAX);
	do {
		size_t now = count - done < most ? count - done : most;
		struct msg m = { .type = type };

		put_reals(chunk, x + done, now, size);
		m.reals = (struct msg_reals){ group, count, done, { chunk, now * size } };
		e = channel_send(ch, &m);
		done += now;
	} while (e == ERR_OK && done < count);
	free(chunk);
	return e;
}

static enum err take_reals(struct channel *ch, const struct msg *m, uint32_t group, double *x,
			   size_t count, size_t done)
{
	const struct msg_reals *r = &m->reals;
	size_t size = real_size(m->type), now = r->values.n / size;

	if (r->group != group || r->count != count || r->offset != done || now > count - done ||
	    (now == 0 && done < count))
		return peer_fault(ch,
				  "sent %s of group %" PRIu32 ", count %" PRIu64 ", offset %" PRIu64
				  " with %zu numbers; expected %" PRIu32
				  ", %zu, %zu with at most %zu",
				  msg_name(m->type), r->group, r->count, r->offset, now, group,
				  count, done, count - done);
	get_reals(x + done, r->values.p, now, size);
	for (size_t i = done; i < done + now; i++)
		if (!isfinite(x[i]))
			return peer_fault(ch, "sent %s with entry %zu that is no finite number",
					  msg_name(m->type), i);
	return ERR_OK;
}

enum err channel_recv_reals(struct channel *ch, enum msg_type type, uint32_t group, double *x,
			    size_t count)
{
	size_t unused;

	return channel_recv_rows(ch, type, group, count, 1, 1, x, &unused);
}

/* The first chunk says it for all; out of bounds it does not match. */
static size_t rows_said(const struct msg_reals *r, size_t cols, size_t least, size_t most)
{
	uint64_t rows = cols ? r->count / cols : least;

	return rows < least ? least : rows > most ? most : (size_t)rows;
}

enum err channel_recv_rows(struct channel *ch, enum msg_type type, uint32_t group, size_t cols,
			   size_t least, size_t most, double *x, size_t *rows)
{
	size_t done = 0, count = 0;

	do {
		struct msg m;
		enum err e;

		TRY(channel_recv(ch, type, &m));
		if (done == 0) {
			*rows = rows_said(&m.reals, cols, least, most);
			count = *rows * cols;
		}
		e = take_reals(ch, &m, group, x, count, done);
		if (e != ERR_OK)
			return channel_protocol_error(ch, e);
		done += m.reals.values.n / real_size(type);
	} while (done < count);
	return ERR_OK;
}

/* ---- choices ---- */

enum err channel_send_choice(struct channel *ch, enum choice what, uint64_t value)
{
	struct msg m = { .type = MSG_CHOICE, .choice = { (uint16_t)what, value } };

	return channel_send(ch, &m);
}

enum err channel_recv_choice(struct channel *ch, enum choice what, uint64_t most, uint64_t *value)
{
	struct msg m;

	TRY(channel_recv(ch, MSG_CHOICE, &m));
	*value = m.choice.value;
	if (m.choice.what == what && m.choice.value <= most)
		return ERR_OK;
	return channel_protocol_error(
	    ch, peer_fault(ch, "sent CHOICE %u = %" PRIu64 "; expected %u, from 0 to %" PRIu64,
			   m.choice.what, m.choice.value, what, most));
}
