"""Builds the recipes whose tools are installed and looks whether the embed came through."""

import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LINE = "mseal(heap + 8K, 4K, 0)"


def check(name, page):
    text = page.read_text()
    for wanted in ("<sealab-play", 'step="3"', 'title="A sealed page"', "embed/v1.js"):
        if wanted not in text:
            sys.exit(f"{name}: {wanted} is not in {page}")
    if LINE not in html.unescape(text):
        sys.exit(f"{name}: the scenario is not readable in {page}")
    print(f"{name}: built and right")


def main():
    check("plain", HERE / "plain/index.html")
    out = Path(tempfile.mkdtemp(prefix="sealab-recipes-"))
    env = os.environ | {"PYTHONPATH": str(HERE / "mkdocs")}
    tools = {
        "sphinx": ("sphinx-build", ["-q", "-W", HERE / "sphinx", out / "sphinx"], "index.html"),
        "mkdocs": (
            "mkdocs",
            ["build", "-q", "-s", "-f", HERE / "mkdocs/mkdocs.yml", "-d", out / "mkdocs"],
            "index.html",
        ),
        "mdbook": ("mdbook", ["build", HERE / "mdbook", "-d", out / "mdbook"], "page.html"),
    }
    for name, (tool, arguments, page) in tools.items():
        if not shutil.which(tool):
            print(f"{name}: left out, {tool} is not installed")
            continue
        subprocess.run([tool, *map(str, arguments)], check=True, env=env)
        check(name, out / name / page)


main()
