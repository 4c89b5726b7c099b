#include "cli/netlab/tun.h"
#include "cli/netlab/netns.h"
#include "cli/netlab/packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEVICE "lab0"

enum { QUEUE_PACKETS = 10000 }; /* between kernel and emulator; the queues that count are its own */

static const struct setting {
	const char *path, *value;
} settings[] = {
	/* 400 Mbit/s times 200 ms are 10 MB in flight; the kernel doubles for its own use. */
	{ "/proc/sys/net/ipv4/tcp_rmem", "4096 131072 67108864" },
	{ "/proc/sys/net/ipv4/tcp_wmem", "4096 65536 67108864" },
	/* What one connection has learnt (the one that verifies the lab, say) is not for the next.
	 */
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

static struct ifreq request(const char *device)
{
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", device);
	return r;
}

static enum err open_device(bool super, int *fd)
{
	struct ifreq r = request(DEVICE);

	r.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
	*fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return err_set(ERR_INPUT, "/dev/net/tun: %s; the lab needs root and the tun driver",
			       strerror(errno));
	if (ioctl(*fd, TUNSETIFF, &r) != 0 ||
	    ioctl(*fd, TUNSETOFFLOAD, super ? TUN_F_CSUM | TUN_F_TSO4 : TUN_F_CSUM) != 0) {
		int why = errno;

		close(*fd);
		return err_set(ERR_INPUT, "a tun device cannot be made: %s; the lab needs root",
			       strerror(why));
	}
	return ERR_OK;
}

static bool set_up(int s, const char *device)
{
	struct ifreq r = request(device);

	if (ioctl(s, SIOCGIFFLAGS, &r) != 0)
		return false;
	r.ifr_flags |= IFF_UP;
	return ioctl(s, SIOCSIFFLAGS, &r) == 0;
}

static bool set_address(int s, unsigned long what, struct in_addr address)
{
	struct ifreq r = request(DEVICE);
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr = address };

	memcpy(&r.ifr_addr, &in, sizeof(in));
	return ioctl(s, what, &r) == 0;
}

static enum err configure(int host)
{
	struct ifreq mtu = request(DEVICE), queue = request(DEVICE);
	struct in_addr mask = { htonl(~0u << (32 - LAB_PREFIX)) };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), why;
	bool done;

	mtu.ifr_mtu = MTU;
	queue.ifr_qlen = QUEUE_PACKETS;
	done = s >= 0 && ioctl(s, SIOCSIFMTU, &mtu) == 0 && ioctl(s, SIOCSIFTXQLEN, &queue) == 0 &&
	       set_address(s, SIOCSIFADDR, host_address(host)) &&
	       set_address(s, SIOCSIFNETMASK, mask) && set_up(s, "lo") && set_up(s, DEVICE);
	why = errno;
	if (s >= 0)
		close(s);
	return done ? ERR_OK
		    : err_set(ERR_INPUT, DEVICE " of host %d cannot be set up: %s", host,
			      strerror(why));
}

static enum err limit_super(int segments)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", segments);
	return ip_run((char *[]){ "ip", "link", "set", "dev", DEVICE, "gso_max_segs", text, NULL });
}

enum err tun_make(int host, int segments, int *fd)
{
	enum err err;

	TRY(open_device(segments > 1, fd));
	err = segments > 1 ? limit_super(segments) : ERR_OK;
	if (!err)
		err = configure(host);
	if (!err)
		err = set_kernel();
	if (err)
		close(*fd);
	return err;
}
