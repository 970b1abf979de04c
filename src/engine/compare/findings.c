#include "engine/compare/findings.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/alloc.h"

enum { MESSAGE_BYTES = 1024 };

void
findings_add(struct findings *findings, const char *tensor, const char *file,
             int64_t rank, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    struct dtx_finding *finding;
    va_list args;

    if (findings->failed ||
        dtx_grow(&findings->array, findings->count, &findings->capacity,
                 sizeof *findings->array) != 0) {
        findings->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    finding = &findings->array[findings->count++];
    *finding = (struct dtx_finding){.rank = rank};
    finding->message = dtx_arena_string(&findings->arena, message);
    findings->failed = finding->message == NULL;
    if (tensor != NULL) {
        finding->tensor = dtx_arena_string(&findings->arena, tensor);
        findings->failed |= finding->tensor == NULL;
    }
    if (file != NULL) {
        finding->file = dtx_arena_string(&findings->arena, file);
        findings->failed |= finding->file == NULL;
    }
}

void
findings_finish(struct findings *findings)
{
    dtx_arena_finish(&findings->arena);
    dtx_free(findings->array);
    *findings = (struct findings){0};
}
