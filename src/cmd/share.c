#include "cmd/share.h"

#include "base/clock.h"

#include <math.h>

#define ROUNDS_MAX 100000

/* What a moment says of the rate is no more than noise, and so is what would take longer than this. */
#define ELAPSED_LEAST CLOCK_NS_PER_S
#define LEFT_MAX      (1000 * 3600 * CLOCK_NS_PER_S)

double share_of(uint64_t done, uint64_t whole)
{
	if (whole == 0)
		return SHARE_UNKNOWN;
	return done < whole ? (double)done / (double)whole : 1;
}

double share_of_rounds(double share, uint64_t round, uint64_t rounds)
{
	if (share < 0 || rounds > ROUNDS_MAX)
		return SHARE_UNKNOWN;
	return fmin(((double)round + share) / (double)rounds, 1);
}

double share_over(double handed_out, uint64_t over, uint64_t under_way)
{
	if (handed_out < 0 || over == 0)
		return handed_out < 0 ? SHARE_UNKNOWN : 0;
	return handed_out * ((double)over / ((double)over + (double)under_way));
}

int64_t share_time_left(double share, int64_t elapsed_ns, int64_t most)
{
	if (share <= 0 || elapsed_ns < ELAPSED_LEAST)
		return most;
	double left = (double)elapsed_ns * (1 - share) / share;
	if (left > (double)LEFT_MAX)
		return most;
	return most >= 0 && (double)most < left ? most : (int64_t)left;
}

void share_append(struct buffer *out, double share)
{
	/* 29/100 of 100 is a little less than 29 */
	buffer_printf(out, "%d %%", (int)(share * 100 + 1e-9));
}

void share_append_left(struct buffer *out, int64_t left_ns)
{
	if (left_ns < 0)
		return;
	long long seconds = (left_ns + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S;
	if (seconds < 60)
		buffer_printf(out, ", %lld s left", seconds);
	else if (seconds < 3600)
		buffer_printf(out, ", %lldm%02llds left", seconds / 60, seconds % 60);
	else
		buffer_printf(out, ", %lldh%02lldm left", seconds / 3600, seconds / 60 % 60);
}
