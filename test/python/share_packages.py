"""Lets another environment find the packages of this one. Argument: the folder `lib` of the other."""

import sys
import sysconfig
from pathlib import Path

for site_packages in Path(sys.argv[1]).glob("python*/site-packages"):
    (site_packages / "shared.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
