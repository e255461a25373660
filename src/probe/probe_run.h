/*
 * Plays the checks of a plan against a listener, group by group, and grades what it responds.
 *
 *   checks, plan                the rows; the checks made of them
 *   sample, maker, raw_request  valid payloads; requests made of them; those that are written as bytes
 *   probe_run, play, effects    what is sent when, and when to stop; the requests of a check; what they change
 *   verdict, watch              a response, graded; what all of them together show
 *   world                       time, and what sends and looks: a test has its own
 *   cause, inquiry              what failures have in common; the requests that show it
 *
 * Each request goes on a connection of its own, so that what a listener does to one of them concerns no other. Nothing
 * here prints: words are the observer's.
 */
#ifndef CREDHOOK_PROBE_PROBE_RUN_H
#define CREDHOOK_PROBE_PROBE_RUN_H

#include "probe/play/run_types.h"

/* Release the summary, also after an error. -1: *err says what could not be set up or made; what was found before
 * (PROBE_BROKEN) was handed to the observer, and is in the summary. */
int probe_run(const struct probe_options *options, const struct probe_observer *observer, struct probe_summary *summary,
              struct error *err);

void probe_summary_release(struct probe_summary *summary);

#endif
