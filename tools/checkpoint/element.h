/*
 * Elements: what a generated checkpoint holds.
 *
 * Each element is a function of its tensor's name, the seed and its global
 * index (row-major in the logical shape), so that any part of any shard can be
 * made, or checked, without a reference. Floats are finite, never zero, and
 * between 2^-8 and 2 in magnitude, with random signs and mantissas; integers
 * take all values.
 */
#ifndef CHECKPOINT_ELEMENT_H
#define CHECKPOINT_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

#include <dtx/dtype.h>

/* The key of a tensor. */
uint64_t element_key(const char *name, uint64_t seed);

/* Makes count elements from a global index on, little-endian, into a buffer
 * that is aligned for the dtype. */
void element_fill(enum dtx_dtype dtype, uint64_t key, int64_t index,
                  size_t count, void *buffer);

/* Makes count elements that are all 0 or all 1. */
void element_fill_constant(enum dtx_dtype dtype, int value, size_t count,
                           void *buffer);

/* The bits of an element and, for real floats, its value:
 * "0x3f80 (1)". text must have room for ELEMENT_TEXT bytes. Returns text. */
enum { ELEMENT_TEXT = 80 };
char *element_describe(enum dtx_dtype dtype, const void *element, char *text);

#endif
