/* isolated.h -- a file that coterie import reads in a process of its own, as that process and its parent do it.
 *
 * Libraries break on damaged files, which is why it is a process of its own: no finding. One are a report of a sanitizer
 * in our code there (the process ends with a status then), and whatever goes wrong in the parent. Coverage comes back
 * through shared memory, so that inputs are kept for what they reach in the reader.
 */
#ifndef TESTS_FUZZ_ISOLATED_H
#define TESTS_FUZZ_ISOLATED_H

#include "cli/import/isolate.h"
#include "cli/import/sources.h"
#include "tests/fuzz/import.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The compiler's counters, first and behind the last. Said in C the names would be taken from the code that it adds. */
__asm__(".pushsection .data\n.balign 8\nfuzz_counters: .quad __start___sancov_cntrs, __stop___sancov_cntrs\n.popsection\n");
extern uint8_t *fuzz_counters[2];
static uint8_t *reached;
static import_reader *library;

/* In place of the limit of memory, which cannot be set here: more than this at once is not to be had. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

/* What the libraries do with memory is theirs. */
const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void)
{
	return "interceptor_via_lib:libhdf5\ninterceptor_via_lib:libmatio\n";
}

static inline enum err read_and_note(struct imported *in, const char *path, const struct import_request *r)
{
	static const int ends[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL };
	struct rlimit time = { 1, RLIM_INFINITY };
	enum err err;

	setrlimit(RLIMIT_CPU, &time);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_DFL);
	err = library(in, path, r);
	if (err == ERR_OK)
		check_imported(in);
	memcpy(reached, fuzz_counters[0], (size_t)(fuzz_counters[1] - fuzz_counters[0]));
	return err;
}

static inline int fuzz_isolated(import_reader *of, const char *ending, const uint8_t *data, size_t size)
{
	size_t n = (size_t)(fuzz_counters[1] - fuzz_counters[0]);
	struct imported in = { 0 };
	struct import_request r = { .file = NULL };
	char path[64];

	if (!size)
		return 0;
	if (!reached)
		reached = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(reached, 0, n);
	library = of;
	fuzz_request(ending, data, size, path, &r);
	if (import_isolated(read_and_note, &in, path, &r) != ERR_OK) {
		if (strstr(err_detail(), "ended with exit status") || strstr(err_detail(), "cannot be:"))
			abort();
	} else {
		check_imported(&in);
	}
	for (size_t i = 0; i < n; i++)
		fuzz_counters[0][i] |= reached[i];
	import_release(&in);
	reading_release(&r.how);
	unlink(path);
	return 0;
}

#endif
