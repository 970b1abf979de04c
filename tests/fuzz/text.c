#include <string.h>

#include "fuzz.h"

char *
fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    must(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}
