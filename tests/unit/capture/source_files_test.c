/* What FILE|DIR|- arguments stand for. */
#include "base/buffer.h"
#include "capture/folder.h"
#include "capture/source_files.h"
#include "test.h"

static void make_folder(struct folder *folder, const char *name)
{
	assert_int_equal(mkdir(folder_file(folder, name), 0700), 0);
}

static void make_link(struct folder *folder, const char *target, const char *name)
{
	assert_int_equal(symlink(target, folder_file(folder, name)), 0);
}

/* The list as one text: each path without the folder's own, "!" behind one with a problem; then what was left out, and
 * whether nothing was found. */
static void assert_listed(struct folder *folder, const char *argument, const char *expected)
{
	RELEASED(source_files) list = { .count = 0 };
	struct error err;
	RELEASED(buffer) text = BUFFER_INIT;
	assert_int_equal(source_files_add(&list, argument, &err), 0);
	for (size_t i = 0; i < list.count; i++) {
		assert_memory_equal(list.files[i].path, folder->path, strlen(folder->path));
		buffer_printf(&text, "%s%s ", list.files[i].path + strlen(folder->path),
		              list.files[i].problem ? "!" : "");
	}
	if (list.skipped > 0)
		buffer_printf(&text, "(%zu)", list.skipped);
	if (list.skipped_folders > 0)
		buffer_printf(&text, "[%zu]", list.skipped_folders);
	assert_int_equal(list.empty.count, list.count == 0);
	if (list.count == 0)
		assert_string_equal(list.empty.items[0], argument);
	assert_string_equal(buffer_text(&text), expected);
}

FOLDER_TEST(a_directory_stands_for_its_payload_files_in_order)
{
	struct folder *folder = *state;
	static const char *const names[] = {
		"b.json", "B.json",      "a.ndjson", "c.jsonl",       "notes.txt",     "json",
		"x.JSON", "y.NDJson.GZ", "sub.json", "sub/deep.json", "sub/z/e.jsonl", "sub/z/.hidden.json",
	};
	make_folder(folder, "sub");
	make_folder(folder, "sub/z");
	make_folder(folder, "empty");
	make_folder(folder, "folder.json");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		folder_write_text(folder, names[i], "{}");
	assert_listed(folder, folder->path,
	              "/B.json /a.ndjson /b.json /c.jsonl /sub.json /sub/deep.json /sub/z/e.jsonl "
	              "/x.JSON /y.NDJson.GZ (3)");
	assert_listed(folder, folder_file(folder, "empty"), "");
	assert_listed(folder, folder_file(folder, "sub/"), "/sub/deep.json /sub/z/e.jsonl (1)");
}

/* Editors, systems and package managers put them there; who names one means it. */
FOLDER_TEST(what_begins_with_a_dot_and_node_modules_are_skipped)
{
	struct folder *folder = *state;
	static const char *const names[] = {
		"a.json",
		"._a.json",
		".git/c.json",
		"node_modules/p/package.json",
		"node_modules.json",
		"b/node_modules/x.json",
	};
	make_folder(folder, ".git");
	make_folder(folder, "node_modules");
	make_folder(folder, "node_modules/p");
	make_folder(folder, "b");
	make_folder(folder, "b/node_modules");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		folder_write_text(folder, names[i], "{}");
	assert_int_equal(symlink("me@host.99:1", folder_file(folder, ".#a.json")), 0);
	assert_listed(folder, folder->path, "/a.json /node_modules.json (2)[3]");
	assert_listed(folder, folder_file(folder, "node_modules"), "/node_modules/p/package.json ");
	assert_listed(folder, folder_file(folder, ".git"), "/.git/c.json ");
	assert_listed(folder, folder_file(folder, "._a.json"), "/._a.json ");
}

FOLDER_TEST(links_are_followed_to_files_and_loops_are_harmless)
{
	struct folder *folder = *state;
	make_folder(folder, "real");
	folder_write_text(folder, "real/a.json", "{}");
	make_link(folder, "real/a.json", "link.json");
	make_link(folder, ".", "real/loop");
	make_link(folder, "..", "real/up");
	make_link(folder, "nowhere", "dangling.json");
	make_link(folder, "real", "folder.json");
	make_link(folder, "real", "door");
	assert_int_equal(mkfifo(folder_file(folder, "fifo.json"), 0600), 0);
	assert_listed(folder, folder->path, "/dangling.json! /link.json /real/a.json (5)");
	assert_listed(folder, folder_file(folder, "door"), "/door/a.json (2)");
}

FOLDER_TEST(other_arguments_stand_for_themselves)
{
	struct folder *folder = *state;
	char *missing = strdup(folder_file(folder, "missing"));
	RELEASED(source_files) list = { .count = 0 };
	struct error err;
	assert_int_equal(source_files_add(&list, "-", &err), 0);
	assert_int_equal(source_files_add(&list, missing, &err), 0);
	assert_int_equal(source_files_add(&list, "/dev/null", &err), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.files[0].path, "-");
	assert_string_equal(list.files[1].path, missing);
	assert_string_equal(list.files[2].path, "/dev/null");
	for (size_t i = 0; i < list.count; i++)
		assert_int_equal(list.files[i].problem, 0);
	free(missing);
}

FOLDER_TEST(an_unreadable_directory_is_reported_and_the_walk_goes_on)
{
	struct folder *folder = *state;
	make_folder(folder, "b");
	folder_write_text(folder, "a.json", "{}");
	folder_write_text(folder, "c.json", "{}");
	assert_int_equal(chmod(folder_file(folder, "b"), 0), 0);
	folder_drop_rights(folder, 0755);
	assert_listed(folder, folder->path, "/a.json /b! /c.json ");
	folder_regain_rights();
	assert_int_equal(chmod(folder_file(folder, "b"), 0700), 0);
}
