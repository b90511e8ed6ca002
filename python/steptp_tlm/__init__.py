"""The tensor language model: training, rounds of measuring and fine-tuning, evaluation.

This package needs PyTorch and the two files that the build leaves behind, the binary `steptp` and the library
`libsteptp_cursor.so`; it does not need the compiled module of the package `steptp`, so that it runs on a machine with
another Python. `python3 -m steptp_tlm --help` lists the commands; docs/tlm.md explains them.
"""
