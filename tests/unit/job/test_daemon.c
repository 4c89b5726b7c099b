/* Reads coordinator.json and party.json: examples, paths and refusals. */
#include "tests/test.h"

#include "common/base/file.h"
#include "common/job/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIN "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\""
#define IDENTITY                                                                                   \
	"\"identity\": {\"certificate\": \"x.crt\", \"key\": \"/k/x.key\", \"ca\": \"ca.crt\"}"
#define HUB   "\"name\": \"hub\", \"listen\": \"0.0.0.0:0\", " IDENTITY
#define BANK  "\"name\": \"bank-a\", \"coordinator\": \"hub.example.org:7431\", " IDENTITY
#define PEERS "\"peers\": {\"hub\": " PIN "}"
#define DATA  "\"data\": {\"features\": \"f.npy\", \"edges\": \"e.tsv\"}"

static char path[] = "/tmp/coterie-test-daemon-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_config(const char *text)
{
	assert_ok(
	    file_write(path, (struct bytes){ (const uint8_t *)text, strlen(text) }, FILE_PUBLIC));
}

TEST(test_coordinator)
{
	char *set[] = { "heartbeat_s=1", "ready_file=/r", NULL };
	struct coordinator_config c;

	write_config("{" HUB ", \"parties\": [\"b\", \"a\"], \"pins\": {\"a\": " PIN "}}");
	assert_ok(coordinator_config_read(&c, path, set));
	assert_string_equal(c.common.name, "hub");
	assert_string_equal(c.listen.host, "0.0.0.0");
	assert_int_equal(c.listen.port, 0);
	assert_string_equal(c.common.identity.certificate, "/tmp/x.crt"); /* relative to the file */
	assert_string_equal(c.common.identity.key, "/k/x.key");
	assert_string_equal(c.common.output, "/tmp/out");
	assert_int_equal(c.common.heartbeat_s, 1);
	assert_int_equal(c.common.reconnect_s, 60);
	assert_int_equal(c.common.rejoin_s, 60);
	assert_int_equal(c.max_attempts, 3);
	assert_string_equal(c.common.path, path);
	assert_ptr_equal(c.common.set, set);
	assert_int_equal(c.common.step_timeout_s, 600);
	assert_int_equal(c.common.threads, 0);
	assert_int_equal(c.common.log_level, LOG_INFO);
	assert_int_equal(c.join_timeout_s, 60);
	assert_string_equal(c.ready_file, "/r");
	assert_string_equal(c.parties.item[0], "a"); /* sorted */
	assert_string_equal(c.parties.item[1], "b");
	assert_non_null(config_map_get(&c.pins, "a"));
	coordinator_config_release(&c);
}

TEST(test_window)
{
	struct coordinator_config c;

	write_config("{" HUB ", \"parties\": [\"a\"], \"http\": {\"listen\": \"[::1]:80\", "
		     "\"hosts\": [\"w.org\"]}}");
	assert_ok(coordinator_config_read(&c, path, NULL));
	assert_string_equal(c.common.http.at.host, "::1");
	assert_int_equal(c.common.http.at.port, 80);
	assert_string_equal(c.common.http.hosts.item[0], "w.org");
	coordinator_config_release(&c);
	for (const char *const *listen =
		 (const char *const[]){ "0.0.0.0:80", "127.example.org:80", "[::]:80",
					"hub.example.org:80", "10.0.0.1:80", NULL };
	     *listen; listen++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "{" HUB ", \"parties\": [\"a\"], \"http\": {\"listen\": \"%s\"}}",
			 *listen);
		write_config(text);
		assert_err(coordinator_config_read(&c, path, NULL), ERR_INPUT,
			   "expected a loopback address");
		assert_ok(
		    coordinator_config_read(&c, path, (char *[]){ "http.anywhere=true", NULL }));
		coordinator_config_release(&c);
	}
	for (const char *const *listen =
		 (const char *const[]){ "127.0.0.1", "unix:", "unix:here", ":80", "/run/x", NULL };
	     *listen; listen++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "{" HUB ", \"parties\": [\"a\"], \"http\": {\"listen\": \"%s\"}}",
			 *listen);
		write_config(text);
		assert_err(coordinator_config_read(&c, path, NULL), ERR_INPUT,
			   "coordinator.http.listen is");
	}
}

TEST(test_party)
{
	struct party_config c;

	write_config("{" BANK ", " DATA ", \"peers\": {\"hub\": " PIN ", \"bank-b\": " PIN
		     ", \"bank-c\": {\"fingerprint\": " PIN "}, \"bank-d\": {\"# of\": 1, "
		     "\"psk\": \"d.psk\", \"fingerprint\": " PIN "}}, \"output\": \"o\"}");
	assert_ok(party_config_read(&c, path, NULL));
	assert_string_equal(c.coordinator.host, "hub.example.org");
	assert_int_equal(c.coordinator.port, 7431);
	assert_string_equal(c.data.features, "/tmp/f.npy");
	assert_string_equal(c.data.edges, "/tmp/e.tsv");
	assert_null(c.data.ids);
	assert_int_equal(c.peers.count, 4);
	assert_string_equal(config_map_get(&c.peers, "bank-d"), config_map_get(&c.peers, "hub"));
	assert_null(c.peers.item[1].path);
	assert_null(c.peers.item[2].path);
	assert_string_equal(c.peers.item[3].path, "/tmp/d.psk");
	assert_true(config_strings_has(&c.policy.jobs, "kcagc"));
	assert_int_equal(c.policy.methods.count, 0);
	assert_int_equal(c.policy.min_parties, 2);
	assert_false(c.policy.allow_single);
	assert_true(c.policy.coordinators.count == 0 && c.policy.min_cell == 1);
	assert_true(c.policy.max_jobs == 0 && c.policy.max_words == 0);
	assert_false(c.policy.allow_subsets || c.policy.confirm);
	assert_int_equal(c.confirm_s, 3600);
	assert_string_equal(c.state, "/tmp/o/state");
	assert_int_equal(c.retry_s, 0);
	party_config_release(&c);
}

struct refusal {
	const char *text, *message;
};

static enum err read_coordinator(void)
{
	struct coordinator_config c;

	return coordinator_config_read(&c, path, NULL);
}

static enum err read_party(void)
{
	struct party_config p;

	return party_config_read(&p, path, NULL);
}

static void refuses(enum err (*read)(void), const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		print_message("%s\n", cases[i].text);
		write_config(cases[i].text);
		assert_err(read(), ERR_INPUT, cases[i].message);
		assert_true(strstr(err_detail(), path) == err_detail());
	}
}

#define REFUSES(read, cases) refuses(read, cases, sizeof(cases) / sizeof(*(cases)))

TEST(test_refused_coordinators)
{
	static const struct refusal cases[] = {
		{ "{" HUB "}", "coordinator.parties is missing" },
		{ "{" HUB ", \"parties\": []}", "expected a string, or a list of 1 to 256" },
		{ "{" HUB ", \"parties\": [\"a\", \"a\"]}", "coordinator.parties[1] is \"a\"" },
		{ "{" HUB ", \"parties\": [\"a\", \"hub\"]}", "coordinator.parties has \"hub\"" },
		{ "{" HUB ", \"parties\": [\"a\"], \"port\": 7431}",
		  "coordinator.port is unknown" },
		{ "{" HUB ", \"parties\": [\"a\"], \"http\": {\"submitter\": \"page\"}}",
		  "coordinator.http.submitter was removed after 0.2.0: give submitters" },
		{ "{" HUB ", \"parties\": [\"a\"], \"heartbeat_s\": 0}",
		  "coordinator.heartbeat_s is 0" },
		{ "{" HUB ", \"parties\": [\"a\"], \"log_level\": \"loud\"}",
		  "coordinator.log_level is \"loud\"" },
		{ "{" HUB ", \"parties\": [\"a\"], \"tcp_congestion\": \"reno\"}",
		  "coordinator.tcp_congestion was removed after 0.2.0: leave it out" },
	};

	REFUSES(read_coordinator, cases);
}

TEST(test_refused_pins)
{
	static const struct refusal cases[] = {
		{ "{" HUB ", \"parties\": [\"a\"], \"pins\": {\"b\": " PIN "}}",
		  "coordinator.pins.b is no party" },
		{ "{" HUB ", \"parties\": [\"a\"], \"pins\": {\"a\": \"sha256:12\"}}",
		  "coordinator.pins.a is \"sha256:12\", expected \"sha256:\" and 64" },
		/* the right length, with a wrong digit */
		{ "{" HUB ", \"parties\": [\"a\"], \"pins\": {\"a\": "
		  "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeg\"}}",
		  "coordinator.pins.a is" },
		/* one character too many */
		{ "{" HUB ", \"parties\": [\"a\"], \"pins\": {\"a\": "
		  "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefz\"}}",
		  "coordinator.pins.a is" },
	};

	REFUSES(read_coordinator, cases);
}

TEST(test_refused_parties)
{
	static const struct refusal cases[] = {
		{ "{", "line 1, column 2" },
		{ "{" BANK ", " DATA "}", "party.peers is missing" },
		{ "{" BANK ", \"peers\": {\"hub\": " PIN "}}", "party.data is empty" },
		{ "{" BANK ", " DATA ", \"peers\": {\"bank-a\": " PIN "}}",
		  "party.peers has \"bank-a\"" },
		{ "{" BANK ", " DATA ", \"peers\": {\"hub\": 7}}",
		  "party.peers.hub is 7, expected a string" },
		{ "{" BANK ", " DATA ", \"peers\": {\"hub\": {\"psk\": \"f\"}}}",
		  "party.peers.hub.fingerprint is missing" },
		{ "{" BANK ", " DATA ", \"peers\": {\"hub\": {\"fingerprint\": \"sha256:1\"}}}",
		  "party.peers.hub.fingerprint is \"sha256:1\", expected \"sha256:\" and 64" },
		{ "{" BANK ", " DATA ", \"peers\": {\"hub\": {\"fingerprint\": " PIN
		  ", \"key\": \"f\"}}}",
		  "party.peers.hub.key is unknown, expected one of: fingerprint, psk" },
		{ "{" BANK ", " DATA ", \"peers\": {\"hub\": {\"fingerprint\": " PIN
		  ", \"psk\": 1}}}",
		  "party.peers.hub.psk is 1, expected a path" },
		{ "{" BANK ", " DATA ", \"peers\": {\"hub\": " PIN "}, \"confirm_s\": 0}",
		  "party.confirm_s is 0" },
	};

	REFUSES(read_party, cases);
}

TEST(test_refused_policies)
{
	static const struct refusal cases[] = {
		{ "{" BANK ", " DATA ", " PEERS ", \"policy\": {\"jobs\": [\"all\"]}}",
		  "party.policy.jobs[0] is \"all\"" },
		{ "{" BANK ", " DATA ", " PEERS ", \"policy\": {\"methods\": [\"x\"]}}",
		  "party.policy.methods[0] is \"x\"" },
		{ "{" BANK ", " DATA ", " PEERS ", \"policy\": {\"min_parties\": 0}}",
		  "party.policy.min_parties is 0" },
		{ "{" BANK ", " DATA ", " PEERS
		  ", \"policy\": {\"coordinators\": [\"hub\", \"x\"]}}",
		  "party.policy.coordinators has \"x\", expected names in party.peers" },
		{ "{" BANK ", " DATA ", " PEERS ", \"policy\": {\"max_rounds\": 9}}",
		  "party.policy.max_rounds was removed after 0.2.0: use party.policy.max_words" },
	};

	REFUSES(read_party, cases);
}

TEST(test_missing_file)
{
	struct party_config p;

	assert_err(party_config_read(&p, "/nonexistent/p.json", NULL), ERR_INPUT,
		   "/nonexistent/p.json: No such file");
}

TEST(test_endpoints)
{
	static const struct {
		const char *text, *host;
		unsigned port;
	} cases[] = {
		{ "a.b:1", "a.b", 1 },
		{ "[::1]:65535", "::1", 65535 },
		{ "0.0.0.0:0", "0.0.0.0", 0 },
		{ "::1:80", NULL, 0 },
		{ "a", NULL, 0 },
		{ ":80", NULL, 0 },
		{ "a:", NULL, 0 },
		{ "a:65536", NULL, 0 },
		{ "a:-1", NULL, 0 },
		{ "a:8x", NULL, 0 },
		{ "a b:80", NULL, 0 },
		{ "http://a:80", NULL, 0 },
		{ "a:000080", NULL, 0 },
		{ "[]:80", NULL, 0 },
		{ "", NULL, 0 },
		{ "u@a:80", NULL, 0 },
		{ "[::1:80", NULL, 0 },
	};
	struct endpoint e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		print_message("case %zu\n", i);
		assert_int_equal(endpoint_parse(cases[i].text, &e), cases[i].host != NULL);
		if (cases[i].host) {
			assert_string_equal(e.host, cases[i].host);
			assert_int_equal(e.port, cases[i].port);
		}
	}
}

TEST(test_examples)
{
	struct coordinator_config c;
	struct party_config p;

	assert_ok(coordinator_config_read(&c, "configs/coordinator.json", NULL));
	assert_ok(party_config_read(&p, "configs/party.json", NULL));
	assert_true(config_strings_has(&c.parties, p.common.name));
	assert_non_null(config_map_get(&p.peers, c.common.name));
	assert_int_equal(p.coordinator.port, c.listen.port);
	assert_string_equal(p.common.identity.key, "configs/bank-a.key");
	party_config_release(&p);
	assert_ok(party_config_read(&p, "configs/party-with-rows.json", NULL));
	assert_true(config_strings_has(&c.parties, p.common.name));
	assert_null(p.data.edges);
	assert_true(config_strings_has(&p.policy.jobs, "fedsc") &&
		    config_strings_has(&p.policy.jobs, "kmeans") &&
		    !config_strings_has(&p.policy.jobs, "fedsc.paper"));
	assert_int_equal(p.policy.min_parties, 3);
	coordinator_config_release(&c);
	party_config_release(&p);
}

TESTS_BETWEEN(make_file, remove_file)
