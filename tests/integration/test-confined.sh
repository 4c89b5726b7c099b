#!/bin/bash
# Checks that running daemons are confined, with all their threads. The other tests show that jobs
# of every kind work in this way, because "sandbox" is "on" by default.
#
#     party-00 ==== TLS ==== coordinator        this test reads /proc/PID of both, while both wait
#                                               for party-01
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"

waiting() { # starts a coordinator and party-00, which wait for party-01
	coordinator
	party party-00
	until_true 20 grep -q '"text":"party-00 joined' "$T/coordinator.stderr" ||
		fail "party-00 did not arrive: $(tail -n 3 "$T/coordinator.stderr")"
}

all_threads() { # NAME FIELD VALUE: checks each thread's status
	local task value
	for task in "/proc/${PID[$1]}/task"/*; do
		value=$(awk -v field="$2:" '$1 == field { print $2 }' "$task/status")
		[[ $value == "$3" ]] || fault "$1, thread ${task##*/}: $2 is $value, expected $3"
	done
}

goes_on() { # starts the other party, and the job succeeds
	party party-01
	completes 2
	same_labels "$T/out/coordinator/labels.csv" "$T/out/party-01/labels.csv"
}

test_every_thread_is_confined() {
	! sanitized || skip "a sanitizer's build is not confined"
	federation 2
	edit party-00 '.threads = 3'
	OPENBLAS_NUM_THREADS=2 waiting
	local name
	for name in coordinator party-00; do
		all_threads "$name" NoNewPrivs 1
		all_threads "$name" Seccomp 2
		# one filter stops io_uring before the event loop begins, the other lists the system
		# calls
		all_threads "$name" Seccomp_filters 2
		awk '/^Max core file size/ { exit $5 != 0 || $6 != 0 }' \
			"/proc/${PID[$name]}/limits" ||
			fault \
			"$name may dump core: $(grep 'core file' "/proc/${PID[$name]}/limits")"
		grep -q 'system calls are confined' "$T/out/$name/log.jsonl" ||
			fault "$name does not say that it is confined"
	done
	(($(find "/proc/${PID[party-00]}/task" -mindepth 1 -maxdepth 1 | wc -l) > 1)) ||
		fault "party-00 has one thread: nothing is shown"
	goes_on
}

# A unit or a container can forbid seccomp. The error then names what is missing.
test_seccomp_is_forbidden() {
	! sanitized || skip "a sanitizer's build is not confined"
	local number
	case $(uname -m) in x86_64) number=317 ;; aarch64) number=277 ;; *) skip \
		"no number of seccomp(2) is known for $(uname -m)" ;; esac
	federation 2
	start coordinator python3 -c 'import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = b"".join(struct.pack("HBBI", *i)
                for i in [(0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])), (0x06, 0, 0, 0x50001),
                          (0x06, 0, 0, 0x7fff0000)])
room = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(room))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(program)):
    sys.exit("no filter: %d" % ctypes.get_errno())
os.execv(sys.argv[2], sys.argv[2:])' "$number" "$BIN/coordinator" --config "$T/coordinator.json" \
	--job "$T/job.json"
	ends 4 coordinator
	says coordinator 'sandbox: the system call seccomp.* is not to be had: .*SystemCallFilter'
}

test_sandbox_off() {
	federation 2
	local name
	for name in coordinator party-00; do edit "$name" '.sandbox = "off"'; done
	waiting
	for name in coordinator party-00; do
		all_threads "$name" Seccomp 0
		grep -q 'sandbox is off\|built with a sanitizer' "$T/out/$name/log.jsonl" ||
			fault "$name does not say that it is not confined"
	done
	goes_on
}

run_tests "$@"
