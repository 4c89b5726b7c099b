#include "common/base/file.h"
#include "common/base/alloc.h"
#include "common/base/machine.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Temporary files of unfinished writes, for file_cancel(). */
struct temp {
	struct temp *next;
	char *path;
	int fd; /* -1: not created; -2: closed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct temp *temps;
static bool cancelled;

static enum err file_read_all(int fd, const char *path, size_t expected, size_t max,
			      struct buf *out)
{
	/* Reserves one byte for the terminator, and one byte that lets read() find the end of the
	 * file without growing the buffer. */
	buf_extend(out, expected + 2);
	out->n = 0;
	for (;;) {
		size_t had = out->n, room = out->cap - had > 1 ? out->cap - had : 65536;
		ssize_t got;

		do {
			got = read(fd, buf_extend(out, room), room);
			out->n = had;
		} while (got < 0 && errno == EINTR);
		if (got < 0)
			return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
		out->n = had + (size_t)got;
		if (out->n > max)
			return err_set(ERR_INPUT, "%s: more than the %zu bytes that are read", path,
				       max);
		if (got == 0)
			return ERR_OK;
	}
}

enum err file_part_open(struct file_part *f, const char *path, size_t max)
{
	struct stat st;
	enum err err = ERR_OK;

	*f = (struct file_part){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (f->fd < 0)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	if (fstat(f->fd, &st))
		err = err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err = err_set(ERR_INPUT, "%s is a directory, expected a file", path);
	else if (st.st_size < 0 || (uintmax_t)st.st_size > max)
		err = err_set(ERR_INPUT, "%s: %jd bytes, at most %zu are read", path,
			      (intmax_t)st.st_size, max);
	if (err) {
		file_part_close(f);
		return err;
	}
	f->size = (size_t)st.st_size;
	f->whole = !S_ISREG(st.st_mode);
	return ERR_OK;
}

enum err file_part_read(const struct file_part *f, size_t first, void *to, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t more = pread(f->fd, (char *)to + got, n - got, (off_t)(first + got));

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return err_set(ERR_INPUT, "%s: %s", f->path, strerror(errno));
		if (more == 0)
			return err_set(ERR_INPUT, "%s: it has become shorter while it was read",
				       f->path);
		got += (size_t)more;
	}
	return ERR_OK;
}

void file_part_close(struct file_part *f)
{
	close(f->fd);
	f->fd = -1;
}

enum err file_read(const char *path, size_t max, struct buf *out)
{
	struct file_part f;
	enum err err;

	TRY(file_part_open(&f, path, max));
	err = machine_fits(path, "the file", (double)f.size);
	if (!err)
		err = file_read_all(f.fd, path, f.size, max, out);
	file_part_close(&f);
	if (err) {
		buf_release(out);
		return err;
	}
	*buf_extend(out, 1) = 0;
	out->n--;
	return ERR_OK;
}

enum err file_read_text(const char *path, size_t max, struct buf *out)
{
	static const struct {
		size_t n;
		const char *bytes, *name;
	} mark[] = { { 3, "\xef\xbb\xbf", "EF BB BF" },
		     { 2, "\xff\xfe", "FF FE, UTF-16" },
		     { 2, "\xfe\xff", "FE FF, UTF-16" } };

	TRY(file_read(path, max, out));
	for (size_t i = 0; i < sizeof(mark) / sizeof(*mark); i++)
		if (out->n >= mark[i].n && !memcmp(out->p, mark[i].bytes, mark[i].n)) {
			buf_release(out);
			return err_set(ERR_INPUT,
				       "%s: begins with a byte order mark (%s), expected text in "
				       "UTF-8 without one",
				       path, mark[i].name);
		}
	return ERR_OK;
}

static enum err file_write_bytes(int fd, struct bytes data)
{
	while (data.n) {
		ssize_t put = write(fd, data.p, data.n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_set(ERR_JOB, "cannot write: %s", strerror(errno));
		data.p += put;
		data.n -= (size_t)put;
	}
	return ERR_OK;
}

/* Creates the file and its list entry under one lock, so that file_cancel() never sees only one of
 * them. */
static enum err temp_open(struct temp *t, mode_t mode)
{
	enum err err = ERR_OK;

	pthread_mutex_lock(&lock);
	if (cancelled) {
		err = err_set(ERR_CANCELLED, "the process is ending");
	} else {
		t->fd = open(t->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (t->fd < 0) {
			err = err_set(ERR_JOB, "cannot create %s: %s", t->path, strerror(errno));
		} else {
			t->next = temps;
			temps = t;
		}
	}
	pthread_mutex_unlock(&lock);
	return err;
}

/* Renames the temporary file to `path` if err is ERR_OK, otherwise removes it. Takes t out of
 * `temps`. */
static enum err temp_close(struct temp *t, const char *path, enum err err)
{
	struct temp **at = &temps;

	pthread_mutex_lock(&lock);
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (cancelled)
		err = err_set(ERR_CANCELLED, "the process is ending");
	else if (!err && rename(t->path, path))
		err = err_set(ERR_JOB, "cannot rename to it: %s", strerror(errno));
	if (err)
		unlink(t->path);
	pthread_mutex_unlock(&lock);
	return err;
}

static int file_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

int file_remove_tree(const char *path)
{
	enum { FILES_OPEN = 16 };

	return nftw(path, file_remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
}

enum err file_sync_dir(const char *path)
{
	char *dir = file_dir(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err err = ERR_OK;

	/* Accepts file systems that cannot sync directories, and directories without read
	 * permission. */
	if (fd < 0 ? errno != EACCES : fsync(fd) && errno != EINVAL)
		err = err_set(ERR_JOB, "%s: cannot bring to disk: %s", dir, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(dir);
	return err;
}

/* Writes the temporary file; t->fd is -1 if it could not be created. */
static enum err temp_write(struct temp *t, const struct file_one *f)
{
	static _Atomic unsigned counter;
	struct buf name = { 0 };
	enum err err;

	buf_printf(&name, "%s.%ld-%u.tmp", f->path, (long)getpid(), counter++);
	buf_add(&name, "", 1);
	t->path = (char *)name.p;
	t->fd = -1;
	err = temp_open(t, f->mode);
	return err ? err : file_write_bytes(t->fd, f->data);
}

static enum err temp_end(struct temp *t, bool wait, enum err err)
{
	/* EINVAL: the file system cannot sync. */
	if (!err && wait && fsync(t->fd) && errno != EINVAL)
		err = err_set(ERR_JOB, "cannot bring to disk: %s", strerror(errno));
	if (close(t->fd) && !err)
		err = err_set(ERR_JOB, "cannot write: %s", strerror(errno));
	t->fd = -2;
	return err;
}

static enum err write_beside(const struct file_one *file, size_t count, bool wait)
{
	struct temp t[FILE_ALL_MAX] = { 0 };
	const char *at = NULL; /* path that the error concerns */
	enum err err = ERR_OK;
	size_t made = 0;

	for (; made < count && !err; made++) {
		at = file[made].path;
		err = temp_write(&t[made], &file[made]);
	}
	for (size_t i = 0; i < made; i++)
		if (t[i].fd >= 0) {
			at = err ? at : file[i].path;
			err = temp_end(&t[i], wait, err);
		}
	for (size_t i = 0; i < made; i++) {
		if (t[i].fd != -1) {
			at = err ? at : file[i].path;
			err = temp_close(&t[i], file[i].path, err);
		}
		free(t[i].path);
	}
	if (err)
		return err_prefix(err, "%s", at);
	if (wait) /* if the sync fails, all files are nevertheless in place and complete */
		(void)!file_sync_dir(file->path);
	return ERR_OK;
}

enum err file_write(const char *path, struct bytes data, mode_t mode)
{
	return write_beside(&(struct file_one){ path, data, mode }, 1, true);
}

enum err file_write_soon(const char *path, struct bytes data, mode_t mode)
{
	return write_beside(&(struct file_one){ path, data, mode }, 1, false);
}

enum err file_write_all(const struct file_one *file, size_t count)
{
	struct file_one some[FILE_ALL_MAX];
	size_t n = 0;

	assert(count <= FILE_ALL_MAX);
	for (size_t i = 0; i < count; i++)
		if (file[i].path)
			some[n++] = file[i];
	return write_beside(some, n, true);
}

void file_cancel(void)
{
	pthread_mutex_lock(&lock);
	cancelled = true;
	for (struct temp *t = temps; t; t = t->next)
		unlink(t->path);
	pthread_mutex_unlock(&lock);
}

enum err file_make_dirs(const char *path)
{
	char *copy = alloc_copy(path[0] ? path : ".");
	enum err err = ERR_OK;
	struct stat st;

	for (char *p = copy + 1; !err && *copy; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = 0;
		if (mkdir(copy, 0777) == 0)
			err = file_sync_dir(copy);
		else if (errno != EEXIST)
			err = err_set(ERR_JOB, "cannot make the directory %s: %s", copy,
				      strerror(errno));
		if (!c)
			break;
		*p = c;
	}
	free(copy);
	if (!err && path[0] && (stat(path, &st) || !S_ISDIR(st.st_mode)))
		err = err_set(ERR_JOB, "%s is there, but it is not a directory", path);
	return err;
}

enum err file_check_new_dir(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	bool empty = true;

	if (!dir && errno != ENOENT)
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	while (dir && (entry = readdir(dir)))
		empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
	if (dir)
		closedir(dir);
	if (!empty)
		return err_set(
		    ERR_INPUT,
		    "%s: this directory is not empty: name a new one, or remove it first", path);
	return ERR_OK;
}

enum err file_make_new_dir(const char *path)
{
	TRY(file_check_new_dir(path));
	return file_make_dirs(path);
}

/* systemd grants a unit's user access to a credential by an access list. The list's mask appears as
 * the group bits: 0440. The group itself gets no access, and no other user can enter the
 * directory. */
static bool is_credential(const char *path)
{
	const char *directory = getenv("CREDENTIALS_DIRECTORY");
	size_t n = directory ? strlen(directory) : 0;

	return n > 1 && directory[0] == '/' && strncmp(path, directory, n) == 0 && path[n] == '/' &&
	       !strchr(path + n + 1, '/');
}

enum err file_check_secret(const char *path, const char *what)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(ERR_INPUT, "%s: %s", path, strerror(errno));
	if (S_ISREG(st.st_mode) && (st.st_mode & (is_credential(path) ? 037 : 077)))
		return err_set(ERR_INPUT, "%s: mode %04o lets others at %s: chmod 600 %s", path,
			       (unsigned)st.st_mode & 07777, what, path);
	return ERR_OK;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *file_join(const char *dir, const char *name)
{
	size_t n = strlen(dir), bytes = n + strlen(name) + 2;
	char *path;

	if (name[0] == '/' || n == 0)
		return alloc_copy(name);
	path = alloc(bytes, 1);
	snprintf(path, bytes, "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
	return path;
}

bool file_ends(const char *path, const char *ending)
{
	size_t n = path ? strlen(path) : 0, m = strlen(ending);

	return path && n >= m && !strcmp(path + n - m, ending);
}

char *file_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir;

	if (!slash)
		return alloc_copy(".");
	if (slash == path)
		return alloc_copy("/");
	dir = alloc_copy(path);
	dir[slash - path] = 0;
	return dir;
}

char *file_program_dir(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	return file_dir(path);
}

void file_sweep(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;
		long pid;
		int end = 0;

		/* Matches NAME.PID-NUMBER.tmp; NAME may contain dots. */
		for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
			if (sscanf(dot, ".%ld-%*u.tmp%n", &pid, &end) != 1 || !end || dot[end] ||
			    pid <= 0)
				continue;
			if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
				unlinkat(dirfd(d), name, 0);
			break;
		}
	}
	if (d)
		closedir(d);
}

void file_hold_standard(void)
{
	/* open() returns the lowest free descriptor. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			_exit(ERR_INTERNAL);
}
