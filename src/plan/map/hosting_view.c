#include "plan/map/hosting_view.h"

#include "util/alloc.h"
#include "util/math.h"

/* Bytes beyond this are as good as these: no sum of them overflows. */
static const int64_t bytes_most = (int64_t)1 << 50;

static int64_t
times(int64_t a, int64_t b)
{
    int64_t product;

    return dtx_mul_overflows(a, b, &product) ? bytes_most
                                             : dtx_min(product, bytes_most);
}

/* True where a dim's pieces can't be told apart by what they share. */
static bool
is_uniform(const struct dtx_overlap *o, bool approximately)
{
    int i;

    if (o->pair_count == 0 ||
        (int64_t)o->pair_count != (int64_t)o->src_count * o->dst_count) {
        return false;
    }
    for (i = 1; i < o->pair_count && !approximately; i++) {
        if (o->pairs[i].length != o->pairs[0].length) {
            return false;
        }
    }
    return true;
}

static void
choose_dims(struct dtx_hosting_view *view, bool approximately)
{
    const struct dtx_class *c = view->c;
    int dim;

    view->bytes = times((int64_t)c->wire_bytes, c->instance_count);
    view->item_count = 1;
    view->is_exact = true;
    for (dim = 0; dim < c->ndim; dim++) {
        const struct dtx_overlap *o = c->overlaps[dim];

        if (is_uniform(o, approximately)) {
            view->is_exact &= !approximately || is_uniform(o, false);
            view->bytes = times(view->bytes, o->pairs[0].length);
        } else {
            view->dims[view->dim_count++] = dim;
            view->item_count *= view->fixed->tiling->dims[dim].piece_count;
        }
    }
}

int
dtx_hosting_view_item(const struct dtx_hosting_view *view,
                      const struct dtx_side *side, int shard)
{
    int pieces[DTX_NDIM_MAX];
    int item = 0, i;

    dtx_side_pieces(side, shard, pieces);
    for (i = 0; i < view->dim_count; i++) {
        int dim = view->dims[i];

        item = item * side->tiling->dims[dim].piece_count + pieces[dim];
    }
    return item;
}

/* Sets the item of each position of the mesh that moves. */
static int
set_items(struct dtx_hosting_view *view)
{
    const struct dtx_side *side = view->moving;
    int count = side->mesh->position_count, shard, i;

    view->items = dtx_alloc((size_t)count, sizeof *view->items);
    if (view->items == NULL) {
        return -1;
    }
    for (i = 0; i < count; i++) {
        view->items[i] = -1;
    }
    for (shard = 0; shard < side->shard_count; shard++) {
        for (i = side->shard_first[shard]; i < side->shard_first[shard + 1];
             i++) {
            view->items[side->positions[i]] =
                dtx_hosting_view_item(view, side, shard);
        }
    }
    return 0;
}

int
dtx_hosting_view_init(struct dtx_hosting_view *view, const struct dtx_class *c,
                      bool moves_target, bool approximately)
{
    *view = (struct dtx_hosting_view){.c = c,
                                      .moves_target = moves_target,
                                      .moving = moves_target ? c->dst : c->src,
                                      .fixed = moves_target ? c->src : c->dst};
    choose_dims(view, approximately);
    return set_items(view);
}

void
dtx_hosting_view_finish(struct dtx_hosting_view *view)
{
    dtx_free(view->items);
    dtx_free(view->stock_first);
    dtx_free(view->stocks);
    *view = (struct dtx_hosting_view){0};
}

/* Where no dim matters, only how many shards each process has does: are they
 * as many on each? */
bool
dtx_hosting_view_decides(const struct dtx_hosting_view *view,
                         const int *proc_index, int proc_count)
{
    const struct dtx_side *fixed = view->fixed;
    int i, holders = 0, shards = 0, most = 0;

    if (view->dim_count > 0) {
        return true;
    }
    for (i = 0; i < fixed->use_count; i++) {
        const struct dtx_use *use = &fixed->uses[i];

        if (proc_index[use->process] >= 0) {
            bool starts = i == 0 || use->process != use[-1].process;

            holders += starts;
            shards = starts ? 1 : shards + 1;
            most = shards > most ? shards : most;
        }
    }
    for (i = 0, shards = 0; i < fixed->use_count; i++) {
        shards += proc_index[fixed->uses[i].process] >= 0;
    }
    return holders < proc_count || (int64_t)most * holders != shards;
}

void
dtx_hosting_view_walk(const struct dtx_hosting_view *view, int item,
                      dtx_hosting_view_visit *visit, void *context)
{
    int first[DTX_NDIM_MAX], end[DTX_NDIM_MAX], at[DTX_NDIM_MAX];
    int i;

    for (i = view->dim_count - 1; i >= 0; i--) {
        int dim = view->dims[i];
        const struct dtx_overlap *o = view->c->overlaps[dim];
        const int *firsts = view->moves_target ? o->dst_first : o->src_first;
        int pieces = view->moving->tiling->dims[dim].piece_count;

        first[i] = at[i] = firsts[item % pieces];
        end[i] = firsts[item % pieces + 1];
        item /= pieces;
        if (first[i] == end[i]) {
            return;
        }
    }
    do {
        int64_t bytes = view->bytes;
        int other = 0;

        for (i = 0; i < view->dim_count; i++) {
            int dim = view->dims[i];
            const struct dtx_overlap *o = view->c->overlaps[dim];
            const struct dtx_pair *pair =
                &o->pairs[view->moves_target ? o->dst_pairs[at[i]] : at[i]];

            other = other * view->fixed->tiling->dims[dim].piece_count +
                    (view->moves_target ? pair->src : pair->dst);
            bytes = times(bytes, pair->length);
        }
        visit(view, other, bytes, context);
        for (i = view->dim_count - 1; i >= 0 && ++at[i] == end[i]; i--) {
            at[i] = first[i];
        }
    } while (i >= 0);
}
