/* Fuzzes certificate requests (in DER, since mutated PEM is never valid) and the files that
 * `coterie pki show` reads. If the extensions of a request are accepted, the certificate has the
 * same name, role and hosts, and nothing else. The output has no control characters.
 *
 * The first byte selects a request or a file. The fuzzer skips signatures, since no input could
 * pass them; unit tests check signatures. */
#include "crypto/pki.c"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static EVP_PKEY *ca_key;
static X509 *ca;
static int file = -1;

static void check(bool good)
{
	if (!good)
		abort();
}

static void begin(void)
{
	if (ca)
		return;
	check(cert_make_key(&ca_key, PKI_ED25519) == ERR_OK);
	check(cert_make_ca(&ca, ca_key, "CA", 1000) == ERR_OK);
	file = memfd_create("file", MFD_CLOEXEC);
	check(file >= 0);
}

static void check_text(const struct buf *text)
{
	for (size_t i = 0; i < text->n; i++)
		check(text->p[i] == '\n' || (text->p[i] >= ' ' && text->p[i] < 0x7f));
}

/* Checks that a daemon's certificate has the name, the role and the hosts of its request, six
 * extensions in all, and is not a CA's. */
static void check_certificate(const X509 *x, X509_REQ *request)
{
	STACK_OF(X509_EXTENSION) *wanted = X509_REQ_get_extensions(request);
	const STACK_OF(X509_EXTENSION) *got = X509_get0_extensions(x);
	char name[2][IDENTITY_NAME_MAX + 1];
	struct buf hosts[2] = { { 0 }, { 0 } };
	enum pki_role role[2];

	check(cert_name(wanted, name[0]) && cert_name(got, name[1]) && !strcmp(name[0], name[1]));
	check(cert_role(wanted, &role[0]) && cert_role(got, &role[1]) && role[0] == role[1]);
	check(cert_hosts(wanted, &hosts[0]) && cert_hosts(got, &hosts[1]));
	check(hosts[0].n == hosts[1].n && !memcmp(hosts[0].p, hosts[1].p, hosts[0].n));
	check(sk_X509_EXTENSION_num(got) == 6 && X509_check_ca((X509 *)(uintptr_t)x) == 0);
	buf_release(&hosts[0]);
	buf_release(&hosts[1]);
	sk_X509_EXTENSION_pop_free(wanted, X509_EXTENSION_free);
}

static void request(const uint8_t *p, size_t n)
{
	X509_REQ *r = d2i_X509_REQ(NULL, &p, (long)n);
	struct buf text = { 0 };
	STACK_OF(X509_EXTENSION) * wanted;

	must_reason();
	if (!r)
		return;
	wanted = X509_REQ_get_extensions(r);
	show_extensions(&text, wanted);
	show_name(&text, "subject", X509_REQ_get_subject_name(r));
	check_text(&text);
	text.n = 0;
	if (check_wanted(wanted, r, "f", &text) == ERR_OK && X509_REQ_get0_pubkey(r)) {
		X509 *x = NULL;

		check_text(&text);
		check(cert_make(&x, r, ca, ca_key, 100) == ERR_OK);
		check_certificate(x, r);
		X509_free(x);
	}
	text.n = 0;
	if (check_csr(r, "f", &text) == ERR_OK)
		check_text(&text);
	must_reason();
	sk_X509_EXTENSION_pop_free(wanted, X509_EXTENSION_free);
	buf_release(&text);
	X509_REQ_free(r);
}

static void any_file(const uint8_t *p, size_t n)
{
	struct buf text = { 0 };
	char path[32];

	check(!ftruncate(file, 0) && pwrite(file, p, n, 0) == (ssize_t)n && !fchmod(file, 0600));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (pki_show(path, &text) == ERR_OK)
		check_text(&text);
	buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	begin();
	if (size < 1)
		return 0;
	(data[0] & 1 ? any_file : request)(data + 1, size - 1);
	return 0;
}
