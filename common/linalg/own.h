/* own.h -- shared by la.c and la_product.c. */
#ifndef COMMON_LINALG_OWN_H
#define COMMON_LINALG_OWN_H

#include <stddef.h>

/* Returns n as an int, for BLAS. Defined in la.c, so that every program with products links the
 * code that pins BLAS. */
int la_int(size_t n);

#endif
