/* What files of GoReplay have between two messages: a line with the three monkeys. */
#ifndef CREDHOOK_CAPTURE_GOREPLAY_H
#define CREDHOOK_CAPTURE_GOREPLAY_H

#define GOREPLAY_SEPARATOR "\n\xF0\x9F\x90\xB5\xF0\x9F\x99\x88\xF0\x9F\x99\x89\n"

#endif
