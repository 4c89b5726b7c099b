#include "cli/job/https.h"
#include "common/base/alloc.h"
#include "common/base/config.h"
#include "common/base/file.h"
#include "common/base/passphrase.h"
#include "common/job/daemon.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX = JSON_TEXT_MAX, CONNECT_S = 10, SILENT_S = 30, URL_MAX = 2 * HOST_MAX + 64 };

struct place {
	char name[HOST_MAX + 1]; /* name that the server's certificate must have */
	struct endpoint at;
};

static bool read_place(const char *where, struct place *p)
{
	const char *at = strchr(where, '@');
	size_t n = at ? (size_t)(at - where) : 0;

	if (!endpoint_parse(at ? at + 1 : where, &p->at) || !p->at.port || n > HOST_MAX)
		return false;
	snprintf(p->name, sizeof(p->name), "%.*s", at ? (int)n : HOST_MAX, at ? where : p->at.host);
	return config_check_name(p->name) == NULL || !at;
}

static const char *check_where(const char *text)
{
	struct place p;

	return read_place(text, &p) ? NULL
				    : "a coordinator's api.listen, like \"hub.example.org:7443\" "
				      "or \"hub@192.0.2.7:7443\"";
}

enum err https_check(const struct https_server *s)
{
	const char *wrong = check_where(s->where);

	if (wrong)
		return err_set(ERR_INPUT, "--server is \"%.300s\", expected %s", s->where, wrong);
	if (!s->certificate)
		return err_set(
		    ERR_INPUT,
		    "--server needs --cert, the certificate by which the coordinator knows you");
	return ERR_OK;
}

#define S(field) offsetof(struct submitter_config, field)
static const struct config_row rows[] = {
	{ "server", CONFIG_STRING, S(where), 1, 2 * HOST_MAX, .check = check_where,
	  .help = "the coordinator's api.listen" },
	{ "party", CONFIG_STRING, S(party), 1, 2 * HOST_MAX, "", .check = check_where,
	  .help = "the own party's api.listen, where results are read" },
	{ "identity.certificate", CONFIG_PATH, S(certificate), .help = "own certificate, PEM" },
	{ "identity.key", CONFIG_PATH, S(key), .standard = "", .help = "its key, PEM" },
	{ "identity.ca", CONFIG_PATH, S(ca), .standard = "", .help = "the authority, PEM" },
	{ "identity.crl", CONFIG_PATH, S(crl), .standard = "", .help = "its revoked certificates" },
	{ "identity.passphrase", CONFIG_PATH, S(passphrase), .standard = "",
	  .help = "file with the key's passphrase" },
};
static const struct config_table table = {
	"submitter", rows, sizeof(rows) / sizeof(*rows), sizeof(struct submitter_config), NULL, NULL
};

enum err submitter_config_read(struct submitter_config **out, const struct json *root,
			       const char *path)
{
	struct submitter_config *c = alloc(1, sizeof(*c));
	char *dir = file_dir(path);
	enum err e = config_read(&table, root, path, dir, NULL, c);

	free(dir);
	c->server =
	    (struct https_server){ c->where, c->certificate, c->key, c->ca, c->crl, c->passphrase };
	*out = e == ERR_OK ? c : NULL;
	if (e != ERR_OK)
		free(c);
	return e;
}

void submitter_config_free(struct submitter_config *c)
{
	if (c)
		config_release(&table, c);
	free(c);
}

/* Returns the path of a file next to the certificate: "anna.crt" and ".key" give "anna.key". Owned
 * by the caller. */
static char *beside(const char *certificate, const char *ending)
{
	size_t n = strlen(certificate);
	char *path;

	if (n > 4 && !strcmp(certificate + n - 4, ".crt"))
		n -= 4;
	path = alloc(n + strlen(ending) + 1, 1);
	memcpy(path, certificate, n);
	strcpy(path + n, ending);
	return path;
}

static enum err check_readable(const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return err_set(ERR_INPUT, "%s: this file cannot be read", path);
	fclose(f);
	return ERR_OK;
}

static enum err use_files(CURL *curl, const struct https_server *s, struct passphrase *p)
{
	char *key = s->key ? alloc_copy(s->key) : beside(s->certificate, ".key");
	char *dir = file_dir(s->certificate),
	     *ca = s->ca ? alloc_copy(s->ca) : file_join(dir, "ca.crt");
	enum err e = check_readable(s->certificate);

	if (e == ERR_OK)
		e = check_readable(key);
	if (e == ERR_OK)
		e = check_readable(ca);
	if (e == ERR_OK)
		e = passphrase_read(p, s->passphrase);
	curl_easy_setopt(curl, CURLOPT_SSLCERT, s->certificate);
	curl_easy_setopt(curl, CURLOPT_SSLKEY, key);
	curl_easy_setopt(curl, CURLOPT_CAINFO, ca);
	curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	curl_easy_setopt(curl, CURLOPT_CRLFILE, s->crl);
	if (e == ERR_OK) /* set even if it is empty, so that libcurl never prompts */
		curl_easy_setopt(curl, CURLOPT_KEYPASSWD, p->text);
	free(ca);
	free(dir);
	free(key);
	return e;
}

static size_t on_bytes(char *p, size_t size, size_t n, void *buf)
{
	struct buf *in = buf;

	if (in->n + size * n > ANSWER_MAX)
		return 0;
	buf_add(in, p, size * n);
	return size * n;
}

/* Reads an answer, which has the form of the control socket. Turns an HTTP refusal into an error
 * with the refusal's message. */
static enum err https_read_answer(const struct https_server *s, long status, const struct buf *in,
				  struct json **answer)
{
	enum err e = json_parse((struct bytes){ in->p, in->n }, "the coordinator's answer", answer);

	if (e != ERR_OK || json_type(*answer) != JSON_OBJECT) {
		json_free(e == ERR_OK ? *answer : NULL);
		return err_set(ERR_PEER,
			       "%s: what answers there (HTTP status %ld) is no coterie daemon",
			       s->where, status);
	}
	if (json_get(*answer, "status") || !*json_text(*answer, "error"))
		return ERR_OK;
	e = err_set(status >= 500 ? ERR_JOB : ERR_INPUT, "%s: %.900s", s->where,
		    json_text(*answer, "error"));
	json_free(*answer);
	return e;
}

/* One request: a POST of `post`, or a GET if `post` is NULL. */
struct https_request {
	const char *path;
	const struct buf *post;
};

static void https_set_options(CURL *curl, const struct place *p, const struct https_request *r,
			      struct buf *in)
{
	char url[URL_MAX];
	bool v6 = strchr(p->name, ':') != NULL;

	snprintf(url, sizeof(url), v6 ? "https://[%s]:%u%s" : "https://%s:%u%s", p->name,
		 p->at.port, r->path);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	if (r->post) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->post->p);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)r->post->n);
	}
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, in);
	/* A connection to loopback uses no proxy. Other connections are tunnelled by the proxy of
	 * the environment (https_proxy, no_proxy), if there is one. */
	if (endpoint_is_loopback(&p->at))
		curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_3);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S);
}

/* Returns advice to append to libcurl's error text; "" if that text suffices. */
static const char *https_remedy(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
		return ": is that daemon running, and is that its api.listen?";
	case CURLE_PEER_FAILED_VERIFICATION:
		return ": --ca must name its authority, and NAME@ before the host the name in its "
		       "certificate";
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_RECV_ERROR:
		return ": have your certificate renewed or signed by that daemon's authority; its "
		       "log "
		       "says why it refuses it";
	default:
		return "";
	}
}

static enum err perform(CURL *curl, const struct https_server *s, const struct place *p,
			const struct https_request *r, struct buf *in, long *status)
{
	struct curl_slist *to = NULL, *headers = NULL;
	char text[URL_MAX], why[CURL_ERROR_SIZE] = "";
	CURLcode code;
	enum err e = ERR_OK;

	https_set_options(curl, p, r, in);
	snprintf(text, sizeof(text), strchr(p->at.host, ':') ? "::[%s]:%u" : "::%s:%u", p->at.host,
		 p->at.port);
	to = curl_slist_append(to, text);
	headers = curl_slist_append(headers, "Content-Type: application/json");
	headers = curl_slist_append(headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_CONNECT_TO, to);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
	code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	if (code != CURLE_OK)
		e = err_set(code == CURLE_SSL_CERTPROBLEM ? ERR_INPUT : ERR_PEER, "%s: %s%s",
			    s->where, *why ? why : curl_easy_strerror(code), https_remedy(code));
	curl_slist_free_all(headers);
	curl_slist_free_all(to);
	return e;
}

static enum err https_do(const struct https_server *s, const struct https_request *r,
			 struct buf *in, long *status)
{
	struct passphrase p = { 0 };
	struct place place;
	enum err e = https_check(s);
	CURL *curl;

	if (e != ERR_OK || !read_place(s->where, &place))
		return e;
	curl = curl_easy_init();
	if (!curl)
		return err_set(ERR_INTERNAL, "libcurl cannot be used");
	e = use_files(curl, s, &p);
	if (e == ERR_OK)
		e = perform(curl, s, &place, r, in, status);
	curl_easy_cleanup(curl);
	passphrase_wipe(&p);
	return e;
}

enum err https_ask(const struct https_server *s, const struct json *request, struct json **answer)
{
	struct buf out = { 0 }, in = { 0 };
	struct https_request r = { "/api/ask", &out };
	long status = 0;
	enum err e;

	*answer = NULL;
	json_write(request, &out);
	e = https_do(s, &r, &in, &status);
	if (e == ERR_OK)
		e = https_read_answer(s, status, &in, answer);
	buf_release(&in);
	buf_release(&out);
	return e;
}

enum err https_get(const struct https_server *s, const char *path, struct buf *body)
{
	struct https_request r = { path, NULL };
	struct json *refusal;
	long status = 0;

	TRY(https_do(s, &r, body, &status));
	if (status < 400)
		return ERR_OK;
	TRY(https_read_answer(s, status, body, &refusal));
	json_free(refusal);
	return err_set(ERR_PEER, "%s: HTTP status %ld", s->where, status);
}
