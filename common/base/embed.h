/* embed.h -- files whose bytes are compiled into a program. The Makefile lists the objects that
 * depend on them. */
#ifndef COMMON_BASE_EMBED_H
#define COMMON_BASE_EMBED_H

#include "common/base/buf.h"

/* Defines text_of_NAME(), which returns the contents of the file at `path`. The path starts at the
 * repository's top. */
/* clang-format off */
#define EMBED(name, path) \
	__asm__(".section .rodata\n" \
		".global file_" #name "\n.hidden file_" #name "\nfile_" #name ":\n" \
		".incbin \"" path "\"\n" \
		".global file_" #name "_end\n.hidden file_" #name "_end\n" \
		"file_" #name "_end:\n.previous\n"); \
	extern const uint8_t file_##name[], file_##name##_end[]; \
	static struct bytes text_of_##name(void) \
	{ \
		return (struct bytes){ file_##name, \
				       (uintptr_t)file_##name##_end - (uintptr_t)file_##name }; \
	}
/* clang-format on */

#endif
