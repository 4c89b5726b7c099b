/* err.h -- an error code for the caller's decision, and a message for the user.
 *
 * A function that can fail returns enum err. The function that detects a failure calls `return
 * err_set(ERR_X, "event, place, value, remedy")`; callers pass it on with TRY(). Each thread has
 * one message: code that hands an error to another thread copies it. There are few codes, because
 * callers decide by the code. Each code is also an exit status.
 */
#ifndef COMMON_BASE_ERR_H
#define COMMON_BASE_ERR_H

#define ERR_MAP(X)                                                                                 \
	X(OK, 0, "done")                                                                           \
	X(JOB, 1, "the job failed")                                                                \
	X(PEER, 2, "a peer failed, left, or could not be authenticated")                           \
	X(DEADLINE, 3, "a deadline passed")                                                        \
	X(INPUT, 4, "bad arguments, configuration or input")                                       \
	X(INTERNAL, 5, "internal error")                                                           \
	X(CANCELLED, 6, "cancelled")

/* Values are the exit statuses of all executables and are sent in ABORT messages. */
enum err {
#define X(name, exit_status, text) ERR_##name = (exit_status),
	ERR_MAP(X)
#undef X
};

#define MUST_CHECK   __attribute__((warn_unused_result))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

enum { ERR_DETAIL_MAX = 1024 }; /* bytes of a message with its terminator; longer ones are cut */

/* err_set(code, fmt, ...) records this thread's message and returns code. At level debug it also
 * logs the message with file and line of the call. */
#define err_set(...) err_set_at(__FILE__, __LINE__, __VA_ARGS__)
enum err err_set_at(const char *file, int line, enum err code, const char *fmt, ...) PRINTF(4, 5);

/* Prepends "prefix: " to this thread's message, to add the file, the party or the step. */
enum err err_prefix(enum err code, const char *fmt, ...) PRINTF(2, 3);

/* Keeps an error while a clean-up that may fail runs. err_restore() restores the message and
 * returns the code; for ERR_OK it changes nothing. */
struct err_saved {
	enum err code;
	char why[ERR_DETAIL_MAX];
};
struct err_saved err_save(enum err code);
enum err err_restore(const struct err_saved *saved);

const char *err_text(enum err code);
const char *err_detail(void); /* this thread's last message; "" if none */

/* Passes an error of expr on to the caller. This macro alone hides a return. A function that owns
 * something uses `goto out` instead. */
#define TRY(expr)                                                                                  \
	do {                                                                                       \
		enum err try_err_ = (expr);                                                        \
		if (try_err_ != ERR_OK)                                                            \
			return try_err_;                                                           \
	} while (0)

#endif
