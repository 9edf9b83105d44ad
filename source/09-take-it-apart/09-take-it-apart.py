# %% [markdown] id="title"
# # 09 · Take it apart
#
# A trained model is a box of numbers. In this lesson you open one. You find out which head does what: you score its
# map, you write the same head by hand, without any training, you remove it, and you move an activation from one run
# into another. The models are so small that each trains in a few seconds.
#
# **When you are done you can**
#
# - say what induction is, and how two layers do it;
# - write the matrices of a previous-token head and of an induction head by hand, without any training;
# - measure what a head does: score its map, remove the head, move an activation from one run into another.
#
# **Time:** about 105 minutes. **Before you start:** `MultiHeadAttention` (lesson 05), `TinyTransformer` and forward
# hooks (lesson 08). Where yours are not right yet, the course's are used instead.

# %% id="setup"
from autograder import bring_over, check, hint, predict, progress, reveal, review
from visuals import attention_map, explore_training, token_vectors, training_curves

import torch
from torch import nn
from torch.nn import functional as F

# Matrices as small as these are fastest on one core.
torch.set_num_threads(1)

# %% id="review"
review("09-take-it-apart")

# %% [markdown] id="own-classes-intro"
# ## What you bring along
#
# The next cells hold the course's classes from lessons 05 and 08 and look for yours. If yours are there and right,
# they are used from here on. The last of them holds what lesson 08 trained with: the loss, the loop, and the two
# functions that read queries, keys and maps out of a model.


# %% id="course-classes"
# From lessons 05, 07 and 08.
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, _ = x.shape
        queries, keys, values = (
            project(x).view(b, num_tokens, self.num_heads, -1).transpose(1, 2)  # (b, heads, tokens, head_dim)
            for project in (self.W_query, self.W_key, self.W_value)
        )
        scores = queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
        scores = scores.masked_fill(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        context = self.dropout(torch.softmax(scores, dim=-1)) @ values  # (b, heads, tokens, head_dim)
        return self.out_proj(context.transpose(1, 2).reshape(b, num_tokens, -1))  # (b, tokens, d_out)


def apply_rope(x, positions, base=10000.0):
    """Turn queries or keys (..., tokens, head_dim) by the positions (tokens,) they stand at."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-torch.arange(half) / half)  # (tokens, head_dim / 2)
    first, second = x.chunk(2, dim=-1)  # (..., tokens, head_dim / 2) each
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def rotate(attention, num_heads):
    """Give an attention rotary positions: hooks turn the results of W_query and W_key."""

    def turned(module, arguments, output):
        heads = output.unflatten(-1, (num_heads, -1)).transpose(1, 2)  # (b, heads, tokens, head_dim)
        positions = torch.arange(output.shape[1])  # (tokens,)
        return apply_rope(heads, positions).transpose(1, 2).flatten(2)  # (b, tokens, d_out)

    attention.W_query.register_forward_hook(turned)
    attention.W_key.register_forward_hook(turned)


class Block(nn.Module):
    def __init__(self, d_model, num_heads, context_length, mlp=True, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, d_model, context_length, dropout, num_heads)
        self.mlp = None
        if mlp:
            self.norm_2 = nn.LayerNorm(d_model)
            self.mlp = nn.Sequential(
                nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model)
            )

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))  # (b, tokens, d_model)
        if self.mlp is not None:
            x = x + self.mlp(self.norm_2(x))  # (b, tokens, d_model)
        return x


class TinyTransformer(nn.Module):
    def __init__(
        self,
        vocab,
        d_model,
        num_heads,
        num_layers,
        context_length,
        position="rope",
        mlp=True,
        dropout=0.0,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positions = nn.Embedding(context_length, d_model) if position == "learned" else None
        self.blocks = nn.ModuleList(
            Block(d_model, num_heads, context_length, mlp, dropout) for _ in range(num_layers)
        )
        if position == "rope":
            for block in self.blocks:
                rotate(block.attention, num_heads)
        self.norm = nn.LayerNorm(d_model)
        self.unembedding = nn.Linear(d_model, vocab, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)  # (b, tokens) -> (b, tokens, d_model)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.shape[1]]  # (b, tokens, d_model)
        for block in self.blocks:
            x = block(x)  # (b, tokens, d_model)
        return self.unembedding(self.norm(x))  # (b, tokens, vocab)


# %% id="own-classes"
MultiHeadAttention = bring_over("05-multi-head", "multi-head-attention", MultiHeadAttention)
# Your transformer comes with your Block, which gets your attention from lesson 05.
TinyTransformer = bring_over("08-train-it", "tiny-transformer", TinyTransformer, MultiHeadAttention)


# %% id="from-08"
# From lesson 08.
def next_token_labels(ids, first=1):
    """The label of each position: the next token from position `first` on, and -100 elsewhere.

    Shapes:
        ids: (b, tokens), whole numbers
        returns: (b, tokens), whole numbers
    """
    labels = torch.full_like(ids, -100)  # (b, tokens)
    labels[:, first - 1 : -1] = ids[:, first:]
    return labels


def token_loss(logits, labels):
    """The same in one call: the mean cross-entropy over all positions whose label is not -100.

    Shapes:
        logits: (b, tokens, vocab)
        labels: (b, tokens)
    """
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)


@torch.no_grad()
def accuracy(model, batch):
    """The share of right predictions among the positions that count."""
    ids, labels = batch
    counted = labels != -100  # (b, tokens)
    return (model(ids).argmax(dim=-1) == labels)[counted].float().mean()


def train(model, batches, lr=3e-3):
    """Take one AdamW step for each batch of ids and labels, both (b, tokens), and return the model."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for ids, labels in batches:
        loss = token_loss(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def batches_of(make, steps, seed, **sizes):
    """As many batches as steps, the same ones for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return [make(generator, **sizes) for _ in range(steps)]


def heads_of(attention, x, num_heads):
    """The queries, keys and values of an attention that reads x: (b, heads, tokens, head_dim) each."""
    return [
        project(x).unflatten(-1, (num_heads, -1)).transpose(1, 2)  # (b, heads, tokens, head_dim)
        for project in (attention.W_query, attention.W_key, attention.W_value)
    ]


@torch.no_grad()
def maps_of(model, ids, num_heads):
    """The attention weights of each layer, a list of (b, heads, tokens, tokens)."""
    seen = []
    hooks = [
        block.attention.register_forward_hook(
            lambda attention, given, result: seen.append((attention, given[0]))
        )
        for block in model.blocks
    ]
    model(ids)
    for hook in hooks:
        hook.remove()
    maps = []
    for attention, x in seen:
        queries, keys, _ = heads_of(attention, x, num_heads)  # (b, heads, tokens, head_dim)
        scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
        maps.append(torch.softmax(scores + torch.full_like(scores, -torch.inf).triu(1), dim=-1))
    return maps


def loss_on(batch):
    """A measurement: a model's loss on a batch that it is not trained on."""
    return lambda model: token_loss(model(batch[0]), batch[1]).item()


def right_in(batch):
    """A measurement: a model's accuracy on a batch that it is not trained on."""
    return lambda model: accuracy(model, batch)


def followed(model, batches, measure, every=25):
    """Train, and note a measurement every few steps: (steps, values)."""
    steps, values = [], []

    def watched():
        for step, batch in enumerate([*batches, None]):
            if step % every == 0:
                steps.append(step)
                values.append(float(measure(model)))
            if batch is not None:
                yield batch

    train(model, watched())
    return steps, values


def fresh(num_layers, num_heads=1, context_length=33, seed=0):
    """A new model for repeated sequences, drawn under a seed."""
    torch.manual_seed(seed)
    return TinyTransformer(20, 32, num_heads, num_layers, context_length, position="rope", mlp=False)


# %% [markdown] id="induction-intro"
# ## 1 · Find the heads
#
# ### Induction
#
# A random sequence, repeated: `d k a d k a d …` To go on, a model has to find the last time the present token
# occurred, and say what came *after* it. That is **induction**, the simplest way to learn from what has just been
# read. The length of what is repeated differs from sequence to sequence. Otherwise it would be enough to look back a
# fixed distance, and there would be nothing to find.
#
# **Predict, then run.** A query knows the present token. What would a key have to know, to be found by it? Which layer
# could have put that there?

# %% id="layers-prediction"
predict(
    "layers-for-induction",
    "How many layers of attention does a model need to go on with a sequence that repeats?",
    ("one layer is enough", "two layers are needed", "two layers are not enough"),
)


# %% id="induction-data"
def repeated(generator, batch_size=32, length=33, vocab=20):
    """Sequences that repeat their first 6 to 14 tokens, which all differ: ids and labels, both (b, length)."""
    period = torch.randint(6, 15, (batch_size, 1), generator=generator)
    start = torch.rand(batch_size, vocab, generator=generator).argsort(dim=1)  # (b, vocab), no token twice
    ids = start.gather(1, torch.arange(length)[None] % period)  # (b, length)
    return ids, next_token_labels(ids, first=15)


def twice(seed, batch_size=64, period=12, vocab=20):
    """Sequences of 12 random tokens, twice: (b, 24)."""
    once = torch.rand(batch_size, vocab, generator=torch.Generator().manual_seed(seed)).argsort(dim=1)
    return once[:, :period].repeat(1, 2)  # (b, 2 * period)


# %% id="one-or-two" tags=["figure", "measured"]
new = batches_of(repeated, 1, seed=999)[0]
one_layer, two_layers = fresh(1), fresh(2)
training_curves(
    {
        "one layer": followed(one_layer, batches_of(repeated, 400, seed=0), loss_on(new)),
        "two layers": followed(two_layers, batches_of(repeated, 400, seed=0), loss_on(new)),
    },
    title="One layer fails, two succeed",
)

# %% id="layers-revealed" tags=["measured", "shown"]
reveal("layers-for-induction", 2 - sum(int(accuracy(model, new) > 0.9) for model in (one_layer, two_layers)))

# %% [markdown] id="one-or-two-read"
# Here one layer, with one head and 400 steps, stays on the plateau. Its keys know their own token and their place, and
# nothing about their neighbour. Two layers stay on the same plateau for a while, and then drop almost to 0. What
# happens at the drop? The same training once more, with the second layer's map beside it. Choose the moments around
# the drop.

# %% [markdown] id="induction-score-task"
# ### Task 1 · The induction score
#
# *6 minutes · one or two lines · task id* `induction-score`
#
# In a sequence whose tokens repeat after `period` steps, an induction head at position $t$ looks at the token *after*
# the one that equals its own: at $t - \text{period} + 1$. Write `induction_score(weights, period)`: for each head the
# mean of these weights over all queries that see a token for the second time, $t \ge \text{period}$.
# `previous_token_score` below shows how such a diagonal is read. Check where it starts.


# %% id="previous-score-given"
def previous_token_score(weights):
    """How much each head looks at the token before, on average over all queries that have one.

    Shapes:
        weights: (heads, tokens, tokens)
        returns: (heads,)
    """
    return weights.diagonal(offset=-1, dim1=1, dim2=2).mean(dim=-1)  # (heads, tokens - 1) -> (heads,)


# %% answer="induction-score"
def induction_score(weights, period):
    """How much each head looks at what followed the present token one period ago.

    Shapes:
        weights: (heads, tokens, tokens)
        returns: (heads,)
    """
    ### BEGIN SOLUTION
    along = weights.diagonal(offset=1 - period, dim1=1, dim2=2)  # (heads, tokens - period + 1)
    return along[:, 1:].mean(dim=-1)  # its first query, period - 1, sees its token for the first time
    ### END SOLUTION


# %% check="induction-score" points=2
check("induction-score")


# %% id="best-induction"
def best_induction(model, num_heads=1):
    """The highest induction score that any head has on sequences that come twice."""
    maps = maps_of(model, twice(5), num_heads)
    return max(float(induction_score(map_.mean(dim=0), 12).max()) for map_ in maps)


# %% id="induction-trained" tags=["figure", "measured"]
# needs induction_score
inductor = fresh(2)
explore_training(
    lambda batches: train(inductor, batches),
    batches_of(repeated, 400, seed=0),
    {
        "loss": lambda: token_loss(inductor(new[0]), new[1]),
        "accuracy": lambda: accuracy(inductor, new),
        "induction score": lambda: best_induction(inductor),
    },
    look=lambda: maps_of(inductor, twice(5)[:1], 1)[1][0, 0],
    tokens=[chr(ord("a") + one) for one in twice(5)[0]],
    title="Induction: the second of two layers",
)

# %% [markdown] id="induction-read"
# Loss and induction score jump together. Over 40 seeds the loss fell below 1.5 after 125 to 150 steps, and the score
# rose above 0.5 within 25 steps of that. At the end two layers were right in at least 99 % of cases, one layer in fewer
# than 30 %. (To guess among the 20 tokens is right in 5 %. `benchmarks/training.py` repeats all such measurements.)

# %% [markdown] id="slots-intro"
# **A good place to stop for a day.**
#
# ## 2 · By hand
#
# A trained head is matrices. So it must be possible to write them down. Make the stream readable first: **slots**.
# Its first `vocab` numbers hold the token, one-hot; the next `context_length` numbers the position, one-hot; the last
# `vocab` numbers are free, for what a head finds.


# %% id="slots-given"
def slots(ids, vocab, context_length):
    """A stream that can be read: token, position, and free room: (b, tokens, vocab + context_length + vocab)."""
    b, num_tokens = ids.shape
    token = F.one_hot(ids, vocab).float()  # (b, tokens, vocab)
    place = torch.eye(context_length)[:num_tokens].expand(b, -1, -1)  # (b, tokens, context_length)
    return torch.cat((token, place, torch.zeros_like(token)), dim=-1)  # (b, tokens, d_model)


slots(torch.tensor([[2, 0, 1]]), vocab=3, context_length=4)[0]

# %% [markdown] id="previous-token-head-task"
# ### Task 2 · A previous-token head by hand
#
# *15 minutes · eight lines · task id* `previous-token-head`
#
# Write `previous_token_head(vocab, context_length)`. It returns a `MultiHeadAttention` with one head, from `d_model`
# to `d_model` with `d_model = vocab + context_length + vocab`, no dropout, whose weights you set:
#
# - the **query** of position $p$ asks for position $p - 1$ (position 0 sees nothing but itself, so it needs no query);
# - the **key** of position $p$ says: I am position $p$;
# - the **value** carries the token, and puts it into the free slots at the end;
# - `out_proj` changes nothing: the identity, and a bias of 0.
#
# A `Linear` keeps its matrix as (out, in): `W_value.weight[i, j] = 1` writes number `j` of the stream to place `i`. The
# attention has to be *sharp*: choose the sizes so that the right score is at least 30 above the others after the
# division by $\sqrt{d_{model}}$. Write under `torch.no_grad()`.


# %% answer="previous-token-head"
def previous_token_head(vocab, context_length):
    """An attention that writes the token before each into the free slots; it is not trained."""
    ### BEGIN SOLUTION
    d_model = vocab + context_length + vocab
    head = MultiHeadAttention(d_model, d_model, context_length, 0.0, num_heads=1)
    token = torch.arange(vocab)
    places = torch.arange(vocab, vocab + context_length)
    free = torch.arange(vocab + context_length, d_model)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.zero_()
        head.W_query.weight[places[:-1], places[1:]] = 50 * d_model**0.5  # p asks for p - 1
        head.W_key.weight[places, places] = 1.0
        head.W_value.weight[free, token] = 1.0
        head.out_proj.weight.copy_(torch.eye(d_model))
    return head
    ### END SOLUTION


# %% check="previous-token-head" points=4
check("previous-token-head")

# %% [markdown] id="induction-head-task"
# ### Task 3 · An induction head by hand
#
# *12 minutes · the same lines with other slots · task id* `induction-head`
#
# After the first head, each position of the stream holds its token *and* the token before it. Write
# `induction_head(vocab, context_length)`, the head of the second layer:
#
# - the **query** is the present token, from the first slots;
# - the **key** is the token *before*, from the last slots. So a query `k` finds each position that follows a `k`;
# - the **value** is that position's own token, and goes into the *first* slots;
# - `out_proj` changes nothing.
#
# As sharp as the first head, and without dropout.


# %% answer="induction-head"
def induction_head(vocab, context_length):
    """An attention that finds what followed the present token before; it is not trained."""
    ### BEGIN SOLUTION
    d_model = vocab + context_length + vocab
    head = MultiHeadAttention(d_model, d_model, context_length, 0.0, num_heads=1)
    token = torch.arange(vocab)
    before = torch.arange(vocab + context_length, d_model)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.zero_()
        head.W_query.weight[token, token] = 50 * d_model**0.5
        head.W_key.weight[token, before] = 1.0
        head.W_value.weight[token, token] = 1.0
        head.out_proj.weight.copy_(torch.eye(d_model))
    return head
    ### END SOLUTION


# %% check="induction-head" points=4
check("induction-head")

# %% [markdown] id="by-hand-intro"
# Both together are an induction circuit, and nothing was trained. The text starts with a token that never comes
# again, because position 0 has no token before it.


# %% id="by-hand-given"
# needs previous_token_head, induction_head
class HandMade(nn.Module):
    """Two heads written by hand, one after the other, on a stream of slots."""

    def __init__(self, vocab, context_length):
        super().__init__()
        self.sizes = vocab, context_length
        self.first, self.second = (
            previous_token_head(vocab, context_length),
            induction_head(vocab, context_length),
        )

    def forward(self, ids):
        x = slots(ids, *self.sizes)  # (b, tokens, d_model)
        x = x + self.first(x)
        return self.second(x)[..., : self.sizes[0]]  # (b, tokens, vocab)


letters = "^dkamdkamdka"
text = torch.tensor([[ord(letter) - ord("a") if letter != "^" else 26 for letter in letters]])  # (1, tokens)
guesses = HandMade(27, 12)(text)[0].argmax(dim=-1)  # (tokens,)
print("reads:   ", " ".join(letters))
print("predicts:", " ".join(chr(ord("a") + guess) if guess < 26 else "^" for guess in guesses))

# %% [markdown] id="by-hand-read"
# From the second `d` on, each prediction is the next letter. The two matrices that meet are the value of the first
# head, which *writes* the token before, and the key of the second, which *reads* it. That is **composition**. It takes
# two layers: nothing has been written yet when the keys of the first are made.

# %% [markdown] id="head-circuits-task"
# ### Task 4 · The two circuits of a head
#
# *10 minutes · about eight lines · task id* `head-circuits`
#
# Does a *trained* head have such matrices too? Its four weights never act alone. A score is $q \cdot k$, so it depends
# only on the product of `W_query` and `W_key`: the **QK circuit**, which says where the head looks. What the head
# writes depends only on the product of `W_value` and its part of `out_proj`: the **OV circuit**, which says what
# happens to what it sees. Both are easiest to read between tokens.
#
# Write `head_circuits(attention, head, num_heads, asking, seen, unembedding)`. `asking` and `seen` have one vector of
# the stream for each token of the vocabulary, as many as `unembedding` has rows. Return two tables in one tensor:
#
# - QK: row a, column b is the score that a query made from `asking[a]` gives to a key made from `seen[b]`, divided by
#   √head_dim;
# - OV: row b, column c says by how much the logit of token c rises when the head sees `seen[b]` alone. A logit is a
#   product with a row of `unembedding`.
#
# Head h owns rows `h * head_dim` to `(h + 1) * head_dim` of `W_query`, `W_key` and `W_value`, and the *columns* of the
# same numbers of `out_proj.weight`. Leave out positions, norms and all biases: that of `out_proj`, and those that an
# attention with `qkv_bias=True` has.


# %% answer="head-circuits"
@torch.no_grad()
def head_circuits(attention, head, num_heads, asking, seen, unembedding):
    """Where a head looks and what it writes, as tables over tokens.

    Shapes:
        asking, seen, unembedding: (vocab, d_model)
        returns: (2, vocab, vocab), QK and then OV
    """
    ### BEGIN SOLUTION
    head_dim = attention.W_query.weight.shape[0] // num_heads
    own = slice(head * head_dim, (head + 1) * head_dim)
    queries = asking @ attention.W_query.weight[own].T  # (vocab, head_dim)
    keys = seen @ attention.W_key.weight[own].T  # (vocab, head_dim)
    values = seen @ attention.W_value.weight[own].T  # (vocab, head_dim)
    written = values @ attention.out_proj.weight[:, own].T  # (vocab, d_model)
    return torch.stack((queries @ keys.T / head_dim**0.5, written @ unembedding.T))
    ### END SOLUTION


# %% check="head-circuits" points=3
check("head-circuits")


# %% [markdown] id="circuits-intro"
# Read the head of the second layer that you have just seen trained. Does its OV circuit *copy*: does each token raise
# its own logit most? And does its query find the same token in a key, if the key is made from the token's embedding, or
# from what the *first* layer writes when it sees the token? Guessing would be right for 1 of the 20.


# %% id="circuits-shown" tags=["measured", "shown"]
# needs head_circuits, inductor
@torch.no_grad()
def circuits_read(model):
    """Of 20 tokens, those that the second layer copies, finds in the embedding, and finds in what the first wrote."""
    first, second = model.blocks
    read_first = first.norm_1(model.embedding.weight)  # (vocab, d_model)
    read_second = second.norm_1(model.embedding.weight)  # (vocab, d_model)
    values = first.attention.W_value(read_first)  # (vocab, d_model)
    written = second.norm_1(values @ first.attention.out_proj.weight.T)  # (vocab, d_model)
    direct = head_circuits(second.attention, 0, 1, read_second, read_second, model.unembedding.weight)
    composed = head_circuits(second.attention, 0, 1, read_second, written, model.unembedding.weight)
    tables = direct[1], direct[0], composed[0]  # each (vocab, vocab)
    return [int((table.argmax(dim=1) == torch.arange(20)).sum()) for table in tables]


for what, count in zip(("copied", "found by embedding", "found as written"), circuits_read(inductor)):
    print(f"{what:20} {count:2} of 20 tokens")

# %% [markdown] id="circuits-read"
# The trained head does what you wrote by hand. It copies all 20 tokens. It finds none
# of them in a key that is made from the embedding, and all of them in a key that is made from what the first layer
# writes: composition again, this time learned. Over 12 seeds it was 20, 0, and 19 or 20.
#
# ## 3 · Measure what a head does
#
# A map shows where a head looks. Does the model need what it finds there? Train a model with four heads in each of
# two layers on repeated sequences.

# %% id="four-heads-trained" tags=["figure", "measured"]
four_heads = fresh(2, num_heads=4)
training_curves(
    {"accuracy": followed(four_heads, batches_of(repeated, 400, seed=0), right_in(new))},
    title="Induction with four heads in each of two layers",
    unit="accuracy",
)

# %% [markdown] id="ablation-effect-task"
# ### Task 5 · Remove a head
#
# *12 minutes · eight lines · task id* `ablation-effect`
#
# To **ablate** a head is to set its context to 0 and see what gets worse. The contexts of all heads are side by side
# in what `out_proj` receives. A **forward pre-hook** is called with a module's arguments before they are used;
# the tuple that it returns takes their place:
# `hook = module.register_forward_pre_hook(lambda module, arguments: (changed,))`, and `hook.remove()` at the end.
#
# Write `ablation_effect(model, ids, labels, layer, head, num_heads)`: the loss without this head, minus the loss of the
# whole model. Leave the model as you found it.


# %% answer="ablation-effect"
@torch.no_grad()
def ablation_effect(model, ids, labels, layer, head, num_heads):
    """By how much the loss rises without one head.

    Shapes:
        ids, labels: (b, tokens)
        returns: one number
    """
    ### BEGIN SOLUTION
    whole = token_loss(model(ids), labels)

    def without(module, arguments):
        contexts = arguments[0].unflatten(-1, (num_heads, -1)).clone()  # (b, tokens, heads, head_dim)
        contexts[:, :, head] = 0.0
        return (contexts.flatten(2),)  # (b, tokens, d_model)

    hook = model.blocks[layer].attention.out_proj.register_forward_pre_hook(without)
    removed = token_loss(model(ids), labels)
    hook.remove()
    return removed - whole
    ### END SOLUTION


# %% check="ablation-effect" points=4
check("ablation-effect")

# %% [markdown] id="contradiction-predict"
# The cell after the next prints, for each head of the four-headed model, its two scores and what its removal costs.
# All four heads of the second layer look like induction heads.

# %% id="removal-prediction"
predict(
    "induction-head-removed",
    "One of the four induction heads is removed. By how much does the loss rise? (With all of them it is near 0; "
    "guessing among 20 tokens costs 3.)",
    ("by less than 0.5", "by 0.5 to 2", "by more than 2"),
)


# %% id="contradiction" tags=["measured", "shown"]
# needs induction_score, ablation_effect
def heads_measured(model, num_heads=4):
    """Print each head's scores, and what its removal costs; returns these costs, layer after layer."""
    ids = twice(5)
    labels, effects = next_token_labels(ids, first=13), []
    maps = maps_of(model, ids, num_heads)
    print("layer head  previous  induction  loss rises")
    for layer, map_ in enumerate(maps):
        mean = map_.mean(dim=0)  # (b, heads, tokens, tokens) -> (heads, tokens, tokens)
        previous, induction = previous_token_score(mean), induction_score(mean, 12)
        for head in range(num_heads):
            effect = ablation_effect(model, ids, labels, layer, head, num_heads)
            effects.append(
                "by less than 0.5" if effect < 0.5 else "by 0.5 to 2" if effect < 2 else "by more than 2"
            )
            print(f"{layer:5} {head:4} {previous[head]:9.1f} {induction[head]:10.1f}  {effects[-1]}")
    return effects


effects = heads_measured(four_heads)

# %% id="removal-revealed" tags=["measured", "shown"]
# needs effects
reveal("induction-head-removed", max(effects[4:], key=effects[4:].count))

# %% [markdown] id="together-intro"
# The maps of the second layer tell a story: "this head does the induction". The removal contradicts it. Each of the
# four can go, and the loss hardly rises. Either the maps mislead, or each head can do the work of the others. One
# experiment tells these two apart: remove all four at once.

# %% id="together-prediction"
predict(
    "all-four-removed",
    "All four heads of the second layer are removed at once. By how much does the loss rise?",
    ("by less than 0.5", "by 0.5 to 2", "by more than 2"),
)


# %% id="together" tags=["measured", "shown"]
@torch.no_grad()
def without_layer(model, ids, labels, layer):
    """By how much the loss rises without any head of a layer."""
    whole = token_loss(model(ids), labels)
    hook = model.blocks[layer].attention.out_proj.register_forward_pre_hook(
        lambda module, arguments: (torch.zeros_like(arguments[0]),)
    )
    removed = token_loss(model(ids), labels)
    hook.remove()
    return float(removed - whole)


copied = twice(5)
together = without_layer(four_heads, copied, next_token_labels(copied, first=13), 1)
print(f"without all four heads of the second layer the loss rises by {together:.1f}")

# %% id="together-revealed" tags=["measured", "shown"]
reveal("all-four-removed", int(together >= 0.5) + int(together >= 2))

# %% [markdown] id="contradiction-read"
# So the maps were right about the four together, and wrong about each one: the model needs induction, and no single
# head for it. A map is where a head looks. Only an intervention shows whether the model depends on it.
#
# This is no accident of one seed. Over 40 seeds the model stayed right in at least 80 % of cases without any one of
# the four, and mostly in more than 95 %. Without all of them it was right in at most 6 %, where chance is 5 %. How the
# *first* layer divides its work does depend on the seed. Without the head that matters most, the loss rises by less
# than 1 with some seeds, and by more than 3 with others.
#
# ### Task 6 · Patch an activation
#
# *12 minutes · eight lines · task id* `patched`
#
# The other intervention moves something in instead of taking it out. Run the model on a `clean` text and on a
# `corrupt` one, which differs in one token. Then run it on the corrupt text once more, but put the *clean* stream
# into one place: after block `layer`, at `position`. If the answer becomes the clean one again, then what the answer
# needs was there. Write `patched(model, clean, corrupt, layer, position)`, which returns the logits of that third run.
# `register_forward_hook` on `model.blocks[layer]` gives you the stream after the block, and takes another. Leave no hook
# on the model.


# %% answer="patched"
@torch.no_grad()
def patched(model, clean, corrupt, layer, position):
    """The logits for the corrupt text, with one vector of the clean run's stream put in.

    Shapes:
        clean, corrupt: (b, tokens)
        returns: (b, tokens, vocab)
    """
    ### BEGIN SOLUTION
    kept = []
    hook = model.blocks[layer].register_forward_hook(lambda block, given, stream: kept.append(stream))
    model(clean)
    hook.remove()

    def put_in(block, given, stream):
        stream = stream.clone()  # (b, tokens, d_model)
        stream[:, position] = kept[0][:, position]
        return stream

    hook = model.blocks[layer].register_forward_hook(put_in)
    logits = model(corrupt)
    hook.remove()
    return logits
    ### END SOLUTION


# %% check="patched" points=4
check("patched")

# %% [markdown] id="patch-predict"
# The clean text is 12 tokens, twice. In the corrupt one, token 4 is another, so at position 15, where token 3 comes
# for the second time, the model predicts that other token. **Predict:** after the first block, at which position does
# the clean vector restore the clean answer? After the second?


# %% id="patch-shown" tags=["figure", "measured"]
# needs patched, inductor
clean = twice(5)[:1]  # (1, tokens)
corrupt = clean.clone()
corrupt[0, 4] = next(one for one in range(20) if one not in clean[0])


def restored(layer):
    """The probability of the clean answer at position 15, for a patch at each position: (positions,)."""
    runs = [
        patched(inductor, clean, corrupt, layer, position)[0, 15] for position in range(24)
    ]  # (vocab,) each
    return [float(torch.softmax(logits, dim=-1)[clean[0, 4]]) for logits in runs]


token_vectors(
    [restored(layer) for layer in (0, 1)],
    ["block 0", "block 1"],
    row="block",
    column="position",
    heads={
        "position": range(24),
        "clean": clean[0].tolist(),
        "corrupt": ["" if old == new else new for old, new in zip(clean[0].tolist(), corrupt[0].tolist())],
    },
    title="The probability of the clean answer, with one vector put in after a block",
)

# %% [markdown] id="patch-read"
# After the first block the clean answer is at position 4: there the second layer will fetch it. After the second
# block it is at position 15, where the prediction is made. The patch shows which way the information goes.

# %% [markdown] id="words-intro"
# ## In your own words
#
# A colleague shows you a map: "Head 2 of layer 1 attends to the token after the last occurrence. So this head is what
# makes the model repeat." What would you measure before you believe it, and what did you find in this lesson? Answer
# in three to six sentences. (3 points, read by a person.)

# %% [markdown] answer="map-or-cause-in-words" points=3
# ### BEGIN SOLUTION
# The map shows where the head looks, not whether the model uses what it finds. I would remove the head, that is set
# its context to 0, and compare the loss on sequences that the model has not seen, and do the same with the other
# heads. In this lesson all four heads of the second layer had high induction scores, and removing any one of them cost
# almost nothing. Removing all four at once cost more than 4, so the others do the same work. The claim is true of the
# four heads together, and it is wrong for this one alone.
#
# **Marking scheme**
#
# - 1 point: a map shows where a head looks, which is no proof that the model depends on it.
# - 1 point: names an intervention and what is compared: remove the head (or patch), and compare the loss or the answer
#   with that of the whole model, best on unseen sequences and beside other heads.
# - 1 point: uses the measurement: each induction head alone could be removed at almost no cost, and all of them
#   together could not.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have done
#
# | step | code | shape | what for |
# | --- | --- | --- | --- |
# | score | `weights.diagonal(offset=1 - period, …)` | (heads, tokens) | where a head looks |
# | by hand | `W_key.weight[token, before] = 1.0` | (d_model, d_model) | the key reads what another head wrote |
# | circuits | `asking @ W_Q.T @ W_K @ seen.T`, `seen @ W_V.T @ W_O.T @ U.T` | (vocab, vocab) | what a head looks for and writes |
# | ablate | `contexts[:, :, head] = 0.0` | (b, tokens, heads, head_dim) | what gets worse without it |
# | patch | `stream[:, position] = clean[:, position]` | (b, tokens, d_model) | where the answer is |
#
# - Induction is work for two layers: one writes the token before, the next one searches for it.
# - Maps show where heads look. Only an intervention shows what the model depends on.
# - Heads replace one another. That one head's removal costs little does not mean that its job is unimportant.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. Why is induction hard for one layer?</summary>
#
# The key of a position is made from that position's own token and place. That it *follows* a certain token has to be
# written into the stream first, and an earlier layer can do that.
#
# </details>
#
# <details><summary>2. What changes if position 0 of the induction text is an ordinary token that comes again?</summary>
#
# Position 0 looks at itself, so it says that its own token came before it. When this token comes again, the second
# head finds position 0 as well as position 1, and mixes both.
#
# </details>
#
# <details><summary>3. Each head of a layer can be removed at almost no cost. What follows?</summary>
#
# Either the layer is not needed, or its heads do the same work. Remove all of them together to see. Here the loss rose
# by more than 4.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **A Mathematical Framework for Transformer Circuits**, Elhage and others, 2021. The residual stream, composition of
#   heads, and induction heads in models of two layers.
# - **In-context Learning and Induction Heads**, Olsson and others, 2022. The drop of the loss at which induction heads
#   form, in models of many sizes.
# - **Are Sixteen Heads Really Better than One?**, Michel, Levy and Neubig, 2019. Heads of trained models removed one
#   by one and many at once.
# - **Analyzing Multi-Head Self-Attention**, Voita and others, 2019. Which heads of a translation model have a job that
#   can be named, and which can be removed.
# - **Attention is not Explanation**, Jain and Wallace, 2019. Why a map alone does not explain an answer.
# - **Attention is not not Explanation**, Wiegreffe and Pinter, 2019. The reply: what a map can still say, and how to
#   test it.
# - **Locating and Editing Factual Associations in GPT**, Meng and others, 2022. Section 2: activations of a clean run
#   moved into a corrupt one.
# - **Interpretability in the Wild**, Wang and others, 2022. A circuit in GPT-2 small, with heads that take over when
#   others are removed.

# %% id="progress"
progress("09-take-it-apart")
