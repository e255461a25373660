/* What the failures of a run have in common. */
#ifndef CREDHOOK_PROBE_INQUIRY_H
#define CREDHOOK_PROBE_INQUIRY_H

#include "base/error.h"

struct player;

/* Asks what is to be asked, and puts the causes into the summary and into the results of the checks. */
int inquiry_play(struct player *p, struct error *err);

#endif
