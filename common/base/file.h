/* file.h -- whole files in, whole files out.
 *
 * A file is written beside its place and renamed into it when complete and on disk, so a reader
 * sees the old one or the new one, never half. The temporary one is removed on every failure;
 * file_cancel removes those of all threads when the process must go at once.
 */
#ifndef COMMON_BASE_FILE_H
#define COMMON_BASE_FILE_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FILE_PUBLIC = 0666, FILE_SECRET = 0600 }; /* modes; the umask takes from them */

/* The whole file into *out (empty before), a zero byte behind it that out->n does not count.
 * ERR_INPUT if it cannot be read, is a directory, or is larger than max bytes: the size is looked
 * at before anything is allocated. */
enum err file_read(const char *path, size_t max, struct buf *out) MUST_CHECK;
/* The same of text in UTF-8: one that begins with a byte order mark is refused, as the mark cannot be seen and
 * would become part of the first word. */
enum err file_read_text(const char *path, size_t max, struct buf *out) MUST_CHECK;

/* A file that is read by parts. ERR_INPUT: it cannot be read, is a directory, is larger than max bytes, or
 * (file_part_read) ends before first + n. */
struct file_part {
	const char *path; /* borrowed */
	int fd;
	size_t size; /* when it was opened */
	bool whole;  /* no regular file, such as a pipe: it can be read from its beginning alone, by file_read() */
};
enum err file_part_open(struct file_part *f, const char *path, size_t max) MUST_CHECK;
enum err file_part_read(const struct file_part *f, size_t first, void *to, size_t n) MUST_CHECK;
void file_part_close(struct file_part *f);

/* ERR_JOB if it cannot be written (the sentence says what failed), ERR_CANCELLED after file_cancel. */
enum err file_write(const char *path, struct bytes data, mode_t mode) MUST_CHECK;

/* The same of files in one directory, which appear one right behind the other when all of them are on disk. If that fails none
 * does. Paths of NULL are left out. */
struct file_one {
	const char *path;
	struct bytes data;
	mode_t mode;
};
enum { FILE_ALL_MAX = 4 };
enum err file_write_all(const struct file_one *file, size_t count) MUST_CHECK;

/* file_write() without waiting until it is on disk: for what can be made again and says whether it is
 * whole. */
enum err file_write_soon(const char *path, struct bytes data, mode_t mode) MUST_CHECK;

/* mkdir -p, and on disk: what is made in them and synced outlives a power loss. ERR_JOB. */
enum err file_make_dirs(const char *path) MUST_CHECK;
/* The name of a file that was made without file_write() is on disk only after its directory: waits
 * for that. ERR_JOB. */
enum err file_sync_dir(const char *path) MUST_CHECK;
/* For what is written as a whole, and asked before it is computed: ERR_INPUT if there is something in it already, or it
 * is no directory. */
enum err file_check_new_dir(const char *path) MUST_CHECK;
/* Both. */
enum err file_make_new_dir(const char *path) MUST_CHECK;
bool file_exists(const char *path);
/* Of a secret, "the passphrase": ERR_INPUT if others than its user may read it, or it is not there. In
 * $CREDENTIALS_DIRECTORY mode 0440 will do, which systemd makes it in units with User=. What is no regular file may have any mode. */
enum err file_check_secret(const char *path, const char *what) MUST_CHECK;

char *file_join(const char *dir,
		const char *name); /* owned by the caller; an absolute name stays as it is */
char *file_dir(const char *path);  /* owned: "a/b" of "a/b/c", "." of "c" */

/* Removes from a directory what writers that were killed have left behind: temporary files of
 * processes that no longer run. */
void file_sweep(const char *dir);

/* Removes the temporary files of writes under way in any thread, and refuses further ones. For
 * the last moments of a process. Not for signal handlers. */
void file_cancel(void);

/* The first call in main: descriptors 0 to 2 that are closed become /dev/null, so that no file
 * or socket gets their numbers and what is printed. Ends the process where that cannot be done. */
void file_hold_standard(void);

#endif
