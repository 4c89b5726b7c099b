/* service.h -- what systemd is told of a daemon (sd_notify(3)), over the socket that NOTIFY_SOCKET names. Without one
 * nothing is said. The socket is opened before the process confines itself; sending needs no more than sendto. */
#ifndef COMMON_BASE_SERVICE_H
#define COMMON_BASE_SERVICE_H

#include "common/base/err.h"

#include <stdbool.h>

/* Opens the socket, once, before other threads start. A socket that cannot be had is a warning in the log. */
void service_begin(void);
void service_ready(void);    /* READY=1 */
void service_stopping(void); /* STOPPING=1 */
/* STATUS=: one line for `systemctl status`; a longer one is cut at 200 bytes. Any thread. */
void service_status(const char *fmt, ...) PRINTF(1, 2);
/* How often service_alive() is to be called, in milliseconds: half of WatchdogSec=; 0: it is not asked for. */
unsigned service_watchdog_ms(void);
void service_alive(void); /* WATCHDOG=1 */
/* Is this descriptor the journal, as JOURNAL_STREAM says? Lines may then begin with "<3>", sd-daemon(3). */
bool service_is_journal(int fd);

#endif
