#include "storage/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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

bool
dtx_wire_send(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t sent = send(fd, at, count, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool
dtx_wire_receive(int fd, void *bytes, size_t count)
{
    char *at = bytes;

    while (count > 0) {
        ssize_t got = recv(fd, at, count, 0);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        count -= (size_t)got;
    }
    return true;
}
