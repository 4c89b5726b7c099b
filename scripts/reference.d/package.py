"""Writes docs/reference/python.md for scripts/reference, from docstrings, without importing the
package."""
import ast
import re
import textwrap
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "python" / "coterie"


def names():
    """Yields (name, syntax tree, definitions of the same file) for each name that the package
    exports."""
    exports = ast.parse((FOLDER / "__init__.py").read_text())
    modules = next(ast.literal_eval(node.value) for node in exports.body
                   if isinstance(node, ast.Assign) and node.targets[0].id == "_MODULES")
    for module, exported in modules.items():
        found = {node.name: node for node in ast.parse((FOLDER / f"{module}.py").read_text()).body
                 if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        for name in exported:
            yield name, found[name], found


def text_of(node):
    return ast.get_docstring(node).replace("``", "`")


def call(name, function):
    """Returns a call with the arguments of a function, without types."""
    own = function.args
    words = [a.arg for a in own.args if a.arg != "self"]
    for at, value in enumerate(reversed(own.defaults), 1):
        words[-at] += "=" + ast.unparse(value)
    words += ["*"] * bool(own.kwonlyargs)
    words += [a.arg + ("" if v is None else "=" + ast.unparse(v))
              for a, v in zip(own.kwonlyargs, own.kw_defaults)]
    return f"{name}({', '.join(words)})"


def block(text):
    return textwrap.fill(text, 100, initial_indent="    ", subsequent_indent="        ") + "\n\n"


def members(node):
    """Returns public methods and properties that have a docstring."""
    return [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name[0] != "_"
            and ast.get_docstring(m)]


def member_text(tree):
    plain = any(isinstance(d, ast.Name) and d.id == "property" for d in tree.decorator_list)
    head = tree.name if plain else call(tree.name, tree)
    return f"\n`{head}`\n\n" + textwrap.indent(text_of(tree), "> ", lambda _: True) + "\n"


def of_class(name, node, found):
    first = next((m for m in node.body if getattr(m, "name", "") == "__init__"), None)
    text = block(call(name, first)) if first else ""
    text += text_of(node) + "\n" + "".join(member_text(m) for m in members(node))
    if any(getattr(base, "id", "") == "_Clusters" for base in node.bases):
        text += member_text(members(found["_Clusters"])[0])
    return text


def page():
    text = """# Python package

For programmers. This page has every name that the package `coterie` exports, from its docstrings.
[From Python](../python.md) is the guide.
"""
    common = False
    for name, node, found in names():
        if "_Job" in found and not common:
            text += f"\n## All estimators\n\n{of_class('', found['_Job'], found)}"
            common = True
        text += f"\n## {name}\n\n"
        if isinstance(node, ast.ClassDef):
            text += of_class(name, node, found)
        else:
            text += block(call(name, node)) + text_of(node) + "\n"
    return re.sub(r"(?m)^> $", ">", text)
