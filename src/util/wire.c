#include "util/wire.h"

#include <string.h>

void
dtx_wire_add_number(struct dtx_text *text, uint64_t number)
{
    dtx_text_add_bytes(text, (const char *)&number, sizeof number);
}

void
dtx_wire_add_string(struct dtx_text *text, const char *string)
{
    size_t bytes = strlen(string) + 1;

    dtx_wire_add_number(text, bytes);
    dtx_text_add_bytes(text, string, bytes);
}

uint64_t
dtx_wire_number(struct dtx_wire *wire)
{
    uint64_t number = 0;

    if (wire->left < sizeof number) {
        wire->is_damaged = true;
        return 0;
    }
    memcpy(&number, wire->at, sizeof number);
    wire->at += sizeof number;
    wire->left -= sizeof number;
    return number;
}

size_t
dtx_wire_count(struct dtx_wire *wire, size_t item_bytes)
{
    uint64_t count = dtx_wire_number(wire);

    if (count > wire->left / item_bytes) {
        wire->is_damaged = true;
        return 0;
    }
    return (size_t)count;
}

const char *
dtx_wire_string(struct dtx_wire *wire)
{
    uint64_t bytes = dtx_wire_number(wire);
    const char *string = wire->at;

    if (bytes == 0 || bytes > wire->left || string[bytes - 1] != '\0') {
        wire->is_damaged = true;
        return "";
    }
    wire->at += bytes;
    wire->left -= (size_t)bytes;
    return string;
}
