"""Write the snapshot anew: ``make nets``."""

import json

from nets import public
from nets.snapshots import FOLDER

if __name__ == "__main__":
    text = json.dumps(public.public(), indent=1, sort_keys=True)
    (FOLDER / "public.json").write_text(f"{text}\n")
