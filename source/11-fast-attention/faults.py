"""The mistakes that only lesson 11 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "rows-head-by-head",
        "the three projections are stored head by head",
        "The rows are stored head by head: query, key and value of head 0, then of head 1. Here all queries come "
        "first, then all keys, then all values.",
        section="11-fast-attention#rows-read",
    ),
    Fault(
        "old-sum-not-rescaled",
        "the sum under the old maximum is not rescaled",
        "The maximum has grown, and the sum so far still holds exponentials of the old one. Multiply it by "
        "`exp(old maximum - new maximum)` before you add, with the maximum as it was before this step.",
        section="11-fast-attention#online-intro",
    ),
    Fault(
        "output-not-rescaled",
        "the output under the old maximum is not rescaled",
        "The sum is rescaled and the output is not, so keys that came before a new maximum count too much. "
        "Multiply both by the same factor.",
        section="11-fast-attention#bug-not-rescaled-task",
    ),
    Fault(
        "rescaled-upside-down",
        "old sums are multiplied by the inverse of their factor",
        "The factor is upside down. It should be `exp(old maximum - new maximum)`, never more than 1.",
        section="11-fast-attention#online-intro",
    ),
    Fault(
        "rescaled-twice",
        "the newest share is rescaled as well",
        "The newest weight is rescaled, too. It is taken with the new maximum already: rescale only what was added up before.",
        section="11-fast-attention#online-intro",
    ),
    Fault(
        "last-state-only",
        "only the state after the last score comes back",
        "Only the last state comes back. Keep one row for each score, and stack them.",
    ),
    Fault(
        "maximum-not-kept",
        "the maximum starts again with each score or block",
        "This is the maximum of the newest scores alone. Take the larger of that and the largest so far.",
        section="11-fast-attention#online-intro",
    ),
    Fault(
        "columns-swapped",
        "the two columns have changed places",
        "The columns have changed places.",
    ),
    Fault(
        "whole-maximum-first",
        "the maximum of all scores is looked up first",
        "Here the maximum of all scores is known from the start. Each row may only use the scores that were "
        "read so far.",
        section="11-fast-attention#online-intro",
    ),
    Fault(
        "hidden-block-makes-nan",
        "-inf minus -inf makes nan",
        "A block is hidden from a query, so its maximum is −∞, and −∞ − (−∞) is nan. Subtract 0 where the "
        "maximum is −∞.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "blocks-averaged",
        "each block has a softmax of its own",
        "Each block is normalised by itself, so a block of low scores counts as much as one of high scores. "
        "Keep sums, and divide once at the end.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "zero-kept-as-largest",
        "the 0 in place of −∞ is kept as the largest score",
        "Where a block is hidden, 0 is subtracted, and that 0 is also kept as the largest score so far. Keep −∞.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "whole-matrix-made",
        "a whole row or the whole matrix is held",
        "The whole matrix, or whole rows of it, was in memory. Work with one block at a time.",
        section="11-fast-attention#tiles-intro",
    ),
    Fault(
        "future-tiles-made",
        "tiles that lie in the future are computed",
        "Tiles that lie wholly in the future were multiplied, to be thrown away. "
        "End the inner loop at the diagonal.",
        section="11-fast-attention#tiles-intro",
    ),
    Fault(
        "diagonal-tile-skipped",
        "the tile on the diagonal is skipped",
        "The tile on the diagonal is skipped, so the first queries see no key at all. End the inner loop at "
        "`start + 1`.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "last-tile-forgotten",
        "the tile at the end that is not full is left out",
        "Tokens at the end are left out: the length is no multiple of the tile. A slice past the end is "
        "shorter by itself, so let the loop run to `num_tokens`.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "mask-local-to-tile",
        "the mask compares places within the tile",
        "The mask compares places within the tile. Compare places in the text: add where the tile's rows and "
        "columns begin.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "row-sums-left-out",
        "dS lacks the row sums",
        "The row sums are missing in dS: `weights * (weights_gradient - row_sums)`. Without them, the changes of a row's "
        "weights do not add up to 0.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "row-sums-added",
        "the row sums are added in dS",
        "The row sums D are added in dS. They should be subtracted.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "wrong-row-sums",
        "the row sums are not those of dO times O",
        "D is a mean here. It should be the sum of `out_gradient * context` over head_dim.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "weights-left-out",
        "dS is not multiplied by the weights",
        "The weights are missing in dS. It should be `weights * (weights_gradient - row_sums)`, entry by entry.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "gradient-not-scaled",
        "the scale is missing on the way back",
        "The scale is missing on the way back, for q, for k or for both: scores are divided by √head_dim, and so is each of these gradients.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "gradients-in-another-order",
        "the gradients come back in another order",
        "The gradients come back in another order than the arguments: q, k, v.",
    ),
    Fault(
        "gradients-too-few",
        "`backward` returns too few gradients",
        "Gradients are missing. `backward` has to return one for each argument of `forward`: None for `tile` and `causal`.",
        section="11-fast-attention#tiled-function-task",
    ),
    Fault(
        "arriving-gradient-ignored",
        "the gradient that arrives is not used",
        "The gradient that arrives is not used. It says how much each number of the result counts.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "share-overwrites",
        "a tile's share replaces those before it",
        "A tile's share replaces those of the tiles before it. Several tiles add to the same rows and "
        "columns: `+=`.",
        section="11-fast-attention#tiled-function-task",
    ),
    Fault(
        "keys-zeroed",
        "hidden keys are set to 0",
        "Hidden keys have the score 0, and e⁰ = 1 still gets weight. Hide them with the mask.",
        section="11-fast-attention#sdpa-traps-read",
    ),
    Fault(
        "newest-keys-only",
        "only the newest keys are used",
        "Only the newest keys are used. The last tokens may look at all tokens before them.",
        section="11-fast-attention#sdpa-traps-read",
    ),
    Fault(
        "cache-not-advanced",
        "the number of stored tokens stays the same",
        "`num_tokens` stays as it was, so the next call overwrites what was stored.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "cache-returns-new-only",
        "only the new keys and values come back",
        "Only the new keys and values come back. Return those of all tokens so far.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "cache-not-cut",
        "places that are not filled yet come back as well",
        "The whole memory comes back, with places that are still empty. Cut it at the number of tokens.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "not-refused",
        "what does not fit is not refused",
        "More tokens than fit are not refused with a ValueError. Compare the new end with the size before you"
        " store.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "one-place-too-few",
        "the last place of the cache is never used",
        "The cache refuses tokens that fit: the last place may be used.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "stored-before-refused",
        "a refused call leaves the cache changed",
        "A refused call leaves the cache changed.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "one-token-at-a-time",
        "only one token of a call is stored",
        "Only one token of each call is stored. A prompt brings many at once.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "groups-in-turn",
        "the groups are repeated in turn",
        "The groups come in turn: 0, 1, 0, 1. Neighbouring heads share a group, 0, 0, 1, 1: "
        "`repeat_interleave`.",
        section="11-fast-attention#repeat-intro",
    ),
    Fault(
        "repeated-along-tokens",
        "the tokens are repeated where the groups should be",
        "The tokens are repeated: `dim=2` counts them. The groups are axis 1.",
        section="11-fast-attention#repeat-intro",
    ),
    Fault(
        "one-group-for-all",
        "every head meets the first group",
        "Every head meets the first group's keys and values. Each group serves its own heads.",
        section="11-fast-attention#repeat-intro",
    ),
    Fault(
        "indivisible-groups-accepted",
        "groups that the heads cannot share out are accepted",
        "A `num_kv_groups` that does not divide `num_heads` is accepted. Refuse it with a ValueError.",
        section="11-fast-attention#grouped-query-attention-task",
    ),
    Fault(
        "first-maximum-only",
        "the maximum of the first scores serves all",
        "The maximum of the first scores serves all later ones. Later scores can be far larger: take the larger "
        "maximum each time, and rescale what was added up.",
        section="11-fast-attention#online-intro",
    ),
    Fault(
        "list-refused",
        "blocks in a list are not taken",
        "Blocks in a list are not taken, but they can come so. Take them one after the other, with `zip` say,"
        " and use nothing that only one large tensor has.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "tile-ignored",
        "`tile` has no effect",
        "`tile` has no effect: there are as many tiles, whatever it says. Let both loops go in steps of `tile`.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "no-token-refused",
        "a length of 0 fails",
        "A text of no tokens fails: it has no tiles, and there is nothing to join. Make the result first, and"
        " fill it in tile by tile.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "tokens-not-counted",
        "`num_tokens` stays as it was",
        "`num_tokens` does not say how many tokens are stored. Others read it: count there.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "memory-grown-by-copying",
        "the cache's memory is made anew in each call",
        "`self.keys` is made anew in each call, which copies all that was there. Write the new tokens into the memory that "
        "`__init__` has reserved.",
        section="11-fast-attention#cache-intro",
    ),
    Fault(
        "first-rows-of-the-triangle",
        "the new tokens get the first rows of the triangle",
        "`to_cache`: the triangle starts in the top left corner, as that of `is_causal` does, so the first new token sees "
        "the first key only. The new tokens are the last ones and need the last rows.",
        section="11-fast-attention#sdpa-traps-read",
    ),
    Fault(
        "row-sums-of-one-tile",
        "the row sums are those of one tile",
        "The sum that is subtracted runs over the columns of one tile. It has to run over the whole row: `out_gradient` times the saved result, added up over `head_dim`.",
        section="11-fast-attention#tiled-function-task",
    ),
    Fault(
        "largest-begins-at-0",
        "the largest score so far begins at 0",
        "The largest score so far begins at 0, so one below 0 is never the largest. Begin at −∞.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "row-sums-from-values",
        "the row sums are taken with V in the place of O",
        "The row sums are those of dO times V here. They should be those of dO times O, the result of the attention.",
        section="11-fast-attention#backward-intro",
    ),
    Fault(
        "pieces-averaged",
        "the pieces' contexts are averaged as they are",
        "Each piece counts the same. A piece with large scores should count more: weight it by its share of the "
        "exponentials.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "largest-piece-only",
        "only the piece with the largest sum counts",
        "Only the piece with the largest logsumexp is used. The others count too, by their shares.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "sums-added-undivided",
        "the joined contexts are not divided",
        "The shares do not sum to 1. Divide by the sum of all pieces' exponentials.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "shares-without-exp",
        "logarithms are divided by logarithms",
        "These shares divide logarithms. The sums themselves are their exponentials: use a softmax.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "pieces-hidden-counted",
        "a piece that shows nothing gets a share",
        "A piece that shows nothing gets a share. Its logsumexp is −∞, and its share should be 0.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "shares-averaged",
        "the weighted contexts are averaged",
        "The sum over the pieces is divided by their number. The shares are the weights of an average already: only add up.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "running-sum-overflows",
        "the logsumexp so far overflows",
        "Where a piece is far above those before it, the logsumexp so far becomes inf or nan. `torch.logaddexp` is safe.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "logsumexps-added",
        "the logsumexps are added",
        "The logsumexps are added, as if log a + log b were log(a + b). Add their exponentials: `torch.logsumexp`.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "larger-logsumexp-kept",
        "the larger logsumexp is taken for that of both pieces",
        "After two pieces are joined, the larger of their logsumexps is kept. That of both together is `torch.logaddexp`.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "sum-not-rescaled",
        "what was joined so far is not rescaled",
        "The sum so far is not rescaled where a larger logsumexp comes. Multiply it, like the context so far, by `exp(old - new)`.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "joined-undivided",
        "the shares of two joined pieces add up to more than 1",
        "Where two pieces are joined, their shares add up to more than 1. Subtract the logsumexp of both together, `torch.logaddexp`, and not the larger one.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "piece-too-many",
        "one more sum of 1 counts in the shares",
        "The shares add up to less than 1, as if there were one more piece of zeros: does a running sum begin at 1, or its logarithm at 0? An empty sum has the logarithm −∞.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "shares-as-logarithms",
        "logarithms are used as shares",
        "Logarithms are used as shares. Take their exponentials: `torch.softmax`.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "pieces-not-added",
        "the weighted pieces are not added up",
        "The weighted contexts of all pieces come back. Add them up, over axis 0.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "piece-dropped-for-head",
        "a piece is dropped for queries that see it",
        "A piece in which one query sees nothing is dropped for the whole head. The others see it: leave it out for that query alone.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "logsumexps-cut-off",
        "large logsumexps are cut off",
        "The logsumexps are cut off at a fixed number, so pieces above it count alike. Subtract each query's largest one, which keeps them apart.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "shares-of-powers-of-2",
        "the shares are those of powers of another number than e",
        "These are powers of another number than e. The logarithm is the natural one: take powers of e.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "shares-upside-down",
        "a piece with a small sum gets a large share",
        "The smaller a piece's sum of exponentials, the larger its share here. It should be the other way round.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "first-piece-left-out",
        "the first piece is left out",
        "The first piece is missing. Join all of them.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "last-piece-left-out",
        "the last piece is left out",
        "The last piece is missing. Join all of them.",
        section="11-fast-attention#join-pieces-task",
    ),
    Fault(
        "blocks-read-twice",
        "the blocks are read twice",
        "The blocks are read a second time. Each comes once: keep the maximum, the sum and the output so far, and rescale.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "blocks-kept",
        "all blocks are kept",
        "All blocks are kept at once. Use each when it comes, and keep the three running numbers only.",
        section="11-fast-attention#online-softmax-task",
    ),
    Fault(
        "outside-torch",
        "the numbers are taken out of torch",
        "The numbers leave torch, for NumPy or lists, where nothing is measured. Write it with tensors.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "all-tiles-kept",
        "all tiles are kept at once",
        "All tiles are alive at the same time, which is the whole matrix again. Use each tile when it is made, and let it go.",
        section="11-fast-attention#tiled-function-task",
    ),
    Fault(
        "strips-of-rows",
        "whole rows are made, a few at a time",
        "A few whole rows of the matrix are made at a time, so each tensor grows with the text. Cut the keys into tiles of `tile`, too.",
        section="11-fast-attention#tiled-attention-task",
    ),
    Fault(
        "sdpa-not-called",
        "`F.scaled_dot_product_attention` is not called",
        "One of the functions does without `F.scaled_dot_product_attention`. Keep the call, and correct what it is given.",
        section="11-fast-attention#sdpa-traps-task",
    ),
)
