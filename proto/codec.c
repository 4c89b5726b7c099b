#include "proto/codec.h"

#include <assert.h>
#include <string.h>

void put_u16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void put_u32(uint8_t *p, uint32_t v)
{
	put_u16(p, (uint16_t)(v >> 16));
	put_u16(p + 2, (uint16_t)v);
}

void put_u64(uint8_t *p, uint64_t v)
{
	put_u32(p, (uint32_t)(v >> 32));
	put_u32(p + 4, (uint32_t)v);
}

uint16_t get_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)get_u16(p) << 16 | get_u16(p + 2);
}

uint64_t get_u64(const uint8_t *p)
{
	return (uint64_t)get_u32(p) << 32 | get_u32(p + 4);
}

/* Takes the next n bytes. If fewer are left, returns NULL; every later call then fails, too. */
static const uint8_t *codec_take(struct codec *c, size_t n)
{
	const uint8_t *p = c->pos;

	if (c->bad || (size_t)(c->end - c->pos) < n) {
		c->bad = true;
		return NULL;
	}
	c->pos += n;
	return p;
}

void codec_u16(struct codec *c, uint16_t *v)
{
	uint8_t p[2];

	put_u16(p, *v);
	codec_fixed(c, p, sizeof(p));
	if (!c->out)
		*v = get_u16(p);
}

void codec_u32(struct codec *c, uint32_t *v)
{
	uint8_t p[4];

	put_u32(p, *v);
	codec_fixed(c, p, sizeof(p));
	if (!c->out)
		*v = get_u32(p);
}

void codec_u64(struct codec *c, uint64_t *v)
{
	uint8_t p[8];

	put_u64(p, *v);
	codec_fixed(c, p, sizeof(p));
	if (!c->out)
		*v = get_u64(p);
}

void codec_fixed(struct codec *c, uint8_t *p, size_t n)
{
	const uint8_t *in;

	if (c->out) {
		buf_add(c->out, p, n);
		return;
	}
	in = codec_take(c, n);
	if (in)
		memcpy(p, in, n);
	else
		memset(p, 0, n);
}

bool codec_room(struct codec *c, size_t count, size_t size)
{
	codec_check(c, c->out || count <= (size_t)(c->end - c->pos) / size);
	return !c->bad;
}

void codec_bytes(struct codec *c, struct bytes *b, size_t min, size_t max)
{
	uint32_t n = (uint32_t)b->n;

	assert(max <= UINT32_MAX);
	codec_check(c, !c->out || (b->n >= min && b->n <= max));
	codec_u32(c, &n);
	if (c->out) {
		buf_add(c->out, b->p, b->n);
		return;
	}
	codec_check(c, n >= min && n <= max);
	b->p = codec_take(c, n);
	b->n = b->p ? n : 0;
}

void codec_check(struct codec *c, bool good)
{
	assert(good || !c->out);
	if (!good)
		c->bad = true;
}
