#include "base/system.h"

int system_wait_signal(const sigset_t *set, bool *is_typed)
{
	siginfo_t info;
	int number;
	do
		number = sigwaitinfo(set, &info);
	while (number < 0);
	*is_typed = info.si_code == SI_KERNEL;
	return number;
}
