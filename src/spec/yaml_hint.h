/*
 * Hints for texts that YAML doesn't take: what people most often mean.
 */
#ifndef DTX_SPEC_YAML_HINT_H
#define DTX_SPEC_YAML_HINT_H

#include <stddef.h>

/*
 * What to do about a syntax error.
 *
 * offset   bytes in the text where libyaml gave up
 * problem  what it says
 *
 * Looks for a bare value on that line or the one before it that begins with a
 * character that means something in YAML. NULL where there is none.
 */
const char *yaml_syntax_hint(const char *text, size_t offset,
                             const char *problem);

#endif
