/*
 * Polite waiting: what a process does between two tests of what it waits for.
 */
#ifndef DTX_TRANSPORT_PAUSE_H
#define DTX_TRANSPORT_PAUSE_H

/*
 * Waits a moment. idle counts the calls since something last happened: the
 * first return at once, the next give up the core, the rest sleep for 20 to
 * 200 microseconds, longer the longer nothing happens. With more processes
 * than cores this is what lets the others work.
 */
void dtx_pause(int idle);

#endif
