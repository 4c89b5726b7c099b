#include "server/gcc.h"

enum err server_gcc(struct run *run, uint32_t *label)
{
	(void)run;
	(void)label;
	return err_set(ERR_INTERNAL, "gcc is not there yet");
}
