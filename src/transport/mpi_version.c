#include <stdio.h>
#include <string.h>

#include <dtx/version.h>
#include <mpi.h>

/*
 * MPI says it in several lines of "Key:\tvalue"; the first holds the name and
 * the number, or all there is.
 */
void
dtx_mpi_describe(char *text, size_t bytes)
{
    char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    size_t used;

    MPI_Get_library_version(all, &length);
    all[strcspn(all, "\n")] = '\0';
    used = strcspn(all, ":");
    if (all[used] == '\0') {
        snprintf(text, bytes, "%s", all);
        return;
    }
    snprintf(text, bytes, "%.*s %s",
             strncmp(all, "MPICH", 5) == 0 ? 5 : (int)used, all,
             all + used + 1 + strspn(all + used + 1, " \t"));
}
