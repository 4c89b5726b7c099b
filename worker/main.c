/* coterie-worker: MPI ranks on which a party's local phase runs. The party starts it by mpirun, and
 * gives it a directory with two pipes. Commands and replies pass through these pipes, at rank 0
 * (common/ranks/pipe.h). The ranks read the party's data. They take no part in the protocol between
 * parties: they have no key, no mask and no socket to another party. */
#include "common/base/file.h"
#include "common/base/alloc.h"
#include "common/linalg/la.h"
#include "worker/link.h"
#include "worker/state.h"
#include "worker/pipes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Sends the name of each rank's host, so that the party can name the host if a rank dies. */
static void send_hello(const struct ranks *R)
{
	struct ranks_hello hello = { .command_size = sizeof(struct ranks_command),
				     .reply_size = sizeof(struct ranks_reply),
				     .ranks = (uint32_t)R->count };
	struct ranks_place own = { .pid = getpid() }, *each;

	snprintf(hello.version, sizeof(hello.version), "%s", COTERIE_VERSION);
	snprintf(own.host, sizeof(own.host), "%s", R->host);
	each = ranks_all(R, sizeof(own), &own);
	if (R->own == 0) {
		pipes_send_message(RANKS_HELLO, &hello, sizeof(hello));
		pipes_send_vector(each, R->count * sizeof(*each), sizeof(*each));
	}
	free(each);
}

int main(int argc, char **argv)
{
	struct ranks R;

	file_hold_standard();
	la_begin(argv);
	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: mpirun -n RANKS coterie-worker DIR\n"
				"coterie-worker (coterie) " COTERIE_VERSION
				" is started by a party whose configuration has ranks.n.\n");
		return ERR_INPUT;
	}
	/* Ends this process when its parent ends: mpirun, or mpirun's daemon on another host. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alloc_gives_back(true); /* return freed memory to the system, so that each step has it */
	link_begin(&argc, &argv, &R);
	if (la_reserve(1) != ERR_OK)
		link_abort("%s", err_detail());
	if (R.own == 0) {
		pipes_open(argv[1]);
		link_on_exchange(pipes_tick);
	}
	send_hello(&R);
	commands_follow(&R);
	link_end();
	return ERR_OK;
}
