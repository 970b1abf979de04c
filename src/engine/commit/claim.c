#include "engine/commit/claim.h"

#include <stdio.h>
#include <string.h>

#include "engine/commit/journal.h"
#include "engine/commit/leftovers.h"
#include "engine/commit/marks.h"
#include "engine/commit/rivals.h"
#include "engine/commit/target.h"
#include "manifest/manifest.h"
#include "util/alloc.h"
#include "util/error.h"

/* Folders of so many processes can stand in one another. */
enum { FOLDER_ROUNDS = 3 };

/* Process 0's view of the journal while the target is claimed. */
struct claim {
    struct engine *e;
    struct dtx_text path;
    struct dtx_text content; /* what an earlier run wrote */
    bool is_open;
};

static enum dtx_status
settle(struct engine *e, enum dtx_status status, struct dtx_error *err)
{
    return dtx_transport_settle(e->transport, status, err);
}

static void
remark(const struct engine *e, const char *text)
{
    if (e->options->remark != NULL && e->transport->process == 0) {
        e->options->remark(text, e->options->remark_context);
    }
}

static enum dtx_status
open_journal(struct claim *c, struct dtx_error *err)
{
    const struct dtx_storage_ops *ops = c->e->storage->ops;
    enum dtx_status status =
        ops->journal_open(c->e->storage, c->path.data, &c->content, err);

    c->is_open = status == DTX_OK;
    return status;
}

static void
close_journal(struct claim *c, bool has_served)
{
    struct dtx_error unseen;

    if (c->is_open) {
        (void)!c->e->storage->ops->journal_close(c->e->storage, has_served,
                                                 &unseen);
        c->is_open = false;
    }
}

static const char *
content_of(const struct claim *c)
{
    return c->content.data == NULL ? "" : c->content.data;
}

/* ---------------------------------------------------------------- going on */

/* Takes over what the journal says, which must be of a run like this one. */
static enum dtx_status
take_over(struct claim *c, struct dtx_error *err)
{
    struct engine *e = c->e;
    struct journal_state state = {0};
    struct dtx_text head = {0};
    enum dtx_status status = journal_add_head(e, &head, err);

    if (status == DTX_OK) {
        status = journal_compare(e, content_of(c), head.data, err);
    }
    if (status == DTX_OK) {
        status = journal_read(c->path.data, &c->content, e->plan->tensor_count,
                              &state, err);
    }
    if (status == DTX_OK && state.bytes < c->content.length) {
        status = e->storage->ops->journal_cut(e->storage, state.bytes, err);
    }
    dtx_text_finish(&head);
    if (status != DTX_OK) {
        dtx_free(state.sums);
        return status;
    }
    e->safety.is_committing = state.is_committing;
    e->safety.is_resumed = state.safe > 0 || state.is_committing;
    e->safety.is_forced |= state.is_forced;
    e->safety.tensors = state.safe;
    e->safety.sums = state.sums;
    return DTX_OK;
}

/* Looks for a run to go on with. Process 0. */
static enum dtx_status
look_for_run(struct claim *c, struct dtx_error *err)
{
    struct engine *e = c->e;
    enum dtx_status status;

    if (!e->storage->ops->exists(e->storage, c->path.data)) {
        return DTX_OK;
    }
    status = open_journal(c, err);
    if (status == DTX_OK && journal_has_begun(content_of(c))) {
        status = take_over(c, err);
    }
    if (status != DTX_OK) {
        close_journal(c, false);
    }
    return status;
}

/* What the leader found, for all. */
static enum dtx_status
share_safety(struct engine *e, struct dtx_error *err)
{
    struct engine_safety *safety = &e->safety;
    int32_t found[] = {safety->is_resumed, safety->is_committing,
                       safety->is_forced, safety->tensors};
    enum dtx_status status = e->transport->ops->broadcast(
        e->transport, engine_leader(e), found, sizeof found, err);

    safety->is_resumed = found[0] != 0;
    safety->is_committing = found[1] != 0;
    safety->is_forced = found[2] != 0;
    safety->tensors = found[3];
    return status;
}

static void
remark_resumed(const struct engine *e)
{
    char text[128];

    snprintf(text, sizeof text,
             "going on with an interrupted run: %d of %d tensors are done",
             e->safety.tensors, e->plan->tensor_count);
    remark(e, e->safety.is_committing
                  ? "going on with an interrupted run: files are still to be "
                    "put in place"
                  : text);
}

/* Collective. */
static enum dtx_status
resume(struct claim *c, struct dtx_error *err)
{
    struct engine *e = c->e;
    enum dtx_status status = DTX_OK;

    if (engine_leads(e)) {
        status = look_for_run(c, err);
    }
    status = settle(e, status, err);
    if (status == DTX_OK) {
        status = share_safety(e, err);
    }
    if (status == DTX_OK && e->safety.is_resumed) {
        remark_resumed(e);
    }
    return status;
}

/* ---------------------------------------------------------------- starting */

/* Removes what a run left that died, or that is not to be gone on with. */
static enum dtx_status
clear_leftovers(struct claim *c, struct dtx_error *err)
{
    struct engine *e = c->e;
    enum dtx_status status;

    if (c->content.length == 0) {
        return DTX_OK;
    }
    if (journal_has_begun(content_of(c)) && !e->options->resume) {
        remark(e, "removing what an interrupted run left; --resume goes on "
                  "with it instead");
    }
    status = engine_clear_leftovers(e, c->path.data, content_of(c), err);
    if (status == DTX_OK) {
        c->content.length = 0;
    }
    return status;
}

static enum dtx_status
write_head(struct claim *c, struct dtx_error *err)
{
    struct engine *e = c->e;
    struct dtx_text head = {0};
    enum dtx_status status = journal_add_head(e, &head, err);

    if (e->safety.is_forced) {
        dtx_text_add(&head, "forced\n");
    }
    if (status == DTX_OK && head.failed) {
        status = dtx_error_memory(err);
    }
    if (status == DTX_OK) {
        status = e->storage->ops->journal_append(e->storage, head.data, err);
    }
    dtx_text_finish(&head);
    return status;
}

/* Begins a journal. The target is looked at once more: another run may have
 * finished it before this one got the lock. Process 0. */
static enum dtx_status
begin_journal(struct claim *c, struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    if (!c->is_open) {
        status = open_journal(c, err);
    }
    if (status == DTX_OK) {
        status = engine_check_manifest(c->e, err);
    }
    if (status == DTX_OK) {
        status = clear_leftovers(c, err);
    }
    if (status == DTX_OK && c->e->options->resume) {
        remark(c->e, "there is nothing to resume: the run begins");
    }
    return status == DTX_OK ? write_head(c, err) : status;
}

static enum dtx_status
claim(struct claim *c, struct dtx_error *err)
{
    struct engine *e = c->e;
    enum dtx_status status;

    e->safety.is_forced = e->options->force;
    status = engine_spare_source(e, err);
    if (status == DTX_OK && e->options->resume) {
        status = resume(c, err);
    }
    if (status == DTX_OK) {
        status = e->safety.is_committing
                     ? engine_check_marks(e, content_of(c), err)
                     : engine_check_target(e, err);
    }
    if (status != DTX_OK || e->safety.is_resumed) {
        return status;
    }
    if (engine_leads(e)) {
        status = begin_journal(c, err);
    }
    status = settle(e, status, err);
    return status == DTX_OK ? engine_refuse_rivals(e, c->path.data, err)
                            : status;
}

/* Adds to a failure that --resume goes on, behind what its hint says. */
static void
hint_resume(const struct engine *e, struct dtx_error *err)
{
    char hint[sizeof err->hint];
    int used = snprintf(hint, sizeof hint, "%s%s", err->hint,
                        err->hint[0] == '\0' ? "" : "; ");

    if (used < 0 || (size_t)used >= sizeof hint) {
        return;
    }
    if (e->safety.is_committing) {
        dtx_error_hint(err,
                       "%sall data is safe: the same run with --resume "
                       "puts the files in place",
                       hint);
    } else {
        dtx_error_hint(err,
                       "%s%d of %d tensors are safe: the same run with "
                       "--resume does the rest",
                       hint, e->safety.tensors, e->plan->tensor_count);
    }
}

/* Says of a run that was stopped before it had begun what comes next. */
static void
hint_again(const struct engine *e, enum dtx_status status,
           struct dtx_error *err)
{
    if (status == DTX_ERR_INTERRUPTED && e->safety.is_resumed) {
        hint_resume(e, err);
    } else if (status == DTX_ERR_INTERRUPTED) {
        dtx_error_hint(err, "it had not begun: the same run can be started "
                            "again");
    }
}

enum dtx_status
engine_claim_target(struct engine *e, struct dtx_error *err)
{
    struct claim c = {.e = e};
    enum dtx_status status;

    dtx_manifest_journal_path(e->plan->target, &c.path);
    status = settle(e, c.path.failed ? dtx_error_memory(err) : DTX_OK, err);
    if (status == DTX_OK) {
        status = claim(&c, err);
    }
    if (status != DTX_OK) {
        /* an earlier run's journal stays: nothing of its files was touched */
        close_journal(&c, c.content.length == 0);
        e->storage->ops->remove_folders(e->storage);
        hint_again(e, status, err);
    }
    dtx_text_finish(&c.path);
    dtx_text_finish(&c.content);
    return status;
}

/* ---------------------------------------------------------------- release */

/* True where what a failed run leaves is of use to a later one. */
static bool
is_worth_keeping(const struct engine *e, enum dtx_status status)
{
    switch (status) {
    case DTX_ERR_SOURCE:
    case DTX_ERR_TARGET:
    case DTX_ERR_LIMIT:
    case DTX_ERR_COMM:
    case DTX_ERR_DEVICE:
    case DTX_ERR_INTERRUPTED:
        return e->safety.is_committing || e->safety.tensors > 0;
    case DTX_OK:
    case DTX_ERR_DIFFERENT:
    case DTX_ERR_INVALID:
    case DTX_ERR_DIGEST:
    case DTX_ERR_INTERNAL:
        break;
    }
    return e->safety.is_committing;
}

/* Says of a run that was stopped before anything was safe what comes next. */
static void
hint_anew(enum dtx_status status, bool is_left, struct dtx_error *err)
{
    if (status == DTX_ERR_INTERRUPTED && err->hint[0] == '\0') {
        dtx_error_hint(err, is_left
                                ? "nothing was safe yet: the same run begins "
                                  "anew, and removes what is left behind"
                                : "nothing was safe yet and nothing is left "
                                  "behind: the same run begins anew");
    }
}

/* Waits for all, unless there may be none to wait for. True where it is of
 * any. Collective. */
static bool
wait_for_all(struct engine *e, enum dtx_status status, bool is_so)
{
    int64_t of_any = is_so;
    struct dtx_error unseen;

    if (status != DTX_ERR_COMM) {
        (void)!dtx_transport_maximum(e->transport, of_any, &of_any, &unseen);
    }
    return of_any != 0;
}

/* Removes the folders that this run has made. One process's can stand in
 * another's: those that are left are tried again. Collective. */
static void
remove_folders(struct engine *e, enum dtx_status status)
{
    int i;

    for (i = 0; i < FOLDER_ROUNDS; i++) {
        e->storage->ops->remove_folders(e->storage);
        (void)wait_for_all(e, status, false);
    }
}

/* After a success: a journal that can't be removed says that the target isn't
 * complete. Collective and settled. */
static enum dtx_status
drop_journal(struct engine *e, struct dtx_error *err)
{
    enum dtx_status status =
        e->storage->ops->journal_close(e->storage, true, err);

    status = settle(e, status, err);
    if (status != DTX_OK) {
        hint_resume(e, err);
    }
    return status;
}

/* After a failure. Collective. */
static void
release_failed(struct engine *e, enum dtx_status status, struct dtx_error *err)
{
    bool is_kept = is_worth_keeping(e, status);
    bool is_left = /* and of no use, but the journal tells whose it is */
        !engine_abandon_target(e, is_kept, status == DTX_ERR_INTERRUPTED);
    struct dtx_error unseen;

    if (is_kept) {
        hint_resume(e, err);
    } else {
        /* a later run must not make its files while these are removed */
        is_left = wait_for_all(e, status, is_left);
        hint_anew(status, is_left, err);
    }
    (void)!e->storage->ops->journal_close(e->storage, !is_kept && !is_left,
                                          &unseen);
    if (!is_kept && !is_left) {
        remove_folders(e, status);
    }
}

enum dtx_status
engine_release_target(struct engine *e, enum dtx_status status,
                      struct dtx_error *err)
{
    if (status == DTX_OK) {
        return drop_journal(e, err);
    }
    release_failed(e, status, err);
    return status;
}
