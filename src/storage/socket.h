/*
 * Whole messages through a socket, over signals.
 */
#ifndef DTX_STORAGE_SOCKET_H
#define DTX_STORAGE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/* Sends or receives all of so many bytes. False where the other end has
 * gone. */
bool dtx_socket_send(int fd, const void *bytes, size_t count);
bool dtx_socket_receive(int fd, void *bytes, size_t count);

#endif
