/* bench_tables -- measures reading a table: rows of 64 numbers and an id, in memory, on one thread.
 * Prints CPU time, the minimum of 5 runs.
 *
 *     bench_tables [ROWS] [FILE]      writes the table with six digits to FILE, for other
 * readers */
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/data/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COLS = 64, TIMES = 5 };

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_table(size_t rows, const char *format, struct buf *text)
{
	uint64_t state = 1;

	buf_printf(text, "id");
	for (int j = 0; j < COLS; j++)
		buf_printf(text, ",c%d", j);
	for (size_t i = 0; i < rows; i++) {
		buf_printf(text, "\np%zu", i);
		for (int j = 0; j < COLS; j++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			buf_printf(text, format, (double)(state >> 11) * 0x1p-50 - 4);
		}
	}
	buf_printf(text, "\n");
}

static void measure(const char *name, const struct buf *text)
{
	struct reading how;
	double best = 1e9;

	reading_init(&how);
	how.id = (char *)(uintptr_t) "id";
	for (int i = 0; i < TIMES; i++) {
		struct sheet_said said;
		struct sheet t;
		double start = cpu_seconds();

		if (sheet_parse(&t, (struct bytes){ text->p, text->n }, "t.csv", &how, &said) !=
		    ERR_OK) {
			fprintf(stderr, "bench_tables: %s\n", err_detail());
			exit(1);
		}
		start = cpu_seconds() - start;
		best = start < best ? start : best;
		sheet_release(&t);
	}
	how.id = NULL;
	reading_release(&how);
	printf("tables %-10s mb=%.1f seconds=%.3f mb_s=%.1f\n", name, 1e-6 * (double)text->n, best,
	       1e-6 * (double)text->n / best);
}

int main(int argc, char **argv)
{
	size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000;
	struct buf text = { 0 };

	log_init("bench", LOG_ERROR);
	make_table(rows, ",%.6f", &text);
	if (argc > 2 &&
	    file_write(argv[2], (struct bytes){ text.p, text.n }, FILE_PUBLIC) != ERR_OK)
		return 1;
	measure("six-digits", &text);
	buf_release(&text);
	make_table(rows, ",%.17g", &text);
	measure("all-digits", &text);
	buf_release(&text);
	return 0;
}
