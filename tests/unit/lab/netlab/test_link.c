/* Tests times of packets to the nanosecond: 8 ns a byte at 1000 Mbit/s, 20 ns at 400 Mbit/s. */
#include "tests/test.h"

#include "lab/netlab/link.h"

static const struct link_speed lan = { .rate_mbit = 1000, .delay_ms = 0.05, .queue_ms = 1 };
static const struct link_speed wan = { .rate_mbit = 400, .delay_ms = 100, .queue_ms = 200 };

enum { MS = 1000000 };

static const struct weight full = { 1500, 1500 };

static uint64_t leaves(struct links *l, int from, struct weight w, uint64_t now)
{
	uint64_t arrival = 0;

	assert_true(links_leave(l, from, w, now, &arrival));
	return arrival;
}

static uint64_t arrives(struct links *l, int to, struct weight w, uint64_t arrival)
{
	uint64_t due = 0;

	assert_true(links_arrive(l, to, w, arrival, &due));
	return due;
}

/* A packet takes the time of the uplink, the delay and the downlink. */
TEST(test_one_packet)
{
	struct links l;

	links_init(&l, 2, &lan);
	assert_int_equal(leaves(&l, 0, full, 7), 7 + 12000 + 50000);
	assert_int_equal(arrives(&l, 1, full, 62007), 62007 + 12000);
	links_release(&l);
	links_init(&l, 2, &wan);
	assert_int_equal(leaves(&l, 1, full, 0), 30000 + 100 * MS);
	assert_int_equal(arrives(&l, 0, (struct weight){ 40, 40 }, 5), 5 + 800);
	links_release(&l);
}

TEST(test_rate_that_is_no_whole_number_of_nanoseconds)
{
	struct link_speed odd = { .rate_mbit = 300, .delay_ms = 0, .queue_ms = 1000 };
	struct links l;
	uint64_t last = 0;

	links_init(&l, 2, &odd);
	for (int i = 0; i < 3000; i++)
		last = leaves(&l, 0, (struct weight){ 100, 100 }, 0);
	assert_in_range(last, 8 * MS - 1500, 8 * MS + 1500); /* rounding: 0.5 ns a packet */
	links_release(&l);
}

/* Queued packets leave without gaps. A link does not make up for idle time. */
TEST(test_queueing)
{
	struct links l;

	links_init(&l, 3, &lan);
	assert_int_equal(leaves(&l, 0, full, 0), 62000);
	assert_int_equal(leaves(&l, 0, full, 0), 74000);
	assert_int_equal(leaves(&l, 0, full, 5000), 86000);
	assert_int_equal(leaves(&l, 0, full, 100000), 162000);
	/* Another host's uplink has its own queue. */
	assert_int_equal(leaves(&l, 1, full, 5000), 67000);
	/* Packets from two hosts at once share one downlink. */
	assert_int_equal(arrives(&l, 2, full, 62000), 74000);
	assert_int_equal(arrives(&l, 2, full, 67000), 86000);
	assert_int_equal(arrives(&l, 2, full, 74000), 98000);
	assert_int_equal(arrives(&l, 1, full, 74000), 86000);
	links_release(&l);
}

TEST(test_both_directions_at_once)
{
	struct links l;

	links_init(&l, 2, &lan);
	assert_int_equal(leaves(&l, 0, full, 0), 62000);
	assert_int_equal(arrives(&l, 0, full, 0), 12000);
	assert_int_equal(leaves(&l, 0, full, 0), 74000);
	assert_int_equal(arrives(&l, 0, full, 0), 24000);
	links_release(&l);
}

/* A queue of 1 ms holds 83 packets plus the one being sent: 84 x 12 us = 1.008 ms. */
TEST(test_full_uplink_drops)
{
	struct links l;
	uint64_t arrival = 1;

	links_init(&l, 2, &lan);
	for (int i = 0; i < 84; i++)
		leaves(&l, 0, full, 0);
	assert_false(links_leave(&l, 0, full, 0, &arrival));
	assert_false(links_leave(&l, 0, full, 7999, &arrival));
	assert_int_equal(arrival, 1);
	assert_int_equal(leaves(&l, 0, full, 8000),
			 85 * 12000 + 50000); /* the dropped packets took no time */
	links_release(&l);
}

TEST(test_full_downlink_drops)
{
	struct links l;
	uint64_t due = 1;

	links_init(&l, 2, &lan);
	for (int i = 0; i < 84; i++)
		arrives(&l, 1, full, 50000);
	assert_false(links_arrive(&l, 1, full, 57999, &due));
	assert_int_equal(due, 1);
	assert_int_equal(arrives(&l, 1, full, 58000), 50000 + 85 * 12000);
	links_release(&l);
}

/* A super packet of 20 segments takes the time of 20 packets. */
TEST(test_train)
{
	struct weight train = { 20 * 1500, 1500 };
	struct links whole, parts;
	uint64_t a = 0, b = 0;

	links_init(&whole, 2, &lan);
	links_init(&parts, 2, &lan);
	for (int round = 0; round < 3; round++) {
		a = arrives(&whole, 1, train, leaves(&whole, 0, train, 0));
		for (int i = 0; i < 20; i++)
			b = arrives(&parts, 1, full, leaves(&parts, 0, full, 0));
		assert_int_equal(a, b);
	}
	/* The same is true behind other packets on a busy downlink. */
	for (int i = 0; i < 30; i++) {
		arrives(&whole, 1, full, 1100000);
		arrives(&parts, 1, full, 1100000);
	}
	a = arrives(&whole, 1, train, leaves(&whole, 0, train, 0));
	for (int i = 0; i < 20; i++)
		b = arrives(&parts, 1, full, leaves(&parts, 0, full, 0));
	assert_int_equal(a, b);
	links_release(&whole);
	links_release(&parts);
}
