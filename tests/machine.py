"""What this process runs tests on."""

import os

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")
EACH_THREAD_IS_SLOW = "the simulator takes half a millisecond a thread"
