/*
 * Tensor tables: the names, shapes and dtypes of a checkpoint that needs no
 * files. An entry with `range: {i: [a, b]}` stands for one tensor per number,
 * several keys for their product, the first key outermost. Keys that a table
 * has beyond these are hints for others.
 */
#ifndef DTX_SPEC_TABLE_H
#define DTX_SPEC_TABLE_H

#include <stdint.h>

#include <dtx/dtype.h>

#include "layout/catalog.h"
#include "layout/limits.h"
#include "spec/report.h"
#include "spec/yaml_tree.h"

enum {
    TABLE_FIELDS_MAX = 8,        /* {i} in a name */
    TABLE_TENSORS_MAX = 10000000 /* of a table */
};

/* One number of a name: the field and its inclusive range. */
struct table_range {
    const char *key;
    struct dtx_mark mark;
    int64_t first, last;
};

/* One entry of a table as written. */
struct table_line {
    const char *name;
    struct dtx_mark mark;
    int range_count;
    struct table_range ranges[TABLE_FIELDS_MAX];
    struct dtx_type type;
    int ndim;
    const int64_t *shape; /* in the catalog's arena */
    int64_t count;        /* tensors */
    int64_t elements;     /* of one */
    int64_t bytes;        /* of one */
};

struct table_reader {
    struct spec_report report;
    struct dtx_arena scratch;
    struct dtx_catalog *catalog;
};

/* Reads one entry; false after a mistake in it. */
bool table_read_line(struct table_reader *reader, const struct yaml_node *node,
                     struct table_line *line);

/* Compares a figure that the table gives, if it does, with what was counted. */
void table_check_figure(struct table_reader *reader,
                        const struct yaml_node *map, const char *name,
                        int64_t counted);

/* Adds all tensors of the lines to the catalog, and reports names that come
 * twice. */
void table_expand(struct table_reader *reader, const struct table_line *lines,
                  int line_count, int64_t tensor_count);

#endif
