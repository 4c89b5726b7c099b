#include "tests/test.h"

#include "common/base/alloc.h"
#include "proto/tls.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "certs.h"

static struct cert_ca ca, other_ca, same_name_ca;
static struct cert_files hub, bank;

static struct tls_context *context(enum tls_role role, const struct cert_files *files,
				   const struct cert_ca *trusted)
{
	struct tls_context *c;

	assert_ok(tls_context_new(
	    &c, role,
	    &(struct identity_files){ files->cert, files->key, trusted->path, NULL, NULL }));
	return c;
}

/* Passes the output of one end to the other; returns true if there was any. */
static bool carry(struct tls *from, struct tls *to, enum err *e, char why[static ERR_DETAIL_MAX])
{
	struct buf *out = tls_output(from);
	uint8_t *exact, scrap[64];
	size_t n = out->n, got;

	if (n == 0)
		return false;
	/* exact size, so that the sanitizer finds reads past the end or after the call */
	exact = malloc(n);
	memcpy(exact, out->p, n);
	buf_drop(out, n);
	tls_input(to, exact, n);
	*e = tls_state(to) == TLS_HANDSHAKE ? tls_handshake(to) : ERR_OK;
	if (*e == ERR_OK && tls_state(to) == TLS_OPEN)
		*e = tls_read(to, scrap, sizeof(scrap), &got);
	if (*e != ERR_OK)
		strcpy(why, err_detail());
	free(exact);
	return true;
}

/* The results of a handshake between a server and a client, with their errors if any. */
struct outcome {
	enum err e[2];
	char why[2][ERR_DETAIL_MAX];
};

static void shake(struct tls *server, struct tls *client, struct outcome *o)
{
	bool moved = true;

	memset(o, 0, sizeof(*o));
	assert_ok(tls_handshake(client));
	while (moved) {
		moved = false;
		if (o->e[0] == ERR_OK)
			moved |= carry(client, server, &o->e[0], o->why[0]);
		if (o->e[1] == ERR_OK)
			moved |= carry(server, client, &o->e[1], o->why[1]);
	}
}

static void meet(const struct cert_files *server_files, const struct cert_ca *server_trusts,
		 const struct cert_files *client_files, const struct cert_ca *client_trusts,
		 struct outcome *o, struct tls **server, struct tls **client)
{
	struct tls_context *s = context(TLS_SERVER, server_files, server_trusts);
	struct tls_context *c = context(TLS_CLIENT, client_files, client_trusts);

	*server = tls_new(s);
	*client = tls_new(c);
	tls_context_free(s); /* connections outlive their contexts */
	tls_context_free(c);
	shake(*server, *client, o);
}

/* A server that refuses the client reports the reason, and sends it to the client. */
static void refused_client(const struct cert_wish *wish, const struct cert_ca *issuer,
			   const char *server_says, const char *client_says)
{
	struct cert_files files;
	struct tls *server, *client;
	struct outcome o;

	certs_issue(&files, issuer, wish);
	meet(&hub, &ca, &files, &ca, &o, &server, &client);
	if (o.e[0] != ERR_PEER || !strstr(o.why[0], server_says))
		fail_msg("server: %s, expected %s", o.why[0], server_says);
	if (o.e[1] != ERR_PEER || !strstr(o.why[1], client_says))
		fail_msg("client: %s, expected %s", o.why[1], client_says);
	assert_int_not_equal(tls_state(server), TLS_OPEN);
	tls_free(server);
	tls_free(client);
}

static void refused_server(const struct cert_wish *wish, const struct cert_ca *issuer,
			   const char *client_says, const char *server_says)
{
	struct cert_files files;
	struct tls *server, *client;
	struct outcome o;

	certs_issue(&files, issuer, wish);
	meet(&files, &ca, &bank, &ca, &o, &server, &client);
	if (o.e[1] != ERR_PEER || !strstr(o.why[1], client_says))
		fail_msg("client: %s, expected %s", o.why[1], client_says);
	if (o.e[0] != ERR_PEER || !strstr(o.why[0], server_says))
		fail_msg("server: %s, expected %s", o.why[0], server_says);
	assert_int_not_equal(tls_state(client), TLS_OPEN);
	tls_free(server);
	tls_free(client);
}

/* ---- good ---- */

static void pass(struct tls *from, struct tls *to, size_t n)
{
	uint8_t *sent = alloc(n, 1), *back = alloc(n, 1);
	size_t done = 0, got = 1;

	for (size_t i = 0; i < n; i++)
		sent[i] = (uint8_t)(i * 7 + n);
	assert_ok(tls_write(from, sent, n));
	tls_input(to, tls_output(from)->p, tls_output(from)->n);
	while (got) {
		assert_ok(tls_read(to, back + done, n - done + (done == n), &got));
		done += got;
	}
	tls_output(from)->n = 0;
	assert_int_equal(done, n);
	assert_memory_equal(sent, back, n);
	free(sent);
	free(back);
}

static void test_good_certificates_talk(void **state)
{
	struct tls *server, *client;
	struct outcome o;
	uint8_t fp[HASH_LEN];

	(void)state;
	meet(&hub, &ca, &bank, &ca, &o, &server, &client);
	assert_string_equal(o.why[0], "");
	assert_string_equal(o.why[1], "");
	assert_int_equal(tls_state(server), TLS_OPEN);
	assert_int_equal(tls_state(client), TLS_OPEN);
	assert_string_equal(tls_peer_name(server), "bank-a");
	assert_string_equal(tls_peer_name(client), "hub.example.org");
	tls_peer_fingerprint(server, fp);
	assert_memory_equal(fp, bank.fingerprint, HASH_LEN);
	tls_peer_fingerprint(client, fp);
	assert_memory_equal(fp, hub.fingerprint, HASH_LEN);
	for (size_t n = 1; n < 100; n += 7)
		pass(client, server, n);
	pass(server, client, TLS_RECORD);
	pass(server, client, TLS_RECORD + 1);
	pass(client, server, 1000000);
	tls_end(client);
	assert_int_equal(tls_state(client), TLS_OPEN); /* the client can still receive */
	pass(server, client, 100);
	assert_true(carry(client, server, &o.e[0], o.why[0]));
	assert_int_equal(tls_state(server), TLS_ENDED);
	tls_free(server);
	tls_free(client);
}

static void test_records_are_full(void **state)
{
	static uint8_t zeros[4 * TLS_RECORD];
	struct tls *server, *client;
	struct outcome o;

	(void)state;
	meet(&hub, &ca, &bank, &ca, &o, &server, &client);
	assert_ok(tls_write(client, zeros, sizeof(zeros)));
	assert_int_equal(tls_output(client)->n,
			 4 * (TLS_RECORD + 5 + 1 + 16)); /* header, type, tag */
	tls_free(server);
	tls_free(client);
}

/* Handshake and transfer work also if the bytes are passed on one by one. */
static void test_crumbs(void **state)
{
	struct tls_context *s = context(TLS_SERVER, &hub, &ca),
			   *c = context(TLS_CLIENT, &bank, &ca);
	struct tls *t[2] = { tls_new(s), tls_new(c) };
	uint8_t scrap[16];

	(void)state;
	assert_ok(tls_handshake(t[1]));
	for (int round = 0; round < 4; round++)
		for (int from = 1; from >= 0; from--) {
			struct buf *out = tls_output(t[from]);

			while (out->n) {
				struct tls *to = t[!from];
				size_t got;

				tls_input(to, out->p, 1);
				if (tls_state(to) == TLS_HANDSHAKE)
					assert_ok(tls_handshake(to));
				else
					assert_ok(tls_read(to, scrap, sizeof(scrap), &got));
				buf_drop(out, 1);
			}
		}
	assert_int_equal(tls_state(t[0]), TLS_OPEN);
	assert_int_equal(tls_state(t[1]), TLS_OPEN);
	for (int i = 0; i < 2; i++)
		tls_free(t[i]);
	tls_context_free(s);
	tls_context_free(c);
}

static void test_p256_and_names(void **state)
{
	struct cert_files files;
	struct tls *server, *client;
	struct outcome o;

	(void)state;
	certs_issue(&files, &ca,
		    &(struct cert_wish){ .name = "bank-b", .second = "other", .p256 = true });
	meet(&hub, &ca, &files, &ca, &o, &server, &client);
	assert_string_equal(o.why[0], "");
	assert_string_equal(tls_peer_name(server), "bank-b");
	tls_free(server);
	tls_free(client);
}

/* After the handshake the server sends nothing more, so no ticket with which a client could resume
 * the session. */
static void test_no_tickets(void **state)
{
	struct tls_context *s = context(TLS_SERVER, &hub, &ca),
			   *c = context(TLS_CLIENT, &bank, &ca);
	struct tls *server = tls_new(s), *client = tls_new(c);
	enum err e;
	char why[ERR_DETAIL_MAX];

	(void)state;
	assert_ok(tls_handshake(client));
	assert_true(carry(client, server, &e, why));
	assert_true(carry(server, client, &e, why));
	assert_true(carry(client, server, &e, why));
	assert_int_equal(tls_state(server), TLS_OPEN);
	assert_int_equal(tls_output(server)->n, 0);
	tls_free(server);
	tls_free(client);
	tls_context_free(s);
	tls_context_free(c);
}

/* ---- bad certificates ---- */

static void test_wrong_ca(void **state)
{
	(void)state;
	refused_client(&(struct cert_wish){ .name = "bank-a" }, &other_ca,
		       "shows a certificate (for bank-a) that our CA did not sign (unknown CA)",
		       "refuses us: our certificate is not signed by its CA (unknown CA)");
	refused_client(&(struct cert_wish){ .name = "bank-a" }, &same_name_ca,
		       "shows a certificate (for bank-a) that our CA did not sign (unknown CA)",
		       "refuses us: our certificate is not signed by its CA (of the same name?)");
	refused_server(&(struct cert_wish){ .name = "hub", .usage = "serverAuth" }, &other_ca,
		       "shows a certificate (for hub) that our CA did not sign", "unknown CA");
}

static void test_dates(void **state)
{
	(void)state;
	refused_client(&(struct cert_wish){ .name = "bank-a", .from_day = -9, .to_day = -2 }, &ca,
		       "shows a certificate (for bank-a) that expired on 20",
		       "refuses us: our certificate has expired");
	refused_client(&(struct cert_wish){ .name = "bank-a", .from_day = 2, .to_day = 9 }, &ca,
		       " UTC (it is 20", "or is not valid yet by its clock; it is valid from 20");
	refused_server(&(struct cert_wish){ "hub", "serverAuth", -9, -2, false, NULL }, &ca,
		       "(for hub) that expired on 20", "refuses us: our certificate has expired");
	refused_server(&(struct cert_wish){ "hub", "serverAuth", 2, 9, false, NULL }, &ca,
		       "(for hub) that is not valid before 20", "refuses us: our certificate");
}

static void test_purpose(void **state)
{
	(void)state;
	refused_client(&(struct cert_wish){ .name = "bank-a", .usage = "serverAuth" }, &ca,
		       "of the wrong purpose, expected clientAuth", "of the wrong purpose");
	refused_server(&(struct cert_wish){ .name = "bank-b", .usage = "clientAuth" }, &ca,
		       "of the wrong purpose, expected serverAuth", "of the wrong purpose");
	refused_client(&(struct cert_wish){ .name = "bank-a", .usage = "" }, &ca,
		       "of the wrong purpose, expected clientAuth", "of the wrong purpose");
	refused_server(&(struct cert_wish){ .name = "hub", .usage = "" }, &ca,
		       "of the wrong purpose, expected serverAuth", "of the wrong purpose");
}

static void test_names(void **state)
{
	char longest[MSG_NAME_MAX + 2];
	struct cert_files files;
	struct tls *server, *client;
	struct outcome o;

	(void)state;
	refused_client(&(struct cert_wish){ 0 }, &ca, "without a usable DNS name", "refuses us");
	memset(longest, 'x', sizeof(longest));
	longest[MSG_NAME_MAX + 1] = '\0';
	refused_client(&(struct cert_wish){ .name = longest }, &ca, "without a usable DNS name",
		       "refuses us");
	refused_client(&(struct cert_wish){ .name = "bank a" }, &ca, "without a usable DNS name",
		       "refuses us");
	longest[MSG_NAME_MAX] = '\0';
	certs_issue(&files, &ca, &(struct cert_wish){ .name = longest });
	meet(&hub, &ca, &files, &ca, &o, &server, &client);
	assert_string_equal(o.why[0], "");
	assert_string_equal(tls_peer_name(server), longest);
	tls_free(server);
	tls_free(client);
}

/* ---- foreign peers, which OpenSSL plays ---- */

struct stranger {
	SSL_CTX *ctx;
	SSL *ssl;
	BIO *in, *out;
};

static void stranger_init(struct stranger *x, const struct cert_files *files, int version,
			  bool listens)
{
	x->ctx = SSL_CTX_new(listens ? TLS_server_method() : TLS_client_method());
	SSL_CTX_set_max_proto_version(x->ctx, version);
	if (files) {
		SSL_CTX_use_certificate_chain_file(x->ctx, files->cert);
		SSL_CTX_use_PrivateKey_file(x->ctx, files->key, SSL_FILETYPE_PEM);
	}
	x->ssl = SSL_new(x->ctx);
	x->in = BIO_new(BIO_s_mem());
	x->out = BIO_new(BIO_s_mem());
	SSL_set_bio(x->ssl, x->in, x->out);
	if (listens)
		SSL_set_accept_state(x->ssl);
	else
		SSL_set_connect_state(x->ssl);
}

static void stranger_release(struct stranger *x)
{
	SSL_free(x->ssl);
	SSL_CTX_free(x->ctx);
}

static enum err meet_stranger(struct tls *t, struct stranger *x)
{
	for (int i = 0; i < 10; i++) {
		struct buf *out = tls_output(t);
		char *p;
		long n;
		enum err e;

		SSL_do_handshake(x->ssl);
		n = BIO_get_mem_data(x->out, &p);
		tls_input(t, (uint8_t *)p, (size_t)n);
		e = tls_handshake(t);
		(void)!BIO_reset(x->out);
		if (e != ERR_OK)
			return e;
		BIO_write(x->in, out->p, (int)out->n);
		buf_drop(out, out->n);
	}
	return ERR_OK;
}

static void test_strangers(void **state)
{
	static const struct {
		bool we_listen, with_certificate;
		int version;
		const char *says;
	} c[] = {
		{ true, true, TLS1_3_VERSION, NULL },
		{ true, false, TLS1_3_VERSION, "shows no certificate" },
		{ true, true, TLS1_2_VERSION, "does not speak TLS 1.3" },
		{ true, false, TLS1_2_VERSION, "does not speak TLS 1.3" },
		{ false, true, TLS1_2_VERSION, "does not speak TLS 1.3" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		const struct cert_files *theirs = c[i].we_listen ? &bank : &hub;
		struct tls_context *ctx = c[i].we_listen ? context(TLS_SERVER, &hub, &ca)
							 : context(TLS_CLIENT, &bank, &ca);
		struct tls *t = tls_new(ctx);
		struct stranger x;

		stranger_init(&x, c[i].with_certificate ? theirs : NULL, c[i].version,
			      !c[i].we_listen);
		if (c[i].says)
			assert_err(meet_stranger(t, &x), ERR_PEER, c[i].says);
		else
			assert_ok(meet_stranger(t, &x));
		assert_int_equal(tls_state(t) == TLS_OPEN, !c[i].says);
		stranger_release(&x);
		tls_free(t);
		tls_context_free(ctx);
	}
}

static void test_not_tls(void **state)
{
	static const char *const first[] = {
		"GET / HTTP/1.1\r\n\r\n",
		"HTTP/1.1 400 Bad Request\r\n",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"x",
		"\x16\x02\x01",
		"\xff\xff\xff\xff",
		"\x17\x03\x03\x00\x10",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		for (int role = TLS_SERVER; role <= TLS_CLIENT; role++) {
			struct tls_context *ctx = role == TLS_SERVER
						      ? context(TLS_SERVER, &hub, &ca)
						      : context(TLS_CLIENT, &bank, &ca);
			struct tls *t = tls_new(ctx);

			tls_input(t, (const uint8_t *)first[i], strlen(first[i]));
			assert_err(tls_handshake(t), ERR_PEER, "is not TLS");
			tls_free(t);
			tls_context_free(ctx);
		}
}

/* Refuses bytes that look like TLS but are not. */
static void test_garbage(void **state)
{
	uint8_t garbage[600];

	(void)state;
	for (unsigned seed = 0; seed < 50; seed++) {
		struct tls_context *ctx = context(TLS_SERVER, &hub, &ca);
		struct tls *t = tls_new(ctx);
		enum err e = ERR_OK;

		for (size_t i = 0; i < sizeof(garbage); i++)
			garbage[i] = (uint8_t)((seed + 1) * 2654435761U * (i + 1) >> 13);
		garbage[0] = 0x16;
		garbage[1] = 0x03;
		garbage[2] = 0x01;
		/* a length of at most 255 bytes, so that the record is complete */
		garbage[3] = 0x00;
		tls_input(t, garbage, sizeof(garbage));
		e = tls_handshake(t);
		assert_int_equal(e, ERR_PEER);
		tls_free(t);
		tls_context_free(ctx);
	}
}

/* A flipped bit in the stream ends the connection. */
static void test_tampering(void **state)
{
	struct tls *server, *client;
	struct outcome o;
	uint8_t scrap[64];
	size_t got;

	(void)state;
	meet(&hub, &ca, &bank, &ca, &o, &server, &client);
	assert_ok(tls_write(client, (const uint8_t *)"hello", 5));
	tls_output(client)->p[7] ^= 1;
	tls_input(server, tls_output(client)->p, tls_output(client)->n);
	assert_err(tls_read(server, scrap, sizeof(scrap), &got), ERR_PEER, "broke TLS: ");
	tls_free(server);
	tls_free(client);
}

static void test_wrong_files_are_refused(void **state)
{
	struct tls_context *c;
	char missing[CERT_PATH];

	(void)state;
	certs_path(missing, "missing", "pem");
	assert_err(
	    tls_context_new(&c, TLS_SERVER,
			    &(struct identity_files){ missing, hub.key, ca.path, NULL, NULL }),
	    ERR_INPUT, missing);
	assert_err(
	    tls_context_new(&c, TLS_SERVER,
			    &(struct identity_files){ hub.cert, missing, ca.path, NULL, NULL }),
	    ERR_INPUT, missing);
	assert_err(
	    tls_context_new(&c, TLS_SERVER,
			    &(struct identity_files){ hub.cert, hub.key, missing, NULL, NULL }),
	    ERR_INPUT, missing);
	assert_err(
	    tls_context_new(&c, TLS_SERVER,
			    &(struct identity_files){ hub.cert, bank.key, ca.path, NULL, NULL }),
	    ERR_INPUT, bank.key);
	assert_err(
	    tls_context_new(&c, TLS_SERVER,
			    &(struct identity_files){ hub.key, hub.key, ca.path, NULL, NULL }),
	    ERR_INPUT, hub.key);
	assert_err(
	    tls_context_new(&c, TLS_CLIENT,
			    &(struct identity_files){ hub.cert, hub.cert, ca.path, NULL, NULL }),
	    ERR_INPUT, hub.cert);
}

int tests_run(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_certificates_talk),
		cmocka_unit_test(test_records_are_full),
		cmocka_unit_test(test_crumbs),
		cmocka_unit_test(test_p256_and_names),
		cmocka_unit_test(test_no_tickets),
		cmocka_unit_test(test_wrong_ca),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_purpose),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_not_tls),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_tampering),
		cmocka_unit_test(test_wrong_files_are_refused),
	};
	int failed;

	certs_ca(&ca, "ca");
	certs_ca(&other_ca, "other");
	certs_ca(&same_name_ca, "ca");
	certs_issue(&hub, &ca,
		    &(struct cert_wish){ .name = "hub.example.org", .usage = "serverAuth" });
	certs_issue(&bank, &ca, &(struct cert_wish){ .name = "bank-a" });
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	certs_ca_release(&ca);
	certs_ca_release(&other_ca);
	certs_ca_release(&same_name_ca);
	return failed;
}
