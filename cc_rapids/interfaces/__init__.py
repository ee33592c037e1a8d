"""The answer under the names and contracts of others: cuGraph, pylibcugraph, IPython."""
