/* dir.h -- makes a directory in /tmp for one test or for all tests of a program, and writes text
 * into files there.
 */
#ifndef TESTS_UNIT_DIR_H
#define TESTS_UNIT_DIR_H

#include "tests/test.h"
#include "common/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/coterie-test-XXXXXX";

static inline int dir_make(void **state)
{
	(void)state;
	strcpy(strrchr(dir, '-'), "-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

/* Removes the directory with its contents. */
static inline int dir_remove(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Makes the directory and changes to it. */
static inline int dir_enter(void **state)
{
	return dir_make(state) || chdir(dir);
}

static inline int dir_leave(void **state)
{
	return chdir("/") || dir_remove(state);
}

/* Returns the path of `name` below the directory, in one of several static buffers. */
static inline const char *in(const char *name)
{
	static char path[8][256];
	static unsigned next;

	next = (next + 1) % 8;
	snprintf(path[next], sizeof(path[0]), "%.60s/%.180s", dir, name);
	return path[next];
}

/* Writes a file; makes missing directories. */
static inline void put_bytes(const char *path, struct bytes b)
{
	char *folder = file_dir(path);

	assert_ok(file_make_dirs(folder));
	assert_ok(file_write(path, b, FILE_PUBLIC));
	free(folder);
}

static inline void put(const char *path, const char *text)
{
	put_bytes(path, (struct bytes){ (const uint8_t *)text, strlen(text) });
}

/* Writes the text, as put() does, and releases it. */
static inline void put_buf(const char *path, struct buf *text)
{
	put_bytes(path, (struct bytes){ text->p, text->n });
	buf_release(text);
}

#endif
