#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "util/wire.h"

static struct dtx_wire
wire_of(const struct dtx_text *text)
{
    return (struct dtx_wire){.at = text->data, .left = text->length};
}

static void
write_some(struct dtx_text *text)
{
    dtx_wire_add_number(text, UINT64_MAX);
    dtx_wire_add_string(text, "");
    dtx_wire_add_string(text, "layers.0.weight");
    dtx_wire_add_number(text, 2);
    dtx_wire_add_number(text, 7);
    dtx_wire_add_number(text, 8);
}

static bool
reads_as_written(struct dtx_wire wire)
{
    bool is_same = dtx_wire_number(&wire) == UINT64_MAX;

    is_same &= strcmp(dtx_wire_string(&wire), "") == 0;
    is_same &= strcmp(dtx_wire_string(&wire), "layers.0.weight") == 0;
    is_same &= dtx_wire_count(&wire, 8) == 2;
    is_same &= dtx_wire_number(&wire) == 7;
    is_same &= dtx_wire_number(&wire) == 8;
    return is_same && !wire.is_damaged && wire.left == 0;
}

Test(wire, what_was_written_is_read)
{
    struct dtx_text text = {0};

    write_some(&text);
    cr_assert(reads_as_written(wire_of(&text)));
    dtx_text_finish(&text);
}

/* Each part ends in memory of its own, so that nothing behind it is read. */
Test(wire, what_was_cut_short_is_damaged)
{
    struct dtx_text text = {0};

    write_some(&text);
    for (size_t length = 0; length < text.length; length++) {
        char *part = malloc(length + 1);

        memcpy(part, text.data, length);
        cr_assert(
            !reads_as_written((struct dtx_wire){.at = part, .left = length}));
        free(part);
    }
    dtx_text_finish(&text);
}

Test(wire, counts_and_strings_beyond_the_end_are_damaged)
{
    struct dtx_text text = {0};
    struct dtx_wire wire;

    dtx_wire_add_number(&text, 3);
    dtx_text_add_bytes(&text, "abc", 3); /* without an end */
    wire = wire_of(&text);
    cr_assert_str_eq(dtx_wire_string(&wire), "");
    cr_assert(wire.is_damaged);
    wire = wire_of(&text);
    cr_assert_eq(dtx_wire_count(&wire, 2), 0);
    cr_assert(wire.is_damaged);
    wire = wire_of(&text);
    cr_assert_eq(dtx_wire_count(&wire, 1), 3);
    cr_assert(!wire.is_damaged);
    dtx_text_finish(&text);
}
