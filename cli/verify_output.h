/*
 * What a verification found, as a person or a program wants it.
 */
#ifndef DTX_CLI_VERIFY_OUTPUT_H
#define DTX_CLI_VERIFY_OUTPUT_H

#include <dtx/verify.h>

enum dtx_status
verification_print_text(const struct dtx_verification *verification,
                        struct dtx_error *err);
enum dtx_status
verification_print_json(const struct dtx_verification *verification,
                        struct dtx_error *err);

#endif
