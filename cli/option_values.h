/*
 * From the text of an option to its value: what the option table names.
 *
 * Each sets a field of struct arguments from the text of an option, or of its
 * environment variable. A switch without a text is on.
 *
 * field   the field, of the type that is named
 * origin  where the text stands, for messages: "--memory", "DTX_MEMORY"
 * value   borrowed as long as the field; NULL: a switch on the command line
 */
#ifndef DTX_CLI_OPTION_VALUES_H
#define DTX_CLI_OPTION_VALUES_H

#include "options.h"

/* enum dtx_strategy */
option_setter option_set_strategy;
/* enum dtx_map */
option_setter option_set_map;
/* enum dtx_carrier */
option_setter option_set_transport;
/* enum dtx_device_kind */
option_setter option_set_device;
/* enum progress_mode */
option_setter option_set_progress;
/* enum dtx_check_replicas */
option_setter option_set_check_replicas;
/* uint64_t, in bytes */
option_setter option_set_memory;
/* int */
option_setter option_set_process_count;
/* int, in seconds */
option_setter option_set_checkpoint_every;
/* struct processes */
option_setter option_set_processes;
/* struct globs */
option_setter option_add_glob;
/* const char * */
option_setter option_set_text;
/* struct hosts_argument */
option_setter option_set_hosts;
/* bool */
option_setter option_set_switch;
/* struct mesh_argument, from "dp=2,tp=4"; "" is a mesh of no axes */
option_setter option_set_mesh;

#endif
