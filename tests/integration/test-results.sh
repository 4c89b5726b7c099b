#!/bin/bash
# Tests which users may read result files: a reader at a party's own api.listen, and the submitter
# at the coordinator's api.listen.
#
# shellcheck source=lib.sh
source "${0%/*}/lib.sh"
# shellcheck source=serve.sh
source "${0%/*}/serve.sh"
# shellcheck source=certificates.sh
source "${0%/*}/certificates.sh"

# anna and otto are submitters, vera is a viewer. rita is a reader at the coordinator, anna and rita
# are readers at party-00. nina has no role.
readable() { # L: runs job 1, kmeans over rows, to its end
	rows_federation "$1"
	rows_job kmeans
	person anna otto vera rita nina
	"$BIN/coterie" pki request --name bank-api --role coordinator --dir "$T/pki" >/dev/null
	"$BIN/coterie" pki sign --days 20 --ca "$T/pki" "$T/pki/bank-api.csr" >/dev/null
	edit coordinator '.api = { listen: "127.0.0.1:0",
		roles: { anna: "submitter", otto: "submitter", vera: "viewer", rita: "reader" } }'
	edit party-00 '.api = { listen: "127.0.0.1:0", certificate: "pki/bank-api.crt",
		key: "pki/bank-api.key",
		roles: { anna: "reader", rita: "reader" } }'
	all_stay "$1"
	api
	soon_says party-00 'API endpoint'
	BANK=bank-api@$(sed -n 's|.*API endpoint: https://\([^ "]*\)/.*|\1|p' "$T/party-00.stderr" |
		tail -n 1)
	far anna job submit "$T/job.json" --wait >/dev/null || fail "job 1 ended with $?"
	ID=$(shown 1 .job_id)
	[[ ${#ID} == 32 ]] || fail "job 1 has the id $ID"
}

far() { "$BIN/coterie" "${@:2}" \
	--server "coordinator@$API" --cert "$T/pki/$1.crt"; } # NAME COMMAND ARG...
of_bank() { far "$1" results "${@:2}" --party "$BANK" --out "$T/got"; }                # NAME JOB

at_party() { echo "$T/out/party-00/job-$ID-1"; }
has_labels() {
	[[ -e $(at_party)/labels.csv ]] && [[ $(jq -r .status "$(at_party)/run.json") == "done" ]]
}

test_readers_and_nobody_else() {
	readable 2
	until_true 20 has_labels || fail "party-00 has no labels"
	of_bank anna 1 >"$T/files" || fail "anna may not read"
	for name in run.json labels.csv profile.csv centres.csv; do
		cmp "$(at_party)/$name" "$T/got/$name" || fail "$name is another one"
		grep -q "/$name\$" "$T/files" || fail "$name is not named: $(<"$T/files")"
	done
	soon_says party-00 "anna reads results: $ID/labels.csv"
	[[ $(stat -c %a "$T/got/labels.csv") == 600 ]] ||
		fail "labels.csv has the mode $(stat -c %a "$T/got/labels.csv")"
	of_bank rita "$ID" >/dev/null || fail "rita may not read, by the job's id"
	refused \
		4 'the certificate of otto has no role at party-00: its operator can give it one '\
'in api.roles' \
		of_bank otto "$ID"
	refused 4 "no results of job ${ID//[0-9a-f]/0} are here: .*removed .*submit it again" \
		of_bank anna "${ID//[0-9a-f]/0}"
	refused 4 '"17x" is no job, expected its number' of_bank anna 17x
	refused 4 'there is no job 17: coterie job list shows those that are here' of_bank anna 17
	# A reader may read results and nothing else.
	for path in / /metrics /api/status /api/ledger /api/budgets /api/offers /api/ask /events; do
		answered 404 'there is no' anna "$path"
	done
	answered 400 'expected /api/results/ and a job' anna /api/results/x
	answered 404 'has left no file log.jsonl' anna "/api/results/$ID/log.jsonl"
	answered 404 'has left no file' anna "/api/results/$ID/../run.json" --path-as-is
	answered 403 'nobody|no role' nina "/api/results/$ID"
	answered 404 'there is no' anna /api/offers/x -d '{}'
}

# Sends a request to party-00 and checks its status and text, as in test-api.sh.
answered() { # STATUS REGEX NAME PATH [CURL-OPTION...]
	local status
	status=$(curl -sS --noproxy '*' --max-time 60 --cacert "$T/pki/ca.crt" --connect-to \
		"::${BANK#*@}" --cert "$T/pki/$3.crt" \
		--key "$T/pki/$3.key" -o "$T/answer" -w '%{http_code}' "${@:5}" \
		"https://bank-api:${BANK##*:}$4" 2>"$T/curl") || true
	[[ $status == "$1" ]] ||
		fail "$3: $4: status $status, expected $1: $(cat "$T/curl" "$T/answer" 2>/dev/null |
		head -c 300)"
	grep -Eq -- "$2" "$T/answer" || fail "$3: $4 does not say '$2': $(head -c 300 "$T/answer")"
}

# The coordinator gives its results to the submitter and to readers, and refuses other users.
test_at_the_coordinator() {
	readable 2
	local dir
	dir=$(shown 1 .directory)
	far anna results 1 --out "$T/got" >/dev/null || fail "anna may not read her own job's"
	cmp "$dir/run.json" "$T/got/run.json" || fail "run.json is another one"
	far rita results 1 --out "$T/got-too" >/dev/null || fail "rita may not read"
	[[ $(far rita results 1 --json | jq -r .job_id) == "$ID" ]] ||
		fail "the list is of another job"
	refused \
		4 'this job was submitted by anna: its results need the role reader, and otto is '\
'a submitter' \
		far otto results 1 --out "$T/no"
	refused 4 'results need the role reader, and vera has the role viewer' \
		far vera results 1 --out "$T/no"
	refused 4 'nina has no role' far nina results "$ID" --out "$T/no"
	refused 4 'submit needs the role submitter at coordinator, and rita has the role reader' \
		far rita job submit "$T/job.json"
	[[ ! -e $T/no ]] || fail "a refusal has left $(ls "$T/no")"
	rm -r "$dir"
	refused 4 'the results of job 1 were removed at the coordinator .*: submit it again' \
		far anna results 1 --out "$T/no"
	refused 4 'results of a daemon of this host are files' \
		"$BIN/coterie" results 1 --config "$T/coordinator.json" --out "$T/no"
	# The party still has its own results. Readers can get them until the party ends.
	until_true 20 has_labels || fail "party-00 has no labels"
	of_bank anna 1 >/dev/null || fail "the party's are gone"
	kill -TERM "${PID[party-00]}"
	ends 0 party-00
	refused 2 "$BANK: .*is that daemon running, and is that its api.listen" of_bank anna 1
}

test_certificates() {
	readable 2
	until_true 20 has_labels || fail "party-00 has no labels"
	"$BIN/coterie" pki lab --parties 2 --out "$T/other" >/dev/null
	certificate anna "$T/pki/stranger.crt" "$T/other" clientAuth '-1 day' '+20 days'
	refused 2 "unknown ca.*signed by that daemon's authority" "$BIN/coterie" results "$ID" \
		--server "$BANK" --cert "$T/pki/stranger.crt" --key "$T/pki/anna.key" --out "$T/no"
	certificate anna "$T/pki/old.crt" "$T/pki" clientAuth '-20 days' '-1 day'
	refused 2 'expired.*have your certificate renewed' "$BIN/coterie" results "$ID" \
		--server "$BANK" --cert "$T/pki/old.crt" --key "$T/pki/anna.key" --out "$T/no"
	refused 2 'NAME@ before the host the name in its certificate' "$BIN/coterie" results "$ID" \
		--server "party-00@${BANK#*@}" --cert "$T/pki/anna.crt" --out "$T/no"
	"$BIN/coterie" results "$ID" --server "$BANK" --cert "$T/pki/anna.crt" --out "$T/got" \
		>/dev/null ||
		fail "anna may not read without a coordinator"
}

# SIGHUP reloads the endpoint's certificate. An invalid certificate does not replace the old one.
test_renewal() {
	readable 2
	shows() { # prints the end date of the certificate at $BANK
		openssl s_client -connect "${BANK#*@}" -cert "$T/pki/anna.crt" -key \
			"$T/pki/anna.key" </dev/null 2>/dev/null |
			openssl x509 -noout -enddate
	}
	renewed() { [[ $(shows) == "$(openssl x509 -noout -enddate -in "$T/pki/bank-api.crt")" ]]; }
	renewed || fail "it shows another one from the start: $(shows)"
	cp "$T/pki/bank-api.crt" "$T/first.crt"
	certificate bank-api "$T/pki/bank-api.crt" "$T/pki" serverAuth '-1 day' '+40 days'
	! renewed || fail "it is read anew by itself"
	kill -HUP "${PID[party-00]}"
	until_true 20 renewed || fail "it shows $(shows)"
	certificate bank-api "$T/pki/bank-api.crt" "$T/pki" clientAuth '-1 day' '+60 days'
	kill -HUP "${PID[party-00]}"
	soon_says party-00 'bank-api.crt: this certificate is of the wrong purpose'
	! renewed || fail "it shows one that browsers refuse"
}

test_configuration() {
	rows_federation 2
	check() { # REGEX JQ
		edit party-00 "$2"
		refused 4 "$1" "$BIN/party" --config "$T/party-00.json" --check-config
	}
	check 'party.api.listen is given without party.api.certificate, expected a certificate '\
'of the role coordinator' \
		'.api = { listen: "127.0.0.1:0" }'
	check 'party.api.roles.anna is .*submitter.*, expected .*reader' \
		'.api = { listen: "127.0.0.1:0", certificate: "pki/coordinator.crt",
			key: "pki/coordinator.key", roles: { anna: "submitter" } }'
	check 'wrong purpose, expected serverAuth' \
		'.api = { listen: "127.0.0.1:0", certificate: "pki/party-00.crt",
			key: "pki/party-00.key", roles: { anna: "reader" } }'
}

# Put before a command, as_member runs it as a user with supplementary group mail, and as_stranger
# as a user without supplementary groups.
as_member=(setpriv --reuid nobody --regid nogroup --groups mail)
as_stranger=(setpriv --reuid nobody --regid nogroup --clear-groups)

# party-00's user has the group as a supplementary group, as usermod -aG sets it. The coordinator
# runs as root.
test_group_reads_files() {
	((EUID == 0)) || skip "only root is two users"
	federation 2
	chmod a+x "$T"
	edit party-00 '.results_group = "mail"'
	edit coordinator '.results_group = "mail"'
	mkdir -p "$T/out/party-00"
	chown -R nobody "$T/out/party-00" "$T/pki/party-00.key"
	chmod -R a+rX "$T/pki" "$T/data" "$T"/*.json "$T/out"
	chmod 600 "$T"/pki/*.key
	coordinator
	party party-01
	# shellcheck disable=SC2153
	start party-00 "${as_member[@]}" "$BIN/party" --config "$T/party-00.json" --coordinator \
		"$ADDRESS" --once
	completes 2
	local out name open
	for out in "$T/out/party-00" "$T/out/coordinator"; do
		for name in run.json labels.csv labels.npy; do
			[[ $(stat -c '%a %G' "$out/$name") == "640 mail" ]] ||
				fault "$out/$name: $(stat -c '%a %G' "$out/$name")"
			"${as_member[@]}" cat "$out/$name" >/dev/null ||
				fault "a member cannot read $out/$name"
		done
		open=$(find "$out" -type f -perm /077 ! -name run.json ! -name 'labels.*' ! -name \
			'profile*.csv')
		[[ -z $open ]] || fault "others may read $open"
	done
	! "${as_member[@]}" cat "$T/out/coordinator/log.jsonl" 2>/dev/null ||
		fault "a member may read the log"
	! "${as_stranger[@]}" cat "$T/out/coordinator/labels.csv" 2>/dev/null ||
		fault "a stranger may read labels"
	"${as_member[@]}" "$BIN/coterie" report "$T/out/coordinator" --output \
		"$T/out/party-00/page.html" >/dev/null || fault "a member can make no report"
	[[ $(stat -c %a "$T/out/party-01/labels.csv") == 600 ]] || fault "party-01 shares labels"
	# At its start the party shares results that are older than the setting.
	edit party-01 '.results_group = "mail"'
	ADDRESS=127.0.0.1:1 party party-01
	until_true 20 has_group "$T/out/party-01/labels.csv" ||
		fault "results of before are not shared"
}

has_group() { [[ $(stat -c '%a %G' "$1") == "640 mail" ]]; }

test_group_is_refused() {
	federation 2
	edit party-00 '.results_group = "no-such-group"'
	refused \
		4 'results_group: there is no group "no-such-group" on this host: make it by '\
'groupadd no-such-group' \
		"$BIN/party" --config "$T/party-00.json" --check-config
	refused 1 'no group ."no-such-group.* on this host' "$BIN/coterie" doctor --json --config \
		"$T/party-00.json"
	((EUID == 0)) || return 0
	chmod -R a+rX "$T"
	edit coordinator '.results_group = "mail"'
	refused \
		4 'is no member of the group "mail": usermod -aG mail and the daemon.s user; in '\
'a unit, Group=mail' \
		"${as_stranger[@]}" "$BIN/coordinator" --config "$T/coordinator.json" --job \
		"$T/job.json" --check-config
}

sample test_readers_and_nobody_else test_at_the_coordinator
run_tests "$@"
