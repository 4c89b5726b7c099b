#include "party/daemon/api.h"
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/http/dashboard.h"
#include "crypto/sign.h"
#include "proto/front.h"

#include <stdlib.h>

struct party_api {
	const struct party_config *config;
	/* The daemon has another conn_host, which dials the coordinator with another
	 * certificate. */
	struct conn_host *host;
	struct front *front;
	struct http *http;
	char bound[80];
};

struct identity_files party_api_files(const struct party_config *c)
{
	return (struct identity_files){ .certificate = c->api.certificate,
					.key = c->api.key,
					.ca = c->common.identity.ca,
					.crl = c->common.identity.crl };
}

enum err party_api_check(const struct party_config *config)
{
	struct identity_files files = party_api_files(config);

	if (!config->api.listen)
		return ERR_OK;
	TRY(identity_check(files.certificate, files.key, NULL, NULL));
	return tls_check(TLS_SERVER, &files);
}

static void party_api_add(void *api, int fd, const char *name)
{
	http_add(((struct party_api *)api)->http, fd, name);
}

enum err party_api_open(struct party_api **out, uv_loop_t *loop, const struct party_config *config)
{
	struct conn_options o = { .files = party_api_files(config) };
	struct party_api *api;

	*out = NULL;
	if (!config->api.listen)
		return ERR_OK;
	ALLOC(api, 1);
	*out = api;
	api->config = config;
	TRY(conn_host_new(&api->host, loop, &o));
	http_behind(&api->http, &config->common);
	return front_open(&api->front, api->host, "api.listen", config->api.at.host,
			  config->api.at.port, party_api_add, api, api->bound);
}

static void party_api_jobs(void *config, const struct http_request *r, struct http_answer *a)
{
	dashboard_jobs(((const struct party_config *)config)->common.output, r, a);
}

static void party_api_results(void *config, const struct http_request *r, struct http_answer *a)
{
	const char *output = ((const struct party_config *)config)->common.output;

	log_info("%s reads results: %s", r->who, r->rest);
	dashboard_results(output, r, a);
}

static enum role party_api_role_of(void *config, const char *who)
{
	const struct party_config *c = config;

	return roles_named(config_map_get(&c->api.roles, who));
}

enum err party_api_start(struct party_api *api)
{
	static const struct http_route routes[] = {
		{ .path = "/api/jobs", .answer = party_api_jobs },
		{ .path = "/api/results/", .answer = party_api_results },
		{ 0 },
	};
	void *config = api ? (void *)(uintptr_t)api->config : NULL;
	struct http_site site = { .route = routes, .arg = config, .role_of = party_api_role_of };

	if (!api)
		return ERR_OK;
	TRY(http_start(api->http, &site));
	log_info("API endpoint: https://%s/", api->bound);
	return ERR_OK;
}

void party_api_look(struct party_api *api)
{
	if (api)
		http_look(api->http, HTTP_REQUEST_S);
}

void party_api_reload(struct party_api *api)
{
	enum err e = api ? party_api_check(api->config) : ERR_OK;

	if (api && e == ERR_OK)
		e = conn_host_reload(api->host);
	if (e != ERR_OK)
		log_warn("the certificate of api.listen was not reloaded: %s", err_detail());
}

void party_api_close(struct party_api *api)
{
	if (!api)
		return;
	front_close(api->front);
	api->front = NULL;
}

void party_api_free(struct party_api *api)
{
	if (!api)
		return;
	http_stop(api->http);
	conn_host_free(api->host);
	free(api);
}
