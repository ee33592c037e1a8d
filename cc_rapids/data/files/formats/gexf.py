"""Read GEXF files of Gephi by NetworkX; the ids of nodes are strings."""

from .graphml import xml_format

FORMATS = (xml_format("gexf", "GEXF", lambda nx, stream: nx.read_gexf(stream)),)
