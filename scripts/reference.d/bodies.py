"""Extracts the fields of message bodies from the structs of msg.h and the functions of msg.c.

A check of a walk that is not a plain bound has its sentence in a comment above it.
"""
import re

WALK = re.compile(r"^static void walk_(\w+)\(struct codec \*c, [^)]*?(?:struct (\w+) \*m)?"
                  r"(?:, [^)]*|uint16_t \*code)?\)\n\{(.*?)^\}", re.M | re.S)
STEP = re.compile(
    r"for \(uint32_t i = 0; !c->bad && i < m->(?P<loop>\w+)"
    r"|codec_(?P<kind>u\d+|bytes|fixed)\(c, &?(?P<field>[^,;]+?)(?:, (?P<limits>[^;]*))?\);"
    r"|(?:/\* (?P<why>[^*]*) \*/\s*(?:for \(size_t[^\n]*\s*)?)?codec_check\(\s*c, (?P<check>.*?)\);"
    r"|walk_(?P<walk>\w+)\(c(?:, [^;]*?)?(?:sizeof\((?P<real>\w+)\))?\);", re.S)
WORDS = {">=": "at least", "<=": "at most", "<": "below", "%": "a multiple of"}


def number(text, known):
    return eval(text.replace("(uint64_t)", ""), {}, known)  # the source has only constants


def constants(known, text):
    """Adds the values of a header's enumerators and defines, in their order."""
    for name, value in re.findall(r"(?:#define |[ \t])([A-Z]\w+) +(?:= )?([^,/\n}]+)", text):
        try:
            known[name] = number(value.strip(), known)
        except (NameError, SyntaxError):
            continue  # no number


def shown(value):
    bits = value.bit_length() - 1
    return f"2^{bits}" if value >= 1 << 16 and value == 1 << bits else str(value)


def members(header):
    """Returns the comment of each member, by (struct, member). A comment on a separate line
    applies to all members up to '}'."""
    found, struct = {}, ""
    for line in header.splitlines():
        begin = re.match(r"\t?struct (\w+) \{", line)
        struct = begin[1] if begin else struct
        said = re.search(r"/\* (.*?) \*/", line)
        for name in re.findall(r"(\w+)(?:\[\w+\])?[,;]", line.split("/*")[0]):
            found[struct, name] = said[1] if said else ""
    return found


class Bodies:
    def __init__(self, code, known, said):
        self.walks = {m[1]: (m[2], m[3]) for m in WALK.finditer(code)}
        self.known, self.said = known, said

    def bounds(self, condition):
        """Returns (field, words) for each part of a check; None if the check has other parts
        than bounds."""
        for part in condition.split("&&"):
            m = re.match(r"(?:[\w>-]+->|\*)(\w+)(?:\.n)? (>=|<=|<|%) (.*?)( == 0)?$", part.strip())
            if not m:
                raise SystemExit(f"reference: proto/msg.c: no comment above the check {condition}")
            limit = re.sub(r"m->(\w+)", r"`\1`", m[3])
            limit = re.sub(r"[A-Z]\w+", lambda c: str(self.known[c[0]]), limit)
            yield m[1], WORDS[m[2]] + " " + (shown(int(limit)) if limit.isdigit() else limit)

    def rows(self, name, struct=None, size=None, outer=""):
        """Returns [field, type, bounds, comment] in the order of bytes."""
        own, text = self.walks[name]
        struct = struct or own
        rows = []
        text = text.replace("% size", f"% {size}").replace("[i].", "->")
        for m in STEP.finditer(text):
            depth = text[text.rfind("\n", 0, m.start()) + 1 : m.start()].count("\t")
            times = times if depth > 1 else outer
            if m["loop"]:
                times = f"`{m['loop']}` times: "
            elif m["kind"]:
                inner, _, field = re.sub(r"\[\w+\]", "", m["field"]).rpartition("->")
                field = field.rpartition(".")[2]
                inner = f"msg_{inner}" if inner not in ("m", "") else struct
                limits = [number(x, self.known) for x in (m["limits"] or "").split(",") if x]
                kind = {"bytes": "bytes(%s..%s)", "fixed": "%s bytes"}.get(m["kind"], m["kind"])
                rows.append([field, times + kind % tuple(map(shown, limits)) if limits else
                             times + kind, [], self.said.get((inner, field), "")])
            elif m["why"]:
                rows[-1][2].append(m["why"])
            elif m["check"]:
                for field, words in self.bounds(" ".join(m["check"].split())):
                    next(r for r in reversed(rows) if r[0] == field)[2].append(words)
            elif m["walk"] in ("code", "numbers"):
                rows += self.rows(m["walk"], struct, {"double": 8, "float": 4}.get(m["real"]))
            else:
                kind = m["walk"] if m["walk"] == "options" else f"body `{m['walk']}`"
                rows.append(["", times + kind, [], ""])
        return rows


def enumerators(text, name):
    """Returns (value, comment) of each enumerator."""
    inside = text.partition(f"enum {name} {{")[2].split("}")[0]
    return re.findall(r" = (\d+), +/\* (.*?) \*/", inside)


def described(text, name):
    """Returns (name, comment) of each enumerator. The comment is behind the enumerator or above
    it."""
    above = ""
    inside = re.search(rf"enum {name} \{{(.*?)\n\t*\}}", text, re.S)[1]
    for m in re.finditer(r"/\*(?P<above>.*?)\*/"
                         r"|\b(?P<name>[A-Z]\w+)(?: = \d+)?,(?: +/\*(?P<behind>.*?)\*/)?",
                         inside, re.S):
        said = " ".join(re.sub(r"\n\s*\*? ", " ", m["above"] or m["behind"] or above).split())
        if m["name"] and not said:
            raise SystemExit(f"reference: enum {name}: no comment at {m['name']}")
        if m["name"]:
            yield m["name"], said
        above = "" if m["name"] else said


def table_of(source, names):
    """Returns rows (body, field, type, bounds and contents) for the bodies of these names, in
    this order."""
    known = {"COTERIE_PARTIES_MAX": 256}
    for name, value in re.findall(r'X\((\w+), (\d+), "', source("common/base/err.h")):
        known[f"ERR_{name}"] = int(value)
    header = source("proto/msg.h")
    for text in (source("common/base/limit.h"), header):
        constants(known, text)
    bodies = Bodies(source("proto/msg.c"), known, members(header))
    for name in names:
        first = f"`{name}`"
        for field, kind, bounds, said in bodies.rows(name):
            bounds = re.sub(r"at least (\S+), at most ", r"\1 to ", ", ".join(bounds))
            yield first, f"`{field}`" * bool(field), kind, "; ".join(x for x in (bounds, said) if x)
            first = ""
