"""The execution of strangers' notebooks: a process kept ready, a fork for each notebook, and a sandbox.

This package knows notebooks and limits; lessons, tasks and points are defined outside.
"""

# The modules that other rooms use.
__all__ = [
    *("bubblewrap", "cgroups", "execute_notebook", "jupyter_kernels", "output_limits", "process_limits"),
    *("resource_limits", "run_slots", "sandbox_client"),
]
