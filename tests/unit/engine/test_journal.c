#include <criterion/criterion.h>
#include <string.h>

#include "engine/commit/journal.h"
#include "util/alloc.h"

enum { TENSORS = 4, BLOCKS = 3 };

static const int safe_counts[BLOCKS + 1] = {0, 1, 3, TENSORS};

static const char marks[] = "mark 4096 1700000000000000001 0.h5\n"
                            "mark 512 1700000000000000002 a/b%20c.h5\n";

static uint64_t
sum_of(int tensor, int kind)
{
    return (uint64_t)(tensor * DIGEST_KIND_COUNT + kind + 1) *
           UINT64_C(0x9E3779B97F4A7C15);
}

/* A journal as a run writes it; returns where its head ends. */
static size_t
make_journal(struct dtx_text *text)
{
    uint64_t sums[TENSORS * DIGEST_KIND_COUNT];
    size_t head;

    dtx_text_add(text, "dtx-journal 3\nwrite 0.h5\nbegin\n");
    head = text->length;
    dtx_text_add(text, "forced\n");
    for (int b = 0; b < BLOCKS; b++) {
        int first = safe_counts[b], end = safe_counts[b + 1];

        for (int i = 0; i < (end - first) * DIGEST_KIND_COUNT; i++) {
            sums[i] = sum_of(first, i);
        }
        journal_add_safe(text, first, end, sums, end == TENSORS ? marks : NULL);
    }
    cr_assert(!text->failed);
    return head;
}

static void
check_marks(const char *content)
{
    struct dtx_names lines = {0};
    struct dtx_error err;

    cr_assert_eq(journal_read_marks(content, &lines, &err), DTX_OK);
    cr_assert_eq(lines.count, 2, "in\n%s", content);
    cr_assert_str_eq(lines.strings[0], "mark 4096 1700000000000000001 0.h5");
    cr_assert_str_eq(lines.strings[1],
                     "mark 512 1700000000000000002 a/b%20c.h5");
    dtx_names_finish(&lines);
}

/* What is read is what the run wrote by some moment, or it is refused. Returns
 * true where it is read. */
static bool
is_refused_or_true(const struct dtx_text *text)
{
    struct journal_state state = {0};
    struct dtx_error err;
    bool is_read = journal_read("j", text, TENSORS, &state, &err) == DTX_OK;
    int known = 0;

    for (int i = 0; i <= BLOCKS && is_read; i++) {
        known += state.safe == safe_counts[i];
    }
    cr_assert(!is_read || known == 1, "%d are safe in\n%s", state.safe,
              text->data);
    for (int i = 0; i < state.safe * DIGEST_KIND_COUNT && is_read; i++) {
        cr_assert_eq(state.sums[i], sum_of(0, i), "in\n%s", text->data);
    }
    cr_assert(!is_read || !state.is_committing || state.safe == TENSORS);
    if (is_read && state.is_committing) {
        check_marks(text->data);
    }
    dtx_free(state.sums);
    return is_read;
}

static struct dtx_text
copy(const struct dtx_text *text)
{
    struct dtx_text other = {0};

    dtx_text_add_bytes(&other, text->data, text->length);
    return other;
}

static void
cut_out(struct dtx_text *text, size_t at, size_t count)
{
    memmove(text->data + at, text->data + at + count,
            text->length + 1 - at - count);
    text->length -= count;
}

Test(journal, what_was_written_is_read)
{
    struct dtx_text text = {0};
    struct journal_state state;
    struct dtx_error err;

    make_journal(&text);
    cr_assert_eq(journal_read("j", &text, TENSORS, &state, &err), DTX_OK);
    cr_assert_eq(state.safe, TENSORS);
    cr_assert(state.is_committing && state.is_forced);
    dtx_free(state.sums);
    cr_assert(is_refused_or_true(&text));
    dtx_text_finish(&text);
}

Test(journal, no_changed_byte_makes_it_say_something_else)
{
    struct dtx_text text = {0};

    for (size_t at = make_journal(&text); at < text.length; at++) {
        for (int change = 0; change < 9; change++) {
            struct dtx_text other = copy(&text);

            if (change < 8) {
                other.data[at] = (char)(other.data[at] ^ (1 << change));
            } else {
                other.data[at] = '\0';
            }
            (void)is_refused_or_true(&other);
            dtx_text_finish(&other);
        }
    }
    dtx_text_finish(&text);
}

Test(journal, no_missing_part_makes_it_say_something_else)
{
    struct dtx_text text = {0};
    size_t head = make_journal(&text);

    for (size_t at = head; at < text.length; at++) {
        for (size_t count = 1; at + count <= text.length; count += 7) {
            struct dtx_text other = copy(&text);

            cut_out(&other, at, count);
            (void)is_refused_or_true(&other);
            dtx_text_finish(&other);
        }
    }
    dtx_text_finish(&text);
}

Test(journal, no_line_that_is_gone_or_doubled_makes_it_say_something_else)
{
    struct dtx_text text = {0};
    size_t at = make_journal(&text);

    while (at < text.length) {
        size_t length = strcspn(text.data + at, "\n") + 1;
        struct dtx_text shorter = copy(&text), longer = {0};

        cut_out(&shorter, at, length);
        (void)is_refused_or_true(&shorter);
        dtx_text_add_bytes(&longer, text.data, at + length);
        dtx_text_add_bytes(&longer, text.data + at, text.length - at);
        (void)is_refused_or_true(&longer);
        dtx_text_finish(&shorter);
        dtx_text_finish(&longer);
        at += length;
    }
    dtx_text_finish(&text);
}

/* Of a journal that was cut short anywhere, what counts can be added to. */
Test(journal, what_a_torn_end_leaves_is_added_to)
{
    struct dtx_text whole = {0};
    size_t head = make_journal(&whole);

    for (size_t end = head; end <= whole.length; end++) {
        struct dtx_text text = {0};
        struct journal_state state;
        struct dtx_error err;
        uint64_t sums[TENSORS * DIGEST_KIND_COUNT];
        int safe;

        if (whole.data[end - 1] != '\n') {
            continue;
        }
        dtx_text_add_bytes(&text, whole.data, end);
        cr_assert_eq(journal_read("j", &text, TENSORS, &state, &err), DTX_OK);
        safe = state.safe;
        cr_assert_leq(state.bytes, text.length);
        dtx_free(state.sums);
        if (state.is_committing) {
            cr_assert_eq(state.bytes, text.length);
            dtx_text_finish(&text);
            continue;
        }
        text.length = state.bytes;
        text.data[text.length] = '\0';
        for (int i = 0; i < (TENSORS - safe) * DIGEST_KIND_COUNT; i++) {
            sums[i] = sum_of(safe, i);
        }
        journal_add_safe(&text, safe, TENSORS, sums, marks);
        cr_assert(is_refused_or_true(&text), "behind %d in\n%s", safe,
                  text.data);
        dtx_text_finish(&text);
    }
    dtx_text_finish(&whole);
}

Test(journal, what_ends_behind_a_block_is_read)
{
    struct dtx_text text = {0};
    size_t head = make_journal(&text), ends = 0;

    for (size_t end = text.length; end > head; end--) {
        text.length = end;
        text.data[end] = '\0';
        ends += text.data[end - 1] == '\n' && is_refused_or_true(&text);
    }
    /* behind "forced", each line of sums, "mark", "safe" and "committing" */
    cr_assert_eq(ends, 1 + TENSORS + 2 + BLOCKS + 1);
    dtx_text_finish(&text);
}
