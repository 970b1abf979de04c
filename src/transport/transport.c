#include "transport/transport.h"

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
