"""Follow the components of a network while links are added, batch by batch.

Stations report new links. The same batches contain queries: can two sites reach each other?
Nothing is computed twice, because each batch is linked into the existing trees. A snapshot is a
complete answer, and a saved file contains everything needed to continue elsewhere.
"""

import tempfile
from pathlib import Path

import cc_rapids

frames = cc_rapids.frame_library()  # cuDF where there is a GPU, pandas elsewhere

MORNING = {"a": ["oslo", "bonn", "lima"], "b": ["bonn", "kyiv", "cusco"]}
NOON = {
    "a": ["kyiv", "oslo", "lima", "oslo"],
    "b": ["rome", "kyiv", "cusco", "lima"],
    "ask": [False, True, True, True],
}
EVENING = {"a": ["rome"], "b": ["lima"]}

network = cc_rapids.Connectivity(vertices=["perth"])  # a site without a link
network.insert(frames.DataFrame(MORNING), "a", "b")
morning = network.components()
answers = network.process(frames.DataFrame(NOON), "a", "b", query="ask")

with tempfile.TemporaryDirectory() as folder:
    network.save(Path(folder) / "network.state")
    elsewhere = cc_rapids.Connectivity.load(Path(folder) / "network.state")
elsewhere.insert(frames.DataFrame(EVENING), "a", "b")

print("in the morning:", morning)
print("asked at noon: ", answers.to_numpy().tolist())
print("at noon:       ", network)
print("in the evening:", elsewhere)

assert answers.to_numpy().tolist() == [True, True, False]
assert (len(morning), len(network), len(elsewhere)) == (3, 3, 2)
assert elsewhere.components().sizes()["size"].to_numpy().tolist() == [6, 1]
