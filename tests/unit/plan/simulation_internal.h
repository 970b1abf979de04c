/*
 * The inside of a simulation; see simulation.h. simulation_places.c knows where
 * elements stand, simulation_moves.c takes them from the source to messages
 * and on to the target, simulation.c runs the steps and looks at what came of
 * it.
 */
#ifndef TESTS_PLAN_SIMULATION_INTERNAL_H
#define TESTS_PLAN_SIMULATION_INTERNAL_H

#include "plan/step/step.h"
#include "simulation.h"

/* What a byte of a message holds. */
enum { EMPTY = -1, INSIDE = -2 };

/* A dataset of the target, and how often each element came. */
struct arrival {
    int tensor;
    int64_t count;     /* elements of the dataset */
    int64_t *elements; /* [count] the element that belongs there */
    uint8_t *times;    /* [count * terms] */
};

struct simulation {
    const struct planned *p;
    int process_count;
    struct dtx_step_builder *builders; /* [process_count] */
    struct dtx_step *steps;
    int64_t ***messages; /* [process][send][byte] */
    int64_t **stores;    /* [process][byte] what is kept between rounds */
    struct dtx_process_cost *sums;
    struct shard *shards[2]; /* [tensors * positions] */
    struct arrival *arrivals;
    struct dtx_names paths; /* of the arrivals */
    uint8_t **reads;        /* [tensor][process][term][element] */
};

/* A walk over the elements of a box, row-major. */
struct elements {
    int ndim;
    int64_t at[DTX_NDIM_MAX];
    const int64_t *len;
    int64_t left;
};

struct elements elements_of(int ndim, const int64_t *len);
void next_element(struct elements *e);

struct shard *shard_of(const struct simulation *s, int side, int tensor,
                       int position);

/* Where an element of a slice stands in its dataset, and in its message; and
 * where it is kept between rounds. */
int64_t dataset_index(const struct elements *e, const struct dtx_region *region,
                      const struct dtx_slice *slice, const int64_t *shape);
int64_t message_index(const struct simulation *s, const struct elements *e,
                      const struct dtx_region *region,
                      const struct dtx_slice *slice);
int64_t *kept_place(const struct simulation *s, int process,
                    const struct elements *e, const struct dtx_region *region,
                    const struct dtx_slice *slice);

/* The shape of a position's dataset. */
void dataset_shape(const struct simulation *s, int side, int tensor,
                   int position, int64_t *shape);

/* The element at a place of a position's dataset. */
int64_t element_at(const struct simulation *s, int side, int tensor,
                   int position, int64_t index);

/* One number for an element of a term of a tensor. */
int64_t identity(int tensor, int term, int64_t element);

/* Does what a process reads, and writes, in the step that is built. */
void read_step(struct simulation *s, int process);
void write_step(struct simulation *s, int process);

/* Both ends of all messages agree, and all is within the schedule's bytes. */
void check_messages(const struct simulation *s);

#endif
