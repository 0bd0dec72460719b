"""Grades a submission with the kit beside this file and writes result.json.

Classroom 50's runner calls it in the student's checkout. It needs Go:
"runtime": {"go": "1.26"} in the assignment."""

import os
import subprocess
import sys
from pathlib import Path

checkout = Path.cwd()
kit = Path(__file__).resolve().parent / "kit"
result = checkout / "result.json"
result.unlink(missing_ok=True)  # a submission may have brought one along

done = subprocess.run(
    ["go", "run", "./cmd/grade", "all", "--dir", str(checkout), "--format", "classroom50", "--out", str(result)],
    cwd=kit, env={**os.environ, "GOFLAGS": "", "GOWORK": "off"}, check=False)

# 0 is full marks, 1 something did not pass. Anything else is the grader's own
# failure, which the runner records as an error and not as a zero.
sys.exit(0 if done.returncode in (0, 1) and result.is_file() else 1)
