"""Pictures and explorers of attention, for the lessons and for learners' own tensors.

On tensors of your own, with the tokens as a list of strings:

    attention_map(weights, tokens)                 a map, or one for each sequence and head
    explore_map(weights, tokens)                   the same, to choose sequence, head and query by keyboard
    attention_map(weights, source, target)         cross-attention: tokens of the keys, then of the queries
    explore_heads(weights, tokens)                 the heads of one sentence, side by side or superposed
    explore_causal_mask(scores, tokens)            with the mask and without it, token by token
    leak_map(leaks, tokens)
    attention_map(weights, tokens).save("map.pdf")     for print, as .pdf, .svg or .png
    trained_words().embed(sentence)                a small trained model: vectors, weights, what words mean
    measured(function, *inputs)                    seconds and bytes of a call; cost_curves draws them
    look_inside(model, ids, num_heads)             maps, stream and logits of a model as in lesson 09
    with track_shapes() as shapes: ...             every tensor operation of your code, and its shapes

weights are (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys). A picture has `alt`, the
words that say the same, and `figure`, for matplotlib. `help(name)` tells each function's shapes and errors.
"""

from visuals.explorers import (
    explore_bugs,
    explore_causal_mask,
    explore_dropout,
    explore_heads,
    explore_map,
    explore_meaning,
    explore_model,
    explore_positions,
    explore_query,
    explore_reading,
    explore_scale,
    explore_slices,
    explore_three_attentions,
    explore_tiles,
    explore_training,
)
from visuals.figures import (
    attention_map,
    batch_stack,
    causal_pattern,
    clock_hands,
    combined_masks,
    cost_curves,
    cut_and_stretch,
    dropout_averages,
    dropout_steps,
    encoder_decoder,
    head_trade_off,
    leak_map,
    masking_steps,
    memory_layout,
    overflow,
    qkv_rows,
    query_key_value,
    query_scores,
    residual_stream,
    rope_pairs,
    saturation,
    score_spreads,
    scores_to_context,
    split_projection,
    sum_versus_softmax,
    token_vectors,
    training_curves,
    turned_pair,
    two_masks,
    two_orders,
    visible_keys,
    weights_and_context,
    word_arrows,
)
from visuals.inside import look_inside
from visuals.measure import measured
from visuals.shapes import track_shapes
from visuals.trained import trained_words

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
    "head_trade_off",
    "leak_map",
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
    "saturation",
    "score_spreads",
    "scores_to_context",
    "split_projection",
    "sum_versus_softmax",
    "token_vectors",
    "track_shapes",
    "trained_words",
    "training_curves",
    "turned_pair",
    "two_masks",
    "two_orders",
    "visible_keys",
    "weights_and_context",
    "word_arrows",
]
