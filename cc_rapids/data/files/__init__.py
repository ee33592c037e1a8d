"""Readers of graph files as two columns of ids, and writers of edges and labels.

========  ==========================  =============================================  ==============
format    suffixes                    what it is                                     vertices
========  ==========================  =============================================  ==============
csv       .csv                        fields separated by commas                     those named
tsv       .tsv .tab                   fields separated by tabs                       those named
snap      .txt .snap .edges .el       fields separated by blanks; # or % comments    those named
he        .he                         ``H n m 1``, then ``E source dest weight``     0 .. n - 1
gr        .gr                         DIMACS shortest paths: ``p sp n m``, ``a``     1 .. n
metis     .graph .metis               METIS: line i has the neighbours of vertex i   1 .. n
mtx       .mtx                        Matrix Market, coordinate; a square matrix     1 .. n
egr       .egr                        ECL's binary adjacency lists, int32            0 .. n - 1
npz       .npz                        NumPy arrays src, dst and num_vertices, or     0 .. n - 1,
                                      what ``scipy.sparse.save_npz`` writes          or those named
arrow     .arrow .feather             Arrow IPC (Feather 2); two columns are read    those named
parquet   .parquet .pq                Apache Parquet; two columns are read           those named
========  ==========================  =============================================  ==============

Any of them may be packed by gzip or zstd: ``.csv.gz``, ``.gr.zst``. Ids are used as they stand in
the file, so those of gr, metis and mtx count from one. Weights are read on request.
"""
