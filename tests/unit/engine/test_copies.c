#include <stdio.h>
#include <string.h>

#include "crew.h"
#include "engine/compare/copies.h"
#include "engine/compare/objects.h"
#include "engine/reshard.h"
#include "plan/bind/holding.h"
#include "storage/memory/memory_storage.h"
#include "support/claim.h"

enum { RANKS_MOST = 256 };

/* A tensor and an object, of which each rank of a checkpoint has a copy. */
struct copies {
    int rank_count;
    char values[RANKS_MOST]; /* of both; 0: they can't be read */
    struct dtx_memory_files *files;
    struct dtx_layout *layout;
    struct dtx_diagnostics *list;
    /* What each process found of the tensor and of the object. */
    struct findings findings[CREW_MOST][2];
    uint64_t digests[CREW_MOST];
};

static void
put_rank(struct copies *c, int rank)
{
    char file[16], text[2] = {c->values[rank], '\0'};
    struct dtx_error err = {0};

    snprintf(file, sizeof file, "%d", rank);
    claim(dtx_memory_files_put(c->files, file, "w", DTX_UINT8, 0, NULL, text,
                               &err) == DTX_OK);
    claim(dtx_memory_files_put_object(c->files, file, "words", text, &err) ==
          DTX_OK);
    if (c->values[rank] == 0) {
        dtx_memory_files_spoil(c->files, file, "w");
        dtx_memory_files_spoil(c->files, file, "words");
    }
}

static void
put(struct copies *c)
{
    struct dtx_error err = {0};
    char text[128];

    c->files = dtx_memory_files_create();
    c->list = dtx_diagnostics_create();
    snprintf(text, sizeof text,
             "mesh: {x: %d}\ncheckpoint: {path: \"{rank}\"}\n"
             "tensors: [{name: \"**\"}]\n",
             c->rank_count);
    claim(dtx_layout_parse(text, "s.yaml", ".", DTX_SOURCE, c->list, &c->layout,
                           &err) == DTX_OK);
    for (int i = 0; i < c->rank_count; i++) {
        put_rank(c, i);
    }
}

static void
check_both(struct crew_member *m, struct held_reader *reader)
{
    struct copies *c = m->context;
    bool has_digest = false;
    uint64_t digest = 0;
    struct copies_job tensors = {.transport = m->transport,
                                 .reader = reader,
                                 .digests = &digest,
                                 .has_digest = &has_digest,
                                 .stage_bytes = 1,
                                 .findings = &c->findings[m->process][0]};
    struct objects_job objects = {.transport = m->transport,
                                  .reader = reader,
                                  .digests = &c->digests[m->process],
                                  .findings = &c->findings[m->process][1]};
    struct dtx_error err = {0};

    claim(engine_check_copies(&tensors, &err) == DTX_OK, "%s", err.message);
    claim(engine_digest_objects(&objects, &err) == DTX_OK, "%s", err.message);
    claim(tensors.copy_count == c->rank_count);
    claim(objects.copy_count == c->rank_count);
}

static void
check_member(struct crew_member *m)
{
    struct copies *c = m->context;
    struct dtx_diagnostics *list = dtx_diagnostics_create();
    char stage;
    struct held_reader reader = {.stage = &stage};
    struct dtx_holding *holding;
    struct dtx_catalog *catalog;
    struct dtx_error err = {0};

    claim(dtx_memory_storage_create(c->files, &reader.storage, &err) == DTX_OK);
    claim(engine_read_catalog(c->layout, m->transport, NULL, reader.storage,
                              &catalog, &err) == DTX_OK,
          "%s", err.message);
    claim(dtx_holding_create(c->layout, catalog, list, &holding, &err) ==
          DTX_OK);
    reader.holding = holding;
    reader.storage->ops->use_catalog(reader.storage, catalog);
    check_both(m, &reader);
    held_reader_finish(&reader);
    reader.storage->ops->destroy(reader.storage);
    dtx_holding_destroy(holding);
    dtx_catalog_destroy(catalog);
    dtx_diagnostics_destroy(list);
}

/* What is found of a rank's copy, or NULL. */
static const char *
found(const struct findings *findings, int rank)
{
    const char *message = NULL;

    for (size_t i = 0; i < findings->count; i++) {
        if (findings->array[i].rank == rank) {
            claim(message == NULL, "rank %d is named twice", rank);
            message = findings->array[i].message;
        }
    }
    return message;
}

/* What can't be read is named, and that it is this; the rest only where it
 * isn't like the first: of an object each copy, of a tensor that has no digest
 * the tensor. */
static void
judge(const struct copies *c, const struct findings *findings, bool is_object)
{
    bool differ = false;
    char sound = 0;

    for (int i = 0; i < c->rank_count; i++) {
        const char *message = found(findings, i);
        bool is_unlike;

        if (c->values[i] == 0) {
            claim(message != NULL && strstr(message, "read") != NULL,
                  "rank %d: %s", i, message);
            continue;
        }
        sound = sound == 0 ? c->values[i] : sound;
        is_unlike = c->values[i] != sound;
        differ |= is_unlike;
        claim((message != NULL) == (is_object && is_unlike), "rank %d: %s", i,
              message);
    }
    claim((found(findings, -1) != NULL) == (differ && !is_object));
}

static void
try_copies(struct copies *c, int processes)
{
    put(c);
    crew_run(processes, check_member, c);
    for (int i = 0; i < processes; i++) {
        for (int kind = 0; kind < 2; kind++) {
            judge(c, &c->findings[i][kind], kind == 1);
            findings_finish(&c->findings[i][kind]);
        }
        claim(c->digests[i] == c->digests[0]);
    }
    dtx_memory_files_destroy(c->files);
    dtx_layout_destroy(c->layout);
    dtx_diagnostics_destroy(c->list);
}

Test(copies, that_are_not_like_the_first_are_found)
{
    for (int processes = 1; processes <= 4; processes++) {
        try_copies(&(struct copies){.rank_count = 1, .values = "a"}, processes);
        try_copies(&(struct copies){.rank_count = 5, .values = "aabaa"},
                   processes);
        try_copies(&(struct copies){.rank_count = 4, .values = "\0aaa"},
                   processes);
    }
}

/* However many can't be read, those that can are not blamed for it. */
Test(copies, that_are_sound_are_not_blamed_for_unreadable_ones)
{
    for (int processes = 1; processes <= 4; processes++) {
        for (int every = 2; every <= RANKS_MOST; every *= 4) {
            struct copies c = {.rank_count = RANKS_MOST};

            for (int i = every - 1; i < RANKS_MOST; i += every) {
                c.values[i] = 'a';
            }
            try_copies(&c, processes);
        }
    }
}
