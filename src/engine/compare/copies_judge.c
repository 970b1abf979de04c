/*
 * Judging copies: which of them are damaged, as far as sums can tell.
 */
#include <inttypes.h>

#include "engine/compare/copies.h"
#include "engine/step/digest.h"
#include "layout/crc64.h"
#include "layout/digest.h"
#include "layout/limits.h"
#include "util/text.h"

enum {
    CHOICES_MOST = 4096, /* ways to pick a copy of each group, tried at most */
    RANKS_MOST = 8,      /* that a message names */
};

/* The copies of one tensor that have its values. */
struct judging {
    struct copies_job *job;
    const struct dtx_held *held;
    struct copy *copies;
    int count;
    const struct copy **chosen; /* [count] one of each group; scratch */
    int group_count;
};

static uint64_t
digest_of(const struct judging *j, uint64_t sum)
{
    return dtx_digest_finish(sum, j->held->ndim, j->held->shape,
                             j->held->type.size_bytes);
}

/* Adds a finding about one copy. */
static void
blame(const struct judging *j, const struct copy *copy, const char *message)
{
    const struct dtx_holding *h = j->job->reader->holding;
    int file = h->catalog->datasets[copy->dataset].file;

    findings_add(j->job->findings, j->held->name, h->catalog->files[file],
                 dtx_mesh_rank(&h->layout->mesh, copy->position), "%s",
                 message);
}

static bool
is_candidate(const struct copy *copy)
{
    return !copy->is_unread;
}

/* Sets the first readable copy of each group; false where one has none. */
static bool
choose_first(struct judging *j)
{
    int i;

    j->group_count = 0;
    for (i = 0; i < j->count; i++) {
        bool is_new = i == 0 || j->copies[i].group != j->copies[i - 1].group;

        if (is_new && i > 0 && j->chosen[j->group_count - 1] == NULL) {
            return false;
        }
        if (is_new) {
            j->chosen[j->group_count++] = NULL;
        }
        if (j->chosen[j->group_count - 1] == NULL &&
            is_candidate(&j->copies[i])) {
            j->chosen[j->group_count - 1] = &j->copies[i];
        }
    }
    return j->group_count == 0 || j->chosen[j->group_count - 1] != NULL;
}

static uint64_t
chosen_sum(const struct judging *j)
{
    uint64_t sum = 0;
    int i;

    for (i = 0; i < j->group_count; i++) {
        sum ^= j->chosen[i]->sum;
    }
    return sum;
}

static uint64_t
chosen_digest(const struct judging *j)
{
    return digest_of(j, chosen_sum(j));
}

/* The next copy of the same group that can be chosen, or NULL. */
static const struct copy *
next_copy(const struct judging *j, const struct copy *copy)
{
    const struct copy *end = j->copies + j->count, *next;

    for (next = copy + 1; next < end && next->group == copy->group; next++) {
        if (is_candidate(next) && next->sum != copy->sum) {
            return next;
        }
    }
    return NULL;
}

static const struct copy *
first_copy(const struct copy *copy, const struct copy *first)
{
    const struct copy *found = copy;

    for (; copy >= first && copy->group == found->group; copy--) {
        found = is_candidate(copy) ? copy : found;
    }
    return found;
}

/* Moves to another choice, like counting up; false after the last. */
static bool
choose_next(struct judging *j)
{
    int i;

    for (i = 0; i < j->group_count; i++) {
        const struct copy *next = next_copy(j, j->chosen[i]);

        if (next != NULL) {
            j->chosen[i] = next;
            return true;
        }
        j->chosen[i] = first_copy(j->chosen[i], j->copies);
    }
    return false;
}

/* True, with the choice set, where copies can be picked that are sound. */
static bool
find_sound(struct judging *j, uint64_t digest)
{
    int tries = 0;

    do {
        if (chosen_digest(j) == digest) {
            return true;
        }
    } while (++tries < CHOICES_MOST && choose_next(j));
    return false;
}

/* Blames the copies that aren't like the chosen, sound ones of their group. */
static void
blame_unlike(const struct judging *j)
{
    int i, group = -1;

    for (i = 0; i < j->count; i++) {
        const struct copy *copy = &j->copies[i];

        group += i == 0 || copy->group != copy[-1].group;
        if (is_candidate(copy) && copy->sum != j->chosen[group]->sum) {
            blame(j, copy,
                  "this copy is damaged; others match the tensor's digest");
        }
    }
}

/* Names the ranks whose copies differ from the first of their group: "; the
 * copies of ranks 0 and 2 differ". */
static void
add_unlike(const struct judging *j, struct dtx_text *text)
{
    const struct dtx_mesh *mesh = &j->job->reader->holding->layout->mesh;
    const struct copy *first = NULL;
    int i, told = 0;

    for (i = 0; i < j->count && told < RANKS_MOST; i++) {
        const struct copy *copy = &j->copies[i];

        if (!is_candidate(copy)) {
            continue;
        }
        if (first == NULL || first->group != copy->group) {
            first = copy;
        } else if (copy->sum != first->sum) {
            dtx_text_format(text,
                            "; the copies of ranks %" PRId64 " and %" PRId64
                            " differ",
                            dtx_mesh_rank(mesh, first->position),
                            dtx_mesh_rank(mesh, copy->position));
            told++;
        }
    }
}

/*
 * The group whose copies are damaged, where it is one: the error of a shard's
 * sum is in the tensor's digest as it is, and in its places times the shard's
 * factor. -1 where no group, or more than one, explains both.
 */
static int
find_damaged(const struct judging *j, uint64_t digest)
{
    int tensor = j->copies[0].tensor, i;
    uint64_t error = chosen_digest(j) ^ digest, places;

    if (j->job->has_places == NULL || !j->job->has_places[tensor]) {
        return -1;
    }
    places = j->job->places[tensor];
    for (i = 0; i < j->group_count; i++) {
        places ^= dtx_crc64_multiply(j->chosen[i]->sum,
                                     digest_place_factor(j->chosen[i]->group));
    }
    for (i = 0; i < j->group_count; i++) {
        if (dtx_crc64_multiply(
                error, digest_place_factor(j->chosen[i]->group)) == places) {
            return j->chosen[i]->group;
        }
    }
    return -1;
}

static void
blame_group(const struct judging *j, int group, const char *message)
{
    int i;

    for (i = 0; i < j->count; i++) {
        if (j->copies[i].group == group && is_candidate(&j->copies[i])) {
            blame(j, &j->copies[i], message);
        }
    }
}

static void
blame_tensor(struct judging *j, uint64_t digest)
{
    struct dtx_text text = {0};
    uint64_t found;
    int group;

    (void)choose_first(j);
    found = chosen_digest(j);
    group = find_damaged(j, digest);
    dtx_text_format(&text,
                    "its digest is %016" PRIx64
                    ", but the manifest says %016" PRIx64,
                    found, digest);
    add_unlike(j, &text);
    if (text.failed) {
        j->job->findings->failed = true;
    } else if (j->count == 1) { /* it stands in one dataset */
        blame(j, j->copies, text.data);
    } else if (group >= 0) {
        blame_group(j, group, text.data);
    } else {
        findings_add(j->job->findings, j->held->name, NULL, -1, "%s",
                     text.data);
    }
    dtx_text_finish(&text);
}

/* Without a digest, copies can only be held against each other. */
static void
tell_unlike(const struct judging *j)
{
    struct dtx_text text = {0};

    add_unlike(j, &text);
    if (text.failed) {
        j->job->findings->failed = true;
    } else if (text.length > 0) {
        findings_add(j->job->findings, j->held->name, NULL, -1, "%s",
                     text.data + 2);
    }
    dtx_text_finish(&text);
}

/* Judges what a pending reduction left beside the values, and keeps the copies
 * that have the values. */
static void
take_values(struct judging *j, const struct copy *copies, int count)
{
    int i;

    for (i = 0; i < count; i++) {
        const struct copy *copy = &copies[i];

        if (copy->term == DTX_TERM_VALUE) {
            j->copies[j->count++] = *copy;
        } else if (!copy->is_unread && copy->sum != 0) {
            blame(j, copy,
                  copy->term == DTX_TERM_ZEROS
                      ? "this term of a pending sum isn't all zeros"
                      : "this term of a pending product isn't all ones");
        }
    }
}

void
copies_judge(struct copies_job *job, const struct copy *copies, int count)
{
    int tensor = copies[0].tensor;
    struct judging j = {.job = job,
                        .held = &job->reader->holding->tensors[tensor]};
    struct dtx_arena *scratch = &job->reader->ranges;

    dtx_arena_reset(scratch);
    j.chosen = dtx_arena_alloc(scratch, (size_t)count, sizeof *j.chosen);
    j.copies = dtx_arena_alloc(scratch, (size_t)count, sizeof *j.copies);
    if (j.chosen == NULL || j.copies == NULL) {
        job->findings->failed = true;
        return;
    }
    take_values(&j, copies, count);
    if (job->sums != NULL && choose_first(&j)) {
        job->sums[tensor] = chosen_sum(&j);
    }
    if (!job->has_digest[tensor]) {
        tell_unlike(&j);
    } else if (choose_first(&j)) { /* else what is unread has been told */
        if (find_sound(&j, job->digests[tensor])) {
            blame_unlike(&j);
        } else if (job->is_plain) {
            tell_unlike(&j);
        } else {
            blame_tensor(&j, job->digests[tensor]);
        }
    }
}
