"""Watch the shapes of a forward pass: what each line of a learner's own code makes of its tensors."""

from visuals.shapes.tracker import track_shapes

__all__ = ["track_shapes"]
