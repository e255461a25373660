/* Classes of ASCII characters, the same in every locale and for every byte, signed or not. */
#ifndef CREDHOOK_BASE_ASCII_H
#define CREDHOOK_BASE_ASCII_H

#include <stdbool.h>

#define ASCII_HEX       "0123456789abcdef"
#define ASCII_HEX_UPPER "0123456789ABCDEF"

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
	return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alnum(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline char ascii_lower(char c)
{
	return ascii_is_upper(c) ? (char)(c | 0x20) : c;
}

/* The value of a hexadecimal digit of either case; 16: not one. */
static inline unsigned ascii_hex_value(char c)
{
	if (ascii_is_digit(c))
		return (unsigned)(c - '0');
	char lower = (char)(c | 0x20);
	return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a' + 10) : 16;
}

static inline bool ascii_is_hex(char c)
{
	return ascii_hex_value(c) < 16;
}

/* Unreserved in a URL (RFC 3986, 2.3): never percent-encoded. */
static inline bool ascii_is_unreserved(char c)
{
	return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

#endif
