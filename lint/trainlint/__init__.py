"""trainlint: reads a training config and says whether the run fits before the GPU is paid for."""

__version__ = "0.1.0"
