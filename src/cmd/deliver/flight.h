/*
 * What is in flight, kept where a crash cannot take it: a small file beside the results, mapped into memory.
 *
 * Each job has a place in it and marks it right before it is sent, at the cost of a few stores; the mark is taken away
 * once the result is written. After kill -9 the places still marked are what was in flight: they may have arrived.
 * The file is for one machine's eyes: it is removed when a run has got through its inputs and nothing is in flight.
 * While it is there, marked or not, the results beside it are those of a run that can be gone on with.
 */
#ifndef CREDHOOK_CMD_DELIVER_FLIGHT_H
#define CREDHOOK_CMD_DELIVER_FLIGHT_H

#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;

#define FLIGHT_INPUT_SIZE 1024

/* One place as it lies in the file. */
struct flight {
	uint32_t marked; /* accessed with atomic builtins; 1: in flight */
	uint32_t attempt;
	uint64_t record;
	uint64_t lines; /* of results when it began: a line behind them is the end of it */
	uint64_t input_hash;
	uint8_t has_input; /* no bool: what lies in a file may be any byte */
	char name[CATALOG_KIND_NAME_SIZE];
	char input[FLIGHT_INPUT_SIZE]; /* cut to fit; the hash is of the whole */
};

/* The hash of an input's name; 0 for NULL. What is no UTF-8 in it counts as the U+FFFD that JSON has in its place, so
 * that the name in the results has the same. */
uint64_t flight_hash(const char *input);

/* From any thread; flight NULL: nothing is kept. */
void flight_begin(struct flight *flight, const struct job *job, uint64_t lines);
void flight_end(struct flight *flight);

struct flights {
	char *path;
	struct flight *places; /* mapped; the first is the file's head */
	size_t count;
	size_t used;
};

/* Makes the file for `count` jobs, replacing what is there. EXIT_CODE_IO. Zero-initialise before. */
int flights_create(struct flights *flights, const char *results, size_t count, struct error *err);
struct flight *flights_take(struct flights *flights); /* a further place; NULL: all are taken */
/* Lets go of the file, and removes it unless it is to stay or something is in flight. */
void flights_release(struct flights *flights, bool stay);

/* Opens what a run that was cut off has left. 1: there is something; 0: no such file; -1: it cannot be read
 * (EXIT_CODE_IO), or is somebody else's (EXIT_CODE_USAGE). */
int flights_read(struct flights *flights, const char *results, struct error *err);
/* How many places are marked; `next` walks over them from *at = 0; NULL: no more. */
size_t flights_marked(const struct flights *flights);
const struct flight *flights_next(const struct flights *flights, size_t *at);
void flights_close(struct flights *flights); /* without removing the file */

#endif
