#include "common/data/sheet.h"

/* Reads n digits as a number. False if there are fewer digits, or if the number is not from min to
 * max. */
static bool digits(struct word *w, size_t n, unsigned min, unsigned max, unsigned *x)
{
	if (w->n < n)
		return false;
	*x = 0;
	for (size_t i = 0; i < n; i++) {
		if (w->p[i] < '0' || w->p[i] > '9')
			return false;
		*x = 10 * *x + (unsigned)(w->p[i] - '0');
	}
	w->p += n;
	w->n -= n;
	return *x >= min && *x <= max;
}

static bool one(struct word *w, char c)
{
	if (!w->n || *w->p != c)
		return false;
	w->p++;
	w->n--;
	return true;
}

static unsigned days_of(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap ? 1u : 0u);
}

/* Days from 1970-01-01 (Hinnant's days_from_civil). */
static double civil(unsigned year, unsigned month, unsigned day)
{
	long y = (long)year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400;
	unsigned long of_era = (unsigned long)(y - era * 400);
	unsigned long of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return (double)(era * 146097 + (long)(of_era * 365 + of_era / 4 - of_era / 100 + of_year) -
			719468);
}

/* Reads the rest after the minutes: "", ":ss", ":ss.f". */
static bool sheet_date_seconds(struct word *w, double *s)
{
	unsigned whole;
	double unit = 1;

	*s = 0;
	if (!one(w, ':'))
		return true;
	if (!digits(w, 2, 0, 59, &whole))
		return false;
	*s = whole;
	if (!one(w, '.'))
		return true;
	if (!w->n || *w->p < '0' || *w->p > '9')
		return false;
	for (; w->n && *w->p >= '0' && *w->p <= '9'; w->p++, w->n--) {
		unit /= 10;
		*s += unit * (*w->p - '0');
	}
	return true;
}

bool word_date(struct word w, double *days)
{
	unsigned year, month, day, hour, minute;
	double second;

	if (!digits(&w, 4, 1, 9999, &year) || !one(&w, '-') || !digits(&w, 2, 1, 12, &month) ||
	    !one(&w, '-') || !digits(&w, 2, 1, days_of(year, month), &day))
		return false;
	*days = civil(year, month, day);
	if (!w.n)
		return true;
	if ((!one(&w, 'T') && !one(&w, ' ')) || !digits(&w, 2, 0, 23, &hour) || !one(&w, ':') ||
	    !digits(&w, 2, 0, 59, &minute) || !sheet_date_seconds(&w, &second))
		return false;
	*days += (hour * 3600.0 + minute * 60.0 + second) / 86400;
	(void)one(&w, 'Z');
	return w.n == 0;
}
