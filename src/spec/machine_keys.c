#include "spec/machine_keys.h"

#define KEY(name) #name, offsetof(struct dtx_machine, name)

const struct machine_key machine_keys[] = {
    {KEY(read_rate), MACHINE_RATE, "of one process",
     "Reading files: one process alone, all of a node, all of all nodes."},
    {KEY(read_rate_node), MACHINE_RATE, "of a node", NULL},
    {KEY(read_rate_total), MACHINE_RATE, "of all nodes", NULL},
    {KEY(read_request_seconds), MACHINE_SECONDS, "a call, beside its bytes",
     NULL},
    {KEY(write_rate), MACHINE_RATE, "of one process",
     "Writing files, until they are safe."},
    {KEY(write_rate_node), MACHINE_RATE, "of a node", NULL},
    {KEY(write_rate_total), MACHINE_RATE, "of all nodes", NULL},
    {KEY(write_request_seconds), MACHINE_SECONDS, "a call, beside its bytes",
     NULL},
    {KEY(file_seconds), MACHINE_SECONDS, "to make a file and put it in place",
     NULL},
    {KEY(dataset_seconds), MACHINE_SECONDS, "to make a dataset in a file",
     NULL},
    {KEY(message_rate), MACHINE_RATE, "of a process, within its node",
     "Messages: what is sent, or received, at once."},
    {KEY(message_seconds), MACHINE_SECONDS, "from process to process", NULL},
    {KEY(network_rate), MACHINE_RATE, "of a node, to others", NULL},
    {KEY(network_seconds), MACHINE_SECONDS, "from node to node", NULL},
    {KEY(copy_rate), MACHINE_RATE, "from box to box, of one process",
     "Memory: what each process does while all are busy."},
    {KEY(convert_rate), MACHINE_RATE, "to another dtype, as written", NULL},
    {KEY(device_rate), MACHINE_RATE, "of a process, to a device and back",
     "CUDA devices: over PCIe or NVLink, and within the device."},
    {KEY(device_copy_rate), MACHINE_RATE,
     "from box to box, and to other dtypes", NULL},
    {KEY(step_seconds), MACHINE_SECONDS, "to agree on a step", NULL},
    {KEY(overlap_share), MACHINE_SHARE,
     "of shorter work, beside longer; 0 hides all",
     "Reading beside writing: what of the shorter one still shows."},
};

const int machine_key_count = sizeof machine_keys / sizeof *machine_keys;
