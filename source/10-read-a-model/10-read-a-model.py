# %% [markdown] id="title"
# # 10 · Read a model
#
# In lessons 08 and 09 you trained models of your own. Here you get one that somebody else has trained, as a file of
# numbers. You load it into **your** classes, name by name, until your logits are the same as theirs. Then you read it:
# what its heads look at, which of them it needs, and at which layer it knows what comes next. Nothing is trained in
# this lesson.
#
# **When you are done you can**
#
# - load a checkpoint in GPT-2's form into classes of your own, and prove that nothing went wrong;
# - say what a perplexity means, and compute it;
# - state a claim about a head so precisely that it can be measured, and test it by taking the head away;
# - read what a model expects after each layer.
#
# **Time:** about 130 minutes. **Before you start:** `MultiHeadAttention` (lesson 05), `Block` and `TinyTransformer`
# (lesson 08), hooks (lessons 08 and 09). Where yours are not right yet, the course's are used instead.

# %% id="setup"
import json

from autograder import bring_over, check, hint, predict, progress, quiz, reveal, review
from visuals import attention_map, explore_model, look_inside, training_curves
from visuals.checkpoint import CURVE, FILE, HELD_OUT, VOCABULARY, decode, encode, windows
from visuals.checkpoint.train import trained

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)

# %% id="review"
review("10-read-a-model")

# %% [markdown] id="file-intro"
# ## 1 · From a file to your classes
#
# The model was trained on the documentation that comes inside Python 3.11.7, which the licence of the Python Software
# Foundation allows; `help("for")` shows a page of it. A token is one character. There are 96: the printable ones of
# ASCII and the end of a line. One page in ten was held out, and the model has never seen it. To reward copying, one
# training sequence in four was not a page but a short string of shuffled characters, repeated. The figure shows the
# loss on held-out pages, and on random characters when they come again. The third line is what these characters cost a
# model that knows only how frequent each one is: their **entropy**.

# %% id="curve" tags=["figure"]
curve = json.loads(CURVE.read_text())
frequencies = torch.bincount(windows(HELD_OUT.read_text()).flatten(), minlength=len(VOCABULARY)) + 1e-9
frequencies = frequencies / frequencies.sum()  # (vocab,)
entropy = float(-(frequencies * frequencies.log()).sum())
curve["by frequency alone"] = [entropy] * len(curve["steps"])
training_curves(
    {name: (curve["steps"], values) for name, values in curve.items() if name != "steps"},
    title="How the checkpoint was trained",
)

# %% [markdown] id="curve-read"
# For a thousand steps random characters cost the model more the second time than their entropy, 3.05: it gains nothing
# from having seen them. Then, within 500 steps, the loss falls to 1.0. You know this jump from lesson 09. Somewhere in
# the file there are heads that do it. (`python -m visuals.checkpoint.train` makes the file again, in about five
# minutes.)
#
# What is in the file?

# %% id="stored"
stored = load_file(FILE)
for name in sorted(stored):
    if not name.startswith("h.1"):  # the second block has the same names as the first
        print(f"{name:22} {tuple(stored[name].shape)}")

# %% [markdown] id="stored-read"
# These are GPT-2's names and shapes, and it has three habits that differ from yours.
#
# | in the file | in your classes | the difference |
# | --- | --- | --- |
# | `wte` (vocab, d_model) | `embedding`, `unembedding` | one table serves twice: the two are **tied** |
# | `wpe` | `positions` | |
# | `h.0.ln_1`, `h.0.ln_2`, `ln_f` | `blocks.0.norm_1`, `blocks.0.norm_2`, `norm` | |
# | `h.0.attn.c_attn` (d_model, 3 · d_model) | `W_query`, `W_key`, `W_value` of `blocks.0.attention` | three matrices in one, **fused** |
# | `h.0.attn.c_proj` | `blocks.0.attention.out_proj` | stored as (in, out): **transposed** |
# | `h.0.mlp.c_fc`, `h.0.mlp.c_proj` | `blocks.0.mlp.0`, `blocks.0.mlp.2` | transposed |
#
# GPT-2 keeps the weights of its linear layers as (in, out) and computes `x @ weight`. Your `nn.Linear` keeps (out, in)
# and computes `x @ weight.T`. (GPT-2 itself also has a bias for queries, keys and values, which you would get with
# `qkv_bias=True`, and an approximation of GELU.)
#
# The next two cells hold the course's classes, and look for yours.


# %% id="course-classes"
# From lessons 05 and 08.
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


class Block(nn.Module):
    def __init__(self, d_model, num_heads, context_length, mlp=True, dropout=0.0):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, d_model, context_length, dropout, num_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))  # (b, tokens, d_model)
        return x + self.mlp(self.norm_2(x))  # (b, tokens, d_model)


class TinyTransformer(nn.Module):
    def __init__(self, vocab, d_model, num_heads, num_layers, context_length, position="learned"):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.positions = nn.Embedding(context_length, d_model)
        self.blocks = nn.ModuleList(Block(d_model, num_heads, context_length) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model)
        self.unembedding = nn.Linear(d_model, vocab, bias=False)

    def forward(self, ids):
        x = self.embedding(ids) + self.positions.weight[: ids.shape[1]]  # (b, tokens, d_model)
        for block in self.blocks:
            x = block(x)  # (b, tokens, d_model)
        return self.unembedding(self.norm(x))  # (b, tokens, vocab)


# %% id="own-classes"
MultiHeadAttention = bring_over("05-multi-head", "multi-head-attention", MultiHeadAttention)
# Your transformer comes with your Block, which gets your attention from lesson 05.
TinyTransformer = bring_over("08-train-it", "tiny-transformer", TinyTransformer, MultiHeadAttention)

# %% [markdown] id="split-fused-task"
# ### Task 1 · Three matrices out of one
#
# *5 minutes · one line · task id* `split-fused`
#
# Write `split_fused(weight)`. It gets a fused weight as GPT-2 stores it, (in, 3 · out): first the columns of the
# queries, then those of the keys, then those of the values. Return the three as `nn.Linear` keeps them, each (out,
# in).


# %% answer="split-fused"
def split_fused(weight):
    """The weights of queries, keys and values, as nn.Linear keeps them.

    Shapes:
        weight: (in, 3 * out)
        returns: three of (out, in)
    """
    ### BEGIN SOLUTION
    return tuple(part.T for part in weight.chunk(3, dim=1))
    ### END SOLUTION


# %% check="split-fused" points=2
check("split-fused")

# %% id="names-given"
NAMES = {
    "wte": "embedding",
    "wpe": "positions",
    "ln_f": "norm",
    "h": "blocks",
    "ln_1": "norm_1",
    "ln_2": "norm_2",
    "attn": "attention",
    "c_attn": "fused",
    "c_fc": "0",
}


def own_name(name):
    """The name that a stored tensor has in your classes."""
    last = "out_proj" if "attn" in name else "2"
    return ".".join(last if part == "c_proj" else NAMES.get(part, part) for part in name.split("."))


for name in ("wte.weight", "h.1.attn.c_proj.bias", "h.0.mlp.c_proj.weight", "h.0.attn.c_attn.weight"):
    print(f"{name:24} -> {own_name(name)}")

# %% [markdown] id="place-task"
# ### Task 2 · Every tensor in its place
#
# *15 minutes · nine lines · task id* `place`
#
# Write `place(model, name, tensor)`: put one stored tensor into its place in the model, and return the model.
# `own_name` above translates all names but two: `c_attn` has three places, and `wte` has two.
#
# - `model.get_parameter("blocks.0.norm_1.bias")` gives you a parameter by its name; `.copy_(…)` writes numbers into it.
# - The weights of `c_proj` and `c_fc` are transposed, in the attention as in the MLP. Their biases have one axis.
# - `c_attn` is split, and goes into `W_query`, `W_key` and `W_value`.
# - `wte` is the embedding and the unembedding.


# %% answer="place"
@torch.no_grad()
def place(model, name, tensor):
    """Put one stored tensor into the model.

    name: as it is stored, "h.0.attn.c_proj.weight"
    returns: the model
    """
    ### BEGIN SOLUTION
    own = own_name(name)
    if name.endswith("c_attn.weight"):
        for part, weight in zip(("W_query", "W_key", "W_value"), split_fused(tensor)):
            model.get_parameter(own.replace("fused", part)).copy_(weight)
        return model
    if name.endswith(("c_proj.weight", "c_fc.weight")):
        tensor = tensor.T
    model.get_parameter(own).copy_(tensor)
    if name == "wte.weight":
        model.unembedding.weight.copy_(tensor)
    return model
    ### END SOLUTION


# %% check="place" points=4
check("place")

# %% [markdown] id="loaded-intro"
# The proof: the program that trained the checkpoint uses a different implementation. On the same text its logits and
# yours should differ by less than 0.0001.

# %% id="sizes"
VOCAB, D_MODEL = stored["wte.weight"].shape
CONTEXT_LENGTH = len(stored["wpe.weight"])
NUM_HEADS, NUM_LAYERS = 4, 2
unseen = windows(HELD_OUT.read_text())  # (windows, tokens)


# %% id="loaded"
# needs place
def loaded(put):
    """Your transformer with the stored weights, put there by `put`."""
    model = TinyTransformer(VOCAB, D_MODEL, NUM_HEADS, NUM_LAYERS, CONTEXT_LENGTH, position="learned")
    for name, tensor in stored.items():
        put(model, name, tensor)
    return model.eval()


model = loaded(place)
with torch.no_grad():
    difference = (model(unseen[:8]) - trained()(unseen[:8])).abs().max()
print("largest difference of the logits below 1e-4:", bool(difference < 1e-4))

# %% [markdown] id="bug-orientation-task"
# ### Task 3 · Find the bugs: it fits, and it is wrong
#
# *8 minutes · one line · task id* `bug-orientation`
#
# A colleague loads checkpoints with a shortcut. A tensor that has the same shape as its place goes there as it is. Any
# other tensor is reshaped to fit. No error is raised, and the loss of the loaded model is bad. There are two mistakes
# in one line. Correct `oriented`, which turns a stored tensor into one for your classes. Neither `c_attn` nor a bias ever
# gets there.


# %% answer="bug-orientation"
### BEGIN SOLUTION
def oriented(name, tensor, shape):
    """A stored tensor as its place in the classes of this course wants it; the place has this shape."""
    return tensor.T if name.endswith(("c_proj.weight", "c_fc.weight")) else tensor


### END SOLUTION
### BEGIN FAULTY
# def oriented(name, tensor, shape):
#     """A stored tensor as its place in the classes of this course wants it; the place has this shape."""
#     return tensor if list(tensor.shape) == list(shape) else tensor.reshape(list(shape))
### END FAULTY

# %% check="bug-orientation" points=2
check("bug-orientation")

# %% [markdown] id="perplexity-task"
# ## 2 · How good is it?
#
# ### Task 4 · Perplexity
#
# *6 minutes · two or three lines · task id* `perplexity`
#
# The loss of a token is −log of the probability that the model gave it. The mean is hard to picture, so people report
# its exponential, the **perplexity**. A model that chooses among $n$ equally likely tokens at every step has the
# perplexity $n$.
#
# Write `perplexity(model, ids)`: e to the mean loss, over the next tokens of all sequences together.


# %% answer="perplexity"
@torch.no_grad()
def perplexity(model, ids):
    """How many equally likely tokens the model is left to choose from.

    Shapes:
        ids: (b, tokens)
        returns: one number
    """
    ### BEGIN SOLUTION
    logits = model(ids)[:, :-1]  # (b, tokens - 1, vocab)
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).exp()
    ### END SOLUTION


# %% check="perplexity" points=2
check("perplexity")

# %% [markdown] id="perplexity-predict-intro"
# **Predict, then run.** Guessing among 96 characters has the perplexity 96. How low does a model of this size get on
# pages that it has never seen?

# %% id="perplexity-prediction"
predict(
    "held-out-perplexity",
    "What is the perplexity on the held-out pages?",
    ("above 20", "between 8 and 20", "between 2 and 8", "below 2"),
)

# %% id="perplexity-shown" tags=["shown"]
# needs model, perplexity
found = float(perplexity(model, unseen))
print(f"perplexity on the held-out pages: {found:.2f}")

# %% id="perplexity-revealed" tags=["shown"]
# needs found
reveal("held-out-perplexity", sum(int(found <= bound) for bound in (20, 8, 2)))


# %% id="written" tags=["measured", "shown"]
# needs model
@torch.no_grad()
def continued(text, count, temperature=0.7):
    """The text, and characters that the model draws for it one by one."""
    ids = encode(text)[None]  # (1, tokens)
    for _ in range(count):
        chances = torch.softmax(model(ids[:, -CONTEXT_LENGTH:])[:, -1] / temperature, dim=-1)  # (1, vocab)
        ids = torch.cat((ids, torch.multinomial(chances, 1)), dim=1)
    return decode(ids[0])


torch.manual_seed(0)
print(continued("The class statement", 150))

# %% [markdown] id="claims-intro"
# The model has a quarter of a million numbers. It knows how documentation sounds, and nothing about Python.
#
# ## 3 · What do the heads look at?

# %% id="all-maps" tags=["figure", "measured"]
# needs model
text = "a quill, a qui"
maps = look_inside(model, encode(text)[None], NUM_HEADS).maps[:, 0]
attention_map(
    maps,  # (layers, heads, tokens, tokens)
    [character if character != " " else "␣" for character in text],
    title="All heads, one text",
    names=[f"layer {layer}, head {head}" for layer in range(NUM_LAYERS) for head in range(NUM_HEADS)],
)

# %% [markdown] id="claim-score-task"
# `look_inside` runs a model once and keeps the maps of all layers, (layers, b, heads, tokens, tokens). Some patterns
# can be seen at once: strong lines next to the diagonal, columns at certain letters. To say more than "looks like",
# write a **claim** down: for each query the keys at which the head looks if the claim is true. Then measure how much
# of the attention goes there.
#
# ### Task 5 · How much of it is true?
#
# *8 minutes · three lines · task id* `claim-score`
#
# Write `claim_score(weights, claim)`. `claim` is True where a query is said to look. A query can have several such
# keys, or none. For each head: add up each query's weights on its claimed keys, and take the mean over all queries
# that have at least one. All sequences count together.


# %% answer="claim-score"
def claim_score(weights, claim):
    """The share of each head's attention that goes where the claim says.

    Shapes:
        weights: (b, heads, tokens, tokens)
        claim: (b, tokens, tokens), True where the query (row) is said to look at the key (column)
        returns: (heads,)
    """
    ### BEGIN SOLUTION
    share = (weights * claim[:, None]).sum(dim=-1)  # (b, heads, tokens)
    asked = claim.any(dim=-1)  # (b, tokens)
    return share.transpose(0, 1)[:, asked].mean(dim=-1)  # (heads, queries that are asked) -> (heads,)
    ### END SOLUTION


# %% check="claim-score" points=3
check("claim-score")

# %% [markdown] id="induction-claim-task"
# ### Task 6 · Induction, as a claim
#
# *10 minutes · three lines · task id* `induction-claim`
#
# In lesson 09 the text repeated after a known number of tokens. Real text repeats as it likes. Write
# `induction_claim(ids)`: query $q$ is said to look at each key $k \le q$ whose *previous* token, $k - 1$, equals the
# token at $q$. Key 0 has no token before it.


# %% answer="induction-claim"
def induction_claim(ids):
    """Where an induction head looks: at what came after earlier tokens like the present one.

    Shapes:
        ids: (b, tokens)
        returns: (b, tokens, tokens), True where the query (row) looks at the key (column)
    """
    ### BEGIN SOLUTION
    before = F.pad(ids[:, :-1], (1, 0), value=-1)  # (b, tokens), the token before each
    follows = before[:, None, :] == ids[:, :, None]  # (b, queries, keys)
    return follows.tril()
    ### END SOLUTION


# %% check="induction-claim" points=3
check("induction-claim")

# %% [markdown] id="claims-table-intro"
# Beside yours, some other claims. They are measured on held-out pages; induction on random characters that come twice,
# where nothing but induction helps. **Predict:** which layer will have the induction heads, and what does the other
# layer have to have for them?


# %% id="claims-given"
def steps_back(count):
    """The claim that each query looks so many tokens back."""

    def claim(ids):
        places = torch.arange(ids.shape[1])
        return (places[:, None] - places == count).expand(len(ids), -1, -1)  # (b, queries, keys)

    return claim


def last_of(characters):
    """The claim that each query looks at the last of these characters, itself included."""

    def claim(ids):
        places, there = torch.arange(ids.shape[1]), torch.isin(ids, encode(characters))  # (b, tokens)
        last = torch.where(there, places, -1).cummax(dim=1).values  # (b, tokens)
        return places == last[..., None]  # (b, queries, keys)

    return claim


pages = unseen[::5]  # (b, tokens), every fifth window
drawn = torch.randint(unseen.numel(), (32, 60), generator=torch.Generator().manual_seed(0))
random_twice = unseen.flatten()[drawn].repeat(1, 2)  # (b, tokens), characters as frequent as in the pages
CLAIMS = {
    "itself": (steps_back(0), pages),
    "one back": (steps_back(1), pages),
    "two back": (steps_back(2), pages),
    "three back": (steps_back(3), pages),
    "last space": (last_of(" "), pages),
    "line end": (last_of("\n"), pages),
    "induction": (induction_claim, random_twice),
}
HEADS = [f"layer {layer}, head {head}" for layer in range(NUM_LAYERS) for head in range(NUM_HEADS)]


def table_of(claims):
    """What each claim explains of each head, and of one that looks everywhere alike: (heads + 1, claims)."""
    columns = []
    for claim, ids in claims.values():
        maps = look_inside(model, ids, NUM_HEADS).maps  # (layers, b, heads, tokens, tokens)
        even = torch.ones_like(maps[:1, :, :1]).tril()
        columns.append(
            [claim_score(one, claim(ids)) for one in (*maps, *(even / even.sum(dim=-1, keepdim=True)))]
        )
    return torch.stack([torch.cat(one) for one in columns], dim=1)


# %% id="claims-shown" tags=["measured", "shown"]
# needs model, claim_score, induction_claim
table = table_of(CLAIMS)
print(" " * 16, *(f"{name:>10}" for name in CLAIMS))
for name, row in zip([*HEADS, "everywhere alike"], table.tolist()):
    print(f"{name:16}", *(f"{share:10.2f}" for share in row))

# %% [markdown] id="claims-read"
# <details><summary>What to see</summary>
#
# - Layer 0, head 1 is a **previous-token head**: 84 % of its attention goes one back. Head 0 of this layer looks
#   mostly at the character itself, and head 2 two or three back. Such numbers say something only beside the last row:
#   a head that looks everywhere alike would give 3 %.
# - Layer 1, head 0 is an **induction head**, with 59 %; even attention would score 13 %. No other head is near it.
# - Where nothing came before, the induction head looks at position 0, as the first column of its map shows. A softmax
#   has to look somewhere, and many models rest there.
# - For three heads of layer 1 no claim says much. A table of claims finds only what somebody thought of.
#
# </details>

# %% [markdown] id="mean-ablated-intro"
# ## 4 · Does the model need it?
#
# A head that looks at something need not be used. In lesson 09 you set a head's context to 0. That can take away too
# much: a head can add the same vector at each token, and the later parts count on it. So put the **mean** of its
# contexts there, over all sequences and tokens. What is taken away is only what depends on the text. (Here both ways
# cost nearly the same. On five sets of held-out windows the losses differed by less than 0.2, and for layer 0, head 0
# the mean cost more each time.)


# %% id="token-losses"
def token_losses(logits, ids):
    """The loss of each next token: (b, tokens, vocab) and (b, tokens) to (b, tokens - 1)."""
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")


# %% [markdown] id="mean-ablated-task"
# ### Task 7 · Remove what depends on the text
#
# *12 minutes · nine lines · task id* `mean-ablated`
#
# Write `loss_rise(model, ids, layer, head, num_heads)`: for each next token the loss without the head, minus the loss
# of the whole model. Without the head means: its context is replaced by its mean over the batch and the tokens. As in
# lesson 09, a forward pre-hook on `out_proj` gets the contexts of all heads side by side and returns a tuple. Leave
# the model as you found it.


# %% answer="mean-ablated"
@torch.no_grad()
def loss_rise(model, ids, layer, head, num_heads):
    """By how much the loss of each next token rises when one head says the same everywhere: its mean.

    Shapes:
        ids: (b, tokens)
        returns: (b, tokens - 1)
    """
    ### BEGIN SOLUTION
    whole = token_losses(model(ids), ids)  # (b, tokens - 1)

    def averaged(module, arguments):
        contexts = arguments[0].unflatten(-1, (num_heads, -1)).clone()  # (b, tokens, heads, head_dim)
        contexts[:, :, head] = contexts[:, :, head].mean(dim=(0, 1))
        return (contexts.flatten(2),)  # (b, tokens, d_model)

    hook = model.blocks[layer].attention.out_proj.register_forward_pre_hook(averaged)
    ablated = token_losses(model(ids), ids)  # (b, tokens - 1)
    hook.remove()
    return ablated - whole
    ### END SOLUTION


# %% check="mean-ablated" points=4
check("mean-ablated")

# %% [markdown] id="effect-where-task"
# ### Task 8 · There, and elsewhere
#
# *5 minutes · one or two lines · task id* `effect-where`
#
# A claim says where a head matters, so it also says where it does **not**. Write `effect_where(rise, where)`. It gets
# the rise of each token's loss without the head, and where the claim says that the head matters. Return two numbers in
# one tensor: the mean rise there, and the mean rise elsewhere.


# %% answer="effect-where"
def effect_where(rise, where):
    """By how much the loss rises where a claim applies, and elsewhere.

    Shapes:
        rise: (b, tokens)
        where: (b, tokens), True where the claim applies
        returns: (2,)
    """
    ### BEGIN SOLUTION
    return torch.stack((rise[where].mean(), rise[~where].mean()))
    ### END SOLUTION


# %% check="effect-where" points=2
check("effect-where")

# %% [markdown] id="test-intro"
# Now test the claim "layer 1 has induction heads". It says where they matter: in a passage that comes a second time.
# So the first half of each held-out window is put in the place of the second half as well. The claim applies to the
# second half.
#
# **Predict, then run.**

# %% id="test-prediction"
predict(
    "copying-head",
    "Without the head of the highest induction score, how does the loss rise where the passage comes again?",
    ("it hardly rises there", "it rises there and elsewhere alike", "it rises there, and hardly elsewhere"),
)


# %% id="test-given"
def effects(ids, where):
    """What each head's removal costs there and elsewhere: (heads, 2)."""
    return torch.stack(
        [
            effect_where(loss_rise(model, ids, layer, head, NUM_HEADS), where)
            for layer in range(NUM_LAYERS)
            for head in range(NUM_HEADS)
        ]
    )


again = pages[:, :64].repeat(1, 2)  # (b, 128)
second = (torch.arange(127) >= 64).expand(len(again), -1)  # (b, tokens - 1)

# %% id="test-shown" tags=["measured", "shown"]
# needs model, loss_rise, effect_where, table
effect = effects(again, second)
print(" " * 15, "second time  first time")
for name, (there, elsewhere) in zip(HEADS, effect.tolist()):
    print(f"{name:15} {there:11.2f} {elsewhere:11.2f}")
there, elsewhere = effect[table[:-1, -1].argmax()].tolist()  # of the head that copies most

# %% id="test-revealed" tags=["measured", "shown"]
# needs effect
reveal("copying-head", 0 if there < 0.05 else 1 + int(there > 4 * elsewhere))

# %% [markdown] id="test-read"
# The induction head matters where the passage comes again, and hardly elsewhere: the claim has passed a test that it
# could have failed. Without the previous-token head the loss rises even more, and the first time too. So the claim
# "this head is there for induction alone" fails: other parts of the model use what it writes as well.
#
# **Does the induction head need it?** In lesson 09 the second head reads what the first one has written. Here you can
# test that. Take a head of layer 0 away, and score the *map* of the induction head.
#
# **Predict, then run.**

# %% id="needed-prediction"
predict(
    "head-that-is-needed",
    "Which removal of one head of layer 0 brings the induction score of layer 1, head 0 below 0.2?",
    ("none", "only that of head 1", "any of the four"),
)


# %% id="needed-given"
@torch.no_grad()
def induction_without(head):
    """The induction score of layer 1, head 0, when a head of layer 0 says the same everywhere; None: the whole model."""

    def averaged(module, arguments):
        contexts = arguments[0].unflatten(-1, (NUM_HEADS, -1)).clone()  # (b, tokens, heads, head_dim)
        if head is not None:
            contexts[:, :, head] = contexts[:, :, head].mean(dim=(0, 1))
        return (contexts.flatten(2),)

    hook = model.blocks[0].attention.out_proj.register_forward_pre_hook(averaged)
    maps = look_inside(model, random_twice, NUM_HEADS).maps[1]  # (b, heads, tokens, tokens)
    hook.remove()
    return float(claim_score(maps, induction_claim(random_twice))[0])


# %% id="needed-shown" tags=["measured", "shown"]
# needs table
print(f"the whole model: {induction_without(None):.2f}")
scores = [induction_without(head) for head in range(NUM_HEADS)]
for head, score in enumerate(scores):
    print(f"without layer 0, head {head}: {score:.2f}")

# %% id="needed-revealed" tags=["measured", "shown"]
# needs scores
reveal("head-that-is-needed", 2 if min(scores[0], *scores[2:]) < 0.2 else int(scores[1] < 0.2))

# %% [markdown] id="why-intro"
# **Why does it look there?** A score is a query times a key, and a key is a sum. The stream that layer 1 reads is the
# sum of the token's embedding, its position, what each head of layer 0 has written, and what the MLP and the bias of
# `out_proj` have added. LayerNorm divides this sum by one number for each token, so each part keeps its place in it.
# So the score splits **exactly** into one piece for each part of the key.


# %% id="why-given"
@torch.no_grad()
def stream_parts(ids, layers):
    """What the stream is the sum of after some blocks, by name: (b, tokens, d_model) each."""
    start = model.embedding(ids)  # (b, tokens, d_model)
    parts = {"the token": start, "its position": model.positions.weight[: ids.shape[1]].expand_as(start)}
    for layer, block in enumerate(model.blocks[:layers]):
        stream, kept = sum(parts.values()), []
        hook = block.attention.out_proj.register_forward_pre_hook(
            lambda _, given, kept=kept: kept.append(given[0])
        )
        middle = stream + block.attention(block.norm_1(stream))  # (b, tokens, d_model)
        hook.remove()
        contexts = kept[0].unflatten(-1, (NUM_HEADS, -1))  # (b, tokens, heads, head_dim)
        matrices = block.attention.out_proj.weight.unflatten(1, (NUM_HEADS, -1))  # (d_model, heads, head_dim)
        for head in range(NUM_HEADS):
            parts[f"layer {layer}, head {head}"] = contexts[:, :, head] @ matrices[:, head].T
        bias = block.attention.out_proj.bias
        parts[f"layer {layer}, MLP and bias"] = block.mlp(block.norm_2(middle)) + bias
    return parts


@torch.no_grad()
def score_by_part(ids):
    """The scores of layer 1, head 0, split by the part of the key that they come from, by name: (b, queries, keys)."""
    parts = stream_parts(ids, 1)
    stream = sum(parts.values())  # (b, tokens, d_model)
    norm, attention = model.blocks[1].norm_1, model.blocks[1].attention
    spread = (stream.var(dim=-1, keepdim=True, correction=0) + norm.eps).sqrt()  # (b, tokens, 1)
    head_dim = attention.W_query.weight.shape[0] // NUM_HEADS
    queries = attention.W_query(norm(stream))[..., :head_dim]  # (b, tokens, head_dim): head 0
    scores = {}
    for name, part in parts.items():
        normed = (part - part.mean(dim=-1, keepdim=True)) / spread * norm.weight  # (b, tokens, d_model)
        scores[name] = queries @ attention.W_key(normed)[..., :head_dim].mT / head_dim**0.5
    shift = queries @ attention.W_key(norm.bias)[:head_dim] / head_dim**0.5  # (b, queries)
    scores["the shift of the norm"] = shift[..., None]
    whole = queries @ attention.W_key(norm(stream))[..., :head_dim].mT / head_dim**0.5  # (b, queries, keys)
    return scores, whole


# %% id="why-shown" tags=["measured", "shown"]
# needs table
pieces, whole = score_by_part(random_twice)
print("the pieces add up to the score:", torch.allclose(sum(pieces.values()), whole, atol=1e-3))
there = induction_claim(random_twice)  # (b, queries, keys)
there[:, :60] = False  # queries of the second time only
others = torch.ones_like(there).tril() & ~there & there.any(dim=-1, keepdim=True)
print("how much higher the claimed keys score than the others, by part of the key:")
for name, piece in {**pieces, "all together": whole}.items():
    piece = piece.expand_as(whole)
    print(f"{name:22} {float(piece[there].mean() - piece[others].mean()):6.2f}")

# %% [markdown] id="why-read"
# The claimed keys score 3.4 higher than the others, and 2.6 of that is what head 1 of layer 0 has written: the token
# before. Another 0.8 comes from head 2, which looks two or three back. The token itself and its position add nothing.
# That is why the head attends: its query asks for what the previous-token head writes.

# %% [markdown] id="logit-lens-task"
# ## 5 · What does it expect, and when?
#
# The stream has the same width everywhere. So the end of the model, `norm` and `unembedding`, can be put after *any*
# layer: what would the model say if it stopped here? This is the **logit lens**. It is a guess that an early stream
# can be read in this way. Nothing trains the model to write its expectation there in the language of its end, and the
# source on the tuned lens, below, shows where the guess fails.
#
# ### Task 9 · The logit lens
#
# *8 minutes · five lines · task id* `logit-lens`
#
# Write `logit_lens(model, ids)`: the logits that `norm` and `unembedding` make of the stream before the first block,
# and after each block, stacked in this order. The stream starts as `embedding` plus `positions`.


# %% answer="logit-lens"
@torch.no_grad()
def logit_lens(model, ids):
    """What the model would say at each stage.

    Shapes:
        ids: (b, tokens)
        returns: (layers + 1, b, tokens, vocab)
    """
    ### BEGIN SOLUTION
    streams = [model.embedding(ids) + model.positions.weight[: ids.shape[1]]]  # (b, tokens, d_model)
    for block in model.blocks:
        streams.append(block(streams[-1]))
    return torch.stack([model.unembedding(model.norm(stream)) for stream in streams])
    ### END SOLUTION


# %% check="logit-lens" points=3
check("logit-lens")


# %% id="lens-shown" tags=["measured"]
# needs model, logit_lens
def read_along(text):
    """The likeliest next character at each stage and the next one itself, character by character."""
    logits = logit_lens(model, encode(text)[None])  # (layers + 1, b, tokens, vocab)
    guesses = logits[:, 0].argmax(dim=-1)  # (layers + 1, tokens)
    for name, line in zip(("embedding", "block 0", "block 1"), guesses):
        print(f"{name:10}", decode(line).replace("\n", "⏎").replace(" ", "␣"))
    print(f"{'right':10}", (text[1:] + "?").replace(" ", "␣"))


read_along("p4q=ziw(p4q=ziw(p4q=ziw(")

# %% [markdown] id="lens-read"
# - At the embedding nearly every character expects *itself*. The table is tied: the vector of a character is most like
#   its own row.
# - After block 0 the model knows what often follows in documentation, and that is no use here.
# - After block 1 the second round is right from its second or third character on. Other strings are harder: over 100
#   strings of eight random characters, 65 % of the second round was right from the third character on. After block 0
#   it was 1 %, and without the induction head 0 %. So the answer comes in one layer, from this head.
#
# Try it. Type any text, choose a head with the arrow keys, and press the space key on **Without this head**. Take
# layer 1, head 0 away from this text, and look at what the model expects then.

# %% id="explorer" tags=["figure", "measured"]
# needs model
explore_model(model, NUM_HEADS, encode, VOCABULARY, text="p4q=ziw(p4q=ziw(p4q", head=(1, 0))

# %% [markdown] id="logit-attribution-task"
# ### Task 10 · Which part says it?
#
# *10 minutes · about seven lines · task id* `logit-attribution`
#
# The lens reads the whole stream after each layer. You can also read each **part** of the last stream alone, because
# the stream is their sum: the embedding, the position, what each head has written, what each MLP has written. The end
# of the model is almost linear, so the logit of a token splits **exactly** into one number for each part. This is
# **direct logit attribution**. LayerNorm splits as you saw in section 4: it subtracts a part's own mean, divides by the
# spread of the *whole* stream, and multiplies by its weight. Its bias is one more part.
#
# Write `logit_attribution(parts, ids, norm_weight, norm_bias, unembedding)`: what each part adds to the logit of the
# token that really comes **next**. The last row is what `norm_bias` adds. So all rows together sum to the logit. The
# spread is the root of the stream's variance (divided by d_model, with $10^{-5}$ added under the root).


# %% answer="logit-attribution"
@torch.no_grad()
def logit_attribution(parts, ids, norm_weight, norm_bias, unembedding):
    """What each part of the last stream adds to the logit of the next token.

    Shapes:
        parts: (parts, b, tokens, d_model), which add up to the stream
        ids: (b, tokens), whole numbers
        norm_weight, norm_bias: (d_model,)
        unembedding: (vocab, d_model)
        returns: (parts + 1, b, tokens - 1)
    """
    ### BEGIN SOLUTION
    right = unembedding[ids[:, 1:]]  # (b, tokens - 1, d_model)
    parts = parts[:, :, :-1]  # (parts, b, tokens - 1, d_model)
    spread = (parts.sum(dim=0).var(dim=-1, keepdim=True, correction=0) + 1e-5).sqrt()  # (b, tokens - 1, 1)
    normed = (parts - parts.mean(dim=-1, keepdim=True)) / spread * norm_weight
    shift = norm_bias.expand_as(right)[None]  # (1, b, tokens - 1, d_model)
    return (torch.cat((normed, shift)) * right).sum(dim=-1)
    ### END SOLUTION


# %% check="logit-attribution" points=3
check("logit-attribution")

# %% [markdown] id="attribution-intro"
# Random characters, twice. What does each part add to the logit of the right next character, the first time and the
# second?

# %% id="attribution-shown" tags=["measured", "shown"]
# needs model, logit_attribution
parts = stream_parts(random_twice, NUM_LAYERS)  # by name, (b, tokens, d_model) each
added = logit_attribution(
    torch.stack(list(parts.values())),
    random_twice,
    model.norm.weight,
    model.norm.bias,
    model.unembedding.weight,
)  # (parts + 1, b, tokens - 1)
with torch.no_grad():
    logits = model(random_twice)[:, :-1].gather(2, random_twice[:, 1:, None])[..., 0]  # (b, tokens - 1)
print("the parts add up to the logits:", torch.allclose(added.sum(dim=0), logits, atol=1e-3))
print(" " * 22, "first time  second time")
for name, part in zip([*parts, "the shift of the norm"], added):
    print(f"{name:22} {float(part[:, :59].mean()):10.1f} {float(part[:, 60:].mean()):12.1f}")

# %% [markdown] id="attribution-read"
# The second time, layer 1 has the answer: its induction head adds 2.5 to the right logit, and its MLP 6.9. So is it the
# MLP that copies? No. With the induction head averaged away, the same MLP adds 0.7: it amplifies what the head has
# found. Direct attribution names the part that *writes* an answer last. Whether other parts need it, or it needs them,
# only a removal tells.

# %% [markdown] id="claim-intro"
# ## 6 · A claim of your own
#
# Choose a head, and look at it in the explorer with texts of your own. Then state in one sentence what it does, as a
# claim that can be wrong: where it looks, and where the model needs it. Write both down in the next cell as code, and
# run it. It measures on held-out pages that no table above has used.

# %% id="own-claim" tags=["measured", "shown"]
# needs model, claim_score, loss_rise, effect_where
mine = 1  # the place of your head in HEADS


def my_claim(ids):
    """Where the head looks: (b, tokens, tokens)."""
    return steps_back(1)(ids)


def my_place(ids):
    """Where the model needs it: (b, tokens - 1), True where the next token depends on the head."""
    return torch.isin(ids[:, :-1], encode("abcdefghijklmnopqrstuvwxyz"))


others = unseen[2::5]  # (b, tokens)
shares, rises = table_of({"mine": (my_claim, others)}), effects(others, my_place(others))
print(f"{HEADS[mine]}: the claim explains {shares[mine, 0]:.2f} of its attention,")
print(f"and {shares[-1, 0]:.2f} of the attention of a head that looks everywhere alike")
print("rise of the loss there and elsewhere: {:.2f}, {:.2f}".format(*rises[mine].tolist()))

# %% [markdown] id="claim-words-task"
# ## In your own words
#
# Which claim did you make about which head? Report what you measured, beside another head or another claim for
# comparison, and say what your measurement does *not* show. Answer in four to seven sentences. (4 points, read by a
# person.)

# %% [markdown] answer="claim-in-words" points=4
# ### BEGIN SOLUTION
# My claim: layer 0, head 1 looks at the character before, and the model needs it inside words, after a letter. On
# pages that I had not used, 84 % of this head's attention goes one back; even attention would give 3 %, and no other
# head more than 13 %. Without the head the loss after a letter rises by 1.98, elsewhere by 0.77. So both halves hold.
# But heads 0 and 2 of the same layer cost as much after a letter, 1.90 and 1.99. My measurement shows that the head is
# needed there; it does not show that looking one back is why, nor that this is different from what its neighbours do.
# And all pages are of one kind.
#
# **Marking scheme**
#
# - 1 point: names a head and states a claim that could turn out to be wrong: which keys, and where it matters.
# - 1 point: gives the share of attention on the claimed keys, and compares it with another head or with even attention.
# - 1 point: gives the rise of the loss without the head where the claim applies and elsewhere, on pages not used
#   before.
# - 1 point: names a limit: other heads may do the same work, the mean is only one replacement, or the text is of one
#   kind.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have done
#
# | step | code | shape | what for |
# | --- | --- | --- | --- |
# | split | `weight.chunk(3, dim=1)`, each `.T` | (in, 3 · out) to three (out, in) | fused queries, keys, values |
# | place | `model.get_parameter(own).copy_(tensor.T)` | (in, out) to (out, in) | weights of another convention |
# | perplexity | `cross_entropy(…).exp()` | one number | tokens left to choose from |
# | claim | `before[:, None, :] == ids[:, :, None]` | (b, queries, keys) | a statement about a head |
# | score | `(weights * claim[:, None]).sum(-1)` | (b, heads, tokens) | attention that it explains |
# | ablation | `contexts[:, :, head].mean(dim=(0, 1))` | (head_dim,) | what the model loses without it |
# | attribution | `(normed * right).sum(dim=-1)` | (parts, b, tokens - 1) | which part says it |
# | lens | `unembedding(norm(stream))` | (layers + 1, b, tokens, vocab) | what it expects at each stage |
#
# - A shape that fits proves nothing: a square matrix fits both ways. Equal logits prove it.
# - A claim names places. It is tested there *and* elsewhere, on text that was not used to find it.
# - GPT-2's own file also holds `c_attn.bias`, for which your classes need `qkv_bias=True`, and a stored mask,
#   `attn.bias`. `place` knows neither.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. A loaded model writes fluent nonsense, and no shape was wrong. Where do you look first?</summary>
#
# At square matrices, which fit transposed as well (`c_proj` of the attention), and at the order of the fused parts.
# Then compare the logits of one text with those of the original, layer by layer.
#
# </details>
#
# <details><summary>2. The perplexity per character is 3. What is it per word of five characters and a space?</summary>
#
# The losses add up over the six characters, so the perplexities multiply: 3 to the power of 6, about 700. Perplexities
# compare only where the tokens are the same.
#
# </details>
#
# <details><summary>3. Why the mean, and not 0, in the place of a head?</summary>
#
# A head can add the same vector at each token. Zero takes this away too, and can move the stream to where no training
# has been. With the mean, only what depends on the text is lost. How much that matters has to be measured: in this
# model both cost nearly the same.
#
# </details>
#
# <details><summary>4. The lens shows the right answer after block 0. Is block 1 useless there?</summary>
#
# No. The lens shows only the most likely token. Block 1 can raise its probability, or lower that of others, and at
# other tokens it can change the favourite.
#
# </details>

# %% [markdown] id="placement-intro"
# **Where are you now?** The next cell asks 25 questions, as lesson 01 did, with other numbers. It names the
# lesson to read again first. If it says lesson 11, go on to that lesson.

# %% id="placement"
quiz("again")

# %% [markdown] id="sources"
# ## Sources
#
# - **Language Models are Unsupervised Multitask Learners**, Radford and others, 2019. GPT-2, whose names and shapes
#   the file of this lesson has.
# - **Using the Output Embedding to Improve Language Models**, Press and Wolf, 2016. One table for embedding and
#   unembedding.
# - **interpreting GPT: the logit lens**, nostalgebraist, 2020. The lens of task 9, on GPT-2.
# - **Eliciting Latent Predictions from Transformers with the Tuned Lens**, Belrose and others, 2023. Where the logit
#   lens misleads, and a lens that is trained.
# - **What Does BERT Look At?**, Clark and others, 2019. Claims about heads, measured: the next token, the end of a
#   sentence, a partner in grammar.
# - **In-context Learning and Induction Heads**, Olsson and others, 2022. Induction heads in large models, and the
#   scores that find them.
# - **Efficient Streaming Language Models with Attention Sinks**, Xiao and others, 2023. Models whose heads rest on the
#   first tokens, and what happens when these are cut off.
# - **A Mathematical Framework for Transformer Circuits**, Elhage and others, 2021. How a score splits into what each
#   earlier part has written.

# %% id="progress"
progress("10-read-a-model")
