"""PyTorch out: modules and graphs of PyTorch that run in verified kernels of ours (docs/torch.md).

`optimize.py` is the door for modules, `backend.py` the one of ``torch.compile``; both lead to `graphs.py`. Nothing here
is imported before it is used, and only these files import PyTorch.
"""
