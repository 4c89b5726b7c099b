/* file.h -- reads and writes whole files.
 *
 * A file is written next to its target and renamed when it is complete and on disk
 * (file_write_soon() does not wait for the disk), so a reader sees the old file or the new file,
 * never a part. Every failure removes the temporary file. file_cancel() removes the temporary files
 * of all threads when the process must end at once.
 */
#ifndef COMMON_BASE_FILE_H
#define COMMON_BASE_FILE_H

#include "common/base/buf.h"
#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FILE_PUBLIC = 0666, FILE_SECRET = 0600 }; /* modes, reduced by the umask */

/* Reads a whole file into *out (empty before), plus a zero byte that out->n does not count.
 * ERR_INPUT if it is unreadable, a directory, or larger than max bytes or than this process's
 * memory; the size is checked before allocation. */
enum err file_read(const char *path, size_t max, struct buf *out) MUST_CHECK;
/* file_read() for text in UTF-8. Refuses a byte order mark, which is invisible and would become
 * part of the first word. Does not check the other bytes. */
enum err file_read_text(const char *path, size_t max, struct buf *out) MUST_CHECK;

/* A file that is read in parts. ERR_INPUT if the file is unreadable, a directory or larger than max
 * bytes. file_part_read() also returns it if the file ends before first + n. */
struct file_part {
	const char *path; /* borrowed */
	int fd;
	size_t size; /* at the time of opening */
	bool whole;  /* not a regular file, such as a pipe: only file_read() can read it */
};
enum err file_part_open(struct file_part *f, const char *path, size_t max) MUST_CHECK;
enum err file_part_read(const struct file_part *f, size_t first, void *to, size_t n) MUST_CHECK;
void file_part_close(struct file_part *f);

/* Writes a file. ERR_JOB if that fails, ERR_CANCELLED after file_cancel(). */
enum err file_write(const char *path, struct bytes data, mode_t mode) MUST_CHECK;

/* Writes several files of one directory. The files appear one right after the other once all are on
 * disk. If writing fails, no file appears; if renaming one fails, those before it have appeared.
 * Entries with path NULL are skipped. */
struct file_one {
	const char *path;
	struct bytes data;
	mode_t mode;
};
enum { FILE_ALL_MAX = 4 };
enum err file_write_all(const struct file_one *file, size_t count) MUST_CHECK;

/* Like file_write(), but does not wait for the disk. Use it only for files that can be recomputed,
 * and whose reader can tell whether they are complete. */
enum err file_write_soon(const char *path, struct bytes data, mode_t mode) MUST_CHECK;

/* Like mkdir -p; also syncs the directories that hold the new ones, so that files synced in these
 * survive a power loss. ERR_JOB. */
enum err file_make_dirs(const char *path) MUST_CHECK;
/* Like rm -r: removes a directory or a file, and follows no link. Returns -1 with errno on
 * failure. */
int file_remove_tree(const char *path);
/* Syncs the directory of path, so that the name of a file made without file_write() is on disk.
 * ERR_JOB. */
enum err file_sync_dir(const char *path) MUST_CHECK;
/* Checks an output directory before the computation. ERR_INPUT unless path is an empty directory or
 * does not exist. */
enum err file_check_new_dir(const char *path) MUST_CHECK;
/* Calls file_check_new_dir(), then file_make_dirs(). */
enum err file_make_new_dir(const char *path) MUST_CHECK;
bool file_exists(const char *path);
/* ERR_INPUT if a secret's file is missing, or if its mode gives rights to users other than its
 * owner. what: the secret's name in errors, such as "the passphrase". In $CREDENTIALS_DIRECTORY
 * mode 0440 suffices, which systemd sets for units with User=. Files that are not regular may have
 * any mode. */
enum err file_check_secret(const char *path, const char *what) MUST_CHECK;

/* Returns dir/name, or a copy of name if name is absolute or dir is "". The caller owns it. */
char *file_join(const char *dir, const char *name);
char *file_dir(const char *path); /* owned by the caller: "a/b" of "a/b/c", "." of "c" */
char *file_program_dir(void);     /* directory of this program; owned by the caller */
/* True if the path ends with ending, such as ".npy". False for NULL. */
bool file_ends(const char *path, const char *ending);

/* Removes temporary files left in a directory by processes that no longer run. */
void file_sweep(const char *dir);

/* Removes the temporary files of all threads and refuses further writes. For the end of a
 * process. Not for signal handlers. */
void file_cancel(void);

/* First call in main(): opens /dev/null for descriptors 0 to 2 that are closed. Otherwise a file
 * or socket could get their numbers and receive printed text. Ends the process on failure. */
void file_hold_standard(void);

#endif
