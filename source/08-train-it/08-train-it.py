# %% [markdown] id="title"
# # 08 · Train it
#
# So far most matrices in this course were random. Where a map showed something, its weights had been trained before
# and were given to you. Training gives each head its job. In this lesson you put your own attention into a small
# transformer and train it, on tasks whose solution you can work out beforehand and then see in the maps. Each training
# takes a few seconds on one core.
#
# **When you are done you can**
#
# - build a transformer around your own attention: embedding, residual stream, LayerNorm, MLP, unembedding;
# - write a training loop whose every step is checked, find five classic bugs, and see what bugs do to a loss curve;
# - generate text, greedily and by sampling.
#
# **Time:** about 150 minutes. **Before you start:** `MultiHeadAttention` (lesson 05) and rotary positions (07). What
# you need of the latter is given here.

# %% id="setup"
import json

from autograder import bring_over, check, hint, predict, progress, reveal, review
from visuals import attention_map, explore_training, residual_stream, training_curves
from visuals.checkpoint import HELD_OUT, VOCABULARY, encode
from visuals.real_run import RUN, learning_rate

import torch
from torch import nn
from torch.nn import functional as F

# Matrices as small as these are fastest on one core.
torch.set_num_threads(1)

# %% id="review"
review("08-train-it")

# %% [markdown] id="parts-intro"
# ## 1 · What attention needs around it
#
# Attention moves information between tokens. A model needs a little more: vectors for the tokens, a way to keep
# what it had, work within each token, and scores for the next token.

# %% id="stream-figure" tags=["figure"]
residual_stream(num_layers=1)

# %% [markdown] id="stream-read"
# - The **embedding** is a table with one vector of `d_model` numbers for each token of the vocabulary.
# - These vectors flow through the model in the **residual stream**. No part replaces the stream. Each part reads it
#   and *adds* its result. So what an early part wrote is still there for a late part. You measure below task 5 what
#   this does for the gradient.
# - Every part reads the stream through a **LayerNorm**, which gives each token's vector the mean 0 and the spread 1.
# - The **MLP** works on each token alone: wider by four, a nonlinearity, back to `d_model`.
# - The **unembedding** turns each token's last vector into one score for each token of the vocabulary, the
#   **logits**. Position $t$ predicts token $t + 1$.
#
# Most of them are small tasks. The attention is the large one, and you have it.
#
# The embedding is given: the ids are row numbers, so each token gets its row of the table. Tokens with neighbouring ids
# need not be alike.


# %% id="embed-given"
def embed(ids, table):
    """Give each token its vector: (b, tokens) and (vocab, d_model) to (b, tokens, d_model)."""
    return table[ids]


embed(torch.tensor([[2, 0, 2]]), torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))

# %% [markdown] id="stream-after-task"
# ### Task 1 · The residual stream
#
# *4 minutes · three lines · task id* `stream-after`
#
# In this task a part is only a matrix: it reads the stream `x` and writes `x @ part`. Write `stream_after(x, parts)`,
# the stream after all parts. Each part reads what the parts before it have left, and what it writes is added.
#
# With `d_model` = 1, a stream of 1 and the parts 2 and 3: the first writes 2, the stream is 3. The second reads 3 and
# writes 9, the stream is 12.


# %% answer="stream-after"
def stream_after(x, parts):
    """Let each part read the stream, and add what it writes.

    Shapes:
        x: (b, tokens, d_model)
        parts: (number of parts, d_model, d_model)
        returns: (b, tokens, d_model)
    """
    ### BEGIN SOLUTION
    for part in parts:
        x = x + x @ part  # (b, tokens, d_model)
    return x
    ### END SOLUTION


# %% check="stream-after" points=1
check("stream-after")

# %% [markdown] id="layer-norm-task"
# ### Task 2 · LayerNorm
#
# *5 minutes · two or three lines · task id* `layer-norm`
#
# Write `layer_norm(x, scale, shift)`. For each token, subtract the mean of its numbers, divide by the root of
# (variance + `eps`), then multiply by `scale` and add `shift`. The variance is the mean of the squared differences:
# it divides by `d_model`, not by `d_model - 1`.
#
# From scratch: without `F.layer_norm` and its like, which cost one of the two points.


# %% answer="layer-norm"
def layer_norm(x, scale, shift, eps=1e-5):
    """Give each token's vector the mean 0 and the variance 1, then stretch and move it.

    Shapes:
        x: (b, tokens, d_model)
        scale, shift: (d_model,)
        returns: (b, tokens, d_model)
    """
    ### BEGIN SOLUTION
    centred = x - x.mean(dim=-1, keepdim=True)  # (b, tokens, d_model)
    variance = centred.square().mean(dim=-1, keepdim=True)  # (b, tokens, 1)
    return centred / (variance + eps).sqrt() * scale + shift  # (b, tokens, d_model)
    ### END SOLUTION


# %% check="layer-norm" points=2
check("layer-norm")

# %% [markdown] id="feed-forward-task"
# ### Task 3 · The MLP
#
# *5 minutes · two lines · task id* `feed-forward`
#
# The MLP is also called the feed-forward network. Write `feed_forward(x, weight_1, bias_1, weight_2, bias_2)`: the
# first layer, then `F.gelu`, then the second layer. GELU is a smooth ReLU: large numbers pass, and negative ones
# become 0 or a little less, -0.17 at most. A weight is (out, in), as `nn.Linear` keeps it.


# %% answer="feed-forward"
def feed_forward(x, weight_1, bias_1, weight_2, bias_2):
    """Work within each token: wider, a nonlinearity, and back.

    Shapes:
        x: (b, tokens, d_model)
        weight_1, bias_1: (wide, d_model), (wide,)
        weight_2, bias_2: (d_model, wide), (d_model,)
        returns: (b, tokens, d_model)
    """
    ### BEGIN SOLUTION
    hidden = F.gelu(x @ weight_1.T + bias_1)  # (b, tokens, wide)
    return hidden @ weight_2.T + bias_2  # (b, tokens, d_model)
    ### END SOLUTION


# %% check="feed-forward" points=2
check("feed-forward")

# %% [markdown] id="unembed-task"
# ### Task 4 · The unembedding
#
# *3 minutes · one line · task id* `unembed`
#
# Write `unembed(x, weight)`. The weight has one row for each token of the vocabulary. The logit of a token is the dot
# product of its row and the vector in the stream: how well the two agree. Return the logits as they are, without a
# softmax.


# %% answer="unembed"
def unembed(x, weight):
    """Score each token of the vocabulary at each position.

    Shapes:
        x: (b, tokens, d_model)
        weight: (vocab, d_model)
        returns: (b, tokens, vocab), the logits
    """
    ### BEGIN SOLUTION
    return x @ weight.T  # (b, tokens, d_model) -> (b, tokens, vocab)
    ### END SOLUTION


# %% check="unembed" points=1
check("unembed")

# %% [markdown] id="own-attention-intro"
# PyTorch has the same as modules, which keep their numbers as parameters: `nn.Embedding`, `nn.LayerNorm`, `nn.Linear`.
# From here on you use those.
#
# Now the attention. The next cell holds the course's class. The cell below it looks for **your own** class in your
# notebook of lesson 05. If it is there and right, it is used from here on. If not, the course's class is used
# instead, and the cell says so.


# %% id="course-attention"
# From lesson 05.
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


# %% id="own-attention"
MultiHeadAttention = bring_over("05-multi-head", "multi-head-attention", MultiHeadAttention)

# %% [markdown] id="transformer-block-task"
# ### Task 5 · A block
#
# *12 minutes · a class · task id* `transformer-block`
#
# Write `Block`: attention and MLP, each with its LayerNorm in front, each added to the stream.
#
# - `norm_1` and `attention`, a `MultiHeadAttention` from `d_model` to `d_model`. Its arguments are, in this order,
#   `d_in`, `d_out`, `context_length`, `dropout`, `num_heads`;
# - `norm_2` and `mlp`, an `nn.Sequential` of `nn.Linear(d_model, 4 * d_model)`, `nn.GELU()` and
#   `nn.Linear(4 * d_model, d_model)`. With `mlp=False` the block has neither, and attention is all it does.


# %% answer="transformer-block"
class Block(nn.Module):
    """One layer of a transformer: attention, then an MLP, each added to the residual stream.

    Shapes:
        x: (b, tokens, d_model)
        returns: (b, tokens, d_model)
    """

    def __init__(self, d_model, num_heads, context_length, mlp=True, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, d_model, context_length, dropout, num_heads)
        self.mlp = None
        if mlp:
            self.norm_2 = nn.LayerNorm(d_model)
            self.mlp = nn.Sequential(
                nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model)
            )
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        x = x + self.attention(self.norm_1(x))  # (b, tokens, d_model)
        if self.mlp is not None:
            x = x + self.mlp(self.norm_2(x))  # (b, tokens, d_model)
        return x
        ### END SOLUTION


# %% check="transformer-block" points=4
check("transformer-block")

# %% [markdown] id="gradients-intro"
# **What are the stream and the norm good for?** A deep model can only learn if the gradient reaches its first block.
# Here are twelve of your blocks, one after the other: as they are, with parts that *replace* the stream, without
# LayerNorm, and with neither.

# %% id="gradients-prediction"
predict(
    "gradient-that-arrives",
    "In which of the four is less than a millionth of the gradient left at the start?",
    ("without the stream", "without the norm", "only without both", "in none"),
)


# %% id="gradients-given"
def gradient_left(stream, norm, seed=0):
    """The size of the gradient at the start of twelve blocks, as a share of its size at their end."""
    torch.manual_seed(seed)
    blocks = [Block(32, 2, 16) for _ in range(12)]
    x = start = torch.randn(8, 16, 32, requires_grad=True)  # (b, tokens, d_model)
    for block in blocks:
        for part, norm_of in ((block.attention, block.norm_1), (block.mlp, block.norm_2)):
            written = part(norm_of(x) if norm else x)  # (b, tokens, d_model)
            x = x + written if stream else written
    sent = torch.randn_like(x)
    (x * sent).sum().backward()
    return float(start.grad.norm() / sent.norm())


# %% id="gradients-shown" tags=["measured", "shown"]
# needs Block
left = {
    "as it is": gradient_left(stream=True, norm=True),
    "without the norm": gradient_left(stream=True, norm=False),
    "without the stream": gradient_left(stream=False, norm=True),
    "without both": gradient_left(stream=False, norm=False),
}
for name, share in left.items():
    print(f"{name:20} {share:8.1e}")

# %% id="gradients-revealed" tags=["measured", "shown"]
# needs left
reveal("gradient-that-arrives", 3 - sum(share < 1e-6 for share in left.values()))

# %% [markdown] id="gradients-read"
# With the stream the gradient comes back whole, 1.3 to 2.1 times as large as it was sent: each block adds to what is
# there, and a sum passes its gradient on unchanged. LayerNorm alone keeps between a hundredth and a half of it, because
# it stretches what a part has made small. With neither, each part shrinks what it gets, and after 24 of them less than
# a hundred-billionth is left. (In each of 20 seeds, at the start of a training.)

# %% [markdown] id="hooks-intro"
# **Positions, without touching your attention.** Rotary positions turn queries and keys, and those are made inside
# your class. A **forward hook** is a function that a module calls with its result; what the hook returns takes the
# result's place. A hook on `W_query` and one on `W_key` do the turning, and your `forward` stays as it is. In
# lesson 09 hooks read and change what happens inside a trained model.


# %% id="rope-given"
# From lesson 07.
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


# %% [markdown] id="tiny-transformer-task"
# ### Task 6 · The transformer
#
# *15 minutes · a class · task id* `tiny-transformer`
#
# Write `TinyTransformer`:
#
# - `embedding`, an `nn.Embedding(vocab, d_model)`;
# - `positions`, an `nn.Embedding(context_length, d_model)` that is added, **only** with `position="learned"`;
# - `blocks`, an `nn.ModuleList` of `num_layers` blocks, which get `mlp` and `dropout`. With `position="rope"` call
#   `rotate(block.attention, num_heads)` for each. With `position="none"` there are no positions at all;
# - `norm`, a last LayerNorm, and `unembedding`, an `nn.Linear(d_model, vocab, bias=False)`.


# %% answer="tiny-transformer"
class TinyTransformer(nn.Module):
    """A causal transformer.

    Shapes:
        ids: (b, tokens), whole numbers
        returns: (b, tokens, vocab), the logits
    """

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
        ### BEGIN SOLUTION
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
        ### END SOLUTION

    def forward(self, ids):
        ### BEGIN SOLUTION
        x = self.embedding(ids)  # (b, tokens) -> (b, tokens, d_model)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.shape[1]]  # (b, tokens, d_model)
        for block in self.blocks:
            x = block(x)  # (b, tokens, d_model)
        return self.unembedding(self.norm(x))  # (b, tokens, vocab)
        ### END SOLUTION


# %% check="tiny-transformer" points=5
check("tiny-transformer")

# %% [markdown] id="own-parts-intro"
# **With your own parts.** A hook can do the whole work of a module. The next cell lets `embed` and your functions of
# tasks 2, 3 and 4 take the place of PyTorch's modules. The logits stay the same: there is nothing else in these
# modules.


# %% id="own-parts"
# needs Block, TinyTransformer, layer_norm, feed_forward, unembed
def with_own_parts(model):
    """Let your functions do the work of PyTorch's modules."""
    for part in model.modules():
        if isinstance(part, nn.Embedding):
            part.register_forward_hook(lambda one, given, result: embed(given[0], one.weight))
        if isinstance(part, nn.LayerNorm):
            part.register_forward_hook(lambda one, given, result: layer_norm(given[0], one.weight, one.bias))
        if isinstance(part, nn.Sequential):
            part.register_forward_hook(
                lambda one, given, result: feed_forward(given[0], *one[0].parameters(), *one[2].parameters())
            )
    model.unembedding.register_forward_hook(lambda one, given, result: unembed(given[0], one.weight))
    return model


little, pi = TinyTransformer(10, 8, 2, 2, 9), torch.tensor([[3, 1, 4, 1, 5, 9]])
before = little(pi)  # (b, tokens, vocab)
print("the same logits:", torch.allclose(with_own_parts(little)(pi), before, atol=1e-5))

# %% [markdown] id="next-token-labels-intro"
# ## 2 · One step, then many
#
# Position $t$ has to predict token $t + 1$. That is its right answer, its **label**. The last position has no next
# token. And some tokens cannot be predicted: in section 3 a model reads eight random digits and then writes them in
# reverse. So only tokens from position `first` on count. Every other position gets the label -100, the number that
# PyTorch's loss skips.


# %% id="next-token-labels-given"
def next_token_labels(ids, first=1):
    """The label of each position: the next token from position `first` on, and -100 elsewhere.

    Shapes:
        ids: (b, tokens), whole numbers
        returns: (b, tokens), whole numbers
    """
    labels = torch.full_like(ids, -100)  # (b, tokens)
    labels[:, first - 1 : -1] = ids[:, first:]
    return labels


next_token_labels(torch.tensor([[5, 6, 7, 8, 9]]), first=3)

# %% [markdown] id="next-token-loss-task"
# ### Task 7 · The loss
#
# *6 minutes · four lines · task id* `next-token-loss`
#
# Softmax turns the logits into probabilities. The loss of one position is minus the logarithm of its label's
# probability: 0 if the model is sure and right, and large if the label has hardly any probability. Write
# `next_token_loss(logits, labels)`, the mean over all positions whose label is not -100. Use `torch.log_softmax`, not
# the logarithm of a softmax: a tiny probability becomes 0 there, and its logarithm −∞. A model is trained through it,
# so let the gradient come back to the logits.
#
# From scratch: without `F.cross_entropy` and `F.nll_loss`, which cost one of the two points.


# %% answer="next-token-loss"
def next_token_loss(logits, labels):
    """The mean of -log(probability of the label) over all positions whose label is not -100.

    Shapes:
        logits: (b, tokens, vocab)
        labels: (b, tokens), whole numbers
        returns: one number
    """
    ### BEGIN SOLUTION
    counted = labels != -100  # (b, tokens)
    log_shares = torch.log_softmax(logits[counted], dim=-1)  # (positions that count, vocab)
    of_labels = log_shares.gather(-1, labels[counted][:, None])  # (positions that count, 1)
    return -of_labels.mean()
    ### END SOLUTION


# %% check="next-token-loss" points=2
check("next-token-loss")


# %% id="token-loss"
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


# %% [markdown] id="train-task"
# `cross_entropy` takes the logits as they are. It does the softmax itself, as your function does.
#
# ### Task 8 · The training loop
#
# *10 minutes · six lines · task id* `train`
#
# Write `train(model, batches, lr)`. Make a `torch.optim.AdamW` with this learning rate. Then for each `(ids, labels)`
# in `batches`: compute the loss with `token_loss`, clear the old gradients, compute the new ones, take one step.
# `batches` can be a generator: go through it once. The model trains in training mode; put it into eval mode at the
# end, and return it. The check compares what the model computes after one step and after three with the reference.


# %% answer="train"
def train(model, batches, lr=3e-3):
    """Take one AdamW step for each batch of ids and labels, both (b, tokens), and return the model."""
    ### BEGIN SOLUTION
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for ids, labels in batches:
        loss = token_loss(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()
    ### END SOLUTION


# %% check="train" points=4
check("train")

# %% [markdown] id="bug-training-loop-task"
# ### Task 9 · Find the bugs: a loop that hardly learns
#
# *8 minutes · two lines · task id* `bug-training-loop`
#
# A colleague's loop runs without an error. Its loss falls a little, then stays where it is or rises again. It has
# two bugs. Correct `careless_train`.


# %% answer="bug-training-loop"
### BEGIN SOLUTION
def careless_train(model, batches, lr=3e-3):
    """Take one AdamW step for each batch of ids and labels, both (b, tokens), and return the model."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for ids, labels in batches:
        logits = model(ids)  # (b, tokens, vocab)
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


### END SOLUTION
### BEGIN FAULTY
# def careless_train(model, batches, lr=3e-3):
#     """Take one AdamW step for each batch of ids and labels, both (b, tokens), and return the model."""
#     optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
#     model.train()
#     optimizer.zero_grad()
#     for ids, labels in batches:
#         logits = torch.softmax(model(ids), dim=-1)  # (b, tokens, vocab)
#         loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
#         loss.backward()
#         optimizer.step()
#     return model.eval()
### END FAULTY

# %% check="bug-training-loop" points=2
check("bug-training-loop")

# %% [markdown] id="bug-evaluation-task"
# ### Task 10 · Find the bugs: a loss that nobody should report
#
# *8 minutes · two lines · task id* `bug-evaluation`
#
# `reported_loss` should give the loss of predicting each next token. For a model with dropout it gives another number
# at each call. And a model that merely repeats the token it sees gets a loss near 0. Correct both, and leave the
# model in eval mode.


# %% answer="bug-evaluation"
### BEGIN SOLUTION
@torch.no_grad()
def reported_loss(model, ids):
    """The mean loss of predicting each next token of ids (b, tokens): one number."""
    model.eval()
    logits = model(ids)  # (b, tokens, vocab)
    predicted, wanted = logits[:, :-1], ids[:, 1:]
    return F.cross_entropy(predicted.flatten(0, 1), wanted.flatten())


### END SOLUTION
### BEGIN FAULTY
# @torch.no_grad()
# def reported_loss(model, ids):
#     """The mean loss of predicting each next token of ids (b, tokens): one number."""
#     model.train()
#     logits = model(ids)  # (b, tokens, vocab)
#     predicted, wanted = logits, ids
#     return F.cross_entropy(predicted.flatten(0, 1), wanted.flatten())
### END FAULTY

# %% check="bug-evaluation" points=2
check("bug-evaluation")

# %% [markdown] id="reverse-intro"
# ## 3 · Train on tasks whose solution you can see
#
# ### Reverse
#
# Eight digits, a bar, and the same digits in reverse. The model can work out what follows the bar. It cannot guess the
# digits before it. The model has one layer with one head, no MLP, and learned positions.


# %% id="reverse-data"
def reversed_digits(generator, batch_size=32, n=8):
    """n random digits, the bar (10), the digits in reverse: ids and labels, both (b, 2n + 1)."""
    digits = torch.randint(10, (batch_size, n), generator=generator)  # (b, n)
    bar = torch.full((batch_size, 1), 10)
    ids = torch.cat((digits, bar, digits.flip(1)), dim=1)  # (b, 2n + 1)
    return ids, next_token_labels(ids, first=n + 1)


def batches_of(make, steps, seed, **sizes):
    """As many batches as steps, the same ones for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return [make(generator, **sizes) for _ in range(steps)]


print(*("0123456789|"[one] for one in batches_of(reversed_digits, 1, seed=0)[0][0][0]))

# %% [markdown] id="reverse-map-task"
# ### Task 11 · Predict the map
#
# *5 minutes · one or two lines · task id* `reverse-map`
#
# **Predict, then run.** Which position must each position look at to know its next token? Write `reverse_map(n)`: for
# `n` digits a matrix (2n + 1, 2n + 1) with a 1 where the query (row) has to look at the key (column), and 0 elsewhere.
# Rows whose next token does not count stay 0. Watch the offset: the bar already predicts the first answer.


# %% answer="reverse-map"
def reverse_map(n):
    """Where each position of a reversed sequence has to look: (2n + 1, 2n + 1), zeros and ones."""
    ### BEGIN SOLUTION
    map_ = torch.zeros(2 * n + 1, 2 * n + 1)  # (query, key)
    for answer in range(n):
        map_[n + answer, n - 1 - answer] = 1.0
    return map_
    ### END SOLUTION


# %% check="reverse-map" points=2
check("reverse-map")

# %% id="reverse-map-shown" tags=["figure"]
attention_map(reverse_map(8), list("12345678|87654321"), title="Your prediction", row_sums=False)


# %% id="maps-given"
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


def first_map(model, ids):
    """The map of a model with one head, of the first sequence: (tokens, tokens)."""
    return maps_of(model, ids, 1)[0][0, 0]


# %% id="on-line-given"
def on_line(model, ids):
    """The mean weight on the places that `reverse_map` names."""
    line = reverse_map(8)
    return float((maps_of(model, ids, 1)[0].mean(dim=(0, 1)) * line).sum() / line.sum())


# %% [markdown] id="reverse-train"
# Now train it. The next cell calls **your** `train` with 300 batches. It shows the progress while it runs;
# afterwards you can choose any moment of the training. Watch the map: when does the line appear, before the loss
# falls, with it, or after it? The third curve is the weight on your line.

# %% id="reverse-trained" tags=["figure", "measured"]
# needs Block, TinyTransformer, train, reverse_map
torch.manual_seed(0)
reverser = TinyTransformer(11, 32, 1, 1, 17, position="learned", mlp=False)
unseen = batches_of(reversed_digits, 1, seed=999)[0]
explore_training(
    lambda batches: train(reverser, batches),
    batches_of(reversed_digits, 300, seed=0),
    {
        "loss": lambda: token_loss(reverser(unseen[0]), unseen[1]),
        "accuracy": lambda: accuracy(reverser, unseen),
        "on your line": lambda: on_line(reverser, unseen[0]),
    },
    look=lambda: first_map(reverser, unseen[0]),
    tokens=["0123456789|"[one] for one in unseen[0][0]],
    title="Reverse: one layer, one head",
)

# %% [markdown] id="reverse-read"
# The line is the one that you predicted, and it appears *with* the fall of the loss: over 20 seeds the loss was
# halved after 40 to 60 steps, and half of the weight was on the line after 30 to 50. The rows above the bar do not
# matter: the loss ignores them.
#
# ### Previous token
#
# Random tokens, and the label of each is the token *before* it. One layer with rotary positions does it: RoPE makes a
# score depend on the distance, and here the distance is all that counts.


# %% id="previous-data"
def previous_tokens(generator, batch_size=32, length=16, vocab=20):
    """Random ids, and the token before each as its label: both (b, length)."""
    ids = torch.randint(vocab, (batch_size, length), generator=generator)
    labels = torch.full_like(ids, -100)
    labels[:, 1:] = ids[:, :-1]
    return ids, labels


def previous_token_score(weights):
    """How much each head looks at the token before, on average over all queries that have one.

    Shapes:
        weights: (heads, tokens, tokens)
        returns: (heads,)
    """
    return weights.diagonal(offset=-1, dim1=1, dim2=2).mean(dim=-1)  # (heads, tokens - 1) -> (heads,)


# %% id="previous-trained" tags=["figure", "measured"]
# needs Block, TinyTransformer, train
torch.manual_seed(0)
copier = TinyTransformer(20, 32, 1, 1, 16, position="rope", mlp=False)
heard = batches_of(previous_tokens, 1, seed=999)[0]
explore_training(
    lambda batches: train(copier, batches),
    batches_of(previous_tokens, 300, seed=0),
    {
        "loss": lambda: token_loss(copier(heard[0]), heard[1]),
        "accuracy": lambda: accuracy(copier, heard),
        "previous-token score": lambda: previous_token_score(maps_of(copier, heard[0], 1)[0][0])[0],
    },
    look=lambda: first_map(copier, heard[0]),
    tokens=[chr(ord("a") + one) for one in heard[0][0]],
    title="Previous token: one layer, one head",
)

# %% [markdown] id="addition-intro"
# ### Addition
#
# `27+58=580`: two numbers of two digits, and their sum is written **backwards**, units first: 085 becomes 580. So each
# digit comes right after the digit that its carry comes from. Two layers with four heads, and this time with MLPs.
# **Predict first:** which digits must the row of `=` look at, to write the units of the sum?


# %% id="addition-data"
def sums(generator, batch_size=128):
    """Sums of two numbers below 100, as ids and labels: both (b, 9). 10 stands for +, 11 for =."""
    one, other = torch.randint(100, (2, batch_size), generator=generator)  # (b,) each

    def digits(numbers, count):
        return torch.stack([numbers // 10**place % 10 for place in range(count)], dim=1)  # ones first

    sign, equals = torch.full((batch_size, 1), 10), torch.full((batch_size, 1), 11)
    parts = digits(one, 2).flip(1), sign, digits(other, 2).flip(1), equals, digits(one + other, 3)
    ids = torch.cat(parts, dim=1)  # (b, 9)
    return ids, next_token_labels(ids, first=6)


# %% id="addition-trained" tags=["figure", "measured"]
# needs Block, TinyTransformer, train
torch.manual_seed(0)
adder = TinyTransformer(12, 64, 4, 2, 16, position="learned")
asked = batches_of(sums, 1, seed=999)[0]
explore_training(
    lambda batches: train(adder, batches),
    batches_of(sums, 400, seed=0),
    {
        "loss": lambda: token_loss(adder(asked[0]), asked[1]),
        "accuracy": lambda: accuracy(adder, asked),
    },
    look=lambda: maps_of(adder, asked[0][:1], 4)[0][0].amax(dim=0),
    tokens=["0123456789+="[one] for one in asked[0][0]],
    title="Addition: the largest weight over four heads, first layer",
)


# %% id="digits-given"
def digits_right(model, batch):
    """How often units, tens and hundreds of the sum are right: (3,)."""
    ids, labels = batch
    return (model(ids).argmax(dim=-1) == labels)[:, 5:8].float().mean(dim=0)


# %% [markdown] id="addition-read"
# The loss stays on a plateau first. There the model writes the hundreds, and guesses the rest: over 20 seeds, after
# 50 steps, the hundreds were right in nearly every sum, units and tens in about one of ten, which is chance. (The hundreds
# are easy: the tens of the sum come right before them, and together with the tens of both numbers they decide it.)
# Then the units come, and the tens with their carry come last. How long that takes is a matter of luck: 200 to 450
# steps over 20 seeds, until nine of ten tens were right, so with some seeds longer than this training. Look at the row of `=`: to write the units, it needs the last digit of both
# numbers.

# %% [markdown] id="stop-here"
# **A good place to stop for a day.**

# %% [markdown] id="repeated-intro"
# ## 4 · Generate
#
# A model that has learned to predict the next token can write. The text is a random sequence that repeats:
# `d k a d k a d …` Two layers with one head each learn to go on with it. In lesson 09 you find out how they do it.


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


# %% id="followed-given"
def loss_on(batch):
    """A measurement: a model's loss on a batch that it is not trained on."""
    return lambda model: token_loss(model(batch[0]), batch[1]).item()


def followed(model, batches, measure, every=25, trained=None):
    """Train, and note a measurement every few steps: (steps, values)."""
    steps, values = [], []

    def watched():
        for step, batch in enumerate([*batches, None]):
            if step % every == 0:
                steps.append(step)
                values.append(float(measure(model)))
            if batch is not None:
                yield batch

    (trained or train)(model, watched())
    return steps, values


def fresh(num_layers, num_heads=1, context_length=33, seed=0):
    """A new model for repeated sequences, drawn under a seed."""
    torch.manual_seed(seed)
    return TinyTransformer(20, 32, num_heads, num_layers, context_length, position="rope", mlp=False)


# %% id="generator-trained" tags=["figure", "measured"]
# needs Block, TinyTransformer, train
new = batches_of(repeated, 1, seed=999)[0]
writer = fresh(2)
training_curves(
    {"loss": followed(writer, batches_of(repeated, 400, seed=0), loss_on(new))},
    title="Sequences that repeat: two layers",
)

# %% [markdown] id="next-token-probabilities-intro"
# To write, a model has to choose from its logits. **Greedy** takes the largest. To draw instead, turn the logits into
# probabilities. They are divided by a **temperature** first: below 1 the favourites gain, above 1 they lose. With
# **top-k** only the `top_k` largest logits of each row keep a chance. (In lesson 12 you write this yourself, with
# top-p.)


# %% id="next-token-probabilities-given"
def next_token_probabilities(logits, temperature=1.0, top_k=None):
    """The probability of each token to be the next one: (b, vocab) to (b, vocab)."""
    scores = logits / temperature  # (b, vocab)
    if top_k is not None:
        least = scores.topk(top_k, dim=-1).values[:, -1:]  # (b, 1)
        scores = scores.masked_fill(scores < least, -torch.inf)
    return torch.softmax(scores, dim=-1)


# %% [markdown] id="generate-task"
# ### Task 12 · Generate greedily
#
# *8 minutes · five lines · task id* `generate`
#
# Write `generate(model, ids, count, context_length)`: `count` times, run the model, take the token with the largest
# logit at the *last* position of each sequence, and append it. A model has seen `context_length` tokens at most, so
# give it only the last ones.


# %% answer="generate"
@torch.no_grad()
def generate(model, ids, count, context_length):
    """Append the likeliest next token, `count` times.

    Shapes:
        ids: (b, tokens)
        returns: (b, tokens + count)
    """
    ### BEGIN SOLUTION
    for _ in range(count):
        logits = model(ids[:, -context_length:])  # (b, tokens, vocab)
        likeliest = logits[:, -1].argmax(dim=-1, keepdim=True)  # (b, 1)
        ids = torch.cat((ids, likeliest), dim=1)  # (b, tokens + 1)
    return ids
    ### END SOLUTION


# %% check="generate" points=3
check("generate")


# %% id="spoken-given"
def spoken(ids):
    """Ids as letters."""
    return " ".join(chr(ord("a") + one) for one in ids)


@torch.no_grad()
def sample(model, ids, count, choose):
    """Append `count` tokens, each chosen from the logits (b, vocab) of the last position."""
    for _ in range(count):
        ids = torch.cat((ids, choose(model(ids)[:, -1])), dim=1)  # (b, tokens + 1)
    return ids


# %% id="sampled-shown" tags=["measured", "shown"]
# needs writer, generate
prompt = twice(7)[:1, :15]
plain = generate(writer, prompt, 12, 33)


def drawn(temperature, top_k=None):
    """A choice by chance, for `sample`."""
    return lambda logits: torch.multinomial(next_token_probabilities(logits, temperature, top_k), 1)


logits = torch.tensor([[3.0, 2.0, 1.0, 0.0]])
for temperature, top_k in ((1.0, None), (0.5, None), (3.0, None), (3.0, 2)):
    shares = next_token_probabilities(logits, temperature, top_k)[0]
    print(f"temperature {temperature}, top_k {top_k}:", [round(share, 2) for share in shares.tolist()])
print("prompt:", spoken(prompt[0]))
print("greedy:", spoken(plain[0]))
torch.manual_seed(0)
for temperature in (0.5, 5.0):
    found = sample(writer, prompt, 12, drawn(temperature))
    print(f"drawn at temperature {temperature}, the greedy text again:", torch.equal(found, plain))

# %% [markdown] id="real-run-intro"
# ### A real run
#
# Everything so far took seconds. Here is a training of about four minutes on one core: your transformer with three blocks
# and `d_model` 96, on Python's documentation, cut into pieces of words by the tokenizer that you build in lesson 12. It
# was run before; the files come with the course, and `python -m benchmarks.real_run` makes them again. Three lines are
# new in its loop, and every large training has them:
#
# - **Clipping**: a gradient longer than 1 is made as long as 1, so that one odd batch cannot throw the model far.
# - **Warm-up**: the learning rate rises for a tenth of the steps, because AdamW's averages are made of few gradients at
#   first.
# - **Cosine**: then it falls along half a cosine, so that the last steps only make small corrections.
#
# ```python
# loss.backward()
# nn.utils.clip_grad_norm_(model.parameters(), 1.0)
# for group in optimizer.param_groups:
#     group["lr"] = learning_rate(step, steps, peak)
# optimizer.step()
# ```

# %% id="real-run-rates" tags=["figure"]
steps = range(0, 2000, 10)
training_curves(
    {"learning rate": (steps, [learning_rate(step, 2000, 4e-3) for step in steps])},
    title="Warm-up and cosine",
    unit="learning rate",
)

# %% id="real-run-curves" tags=["figure"]
run = json.loads(RUN.read_text(encoding="utf-8"))
training_curves(
    {name: (run["steps"], run[name]) for name in ("pages that are learned", "unseen pages")},
    title="A real run",
)

# %% id="real-run-written"
print(f"{run['parameters']:,} parameters, {run['tokens']:,} tokens, {run['vocabulary']} in the vocabulary")
for step, written in run["written"].items():
    print(f"--- after {step} steps:\n{written}")

# %% [markdown] id="real-run-read"
# The text can be read: pieces of words after 100 steps, phrases after 500, and at the end lines that sound like
# documentation and mean nothing. To guess among 512 tokens costs 6.24. On unseen pages the loss fell to about 3.0 and
# stayed there from step 1,200 on, while on the learned pages it went on falling, to 1.1: in 2,000 steps the model reads its
# 234,000 tokens 17 times and learns them by heart. More text would help it, and more steps would not. (One seed. The
# tokenizer learned its merges from the unseen pages, so those are not quite unseen.)

# %% [markdown] id="break-it-intro"
# ## 5 · Break it
#
# The classic bugs of this course, each put into **your** class from outside, by hooks, and trained as before: two
# layers with two heads, on repeated sequences, from the same start.
#
# Which one never learns? Which ones only learn later? And which one looks too good?

# %% id="bugs-prediction"
predict(
    "best-curve",
    "Draw the loss of each after 100 steps. Before the first step it is about 3.5.",
    bars=(
        "right",
        "no mask",
        "no scale",
        "keys as values",
        "split without transpose",
        "merge without transpose",
        "softmax over queries",
        "zero_grad forgotten",
        "softmax before the loss",
    ),
    most=4.0,
)


# %% id="bugs-given"
def compute_by(contexts_of, attention, num_heads):
    """Let an attention get its contexts from another function of queries, keys, values and mask."""

    def instead(attention, given, result):
        mask = torch.ones(given[0].shape[1], given[0].shape[1]).triu(1)  # (tokens, tokens), 1 = hidden
        contexts = contexts_of(*heads_of(attention, given[0], num_heads), mask)
        return attention.out_proj(contexts.transpose(1, 2).flatten(2))  # (b, tokens, d_model)

    attention.register_forward_hook(instead)


def unmasked(queries, keys, values, mask):
    """The contexts if every query sees every key."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
    return torch.softmax(scores, dim=-1) @ values


def heads_cut(x, num_heads):
    """What leaving out the transpose makes of (b, tokens, d_model): rows hold pieces of several tokens."""
    b, num_tokens, d_model = x.shape
    return x.view(b, num_heads, num_tokens, -1).transpose(1, 2).reshape(b, num_tokens, d_model)


def over_queries(queries, keys, values, mask):
    """The contexts if softmax runs over the queries: each *column* of the weights adds up to 1."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
    return torch.softmax(scores.masked_fill(mask.bool(), -torch.inf), dim=-2) @ values


def with_bug(bug, num_heads=2, seed=0):
    """A new model with one bug in each attention."""
    model = fresh(2, num_heads, seed=seed)
    for block in model.blocks:
        attention = block.attention
        if bug == "no scale":
            attention.W_query.register_forward_hook(lambda module, given, queries: queries * 16**0.5)
        if bug == "no mask":
            compute_by(unmasked, attention, num_heads)
        if bug == "keys as values":
            attention.W_value = attention.W_key
        if bug == "split without transpose":
            for project in (attention.W_query, attention.W_key, attention.W_value):
                project.register_forward_hook(
                    lambda module, given, projected: heads_cut(projected.contiguous(), num_heads)
                )
        if bug == "softmax over queries":
            compute_by(over_queries, attention, num_heads)
        if bug == "merge without transpose":
            attention.out_proj.register_forward_pre_hook(
                lambda module, given: (heads_cut(given[0].contiguous(), num_heads),)
            )
    return model


def without_clearing(model, batches):
    """Your loop with `zero_grad` forgotten."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for ids, labels in batches:
        token_loss(model(ids), labels).backward()
        optimizer.step()


def softmax_first(model, batches):
    """Your loop with a softmax before the cross-entropy."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for ids, labels in batches:
        loss = token_loss(torch.softmax(model(ids), dim=-1), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


LOOPS = {"zero_grad forgotten": without_clearing, "softmax before the loss": softmax_first}
BUGS = (
    "right",
    "no mask",
    "no scale",
    "keys as values",
    "split without transpose",
    "merge without transpose",
    "softmax over queries",
    *LOOPS,
)
broken, curves = {}, {}


def curve_of(bug):
    """Train a new model with this bug; its loss on new text, along the steps."""
    broken[bug] = with_bug(bug)
    batches, measure = batches_of(repeated, 300, seed=0), loss_on(new)
    curves[bug] = followed(broken[bug], batches, measure, trained=LOOPS.get(bug))
    return curves[bug]


# %% id="break-it" tags=["figure", "measured"]
# needs Block, TinyTransformer, train
training_curves({bug: curve_of(bug) for bug in BUGS}, title="The same training, right and with one bug each")

# %% id="bugs-revealed" tags=["measured", "shown"]
# needs Block, TinyTransformer, train
reveal("best-curve", {bug: losses[4] for bug, (_, losses) in curves.items()}, within=0.3, most=4.0)


# %% id="break-it-generated" tags=["measured", "shown"]
# needs Block, TinyTransformer, train, generate
def continued(name, model):
    """Print what a model writes after the prompt, one token at a time, and how much of it is right."""
    prompt, wanted = twice(7)[:1, :15], twice(7)[:1].repeat(1, 2)[:, 15:27]
    written = generate(model, prompt, 12, 33)
    print(f"{name:20} continues {spoken(prompt[0, -3:])} with", spoken(written[0, 15:]))
    print(f"{'':20} right: {int((written[:, 15:] == wanted).sum())} of 12")


# Three models with a low loss.
for bug in ("right", "no mask", "softmax over queries"):
    continued(bug, broken[bug])

# %% [markdown] id="break-it-read"
# <details><summary>What to see</summary>
#
# - **No mask** falls first and fastest: the next token is in the input, and the model copies it. While it writes,
#   that token is not there yet, and the text is nonsense. A loss near 0 that comes too early is a warning.
# - **`zero_grad` forgotten** adds up the gradients of all steps, and the model gets nowhere. With **softmax before the
#   loss** the gradients are small, and training does not minimise the true loss, which rises first and comes down
#   late, or not at all within 300 steps. Nothing complains.
# - **No scale** and **keys as values** only learn later. Nobody would notice without the right curve next to them.
# - **Splitting or merging without the transpose** hands each token pieces of others. Both learn something, and stay far
#   behind.
# - **Softmax over the queries** looks like a model that is only slow. But each column adds up to 1 over *all* queries,
#   so the weights of an early query depend on later tokens, and no mask hides that. Its text is nearly as bad as
#   without one.
#
# Over 25 seeds: after 100 steps the loss without a mask was mostly near 0.1 and never above 1.8, and every other one
# was above 2. After 300 steps the loss was below 0.01 with the mask and without it. But the right model wrote at least
# 99 % of the tokens right, and the one without a mask 5 to 9 %, where chance is 5 %.
#
# </details>
#
# ### Task 13 · Find the bug: a loss that is too good
#
# *6 minutes · one line · task id* `bug-lost-mask`
#
# A colleague has rewritten attention and shows you the loss on new text: about 0.1 after 100 steps, where yours is
# still at 2.5, and near 0 after 300. But what the model writes is nonsense. Correct `careless_attention`. The cell
# below it trains the two layers with this function: run it before you correct it, and once more afterwards.


# %% answer="bug-lost-mask"
### BEGIN SOLUTION
def careless_attention(queries, keys, values, mask):
    """The contexts (b, heads, tokens, head_dim) of causal attention; mask is 1 above its diagonal."""
    num_tokens = queries.shape[2]
    hidden = mask.bool()[:num_tokens, :num_tokens]  # (tokens, tokens)
    scores = queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
    scores = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(scores, dim=-1) @ values


### END SOLUTION
### BEGIN FAULTY
# def careless_attention(queries, keys, values, mask):
#     """The contexts (b, heads, tokens, head_dim) of causal attention; mask is 1 above its diagonal."""
#     num_tokens = queries.shape[2]
#     hidden = mask.bool()[:num_tokens, :num_tokens]  # (tokens, tokens)
#     scores = queries @ keys.transpose(2, 3) / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
#     scores.masked_fill(hidden, -torch.inf)
#     return torch.softmax(scores, dim=-1) @ values
### END FAULTY


# %% id="bug-lost-mask-symptom" tags=["measured", "shown"]
# needs Block, TinyTransformer, train, generate
def trained_by(contexts_of):
    """Train two layers whose attention this function computes; print the losses, and what the model writes."""
    model = fresh(2, num_heads=2)
    for block in model.blocks:
        compute_by(contexts_of, block.attention, 2)
    _, losses = followed(model, batches_of(repeated, 300, seed=0), loss_on(new), every=100)
    print(f"loss on new text: {losses[1]:.2f} after 100 steps, {losses[3]:.2f} after 300")
    continued("this model", model)


trained_by(careless_attention)

# %% check="bug-lost-mask" points=2
check("bug-lost-mask")

# %% [markdown] id="words-intro"
# ## In your own words
#
# A colleague trains a model and reports a loss of 0.05 after a hundred steps, "better than anybody before". What would
# you check before you believe it, and what did you see in this lesson? Answer in three to six sentences. (3 points,
# read by a person.)

# %% [markdown] answer="too-good-in-words" points=3
# ### BEGIN SOLUTION
# A loss that is low too early is a warning: perhaps the answer is in the input. I would check that the labels are
# shifted by one, that the mask hides the future, and that the loss was measured on text that the model has not seen, in
# eval mode. Then I would let the model write, because there the next token is not in the input. In this lesson the
# model without a mask had the lowest loss after 100 steps. But what it wrote was nonsense, while the right model, whose
# loss fell later, wrote nearly every token right.
#
# **Marking scheme**
#
# - 1 point: suspects that the answer is in the input, and names a way: no mask, labels that are not shifted.
# - 1 point: names a check that shows it: let the model write, or change a later token and look at earlier outputs.
# - 1 point: uses what the lesson measured: the model without a mask had the lowest early loss, and its text was wrong.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape | what it does |
# | --- | --- | --- | --- |
# | embed | `table[ids]` | (b, tokens, d_model) | a vector for each token |
# | attention | `x + self.attention(self.norm_1(x))` | (b, tokens, d_model) | moves information between tokens |
# | MLP | `x + self.mlp(self.norm_2(x))` | (b, tokens, d_model) | works within a token: wider, GELU, and back |
# | unembed | `norm(x) @ weight.T` | (b, tokens, vocab) | logits for the next token |
# | labels | `labels[:, first - 1 : -1] = ids[:, first:]` | (b, tokens) | position t predicts token t + 1 |
# | loss | `-log_softmax(logits)` at the labels | one number | `cross_entropy` does it in one call |
#
# - Every part adds to the stream, so a later part can read what an earlier one wrote.
# - A loss curve shows that something is learned. Maps show where heads look.
# - The best curve can belong to the worst bug.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. A model has loss 0.02 after fifty steps on new text. Good news?</summary>
#
# Hardly. Look for the answer in the input: labels that are not shifted, or a mask that hides nothing. Let it
# generate: a leak shows at once.
#
# </details>
#
# <details><summary>2. Why does the last position of a sequence have no label?</summary>
#
# Its next token is not in the sequence. Position t predicts token t + 1.
#
# </details>
#
# <details><summary>3. What does the MLP do for a token that attention did not bring to it?</summary>
#
# Nothing. It works on each token alone. Only attention moves information between tokens.
#
# </details>

# %% [markdown] id="grow-intro"
# ## Appendix · What does each part buy?
#
# *Without points: skip it if you are short of time.* The next cells train on text, 18 000 characters of Python's
# documentation, and measure the loss on 2 000 characters that no training sees. Start with a model that knows only how
# frequent each character is, the **unigram** model. Then take a transformer without any block, only the embedding, the
# positions and the unembedding: it can learn which character follows which. Then add one part after another: attention
# with one head, four heads, the MLP, three blocks instead of one, and last the LayerNorms. Each model takes 300 steps,
# on the same batches.
#
# **Predict, then run.**

# %% id="grow-prediction"
predict(
    "largest-gain",
    "Which step lowers the loss on the held-out text most?",
    (
        "the tables, without any block",
        "one head of attention",
        "four heads",
        "the MLP",
        "three blocks",
        "LayerNorm",
    ),
)


# %% id="grow-given"
STAGES = {  # heads, blocks, MLP, LayerNorm
    "the tables, without any block": (1, 0, False, False),
    "one head of attention": (1, 1, False, False),
    "four heads": (4, 1, False, False),
    "the MLP": (4, 1, True, False),
    "three blocks": (4, 3, True, False),
    "LayerNorm": (4, 3, True, True),
}
text = encode(HELD_OUT.read_text())  # (characters,)
to_learn, held_out = text[:-2016], text[-2016:].view(-1, 48)  # (characters,), (windows, characters)


def pieces_of(generator, batch_size=16, length=48):
    """Random windows of the text to learn from: ids and labels, both (b, length)."""
    starts = torch.randint(len(to_learn) - length, (batch_size, 1), generator=generator)
    ids = to_learn[starts + torch.arange(length)]  # (b, length)
    return ids, next_token_labels(ids)


def unigram():
    """The loss of a model that knows only how frequent each character is."""
    counts = torch.bincount(to_learn, minlength=len(VOCABULARY)) + 1.0  # (vocab,)
    return float(-(counts / counts.sum()).log()[held_out[:, 1:]].mean())


def grown(heads, blocks, mlp, norm, seed=0):
    """The loss on the held-out text after 300 steps."""
    torch.manual_seed(seed)
    model = TinyTransformer(len(VOCABULARY), 64, heads, blocks, 48, position="learned", mlp=mlp)
    for part in () if norm else (model, *model.blocks):
        for name in [name for name, _ in part.named_children() if "norm" in name]:
            setattr(part, name, nn.Identity())
    train(model, batches_of(pieces_of, 300, seed=seed), lr=1e-2)
    return loss_on((held_out, next_token_labels(held_out)))(model)


# %% id="grow-shown" tags=["measured", "shown"]
# needs TinyTransformer, train
losses = {"unigram": unigram()}
losses |= {stage: grown(*sizes) for stage, sizes in STAGES.items()}
values = list(losses.values())
for (stage, loss), before in zip(losses.items(), [values[0], *values]):
    print(f"{stage:30} {loss:5.2f}   {loss - before:+5.2f}")

# %% id="grow-revealed" tags=["measured", "shown"]
# needs losses
reveal("largest-gain", int(torch.tensor(values).diff().argmin()))

# %% [markdown] id="grow-read"
# Most of the gain is the tables: which character follows which takes the loss from 2.90 to 1.97, without any attention.
# (To guess among 96 characters costs 4.56.) One head gains another 0.16, and the MLP 0.12. Four heads hardly matter
# here. Three blocks without LayerNorm are *worse* than one, by 0.08. With LayerNorm the same three blocks are at 1.65,
# and so is a single block with LayerNorm. (Means over ten seeds; one seed can differ from them by 0.1.)
#
# A part is worth what it does together with the others: here blocks need the norm. And a small loss is no proof of
# attention: ask first what a model without it would get.

# %% [markdown] id="sources"
# ## Sources
#
# - **Attention Is All You Need**, Vaswani and others, 2017. Sections 3.3 and 3.4: the MLP, the embedding and the
#   softmax around the attention.
# - **Deep Residual Learning for Image Recognition**, He and others, 2015. Deep networks with and without parts that
#   add to what is there.
# - **Layer Normalization**, Ba, Kiros and Hinton, 2016. LayerNorm, and why it looks at one example at a time.
# - **On Layer Normalization in the Transformer Architecture**, Xiong and others, 2020. The norm before each part or
#   after it, and what that does to the gradients.
# - **Gaussian Error Linear Units**, Hendrycks and Gimpel, 2016. GELU, compared with ReLU.
# - **Decoupled Weight Decay Regularization**, Loshchilov and Hutter, 2017. AdamW, the optimizer of the training loop.
# - **Teaching Arithmetic to Small Transformers**, Lee and others, 2023. Addition with the sum written backwards, and
#   how suddenly it is learned.
# - **Dropout: A Simple Way to Prevent Neural Networks from Overfitting**, Srivastava and others, 2014. What dropout
#   does for a model that learns its data by heart.

# %% id="progress"
progress("08-train-it")
