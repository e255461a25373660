/* Describes the server's certificate. libcurl reports only that it was not accepted, so we look at it while OpenSSL
 * verifies it. */
#include "base/buffer.h"
#include "http/deliver_internal.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NAMES_SHOWN 3

/* Appends a host name or address. False: the entry is something else, or malformed. The bytes are untrusted: a NUL must
 * not hide what follows it. */
static bool append_alternative(struct buffer *out, const GENERAL_NAME *name)
{
	char address[INET6_ADDRSTRLEN];
	int type;
	const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
	if (type != GEN_DNS && type != GEN_IPADD)
		return false;
	const unsigned char *bytes = ASN1_STRING_get0_data(value);
	int length = ASN1_STRING_length(value);
	if (type == GEN_IPADD && length != 4 && length != 16)
		return false;
	buffer_append_text(out, out->length > 0 ? ", " : "");
	if (type == GEN_IPADD)
		buffer_append_text(out, inet_ntop(length == 16 ? AF_INET6 : AF_INET, bytes, address, sizeof address));
	for (int i = 0; type == GEN_DNS && i < length; i++)
		buffer_append_byte(out, bytes[i] ? (char)bytes[i] : '?');
	return true;
}

static void append_name(struct buffer *out, const X509_NAME *name)
{
	BIO *memory = BIO_new(BIO_s_mem());
	char *text = NULL;
	if (memory && X509_NAME_print_ex(memory, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
		long length = BIO_get_mem_data(memory, &text);
		buffer_append(out, text, (size_t)length);
	}
	BIO_free(memory);
}

/* The hosts of the certificate, or its subject if there are none. */
static void append_hosts(struct buffer *out, const X509 *certificate)
{
	LOCAL_BUFFER hosts = BUFFER_INIT;
	GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
	int shown = 0, count = names ? sk_GENERAL_NAME_num(names) : 0, i = 0;
	for (; i < count && shown < NAMES_SHOWN; i++)
		shown += append_alternative(&hosts, sk_GENERAL_NAME_value(names, i));
	if (shown == 0)
		append_name(&hosts, X509_get_subject_name(certificate));
	buffer_append(out, buffer_text(&hosts), hosts.length);
	if (i < count)
		buffer_append_text(out, ", ...");
	GENERAL_NAMES_free(names);
}

static void append_day(struct buffer *out, const ASN1_TIME *time)
{
	struct tm when;
	if (ASN1_TIME_to_tm(time, &when) == 1)
		buffer_printf(out, "%04d-%02d-%02d", when.tm_year + 1900, when.tm_mon + 1, when.tm_mday);
	else
		buffer_append_byte(out, '?');
}

static void describe(struct attempt *attempt, const X509 *certificate)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	buffer_append_text(&text, "for ");
	append_hosts(&text, certificate);
	buffer_append_text(&text, ", valid from ");
	append_day(&text, X509_get0_notBefore(certificate));
	buffer_append_text(&text, " to ");
	append_day(&text, X509_get0_notAfter(certificate));
	buffer_append_text(&text, ", issued by ");
	append_name(&text, X509_get_issuer_name(certificate));
	snprintf(attempt->certificate, sizeof attempt->certificate, "%s", buffer_text(&text));
}

/* Verifies as OpenSSL does by default, and describes the certificate that failed, or the server's. */
static int verify(X509_STORE_CTX *store, void *context)
{
	int good = X509_verify_cert(store);
	const X509 *certificate = good > 0 ? NULL : X509_STORE_CTX_get_current_cert(store);
	if (!certificate)
		certificate = X509_STORE_CTX_get0_cert(store);
	if (certificate) {
		ERR_set_mark();
		describe(context, certificate);
		ERR_pop_to_mark();
	}
	return good > 0;
}

static CURLcode on_context(CURL *easy, void *ssl_context, void *context)
{
	(void)easy;
	((struct attempt *)context)->handshake = true;
	SSL_CTX_set_cert_verify_callback(ssl_context, verify, context);
	return CURLE_OK;
}

void certificate_watch(struct attempt *attempt)
{
	const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
	/* With another library ssl_context has another type. */
	if (!version->ssl_version || strncmp(version->ssl_version, "OpenSSL/", 8) != 0)
		return;
	curl_easy_setopt(attempt->easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
	curl_easy_setopt(attempt->easy, CURLOPT_SSL_CTX_DATA, attempt);
}
