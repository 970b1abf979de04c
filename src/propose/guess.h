/*
 * Guessing the mesh of ranks that the files' names only count.
 *
 * Where ranks hold the same, and where they hold nothing, repeats with the
 * strides of the axes: from which positions a tensor is the same follows which
 * divisors of the number of ranks are ends of axes.
 */
#ifndef DTX_PROPOSE_GUESS_H
#define DTX_PROPOSE_GUESS_H

#include "propose/evidence.h"

/*
 * Finds axes without names. The ranks of positions are kept.
 *
 * mesh     in: one axis of all ranks; out: several where the evidence says so
 *
 * False where the evidence fits no mesh; the mesh is then as it was.
 */
bool guess_mesh(const struct evidence *e, struct dtx_mesh *mesh);

#endif
