"""Pictures and explorers of attention, for the lessons and for learners' own tensors.

On tensors of your own, with the tokens as a list of strings:

    attention_map(weights, tokens)                 a map, or one for each sequence and head
    explore_map(weights, tokens)                   the same, to choose sequence, head and query by keyboard
    attention_map(weights, source, target)         cross-attention: tokens of the keys, then of the queries
    explore_heads(weights, tokens)                 the heads of one sentence, side by side or superposed
    explore_journey(queries, keys, values, tokens)  one query's scores, weights and context, stop by stop
    explore_causal_mask(scores, tokens)            with the mask and without it, token by token
    leak_map(leaks, tokens)
    attention_map(weights, tokens).save("map.pdf")     for print, as .pdf, .svg or .png
    trained_words().embed(sentence)                a small trained model: vectors, weights, what words mean
    trained_dates()                                a small trained encoder and decoder, which writes dates
    measured(function, *inputs)                    seconds and bytes of a call; cost_curves draws them
    look_inside(model, ids, num_heads)             maps, stream and logits of a model as in lesson 08
    with track_shapes() as shapes: ...             every tensor operation of your code, and its shapes

weights are (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys). A picture has `alt`, the
words that say the same, and `figure`, for matplotlib. `help(name)` tells each function's shapes and errors.
"""

from visuals.dates import trained_dates
from visuals.explorers.inside import look_inside
from visuals.explorers.journey import explore_journey
from visuals.explorers.maps import explore_map
from visuals.explorers.model import explore_model
from visuals.explorers.reading import explore_reading
from visuals.explorers.tiles import explore_tiles
from visuals.explorers.training import explore_training
from visuals.figures.context import weights_and_context
from visuals.figures.maps import attention_map
from visuals.figures.stream import residual_stream
from visuals.figures.training import training_curves
from visuals.figures.vectors import token_vectors
from visuals.lessons.attention_today.explore_reach import explore_reach
from visuals.lessons.attention_today.lengths import length_curves
from visuals.lessons.causal.explore_causal_mask import explore_causal_mask
from visuals.lessons.causal.masking import cut_and_stretch, masking_steps
from visuals.lessons.causal.masks import causal_pattern, leak_map, two_masks
from visuals.lessons.dot_product.explore_meaning import explore_meaning
from visuals.lessons.dot_product.explore_query import explore_query
from visuals.lessons.dot_product.meaning import word_arrows
from visuals.lessons.dot_product.normalising import sum_versus_softmax
from visuals.lessons.dot_product.overflowing import overflow
from visuals.lessons.dot_product.scores import query_scores
from visuals.lessons.dropout.batches import batch_stack
from visuals.lessons.dropout.dropping import dropout_averages, dropout_steps
from visuals.lessons.dropout.explore_dropout import explore_dropout
from visuals.lessons.encoder_decoder.combining import combined_masks, visible_keys
from visuals.lessons.encoder_decoder.encoder_decoder import encoder_decoder
from visuals.lessons.encoder_decoder.explore_three_attentions import explore_three_attentions
from visuals.lessons.encoder_decoder.memory import memory_layout
from visuals.lessons.fast_attention.costs import cost_curves
from visuals.lessons.fast_attention.measure import measured
from visuals.lessons.fast_attention.qkv import qkv_rows
from visuals.lessons.multi_head.explore_bugs import explore_bugs
from visuals.lessons.multi_head.explore_heads import explore_heads
from visuals.lessons.multi_head.explore_slices import explore_slices
from visuals.lessons.multi_head.heads import head_trade_off, split_projection
from visuals.lessons.positions.explore_positions import explore_positions
from visuals.lessons.positions.pairs import rope_pairs
from visuals.lessons.positions.turning import clock_hands, turned_pair, two_orders
from visuals.lessons.real_models.explore_sampling import explore_sampling
from visuals.lessons.real_models.sampling import sampling_bars
from visuals.lessons.serve_it.block_table import block_table
from visuals.lessons.serve_it.explore_schedule import explore_schedule
from visuals.lessons.trainable.explore_scale import explore_scale
from visuals.lessons.trainable.projecting import query_key_value
from visuals.lessons.trainable.scaling import saturation, score_spreads
from visuals.shapes import track_shapes
from visuals.trained import trained_words

__all__ = [
    "attention_map",
    "batch_stack",
    "block_table",
    "causal_pattern",
    "clock_hands",
    "combined_masks",
    "cost_curves",
    "cut_and_stretch",
    "dropout_averages",
    "dropout_steps",
    "encoder_decoder",
    "explore_bugs",
    "explore_causal_mask",
    "explore_dropout",
    "explore_heads",
    "explore_journey",
    "explore_map",
    "explore_meaning",
    "explore_model",
    "explore_positions",
    "explore_query",
    "explore_reach",
    "explore_reading",
    "explore_sampling",
    "explore_scale",
    "explore_schedule",
    "explore_slices",
    "explore_three_attentions",
    "explore_tiles",
    "explore_training",
    "head_trade_off",
    "leak_map",
    "length_curves",
    "look_inside",
    "masking_steps",
    "measured",
    "memory_layout",
    "overflow",
    "qkv_rows",
    "query_key_value",
    "query_scores",
    "residual_stream",
    "rope_pairs",
    "sampling_bars",
    "saturation",
    "score_spreads",
    "split_projection",
    "sum_versus_softmax",
    "token_vectors",
    "track_shapes",
    "trained_dates",
    "trained_words",
    "training_curves",
    "turned_pair",
    "two_masks",
    "two_orders",
    "visible_keys",
    "weights_and_context",
    "word_arrows",
]
