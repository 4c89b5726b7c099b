/* A JSON text that ends too early. */
#include "cli/run/report_read.h"

struct open {
	char close[JSON_DEPTH_MAX]; /* what closes each bracket that is open */
	size_t depth;
};

/* One character outside of strings. True if the text up to here, or before it, is whole but for
 * the brackets. */
static bool step(struct open *open, char c)
{
	switch (c) {
	case '{':
	case '[':
		open->close[open->depth++] = c == '{' ? '}' : ']';
		return true;
	case '}':
	case ']':
		open->depth -= open->depth > 0;
		return true;
	default:
		return c == ',';
	}
}

bool run_mend(struct bytes text, struct buf *mended)
{
	struct open open = { .depth = 0 }, at_cut = { .depth = 0 };
	bool in_string = false;
	size_t cut = 0;

	for (size_t i = 0; i < text.n && open.depth < JSON_DEPTH_MAX; i++) {
		char c = (char)text.p[i];

		if (in_string && c == '\\')
			i++;
		else if (c == '"')
			in_string = !in_string;
		else if (!in_string && step(&open, c)) {
			cut = c == ',' ? i : i + 1;
			at_cut = open;
		}
	}
	if (!at_cut.depth)
		return false;
	buf_add(mended, text.p, cut);
	while (at_cut.depth)
		buf_add(mended, &at_cut.close[--at_cut.depth], 1);
	return true;
}
