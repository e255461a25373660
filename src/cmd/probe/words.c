/* What is said of a check, wherever that is. */
#include "cmd/probe/probe.h"
#include "cmd/shell_text.h"

void test_append_retry(struct buffer *out, struct test_run *run, const struct probe_check *check)
{
	buffer_printf(out, "credhook test %s", check->id);
	shell_append_option(out, "--to", buffer_text(&run->route.masked_url));
}

void test_append_outcome(struct buffer *out, const struct probe_check *check)
{
	const struct probe_result *r = &check->result;
	bool sent = check->row->make != NULL && (!check->row->counts || r->reason[0] == '\0');
	if (sent && r->verdict != PROBE_SKIP) {
		buffer_printf(out, "expected %s, ", check->expected.text);
		if (r->status > 0)
			buffer_printf(out, "got %d%s", r->status, r->reason[0] ? ": " : "");
	}
	buffer_append_text(out, r->reason);
}
