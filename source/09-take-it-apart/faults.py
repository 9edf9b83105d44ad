"""The mistakes that only lesson 09 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "first-query-counted",
        "a query counts that sees its token for the first time",
        "The diagonal starts one query too early: query `period - 1` sees its token for the first time.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "diagonal-of-the-future",
        "the diagonal lies above the main one",
        "This diagonal lies above the main one, where the keys come later than the query. A negative offset looks back.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "previous-token-diagonal",
        "the diagonal is that of the previous token",
        "This is the diagonal of the previous token. Induction looks `period - 1` tokens back.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "divided-by-all-queries",
        "the sum is divided by all queries",
        "The sum is divided by the number of all queries. Only those from `period` on are in it.",
        section="09-take-it-apart#induction-score-task",
    ),
    Fault(
        "hardly-sharp",
        "the attention is not sharp",
        "The attention is not sharp: other tokens get a share. Make the query larger: after the division by √d_model the right score has to be 30 above the others.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "weights-not-cleared",
        "the random weights are still there",
        "The random numbers that the module was made with are still in its matrices. Set all parameters to 0 first.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "looks-at-itself",
        "each position asks for itself",
        "Each position asks for itself. Position p should ask for p - 1.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "two-back",
        "each position asks for the one two back",
        "Each position asks for the one two places back.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "written-to-other-slots",
        "the token is written into the wrong slots",
        "A token is written into the wrong slots.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "finds-the-same-token",
        "the same token is found, not what follows it",
        "The query finds the same token. To find what comes *after* it, the key has to be the token before, from the last slots.",
        section="09-take-it-apart#induction-head-task",
    ),
    Fault(
        "query-and-key-swapped",
        "query and key read each other's slots",
        "Query and key read each other's slots. The query is the present token, the key the one before.",
        section="09-take-it-apart#induction-head-task",
    ),
    Fault(
        "brings-the-token-before",
        "the value is the token before",
        "The value of a position is the token *before* it. It should be the position's own token.",
        section="09-take-it-apart#induction-head-task",
    ),
    Fault(
        "never-meet",
        "query and key are in different places",
        "Query and key write into different places, or one of them writes nothing: every score is 0, and the attention is "
        "spread evenly.",
        section="09-take-it-apart#induction-head-task",
    ),
    Fault(
        "all-heads-removed",
        "all heads are removed",
        "All heads are set to 0.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "all-but-one-removed",
        "all heads but the one asked for are removed",
        "All heads but this one are removed. It should be the other way round.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "all-positions-patched",
        "all positions are patched",
        "The whole clean stream is put in. Put in one position only.",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "sequence-patched",
        "a sequence is patched, not a position",
        "A sequence of the batch is patched here. Positions are the second axis: `stream[:, position]`.",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "clean-and-corrupt-swapped",
        "clean and corrupt are exchanged",
        "The two texts are exchanged. The clean vector should go into the corrupt run.",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "block-below",
        "the vector goes into another block",
        "The vector is put in after another block than the one it comes from.",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "nothing-put-in",
        "the hook returns nothing",
        "The run goes on with the old stream: nothing is put in. Does the hook return what it makes, and "
        "is it on the block when the model runs?",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "position-typed-in",
        "the vector comes from another position",
        "The clean vector comes from another position.",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "sharp-before-the-division",
        "the scores are sharp only before the division",
        "The scores are large enough before the division by the root of `d_model`, and not after it. Multiply by this root "
        "when you choose the size.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "key-reads-the-positions",
        "the key reads the slots of the positions",
        "The key reads the slots of the positions. The token before is written after them, from `vocab + context_length` on.",
        section="09-take-it-apart#induction-head-task",
    ),
    Fault(
        "input-kept",
        "what goes into the block is kept",
        "What goes into the block is kept, and put in after it. Keep what comes out of it.",
        section="09-take-it-apart#contradiction-read",
    ),
    Fault(
        "stream-read-cut",
        "a slice of what all heads read is removed",
        "A slice of what the attention reads is set to 0, and all heads read it. A head's context is what `out_proj` reads.",
        section="09-take-it-apart#ablation-effect-task",
    ),
    Fault(
        "not-by-its-weights",
        "what comes out does not depend on the weights",
        "The result is computed without the weights of the head. Write the numbers into its matrices, and leave `forward` as it is.",
        section="09-take-it-apart#previous-token-head-task",
    ),
    Fault(
        "asking-and-seen-swapped",
        "queries and keys are made from each other's vectors",
        "The queries are made from `seen`, and the keys from `asking`. It should be the other way round.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "value-from-asking",
        "the values come from the token that asks",
        "The values are made from `asking`. A head writes what it *sees*: make them from `seen`.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "key-from-asking",
        "the keys come from the token that asks",
        "The keys are made from `asking`, so the head compares a token that asks with tokens that ask. Make them from `seen`.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "output-rows-cut",
        "the head's rows of out_proj are cut, not its columns",
        "Rows of `out_proj.weight` are cut out. It is (out, in), and the heads lie side by side in what it reads: cut the columns, `[:, own]`.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "unembedded-with-seen",
        "the logits are made with the table of what is seen",
        "What the head writes is compared with `seen`. A logit is a product with a row of `unembedding`.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "circuits-swapped",
        "the two circuits have changed places",
        "The two tables have changed places: first QK, then OV.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "output-turned",
        "rows and columns of the OV circuit have changed places",
        "Row and column of OV have changed places. Row b is the token that is seen, column c the token whose logit rises.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "all-heads-together",
        "the circuit of all heads together",
        "This is what all heads do together. Cut out the rows and columns of this one.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "columns-cut",
        "columns are cut where the head has rows",
        "The head is cut from the columns of `W_query`, `W_key` and `W_value`, which are numbers of the stream. Cut its rows, and transpose.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "query-from-seen",
        "the queries come from the token that is seen",
        "The queries are made from `seen`. They belong to the token that asks: make them from `asking`.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "cut-across-two-heads",
        "a slice begins in the middle of a head",
        "The slice begins in the middle of a head, so it holds numbers of two. Head h begins at `h * head_dim`.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "heads-counted-from-1",
        "the heads are counted from 1",
        "The heads are counted from 1, so this is the head before, and head 0 is empty. Head h owns the numbers from `h * head_dim` on.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "output-scaled-too",
        "OV is divided by the root of head_dim",
        "OV is divided by √head_dim as well. Only scores are: divide QK alone.",
        section="09-take-it-apart#head-circuits-task",
    ),
    Fault(
        "biases-counted",
        "the biases take part",
        "A bias takes part. Multiply by the weights of the layers alone.",
        section="09-take-it-apart#head-circuits-task",
    ),
)
