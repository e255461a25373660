/* F.inflight, beside the results F of a run that has not ended: deliver/journal_marks.c writes it, and while it is
 * there nobody replaces F. */
#ifndef CREDHOOK_CAPTURE_MARKS_H
#define CREDHOOK_CAPTURE_MARKS_H

#define MARKS_NAME_END ".inflight"
#define MARKS_BEGIN    "credhook: what is in flight of the results beside this file, version " /* its first bytes */

#endif
