/*
 * Copies of boxes made ready for a device's threads.
 */
#ifndef DTX_DEVICE_BOX_JOBS_H
#define DTX_DEVICE_BOX_JOBS_H

#include "device/box_copy.h"
#include "device/kernel_box.h"
#include "device/nest.h"

/* Takes a job; an outcome other than 0 ends the making of more. */
typedef int dtx_box_job_visit(const struct dtx_box_job *job, void *context);

/*
 * Makes the jobs that copy a box between two addresses of a device: one, but
 * for boxes of very many units or of many loops. first_tile is the visitor's.
 *
 * Returns 0, or what the visitor has returned.
 */
int dtx_box_jobs_make(const struct dtx_nest *nest, void *dst, const void *src,
                      dtx_box_job_visit *visit, void *context);

#endif
