/*
 * The options of a command as rows: one table, read by the parser, the help, the completion and the manual's test.
 *
 * A row says where its value goes: `offset` bytes into the struct of its group, whose own offset in the command's
 * struct the group says. Rows shared by several commands are a group of their own.
 */
#ifndef CREDHOOK_UI_OPTIONS_H
#define CREDHOOK_UI_OPTIONS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

enum option_type {
	OPTION_FLAG,     /* bool */
	OPTION_HELP,     /* enum option_help as an int */
	OPTION_TEXT,     /* const char * */
	OPTION_LIST,     /* struct text_list: every one */
	OPTION_NUMBER,   /* uint64_t, from `least` to `most` */
	OPTION_DURATION, /* int64_t nanoseconds */
	OPTION_CHOICE,   /* int: index into `choices` */
	OPTION_CALL,     /* what parse() makes of it */
};

/* -h and --help are one option, and ask for different things. */
enum option_help {
	OPTION_HELP_NONE,
	OPTION_HELP_COMMON, /* by its letter */
	OPTION_HELP_ALL,    /* by its name */
};

/* What Tab offers for an argument or an operand (cmd/words/complete.h). */
enum completion_type {
	COMPLETE_UNSET,   /* of an OPTION_TEXT, OPTION_LIST or OPTION_CALL: the row is not complete */
	COMPLETE_NOTHING, /* anything the user likes */
	COMPLETE_FILE,    /* one that the command reads, or appends to: no other output may replace it */
	COMPLETE_AT_FILE, /* @FILE */
	COMPLETE_OUTPUT,  /* a file that the command puts in the place of another */
	COMPLETE_EVENT,
	COMPLETE_EVENTS, /* EVENT,... or "all" */
	COMPLETE_FINDINGS,
	COMPLETE_FIELD,
	COMPLETE_ASSIGNMENT, /* PATH=TEXT */
	COMPLETE_ENVIRONMENT,
	COMPLETE_TOPIC, /* an event or a field */
	COMPLETE_COMMAND,
};

struct option {
	char letter;          /* 0: none */
	const char *name;     /* without the dashes */
	const char *argument; /* FILE, N, ...; NULL: takes none */
	const char *help;     /* a short phrase, lower case, no full stop */
	enum option_type type;
	enum completion_type complete; /* flags, numbers, durations and choices need none */
	size_t offset;
	uint64_t least; /* OPTION_NUMBER; OPTION_DURATION: 1 refuses 0 */
	uint64_t most;
	const char *const *choices; /* OPTION_CHOICE: ends with NULL */
	/* OPTION_CALL: what its values may begin with, "junit=FILE html=FILE", for hints; NULL: anything. */
	const char *values;
	/* OPTION_CALL: reads the value into the field; the error need not name the option. */
	int (*parse)(void *field, const char *value, struct error *err);
	/* OPTION_CALL: whether the word behind the value belongs to it; parse() gets both with a blank between them,
	 * and must not keep a pointer to them. NULL: never. */
	bool (*continues)(const char *value, const char *next);
	bool argument_optional; /* --dry-run[=curl]: only with '=' */
	bool once;              /* OPTION_CALL: parse() replaces the value before */
	bool alters;            /* it changes what is sent, to whom, or what is right: a repeated run has it, too */
	bool unsafe;            /* it turns off a protection: no hint offers it to who did not write it */
	bool is_public;         /* no secret is in its value, whatever that looks like */
	bool chooses;           /* it says which records a run is about: --resume has to be given the same */
	void (*release)(void *field); /* OPTION_CALL: frees what parse() has left there; NULL: nothing */
	/* What the field holds where the option is not given, as it would be typed; NULL: all zero. Help shows it. */
	const char *initial;
	/* What other tools call it, between single spaces, letters with their dash ("-d data"); NULL: nothing else.
	 * None of them is an option of a command that has this one. */
	const char *also;
	/* Names of options of the same command, between single spaces: none of them goes with this one; it is of no use
	 * without one of those. A name that a command does not have is ignored. */
	const char *excludes;
	const char *needs;
	const char *alone; /* the hint where it is given without what it needs; NULL: none */
};

/* What to do for options that a command does not have. */
struct option_way {
	const char *words; /* as in option.also */
	const char *text;  /* a hint */
};

struct option_group {
	const char *title; /* in help: "Delivery" */
	const struct option *options;
	size_t count;
	size_t offset;                 /* of the group's struct in the command's */
	const struct option_way *ways; /* end with NULL words; those of the last group count where nothing else does */
};

#define OPTION_GROUP(title, rows, offset) OPTION_GROUP_WITH(title, rows, offset, NULL)
#define OPTION_GROUP_WITH(title, rows, offset, ways)                                                                   \
	{                                                                                                              \
		title, rows, sizeof(rows) / sizeof(rows)[0], offset, ways                                              \
	}

#define OPTION_UNKNOWN_SIZE 64

/* What was given, word by word, in order. Zero-initialise; release with free(items). */
struct option_words {
	struct option_word {
		const struct option *option; /* NULL: an operand */
		const char *value;           /* NULL: it has none */
		const char *more;            /* the second word of the value; NULL: it has one */
	} * items;
	size_t count;
	size_t capacity;
	bool has_dashes; /* there was a "--", */
	size_t before;   /* and that many operands before it */
	/* The option that no row has, where reading has failed for that. */
	struct option_unknown {
		char name[OPTION_UNKNOWN_SIZE]; /* "--name" or "-x", cut; empty: none */
		const char *word;               /* all of the word that begins with it, or NULL */
		const char *value;              /* what stands behind it, in the word or next; NULL: nothing */
	} unknown;
};

/* Reads argv[0] to argv[argc - 1] into `args`, what is not an option into `operands` (in order; all behind "--" too),
 * and both into `words`, which may be NULL. Where `stop_at_operand` is set, reading ends before the first operand,
 * which is a command. Returns how many arguments were read. -1: a usage error that names the option and what it takes;
 * what may have been meant by an unknown one, whoever has the words can say. */
int options_parse(const struct option_group *groups, size_t group_count, void *args, int argc, char *const *argv,
                  struct text_list *operands, struct option_words *words, bool stop_at_operand, struct error *err);

/* Another initial value than the row's. */
struct option_initial {
	const char *name;
	const char *value;
};

/* What the option comes to where it is not given, as it would be typed; NULL: nothing. `others` as for options_init().
 */
const char *option_initial_value(const struct option *option, const struct option_initial *others);
/* Gives each field its initial value; `args` is all zero before. `others` count more than the rows, end with a NULL
 * name, and may be NULL. -1: a row's own fault, EXIT_CODE_INTERNAL. */
int options_init(const struct option_group *groups, size_t group_count, const struct option_initial *others, void *args,
                 struct error *err);
/* Frees what options_init() and options_parse() have put into `args`. */
void options_release(const struct option_group *groups, size_t group_count, void *args);
/* The release() of a field that is a growing array of plain values, a struct that OPTION_IS_ARRAY() accepts: a pointer
 * to them, its member `first`, a count and a capacity. */
void option_release_array(void *field);
#define OPTION_IS_ARRAY(type, first)                                                                                   \
	_Static_assert(offsetof(type, first) == 0 && sizeof(type) == sizeof(void *) + 2 * sizeof(size_t), #type)
/* Whether the options that were given go together, by their rows, and none that has one value was given two. -1:
 * EXIT_CODE_USAGE, names both. */
int options_check(const struct option_group *groups, size_t group_count, const struct option_words *words,
                  struct error *err);

/* The option of that name ("max-time", counted), or where `name` is NULL of that letter; NULL: there is none. */
const struct option *options_find(const struct option_group *groups, size_t group_count, char letter, const char *name,
                                  size_t length);

/* Whether a word is one of those between single spaces. */
bool option_is_among(const char *words, const char *word);

/* The values of a choice as "a, b or c", for help and errors. */
void options_append_choices(struct buffer *out, const char *const *choices);

#endif
