/* service.h -- status notifications to systemd (sd_notify(3)) over the socket in NOTIFY_SOCKET.
 * Without this variable nothing is sent. The daemon opens the socket before it enters its sandbox.
 * Later it needs only sendto(). */
#ifndef COMMON_BASE_SERVICE_H
#define COMMON_BASE_SERVICE_H

#include "common/base/err.h"

#include <stdbool.h>

/* Opens the socket. Call once, before other threads start. Logs a warning on failure. */
void service_begin(void);
void service_ready(void);
void service_stopping(void);
/* Sets the line of `systemctl status`, cut at 200 bytes. Thread-safe. */
void service_status(const char *fmt, ...) PRINTF(1, 2);
/* Returns the period in milliseconds at which service_alive() must be called, half of WatchdogSec=.
 * Returns 0 if there is no watchdog. */
unsigned service_watchdog_ms(void);
void service_alive(void);
/* True if this descriptor is the journal (JOURNAL_STREAM). Lines may then begin with their
 * priority, such as "<3>" (sd-daemon(3)). */
bool service_is_journal(int fd);

#endif
