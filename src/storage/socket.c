#include "storage/socket.h"

#include <errno.h>
#include <sys/socket.h>

bool
dtx_socket_send(int fd, const void *bytes, size_t count)
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
dtx_socket_receive(int fd, void *bytes, size_t count)
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
