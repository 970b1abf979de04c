#include "storage/hdf5/hdf5_library.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "storage/files.h"
#include "util/error.h"

enum { REASON_TEXT = 320, MESSAGE_TEXT = 700 };

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void
dtx_hdf5_lock(void)
{
    pthread_mutex_lock(&library);
}

void
dtx_hdf5_unlock(void)
{
    pthread_mutex_unlock(&library);
}

enum dtx_status
dtx_hdf5_start(struct dtx_error *err)
{
    enum dtx_status status = DTX_OK;

    dtx_hdf5_lock();
    if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0) {
        status = dtx_error_set(err, DTX_ERR_INTERNAL,
                               "cannot start the HDF5 library");
    }
    dtx_hdf5_unlock();
    return status;
}

/* Keeps the first description that isn't empty: the innermost. */
static herr_t
keep_innermost(unsigned depth, const H5E_error2_t *entry, void *data)
{
    const char **description = data;

    (void)depth;
    if (*description == NULL && entry->desc != NULL && entry->desc[0] != '\0') {
        *description = entry->desc;
    }
    return 0;
}

/* Where a description quotes the system ("…, error message = 'No space left
 * on device', …"), only that. */
static void
shorten(const char *description, char *reason)
{
    static const char quote[] = "error message = '";
    const char *begin = strstr(description, quote);
    const char *end = NULL;
    size_t length;

    if (begin != NULL) {
        begin += sizeof quote - 1;
        end = strchr(begin, '\'');
    }
    if (end == NULL) {
        begin = description;
        end = description + strlen(description);
    }
    length = (size_t)(end - begin);
    if (length > REASON_TEXT - 1) {
        length = REASON_TEXT - 1;
    }
    memcpy(reason, begin, length);
    reason[length] = '\0';
    dtx_lower_initial(reason);
}

enum dtx_status
dtx_hdf5_fail(struct dtx_error *err, enum dtx_status status, const char *format,
              ...)
{
    const char *description = NULL;
    char reason[REASON_TEXT] = "HDF5 gives no reason";
    char message[MESSAGE_TEXT];
    va_list arguments;

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &description);
    if (description != NULL) {
        shorten(description, reason);
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return dtx_error_set(err, status, "%s: %s", message, reason);
}
