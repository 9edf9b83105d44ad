# %% [markdown] id="title"
# # 12 · Real models in your own classes
#
# GPT-2 was published in 2019 as a file of numbers. Llama, Qwen and most open models since then have been published
# the same way. **Can the classes you wrote in this course take those numbers and produce exactly the same logits?**
# You will find out with GPT-2, Llama and Qwen3, and write what else they need: a tokenizer and a way to choose the
# next token.
#
# **When you are done you can**
#
# - load a published checkpoint into your own classes, prove that it works, and find the one tensor that went wrong;
# - cut text into tokens with byte-level BPE, as GPT-2 does, and say what a token costs in another language;
# - generate text with temperature, top-k, top-p and a cache, and say what each of them changes;
# - say what Llama changed, and compute a model's parameters and bytes from a few numbers.
#
# **Time:** about 150 minutes, an estimate, without the optional parts; best on two days. **Before you start:** `MultiHeadAttention` (lesson 05),
# `apply_rope` (lesson 07), `TinyTransformer` (lesson 08), transposed weights (lesson 10), the cache and grouped
# queries (lesson 11).
#
# Nothing is downloaded before section 6. The models here are built like GPT-2, Llama and Qwen3 but have **random**
# numbers; the `transformers` library made them and computed their logits (`python -m benchmarks.published`). Random
# numbers make the test harder, because nothing comes out right by luck.

# %% id="setup"
import json
import re
from collections import Counter
from pathlib import Path

from autograder import bring_over, check, hint, predict, progress, reveal, review
from visuals import (
    explore_map,
    explore_model,
    explore_sampling,
    look_inside,
    residual_stream,
    sampling_bars,
)
from visuals.checkpoint import HELD_OUT
from visuals.open_notebook import opened
from visuals.published import FOLDER, PIECES, TEXTS, TOKENIZER

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)

# %% id="review"
review("12-real-models")

# %% [markdown] id="stream-intro"
# ## 1 · GPT-2
#
# GPT-2 has the same parts as your transformer from lesson 08, in the same order:

# %% id="stream-figure" tags=["figure"]
residual_stream(num_layers=1)


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


def apply_rope(x, positions, base=10000.0):
    """Rotate queries or keys (..., tokens, head_dim) by their positions (tokens,): half-split."""
    half = x.shape[-1] // 2
    angles = positions[:, None] * base ** (-torch.arange(half) / half)  # (tokens, head_dim / 2)
    first, second = x.chunk(2, dim=-1)  # (..., tokens, head_dim / 2) each
    return torch.cat(
        [first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], dim=-1
    )


# %% id="own-classes"
MultiHeadAttention = bring_over("05-multi-head", "multi-head-attention", MultiHeadAttention)
apply_rope = bring_over("07-positions", "apply-rope", apply_rope)
# Your transformer comes with your Block, which gets your attention from lesson 05.
TinyTransformer = bring_over("08-train-it", "tiny-transformer", TinyTransformer, MultiHeadAttention)

# %% [markdown] id="stored-intro"
# `save_pretrained` writes a folder with a `config.json`, which contains the sizes, and a `model.safetensors`, which
# contains the numbers. A safetensors file is nothing but data. Older checkpoints are pickles (`pytorch_model.bin`):
# if you open one from a stranger with `weights_only=False`, the default before PyTorch 2.6, it can run any code.

# %% id="stored"
stored = load_file(FOLDER / "gpt2" / "model.safetensors")
for name in sorted(stored):
    if ".h.1." not in name:  # the second block has the same names as the first
        print(f"{name:38} {tuple(stored[name].shape)}")

# %% [markdown] id="like-gpt2-task"
# You know the names and the transposed weights from lesson 10. What GPT-2 **computes** differs from your class in
# three places:
#
# | | your `TinyTransformer` | GPT-2 |
# | --- | --- | --- |
# | queries, keys, values | no bias | a bias each, stored fused: (3 · d_model,) |
# | GELU | exact | approximated with tanh: `nn.GELU(approximate="tanh")` |
# | unembedding | a table of its own | the embedding's table, **tied** |
#
# Both add an epsilon of $10^{-5}$ in LayerNorm. Compare that too: it is in `config.json`.
#
# ### Task 1 · Make it a GPT-2
#
# *8 minutes · six lines · task id* `like-gpt2`
#
# Write `like_gpt2(model, biases)`, which changes the model in these three places and returns it. `biases` has one row
# for each block: first the biases of the queries, then of the keys, then of the values. To give a linear layer a
# bias, write `layer.bias = nn.Parameter(…)`. The GELU is `block.mlp[1]`. Tied means that both tables are one
# parameter: `model.unembedding.weight = model.embedding.weight`.


# %% answer="like-gpt2"
def like_gpt2(model, biases):
    """Give a TinyTransformer GPT-2's habits.

    Shapes:
        biases: (layers, 3 * d_model)
        returns: the model
    """
    ### BEGIN SOLUTION
    for block, fused in zip(model.blocks, biases):
        layers = (block.attention.W_query, block.attention.W_key, block.attention.W_value)
        for layer, bias in zip(layers, fused.chunk(3)):
            layer.bias = nn.Parameter(bias.clone())  # (d_model,)
        block.mlp[1] = nn.GELU(approximate="tanh")
    model.unembedding.weight = model.embedding.weight
    return model
    ### END SOLUTION


# %% check="like-gpt2" points=3
check("like-gpt2")

# %% [markdown] id="fill-intro"
# ### What does not fit
#
# If a file does not fit, you want an error, not a model that still contains random numbers. `fill(model, own)` takes
# `own`, a dictionary with **your** names, and copies each tensor into the parameter of that name. If a tensor is
# missing, left over or has another shape, it raises a `ValueError` that names it. A tied parameter appears in
# `named_parameters()` once.


# %% id="fill-given"
@torch.no_grad()
def fill(model, own):
    """Put tensors into a model by name.

    own: tensors by the names of the model's parameters
    returns: the model

    Raises:
        ValueError: names or shapes do not fit; the message names them.
    """
    places = dict(model.named_parameters())
    missing, extra = places.keys() - own.keys(), own.keys() - places.keys()
    misshapen = [name for name in places.keys() & own.keys() if places[name].shape != own[name].shape]
    if missing or extra or misshapen:
        raise ValueError(
            f"missing: {sorted(missing)}, not expected: {sorted(extra)}, other shape: {sorted(misshapen)}"
        )
    for name, place in places.items():
        place.copy_(own[name])
    return model


# %% id="fill-shown"
fine = {name: one.clone() for name, one in TinyTransformer(5, 4, 2, 1, 3, "learned").named_parameters()}
broken = {
    "missing": {name: one for name, one in fine.items() if name != "norm.bias"},
    "extra": {**fine, "lm_head.bias": torch.zeros(5)},
    "transposed": {**fine, "positions.weight": fine["positions.weight"].T},
    "other names": {name.replace("blocks.", "h."): one for name, one in fine.items()},
}
for what, own in broken.items():
    try:
        fill(TinyTransformer(5, 4, 2, 1, 3, "learned"), own)
    except ValueError as problem:
        print(f"{what}: {str(problem)[:160]}\n")

# %% [markdown] id="load-gpt2-task"
# ### Task 2 · Load GPT-2
#
# *15 minutes · about twenty lines · task id* `load-gpt2`
#
# Write `load_gpt2(model, state)`: change the model with `like_gpt2`, translate the names of `state` into yours,
# `fill` the model, and return it. The table of names is yours to write; lesson 10 shows it for one block. Watch out
# for four things:
#
# - Some files begin each name with `transformer.`, others do not.
# - The **weights** of `c_attn`, `c_proj` and `c_fc` are stored as (in, out). `c_attn`, weight and bias, is three in
#   one.
# - The published file also contains each block's mask, `h.0.attn.bias`, and some old files `h.0.attn.masked_bias`.
#   Skip both.
# - Some files repeat the tied table as `lm_head.weight`. Skip it.
#
# Any other name, and any missing one, is refused by `fill`. (So give `like_gpt2` zeros: `fill` finds out whether the
# file has biases.)


# %% answer="load-gpt2"
def load_gpt2(model, state):
    """Put the tensors of a GPT-2 into a TinyTransformer.

    state: tensors by GPT-2's names
    returns: the model

    Raises:
        ValueError: a tensor is missing, not expected, or of another shape.
    """
    ### BEGIN SOLUTION
    table = {"wte": "embedding", "wpe": "positions", "h": "blocks", "ln_1": "norm_1", "ln_2": "norm_2"}
    table |= {"attn": "attention", "ln_f": "norm", "c_fc": "0"}
    width = model.embedding.weight.shape[1]
    like_gpt2(model, torch.zeros(len(model.blocks), 3 * width))
    own = {}
    for stored_name, tensor in state.items():
        name = stored_name.removeprefix("transformer.")
        if name == "lm_head.weight" or name.endswith((".attn.bias", ".attn.masked_bias")):
            continue
        if name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
            tensor = tensor.T
        name = name.replace("attn.c_proj", "attn.out_proj").replace("mlp.c_proj", "mlp.2")
        name = ".".join(table.get(part, part) for part in name.split("."))
        if "c_attn" in name:
            for part, piece in zip(("W_query", "W_key", "W_value"), tensor.chunk(3)):
                own[name.replace("c_attn", part)] = piece
        else:
            own[name] = tensor
    return fill(model, own)
    ### END SOLUTION


# %% check="load-gpt2" points=5
check("load-gpt2")

# %% [markdown] id="gpt2-proof-intro"
# Now the proof: the logits of `GPT2LMHeadModel` next to yours. `from_folder` below loads only the kinds of models
# that it knows. A model of another kind can match every shape and still compute something else: Gemma 3's norm
# multiplies by 1 + w, the first Mistral's attention has a window, and GLM rotates only half of each head. Such a
# model is refused.


# %% id="gpt2-proof"
# What your classes can do, in a configuration's words. Any other value would load, but compute something else.
KNOWN = {
    "gpt2": {
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    },
    "llama": {"hidden_act": "silu", "attention_bias": False, "mlp_bias": False, "partial_rotary_factor": 1.0},
    "qwen3": {"hidden_act": "silu", "attention_bias": False, "use_sliding_window": False},
}


def refuse_unknown(config):
    """Refuse a model that these classes cannot run.

    Raises:
        ValueError: the kind or one of its settings is not known; the message names it.
    """
    kind = config["model_type"]
    if kind not in KNOWN:
        raise ValueError(
            f"{kind} is none of {', '.join(KNOWN)}: its shapes may fit, and its results would be wrong."
        )
    rope = config.get("rope_parameters") or {}
    for name, known in KNOWN[kind].items():
        given = config.get(name, rope.get(name, known))
        if given != known:
            raise ValueError(f"{kind} with {name} = {given}: only {known} is known.")


for other in (
    {"model_type": "gemma3_text"},
    {"model_type": "llama", "attention_bias": True},
    {"model_type": "qwen3", "use_sliding_window": True},
):
    try:
        refuse_unknown(other)
    except ValueError as problem:
        print(problem)


def from_folder(folder):
    """Your own model with the numbers from a folder that `save_pretrained` wrote."""
    config = json.loads((Path(folder) / "config.json").read_text())
    refuse_unknown(config)
    state = load_file(Path(folder) / "model.safetensors")
    if config["model_type"] == "gpt2":
        sizes = (config[name] for name in ("vocab_size", "n_embd", "n_head", "n_layer", "n_positions"))
        model = load_gpt2(TinyTransformer(*sizes, position="learned"), state)
    else:
        model = load_llama(Llama(**llama_sizes(config)), state)
    return model.eval().requires_grad_(False)


def compared(folder):
    """Say how far your logits are from those of the library."""
    model, right = from_folder(folder), load_file(Path(folder) / "expected.safetensors")
    gap, largest = float((model(right["ids"]) - right["logits"]).abs().max()), right["logits"].max()
    print(f"{folder.name}: largest logit {largest:.1f}, largest difference below 1e-4: {gap < 1e-4}")
    return model


# %% id="gpt2-compared"
# needs like_gpt2, load_gpt2
gpt2 = compared(FOLDER / "gpt2")

# %% [markdown] id="first-gap-task"
# ### Task 3 · Where does it go wrong first?
#
# *5 minutes · four or five lines · task id* `first-gap`
#
# When logits differ, look at the stream after each block, in your model and in theirs. The first **stage** that
# differs tells you where the wrong tensor is. Write `first_gap(ours, theirs, tolerance=1e-3)`: the number of the
# first stage in which any entry differs by more than `tolerance` times the largest absolute entry of that stage in
# `theirs`. Return -1 if there is none. An entry that is nan differs too.


# %% answer="first-gap"
def first_gap(ours, theirs, tolerance=1e-3):
    """The first stage at which two models differ, or -1.

    Shapes:
        ours, theirs: (stages, b, tokens, d_model)
        returns: a whole number
    """
    ### BEGIN SOLUTION
    for stage, (own, right) in enumerate(zip(ours, theirs)):
        largest = (own - right).abs().max()
        if not largest <= tolerance * right.abs().max():  # nan is not less either
            return stage
    return -1
    ### END SOLUTION


# %% check="first-gap" points=2
check("first-gap")

# %% [markdown] id="wrong-row-intro"
# A colleague's loader makes **one mistake**, in the names or in the positions. Every shape fits, so nothing is
# refused. The next cell loads the model this way and compares its stages with the library's. **Predict, then run.**

# %% id="wrong-row-prediction"
predict(
    "wrong-row",
    "The first stage that differs is the one after block 1. Which row of the table can it be?",
    ("wpe", "ln_1 and ln_2 of block 0 exchanged", "ln_1 and ln_2 of block 1 exchanged"),
)


# %% id="wrong-row-shown" tags=["shown"]
# needs like_gpt2, load_gpt2, first_gap
def stages_of(model, ids):
    """The stream before the first block and after each: (layers + 1, b, tokens, d_model)."""
    streams = [model.embedding(ids) + model.positions.weight[: ids.shape[1]]]
    for block in model.blocks:
        streams.append(block(streams[-1]))
    return torch.stack([*streams[:-1], model.norm(streams[-1])])  # the library gives the last one normalised


def exchanged(one, other):
    """The stored tensors, as a table that exchanges two names would read them."""
    swap = {one: other, other: one}
    pattern = re.compile("|".join(map(re.escape, swap)))
    return {pattern.sub(lambda found: swap[found[0]], name): tensor for name, tensor in stored.items()}


right, gaps = load_file(FOLDER / "gpt2" / "expected.safetensors"), {}
rows = {
    "nothing": ("?", "?"),
    "wpe": ("no", "no"),
    "ln_1 and ln_2 of block 0 exchanged": ("h.0.ln_1", "h.0.ln_2"),
    "ln_1 and ln_2 of block 1 exchanged": ("h.1.ln_1", "h.1.ln_2"),
}
for what, pair in rows.items():
    changed = exchanged(*pair)
    if what == "wpe":  # the rows of the positions, one too far
        changed["transformer.wpe.weight"] = changed["transformer.wpe.weight"].roll(1, 0)
    model = load_gpt2(TinyTransformer(512, 24, 3, 2, 40, "learned"), changed)
    gaps[what] = first_gap(stages_of(model, right["ids"]).detach(), right["stages"])
    print(f"{what:38} first stage that differs: {gaps[what]}")

# %% id="wrong-row-revealed" tags=["shown"]
# needs gaps
reveal("wrong-row", next(what for what, stage in gaps.items() if stage == 2))

# %% [markdown] id="tokens-intro"
# ## 2 · From text to tokens
#
# GPT-2's tokens are pieces of **bytes**. In UTF-8, every text is a sequence of bytes, each of which is one of 256
# numbers, so nothing is ever unknown. To make texts shorter, the most frequent pair of neighbours becomes a new
# token, and this is repeated 50,000 times. This is byte-pair encoding, [BPE](https://arxiv.org/abs/1508.07909). Here
# tokens 0 to 255 are the bytes themselves, and merge $k$ makes token $256 + k$.
#
# First, the text is cut into pieces, and no token crosses from one into the next. A **space belongs to the word after
# it**:

# %% id="pieces-shown"
re.findall(PIECES, "The theory: the cat's 42 hats")

# %% [markdown] id="merge-pair-task"
# So "the" at the start of a line and " the" inside it are different tokens, with different rows in the embedding.
#
# ### Task 4 · Merge a pair
#
# *5 minutes · eight lines · task id* `merge-pair`
#
# Write `merge_pair(ids, pair, new_id)`: go from left to right, and put `new_id` wherever the two ids of `pair` are
# next to each other. An id that was merged is used up: in 7 7 7 the pair (7, 7) is merged once, and one 7 is left.


# %% answer="merge-pair"
def merge_pair(ids, pair, new_id):
    """Replace each pair of neighbours with a new id.

    Shapes:
        ids: (tokens,), whole numbers
        pair: (2,), whole numbers
        returns: (fewer tokens,), whole numbers
    """
    ### BEGIN SOLUTION
    old, both, merged, place = ids.tolist(), [int(one) for one in pair], [], 0
    while place < len(old):
        if old[place : place + 2] == both:
            merged.append(new_id)
            place += 2
        else:
            merged.append(old[place])
            place += 1
    return torch.tensor(merged)
    ### END SOLUTION


# %% check="merge-pair" points=2
check("merge-pair")

# %% [markdown] id="train-bpe-task"
# ### Task 5 · Learn the merges
#
# *8 minutes · six lines · task id* `train-bpe`
#
# Write `train_bpe(pieces, num_merges)`. `pieces` is a list of tensors of bytes. In each round, count all pairs of
# neighbours in all pieces, never across two pieces. Take the most frequent pair; if there are several, the
# **smallest** (Python compares tuples number by number). Merge it in all pieces, and count again. Leave the caller's
# list as it is.


# %% answer="train-bpe"
def train_bpe(pieces, num_merges):
    """The merges of byte-pair encoding; merge k makes the id 256 + k.

    Shapes:
        pieces: a list of tensors (tokens,), whole numbers
        returns: (num_merges, 2), whole numbers
    """
    ### BEGIN SOLUTION
    merges = []
    for new_id in range(256, 256 + num_merges):
        counts = Counter(pair for ids in pieces for pair in zip(ids.tolist(), ids.tolist()[1:]))
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        pieces = [merge_pair(ids, torch.tensor(best), new_id) for ids in pieces]
        merges.append(best)
    return torch.tensor(merges)
    ### END SOLUTION


# %% check="train-bpe" points=3
check("train-bpe")

# %% [markdown] id="encode-piece-task"
# ### Task 6 · Encode
#
# *5 minutes · four lines · task id* `encode-piece`
#
# Write `encode_piece(text, merges)`: the ids of one piece. Start with its UTF-8 bytes, `text.encode("utf-8")`, and
# apply the merges **in the order in which they were learned**.


# %% answer="encode-piece"
def encode_piece(text, merges):
    """The token ids of one piece of text.

    Shapes:
        merges: (merges, 2), whole numbers
        returns: (tokens,), whole numbers
    """
    ### BEGIN SOLUTION
    ids = torch.tensor(list(text.encode("utf-8")))  # (bytes,)
    for rank, pair in enumerate(merges):
        ids = merge_pair(ids, pair, 256 + rank)
    return ids
    ### END SOLUTION


# %% check="encode-piece" points=2
check("encode-piece")

# %% [markdown] id="decode-bytes-task"
# ### Task 7 · And back
#
# *5 minutes · four or five lines · task id* `decode-bytes`
#
# Write `decode_bytes(ids, merges)`: the bytes that the ids stand for. A merge stands for what its two ids stand for.


# %% answer="decode-bytes"
def decode_bytes(ids, merges):
    """The bytes of some token ids.

    Shapes:
        ids: (tokens,), whole numbers
        merges: (merges, 2), whole numbers
        returns: (bytes,), whole numbers from 0 to 255
    """
    ### BEGIN SOLUTION
    stands_for = [[byte] for byte in range(256)]
    for first, second in merges.tolist():
        stands_for.append(stands_for[first] + stands_for[second])
    return torch.tensor([byte for one in ids.tolist() for byte in stands_for[one]])
    ### END SOLUTION


# %% check="decode-bytes" points=2
check("decode-bytes")

# %% [markdown] id="library-intro"
# The `tokenizers` library learned merges from the pages of lesson 10. A file contains them and the ids it gives to
# some texts. Your functions give the same ids. How many bytes does one token stand for in each text? (The pages were
# in English.)

# %% id="library-shown" tags=["shown"]
# needs encode_piece, decode_bytes
merges = load_file(TOKENIZER)["merges"]  # (merges, 2)


def encode(text):
    """The ids of a text (tokens,)."""
    return torch.cat([encode_piece(piece, merges) for piece in re.findall(PIECES, text)])


def decode(ids):
    """The text of some ids; half a character becomes a mark."""
    return bytes(decode_bytes(ids, merges).tolist()).decode("utf-8", errors="replace")


for at, text in enumerate(TEXTS):
    ids = encode(text)
    same = torch.equal(ids, load_file(TOKENIZER)[f"text {at}"]) and decode(ids) == text
    print(f"{same}  {len(text.encode()) / len(ids):.1f} bytes a token  {text.strip()!r}")
print([decode(one[None]) for one in encode("the cat sees the hat")], encode("the"), encode(" the"))

# %% [markdown] id="library-read"
# A Bengali letter takes three bytes, and no merge was learned for it, so each letter costs three tokens. A model pays
# for every token in time and memory, which is one reason why large tokenizers are trained on many languages. A single
# token can be a third of a letter or a quarter of an emoji, so decode whole texts, not single tokens.
#
# **Special tokens** never come from text. A chat model is trained on conversations in a fixed form, its **chat
# template**, in which special tokens mark where each message begins and ends. You write the roles and the messages;
# the template adds the rest. If a user types `<|im_end|>`, it must stay ordinary text, or users could close your
# message and open their own:


# %% id="chat-shown" tags=["shown"]
# needs encode
SPECIAL = {"<|im_start|>": 512, "<|im_end|>": 513}  # the first two ids after the last merge


def chat_ids(messages, encode=encode, special=SPECIAL):
    """The ids (tokens,) of a conversation in ChatML's form, up to where the assistant begins to write."""
    start, end = (torch.tensor([one]) for one in special.values())
    parts = [(start, encode(f"{role}\n{text}"), end, encode("\n")) for role, text in messages]
    return torch.cat([*(ids for part in parts for ids in part), start, encode("assistant\n")])


conversation = [("system", "Be brief."), ("user", "the for statement? <|im_end|>")]
ids = chat_ids(conversation)
names = {number: name for name, number in SPECIAL.items()}
print("".join(names.get(int(one)) or decode(one[None]) for one in ids))
print("special tokens:", sum(int(one) in names for one in ids), "of", len(ids))

# %% [markdown] id="next-probabilities-task"
# ## 3 · Which token comes next?
#
# A model outputs logits, and **greedy** decoding takes the largest. For freer text, draw from the probabilities, but
# adjust them first:
#
# - **temperature** $T$: logits are divided by $T$. Below 1, likely tokens become even likelier; towards 0, decoding
#   becomes greedy.
# - **top-k**: only the $k$ likeliest tokens are kept.
# - **top-p**: the fewest tokens that together reach the probability $p$, the likeliest first. The token that reaches
#   $p$ is kept.
#
# The order of these steps is a choice. Here you follow `transformers`; llama.cpp, for example, applies the
# temperature last by default.
#
# ### Task 8 · The distribution
#
# *12 minutes · about ten lines · task id* `next-probabilities`
#
# Write `next_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0)`: the probabilities to draw from. First
# the temperature, where 0 means greedy: all the probability goes to the largest logit. Then top-k, and then top-p
# **of what top-k has left**, normalised again. Each row adds up to 1.


# %% answer="next-probabilities"
def next_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    """What the next token is drawn from.

    Shapes:
        logits: (b, vocab)
        returns: (b, vocab), each row adding up to 1
    """
    ### BEGIN SOLUTION
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    probabilities = torch.softmax(logits / temperature, dim=-1)
    ordered, order = probabilities.sort(dim=-1, descending=True)  # (b, vocab) each
    if top_k is not None:
        ordered[:, top_k:] = 0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    before = ordered.cumsum(dim=-1) - ordered  # what the likelier tokens reach together
    ordered = ordered.masked_fill(before >= top_p, 0)
    kept = torch.zeros_like(probabilities).scatter(-1, order, ordered)  # back into the vocabulary's order
    return kept / kept.sum(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="next-probabilities" points=4
check("next-probabilities")

# %% [markdown] id="min-p-intro"
# A fourth way needs one line. **Min-p** keeps each token that is at least $p$ times as likely as the likeliest one,
# so it keeps few tokens where the model is sure, and many where it is not.


# %% id="min-p-shown"
def min_p(probabilities, share):
    """The probabilities (b, vocab) of the tokens at least `share` times as likely as the likeliest one."""
    enough = probabilities >= share * probabilities.amax(dim=-1, keepdim=True)  # (b, vocab)
    kept = probabilities.masked_fill(~enough, 0)  # (b, vocab)
    return kept / kept.sum(dim=-1, keepdim=True)


for what, some in (("sure", [6.0, 2.0, 1.0, 1.0, 0.0]), ("not sure", [2.0, 1.6, 1.0, 0.4, 0.0])):
    kept = min_p(torch.softmax(torch.tensor([some]), dim=-1), 0.2)
    print(f"{what:9} {int((kept > 0).sum())} of 5 tokens are kept")
some_logits = torch.tensor([[2.0, 1.6, 1.0, 0.4, 0.0, -0.5, -1.0, -2.0]])  # (1, vocab)
some_words = ["the", "a", "this", "its", "one", "every", "such", "cat"]

# %% id="distribution-figure" tags=["figure"]
# needs next_probabilities
ways = {"as it is": {}, "T = 0.5": {"temperature": 0.5}, "T = 2": {"temperature": 2.0}}
ways |= {"greedy": {"temperature": 0}, "top-k 3": {"top_k": 3}, "top-p 0.6": {"top_p": 0.6}}
rows = [next_probabilities(some_logits, **settings) for settings in ways.values()]
sampling_bars(some_logits[0], torch.cat(rows), some_words, list(ways))

# %% [markdown] id="explorer-intro"
# ### Try it
#
# Move the three sliders, or focus one and use the arrow keys. With top-p at 0.7, at which temperatures are two tokens
# left? Why are more tokens left at a higher temperature, while top-k never keeps more?

# %% id="explorer" tags=["figure"]
explore_sampling(some_logits[0], some_words)

# %% [markdown] id="explorer-read"
# <details><summary>What to see</summary>
#
# From 0.4 to 0.8. A higher temperature makes the probabilities more equal, so it takes more tokens to reach 0.7.
# Top-k counts tokens, and temperature never changes their order.
#
# </details>

# %% [markdown] id="generate-until-end-task"
# ### Task 9 · Write
#
# *5 minutes · seven lines · task id* `generate-until-end`
#
# You wrote this in lesson 08; only the end is new. Write a greedy `generate(model, ids, count, end=None)`. Append the
# likeliest next token, up to `count` times. Stop right after the token `end` has been appended. A GPT-2 reads at most
# as many tokens as `model.positions` has rows: of a longer text, give it only the last ones. Return the ids, the
# given ones first.


# %% answer="generate-until-end"
@torch.no_grad()
def generate(model, ids, count, end=None):
    """Continue a text greedily.

    Shapes:
        ids: (1, tokens), whole numbers
        returns: (1, tokens and new ones), whole numbers
    """
    ### BEGIN SOLUTION
    room = len(model.positions.weight)
    for _ in range(count):
        logits = model(ids[:, -room:])[:, -1]  # (1, vocab)
        new = logits.argmax(dim=-1, keepdim=True)  # (1, 1)
        ids = torch.cat((ids, new), dim=1)
        if new.item() == end:
            break
    return ids
    ### END SOLUTION


# %% check="generate-until-end" points=3
check("generate-until-end")

# %% [markdown] id="cached-logits-task"
# ### Task 10 · Optional: With a cache
#
# *15 minutes · about twenty lines · task id* `cached-logits`
#
# `generate` rereads the whole text for each token, but in lesson 11 you kept the keys and values. Write
# `cached_logits(model, pieces, num_heads)`: a text arrives in pieces, first the prompt and then new tokens. Return
# the logits of all tokens, as `model` gives them for the whole text, but never compute a token's keys and values
# twice. The pieces arrive one by one: `pieces` can be a generator, and a piece is overwritten with zeros when you ask
# for the next one.
#
# For each piece: its embedding plus **its own** positions, which keep counting. In each block: `norm_1`; queries,
# keys and values of the new tokens; the kept keys and values before the new ones; causal attention of the new queries
# to all keys; `out_proj`, added to the stream; then the MLP.


# %% answer="cached-logits"
@torch.no_grad()
def cached_logits(model, pieces, num_heads):
    """The logits of a text that arrives in pieces.

    Shapes:
        pieces: one after the other, (b, new tokens) each, whole numbers
        returns: (b, tokens, vocab)
    """
    ### BEGIN SOLUTION
    kept, results, start = {}, [], 0
    for ids in pieces:
        b, new = ids.shape
        x = model.embedding(ids) + model.positions.weight[start : start + new]  # (b, new, d_model)
        start += new
        hidden = torch.ones(new, start, dtype=torch.bool).triu(start - new + 1)  # (new, tokens so far)
        for layer, block in enumerate(model.blocks):
            read = block.norm_1(x)
            attention = block.attention
            queries, keys, values = (
                project(read).view(b, new, num_heads, -1).transpose(1, 2)  # (b, heads, new, head_dim)
                for project in (attention.W_query, attention.W_key, attention.W_value)
            )
            if layer in kept:
                keys = torch.cat((kept[layer][0], keys), dim=2)  # (b, heads, tokens so far, head_dim)
                values = torch.cat((kept[layer][1], values), dim=2)
            kept[layer] = keys, values
            scores = queries @ keys.mT / keys.shape[-1] ** 0.5  # (b, heads, new, tokens so far)
            weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
            context = (weights @ values).transpose(1, 2).reshape(b, new, -1)  # (b, new, d_model)
            x = x + attention.out_proj(context)
            x = x + block.mlp(block.norm_2(x))
        results.append(model.unembedding(model.norm(x)))
    return torch.cat(results, dim=1)
    ### END SOLUTION


# %% check="cached-logits" points=0
check("cached-logits")

# %% [markdown] id="cache-proof-intro"
# The same tokens, with a cache and without one:

# %% id="cache-proof" tags=["shown"]
# needs gpt2, encode, generate, cached_logits
prompt = encode("the for statement")
written = generate(gpt2, prompt[None], 20)  # (1, tokens)
pieces = [written[:, : len(prompt)], *written[:, len(prompt) :].split(1, dim=1)]
logits = cached_logits(gpt2, pieces, 3)
same = torch.equal(logits[:, len(prompt) - 1 : -1].argmax(dim=-1), written[:, len(prompt) :])
print("the same 20 tokens, one by one with a cache:", same)

# %% [markdown] id="llama-intro"
# **A good place to stop for the day.**
#
# ## 4 · Llama
#
# Many of today's open models are close relatives of [Llama](https://arxiv.org/abs/2302.13971). It differs from GPT-2
# in five ways (grouped queries arrived with the largest Llama 2):
#
# | | GPT-2 | Llama |
# | --- | --- | --- |
# | norm | LayerNorm | **RMSNorm**: no mean, no bias |
# | positions | an added table | **RoPE**, on queries and keys |
# | attention | as many key heads as query heads | **grouped queries** (lesson 11) |
# | MLP | GELU of one projection | **SwiGLU**: one projection gates another |
# | biases | in all layers except the unembedding | none |
#
# ### Task 11 · RMSNorm
#
# *5 minutes · a class · task id* `rms-norm`
#
# LayerNorm subtracts the mean and divides by the standard deviation. [RMSNorm](https://arxiv.org/abs/1910.07467) only
# divides, by the root of the mean square:
#
# $$\text{RMSNorm}(x) = \frac{x}{\sqrt{\text{mean}(x^2) + \epsilon}} \cdot w$$
#
# The mean runs over the last axis. `weight` starts with ones.


# %% answer="rms-norm"
class RMSNorm(nn.Module):
    """Divide by the root of the mean square.

    Shapes:
        x: (..., d_model)
        returns: (..., d_model)
    """

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        mean_square = (x * x).mean(dim=-1, keepdim=True)  # (..., 1)
        return x / torch.sqrt(mean_square + self.eps) * self.weight
        ### END SOLUTION


# %% check="rms-norm" points=2
check("rms-norm")

# %% [markdown] id="llama-attention-task"
# ### Task 12 · Llama's attention, and Qwen3's
#
# *11 minutes · the `forward` of a class · task id* `llama-attention`
#
# Finish `LlamaAttention`: causal, no biases, with `W_query`, `W_key`, `W_value` and `out_proj`. `head_dim` is given,
# so all heads together can be wider than `d_model`. Rotate queries and keys with `apply_rope` and `base`, each head
# on its own, at positions counted from 0. Query heads share keys and values in neighbouring groups
# (`repeat_interleave`, lesson 11). Divide the scores by √head_dim.
#
# With `qk_norm=True` it is Qwen3's attention: each head's queries go through `query_norm`, its keys through
# `key_norm`, both an `RMSNorm(head_dim, eps)`, **before** the rotation. Otherwise these two layers do not exist.


# %% answer="llama-attention"
class LlamaAttention(nn.Module):
    """Causal attention with rotary positions, shared keys and values, and no biases.

    Shapes:
        x: (b, tokens, d_model)
        returns: (b, tokens, d_model)
    """

    def __init__(self, d_model, num_heads, num_kv_groups, head_dim, base=10000.0, qk_norm=False, eps=1e-6):
        super().__init__()
        self.num_heads, self.num_kv_groups, self.base, self.qk_norm = num_heads, num_kv_groups, base, qk_norm
        self.W_query = nn.Linear(d_model, num_heads * head_dim, bias=False)
        self.W_key = nn.Linear(d_model, num_kv_groups * head_dim, bias=False)
        self.W_value = nn.Linear(d_model, num_kv_groups * head_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * head_dim, d_model, bias=False)
        if qk_norm:
            self.query_norm, self.key_norm = RMSNorm(head_dim, eps), RMSNorm(head_dim, eps)

    def forward(self, x):
        ### BEGIN SOLUTION
        b, num_tokens, _ = x.shape
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, -1).transpose(1, 2)
        keys = self.W_key(x).view(b, num_tokens, self.num_kv_groups, -1).transpose(1, 2)
        values = self.W_value(x).view(b, num_tokens, self.num_kv_groups, -1).transpose(1, 2)
        if self.qk_norm:
            queries, keys = self.query_norm(queries), self.key_norm(keys)
        positions = torch.arange(num_tokens, device=x.device)
        queries = apply_rope(queries, positions, self.base)  # (b, heads, tokens, head_dim)
        keys = apply_rope(keys, positions, self.base)  # (b, groups, tokens, head_dim)
        sharing = self.num_heads // self.num_kv_groups
        keys = keys.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
        values = values.repeat_interleave(sharing, dim=1)  # (b, heads, tokens, head_dim)
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
        hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
        context = (
            (weights @ values).transpose(1, 2).reshape(b, num_tokens, -1)
        )  # (b, tokens, heads * head_dim)
        return self.out_proj(context)
        ### END SOLUTION


# %% check="llama-attention" points=5
check("llama-attention")

# %% [markdown] id="llama-class-intro"
# The rest is given. **SwiGLU** is an MLP with three matrices: $\text{down}(\text{silu}(\text{gate}(x)) \cdot
# \text{up}(x))$. One projection goes through silu and then multiplies the other, number by number ([Shazeer
# 2020](https://arxiv.org/abs/2002.05202)). `llama_sizes` reads a published configuration and refuses every setting
# that your `Llama` does not support.


# %% id="llama-class"
class SwiGLU(nn.Module):
    def __init__(self, d_model, hidden):
        super().__init__()
        self.gate = nn.Linear(d_model, hidden, bias=False)
        self.up = nn.Linear(d_model, hidden, bias=False)
        self.down = nn.Linear(hidden, d_model, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))  # (b, tokens, d_model)


class LlamaBlock(nn.Module):
    def __init__(self, d_model, num_heads, num_kv_groups, head_dim, hidden, base, qk_norm, eps):
        super().__init__()
        self.norm_1 = RMSNorm(d_model, eps)
        self.attention = LlamaAttention(d_model, num_heads, num_kv_groups, head_dim, base, qk_norm, eps)
        self.norm_2 = RMSNorm(d_model, eps)
        self.mlp = SwiGLU(d_model, hidden)

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))  # (b, tokens, d_model)
        return x + self.mlp(self.norm_2(x))  # (b, tokens, d_model)


class Llama(nn.Module):
    """A causal transformer of Llama's kind: ids (b, tokens) to logits (b, tokens, vocab)."""

    def __init__(
        self,
        vocab,
        d_model,
        num_layers,
        num_heads,
        num_kv_groups,
        head_dim,
        hidden,
        base=10000.0,
        qk_norm=False,
        eps=1e-6,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        sizes = (d_model, num_heads, num_kv_groups, head_dim, hidden, base, qk_norm, eps)
        self.blocks = nn.ModuleList(LlamaBlock(*sizes) for _ in range(num_layers))
        self.norm = RMSNorm(d_model, eps)
        self.unembedding = nn.Linear(d_model, vocab, bias=False)

    def forward(self, ids):
        x = self.embedding(ids)  # (b, tokens, d_model)
        for block in self.blocks:
            x = block(x)  # (b, tokens, d_model)
        return self.unembedding(self.norm(x))  # (b, tokens, vocab)


def llama_sizes(config):
    """The arguments of `Llama`, from a published `config.json`."""
    heads, rope = config["num_attention_heads"], config.get("rope_parameters") or config
    scaling = config.get("rope_scaling") or rope
    if scaling.get("rope_type", scaling.get("type", "default")) != "default":  # older files say `type`
        raise ValueError("This model scales its rotary positions, which `Llama` does not know.")
    return {
        "vocab": config["vocab_size"],
        "d_model": config["hidden_size"],
        "num_layers": config["num_hidden_layers"],
        "num_heads": heads,
        "num_kv_groups": config.get("num_key_value_heads", heads),
        "head_dim": config.get("head_dim") or config["hidden_size"] // heads,
        "hidden": config["intermediate_size"],
        "base": float(rope.get("rope_theta", 10000.0)),
        "qk_norm": config["model_type"].startswith("qwen3"),
        "eps": config["rms_norm_eps"],
    }


# %% id="llama-stored"
for folder in ("llama", "qwen3"):
    names = load_file(FOLDER / folder / "model.safetensors")
    print(
        folder,
        {name: tuple(names[name].shape) for name in sorted(names) if not re.search(r"layers\.[12]\.", name)},
        "\n",
    )

# %% [markdown] id="load-llama-task"
# ### Task 13 · Load Llama
#
# *8 minutes · about twelve lines · task id* `load-llama`
#
# Write `load_llama(model, state)`, with `fill`. Linear layers are stored as (out, in), like yours. `input_layernorm`
# is `norm_1`, and `post_attention_layernorm` is `norm_2`, which comes after the attention and **before** the MLP. If
# a file has no `lm_head.weight`, the table is tied: the unembedding gets the embedding's numbers.


# %% answer="load-llama"
def load_llama(model, state):
    """Put the tensors of a Llama or a Qwen3 into a `Llama`.

    state: tensors by the names that `save_pretrained` gives them
    returns: the model

    Raises:
        ValueError: a tensor is missing, not expected, or of another shape.
    """
    ### BEGIN SOLUTION
    table = {
        "layers": "blocks",
        "embed_tokens": "embedding",
        "lm_head": "unembedding",
        "self_attn": "attention",
    }
    table |= {"q_proj": "W_query", "k_proj": "W_key", "v_proj": "W_value", "o_proj": "out_proj"}
    table |= {"q_norm": "query_norm", "k_norm": "key_norm"}
    table |= {"input_layernorm": "norm_1", "post_attention_layernorm": "norm_2"}
    table |= {"gate_proj": "gate", "up_proj": "up", "down_proj": "down"}
    own = {}
    for name, tensor in state.items():
        parts = name.removeprefix("model.").split(".")
        own[".".join(table.get(part, part) for part in parts)] = tensor
    own.setdefault("unembedding.weight", own.get("embedding.weight"))
    return fill(model, own)
    ### END SOLUTION


# %% check="load-llama" points=4
check("load-llama")

# %% id="llama-proof"
# needs RMSNorm, LlamaAttention, load_llama
llama, qwen3 = (compared(FOLDER / name) for name in ("llama", "qwen3"))

# %% [markdown] id="mixture-of-experts-task"
# ### Task 14 · Optional: A mixture of experts
#
# *10 minutes · about eight lines · task id* `mixture-of-experts`
#
# Many large models have several MLPs in each block, the **experts**, and each token goes through only a few of them.
# Qwen3-30B-A3B has 128 experts in each block and uses 8 for each token, so about 3 of its 30 billion parameters take
# part. That saves arithmetic, not memory, because the next token may need any of them.
#
# A linear layer without a bias, the **router**, gives each token one logit for each expert. The softmax of these runs
# over *all* experts. Then only the `top_k` largest probabilities count, divided by their sum. A token's result is the
# sum of its experts' results, each times its share.
#
# Finish `MixtureOfExperts`. Each expert computes only the tokens that chose it, and one that no token chose computes
# nothing: it can be called with no tokens, or not at all. A loop over the experts is fine.


# %% answer="mixture-of-experts"
class MixtureOfExperts(nn.Module):
    """Several MLPs, of which each token uses a few.

    Shapes:
        x: (b, tokens, d_model)
        returns: (b, tokens, d_model)
    """

    def __init__(self, d_model, hidden, num_experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.router = nn.Linear(d_model, num_experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(d_model, hidden) for _ in range(num_experts))

    def forward(self, x):
        ### BEGIN SOLUTION
        tokens = x.flatten(0, 1)  # (b * tokens, d_model)
        probabilities = torch.softmax(self.router(tokens), dim=-1)  # (b * tokens, experts)
        shares, chosen = probabilities.topk(self.top_k, dim=-1)  # (b * tokens, top_k) each
        shares = shares / shares.sum(dim=-1, keepdim=True)
        result = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, places = (chosen == number).nonzero(as_tuple=True)  # the tokens that chose it, and as which
            result[rows] += shares[rows, places, None] * expert(tokens[rows])
        return result.view_as(x)  # (b, tokens, d_model)
        ### END SOLUTION


# %% check="mixture-of-experts" points=0
check("mixture-of-experts")

# %% [markdown] id="mixture-proof-intro"
# In the file, the router is called `mlp.gate`. Everything else is as in Qwen3.

# %% id="mixture-proof" tags=["shown"]
# needs RMSNorm, LlamaAttention, load_llama, MixtureOfExperts
config = json.loads((FOLDER / "qwen3-moe" / "config.json").read_text())
sizes = [config[name] for name in ("moe_intermediate_size", "num_local_experts", "num_experts_per_tok")]
mixture = Llama(**llama_sizes(config))
for block in mixture.blocks:
    block.mlp = MixtureOfExperts(config["hidden_size"], *sizes)
moe_state = load_file(FOLDER / "qwen3-moe" / "model.safetensors")
load_llama(mixture, {name.replace("mlp.gate.", "mlp.router."): one for name, one in moe_state.items()})
mixture.requires_grad_(False)
right = load_file(FOLDER / "qwen3-moe" / "expected.safetensors")
gap = float((mixture(right["ids"]) - right["logits"]).abs().max())
print(f"qwen3-moe: largest logit {right['logits'].max():.1f}, largest difference below 1e-4: {gap < 1e-4}")
total = sum(one.numel() for one in mixture.parameters())
one_expert = sum(one.numel() for one in mixture.blocks[0].mlp.experts[0].parameters())
idle = len(mixture.blocks) * (sizes[1] - sizes[2]) * one_expert
print(f"{total:,} parameters, of which {total - idle:,} take part in a token's computation")

# %% [markdown] id="mixture-read"
# In training, a second loss keeps the router from sending most tokens to a few experts ([Switch
# Transformers](https://arxiv.org/abs/2101.03961)). When the model is used, it plays no part.

# %% [markdown] id="permute-intro"
# ## 5 · The rows that had to move
#
# Meta published Llama with the **interleaved** form of RoPE, in which neighbours are partners. `transformers` uses
# the **half-split** form. You know both from lesson 07.

# %% [markdown] id="bug-permuted-rows-task"
# A score is a sum over the numbers of a head, so their order does not matter as long as it is the same for queries
# and keys. To convert Meta's file to the half-split form, move the **rows** of `W_query` and `W_key`, head by head:
# the first numbers of all pairs go into the first half, the second numbers into the second half. Values are not
# rotated and stay where they are.
#
# ### Task 15 · Find the bug: the rows of another form
#
# *7 minutes · one line · task id* `bug-permuted-rows`
#
# `from_meta(weight, num_heads)` should convert a weight from the interleaved form to the half-split form. It runs and
# the shape is right; the symptom would be text that gets worse the longer it is. Find the cause. With 1 head of 6
# rows, the rows should come in the order 0, 2, 4, 1, 3, 5.


# %% answer="bug-permuted-rows"
### BEGIN SOLUTION
def from_meta(weight, num_heads):
    """The rows of queries or keys, from neighbours as pairs to halves as pairs.

    Shapes:
        weight: (heads * head_dim, d_model)
        returns: (heads * head_dim, d_model)
    """
    pairs = weight.unflatten(0, (num_heads, -1, 2))  # (heads, head_dim / 2, 2, d_model)
    return pairs.transpose(1, 2).flatten(0, 2)


### END SOLUTION
### BEGIN FAULTY
# def from_meta(weight, num_heads):
#     """The rows of queries or keys, from neighbours as pairs to halves as pairs.
#
#     Shapes:
#         weight: (heads * head_dim, d_model)
#         returns: (heads * head_dim, d_model)
#     """
#     pairs = weight.unflatten(0, (num_heads, 2, -1))  # (heads, 2, head_dim / 2, d_model)
#     return pairs.transpose(1, 2).flatten(0, 2)
### END FAULTY


# %% check="bug-permuted-rows" points=2
check("bug-permuted-rows")


# %% id="permute-shown"
def interleaved(x, positions):
    """RoPE with neighbours as pairs: (tokens, head_dim) to (tokens, head_dim)."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())  # (tokens, head_dim / 2)
    half = pairs.shape[-1]
    angles = positions[:, None] * 10000.0 ** (-torch.arange(half) / half)
    return torch.view_as_real(pairs * torch.exp(1j * angles)).flatten(-2)


torch.manual_seed(123)
x, positions = torch.randn(5, 12), torch.arange(5)
W_query, W_key = torch.randn(2, 8, 12)  # Meta's rows of one head, (head_dim, d_model) each
metas = interleaved(x @ W_query.T, positions) @ interleaved(x @ W_key.T, positions).T  # (tokens, tokens)
moved = [apply_rope(x @ from_meta(weight, 1).T, positions) for weight in (W_query, W_key)]
gap = (moved[0] @ moved[1].T - metas).abs()
print(
    "largest difference of the scores, by distance:", [f"{gap.diagonal(-far).max():.2f}" for far in range(5)]
)

# %% [markdown] id="permute-read"
# At distance 0, queries and keys are rotated by the same angle, so the scores agree even with the wrong rows. With
# random queries and keys and a head_dim of 64, the error at a distance of one token is a third of the scores' spread,
# and from 16 tokens on it is larger than the spread.
#
# ## 6 · Optional: A published model answers
#
# [SmolLM2](https://arxiv.org/abs/2502.02737) is a small Llama, trained on conversations (section 2). If you are
# online, the next cells load it once (270 MB) into **your** classes and ask it something. It is often wrong, and
# without a cache a token can take a second.


# %% id="published-given" tags=["shown"]
LOAD = opened()  # False loads nothing, as where nobody has the notebook open: in a build, or a grader
LOAD_GPT2 = False  # True loads GPT-2 as well (2019, 124 million parameters)


def published(name, megabytes, load):
    """A published model in your own classes, and its tokenizer; or None, and one sentence that says why."""
    if not load:
        print(f"{name} ({megabytes} MB) is not loaded.")
        return None
    try:
        from huggingface_hub import HfApi
        from tokenizers import Tokenizer

        hub, files = HfApi(token=False), ("config.json", "tokenizer.json", "model.safetensors")
        try:
            paths = [hub.hf_hub_download(name, file, local_files_only=True) for file in files]
        except FileNotFoundError:  # not all of it is on this machine
            print(f"Loading {name}: {megabytes} MB, once. Not now? Stop this cell, and switch it off above.")
            hub.model_info(name, timeout=3)  # fails within seconds where there is no network
            paths = [hub.hf_hub_download(name, file) for file in files]
    except Exception as problem:
        reason = type(problem).__name__
        print(f"It could not be loaded ({reason}): go on without it, or run this again when you are online.")
        return None
    return from_folder(Path(paths[0]).parent), Tokenizer.from_file(paths[1])


# %% id="ask-given" tags=["shown"]
# needs chat_ids, next_probabilities
@torch.no_grad()
def ask(model, tokenizer, question, count=100):
    """Ask a chat model, and print its answer token by token."""
    from tokenizers.decoders import DecodeStream

    tokenizer.encode_special_tokens = True  # as text: what a user types never becomes a special token
    special = {name: tokenizer.token_to_id(name) for name in SPECIAL}

    def encode(text):
        return torch.tensor(tokenizer.encode(text, add_special_tokens=False).ids)  # (tokens,)

    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"  # its template's own
    ids = chat_ids([("system", system), ("user", question)], encode, special)[None]  # (1, tokens)
    stream = DecodeStream()  # gives text once a character is whole
    torch.manual_seed(123)
    for _ in range(count):
        probabilities = next_probabilities(model(ids)[:, -1], temperature=0.2, top_p=0.9)  # (1, vocab)
        new = torch.multinomial(probabilities, 1)  # (1, 1)
        if new.item() == special["<|im_end|>"]:
            break
        ids = torch.cat((ids, new), dim=1)
        print(stream.step(tokenizer, new.item()) or "", end="", flush=True)


# %% id="published-llama" tags=["shown"]
# needs RMSNorm, LlamaAttention, load_llama, ask
smollm = published("HuggingFaceTB/SmolLM2-135M-Instruct", 270, LOAD)
if smollm is not None:
    ask(*smollm, "What is the capital of France?")  # then ask it something yourself

# %% id="published-gpt2" tags=["shown"]
# needs load_gpt2, generate
real_gpt2 = published("openai-community/gpt2", 550, LOAD_GPT2)
if real_gpt2 is not None:
    model, tokenizer = real_gpt2
    start = torch.tensor([tokenizer.encode("Attention is all you").ids])  # (1, tokens)
    gpt2_ids = generate(model, start, 20)  # (1, tokens and 20)
    print(tokenizer.decode(gpt2_ids[0].tolist()))

# %% [markdown] id="explorer-model-intro"
# ### Look inside
#
# The explorer of lesson 10 runs any model with GPT-2's parts, including the one you loaded in section 1. Its numbers
# are **random**, so no head has learned anything. Choose each of the six heads in turn, and press the space key on
# **Without this head**. For how many of them does the model expect a different token at the end of this text?

# %% id="explorer-model" tags=["figure", "shown"]
# needs gpt2, encode
sentence = "the for statement is not the while statement"
vocabulary = [decode(torch.tensor([one])) for one in range(256 + len(merges))]
explore_model(gpt2, 3, encode, vocabulary, sentence, merges=merges)

# %% [markdown] id="explorer-model-read"
# <details><summary>What to see</summary>
#
# For four of the six. Even a model that has learned nothing changes its answer when a head is removed, and each of
# its rows has a largest weight, too. Neither proves that a head does anything; lesson 10 asked for more.
#
# </details>
#
# If you have loaded GPT-2, the next cell shows where its heads look. "Sequence" counts the layers.

# %% id="published-look" tags=["shown"]
# needs real_gpt2
real_maps = None
if real_gpt2 is not None:
    words = [f"{at} {tokenizer.decode([one])}" for at, one in enumerate(gpt2_ids[0].tolist())]
    real_maps = explore_map(look_inside(model, gpt2_ids, 12).maps[:, 0], words)
real_maps

# %% [markdown] id="library-names"
# ### The same in `transformers`
#
# The library's `modeling_llama.py` has these parts too, under other names. `ALL_ATTENTION_FUNCTIONS` looks up the
# function that computes attention by its name in the configuration, such as `"sdpa"`. `repeat_kv` does what your
# `repeat_interleave` does. A cache's `update` appends the new keys and values of one layer and returns all of them.
# In a **quantised** file, a weight is stored as small whole numbers with one scale for each group, and the layer
# turns them back into numbers before it multiplies.

# %% [markdown] id="sizes-intro"
# ## 7 · A few numbers tell you what a model needs
#
# From a `config.json` you can compute how many parameters a model has, and so how many bytes it needs, without
# loading it.
#
# ### Task 16 · What a model takes
#
# *8 minutes · seven lines · task id* `model-sizes`
#
# Write `model_sizes(vocab, d_model, num_layers, num_heads, num_kv_groups, head_dim, hidden, tied, qk_norm,
# num_tokens)`. Return one tensor of three whole numbers: the parameters of your `Llama`; the bytes of its weights
# with two bytes a number; the bytes of a cache for `num_tokens` tokens with two bytes a number (lesson 11). Where the
# table is `tied`, it counts once.


# %% answer="model-sizes"
def model_sizes(
    vocab, d_model, num_layers, num_heads, num_kv_groups, head_dim, hidden, tied, qk_norm, num_tokens
):
    """The parameters of a model of Llama's kind, the bytes of its weights, and those of its cache.

    Shapes:
        returns: (3,), whole numbers
    """
    ### BEGIN SOLUTION
    attention = 2 * d_model * head_dim * (num_heads + num_kv_groups)  # queries and output, keys and values
    norms = 2 * d_model + (2 * head_dim if qk_norm else 0)
    block = attention + 3 * d_model * hidden + norms
    parameters = vocab * d_model * (1 if tied else 2) + num_layers * block + d_model
    cache = 2 * num_layers * num_kv_groups * head_dim * num_tokens * 2
    return torch.tensor([parameters, 2 * parameters, cache])
    ### END SOLUTION


# %% check="model-sizes" points=3
check("model-sizes")

# %% id="sizes-shown"
# needs model_sizes
CONFIGURATIONS = {  # vocab, d_model, layers, heads, groups, head_dim, hidden, tied, qk_norm
    "SmolLM2 135M": (49152, 576, 30, 9, 3, 64, 1536, True, False),
    "Qwen3 0.6B": (151936, 1024, 28, 16, 8, 128, 3072, True, True),
    "Llama 3.2 1B": (128256, 2048, 16, 32, 8, 64, 8192, True, False),
    "Llama 2 7B": (32000, 4096, 32, 32, 32, 128, 11008, False, False),
    "Mistral 7B": (32000, 4096, 32, 32, 8, 128, 14336, False, False),
    "Qwen3 8B": (151936, 4096, 36, 32, 8, 128, 12288, False, True),
}
for name, sizes in CONFIGURATIONS.items():
    parameters, weights, cache = model_sizes(*sizes, 8192).tolist()
    print(f"{name:13} {parameters:13,} parameters {weights:14,} bytes, cache at 8192 {cache:13,}")

# %% [markdown] id="sizes-read"
# These numbers agree with `transformers`' own models, to the byte. Sources: the published configurations, and
# [SmolLM2](https://arxiv.org/abs/2502.02737), [Qwen3](https://arxiv.org/abs/2505.09388), [Llama
# 3](https://arxiv.org/abs/2407.21783), [Llama 2](https://arxiv.org/abs/2307.09288),
# [Mistral](https://arxiv.org/abs/2310.06825). At 8192 tokens, the cache of a single text would be a third as large as
# the weights of Llama 2; with eight groups for 32 heads, as in Mistral, it is a quarter of that.
#
# ## In your own words
#
# *5 minutes · graded by a person, 3 points*
#
# Can your classes take the numbers of a published model? Which three things in GPT-2's **file** or in what it
# **computes** did you have to change or translate? Why do equal shapes not prove that a tensor is in the right place,
# and what does prove it? Four to six sentences.

# %% [markdown] answer="loaded-in-words" points=3
# ### BEGIN SOLUTION
# Yes: the classes are the same, and only habits differ. In the file the weights of linear layers are transposed, and
# queries, keys and values are one fused tensor that has to be cut in three. In what it computes, GPT-2 has biases for
# queries, keys and values, a GELU by tanh, and one table for embedding and unembedding. Equal shapes prove nothing,
# because many tensors have the same shape: ln_1 and ln_2, a square weight and its transpose, or the rows of queries
# in Meta's order and in the library's. The proof is equal logits on the same ids, with numbers that are neither zero
# nor one. Where they differ, the first stage that differs tells you where to look.
#
# **Marking scheme**
#
# - 1 point: names two things in the file: other names, transposed weights, fused queries, keys and values, a prefix,
#   the missing tied table.
# - 1 point: names one thing that is computed: biases of queries, keys and values, GELU by tanh, tied unembedding, or
#   for Llama RMSNorm, SwiGLU, QK-norm.
# - 1 point: equal shapes also fit a wrong tensor, with an example; equal logits (or equal stages) on the same ids are
#   the proof.
# ### END SOLUTION

# %% [markdown] id="recap"
# ## What you have built
#
# | step | code | shape | what for |
# | --- | --- | --- | --- |
# | fused | `tensor.T.chunk(3)` | (d_model, 3 · d_model) to three (d_model, d_model) | GPT-2's queries, keys, values |
# | refuse | `places.keys() - own.keys()` | names | no random numbers are left in the model |
# | stages | `first_gap(ours, theirs)` | (stages, b, tokens, d_model) | where a wrong tensor is |
# | merge | `merge_pair(ids, pair, 256 + rank)` | (tokens,) | byte-level BPE |
# | top-p | `before < top_p` | (b, vocab) | the fewest tokens that reach p |
# | cache | `torch.cat((kept, keys), dim=2)` | (b, heads, tokens so far, head_dim) | each key once |
# | RMSNorm | `x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)` | (b, tokens, d_model) | Llama's norm |
# | rows | `unflatten(0, (heads, -1, 2)).transpose(1, 2)` | (heads, 2, head_dim / 2, d_model) | neighbours to halves |
#
# - Your classes can run GPT-2, Llama and Qwen3. They differ only in habits, and each habit has a name.
# - A shape that fits proves nothing. Equal logits show that a model is right, and the stages show where it is not.
# - A loader refuses what it does not know.
# - Tokens are bytes, merged in the order in which the merges were learned. A new word is made of known pieces, or in
#   the worst case of single bytes.
# - Samplers differ in the order of their steps. Here it is temperature, top-k, top-p.

# %% [markdown] id="quiz"
# ## Ask yourself
#
# <details><summary>1. All stages agree, but the logits differ. Which tensor is it?</summary>
#
# The unembedding: it is the only one after the last stage. Is the table tied?
#
# </details>
#
# <details><summary>2. A tokenizer has 50,257 tokens. How many of them are merges?</summary>
#
# 50,000. Besides the 256 bytes, there is one more token, which ends a text.
#
# </details>
#
# <details><summary>3. Top-k 1 and temperature 0: what is the difference?</summary>
#
# None, unless two logits are equal. Both keep only the likeliest token.
#
# </details>
#
# <details><summary>4. In Llama, the rows of W_query and W_key are moved for the half-split form. Why not those of W_value?</summary>
#
# Values are not rotated, so their numbers form no pairs. Their order is the one that `out_proj` expects.
#
# </details>
#
# <details><summary>5. A model has 8 groups for 32 query heads. Which weights get smaller, and which do not?</summary>
#
# Those of keys and values shrink to a quarter, and so does the cache. Queries and output stay the same.
#
# </details>

# %% [markdown] id="sources"
# ## Sources
#
# - **Language Models are Unsupervised Multitask Learners**, Radford and others, 2019. GPT-2, and its byte-level BPE
#   in section 2.2.
# - **Neural Machine Translation of Rare Words with Subword Units**, Sennrich, Haddow and Birch, 2015. How merges are
#   learned, for letters instead of bytes.
# - **Language Model Tokenizers Introduce Unfairness Between Languages**, Petrov and others, 2023. What the same text
#   costs in other languages, in tokens.
# - **The Curious Case of Neural Text Degeneration**, Holtzman and others, 2019. Top-p, and why the likeliest text is
#   dull.
# - **Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs**, Nguyen and others, 2024. Min-p.
# - **LLaMA: Open and Efficient Foundation Language Models**, Touvron and others, 2023. Section 2.2: RMSNorm, SwiGLU
#   and rotary positions together.
# - **Root Mean Square Layer Normalization**, Zhang and Sennrich, 2019. A norm that subtracts no mean.
# - **GLU Variants Improve Transformer**, Shazeer, 2020. SwiGLU, compared with GELU and others.
# - **Switch Transformers: Scaling to Trillion Parameter Models**, Fedus, Zoph and Shazeer, 2021. Experts, a router, and
#   the loss that spreads the tokens.
# - **Qwen3 Technical Report**, Yang and others, 2025. Section 2: QK-norm, and no biases for queries, keys and values.

# %% id="progress"
progress("12-real-models")
