/*
 * Cores: how many of a process's threads run at once.
 */
#ifndef DTX_ENGINE_STEP_CORES_H
#define DTX_ENGINE_STEP_CORES_H

struct dtx_transport;

/* The cores that a process has for itself, at least 1: those that it is bound
 * to, else an equal share of its node's. Local. */
int engine_own_cores(const struct dtx_transport *transport);

#endif
