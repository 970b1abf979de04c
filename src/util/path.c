#include "util/path.h"

#include <stddef.h>
#include <string.h>

/* A component of a path; length 0: there are no more. */
struct part {
    const char *at;
    size_t length;
};

/* The first component at or after a place, passing over "/" and "./". */
static struct part
part_at(const char *at)
{
    struct part part = {at, 0};

    do {
        part.at = at + strspn(at, "/");
        part.length = strcspn(part.at, "/");
        at = part.at + part.length;
    } while (part.length == 1 && part.at[0] == '.');
    return part;
}

static struct part
part_after(struct part part)
{
    return part_at(part.at + part.length);
}

static bool
are_equal(struct part a, struct part b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static bool
leads_up(struct part part)
{
    return part.length == 2 && memcmp(part.at, "..", 2) == 0;
}

bool
dtx_path_relative(const char *folder, const char *path, struct dtx_text *out)
{
    struct part from = part_at(folder), to = part_at(path);
    int up = 0;

    if ((folder[0] == '/') != (path[0] == '/')) {
        return false;
    }
    while (from.length > 0 && to.length > 0 && are_equal(from, to)) {
        from = part_after(from);
        to = part_after(to);
    }
    for (; from.length > 0; from = part_after(from), up++) {
        if (leads_up(from)) {
            return false;
        }
    }
    for (; up > 0; up--) {
        dtx_text_add(out, "../");
    }
    for (; to.length > 0; to = part_after(to)) {
        dtx_text_add_bytes(out, to.at, to.length);
        dtx_text_add(out, part_after(to).length > 0 ? "/" : "");
    }
    return true;
}

bool
dtx_path_equal(const char *a, const char *b)
{
    struct part left = part_at(a), right = part_at(b);

    while (left.length > 0 && are_equal(left, right)) {
        left = part_after(left);
        right = part_after(right);
    }
    return left.length == 0 && right.length == 0 &&
           (a[0] == '/') == (b[0] == '/');
}

bool
dtx_path_has_idle_part(const char *path)
{
    for (;;) {
        size_t length = strcspn(path, "/");

        if (length == 0 || (length == 1 && path[0] == '.')) {
            return true;
        }
        if (path[length] == '\0') {
            return false;
        }
        path += length + 1;
    }
}
