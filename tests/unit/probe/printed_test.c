/* What a command printed is shown without secrets, however much of it is kept, and wherever it is cut. */
#include "probe/play/printed.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECRET "0123456789abcdef"

struct printing {
	struct child_output output;
	struct echoes secrets;
	struct buffer text;
	int ends[2];
};

static void begin(struct printing *p)
{
	static const struct header header = { TEXT("X-Key"), TEXT(SECRET) };
	struct error err;
	*p = (struct printing){ .text = BUFFER_INIT };
	echoes_add_header(&p->secrets, &header);
	assert_int_equal(child_output_init(&p->output, &err), 0);
	assert_int_equal(pipe(p->ends), 0);
	assert_int_equal(child_output_read(&p->output, p->ends[0], &err), 0);
}

/* Returns once the text was read. */
static void print(struct printing *p, const char *text)
{
	uint64_t end = child_output_end(&p->output) + strlen(text);
	assert_int_equal(write(p->ends[1], text, strlen(text)), (ssize_t)strlen(text));
	while (child_output_end(&p->output) < end)
		child_output_settle(&p->output, 1, 1, NULL);
}

static void shows(struct printing *p, uint64_t from, size_t most, const char *expected)
{
	buffer_clear(&p->text);
	printed_append(&p->output, from, most, &p->secrets, &p->text);
	assert_string_equal(buffer_text(&p->text), expected);
}

static void end(struct printing *p)
{
	child_output_release(&p->output);
	echoes_release(&p->secrets);
	buffer_release(&p->text);
	close(p->ends[0]);
	close(p->ends[1]);
}

TEST(a_secret_that_is_cut_by_time)
{
	struct printing p;
	begin(&p);
	print(&p, "key 0123456");
	shows(&p, 0, 100, "key ");
	uint64_t from = child_output_end(&p.output);
	print(&p, "789abcdef, yes\n");
	shows(&p, 0, 100, "key ***, yes\n");
	shows(&p, from, 100, ", yes\n");
	end(&p);
}

TEST(a_secret_that_is_cut_by_length)
{
	struct printing p;
	begin(&p);
	print(&p, "first " SECRET "\nsecond " SECRET "\nthird\n");
	shows(&p, 0, 1000, "first ***\nsecond ***\nthird\n");
	for (size_t most = 6; most < 6 + 10; most++) {
		shows(&p, 0, most, "third\n");
	}
	shows(&p, 0, 18, "second ***\nthird\n");
	child_output_stop(&p.output);
	end(&p);
}

/* Whatever of it is lost, its first line that is shown is whole; where there is no other, no secret begins it. */
TEST(a_secret_that_is_cut_by_what_is_kept)
{
	for (int lines = 0; lines < 2; lines++)
		for (size_t shift = 0; shift < sizeof SECRET; shift++) {
			struct printing p;
			static char text[32 << 10];
			text[0] = '\0';
			begin(&p);
			for (size_t i = 0; i < shift; i++)
				strcat(text, "-");
			print(&p, text);
			text[0] = '\0';
			for (size_t at = 0; at + sizeof SECRET < sizeof text; at += sizeof SECRET)
				strcpy(text + at, lines ? SECRET "\n" : SECRET "=");
			for (size_t sum = 0; sum < 3 * CHILD_OUTPUT_KEPT; sum += strlen(text))
				print(&p, text);
			printed_append(&p.output, 0, SIZE_MAX, &p.secrets, &p.text);
			assert_memory_equal(buffer_text(&p.text), lines ? "***\n" : "=***", 4);
			assert_null(strstr(buffer_text(&p.text), "cdef"));
			end(&p);
		}
}
