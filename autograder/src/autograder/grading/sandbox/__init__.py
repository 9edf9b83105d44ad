"""Running strangers' notebooks: a warm process, a fork for each, a sandbox around them all.

It knows notebooks and limits; what a lesson, a task or a point is stands outside.
"""

# The modules that other rooms use.
__all__ = [
    *("bubblewrap", "cgroups", "execute_notebook", "jupyter_kernels", "output_limits", "resource_limits"),
    *("sandbox_client",),
]
