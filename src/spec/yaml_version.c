#include <stdio.h>

#include <dtx/version.h>
#include <yaml.h>

void
dtx_yaml_describe(char *text, size_t bytes)
{
    snprintf(text, bytes, "libyaml %s", yaml_get_version_string());
}
