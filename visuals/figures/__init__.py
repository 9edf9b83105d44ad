"""The figures of the lessons, one idea per module; each function returns a `Picture`."""

from visuals.figures.batches import batch_stack
from visuals.figures.combining import combined_masks, visible_keys
from visuals.figures.context import scores_to_context, weights_and_context
from visuals.figures.costs import cost_curves
from visuals.figures.dropping import dropout_averages, dropout_steps
from visuals.figures.encoder_decoder import encoder_decoder
from visuals.figures.heads import head_trade_off, split_projection
from visuals.figures.maps import attention_map
from visuals.figures.masking import cut_and_stretch, masking_steps
from visuals.figures.masks import causal_pattern, leak_map, two_masks
from visuals.figures.meaning import word_arrows
from visuals.figures.memory import memory_layout
from visuals.figures.normalising import sum_versus_softmax
from visuals.figures.overflowing import overflow
from visuals.figures.positions import clock_hands, rope_pairs, turned_pair, two_orders
from visuals.figures.projecting import query_key_value
from visuals.figures.qkv import qkv_rows
from visuals.figures.scaling import saturation, score_spreads
from visuals.figures.stream import residual_stream
from visuals.figures.training import training_curves
from visuals.figures.vectors import query_scores, token_vectors

__all__ = [
    "attention_map",
    "batch_stack",
    "causal_pattern",
    "clock_hands",
    "combined_masks",
    "cost_curves",
    "cut_and_stretch",
    "dropout_averages",
    "dropout_steps",
    "encoder_decoder",
    "head_trade_off",
    "leak_map",
    "masking_steps",
    "memory_layout",
    "overflow",
    "qkv_rows",
    "query_key_value",
    "query_scores",
    "residual_stream",
    "rope_pairs",
    "saturation",
    "score_spreads",
    "scores_to_context",
    "split_projection",
    "sum_versus_softmax",
    "token_vectors",
    "training_curves",
    "turned_pair",
    "two_masks",
    "two_orders",
    "visible_keys",
    "weights_and_context",
    "word_arrows",
]
