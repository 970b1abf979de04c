/*
 * From a name on the command line to the text of a layout file.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <dtx/layout.h>

#include "spec/text_file.h"
#include "util/error.h"

static const char hdf5_signature[] = "\x89HDF\r\n\x1a\n";

/* Adds the folder of a file, "." where the path has none. */
static void
add_folder(struct dtx_text *text, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL) {
        dtx_text_add(text, ".");
    } else if (slash == path) {
        dtx_text_add(text, "/.");
    } else {
        dtx_text_add_bytes(text, path, (size_t)(slash - path));
    }
}

static bool
is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Only regular files are looked into: what is read of a pipe is gone. */
static bool
is_hdf5(const char *path)
{
    char head[sizeof hdf5_signature - 1];
    struct stat info;
    FILE *stream;
    bool result = false;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return false;
    }
    stream = fopen(path, "rb");
    if (stream != NULL) {
        result = fread(head, 1, sizeof head, stream) == sizeof head &&
                 memcmp(head, hdf5_signature, sizeof head) == 0;
        fclose(stream);
    }
    return result;
}

static bool
exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

/* Says whether an unfinished run is why there is no manifest. */
static void
hint_unfinished(const struct dtx_text *manifest, struct dtx_error *err)
{
    struct dtx_text journal = {0};

    dtx_text_add_bytes(&journal, manifest->data,
                       manifest->length - strlen("yaml"));
    dtx_text_add(&journal, "journal");
    if (!journal.failed && exists(journal.data)) {
        dtx_error_hint(err,
                       "'%s' says that the run that writes it is under "
                       "way or was interrupted; the same run with "
                       "--resume finishes it",
                       journal.data);
    } else {
        dtx_error_hint(err, "name a layout file that describes it");
    }
    dtx_text_finish(&journal);
}

static enum dtx_status
check_manifest(const char *path, const struct dtx_text *manifest,
               struct dtx_error *err)
{
    if (!exists(manifest->data)) {
        dtx_error_set(err, DTX_ERR_SOURCE,
                      "'%s' is no finished checkpoint: "
                      "there is no '%s'",
                      path, manifest->data);
        hint_unfinished(manifest, err);
        return DTX_ERR_SOURCE;
    }
    return spec_refuse_pipe(manifest->data, err);
}

/* The layout file that a path means: itself, or the manifest of what dtx
 * wrote there. */
static enum dtx_status
find_file(const char *path, enum dtx_role role, struct dtx_text *file,
          struct dtx_error *err)
{
    size_t length = strlen(path);
    bool folder = is_folder(path);
    bool data = !folder && is_hdf5(path);

    dtx_text_add(file, path);
    if (folder) {
        dtx_text_add(file, length > 0 && path[length - 1] == '/' ? "" : "/");
        dtx_text_add(file, "manifest.yaml");
    } else if (data) {
        dtx_text_add(file, ".manifest.yaml");
    }
    if (file->failed) {
        return dtx_error_memory(err);
    }
    if ((folder || data) && role == DTX_TARGET) {
        dtx_error_set(err, DTX_ERR_INVALID, "'%s' is %s, not a layout file",
                      path, folder ? "a folder" : "an HDF5 file");
        dtx_error_hint(err, "a target is described by a layout file");
        return DTX_ERR_INVALID;
    }
    return folder || data ? check_manifest(path, file, err) : DTX_OK;
}

enum dtx_status
dtx_layout_load(const char *path, enum dtx_role role,
                struct dtx_diagnostics *list, struct dtx_layout **layout_out,
                struct dtx_error *err)
{
    struct dtx_text file = {0};
    struct dtx_text folder = {0};
    struct dtx_text text = {0};
    enum dtx_status status = find_file(path, role, &file, err);

    if (status == DTX_OK) {
        status = spec_load_text(file.data, role, &text, err);
    }
    if (status == DTX_OK) {
        add_folder(&folder, file.data);
        status = folder.failed
                     ? dtx_error_memory(err)
                     : dtx_layout_parse(text.data, file.data, folder.data, role,
                                        list, layout_out, err);
    }
    dtx_text_finish(&file);
    dtx_text_finish(&folder);
    dtx_text_finish(&text);
    return status;
}
