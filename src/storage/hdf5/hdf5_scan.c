#include "storage/hdf5/hdf5_scan.h"

#include <stdio.h>
#include <string.h>

#include "layout/listing.h"
#include "storage/files.h"
#include "storage/hdf5/hdf5_attributes.h"
#include "storage/hdf5/hdf5_elsewhere.h"
#include "storage/hdf5/hdf5_library.h"
#include "storage/hdf5/hdf5_open.h"
#include "util/alloc.h"
#include "util/error.h"

/* Groups nested deeper, or linked to more often, aren't made by people. */
enum { DEPTH_MAX = 1000, ALIAS_MAX = 10000, PATH_MAX_BYTES = 1 << 16 };

/*
 * Bytes that a listing and its paths may have: so many, and so many for each
 * byte of the file. Long names in deep groups, and groups under many names,
 * would else make much of a small file. What is in other files counts among
 * the first.
 */
static const uint64_t bytes_least = (uint64_t)256 << 20;
enum { BYTES_PER_BYTE = 16 };

struct group {
    const char *path; /* "" is the root */
    int parent;       /* index of the group above; -1 for the root */
    int depth;
    bool is_foreign; /* in another file, by an external link */
    unsigned long file_number;
    haddr_t address;
};

struct link {
    const char *name;
    H5L_type_t kind;
};

struct walk {
    const char *path;
    hid_t file;
    uint64_t file_bytes;
    int64_t changed_ns;
    unsigned long file_number;
    uint64_t path_bytes; /* of all paths so far */
    struct dtx_hdf5_found found;
    struct dtx_names seen; /* groups by place, to count aliases */
    int alias_count;
    struct group *groups; /* all that were found; worked off in order */
    size_t group_count;
    size_t group_capacity;
    struct link *links; /* of the group at hand */
    size_t link_count;
    size_t link_capacity;
    bool no_memory;
    struct dtx_error *err;
};

static enum dtx_status
fail_reading(struct walk *walk, const char *path)
{
    if (path[0] == '\0') {
        return dtx_hdf5_fail(walk->err, DTX_ERR_SOURCE, "cannot read '%s'",
                             walk->path);
    }
    return dtx_hdf5_fail(walk->err, DTX_ERR_SOURCE, "cannot read '%s' of '%s'",
                         path, walk->path);
}

static bool
contains_itself(const struct walk *walk, const struct group *group)
{
    const struct group *above;
    int i;

    for (i = group->parent; i >= 0; i = above->parent) {
        above = &walk->groups[i];
        if (above->address == group->address &&
            above->file_number == group->file_number) {
            return true;
        }
    }
    return false;
}

/* Counts a group that is found again under another name. A few such links
 * doubled at each level would else have more paths than can be listed. */
static enum dtx_status
count_alias(struct walk *walk, const struct group *group)
{
    char place[64];
    int known = walk->seen.count;

    snprintf(place, sizeof place, "%lu:%llu", group->file_number,
             (unsigned long long)group->address);
    if (dtx_names_add(&walk->seen, place) < 0) {
        return dtx_error_memory(walk->err);
    }
    if (walk->seen.count == known && ++walk->alias_count > ALIAS_MAX) {
        return dtx_error_set(walk->err, DTX_ERR_SOURCE,
                             "cannot read '%s': its groups have too many "
                             "links to one another",
                             walk->path);
    }
    return DTX_OK;
}

static enum dtx_status
add_group(struct walk *walk, struct group group)
{
    enum dtx_status status;

    if (contains_itself(walk, &group)) {
        return DTX_OK;
    }
    if (group.depth > DEPTH_MAX) {
        return dtx_error_set(walk->err, DTX_ERR_SOURCE,
                             "cannot read '%s': its groups are nested more "
                             "than %d deep",
                             walk->path, DEPTH_MAX);
    }
    status = count_alias(walk, &group);
    if (status != DTX_OK) {
        return status;
    }
    if (dtx_grow(&walk->groups, walk->group_count, &walk->group_capacity,
                 sizeof group) != 0) {
        return dtx_error_memory(walk->err);
    }
    walk->groups[walk->group_count++] = group;
    return DTX_OK;
}

static herr_t
add_link(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    struct walk *walk = data;
    char *copy = dtx_arena_string(&walk->found.arena, name);

    (void)group;
    if (copy == NULL ||
        dtx_grow(&walk->links, walk->link_count, &walk->link_capacity,
                 sizeof *walk->links) != 0) {
        walk->no_memory = true;
        return -1;
    }
    walk->links[walk->link_count++] =
        (struct link){.name = copy, .kind = info->type};
    return 0;
}

/* path  the next one; NULL: no memory for it */
static enum dtx_status
check_growth(struct walk *walk, const char *path)
{
    uint64_t total = walk->path_bytes + walk->found.listing->length;

    if (path != NULL && strlen(path) > PATH_MAX_BYTES) {
        return dtx_error_set(walk->err, DTX_ERR_SOURCE,
                             "cannot read '%s': its groups are nested with "
                             "names of more than %d bytes",
                             walk->path, PATH_MAX_BYTES);
    }
    if (total <= bytes_least ||
        (total - bytes_least) / BYTES_PER_BYTE <= walk->file_bytes) {
        return DTX_OK;
    }
    return dtx_error_set(walk->err, DTX_ERR_SOURCE,
                         "cannot read '%s': the names of what is in it are "
                         "far longer than the file",
                         walk->path);
}

static const char *
join(struct walk *walk, const char *folder, const char *name)
{
    walk->path_bytes += strlen(folder) + strlen(name) + 2;
    if (folder[0] == '\0') {
        return name;
    }
    return dtx_arena_format(&walk->found.arena, "%s/%s", folder, name);
}

/* A link that can't be followed. */
static enum dtx_status
fail_link(struct walk *walk, const char *path, H5L_type_t kind)
{
    if (kind == H5L_TYPE_HARD) {
        return fail_reading(walk, path);
    }
    return dtx_hdf5_fail(
        walk->err, DTX_ERR_SOURCE, "%s link '%s' of '%s' leads nowhere",
        kind == H5L_TYPE_SOFT ? "soft" : "external", path, walk->path);
}

static enum dtx_status
visit_dataset(struct walk *walk, hid_t object, const char *path,
              bool is_foreign)
{
    struct dtx_hdf5_place place = {walk->path, path};

    return dtx_hdf5_scan_dataset(object, place, walk->file_bytes, is_foreign,
                                 &walk->found, walk->err);
}

/* Lists a group, or a named type; or only where it has attributes. */
static enum dtx_status
list_group(struct walk *walk, hid_t object, const char *path, bool is_type,
           bool is_listed)
{
    struct dtx_hdf5_place place = {walk->path, path[0] == '\0' ? "/" : path};
    struct dtx_group listed = {.path = path, .is_type = is_type};
    enum dtx_status status = dtx_hdf5_list_attributes(
        object, DTX_RAW, place, &walk->found.arena, &listed.attribute_count,
        &listed.attributes, walk->err);

    if (status == DTX_OK && (listed.attribute_count > 0 || is_listed)) {
        dtx_listing_group(walk->found.listing, &listed);
    }
    return status;
}

/* Notes the file of an object that is in another one. */
static enum dtx_status
note_elsewhere(struct walk *walk, hid_t object)
{
    char *name = dtx_hdf5_file_name(object);
    bool is_noted =
        name != NULL && dtx_names_add(&walk->found.elsewhere, name) >= 0;

    dtx_free(name);
    return is_noted ? DTX_OK : dtx_error_memory(walk->err);
}

/* An open object that a link of a group leads to. */
static enum dtx_status
visit(struct walk *walk, int parent, hid_t object, struct link link,
      const char *path)
{
    bool is_foreign = walk->groups[parent].is_foreign;
    H5I_type_t kind = H5Iget_type(object);
    H5O_info_t info = {.fileno = walk->file_number};

    if (kind == H5I_GROUP || link.kind != H5L_TYPE_HARD) {
        if (H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0) {
            return fail_reading(walk, path);
        }
        is_foreign |= info.fileno != walk->file_number;
    }
    if (info.fileno != walk->file_number &&
        note_elsewhere(walk, object) != DTX_OK) {
        return walk->err->status;
    }
    if (kind == H5I_DATASET) {
        return visit_dataset(walk, object, path, is_foreign);
    }
    if (kind == H5I_GROUP) {
        return add_group(walk,
                         (struct group){.path = path,
                                        .parent = parent,
                                        .depth = walk->groups[parent].depth + 1,
                                        .is_foreign = is_foreign,
                                        .file_number = info.fileno,
                                        .address = info.addr});
    }
    return list_group(walk, object, path, true, true);
}

static enum dtx_status
follow(struct walk *walk, int parent, hid_t group, struct link link)
{
    const char *path = join(walk, walk->groups[parent].path, link.name);
    enum dtx_status status = check_growth(walk, path);
    hid_t object;

    if (status != DTX_OK) {
        return status;
    }
    if (path == NULL) {
        return dtx_error_memory(walk->err);
    }
    object = H5Oopen(group, link.name, H5P_DEFAULT);
    if (object < 0) {
        return fail_link(walk, path, link.kind);
    }
    status = visit(walk, parent, object, link, path);
    H5Oclose(object);
    return status;
}

static enum dtx_status
walk_group(struct walk *walk, int index)
{
    const char *path = walk->groups[index].path;
    enum dtx_status status;
    hid_t group;
    size_t i;

    group = H5Gopen2(walk->file, path[0] == '\0' ? "/" : path, H5P_DEFAULT);
    if (group < 0) {
        return fail_reading(walk, path);
    }
    walk->link_count = 0;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, add_link, walk) <
        0) {
        status = walk->no_memory ? dtx_error_memory(walk->err)
                                 : fail_reading(walk, path);
    } else {
        status = list_group(walk, group, path, false,
                            walk->link_count == 0 && path[0] != '\0');
    }
    for (i = 0; i < walk->link_count && status == DTX_OK; i++) {
        status = follow(walk, index, group, walk->links[i]);
    }
    H5Gclose(group);
    return status;
}

/* Of a file that is gone by now, the size says so. */
static void
list_elsewhere(struct walk *walk)
{
    int i;

    for (i = 0; i < walk->found.elsewhere.count; i++) {
        const char *path = walk->found.elsewhere.strings[i];

        dtx_listing_elsewhere(walk->found.listing, path,
                              (uint64_t)dtx_file_size(path),
                              dtx_file_modified(path));
    }
}

static enum dtx_status
walk_file(struct walk *walk)
{
    enum dtx_status status;
    H5O_info_t root;
    size_t i;

    if (H5Oget_info2(walk->file, &root, H5O_INFO_BASIC) < 0) {
        return fail_reading(walk, "");
    }
    walk->file_number = root.fileno;
    dtx_listing_begin(walk->found.listing, walk->file_bytes, walk->changed_ns);
    status = add_group(walk, (struct group){.path = "",
                                            .parent = -1,
                                            .file_number = root.fileno,
                                            .address = root.addr});
    for (i = 0; i < walk->group_count && status == DTX_OK; i++) {
        status = walk_group(walk, (int)i);
    }
    list_elsewhere(walk);
    if (status == DTX_OK && walk->found.listing->failed) {
        status = dtx_error_memory(walk->err);
    }
    return status;
}

enum dtx_status
dtx_hdf5_scan(const char *path, struct dtx_text *listing, struct dtx_error *err)
{
    /* the time first: a change on the way must show */
    struct walk walk = {.path = path,
                        .changed_ns = dtx_file_modified(path),
                        .found.listing = listing,
                        .err = err};
    enum dtx_status status;

    dtx_hdf5_lock();
    status = dtx_hdf5_open_source(path, &walk.file, &walk.file_bytes, err);
    if (status == DTX_OK) {
        status = walk_file(&walk);
        H5Fclose(walk.file);
    }
    dtx_hdf5_unlock();
    dtx_free(walk.groups);
    dtx_free(walk.links);
    dtx_names_finish(&walk.seen);
    dtx_names_finish(&walk.found.elsewhere);
    dtx_arena_finish(&walk.found.arena);
    return status;
}
