/* Packets leave the queue in the order of their due times. */
#include "tests/test.h"

#include "lab/netlab/link.h"

#include <stdlib.h>
#include <string.h>

static void push(struct queue *q, uint64_t due, int to)
{
	unsigned char frame[2] = { (unsigned char)to, (unsigned char)due };
	struct packet *p = packet_new(frame, sizeof(frame), to, (struct weight){ 40, 40 });

	p->due = due;
	packets_push(q, p);
}

TEST(test_empty)
{
	struct queue q = { 0 };

	assert_null(packets_first(&q));
	assert_null(packets_pop(&q));
	push(&q, 1, 0);
	free(packets_pop(&q));
	assert_null(packets_pop(&q));
	packets_release(&q);
}

TEST(test_order)
{
	static const uint64_t due[] = { 5, 3, 9, 1, 3, 7, 3, 8, 1, 2 };
	/* Numbers of the pushes in the order of due times; pushes with equal due times stay in
	 * order. */
	static const int expected[] = { 3, 8, 9, 1, 4, 6, 0, 5, 7, 2 };
	struct queue q = { 0 };
	struct packet *p;

	for (int i = 0; i < 10; i++)
		push(&q, due[i], i);
	for (int i = 0; i < 10; i++) {
		p = packets_first(&q);
		assert_ptr_equal(p, packets_pop(&q));
		assert_int_equal(p->to, expected[i]);
		assert_int_equal(p->due, due[expected[i]]);
		assert_int_equal(p->n, 2);
		assert_int_equal(p->frame[0], expected[i]);
		assert_int_equal(p->w.bytes, 40);
		assert_false(p->on_downlink);
		free(p);
	}
	packets_release(&q);
}

/* Mixes pushes and pops while the queue grows. Packets are popped by due time, and in the order of
 * pushes if due times are equal. */
TEST(test_as_first_in_first_out_however_many)
{
	uint64_t seed = 1, last = 0, order = 0, popped = 0;
	struct queue q = { 0 };

	for (int i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		push(&q, last + (seed >> 33) % 500, i % 7); /* not due before the last popped one */
		if (i % 3 == 0 || i > 15000) {
			struct packet *p = packets_pop(&q);

			assert_true(p->due > last ||
				    (p->due == last && (!popped || p->order > order)));
			last = p->due;
			order = p->order;
			popped++;
			free(p);
		}
	}
	assert_int_equal(q.n, 20000 - popped);
	for (struct packet *p; (p = packets_pop(&q)); free(p)) {
		assert_true(p->due > last || (p->due == last && p->order > order));
		last = p->due;
		order = p->order;
	}
	push(&q, 1, 1);
	push(&q, 1, 1);
	packets_release(&q); /* frees the remaining packets, as a sanitizer checks */
}
