"""Write the snapshots anew: ``make nets``."""

import json

from nets import jobs, public
from nets.snapshots import FOLDER

if __name__ == "__main__":
    for name, taken in (("public", public.public()), ("launches", jobs.traces())):
        (FOLDER / f"{name}.json").write_text(json.dumps(taken, indent=1, sort_keys=True) + "\n")
