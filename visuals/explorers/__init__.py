"""The explorers of the lessons, one per module: turn a knob and see what attention does with it."""

from visuals.explorers.break_it import explore_bugs
from visuals.explorers.causal import explore_causal_mask
from visuals.explorers.dropout import explore_dropout
from visuals.explorers.heads import explore_heads
from visuals.explorers.maps import explore_map
from visuals.explorers.meaning import explore_meaning
from visuals.explorers.model import explore_model
from visuals.explorers.positions import explore_positions
from visuals.explorers.query import explore_query
from visuals.explorers.reading import explore_reading
from visuals.explorers.scale import explore_scale
from visuals.explorers.slices import explore_slices
from visuals.explorers.three_attentions import explore_three_attentions
from visuals.explorers.tiles import explore_tiles
from visuals.explorers.training import explore_training

__all__ = [
    "explore_bugs",
    "explore_causal_mask",
    "explore_dropout",
    "explore_heads",
    "explore_map",
    "explore_meaning",
    "explore_model",
    "explore_positions",
    "explore_query",
    "explore_reading",
    "explore_scale",
    "explore_slices",
    "explore_three_attentions",
    "explore_tiles",
    "explore_training",
]
