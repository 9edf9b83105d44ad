"""Run an answer without a trace: prints and warnings are swallowed, global settings are put back."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator

import torch

# Every call starts from the same generator state, so that evidence does not depend on what ran before.
PROBE_SEED = 20240


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Leave the process as it was: generator, threads, default dtype and device, gradients, output."""
    # The CPU's generator only: `torch.manual_seed` would also reseed a learner's GPU, and takes longer.
    generator = torch.default_generator
    random_state = generator.get_state()
    generator.manual_seed(PROBE_SEED)
    # Probes are small. With several threads each operation waits for the slowest, and on a busy machine that
    # takes a hundred times as long as the operation.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    dtype, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
    deterministic = torch.get_deterministic_debug_mode()
    device = torch.get_default_device()
    sink = io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(sink),
            contextlib.redirect_stderr(sink),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        # An answer may set what holds for the whole process; the next one must not feel it.
        if torch.get_default_device() != device:
            torch.set_default_device(None if device.type == "cpu" else device)
        # `use_deterministic_algorithms` does the same, and imports torch's compiler: that takes a second.
        torch.set_deterministic_debug_mode(deterministic)
        torch.set_grad_enabled(gradients)
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
        generator.set_state(random_state)
