/*
 * What is said on standard error: errors, warnings and remarks.
 *
 * Of the processes of a job only one speaks; the calls of the others do
 * nothing.
 */
#ifndef DTX_CLI_REPORT_H
#define DTX_CLI_REPORT_H

#include <stdbool.h>

#include <dtx/diagnostic.h>
#include <dtx/status.h>

/* Says whether this process speaks; it does from the start. */
void report_set_speaker(bool speaks);
bool report_speaks(void);

/* Leaves out warnings from now on. */
void report_set_quiet(bool is_quiet);

/*
 * Shows a failure:
 *
 *     dtx: error: cannot open 'step-4000/rank-00003.h5': no such file
 *       tensor   'layers.0.attn.q_proj.weight', box [3072:4096, 0:4096]
 *       where    process 3 on gpu07, rank 3 (dp=0 tp=3)
 *       hint     train.yaml:9 names 8 files, the folder holds 7
 *
 * Empty lines are left out.
 */
void report_error(const struct dtx_error *err);

/* Says that the failure to come stands among the diagnostics: report_error()
 * then adds nothing. */
void report_error_is_told(void);

/* Shows all diagnostics of a list; when quiet only if there are errors. */
void report_diagnostics(const struct dtx_diagnostics *list);

/* "dtx: warning: …" */
void report_warning(const char *format, ...) DTX_PRINTF(1, 2);

/* Draws a line that the next one replaces, and whatever else is said; NULL
 * takes it away. */
void report_bar(const char *line);

/* "dtx: …" */
void report_remark(const char *format, ...) DTX_PRINTF(1, 2);

#endif
