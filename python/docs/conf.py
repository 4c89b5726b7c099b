"""Sphinx configuration for `make docs`: the reference of the Python package, in
build/docs/python-api."""
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python"))

project = "Coterie for Python"
copyright = "the authors of Coterie, Apache License 2.0"
release = (root / "VERSION").read_text().strip()
extensions = ["sphinx.ext.autodoc", "sphinx.ext.viewcode"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1200px"}
html_sidebars = {"**": ["globaltoc.html", "searchbox.html"]}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
