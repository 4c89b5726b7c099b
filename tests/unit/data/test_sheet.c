/* Reads tables: finds the heading, numbers, categories, dates, ids and missing values. Refuses
 * broken tables with the right message. */
#include "tests/test.h"
#include "tests/unit/data/files.h"

#include "common/base/log.h"
#include "common/data/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* set: NULL-terminated list of "path=value" for a struct reading. */
static void read_as(struct reading *how, const char *const *set)
{
	struct json *root = json_object();

	for (; set && *set; set++) {
		char *one[] = { alloc_copy(*set), NULL };

		assert_ok(config_set(root, one));
		free(one[0]);
	}
	assert_ok(config_read(&reading_table, root, "test", NULL, NULL, how));
	json_free(root);
}

/* t points into text and how, so release t before them. */
struct read {
	struct bytes text;
	struct reading how;
	struct sheet t;
	struct sheet_said said;
	enum err err;
};

static struct read *parse_as(const char *name, const char *text, const char *const *set)
{
	struct read *r;

	ALLOC(r, 1);
	read_as(&r->how, set);
	r->text = exact_text(text);
	r->err = sheet_parse(&r->t, r->text, name, &r->how, &r->said);
	return r;
}

static struct read *parse(const char *text, const char *const *set)
{
	return parse_as("x.csv", text, set);
}

static void end(struct read *r)
{
	sheet_release(&r->t);
	reading_release(&r->how);
	free((void *)(uintptr_t)r->text.p);
	free(r);
}

#define SET(...) ((const char *const[]){ __VA_ARGS__, NULL })

TEST(test_numbers)
{
	static const struct {
		const char *name, *text;
		const char *set;
	} same[] = {
		{ "x.csv", "1,2.5\n-3,4e1\n", NULL },
		{ "x.csv", "1,2.5\n-3,4e1", NULL },
		{ "x.csv", "a,b\n1,2.5\n-3,4e1\n", NULL },
		{ "x.csv",
		  "\xef\xbb\xbf"
		  "a,b\r\n1,2.5\r\n-3,4e1\r\n\r\n\n",
		  NULL },
		{ "x.csv", " 1 ,\t2.5\n-3, 4e1 \n", NULL },
		{ "x.csv", "\"a\",\"b\"\n\"1\",\"2.5\"\n-3,\"40\"\n", NULL },
		{ "x.csv", "a;b\n1;2.5\n-3;40\n", "separator=;" },
		{ "x.tsv", "a\tb\n1\t2.5\n-3\t40\n", NULL },
		{ "x.csv", "0,1\n1,2.5\n-3,40\n", "header=yes" },
	};
	static const double values[] = { 1, 2.5, -3, 40 };

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct read *r = parse_as(same[i].name, same[i].text, SET(same[i].set));

		print_message("case %zu\n", i);
		assert_ok(r->err);
		assert_int_equal(r->t.X.rows, 2);
		assert_int_equal(r->t.X.cols, 2);
		assert_memory_equal(r->t.X.a, values, sizeof(values));
		assert_int_equal(r->said.heading, i >= 2 && i != 4);
		assert_int_equal(r->said.blank, i == 3 ? 2 : 0);
		end(r);
	}
}

TEST(test_decimal_comma)
{
	struct read *r = parse("a;b\n1,5;2\n", SET("separator=;", "decimal=,"));

	assert_ok(r->err);
	assert_true(r->t.X.a[0] == 1.5);
	end(r);
}

TEST(test_all_roles)
{
	static const char text[] = "who,age,sex,born,class,note\n"
				   "b,30,f,1970-01-02,x,\"a \"\"b\"\"\"\n"
				   "c,,m,,y,\n"
				   "a,50,,1970-01-04T12:00,x,z\n";
	static const char *const names[] = { "age",  "sex=f",          "sex=m", "sex is missing",
					     "born", "born is missing" };
	static const double X[] = { 30, 1, 0, 0, 1, 0, 40, 0, 1, 0, 2.25, 1, 50, 0, 0, 1, 3.5, 0 };
	struct read *r = parse(text, SET("id=who", "category=[\"sex\"]", "date=[\"born\"]",
					 "label=class", "ignore=[\"note\"]", "unit=[\"age=years\"]",
					 "missing=[\"mean\",\"born=indicator\"]"));

	assert_ok(r->err);
	assert_int_equal(r->t.X.rows, 3);
	assert_int_equal(r->t.X.cols, 6);
	assert_memory_equal(r->t.X.a, X, sizeof(X));
	for (size_t j = 0; j < 6; j++)
		assert_string_equal(r->t.out.column[j].name, names[j]);
	assert_string_equal(r->t.out.column[0].unit, "years");
	assert_string_equal(r->t.out.column[1].from, "sex");
	assert_int_equal(r->t.out.column[4].type, COLUMN_DATE);
	assert_int_equal(r->t.out.column[5].type, COLUMN_CATEGORY);
	assert_string_equal(r->t.ids.id[0], "a");
	assert_int_equal(r->t.ids.row[0], 2);
	assert_int_equal(r->t.ids.row[1], 0);
	assert_int_equal(r->t.column[1].gaps, 1);
	end(r);
}

TEST(test_median_and_indicator)
{
	static const char text[] = "a,b\n1,1\n2,NA\n9,2\n,3\n";
	static const double X[] = { 1, 1, 0, 2, 2, 1, 9, 2, 0, 2, 3, 0 };
	struct read *r = parse(text, SET("missing=[\"median\",\"b=indicator\"]"));

	assert_ok(r->err);
	assert_int_equal(r->t.X.cols, 3);
	assert_memory_equal(r->t.X.a, X, sizeof(X));
	end(r);
}

/* A category of given values has a column for each of them, even if no row has the value. The
 * indicator of missing values has a column even if none is missing. */
TEST(test_columns_that_all_parties_have)
{
	struct read *r =
	    parse("a,b\n1,m\n2,m\n", SET("category=[\"b=w|m|f\"]", "missing=[\"a=indicator\"]"));

	assert_ok(r->err);
	assert_int_equal(r->t.out.n, 5);
	assert_string_equal(r->t.out.column[1].name, "a is missing");
	assert_string_equal(r->t.out.column[2].name, "b=f");
	assert_string_equal(r->t.out.column[4].name, "b=w");
	assert_true(r->t.X.a[3] == 1);
	end(r);
}

TEST(test_a_label_is_left_out)
{
	struct read *r = parse("a,b\n1,\n2,no\n", SET("label=b"));

	assert_ok(r->err);
	assert_int_equal(r->t.X.cols, 1);
	assert_int_equal(r->t.out.n, 1);
	end(r);
}

static const struct {
	const char *text;
	const char *set[4];
	const char *message;
} refused[] = {
	/* 0 */ { "", { 0 }, "x.csv: the file is empty" },
	{ "a,b\n", { 0 }, "x.csv: no rows below the heading" },
	{ "1,2.5\n3\n", { 0 }, "x.csv:2: 1 fields, expected 2 as on the first line" },
	{ "1,2.5\n3,4,5\n", { 0 }, "x.csv:2: 3 fields, expected 2" },
	{ "1,2.5\n\n3,4\n", { 0 }, "x.csv:2: the line is blank, expected 2 fields" },
	/* 5 */
	{ "a,b\n3,x\n",
	  { 0 },
	  "x.csv:2: column \"b\" is \"x\", expected a number: say that it is a column of "
	  "words (category)" },
	{ "a,b\n3,\n",
	  { 0 },
	  "x.csv:2: column \"b\" has no value (\"\"): say what becomes of it (missing)" },
	{ "1,x\n3,4\n",
	  { 0 },
	  "x.csv:1: the first line, \"1,x\", may be a heading or a row: say which" },
	{ "NA,NA\n3,4\n", { 0 }, "x.csv:1: the first line, \"NA,NA\", may be" },
	{ "0,1,2\n3,4,5\n", { 0 }, "x.csv:1: the first line, \"0,1,2\", may be" },
	/* 10 */ { ",0,1\n0,4,5\n", { 0 }, "x.csv:1: the first line, \",0,1\", may be" },
	{ ",a,b\n0,4,5\n",
	  { 0 },
	  "x.csv: column 1 has no name: say that it has the ids (id \"#1\")" },
	{ "1,2.5\n-inf,4\n",
	  { 0 },
	  "x.csv:2: column \"#1\" is \"-inf\", expected a finite number" },
	{ "1,2.5\n1e999,4\n", { 0 }, "x.csv:2: column \"#1\" is \"1e999\", expected a finite" },
	{ "a;b\n3;4\n", { 0 }, "x.csv:1: no comma in \"a;b\", but 1 times ';'" },
	/* 15 */
	{ "a\tb\n3\t4\n", { 0 }, "x.csv:1: no comma in \"a?b\", but 1 times a tab" },
	{ "a,b\n\"1,5\",2\n",
	  { 0 },
	  "x.csv:2: column \"a\" is \"1,5\", expected a number with a decimal point" },
	{ "a,b\n2024-01-02,2\n",
	  { 0 },
	  "x.csv:2: column \"a\" is \"2024-01-02\", expected a number: say that it is a "
	  "date" },
	{ "a,a\n1,2\n", { 0 }, "x.csv: columns 1 and 2 are both called \"a\"" },
	{ "a,b\n1,2\n",
	  { "id=c" },
	  "x.csv: id is \"c\", which is none of the 2 columns: \"a\", \"b\"" },
	/* 20 */
	{ "a,b\n1,2\n",
	  { "id=a", "ignore=[\"a\"]" },
	  "x.csv: column \"a\" is said to be id and ignore" },
	{ "a,b\nx,1\ny,2\nx,3\n",
	  { "id=a" },
	  "x.csv:4: column \"a\" is \"x\", which is the id of line 2 too" },
	{ "a,b\nx y,1\n",
	  { "id=a" },
	  "x.csv:2: column \"a\" is \"x y\", expected an id: 1 to 255 bytes" },
	{ "a,b\n,1\n", { "id=a" }, "x.csv:2: column \"a\" has no id" },
	/* 24 */
	{ "a,b\n1,x\n",
	  { "category=[\"b=y|z\"]" },
	  "x.csv:2: column \"b\" is \"x\", which is none of the 2 values" },
	{ "a,b\n1,01.02.2024\n",
	  { "date=[\"b\"]" },
	  "x.csv:2: column \"b\" is \"01.02.2024\", expected a date as 2024-12-31" },
	{ "a,b\n1,2023-02-29\n", { "date=[\"b\"]" }, "expected a date" },
	{ "a,b\nNA,1\n,2\n",
	  { "missing=[\"mean\"]" },
	  "x.csv: column \"a\" has no value in any of the 2 rows" },
	{ "a,b\n1,2\n",
	  { "ignore=[\"a\",\"b\"]" },
	  "x.csv: no column is left that becomes a feature" },
	/* 29 */
	{ "a,b=c\n1,2\n",
	  { "category=[\"a\"]", "category=[\"b=d\"]" },
	  "x.csv: category is \"b=d\", which is none of the 2 columns" },
	{ "a,a=1\n1,2\n", { "category=[\"a\"]" }, "x.csv: two columns are called \"a=1\"" },
	{ "a,b\n1,caf\xe9\n",
	  { "category=[\"b\"]" },
	  "x.csv:2: column \"b\" is \"caf?\", which is not UTF-8" },
	{ "a,b\n1, x\n", { "category=[\"b\"]" }, "which begins or ends with a blank" },
	{ "\xff\xfe"
	  "a",
	  { 0 },
	  "x.csv: expected text in UTF-8, not UTF-16" },
	/* 34 */
	{ "a,b\n1,2,3\n",
	  { 0 },
	  "x.csv:2: 3 fields, but the heading has 2: the column of row names" },
	{ "\na,b\n1,2\n", { 0 }, "x.csv:1: the first line is blank" },
	{ "a,b\n1,2\n", { "missing=[\"c=mean\"]" }, "x.csv: missing is \"c=mean\", which is none" },
	{ "a,b\n1,2\n", { "decimal=," }, "x.csv: ',' is the separator and the decimal point" },
};

TEST(test_refusals)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct read *r;

		print_message("case %zu\n", i);
		r = parse(refused[i].text, refused[i].set);
		assert_err(r->err, ERR_INPUT, refused[i].message);
		end(r);
	}
}

/* A category has at most 64 values unless they are given. */
TEST(test_values_of_a_category)
{
	for (int more = 0; more < 2; more++) {
		struct buf text = { 0 }, given = { 0 };
		struct read *r;

		buf_printf(&text, "a,b\n");
		buf_printf(&given, "category=[\"b=");
		for (int i = 0; i < SHEET_VALUES_MAX + more; i++) {
			buf_printf(&text, "1,v%d\n", i);
			buf_printf(&given, "%sv%d", i ? "|" : "", i);
		}
		buf_printf(&given, "\"]");
		buf_add(&text, "", 1);
		buf_add(&given, "", 1);
		r = parse((const char *)text.p, SET("category=[\"b\"]"));
		if (more)
			assert_err(r->err, ERR_INPUT,
				   "x.csv:66: column \"b\" has more than 64 values, \"v64\" is one "
				   "more");
		else
			assert_ok(r->err);
		end(r);
		r = parse((const char *)text.p, SET((const char *)given.p));
		assert_ok(r->err);
		assert_int_equal(r->t.X.cols, 1 + SHEET_VALUES_MAX + more);
		end(r);
		buf_release(&text);
		buf_release(&given);
	}
}

/* text: part of the warnings about this table; NULL: expects no warning. */
static void assert_warns(const char *table, const char *const *set, const char *text)
{
	FILE *f = tmpfile();
	char all[1024];
	struct read *r;

	assert_non_null(f);
	log_set_stream(fileno(f), true);
	log_set_level(LOG_WARN);
	r = parse(table, set);
	assert_ok(r->err);
	end(r);
	log_set_level(LOG_INFO);
	log_set_stream(STDERR_FILENO, false);
	rewind(f);
	all[fread(all, 1, sizeof(all) - 1, f)] = '\0';
	fclose(f);
	if (text ? !strstr(all, text) : *all)
		fail_msg("%s: \"%s\", expected %s", table, all, text ? text : "nothing");
}

TEST(test_ids_and_codes_among_numbers_are_named)
{
	assert_warns("a,post\n1,01067\n2,20095\n", NULL,
		     "column \"post\": 1 values have zeros in front or are beyond 2^53");
	assert_warns("a;post\n1,5; 01067\n2;20095\n", SET("separator=;", "decimal=,"),
		     "column \"post\": 1 values have zeros in front");
	assert_warns("card,a\n4000123412341234567,1\n5,2\n", NULL, "column \"card\": 1 values");
	assert_warns("a,post\n1,01067\n2,20095\n", SET("category=post"), NULL);
	assert_warns("a,b\n0,0.0012345678901234567\n10,9007199254740992\n", NULL, NULL);
	for (const char *const *name = SET("id", "Customer ID", "customerId", "row_id"); *name;
	     name++) {
		char table[64];

		snprintf(table, sizeof(table), "%s,a\n7,1\n3,2\n9,3\n", *name);
		assert_warns(table, NULL, "has another whole number in each row");
	}
	assert_warns("paid,humidity\n7,1\n3,2\n9,3\n", NULL, NULL);
	assert_warns("id,a\n7,1\n3.5,2\n9,3\n", NULL, NULL);
	assert_warns("id,a\n7,1\n3,2\n7,3\n", NULL, NULL);
	assert_warns("id,a,key_id\n7,1,1\n3,2,2\n9,3,3\n", SET("id=id"), NULL);
}

/* A long first line and many short ones must not allocate a matrix far larger than the file. */
TEST(test_allocation_is_bounded_by_the_file)
{
	struct buf text = { 0 };
	struct read *r;

	for (int i = 0; i < 200000; i++)
		buf_add(&text, "3,", 2);
	buf_add(&text, "1\n", 2);
	for (int i = 0; i < 200000; i++)
		buf_add(&text, "1\n", 2);
	buf_add(&text, "", 1);
	r = parse((const char *)text.p, NULL);
	assert_err(r->err, ERR_INPUT, "x.csv:2: 1 fields, expected 200001");
	assert_true(r->t.room * r->t.numbers < 2 * text.n);
	end(r);
	buf_release(&text);
}

TEST(test_dates)
{
	static const struct {
		const char *text;
		double days;
	} right[] = { { "1970-01-01", 0 },
		      { "1969-12-31", -1 },
		      { "2000-03-01", 11017 },
		      { "2024-02-29", 19782 },
		      { "0001-01-01", -719162 },
		      { "1970-01-02T06:00", 1.25 },
		      { "1970-01-01 12:00:00Z", .5 },
		      { "1970-01-01T00:00:43.2", 0.0005 } };
	static const char *const wrong[] = { "1970-1-1",
					     "1970-13-01",
					     "1970-00-10",
					     "1970-01-32",
					     "70-01-01",
					     "1970-01-01T",
					     "1970-01-01T24:00",
					     "1970-01-01T00:00:",
					     "1970-01-01x",
					     "1900-02-29",
					     "" };
	double days;

	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		assert_true(
		    word_date((struct word){ right[i].text, strlen(right[i].text) }, &days));
		assert_true(fabs(days - right[i].days) < 1e-9);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(word_date((struct word){ wrong[i], strlen(wrong[i]) }, &days));
}
