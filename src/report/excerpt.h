/* The source line of a finding, with carets. */
#ifndef CREDHOOK_REPORT_EXCERPT_H
#define CREDHOOK_REPORT_EXCERPT_H

#include "report/finding_report.h"

/* Appends the line of source in which the walk's finding begins, safe to print, and below it carets to its end (or the
 * line's), where there is a text and the row of the finding does not
 * say that it shows nothing. Each of the two lines begins with the gutter or as many blanks, and `bar`. Long lines
 * are cut around the carets to `width` columns; wide and combining characters and tabs keep them in place. */
void excerpt_append(struct buffer *out, const struct finding_walk *walk, const char *gutter, const char *bar,
                    bool color, int width);

#endif
