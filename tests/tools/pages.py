"""Runs the console blocks of a Markdown page in sequence, and compares the output.

    pages.py PAGE [OLD=NEW]...

A block begins with ```console. A line `$ COMMAND` is a command; a command that ends in a backslash
or opens a here-document continues. The next lines are its expected output, standard error included.
In them "..." stands for any text, and a line "..." for any number of lines. A command without
expected output may print anything. A command must exit with 0, or with N if its last expected line
is "[exit N]". A block ```json title="FILE" is written to FILE first. All commands run in one shell,
in the current directory. OLD=NEW replaces text of the page, such as a port.

Prints the number of commands, or the first difference and exits with 1.
"""
import re
import subprocess
import sys
import uuid


def blocks(text):
    """Yields (kind, title, lines) of each fenced block."""
    for match in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```", text, re.M | re.S):
        title = re.search(r'title="([^"]*)"', match[2])
        yield match[1], title and title[1], match[3].splitlines()


def commands(lines):
    """Returns [command, expected lines] for each command of a block."""
    found, word = [], None
    for line in lines:
        if word is not None:  # the line is in a here-document
            found[-1][0] += "\n" + line
            word = None if line == word else word
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
            here = re.search(r"<<'?(\w+)'?", line)
            word = here and here[1]
        elif found:
            found[-1][1].append(line.rstrip())
    return found


def matches(expected, printed):
    """Returns whether the lines agree; blanks at the ends of lines do not count."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line == "..."
        else re.escape(line).replace(r"\.\.\.", r"[^\n]*") + r"\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed))


class Shell:
    """Runs all commands of the page in one bash."""

    def __init__(self):
        self.bash = subprocess.Popen(
            ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True
        )

    def run(self, command):
        """Runs a command; returns the lines of its output and its exit status."""
        mark, lines = uuid.uuid4().hex, []
        self.bash.stdin.write(f"{command}\nprintf '\\n%s %s\\n' {mark} $?\n")
        self.bash.stdin.flush()
        for line in self.bash.stdout:
            if line.startswith(mark):
                return lines[:-1] if lines[-1] == "" else lines, int(line.split()[1])
            lines.append(line.rstrip("\n"))
        raise SystemExit(f"{command}: the shell ended")


def run_page(text):
    """Returns the number of commands; raises SystemExit at the first difference."""
    shell, count = Shell(), 0
    for kind, title, lines in blocks(text):
        if kind == "json" and title:
            with open(title, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        for command, expected in commands(lines) if kind == "console" else []:
            status = 0
            if expected and re.fullmatch(r"\[exit \d+\]", expected[-1]):
                status = int(expected.pop().strip("[]").split()[1])
            printed, ended = shell.run(command)
            if ended != status or expected and not matches(expected, printed):
                shown = "\n".join(["$ " + command, *printed, f"[exit {ended}]"])
                raise SystemExit(f"{shown}\n\nThe page has:\n"
                                 + "\n".join([*expected, f"[exit {status}]"]))
            count += 1
    return count


def main(page, *replacements):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for replacement in replacements:
        text = text.replace(*replacement.split("=", 1))
    count = run_page(text)
    if not count:
        raise SystemExit(f"{page}: it has no commands")
    print(f"{page}: {count} commands")


main(*sys.argv[1:])
