/*
 * What goes straight from a source file to a target file of one process: boxes
 * that are read and written as they are, piece by piece through a stage that
 * the caches hold, rather than through the slot.
 *
 * The writer's thread moves them. Where a process has a core for the reader's
 * as well, that moves a half of the bytes; else both would only hold each other
 * up where they write into one file.
 */
#ifndef DTX_ENGINE_STEP_STRAIGHT_H
#define DTX_ENGINE_STEP_STRAIGHT_H

#include "engine/engine.h"

/* Of a region of either end: the one of the other end that has its box, and
 * who moves it. */
struct straight {
    int other;   /* -1: it goes through the slot */
    int dataset; /* that is read */
    bool by_reader;
};

/* Finds the regions of a slot's step that go straight. Local. */
enum dtx_status engine_find_straight(struct slot *slot, struct dtx_error *err);

/*
 * Where a region goes straight, moves it if that is for this end's thread to
 * do. False where it doesn't.
 *
 * reads       the region is one that is read, and this the reader's thread
 * status_out  set where it does
 */
bool engine_move_straight(struct slot *slot, const struct dtx_region *region,
                          bool reads, enum dtx_status *status_out,
                          struct dtx_error *err);

#endif
