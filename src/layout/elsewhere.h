/*
 * Files beside those of a layout in which data of its datasets stands: raw
 * files of external storage, sources of virtual datasets, what external links
 * lead to. They are gathered while a catalog is built.
 */
#ifndef DTX_LAYOUT_ELSEWHERE_H
#define DTX_LAYOUT_ELSEWHERE_H

#include "layout/catalog.h"

struct dtx_elsewhere_state {
    uint64_t size; /* bytes */
    int64_t time;  /* of the last change, in ns */
};

/* {0} is empty. */
struct dtx_elsewhere {
    struct dtx_names paths;
    struct dtx_elsewhere_state *states; /* [paths.count] */
    size_t capacity;
};

/* Adds a file, unless it is there. -1 when out of memory. */
int dtx_elsewhere_add(struct dtx_elsewhere *elsewhere, const char *path,
                      uint64_t size, int64_t time);

/* Lets the catalog's files be followed by these. -1 when out of memory. */
int dtx_elsewhere_store(const struct dtx_elsewhere *elsewhere,
                        struct dtx_catalog *catalog);

void dtx_elsewhere_finish(struct dtx_elsewhere *elsewhere);

#endif
