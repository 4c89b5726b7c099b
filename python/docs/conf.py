"""Of `make docs`: pages of the Python package, into build/docs."""
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python"))

project = "Coterie for Python"
copyright = "the authors of Coterie, Apache License 2.0"
release = (root / "VERSION").read_text().strip()
extensions = ["sphinx.ext.autodoc", "sphinx.ext.viewcode", "myst_parser"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1200px"}
html_sidebars = {"**": ["globaltoc.html", "searchbox.html"]}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
myst_heading_anchors = 3
# Links to the documents beside docs/python.md lead out of these pages.
suppress_warnings = ["ref.myst", "myst.xref_missing"]
