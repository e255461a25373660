/* Customers, and how what is made of them is sent. */
#include "player_unit.h"
#include "probe/keep/customer.h"
#include "test.h"

#define ALL 8

static const struct keeper_kind kind = { "kept", NULL, keep, show_rows, NULL, 0 };
static struct roles roles;
static struct messenger messenger;
static struct error err;

static void begin(void)
{
	player_open(&kind, "effect", false);
	messenger = (struct messenger){
		.player = &player, .roles = &roles, .check = check_of("effect/none"), .salt = UINT64_C(1) << 32
	};
}

static void end(void)
{
	roles_release(&roles);
	player_close();
}

static struct catalog_kind named(const char *name)
{
	struct catalog_kind found;
	assert_int_equal(catalog_find_kind(name, &found, NULL), CATALOG_FOUND);
	return found;
}

static const char *role_of(const char *uuid)
{
	char digits[40];
	size_t length = 0;
	for (const char *at = uuid; *at; at++)
		if (*at != '-')
			digits[length++] = *at;
	digits[length] = '\0';
	for (size_t i = 0; i < roles.count; i++)
		if (strcmp(roles.list[i].identifier, digits) == 0)
			return roles.list[i].name;
	return "";
}

TEST(test_a_customer_who_is_renewed_is_the_same_one)
{
	struct customer one, other;
	begin();
	const struct probe_session kept = player.maker.session;
	customer_init(&one, &messenger);
	customer_init(&other, &messenger);
	const struct probe_session before = one.session;
	customer_renew(&one, &messenger);
	assert_int_equal(messenger.customers, other.number);
	assert_int_equal(one.number + 1, other.number);
	assert_int_equal(one.generation, 1);
	unsigned same = 0;
	for (size_t i = 0; i < PROBE_LINKS; i++) {
		bool is_kept = strcmp(before.values[i], one.session.values[i]) == 0;
		same += is_kept;
		assert_int_equal(strlen(one.session.values[i]), RANDOM_UUID_SIZE - 1);
		if (i == PROBE_CUSTOMER || i == PROBE_APPLICATION)
			assert_true(is_kept);
		assert_true((i == PROBE_APPLICATION) == (strcmp(other.session.values[i], before.values[i]) == 0));
	}
	assert_int_equal(same, 3); /* the userId, too */
	assert_memory_equal(&player.maker.session, &kept, sizeof kept);
	end();
}

TEST(test_identifiers_of_one_who_was_renewed_have_roles_of_their_own)
{
	struct customer one;
	struct delivery first = { .status = 0 }, second = { .status = 0 };
	begin();
	customer_init(&one, &messenger);
	assert_int_equal(delivery_make(&first, &messenger, &one, named("bureau-alert"), false, &err), 0);
	customer_renew(&one, &messenger);
	assert_int_equal(delivery_make(&second, &messenger, &one, named("bureau-alert"), true, &err), 0);
	char client[BODY_SIZE], again[BODY_SIZE], alert[BODY_SIZE], later[BODY_SIZE];
	value_of(buffer_text(&first.body), "clientKey", client);
	value_of(buffer_text(&second.body), "clientKey", again);
	value_of(buffer_text(&first.body), "alertId", alert);
	value_of(buffer_text(&second.body), "alertId", later);
	assert_string_equal(client, again);
	assert_string_not_equal(alert, later);
	assert_string_equal(role_of(client), "clientKey of A1");
	assert_string_equal(role_of(alert), "alertId of A1");
	assert_string_equal(role_of(later), "alertId 2 of A1");
	delivery_release(&first);
	delivery_release(&second);
	end();
}

TEST(test_those_who_stand_apart_share_no_digit)
{
	struct customer apart[10];
	char text[10][24], run_id[PROBE_RUN_ID_SIZE];
	begin();
	snprintf(run_id, sizeof run_id, "%s", player.maker.run_id);
	for (size_t i = 0; i < 10; i++) {
		customer_init_apart(&apart[i], &messenger, i);
		snprintf(text[i], sizeof text[i], "%llu", (unsigned long long)apart[i].integer);
		assert_int_equal(strlen(text[i]), 10);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(apart[i].prefix, apart[j].prefix);
			for (size_t at = 1; at < 10; at++)
				assert_true(text[i][at] != text[j][at]);
		}
		assert_memory_equal(apart[i].session.values[PROBE_CUSTOMER], apart[i].prefix, PROBE_RUN_ID_SIZE - 1);
	}
	assert_string_equal(player.maker.run_id, run_id); /* all others begin with it */
	end();
}

/* How often it was asked, and from when on it has enough. */
struct asked {
	unsigned times, enough;
};

static bool has_enough(void *context, const struct delivery *delivery)
{
	struct asked *asked = context;
	assert_true(delivery_accepted(delivery));
	return ++asked->times == asked->enough;
}

/* What is under way on the other connections ends, and asks nothing more. */
TEST(test_a_stop_ends_the_sending)
{
	for (unsigned connections = 1; connections <= 3; connections++) {
		struct delivery deliveries[ALL] = { { .status = 0 } }, *list[ALL];
		struct asked asked = { .enough = 2 };
		begin();
		for (size_t i = 0; i < ALL; i++) {
			struct customer one;
			customer_init(&one, &messenger);
			list[i] = &deliveries[i];
			assert_int_equal(delivery_make(list[i], &messenger, &one, named("user-created"), false, &err),
			                 0);
		}
		assert_int_equal(messenger_send(&messenger, list, ALL, connections, has_enough, &asked, &err), 0);
		assert_int_equal(asked.times, 2);
		assert_in_range(keeper.requests, 2, 1 + connections);
		unsigned sent = 0;
		for (size_t i = 0; i < ALL; i++) {
			sent += delivery_accepted(list[i]);
			assert_true(delivery_accepted(list[i]) || list[i]->status < 0);
			delivery_release(list[i]);
		}
		assert_int_equal(sent, keeper.requests);
		end();
	}
}
