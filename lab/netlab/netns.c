#include "lab/netlab/netns.h"
#include "lab/netlab/link.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NETNS_DIR "/run/netns"

enum { PATH_BYTES = 320 };

void netns_name(pid_t pid, int host, char name[static NETNS_NAME_MAX])
{
	snprintf(name, NETNS_NAME_MAX, "coterie-%d-%d", (int)pid, host);
}

static void netns_path_of(const char *name, char path[static PATH_BYTES])
{
	snprintf(path, PATH_BYTES, NETNS_DIR "/%s", name);
}

/* Runs ip with these NULL-terminated arguments; its messages go to stderr. */
static enum err ip_run(char *const argv[])
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return err_set(ERR_INPUT, "ip cannot be started: %s", strerror(errno));
	if (pid == 0) {
		execvp("ip", argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		assert(errno == EINTR);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(ERR_INPUT, "there is no program ip; install iproute2");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return err_set(
		    ERR_INPUT,
		    "ip %s %s %s failed; the lab needs root with CAP_SYS_ADMIN and CAP_NET_ADMIN",
		    argv[1], argv[2], argv[3]);
	return ERR_OK;
}

enum err netns_make(const char *name)
{
	char path[PATH_BYTES];

	netns_path_of(name, path);
	if (access(path, F_OK) == 0)
		return err_set(ERR_INPUT,
			       "%s is there already: the name is in use; remove it (ip netns del "
			       "%s) or start again",
			       path, name);
	return ip_run((char *[]){ "ip", "netns", "add", (char *)name, NULL });
}

enum err netns_enter(const char *name, int *home)
{
	char path[PATH_BYTES];
	enum err err = ERR_OK;
	int there;

	netns_path_of(name, path);
	*home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (*home < 0 || there < 0 || setns(there, CLONE_NEWNET) != 0) {
		err = err_set(ERR_INPUT, "%s cannot be entered: %s", path, strerror(errno));
		if (*home >= 0)
			close(*home);
	}
	if (there >= 0)
		close(there);
	return err;
}

void netns_return(int home)
{
	int failed = setns(home, CLONE_NEWNET);

	assert(!failed); /* otherwise a thread may stay in another namespace */
	(void)failed;
	close(home);
}

enum err netns_remove(const char *name)
{
	char path[PATH_BYTES], link[PATH_BYTES];
	struct stat space, other;
	struct dirent *entry;
	DIR *proc;

	netns_path_of(name, path);
	if (stat(path, &space) != 0)
		return ERR_OK;
	/* Kills the processes in the namespace, which would otherwise keep it, without a name. */
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		long pid = strtol(entry->d_name, NULL, 10); /* 0: the entry is not a process */

		snprintf(link, sizeof(link), "/proc/%ld/ns/net", pid);
		if (pid > 0 && pid != getpid() && stat(link, &other) == 0 &&
		    other.st_ino == space.st_ino && other.st_dev == space.st_dev)
			kill((pid_t)pid, SIGKILL);
	}
	if (proc)
		closedir(proc);
	if (ip_run((char *[]){ "ip", "netns", "del", (char *)name, NULL }))
		return err_set(ERR_JOB, "%s could not be removed; ip netns del %s", path, name);
	return ERR_OK;
}

enum err netns_clean(pid_t pid, int *removed)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;
	enum err err = ERR_OK;
	char again[NETNS_NAME_MAX];
	int owner, host;

	*removed = 0;
	if (!dir)
		return ERR_OK; /* no namespace was made before */
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "coterie-%d-%d", &owner, &host) != 2 || owner <= 0)
			continue;
		netns_name(owner, host, again);
		if (strcmp(entry->d_name, again) != 0)
			continue;
		if (pid ? owner != pid : kill(owner, 0) == 0 || errno != ESRCH)
			continue;
		if (netns_remove(entry->d_name))
			err = ERR_JOB;
		else
			++*removed;
	}
	closedir(dir);
	return err;
}

/* -- the host's device ---------------------------------------------------------------------- */

#define DEVICE "lab0"

/* Length of the queue between kernel and emulator, in packets. The emulated links have their own
 * queues in the emulator. */
enum { QUEUE_PACKETS = 10000 };

static const struct setting {
	const char *path, *value;
} settings[] = {
	/* 400 Mbit/s times 200 ms are 10 MB in flight. The kernel uses as much again for itself, so
	 * a maximum of 64 MiB suffices. */
	{ "/proc/sys/net/ipv4/tcp_rmem", "4096 131072 67108864" },
	{ "/proc/sys/net/ipv4/tcp_wmem", "4096 65536 67108864" },
	/* Connections must not start with metrics of earlier ones, such as those of the probe. */
	{ "/proc/sys/net/ipv4/tcp_no_metrics_save", "1" },
};

static enum err set_kernel(void)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const struct setting *s = &settings[i];
		int fd = open(s->path, O_WRONLY | O_CLOEXEC);
		size_t n = strlen(s->value);
		bool done = fd >= 0 && write(fd, s->value, n) == (ssize_t)n;
		int why = errno;

		if (fd >= 0)
			close(fd);
		if (!done)
			return err_set(ERR_INPUT, "%s cannot be set to \"%s\": %s", s->path,
				       s->value, strerror(why));
	}
	return ERR_OK;
}

static struct ifreq netns_device_request(const char *device)
{
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", device);
	return r;
}

static bool netns_set_up(int s, const char *device)
{
	struct ifreq r = netns_device_request(device);

	if (ioctl(s, SIOCGIFFLAGS, &r) != 0)
		return false;
	r.ifr_flags |= IFF_UP;
	return ioctl(s, SIOCSIFFLAGS, &r) == 0;
}

static bool set_address(int s, unsigned long what, struct in_addr address)
{
	struct ifreq r = netns_device_request(DEVICE);
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr = address };

	memcpy(&r.ifr_addr, &in, sizeof(in));
	return ioctl(s, what, &r) == 0;
}

static enum err open_device(int segments, int *fd)
{
	struct ifreq r = netns_device_request(DEVICE);
	char text[16];

	r.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
	*fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return err_set(ERR_INPUT, "/dev/net/tun: %s; the lab needs root and the tun driver",
			       strerror(errno));
	if (ioctl(*fd, TUNSETIFF, &r) != 0 ||
	    ioctl(*fd, TUNSETOFFLOAD, segments > 1 ? TUN_F_CSUM | TUN_F_TSO4 : TUN_F_CSUM) != 0)
		return err_set(ERR_INPUT, "a tun device cannot be made: %s; the lab needs root",
			       strerror(errno));
	snprintf(text, sizeof(text), "%d", segments);
	return segments > 1 ? ip_run((char *[]){ "ip", "link", "set", "dev", DEVICE, "gso_max_segs",
						 text, NULL })
			    : ERR_OK;
}

static enum err configure(int host)
{
	struct ifreq mtu = netns_device_request(DEVICE), queue = netns_device_request(DEVICE);
	struct in_addr mask = { htonl(~0u << (32 - LAB_PREFIX)) };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), why;
	bool done;

	mtu.ifr_mtu = MTU;
	queue.ifr_qlen = QUEUE_PACKETS;
	done = s >= 0 && ioctl(s, SIOCSIFMTU, &mtu) == 0 && ioctl(s, SIOCSIFTXQLEN, &queue) == 0 &&
	       set_address(s, SIOCSIFADDR, host_address(host)) &&
	       set_address(s, SIOCSIFNETMASK, mask) && netns_set_up(s, "lo") &&
	       netns_set_up(s, DEVICE);
	why = errno;
	if (s >= 0)
		close(s);
	return done ? ERR_OK
		    : err_set(ERR_INPUT, DEVICE " of host %d cannot be set up: %s", host,
			      strerror(why));
}

enum err netns_device(int host, int segments, int *fd)
{
	enum err err = open_device(segments, fd);

	if (!err)
		err = configure(host);
	if (!err)
		err = set_kernel();
	if (err && *fd >= 0)
		close(*fd);
	return err;
}
