"""Pages on disclosures, for scripts/reference: sentences from tests/vectors/disclosures.txt, which
test_disclosures.c keeps as the code has them; messages from messages.def and the protocols'
files."""
import re

# Titles of pages, and a note.
PAGES = {
    "kcagc": ("kcagc, kmeans.columns and their predictions",
              "A cell is a set of nodes that are in one local cluster at each party of a sum.\n"
              "A virtual node stands for a cell in the joint k-means. In messages, items are\n"
              "virtual nodes; in `basic` and polish items are all nodes."),
    "fedsc": ("fedsc and kmeans",
              "Rows with a variant are for jobs without noise. If `noise.on` is \"sums\", only\n"
              "the rows with this value apply, and the rows on names, own clusters, collusion\n"
              "and false numbers."),
    "fedspectral": ("fedspectral", ""),
    "fedwalk": ("fedwalk", ""),
    "fedgcn": ("fedgcn", ""),
    "align": ("align, and of jobs that match rows", ""),
}
SENDERS = {"PARTY": "party", "COORD": "coordinator", "BOTH": "both"}
HEADS = ("message", "sender", "contents")


def messages(source):
    """Returns (head, rows) of each section of messages.def."""
    sections = []
    for line in source("proto/messages.def").splitlines():
        m = re.match(r"MSG\((\w+), *(\d+), (\w+), *(\w+)\) */\* (.*) \*/", line)
        if m:
            sections[-1][1].append((m[2], f"`{m[1]}`", SENDERS[m[3]], f"`{m[4]}`", m[5]))
        elif re.match(r"/\* (.*)\. \*/$", line):
            sections.append((line[3:-4], []))
    return sections


def tables(source, page):
    """Returns (kinds, rows) of each table of a page."""
    text = source("tests/vectors/disclosures.txt")
    for kinds, body in re.findall(rf"^\[{page}: (.*)\]\n((?:.+\n)*)", text, re.M):
        yield kinds, [line.split(": ", 1)[::-1] for line in body.splitlines()]


def own_messages(root, source, protocol):
    """Returns (message, sender, contents) of each message that the files of a protocol name."""
    code = "".join(p.read_text() for p in sorted((root / "protocols" / protocol).rglob("*.c")))
    accepts = sorted(set(re.findall(r'(?:\.accept = |ACCEPT_\w+ )", ([^"]+)"', code)))
    yield "`ACCEPT`", "party", "; or ".join(f"hash of the job, {a}" for a in accepts) or \
        "hash of the job"
    for _, rows in messages(source):
        for _, name, sender, _, meaning in rows:
            if re.search(rf"\bMSG_{name.strip('`')}\b", code):
                yield name, sender, meaning


def page_of(root, source, table, name):
    title, note = PAGES[name]
    text = f"""# Disclosures of {title}

For data owners. After this page you know the facts that such a job discloses. `run.json` (`leaks`),
a party's log and an offer that waits for approval list the disclosures of their job.
[Disclosures](disclosures.md) has the messages of every job. [Inference](../security/inference.md)
has the consequences.
"""
    if name != "align":
        text += "A job with one party also has its row of [Matched rows](disclosures-align.md).\n"
    if note:
        text += f"\n{note}\n"
    for kinds, rows in tables(source, name):
        text += f"\n## {kinds}\n\n" + table(("disclosure", "in"), rows)
    return text + "\n## Messages\n\n" + table(HEADS, own_messages(root, source, name))


def page_of_all(source, table):
    page = """# Disclosures

For data owners. After this page you know the messages of every job. The page of a kind has its
disclosures and its own messages. The coordinator receives the messages of parties. All parties of a
job or of a sum receive the coordinator's messages, if the table names no receiver.
[Inference](../security/inference.md) has the consequences.

"""
    page += table(("kinds", "page"),
                  [(", ".join(kinds for kinds, _ in tables(source, name)),
                    f"[disclosures-{name}](disclosures-{name}.md)") for name in PAGES])
    for head, rows in messages(source):
        if head.startswith(("Link messages", "Every job", "Joint nodes")):
            page += f"\n## {head}\n\n" + table(HEADS, [(r[1], r[2], r[4]) for r in rows])
    return page + """
Only the receiver can decrypt SEALED ([contents](messages.md#contents-of-sealed)). The coordinator
sees its sender, receiver and size.

## Fingerprints

In `kcagc` and `kmeans.columns`, ids stay at the party. Messages use row numbers, in the order of
the sorted ids. ACCEPT has a SHA-256 of the job id and all sorted ids, and one of the job id and all
edges. Job ids are random, so nobody can compare the fingerprints of two jobs. **Coordinator and
parties can test a guess of the whole set of ids or edges.** If two fingerprints differ, all parties
receive the first 8 bytes of each. If the numbers of nodes differ, all parties receive the numbers.

## Sums of any size

A number in sums of raw columns, squares and joint degrees travels as [five parts](sums.md). Each
part carries into the next. A carry shows how many parties overflowed that part. Overflows below
zero count as negative.
"""


def makers(root, source, table):
    """The function that writes each page, by the page's name."""
    of = {"disclosures.md": lambda: page_of_all(source, table)}
    for name in PAGES:
        of[f"disclosures-{name}.md"] = lambda name=name: page_of(root, source, table, name)
    return of
