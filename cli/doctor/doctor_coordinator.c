#include "cli/doctor/doctor.h"
#include "server/daemon/coordinator.h"

void doctor_coordinator(struct checkup *c, const struct coordinator_config *config)
{
	const struct doctor_port ports[] = {
		{ "address", "listen", config->listen_text, &config->listen },
		doctor_port_api(&config->api),
		doctor_port_dashboard(&config->common.http),
	};
	size_t pins = config->pins.count, parties = config->parties.count;

	checkup_failed(c, coordinator_check(config), "--check-config", "correct the configuration");
	doctor_host(c, &config->common, TLS_SERVER, COORDINATOR_FILES + 2 * parties);
	checkup_add(c, FINE, "memory", "",
		    "%.1f GB available; what a job takes depends on the parties' data",
		    doctor_memory_available() / 1e9);
	doctor_ports(c, ports, sizeof(ports) / sizeof(*ports));
	doctor_dashboard(c, &config->common.http);
	doctor_api(c, &config->api, config->common.identity.certificate);
	checkup_add(c, pins < parties ? NOTE : FINE, "pins",
		    pins < parties ? "pin all, or the CA alone decides who may connect" : "",
		    "%zu of %zu parties are pinned", pins, parties);
	doctor_clock(c);
}
