#include <criterion/criterion.h>
#include <string.h>

#include "store.h"
#include "util/alloc.h"

static const int64_t shape[2] = {300, 100};

/* A source with short runs to read, and a mark. */
static void
make_source(struct store *s)
{
    struct dtx_target_file *file = store_target(s, "source.h5", 2);

    store_set(file, 0, "w", dtx_type_of(DTX_UINT16), 2, shape);
    store_set(file, 1, "f8", dtx_type_of(DTX_FLOAT8_E4M3FN), 2, shape);
    cr_assert_eq(s->storage->ops->create(s->storage, file, &s->err), DTX_OK);
    cr_assert_eq(s->storage->ops->close(s->storage, file, &s->err), DTX_OK);
}

static enum dtx_status
scan_again(struct store *s)
{
    struct dtx_text listing = {0};
    enum dtx_status status;

    status = s->storage->ops->scan(s->storage, store_path(s, "source.h5.tmp"),
                                   &listing, &s->err);
    dtx_text_finish(&listing);
    return status;
}

static enum dtx_status
read_columns(struct store *s)
{
    static uint16_t buffer[300 * 100];

    return store_read(s, "w", (int64_t[]){0, 10}, (int64_t[]){300, 20}, buffer);
}

static struct dtx_target_file *target;

static enum dtx_status
create_target(struct store *s)
{
    return s->storage->ops->create(s->storage, target, &s->err);
}

/* Fails the first allocation, the second, … until all go well. Returns how
 * many had to. */
static int
fail_each(struct store *s, enum dtx_status (*op)(struct store *))
{
    enum dtx_status status = DTX_ERR_LIMIT;
    int calls;

    for (calls = 0; status != DTX_OK; calls++) {
        dtx_alloc_fail_after(calls);
        status = op(s);
        dtx_alloc_fail_after(-1);
        cr_assert(status == DTX_OK || status == DTX_ERR_LIMIT, "%d: %s",
                  (int)status, s->err.message);
        cr_assert_lt(calls, 1000);
    }
    return calls;
}

Test(faults, every_allocation_that_fails_is_an_error)
{
    struct store s;

    cr_assert(store_begin(&s));
    make_source(&s);
    cr_assert_neq(store_path(&s, "source.h5.tmp"), NULL);
    cr_assert_gt(fail_each(&s, scan_again), 3);
    cr_assert_eq(store_scan(&s, store_path(&s, "source.h5.tmp")), DTX_OK);
    fail_each(&s, read_columns);
    target = store_copy_target(&s, "target.h5");
    cr_assert_gt(fail_each(&s, create_target), 1);
    cr_assert_eq(s.storage->ops->close(s.storage, target, &s.err), DTX_OK);
    store_finish(&s);
}
