/* msg.h -- the bodies of all messages, and their encoding.
 *
 * messages.def lists them. Each body has one walk function (msg.c) for both directions, so writer
 * and reader cannot disagree. A decoded message borrows from the bytes it was decoded from. Every
 * length has its maximum here, and is checked before anything is allocated.
 */
#ifndef PROTO_MSG_H
#define PROTO_MSG_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/limit.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	PROTO_VERSION_MIN = 7, /* first version that this build supports */
	PROTO_VERSION_MAX = 7,
	MSG_NAME_MAX = 64,      /* bytes of a party's or submitter's name */
	MSG_TEXT_MAX = 1024,    /* bytes of a sentence */
	MSG_JOB_MAX = 64 << 10, /* bytes of a job */
	MSG_SUBJECT_MAX = 64,   /* bytes of the path of a parameter, or of a name */
	MSG_OPTIONS_MAX = 16,   /* optional fields of a body */
	MSG_OPTION_MAX = 1024,  /* bytes of one such field */
	MSG_KEY_MAX = 512,      /* bytes of a Diffie-Hellman public key (ffdhe4096) */
	MSG_SPKI_MAX = 512,     /* bytes of a public key in DER */
	MSG_SIGNATURE_MAX = 512,
	MSG_MARKER_LEN = 8, /* bytes of a marker of a pre-shared key: one per party, or none */
	MSG_TOLD_LEN = 16,  /* bytes of a word by which two parties compare received broadcasts */
	MSG_MARKERS_MAX = PARTIES_MAX * MSG_MARKER_LEN,
	MSG_CHUNK_MAX = 1 << 20, /* bytes of data in one chunk of a vector */
	MSG_ITEMS_MAX = 1 << 30, /* entries of a vector of labels */
	MSG_REALS_MAX = 1 << 30, /* numbers of a vector of reals */
	MSG_IDS_MAX = 1 << 26,   /* ids of a party */
	MSG_ID_MAX = 255,        /* bytes of an id */
	MSG_ID_HASH_LEN = 16,    /* bytes of a hashed id */
	MSG_TAG_LEN = 16,        /* bytes that sealing adds */
	MSG_SUM_TAG_LEN = 16,    /* a number mod 2^127 - 1, little-endian (crypto/tag.h) */
	/* Bytes of a box of a batch (party/work/exchange.h); its last box is shorter. */
	RELAY_BOX = 256 << 10,
	HASH_LEN = 32,
	NONCE_LEN = 32,
	JOB_ID_LEN = 16,
	MSG_HEARTBEAT_MIN_MS = 30, /* bounds of WELCOME's heartbeat_ms */
	MSG_HEARTBEAT_MAX_MS = 3600000,
	MSG_ASKING_MAX_S = 7 * 86400, /* the longest policy.confirm_s */
	MSG_FIRST_OF_JOB = 10,        /* lower numbers belong to the link */
	/* Not an error of enum err, but a code in REFUSED, DECLINE and ABORT: this attempt is over,
	 * and another may follow. Never an exit status. */
	MSG_AGAIN = ERR_CANCELLED + 1,
	/* Only in REFUSED: the job is done; all parties have confirmed that they have results. */
	MSG_ALL_DONE = ERR_CANCELLED + 2,
};

/* Most words of a masked vector. A number may take several words; a canary (server/run/sum.h) and a
 * tag may follow. */
#define MSG_WORDS_MAX  ((uint64_t)1 << 33)
#define MSG_LEDGER_MAX ((uint64_t)1 << 53) /* rows of a ledger */

enum sender { NOBODY = 0, COORD = 1, PARTY = 2, BOTH = 3 };

enum msg_type {
#define MSG(NAME, number, sender, body) MSG_##NAME = (number),
#include "proto/messages.def"
#undef MSG
};

/* Contents of a SEALED. Numbers on the wire are never reused: 2 is in TOLD since version 6; 5 was
 * coins, by which 0.2.0 drew participants. Keys and hashes have 32 bytes. */
enum sealed {
	SEALED_ID_KEY = 1,     /* key for hashed ids, or for the order of common rows */
	SEALED_GROUP_KEY = 3,  /* group key; the coordinator does not have it */
	SEALED_ROWS = 4,       /* fedspectral: rows of some of the sender's nodes (batch) */
	SEALED_GRAPH = 6,      /* kcagc: keyed hash of the sender's edges between common nodes */
	SEALED_COLUMNS = 7,    /* fedsc, kmeans: keyed hashes of columns' names, types and units */
	SEALED_DIRECTORY = 10, /* fedwalk: the sender's vertices (batch) */
	SEALED_TIES = 11,    /* fedwalk: edges of the sender's to the receiver's vertices (batch) */
	SEALED_WALKS = 12,   /* fedwalk: walks that continue at the receiver (batch) */
	SEALED_CIPHERS = 13, /* fedsc: a Paillier key and encrypted coefficients (batch) */
	SEALED_PRODUCTS = 14, /* fedsc: encrypted products of these coefficients (batch) */
};

/* Why a party ends a job. Numbers on the wire are never reused. */
enum ending {
#define ENDING(NAME, number, sentence) ENDING_##NAME = (number),
#include "proto/endings.def"
#undef ENDING
	ENDINGS = 20 /* one more than the highest */
};

/* The text of REFUSED to a peer that only asks (tls_is_question): name, software, first and last
 * version, time in UTC. */
#define PROTO_ANSWER "coordinator %s, coterie %s, protocol versions %d to %d, it is %s"

struct msg_hello {
	uint16_t version_min, version_max;
	struct bytes software; /* such as "coterie 0.2.0 (0123456789ab)" */
};
struct msg_welcome {
	uint16_t version;
	struct bytes software;
	uint32_t heartbeat_ms; /* after this time without messages either side disconnects */
};
struct msg_refused {
	uint16_t code; /* exit status; 7: another attempt follows; 8: the job is done */
	struct bytes text;
};
struct msg_heartbeat {
	uint64_t progress; /* rises while the sender computes */
};
struct msg_ack {
	uint32_t received; /* number of the last received frame of the job */
};
struct msg_resume {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	uint32_t received; /* as in ACK */
};
struct msg_offer {
	uint8_t job_id[JOB_ID_LEN];
	uint32_t attempt;
	struct bytes job;       /* JSON: kind, schema, values that differ from defaults */
	struct bytes submitter; /* user who submitted the job, as the coordinator states */
	uint32_t parties;
	struct bytes names[PARTIES_MAX];
	uint32_t lefts; /* number of parties that dropped out */
	struct msg_left {
		uint32_t since; /* first attempt without that party */
		struct bytes name;
	} left[PARTIES_MAX];
};
struct msg_accept {
	uint8_t job_hash[HASH_LEN]; /* SHA-256 of `job` in OFFER */
	/* These are 0 where the kind hides them from the coordinator. */
	uint64_t rows;
	uint32_t columns; /* columns of the features; fedgcn: attributes of a node */
	uint8_t ids_hash[HASH_LEN];
	uint8_t edges_hash[HASH_LEN];
};
struct msg_decline {
	uint16_t code; /* exit status, or 7: another attempt follows */
	uint16_t ending;
	struct bytes subject; /* UNKNOWN: path of the parameter; PIN: name of the party */
};
struct msg_key {
	struct bytes public_key; /* S_i, big-endian; X25519: little-endian; as long as the prime */
	uint8_t nonce[NONCE_LEN];
	struct bytes spki;      /* public key of the sender's TLS identity */
	struct bytes signature; /* of this advertisement (crypto/secagg.h) */
	struct bytes markers;   /* one marker of a pre-shared key per party of the offer; or none */
};
struct msg_keys {
	uint32_t parties; /* their keys follow in the order of the offer */
	struct msg_key key[PARTIES_MAX];
};
struct msg_masked {
	uint32_t group;     /* tree node */
	uint64_t round;     /* number of the group's sum, or of the opened sum, from 0 */
	uint64_t count;     /* words in the whole vector */
	uint64_t offset;    /* words before this chunk */
	struct bytes words; /* Z_N words, little-endian */
	struct bytes tag;   /* little-endian, in the last chunk of an opened sum */
};
struct msg_labels {
	uint32_t group;      /* tree node; in LOCAL_CLUSTERS, ROWS, TIES and WALKS: the party */
	uint32_t values;     /* entries are 0 to `values`; `values` means "none", if allowed */
	uint64_t count;      /* entries in the whole vector */
	uint64_t offset;     /* entries before this chunk */
	struct bytes packed; /* ceil(log2(values + 1)) bits per entry, at least 1, lowest first */
};
struct msg_choice {
	uint16_t what; /* number of the choice (common/parties/choice.h) */
	uint64_t value;
};
struct msg_reals {
	uint32_t group;      /* tree node; in UPLOAD, DEGREES and PROTOTYPES: the party */
	uint64_t count;      /* numbers in the whole vector */
	uint64_t offset;     /* numbers before this chunk */
	struct bytes values; /* little-endian, IEEE 754 */
};
struct msg_padding {
	struct bytes zeros;
};
struct msg_sealed {
	uint16_t what;     /* number of the contents (enum sealed) */
	uint32_t from, to; /* number of a party */
	struct bytes box;  /* AES-256-GCM ciphertext, as long as the plaintext; then the tag */
};
struct msg_ids {
	uint64_t count;      /* ids in the whole list */
	uint64_t offset;     /* ids before this chunk */
	struct bytes packed; /* ascending; hashed: 16 bytes each; plain: length (1 byte), id */
};
struct msg_told {
	struct bytes words; /* a party sends 16 bytes for each other party; the coordinator 16 */
};
struct msg_abort {
	uint16_t code;     /* exit status of each process, or 7: another attempt follows */
	uint16_t ending;   /* ending of a party; 0 from the coordinator */
	struct bytes text; /* the coordinator's sentence; empty from a party */
};
struct msg_done {
	uint32_t heads; /* a party sends its own head; the coordinator all, in the offer's order */
	struct msg_head {
		uint64_t count;         /* rows in the party's ledger */
		uint8_t hash[HASH_LEN]; /* hash of the last of these rows (crypto/ledger.h) */
	} head[PARTIES_MAX];
};
struct msg_asking {
	uint32_t within_s; /* time limit of the answer */
};

struct msg {
	enum msg_type type;
	union {
		struct msg_hello hello;
		struct msg_welcome welcome;
		struct msg_refused refused;
		struct msg_heartbeat heartbeat;
		struct msg_ack ack;
		struct msg_resume resume;
		struct msg_offer offer;
		struct msg_accept accept;
		struct msg_decline decline;
		struct msg_key key;
		struct msg_keys keys;
		struct msg_masked masked;
		struct msg_labels labels;
		struct msg_choice choice;
		struct msg_reals reals, reals32;
		struct msg_padding padding;
		struct msg_sealed sealed;
		struct msg_told told;
		struct msg_ids ids;
		struct msg_abort abort;
		struct msg_done done;
		struct msg_asking asking;
	};
};

const char *msg_name(enum msg_type type);   /* "?" if there is none */
enum sender msg_sender(enum msg_type type); /* NOBODY if it does not exist */
bool msg_is_link(enum msg_type type);       /* travels outside jobs */
const char *msg_ending(uint16_t ending);    /* its sentence; static; NULL if there is none */
/* Returns the ending for an error, if no step sets a better one. */
enum ending msg_ending_of(enum err e);
struct bytes msg_text(const char *text); /* a sentence, cut at MSG_TEXT_MAX; borrows */
/* Appends the body. Asserts that fields are within their bounds. */
void msg_encode(struct buf *out, const struct msg *m);
/* Borrows from in and allocates nothing. ERR_PEER if the bytes do not parse exactly. */
enum err msg_decode(struct msg *m, uint16_t type, struct bytes in) MUST_CHECK;

#endif
