/* How the columns of a line fit the terminal: an event's name takes what the others leave. */
#ifndef CREDHOOK_UI_COLUMNS_H
#define CREDHOOK_UI_COLUMNS_H

#define COLUMNS_NAME_MOST  44 /* of the longest name */
#define COLUMNS_NAME_LEAST 12

/* Of so many columns, those that a name takes. */
static inline int columns_of_name(int room)
{
	return room > COLUMNS_NAME_MOST ? COLUMNS_NAME_MOST : room < COLUMNS_NAME_LEAST ? COLUMNS_NAME_LEAST : room;
}

#endif
