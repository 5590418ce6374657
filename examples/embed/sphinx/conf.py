import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
project = "sealab in Sphinx"
extensions = ["sealab_sphinx"]
sealab_base = "https://sealab.example/"
