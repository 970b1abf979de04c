/*
 * Readers: what the parts of a layout file need while they are read.
 *
 * Mesh and split come first, since nearly all else names axes. Where they are
 * wrong, mistakes that could only follow from that are not reported.
 */
#ifndef DTX_SPEC_READER_H
#define DTX_SPEC_READER_H

#include <stdbool.h>

#include "layout/layout.h"
#include "spec/fields.h"
#include "spec/report.h"
#include "spec/yaml_tree.h"

struct spec_reader {
    struct spec_report report;
    struct dtx_arena scratch; /* the tree, and what lives no longer than it */
    struct dtx_layout *layout;
    enum dtx_role role;
    bool axes_known;  /* all names of axes are right */
    bool sizes_known; /* and all sizes */
};

/* The parts of a layout file. node is NULL where the file lacks the part. */
void spec_read_mesh(struct spec_reader *reader, const struct yaml_node *node);
void spec_read_ranks(struct spec_reader *reader, const struct yaml_node *node);
void spec_read_checkpoint(struct spec_reader *reader,
                          const struct yaml_node *node);
/* Makes the layout one of shards in memory, each rank's in a place of its own.
 */
void spec_forget_checkpoint(struct spec_reader *reader);
void spec_read_rules(struct spec_reader *reader, const struct yaml_node *node);
void spec_read_numbered(struct spec_reader *reader,
                        const struct yaml_node *node);
void spec_read_renames(struct spec_reader *reader,
                       const struct yaml_node *node);
void spec_read_files(struct spec_reader *reader, const struct yaml_node *node);

/* `placements` of a rule: a map or a list. */
void spec_read_placements(struct spec_reader *reader,
                          const struct yaml_node *node, struct dtx_rule *rule);

/* One placement, whatever its form; axis is set before. */
bool spec_read_placement(struct spec_reader *reader,
                         const struct yaml_node *node,
                         struct dtx_placement *placement);

/* What a rule's parts say about each other. */
void spec_check_rule(struct spec_reader *reader, const struct dtx_rule *rule);

/* The index of the axis that a scalar names, or -1. */
int spec_axis(struct spec_reader *reader, const struct yaml_node *node);

/*
 * Reports values of a list that come twice, each with its first place.
 *
 * values  [list->count] of the list's items
 * what    names one: "rank"
 */
void spec_check_distinct(struct spec_reader *reader,
                         const struct yaml_node *list, const int64_t *values,
                         const char *code, const char *what);

/* Memory for count elements that lives with the layout; NULL and
 * report.failed when out of it. */
void *spec_alloc(struct spec_reader *reader, int count, size_t size);

#endif
