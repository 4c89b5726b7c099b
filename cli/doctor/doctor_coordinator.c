#include "cli/doctor/doctor.h"
#include "server/daemon/coordinator.h"

void doctor_coordinator(struct checkup *c, const struct coordinator_config *config)
{
	size_t pins = config->pins.count, parties = config->parties.count;

	checkup_failed(c, coordinator_check(config), "--check-config", "correct the configuration");
	doctor_host(c, &config->common, TLS_SERVER, COORDINATOR_FILES + 2 * parties);
	checkup_add(c, FINE, "memory", "",
		    "%.1f GB available; what a job takes depends on the parties' data",
		    doctor_memory_available() / 1e9);
	doctor_listen(c, "address", "listen", config->listen_text, &config->listen);
	doctor_window(c, &config->common.http, config);
	doctor_api(c, config);
	checkup_add(c, pins < parties ? NOTE : FINE, "pins",
		    pins < parties ? "pin all, or the CA alone decides who may connect" : "",
		    "%zu of %zu parties are pinned", pins, parties);
	doctor_clock(c);
}
