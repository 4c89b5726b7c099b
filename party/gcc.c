#include "party/gcc.h"

enum err party_gcc(struct work *work, uint32_t *label)
{
	(void)work;
	(void)label;
	return err_set(ERR_INTERNAL, "gcc is not there yet");
}
