"""Where the run keeps its things."""

import os
from pathlib import Path

INTEROP = Path(__file__).resolve().parent.parent
STATE = Path(os.environ.get("OSTIARY_INTEROP_STATE") or INTEROP / ".state").resolve()
LOGS = STATE / "logs"
