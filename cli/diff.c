#include "compare.h"

enum dtx_status
diff_run(const struct arguments *arguments, struct session *session,
         struct dtx_error *err)
{
    return compare_run(arguments, session, false, err);
}
