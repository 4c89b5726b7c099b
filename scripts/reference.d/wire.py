"""Writes the pages on the wire protocol: messages, and terms of sums."""
import re

import bodies
import disclosures


def contents(source):
    """Returns the comment below each message in messages.def, by the message's name."""
    found = re.findall(r"^MSG\((\w+),[^\n]*\n\t/\* (.*?) \*/", source("proto/messages.def"),
                       re.M | re.S)
    return {f"`{name}`": "; " + " ".join(re.sub(r"\n\s*\*", " ", said).split())
            for name, said in found}


def messages(source, table):
    page = """# Messages

For those who read traces or write another implementation. This page lists every message between
coordinator and party, and the fields of its body. [PROTOCOL.md](../../proto/PROTOCOL.md) describes
frames and rules. [KINDS.md](../../proto/KINDS.md) has the order of messages and defines n, k, K
and m. R is the number of starts. For body `labels`, the column "meaning" also has the number of
entries and the field `values`.
"""
    names, also = {}, contents(source)
    for head, rows in disclosures.messages(source):
        rows = [(*row[:4], row[4] + also.get(row[1], "")) for row in rows]
        page += f"\n## {head}\n\n" + table(("number", "name", "sender", "body", "meaning"), rows)
        names.update((row[3].strip("`"), True) for row in rows)
    page += """
## Bodies

Fields are in the order of their bytes, without padding. Numbers are unsigned and big-endian if the
table does not name another format. `bytes(a..b)` is a u32 length from a to b, then so many bytes.
[Options](../../proto/PROTOCOL.md#bodies) may be absent.

""" + table(("body", "field", "type", "bounds; contents"), bodies.table_of(source, names))
    for title, path, enum in (("Contents of SEALED", "proto/msg.h", "sealed"),
                              ("Choices", "common/parties/choice.h", "choice")):
        page += f"\n## {title}\n\n" + table(("what", "meaning"),
                                             bodies.enumerators(source(path), enum))
    page += """
## Examples

Three frames of job 01 23 45 67 89 ab cd ef; `tests/unit/proto/test_msg.c` writes and reads them.
"""
    frames = source("tests/unit/proto/test_msg.c").partition("known_frames[] = {\n")[2]
    for code, said in re.findall(r"\t((?:0x.., )*0x..), +/\* (.*) \*/", frames.partition("};")[0]):
        page += "\n" * said.startswith("length")
        page += f"    {re.sub('0x|,', '', code):<27}{said}\n"
    return page


# Heading of a table, header with the enumeration of questions, name of the enumeration.
QUESTIONS = (
    ("Kinds fedsc and kmeans", "protocols/fedsc/party.h", "fedsc_kind"),
    ("Kinds fedsc and kmeans: k-means", "protocols/fedsc/fedkmeans.h", "fedkmeans_kind"),
    ("Kind kcagc: methods gcc and landmark", "protocols/kcagc/slice.h", "question_kind"),
    ("Kind fedspectral", "protocols/fedspectral/party.h", "fedspectral_kind"),
    ("Kind fedgcn", "protocols/fedgcn/party.h", "fedgcn_kind"),
)


def sums(source, table):
    page = """# Terms of sums

For those who write another implementation or read a trace. A term is the vector that a party
adds to a sum. Each row names a step of the code (a "question"), then the number of words of its
term and their contents. [KINDS.md](../../proto/KINDS.md) has the order of sums. L is the number of
parties, n of rows or nodes, m of columns, k of clusters, c of centres, d of landmarks. A number *in
parts* takes five words (`common/privacy/parts.h`). If a step has no sum, the row begins with "no
sum".
"""
    for head, path, enum in QUESTIONS:
        page += f"\n## {head}\n\nFrom `{path}`.\n\n"
        page += table(("question", "words: term"),
                      [(f"`{name.partition('_')[2]}`", said)
                       for name, said in bodies.described(source(path), enum)])
    return page + RANGES


# These ranges are not in a table of the code, since the code checks each range when it reads the
# sum.
RANGES = """
## Ranges

A party ends the job if a number of an opened sum is out of its range. n counts rows or graphs.

| numbers | range |
| --- | --- |
| parts of a number | each below L 2^30 in magnitude |
| n | whole, at most 2^30; at least 2 L rows, or L times `clusters` graphs |
| rows by cluster or landmark | whole, 0 to n; their total is n |
| parties that leave a column unscaled | 0 or L |
| margins (silhouettes) of all rows | -n / 1000 to 1.001 n |
| weights of `anchor` | 0 or more; their total is n, with an error up to n / 1000 |
| weights of dictionaries in a round | above 0, at most 1.0001 |
| graphs by centre or cluster, graphs that change, graphs of a round | whole; total at most n |
| weights of a model, divided by the graphs of a round | -10000 to 10000 |
| joint degrees (`fedspectral`) | at least the party's own degree, up to rounding |
| `align`: parties by step, as lister, or without a table | whole, 0 to L; their total is L |
| counts with noise | no range: noise has no bound |
"""
