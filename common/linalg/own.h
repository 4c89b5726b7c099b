/* own.h -- what la.c and la_product.c share. */
#ifndef COMMON_LINALG_OWN_H
#define COMMON_LINALG_OWN_H

#include <stddef.h>

/* n as BLAS wants it. It is la.c's, so that a program that has products has the pin of BLAS, too. */
int la_int(size_t n);

#endif
