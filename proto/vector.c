/* Sends and receives vectors in chunks (packed labels, real numbers), and single numbers. */
#include "common/base/alloc.h"
#include "proto/channel_own.h"
#include "proto/labels.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- vectors of labels ---- */

enum err channel_send_labels(struct channel *ch, enum msg_type type, uint32_t group,
			     uint32_t values, const uint32_t *label, size_t count)
{
	return channel_send_labels_all(&ch, 1, type, group, values, label, count);
}

enum err channel_send_labels_all(struct channel *const ch[], size_t channels, enum msg_type type,
				 uint32_t group, uint32_t values, const uint32_t *label,
				 size_t count)
{
	/* A multiple of 8 entries fills its bytes completely. */
	size_t most = (size_t)CHANNEL_CHUNK / labels_bits(values) * 8, done = 0;
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
		e = channel_send_all(ch, channels, &m);
		done += now;
	} while (e == ERR_OK && done < count);
	buf_release(&packed);
	return e;
}

/* Takes the next chunk of `count` entries; *done of them were received before. */
static enum err vector_take_labels(struct channel *ch, const struct msg *m, uint32_t group,
				   uint32_t values, uint32_t *label, size_t count, size_t *done)
{
	const struct msg_labels *l = &m->labels;
	size_t left = count - *done, now = 0, bytes = l->packed.n, bits = labels_bits(values), bad;
	enum err e = ERR_OK;

	/* A chunk has all labels that are left, or a multiple of 8, which fills its bytes
	 * completely. */
	if (bytes == labels_bytes(values, left))
		now = left;
	else if (bytes % bits == 0 && bytes / bits * 8 < left)
		now = bytes / bits * 8;
	if (l->group != group || l->values != values || l->count != count || l->offset != *done)
		e = peer_fault(ch,
			       "sent %s of group %" PRIu32 ", values %" PRIu32 ", count %" PRIu64
			       ", offset %" PRIu64 "; expected %" PRIu32 ", %" PRIu32 ", %zu, %zu",
			       msg_name(m->type), l->group, l->values, l->count, l->offset, group,
			       values, count, *done);
	else if (now == 0 && left > 0)
		e = peer_fault(ch, "sent %s with %zu bytes for %zu entries", msg_name(m->type),
			       bytes, left);
	else if (labels_unpack(label + *done, values, l->packed, now, &bad))
		*done += now;
	else if (bad == now)
		e = peer_fault(ch, "sent %s with bits set after the last entry", msg_name(m->type));
	else
		e = peer_fault(ch, "sent %s with entry %zu = %" PRIu32 ", expected 0 to %" PRIu32,
			       msg_name(m->type), *done + bad, label[*done + bad], values);
	return e == ERR_OK ? e : channel_protocol_error(ch, e);
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

		TRY(channel_recv(ch, type, &m));
		/* The first chunk determines *values for all chunks. If its number is out of
		 * bounds, the check below fails. */
		if (done == 0)
			*values = m.labels.values < least  ? least
				  : m.labels.values > most ? most
							   : m.labels.values;
		TRY(vector_take_labels(ch, &m, group, *values, label, count, &done));
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

		TRY(channel_recv(ch, type, &m));
		if (done == 0) { /* the first chunk determines *count for all chunks */
			*count = m.labels.count < most ? (size_t)m.labels.count : most;
			free(*label);
			*label = alloc(*count, sizeof(**label));
		}
		TRY(vector_take_labels(ch, &m, group, values, *label, *count, &done));
	} while (done < *count);
	return ERR_OK;
}

/* ---- vectors of real numbers ---- */

static size_t real_size(enum msg_type type)
{
	return type == MSG_BLOCK || type == MSG_EMBEDDING ? sizeof(float) : sizeof(double);
}

/* Copies a number. Converts between this host's byte order and little-endian. */
static void vector_put_bytes(uint8_t *to, const void *from, size_t size)
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

enum err channel_send_reals(struct channel *ch, enum msg_type type, uint32_t group, const double *x,
			    size_t count)
{
	return channel_send_reals_all(&ch, 1, type, group, x, count);
}

enum err channel_send_reals_all(struct channel *const ch[], size_t channels, enum msg_type type,
				uint32_t group, const double *x, size_t count)
{
	size_t size = real_size(type), most = CHANNEL_CHUNK / size, done = 0;
	uint8_t *chunk = alloc(most, size);
	enum err e;

	assert(count <= MSG_REALS_MAX);
	do {
		size_t now = count - done < most ? count - done : most;
		struct msg m = { .type = type };

		for (size_t i = 0; i < now; i++) {
			const double *number = &x[done + i];
			float single = (float)*number;

			if (size == sizeof(single))
				vector_put_bytes(chunk + i * size, &single, size);
			else
				vector_put_bytes(chunk + i * size, number, size);
		}
		m.reals = (struct msg_reals){ group, count, done, { chunk, now * size } };
		e = channel_send_all(ch, channels, &m);
		done += now;
	} while (e == ERR_OK && done < count);
	free(chunk);
	return e;
}

/* Checks that the chunk is the next one of `count` numbers; `done` of them were received before.
 * *now: how many numbers the chunk has. */
static enum err check_reals(struct channel *ch, const struct msg *m, uint32_t group, size_t count,
			    size_t done, size_t *now)
{
	const struct msg_reals *r = &m->reals;

	*now = r->values.n / real_size(m->type);
	if (r->group != group || r->count != count || r->offset != done || *now > count - done ||
	    (*now == 0 && done < count))
		return peer_fault(ch,
				  "sent %s of group %" PRIu32 ", count %" PRIu64 ", offset %" PRIu64
				  " with %zu numbers; expected %" PRIu32
				  ", %zu, %zu with at most %zu",
				  msg_name(m->type), r->group, r->count, r->offset, *now, group,
				  count, done, count - done);
	return ERR_OK;
}

/* Decodes numbers first .. first + n - 1 of a chunk. */
static enum err decode_reals(struct channel *ch, const struct msg *m, size_t first, size_t n,
			     double *x)
{
	const struct msg_reals *r = &m->reals;
	size_t size = real_size(m->type);

	for (size_t i = 0; i < n; i++) {
		const uint8_t *from = r->values.p + (first + i) * size;
		float single;

		if (size == sizeof(single)) {
			vector_put_bytes((uint8_t *)&single, from, size);
			x[i] = (double)single;
		} else {
			vector_put_bytes((uint8_t *)&x[i], from, size);
		}
		if (!isfinite(x[i]))
			return peer_fault(ch, "sent %s with entry %zu that is no finite number",
					  msg_name(m->type), (size_t)r->offset + first + i);
	}
	return ERR_OK;
}

static enum err take_reals(struct channel *ch, const struct msg *m, uint32_t group, double *x,
			   size_t count, size_t done)
{
	size_t now;

	TRY(check_reals(ch, m, group, count, done, &now));
	return decode_reals(ch, m, 0, now, done ? x + done : x);
}

enum err channel_recv_reals(struct channel *ch, enum msg_type type, uint32_t group, double *x,
			    size_t count)
{
	size_t unused;

	return channel_recv_rows(ch, type, group, count, 1, 1, x, &unused);
}

enum err channel_recv_rows(struct channel *ch, enum msg_type type, uint32_t group, size_t cols,
			   size_t least, size_t most, double *x, size_t *rows)
{
	size_t done = 0, count = 0;

	do {
		struct msg m;
		enum err e;

		TRY(channel_recv(ch, type, &m));
		/* The first chunk sets *rows. If its number is out of bounds, the check below
		 * fails. */
		if (done == 0) {
			uint64_t said = cols ? m.reals.count / cols : least;

			*rows = said < least ? least : said > most ? most : (size_t)said;
			count = *rows * cols;
		}
		e = take_reals(ch, &m, group, x, count, done);
		if (e != ERR_OK)
			return channel_protocol_error(ch, e);
		done += m.reals.values.n / real_size(type);
	} while (done < count);
	return ERR_OK;
}

/* Passes on the numbers of a chunk, some of them at a time. */
static enum err vector_pass_reals(struct channel *ch, const struct msg *m, size_t count,
				  channel_reals *each, void *arg)
{
	enum { PIECE = 2048 };
	double x[PIECE];

	for (size_t at = 0, now; at < count; at += now) {
		enum err e;

		now = count - at < PIECE ? count - at : PIECE;
		e = decode_reals(ch, m, at, now, x);
		if (e != ERR_OK)
			return channel_protocol_error(ch, e);
		TRY(each(arg, x, now));
	}
	return ERR_OK;
}

enum err channel_pass_reals(struct channel *ch, enum msg_type type, uint32_t group, size_t count,
			    channel_reals *each, void *arg)
{
	size_t done = 0, now;

	do {
		struct msg m;
		enum err e;

		TRY(channel_recv(ch, type, &m));
		e = check_reals(ch, &m, group, count, done, &now);
		if (e != ERR_OK)
			return channel_protocol_error(ch, e);
		TRY(vector_pass_reals(ch, &m, now, each, arg));
		done += now;
	} while (done < count);
	return ERR_OK;
}

/* ---- choices ---- */

enum err channel_send_choice(struct channel *ch, unsigned what, uint64_t value)
{
	struct msg m = { .type = MSG_CHOICE, .choice = { (uint16_t)what, value } };

	return channel_send(ch, &m);
}

enum err channel_recv_choice(struct channel *ch, unsigned what, uint64_t most, uint64_t *value)
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
