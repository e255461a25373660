#include "probe/tls.h"

#include "base/clock.h"
#include "base/url.h"
#include "http/raw.h"
#include "probe/verdict.h"

#include <string.h>

#define DAY_S     86400
#define DAYS_OK   30
#define DAYS_WARN 14

static void end_trust(struct probe_check *check, const char *message)
{
	char reason[PROBE_REASON_SIZE];
	probe_excerpt(message, strlen(message), reason);
	if (message[0])
		probe_end(check, PROBE_FAIL, check->row->fix, "%s", reason);
	else
		probe_end(check, PROBE_OK, NULL, "%s", "");
}

static void end_expiry(struct probe_check *check, int64_t end)
{
	long long days = (long long)(end - clock_realtime_us() / 1000000) / DAY_S;
	if (end == 0)
		probe_end(check, PROBE_SKIP, NULL, "the certificate does not say until when it holds");
	else
		probe_end(check,
		          days >= DAYS_OK     ? PROBE_OK
		          : days >= DAYS_WARN ? PROBE_WARN
		                              : PROBE_FAIL,
		          check->row->fix, "%lld days left", days);
}

void probe_tls_end(struct probe_check *check, const struct deliver_options *http)
{
	struct deliver_options strict = *http;
	struct delivery delivery = { .outcome = DELIVER_PENDING };
	struct url url;
	int64_t end;
	bool trust = strcmp(check->row->name, "trust") == 0, known = url_parse(http->url, &url) == NULL;
	if (known && strcmp(url.scheme, "https") != 0) {
		bool near = host_is_loopback(&url.host) || http->unix_socket;
		probe_end(check, trust && !near ? PROBE_FAIL : PROBE_SKIP, check->row->fix, "plain http%s",
		          near ? " to this machine" : ": everybody on the way can read it");
		return;
	}
	strict.insecure = !trust && http->insecure;
	raw_certificate_end(&strict, &delivery, &end);
	if (trust)
		end_trust(check, delivery.message);
	else
		end_expiry(check, end);
}
