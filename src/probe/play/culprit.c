#include "probe/play/culprit.h"

#include "probe/play/player.h"
#include "probe/play/presence.h"

int culprit_try(struct player *p, const struct culprit_sign *sign, struct probe_check *const *checks, size_t count,
                unsigned most, unsigned *times, struct error *err)
{
	bool is_broken = true;
	for (*times = 0; is_broken && *times < most; *times += is_broken) {
		struct request_outcome sent = { .is_accepted = true };
		if (*times > 0 && sign->mend && sign->mend(p, err) < 0)
			return -1;
		if (player_is_over(p) || (sign->end_ns > 0 && player_now(p) >= sign->end_ns))
			return 0;
		presence_note_log(p);
		for (size_t i = 0; i < count && !player_is_over(p); i++) {
			struct request_outcome one;
			if (requests_send_again(p, checks[i], &one, err) < 0)
				return -1;
			sent.is_refused |= one.is_refused;
			sent.is_accepted &= one.is_accepted;
		}
		is_broken = false;
		if (!player_is_over(p) && sign->look(p, sign->context, &sent, &is_broken, err) < 0)
			return -1;
	}
	return 0;
}
