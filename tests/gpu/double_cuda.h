/*
 * The double of a device in CUDA's place.
 *
 * A program that is linked with double_cuda.c has devices everywhere, so that
 * what is said of them is tested on any machine.
 */
#ifndef TESTS_GPU_DOUBLE_CUDA_H
#define TESTS_GPU_DOUBLE_CUDA_H

#include <stdbool.h>

/* Whether devices that are made from now on have addresses of the host. */
extern bool double_is_open;

#endif
