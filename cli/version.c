#include <dtx/device.h>
#include <dtx/version.h>

#include "help.h"
#include "json.h"
#include "options.h"
#include "output.h"

enum { LIBRARY_TEXT = 256, LIBRARY_COUNT = 4 };

/* What this program runs with. */
struct version_of {
    const char *name; /* in the text */
    const char *key;  /* in the document */
    char text[LIBRARY_TEXT];
};

/* How it was built; the numbers of a build come from meson. */
static const struct {
    const char *key;
    const char *value;
} build[] = {
    {"type", DTX_BUILD_TYPE},
    {"sanitize", DTX_BUILD_SANITIZE},
    {"compiler", "C " __VERSION__},
#ifdef NDEBUG
    {"assertions", "off"},
#else
    {"assertions", "on"},
#endif
};

enum { BUILD_COUNT = sizeof(build) / sizeof(*build) };

enum dtx_status
version_print(struct dtx_error *err)
{
    struct dtx_text text = {0};

    dtx_text_format(&text, "dtx %s\n", dtx_version());
    return output_text(&text, err);
}

static void
describe_libraries(struct version_of *libraries)
{
    static const char *const names[] = {"MPI", "HDF5", "YAML", "CUDA"};
    static const char *const keys[] = {"mpi", "hdf5", "yaml", "cuda"};
    static void (*const describe[])(char *, size_t) = {
        dtx_mpi_describe, dtx_hdf5_describe, dtx_yaml_describe,
        dtx_cuda_describe};

    for (int i = 0; i < LIBRARY_COUNT; i++) {
        libraries[i].name = names[i];
        libraries[i].key = keys[i];
        describe[i](libraries[i].text, LIBRARY_TEXT);
    }
}

static enum dtx_status
print_text(const struct version_of *libraries, struct dtx_error *err)
{
    struct dtx_text text = {0};

    dtx_text_format(&text, "dtx %s\n", dtx_version());
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        dtx_text_format(&text, "  %-5s %s\n", libraries[i].name,
                        libraries[i].text);
    }
    dtx_text_add(&text, "  build");
    for (int i = 0; i < BUILD_COUNT; i++) {
        dtx_text_format(&text, "%s %s %s", i > 0 ? "," : "", build[i].key,
                        build[i].value);
    }
    dtx_text_add(&text, "\n");
    return output_text(&text, err);
}

static enum dtx_status
print_json(const struct version_of *libraries, struct dtx_error *err)
{
    struct json json;
    enum dtx_status status = json_begin(&json, err);

    if (status != DTX_OK) {
        return status;
    }
    json_string(&json, "dtx", "1");
    json_string(&json, "version", dtx_version());
    json_object(&json, "libraries");
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        json_string(&json, libraries[i].key, libraries[i].text);
    }
    json_object_end(&json);
    json_object(&json, "build");
    for (int i = 0; i < BUILD_COUNT; i++) {
        json_string(&json, build[i].key, build[i].value);
    }
    json_object_end(&json);
    return json_end(&json, err);
}

enum dtx_status
version_run(const struct arguments *arguments, struct session *session,
            struct dtx_error *err)
{
    struct version_of libraries[LIBRARY_COUNT];

    (void)session;
    describe_libraries(libraries);
    return arguments->is_json ? print_json(libraries, err)
                              : print_text(libraries, err);
}
