#include <dtx/device.h>
#include <dtx/version.h>

#include "help.h"
#include "output.h"

enum { LIBRARY_TEXT = 256 };

enum dtx_status
version_print(struct dtx_error *err)
{
    struct dtx_text text = {0};

    dtx_text_format(&text, "dtx %s\n", dtx_version());
    return output_text(&text, err);
}

enum dtx_status
version_run(const struct arguments *arguments, struct session *session,
            struct dtx_error *err)
{
    struct dtx_text text = {0};
    char library[LIBRARY_TEXT];

    (void)arguments;
    (void)session;
    dtx_text_format(&text, "dtx %s\n", dtx_version());
    dtx_mpi_describe(library, sizeof(library));
    dtx_text_format(&text, "  MPI   %s\n", library);
    dtx_hdf5_describe(library, sizeof(library));
    dtx_text_format(&text, "  HDF5  %s\n", library);
    dtx_yaml_describe(library, sizeof(library));
    dtx_text_format(&text, "  YAML  %s\n", library);
    dtx_cuda_describe(library, sizeof(library));
    dtx_text_format(&text, "  CUDA  %s\n", library);
    return output_text(&text, err);
}
