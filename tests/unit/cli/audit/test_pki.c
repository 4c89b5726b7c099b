#include "tests/test.h"
#include "tests/unit/cli/commands.h"
#include "tests/unit/dir.h"
#include "cli/args/args.h"

#include <string.h>
static void expect(const char *line, int status, const char *text)
{
	expect_command(pki_main, line, status, text);
}

TEST(from_ca_to_fingerprint)
{
	char before[128];

	expect("init --dir ca --name Our-CA --days 100", 0, "ca/ca.key");
	expect("request --name bank-a --role party --dir a", 0, "a/bank-a.csr");
	expect(
	    "request --name hub --role coordinator --key-type p256 --host hub.example.org --host "
	    "10.0.0.1 --dir h",
	    0, "h/hub.csr");
	expect("sign --ca ca a/bank-a.csr --days 90", 0,
	       "role: party or user: the coordinator's \"parties\" or \"api.roles\" decides\n");
	assert_non_null(strstr(said, "made a/bank-a.crt\nname: bank-a\n"));
	expect("sign --ca ca --out hub.crt --days 90 h/hub.csr", 0,
	       "hosts: hub hub.example.org 10.0.0.1\nfingerprint: sha256:");
	expect("fingerprint hub.crt", 0, "sha256:");
	assert_int_equal(strlen(said), 7 + 64 + 1);
	strcpy(before, said);
	expect("fingerprint h/hub.key", 0, before);
	expect("show hub.crt", 0, before);
	expect("show h/hub.key", 0, "private key");
	assert_null(strstr(said, "PRIVATE KEY-----"));
	expect("request --name anna --role user --dir u", 0, "u/anna.csr");
	expect("lab --out lab --parties 3", 0, "3 parties in lab");
	assert_int_equal(access("lab/party-02.key", R_OK), 0);
	assert_int_equal(access("lab/coordinator.crt", R_OK), 0);
}

TEST(misuse_ends_with_4)
{
	expect("", 4, "Usage: coterie pki COMMAND");
	expect("frobnicate", 4, "frobnicate: no such command");
	expect("init --frobnicate", 4, "unrecognized option");
	expect("init --days x", 4, "expected a number from 1");
	expect("init --days 0", 4, "expected a number from 1");
	expect("init --days -1", 4, "expected a number from 1");
	expect("init --days 99999999999999999999", 4, "expected a number from 1");
	expect("init --days 40000", 4, "expected 1 to 36500");
	expect("init here", 4, "one argument too many");
	expect("request", 4, "--name is missing");
	expect("request --name a --role hub", 4, "expected party, coordinator or user");
	expect("request --name a --key-type rsa", 4, "expected ed25519 or p256");
	expect("request --name a/b", 4, "1 to 64 of A-Z");
	expect("sign", 4, "REQUEST is missing");
	expect("sign a b", 4, "one argument too many");
	expect("sign none.csr --ca nowhere", 4, "nowhere/ca.crt: No such file");
	expect("fingerprint", 4, "FILE is missing");
	expect("fingerprint none", 4, "none: No such file");
	expect("show none", 4, "none: No such file");
	expect("lab --out x", 4, "--out and --parties");
	expect("lab --parties 3", 4, "--out and --parties");
	expect("lab --out x --parties 1000", 4, "expected 1 to 256");
}

TEST(everything_has_help)
{
	static const char *const commands[] = { "init",        "request", "sign",
						"fingerprint", "show",    "lab" };

	expect("--help", 0, "Usage: coterie pki COMMAND");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char line[64], usage[64];

		snprintf(line, sizeof(line), "%s --help", commands[i]);
		snprintf(usage, sizeof(usage), "Usage: coterie pki %s", commands[i]);
		expect(line, 0, usage);
	}
}

TESTS_BETWEEN(dir_enter, dir_leave)
