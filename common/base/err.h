/* err.h -- one error code for the decision, one sentence for the human.
 *
 * A function that can fail returns enum err. Where the failure is first seen it says
 * `return err_set(ERR_X, "what, who, which value, what to do")`; on the way up, TRY().
 * The sentence is kept per thread: whoever hands an error to another thread copies it.
 * Codes are few and are for callers that decide; every one of them is an exit status.
 */
#ifndef COMMON_BASE_ERR_H
#define COMMON_BASE_ERR_H

/*        name       exit  what it means                          */
#define ERR_MAP(X)                                                                                 \
	X(OK, 0, "done")                                                                           \
	X(JOB, 1, "the job failed")                                                                \
	X(PEER, 2, "a peer failed, left, or could not be authenticated")                           \
	X(DEADLINE, 3, "a deadline passed")                                                        \
	X(INPUT, 4, "bad arguments, configuration or input")                                       \
	X(INTERNAL, 5, "internal error")                                                           \
	X(CANCELLED, 6, "cancelled")

/* The values are the exit statuses of all executables, and travel in ABORT messages. */
enum err {
#define X(name, exit_status, text) ERR_##name = (exit_status),
	ERR_MAP(X)
#undef X
};

#define MUST_CHECK   __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

enum { ERR_DETAIL_MAX = 1024 }; /* bytes of a sentence, with its terminator; longer ones are cut */

/* err_set(code, fmt, ...) records the sentence for this thread and returns code, so that it can
 * stand in a return. At level debug the log has the sentence with the file and line of the call:
 * where the error was first seen. */
#define err_set(...) err_set_at(__FILE__, __LINE__, __VA_ARGS__)
enum err err_set_at(const char *file, int line, enum err code, const char *fmt, ...) PRINTF(4, 5);

/* Puts "prefix: " before this thread's sentence (to add the file, the party, the step). */
enum err err_prefix(enum err code, const char *fmt, ...) PRINTF(2, 3);

/* For what must be done between an error and its return and may fail too: err_restore() puts the
 * sentence back and returns the code. ERR_OK is saved without a sentence; restoring it changes
 * nothing. */
struct err_saved {
	enum err code;
	char why[ERR_DETAIL_MAX];
};
struct err_saved err_save(enum err code);
enum err err_restore(const struct err_saved *saved);

const char *err_text(enum err code); /* "a peer failed, ..." */
const char *err_detail(void);        /* this thread's last sentence; "" if none */

/* The only macro here that hides a return. Not for functions that own something:
 * those use `goto out`. */
#define TRY(expr)                                                                                  \
	do {                                                                                       \
		enum err try_err_ = (expr);                                                        \
		if (try_err_ != ERR_OK)                                                            \
			return try_err_;                                                           \
	} while (0)

#endif
