#include "transport/transport.h"

#include "util/alloc.h"

void
dtx_transport_destroy(struct dtx_transport *transport)
{
    if (transport != NULL) {
        transport->ops->destroy(transport);
    }
}

int
dtx_transport_process(const struct dtx_transport *transport)
{
    return transport->process;
}

int
dtx_transport_process_count(const struct dtx_transport *transport)
{
    return transport->process_count;
}

int
dtx_transport_node(const struct dtx_transport *transport, int process)
{
    return transport->nodes[process];
}

bool
dtx_transport_reads_device(const struct dtx_transport *transport)
{
    return transport->reads_device;
}

enum dtx_status
dtx_transport_broadcast(struct dtx_transport *transport, int root, void *bytes,
                        size_t count, struct dtx_error *err)
{
    return transport->ops->broadcast(transport, root, bytes, count, err);
}

void *
dtx_transport_allocate(size_t bytes)
{
    return dtx_alloc(bytes, 1);
}
