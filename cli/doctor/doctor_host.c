#include "cli/doctor/doctor.h"
#include "common/base/file.h"
#include "common/base/machine.h"
#include "common/job/share.h"
#include "crypto/secret.h"
#include "crypto/sign.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#define SPACE_LEAST 100e6
#define SPACE_SOON  2e9
enum { SOON_DAYS = 21, CA_NOTE_DAYS = 90, LIST_NOTE_S = 3 * 86400 };

double doctor_memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	double kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return fmin(1024 * kib, machine_memory());
}

void doctor_clock(struct checkup *c)
{
	struct timex t = { .modes = 0 };

	if (adjtimex(&t) == -1)
		checkup_add(c, NOTE, "clock", "", "the kernel does not say: %s", strerror(errno));
	else if (t.status & STA_UNSYNC)
		checkup_add(c, NOTE, "clock",
			    "certificates depend on it: run systemd-timesyncd or chrony",
			    "nothing on this host sets it");
	else
		checkup_add(c, FINE, "clock", "", "set by a time service, right to %.0f ms",
			    1e-3 * (double)t.maxerror);
}

static void check_user(struct checkup *c)
{
	const struct passwd *me = getpwuid(geteuid());
	const char *name = me ? me->pw_name : "a user without a name";

	if (geteuid() == 0)
		checkup_add(c, NOTE, "user", "start it as another", "root");
	else
		checkup_add(c, FINE, "user", "", "%s", name);
}

static void check_expiry(struct checkup *c, const char *check, const char *path, int note_days,
			 const char *advice)
{
	char date[TLS_DATE];
	int days;

	if (checkup_failed(c, tls_days_left(path, &days, date), check, advice))
		return;
	checkup_add(c,
		    days < SOON_DAYS   ? WRONG
		    : days < note_days ? NOTE
				       : FINE,
		    check, days < note_days ? advice : "",
		    days < 0 ? "expired on %s" : "until %s, %d days", date, days);
}

void doctor_identity(struct checkup *c, const struct doctor_identity *of)
{
	const struct identity_files *p = &of->files;

	if (!checkup_failed(c, identity_check(p->certificate, p->key, p->passphrase, of->name),
			    of->key, "chmod 600, chown, or put the certificate's key there")) {
		checkup_add(c, FINE, of->key, "", "for its owner alone, and of %s's certificate",
			    of->name ? of->name : "the endpoint");
		if (!checkup_failed(c, tls_check(of->role, p), of->chain, of->remedy))
			checkup_add(c, FINE, of->chain, "", "signed by the CA, for a %s",
				    of->role == TLS_SERVER ? "coordinator" : "party");
	}
	check_expiry(c, of->certificate, p->certificate, SOON_DAYS,
		     "have it renewed, put it in place, send SIGHUP");
}

static void check_identity(struct checkup *c, const struct daemon_common *common,
			   enum tls_role role)
{
	const struct identity_files *p = &common->identity;
	char date[TLS_DATE];
	int64_t seconds;

	doctor_identity(c, &(struct doctor_identity){
			       .files = *p,
			       .name = common->name,
			       .role = role,
			       .key = "key",
			       .chain = "chain",
			       .certificate = "certificate",
			       .remedy = "have it signed by the CA that the others have" });
	check_expiry(c, "CA", p->ca, CA_NOTE_DAYS,
		     "agree on the next; one file may hold both until all have it");
	if (p->crl && tls_lists_expire(p->crl, &seconds, date))
		checkup_add(c,
			    seconds < 0             ? WRONG
			    : seconds < LIST_NOTE_S ? NOTE
						    : FINE,
			    "revocation list",
			    seconds < LIST_NOTE_S ? "fetch the CA's next one, send SIGHUP" : "",
			    "until %s", date);
}

/* Returns path, or its nearest existing ancestor. */
static char *doctor_nearest_directory(const char *path)
{
	char *at = file_join(path, ""), *up;

	while (!file_exists(at)) {
		up = file_dir(at);
		free(at);
		at = up;
	}
	return at;
}

void doctor_directory(struct checkup *c, const char *check, const char *path)
{
	struct statvfs fs;
	double room;
	char *at;

	at = doctor_nearest_directory(path);
	if (faccessat(AT_FDCWD, at, W_OK | X_OK, AT_EACCESS) != 0) {
		checkup_add(c, WRONG, check, "make it, or give it to the user", "%s: %s", at,
			    strerror(errno));
	} else if (statvfs(at, &fs) != 0) {
		checkup_add(c, WRONG, check, "look at its file system", "%s: %s", at,
			    strerror(errno));
	} else {
		room = (double)fs.f_bavail * (double)fs.f_frsize;
		checkup_add(c,
			    room < SPACE_LEAST  ? WRONG
			    : room < SPACE_SOON ? NOTE
						: FINE,
			    check, room < SPACE_SOON ? "make room: coterie prune" : "",
			    "%s: %s, %s free", path, file_exists(path) ? "writable" : "can be made",
			    size_text(room).s);
	}
	free(at);
}

static void check_limits(struct checkup *c, size_t files)
{
	struct rlimit r = { 0, 0 };

	if (secret_begin())
		checkup_add(c, FINE, "locked memory", "", "%d KiB for keys", SECRET_AREA / 1024);
	else if (getrlimit(RLIMIT_MEMLOCK, &r) == 0)
		checkup_add(c, NOTE, "locked memory",
			    "raise it (ulimit -l, LimitMEMLOCK=), or encrypt swap",
			    "%d KiB for keys cannot be locked, the limit is %ju KiB",
			    SECRET_AREA / 1024, (uintmax_t)r.rlim_cur / 1024);
	if (getrlimit(RLIMIT_NOFILE, &r) == 0)
		checkup_add(c, r.rlim_max < files ? WRONG : FINE, "open files",
			    r.rlim_max < files ? "raise it (ulimit -n, LimitNOFILE=)" : "",
			    "up to %ju, %zu are needed", (uintmax_t)r.rlim_max, files);
}

static void check_group(struct checkup *c, const struct daemon_common *common)
{
	if (common->results_group && !checkup_failed(c, share_begin(common), "results group",
						     "see results_group in run-as-a-service.md"))
		checkup_add(c, FINE, "results group", "", "members of %s read labels and profiles",
			    common->results_group);
}

void doctor_host(struct checkup *c, const struct daemon_common *common, enum tls_role role,
		 size_t files)
{
	check_user(c);
	check_identity(c, common, role);
	doctor_directory(c, "output", common->output);
	check_group(c, common);
	check_limits(c, files);
}
