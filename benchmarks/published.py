"""Make what lessons 12, 13 and 15 are compared with, by means of `transformers` and `tokenizers`.

python -m benchmarks.published
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from visuals.checkpoint import HELD_OUT
from visuals.published import FOLDER, TEXTS, TODAY, TOKENIZER

MERGES = 256
SEEDS = {"gpt2": 1, "llama": 2, "qwen3": 3, "qwen3-moe": 4, "granite-swa": 5, "cohere2": 6}
NUM_TOKENS = {"granite-swa": 24, "cohere2": 24}  # four times their window; any other text has 11


def gpt2() -> Any:
    """Return a GPT-2 of which no two sizes are equal."""
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"vocab_size": 256 + MERGES, "n_embd": 24, "n_head": 3, "n_layer": 2, "n_positions": 40}
    return GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=10, eos_token_id=10))


def llama() -> Any:
    """Return a Llama whose heads together are wider than its stream."""
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"vocab_size": 256 + MERGES, "hidden_size": 42, "intermediate_size": 56, "num_hidden_layers": 3}
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8}
    rope = {"rope_theta": 500.0, "rope_type": "default"}
    return LlamaForCausalLM(LlamaConfig(**sizes, **heads, rms_norm_eps=1e-5, rope_parameters=rope))


def qwen3() -> Any:
    """Return a Qwen3: a Llama with normalised queries and keys, and one table for both ends."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    sizes = {"vocab_size": 97, "hidden_size": 32, "intermediate_size": 44, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12}
    rope = {"rope_theta": 9000.0, "rope_type": "default"}
    return Qwen3ForCausalLM(Qwen3Config(**sizes, **heads, tie_word_embeddings=True, rope_parameters=rope))


def qwen3_moe() -> Any:
    """Return a Qwen3 with five experts in each block, of which a token uses two."""
    from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

    sizes = {"vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
    experts = {
        "moe_intermediate_size": 12,
        "num_experts": 5,
        "num_experts_per_tok": 2,
        "norm_topk_prob": True,
    }
    rope = {"rope_theta": 9000.0, "rope_type": "default"}
    return Qwen3MoeForCausalLM(Qwen3MoeConfig(**sizes, **heads, **experts, rope_parameters=rope))


def granite_swa() -> Any:
    """Return a Granite SWA: four multipliers, a sink for each head, other positions in each layer."""
    from transformers import GraniteSWAConfig, GraniteSWAForCausalLM

    sizes = {"vocab_size": 53, "hidden_size": 24, "intermediate_size": 36, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "sliding_window": 6}
    kinds = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"]
    multipliers = {"embedding_multiplier": 3.0, "residual_multiplier": 0.6, "attention_multiplier": 0.35}
    layers = {"layer_types": kinds, "layer_rope_theta": [0.0, 300.0, 40.0, 300.0]}
    ends = {"bos_token_id": 1, "eos_token_id": 1, "logits_scaling": 2.5, "rms_norm_eps": 1e-3}
    return GraniteSWAForCausalLM(GraniteSWAConfig(**sizes, **heads, **multipliers, **layers, **ends))


def cohere2() -> Any:
    """Return a Cohere 2: attention and MLP side by side, and no positions in layers without a window."""
    from transformers import Cohere2Config, Cohere2ForCausalLM

    sizes = {"vocab_size": 47, "hidden_size": 24, "intermediate_size": 36, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "sliding_window": 6}
    kinds = ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"]
    ends = {"bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 0, "logit_scale": 0.25}
    rope = {"rope_theta": 300.0, "rope_type": "default"}
    return Cohere2ForCausalLM(
        Cohere2Config(**sizes, **heads, **ends, layer_types=kinds, rope_parameters=rope, layer_norm_eps=1e-3)
    )


def drawn(name: str) -> Any:
    """Return the model of a folder. Every parameter is drawn, so that none can be left out unnoticed."""
    makers = {"gpt2": gpt2, "llama": llama, "qwen3": qwen3, "qwen3-moe": qwen3_moe}
    model = (makers | {"granite-swa": granite_swa, "cohere2": cohere2})[name]().eval()
    generator = torch.Generator().manual_seed(SEEDS[name])
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            around = float(parameter.ndim == 1 and parameter_name.endswith("weight"))  # a norm's
            parameter.copy_(around + 0.2 * torch.randn(parameter.shape, generator=generator))
    return model


def some_ids(model: Any, name: str) -> torch.Tensor:
    """Return ids (b, tokens) for a model."""
    generator = torch.Generator().manual_seed(SEEDS[name] + 100)
    return torch.randint(model.config.vocab_size, (2, NUM_TOKENS.get(name, 11)), generator=generator)


def layer_of(kind: str, config: Any, names: tuple[str, str]) -> tuple[Any, Any, Any]:
    """Return the library's attention of a kind with every parameter drawn, its rotation, and their module."""
    import importlib

    config._attn_implementation = "eager"
    module = importlib.import_module(f"transformers.models.{kind}.modeling_{kind}")
    layer = getattr(module, names[0])(config, 0).eval()
    generator = torch.Generator().manual_seed(len(kind))
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            around, spread = float("norm" in name), 3.0 if name == "sinks" else 0.4
            parameter.copy_(around + spread * torch.randn(parameter.shape, generator=generator))
    return layer, getattr(module, names[1])(config), module


def sinks_config(window: int = 4) -> Any:
    """Return a gpt-oss of which no two sizes are equal; its first layer has a window."""
    from transformers import GptOssConfig

    heads = {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 8}
    rope = {"rope_theta": 300.0, "rope_type": "default"}
    more = {"num_hidden_layers": 1, "layer_types": ["sliding_attention"], "rope_parameters": rope}
    return GptOssConfig(hidden_size=20, **heads, sliding_window=window, **more)


def sink_layer(config: Any, x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what a layer of gpt-oss is given behind its projections, and the context it makes of it."""
    from transformers.masking_utils import create_sliding_window_causal_mask

    layer, rotary, module = layer_of("gpt_oss", config, ("GptOssAttention", "GptOssRotaryEmbedding"))
    positions = torch.arange(x.shape[1])[None]
    turning = rotary(x, positions)
    mask = create_sliding_window_causal_mask(config, x, None, None, position_ids=positions)
    context: list[torch.Tensor] = []
    layer.o_proj.register_forward_pre_hook(lambda module, given: context.append(given[0]))
    with torch.no_grad():
        layer(x, turning, mask)
        queries, keys, values = (
            projection(x).unflatten(-1, (-1, config.head_dim)).transpose(1, 2)  # (b, heads, tokens, head_dim)
            for projection in (layer.q_proj, layer.k_proj, layer.v_proj)
        )
        queries, keys = module.apply_rotary_pos_emb(queries, keys, *turning)
    attended = context[0].unflatten(-1, (-1, config.head_dim)).transpose(1, 2)
    names = ("queries", "keys", "values", "sinks", "context")
    return dict(zip(names, (queries, keys, values, layer.sinks.detach(), attended), strict=True))


def latent_config(**sizes: Any) -> Any:
    """Return a DeepSeek-V3 of which no two sizes are equal."""
    from transformers import DeepseekV3Config

    parts = {"kv_lora_rank": 14, "qk_nope_head_dim": 8, "qk_rope_head_dim": 6, "v_head_dim": 10}
    rope = {"rope_theta": 500.0, "rope_type": "default"}
    heads = {"num_attention_heads": 3, "num_key_value_heads": 3, "q_lora_rank": None}
    own = {"hidden_size": 22, **heads, **parts, "rope_parameters": rope} | sizes
    return DeepseekV3Config(**own)


def latent_layer(config: Any, x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return the weights of a layer of DeepSeek-V3, what it is given and what it makes of it."""
    names = ("DeepseekV3Attention", "DeepseekV3RotaryEmbedding")
    layer, rotary, _ = layer_of("deepseek_v3", config, names)
    hidden = torch.full((x.shape[1], x.shape[1]), -torch.inf).triu(1)[None, None]
    with torch.no_grad():
        result = layer(x, rotary(x, torch.arange(x.shape[1])[None]), hidden)[0]
    parts = ("q_proj", "kv_a_proj_with_mqa", "kv_a_layernorm", "kv_b_proj", "o_proj")
    stored = {
        name.removesuffix("_with_mqa"): layer.get_parameter(f"{name}.weight").detach() for name in parts
    }
    return stored | {"x": x, "result": result}


def frequencies(kind: str, head_dim: int, base: float, trained: int, **more: Any) -> torch.Tensor:
    """Return the library's frequencies of RoPE for texts longer than `trained`."""
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    rope = {"rope_type": kind, "rope_theta": base} | more
    rope |= {"original_max_position_embeddings": trained} if kind == "yarn" else {}
    sizes = {"hidden_size": 2 * head_dim, "num_attention_heads": 2, "max_position_embeddings": trained}
    config = LlamaConfig(**sizes, rope_parameters=rope)
    # The dynamic kind is the plain NTK-aware one where its own factor is 1: then the length counts alone.
    length = {"seq_len": int(more["factor"] * trained)} if kind == "dynamic" else {}
    if kind == "dynamic":
        config.rope_parameters["factor"] = 1.0
    return ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), **length)[0]


def indexed_layer(x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what DeepSeek-V3.2's indexer is given, and the keys that it lets each query see."""
    from transformers import DeepseekV32Config

    parts = {
        "kv_lora_rank": 14,
        "qk_nope_head_dim": 8,
        "qk_rope_head_dim": 6,
        "v_head_dim": 10,
        "q_lora_rank": 12,
    }
    index = {"index_n_heads": 3, "index_head_dim": 10, "index_topk": 4}
    rope = {"rope_theta": 500.0, "rope_type": "default"}
    heads = {"num_attention_heads": 3, "num_key_value_heads": 3}
    config = DeepseekV32Config(hidden_size=x.shape[-1], **heads, **parts, **index, rope_parameters=rope)
    names = ("DeepseekV32Indexer", "DeepseekV32RotaryEmbedding")
    layer, rotary, module = layer_of("deepseek_v32", config, names)
    turning = rotary(x, torch.arange(x.shape[1])[None])
    residual = torch.randn(*x.shape[:2], 12, generator=torch.Generator().manual_seed(32))
    causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    with torch.no_grad():
        chosen = layer(x, residual, turning, causal[None], None).long()  # (b, tokens, index_topk)
        queries = layer.wq_b(residual).unflatten(-1, (3, 10)).transpose(1, 2)  # (b, heads, tokens, index_dim)
        keys = layer.k_norm(layer.wk(x))[:, None]  # (b, 1, tokens, index_dim)
        turned = module.apply_rotary_pos_emb(queries[..., :6], keys[..., :6], *turning)
        queries, keys = (
            torch.cat((part, tensor[..., 6:]), dim=-1)
            for part, tensor in zip(turned, (queries, keys), strict=True)
        )
        weights = layer.weights_proj(x)  # (b, tokens, heads)
    visible = torch.zeros(x.shape[0], *causal.shape, dtype=torch.bool).scatter(-1, chosen, True) & causal
    names = ("index_queries", "index_keys", "head_weights", "visible")
    return dict(zip(names, (queries, keys[:, 0], weights, visible), strict=True))


def shared_projection_layer(x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what Gemma 4 makes keys and values of in a layer that has one projection for both."""
    from transformers import Gemma4TextConfig

    rope = {"full_attention": {"rope_theta": 700.0, "rope_type": "default"}}
    rope |= {"sliding_attention": {"rope_theta": 700.0, "rope_type": "default"}}
    config = Gemma4TextConfig(
        hidden_size=x.shape[-1],
        num_hidden_layers=1,
        num_attention_heads=6,
        num_key_value_heads=2,
        num_global_key_value_heads=2,
        head_dim=8,
        global_head_dim=8,
        layer_types=["full_attention"],
        attention_k_eq_v=True,
        num_kv_shared_layers=0,
        rope_parameters=rope,
    )
    names = ("Gemma4TextAttention", "Gemma4TextRotaryEmbedding")
    layer, rotary, _ = layer_of("gemma4", config, names)
    layer.store_full_length_kv, shared = True, {}
    hidden = torch.full((x.shape[1], x.shape[1]), -torch.inf).triu(1)[None, None]
    with torch.no_grad():
        layer(x, rotary(x, torch.arange(x.shape[1])[None], "full_attention"), hidden, shared)
        projected = layer.k_proj(x).unflatten(-1, (-1, 8)).transpose(1, 2)  # (b, groups, tokens, head_dim)
    keys, values = shared["full_attention"]
    weight = layer.k_norm.weight.detach()
    return {"projected": projected, "key_weight": weight, "keys and values": torch.stack((keys, values))}


def compressed_layer(x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what a layer of DeepSeek-V4 with heavily compressed keys is given, its keys, and its contexts.

    The numbers that it rotates come in the half-split order; its own is the interleaved one.
    """
    from transformers import DeepseekV4Config
    from transformers.masking_utils import create_sliding_window_causal_mask

    kind, rope = "heavily_compressed_attention", {"rope_theta": 500.0, "rope_type": "default"}
    rope["partial_rotary_factor"] = 0.5
    config = DeepseekV4Config(
        hidden_size=x.shape[-1],
        num_hidden_layers=1,
        num_attention_heads=3,
        head_dim=12,
        q_lora_rank=10,
        o_groups=3,
        o_lora_rank=4,
        sliding_window=5,
        layer_types=[kind],
        mlp_layer_types=["moe"],
        compress_rates={kind: 4},
        partial_rotary_factor=0.5,
        rope_parameters={"main": dict(rope), "compress": dict(rope)},
    )
    names = ("DeepseekV4Attention", "DeepseekV4RotaryEmbedding")
    layer, rotary, module = layer_of("deepseek_v4", config, names)
    order = torch.tensor([*range(6), 6, 8, 10, 7, 9, 11])  # neighbours to halves
    positions = torch.arange(x.shape[1])[None]
    turning = rotary(x, positions, "compress")
    mask = create_sliding_window_causal_mask(config, x, None, None, position_ids=positions)
    turned_back: list[torch.Tensor] = []
    layer.o_a_proj.register_forward_pre_hook(lambda module, given: turned_back.append(given[0]))
    with torch.no_grad():
        layer(x, {"main": turning, "compress": turning}, positions, mask)
        queries = layer.q_b_proj(layer.q_a_norm(layer.q_a_proj(x))).unflatten(-1, (3, 12)).transpose(1, 2)
        queries = module.apply_rotary_pos_emb(
            layer.q_b_norm(queries), *turning
        )  # (b, heads, tokens, head_dim)
        keys = module.apply_rotary_pos_emb(layer.kv_norm(layer.kv_proj(x))[:, None], *turning)[:, 0]
        compressor = layer.compressor
        blocks = compressor(x, None, positions, None, 0)[0][:, 0]  # (b, blocks, head_dim)
        # The layer turns its contexts back by their own positions before it projects them.
        context = module.apply_rotary_pos_emb(turned_back[0].transpose(1, 2), *turning)
        parts = {
            "queries": queries,
            "keys": keys,
            "projected": compressor.kv_proj(x),
            "gates": compressor.gate_proj(x),
            "position_bias": compressor.position_bias,
            "key_weight": compressor.kv_norm.weight,
            "blocks": blocks,
            "context": context,
        }
    return {name: part.detach()[..., order] for name, part in parts.items()} | {"sinks": layer.sinks.detach()}


SHARING_KINDS = ("full", "sliding", "full", "sliding", "sliding", "full")


def sharing_layers(ids: torch.Tensor, pieces: tuple[int, ...], window: int = 4) -> dict[str, torch.Tensor]:
    """Return the attention of a Gemma 4 of six layers, of which the last two read the keys of earlier ones.

    The text arrives in pieces, with the library's own cache. All tensors are (layers, b, heads, tokens,
    head_dim): queries and contexts of all layers, keys and values of the four layers that have their own.
    Gemma does not divide scores by √head_dim, so the queries come multiplied by it.
    """
    from unittest.mock import patch

    from transformers import DynamicCache, Gemma4TextConfig
    from transformers.models.gemma4 import modeling_gemma4 as module

    bases = {"full_attention": 700.0, "sliding_attention": 50.0}
    config = Gemma4TextConfig(
        vocab_size=31,
        vocab_size_per_layer_input=31,
        hidden_size=20,
        intermediate_size=28,
        num_hidden_layers=6,
        num_attention_heads=3,
        num_key_value_heads=3,
        head_dim=6,
        global_head_dim=6,
        hidden_size_per_layer_input=0,
        sliding_window=window,
        layer_types=[f"{kind}_attention" for kind in SHARING_KINDS],
        num_kv_shared_layers=2,
        rope_parameters={kind: {"rope_theta": base, "rope_type": "default"} for kind, base in bases.items()},
    )
    config._attn_implementation = "eager"
    model = module.Gemma4TextModel(config).eval()
    generator = torch.Generator().manual_seed(35)
    parts: dict[str, dict[int, list[torch.Tensor]]] = {
        name: {layer: [] for layer in range(6)} for name in ("queries", "keys", "values", "contexts")
    }
    theirs = module.eager_attention_forward

    def recorded(layer: Any, queries: Any, keys: Any, values: Any, mask: Any, **more: Any) -> Any:
        context, weights = theirs(layer, queries, keys, values, mask, **more)
        new = queries.shape[2]
        four = (queries * 6**0.5, keys[:, :, -new:], values[:, :, -new:], context.transpose(1, 2))
        for by_layer, tensor in zip(parts.values(), four, strict=True):
            by_layer[layer.layer_idx].append(tensor)
        return context, weights

    cache = DynamicCache(config=config)
    with torch.no_grad(), patch.object(module, "eager_attention_forward", recorded):
        for name, parameter in model.named_parameters():
            parameter.copy_(float("norm" in name) + 0.4 * torch.randn(parameter.shape, generator=generator))
        for piece in ids.split(pieces, dim=1):
            # Asked for weights, the model computes every token in the layers that share, not only the last.
            model(piece, cache=cache, output_attentions=True)
    whole = {name: [torch.cat(by_layer[at], dim=2) for at in range(6)] for name, by_layer in parts.items()}
    return {
        name: torch.stack(layers[:4] if name in ("keys", "values") else layers)
        for name, layers in whole.items()
    }


def part_rotated(x: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return queries (b, heads, tokens, head_dim) of which Qwen3.5 rotates a quarter of each head."""
    from transformers.models.qwen3_5 import modeling_qwen3_5 as module

    frequencies = 500.0 ** (-torch.arange(2) / 2)  # (rope_dim / 2,)
    angles = (torch.arange(x.shape[2])[:, None] * frequencies).repeat(1, 2)[None]  # (1, tokens, rope_dim)
    rotated, _ = module.apply_rotary_pos_emb(x, x, angles.cos(), angles.sin())
    return {"x": x, "rotated": rotated}


def fading_layer(generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Return what the gated delta rule of Qwen3-Next is given, and the contexts that it makes of it."""
    from transformers.models.qwen3_next.modeling_qwen3_next import torch_recurrent_gated_delta_rule

    queries, keys = torch.nn.functional.normalize(torch.randn(2, 2, 3, 9, 8, generator=generator), dim=-1)
    values = torch.randn(2, 3, 9, 5, generator=generator)
    betas, fades = torch.rand(2, 2, 3, 9, generator=generator)  # each (b, heads, tokens)
    by_token = [tensor.transpose(1, 2) for tensor in (queries, keys, values, fades.log(), betas)]
    context = (
        torch_recurrent_gated_delta_rule(*by_token)[0].transpose(1, 2) * 8**0.5
    )  # it divides by √head_dim
    names = ("queries", "keys", "values", "betas", "fades", "context")
    return dict(zip(names, (queries, keys, values, betas, fades, context), strict=True))


def today() -> dict[str, torch.Tensor]:
    """Return what the attention of lesson 13 is compared with."""
    generator = torch.Generator().manual_seed(13)
    x = torch.randn(2, 11, 20, generator=generator)
    shorter = torch.randn(2, 9, 22, generator=generator)
    tensors = {f"gpt-oss {name}": tensor for name, tensor in sink_layer(sinks_config(), x).items()}
    tensors |= {f"deepseek {name}": tensor for name, tensor in latent_layer(latent_config(), shorter).items()}
    for name, kind in (("linear", "linear"), ("ntk", "dynamic"), ("yarn", "yarn")):
        tensors[f"rope {name}"] = frequencies(kind, 24, 500.0, 256, factor=4.0)
    newer = {
        "indexer": indexed_layer(x),
        "v4": compressed_layer(x),
        "gemma 4": shared_projection_layer(x),
        "sharing": sharing_layers(
            torch.randint(31, (1, 11), generator=torch.Generator().manual_seed(4)), (6, 1, 3, 1)
        ),
        "qwen3.5": part_rotated(torch.randn(2, 3, 7, 16, generator=generator)),
        "gated delta": fading_layer(generator),
    }
    tensors |= {f"{kind} {name}": tensor for kind, parts in newer.items() for name, tensor in parts.items()}
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def tokenizer() -> Any:
    """Return a tokenizer in GPT-2's form, trained on the pages that lesson 10 held out."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer_model = Tokenizer(models.BPE())
    tokenizer_model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer_model.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=256 + MERGES, initial_alphabet=alphabet, show_progress=False)
    tokenizer_model.train_from_iterator([HELD_OUT.read_text()], trainer)
    return tokenizer_model


def byte_ids(tokenizer_model: Any) -> dict[int, int]:
    """Return, for each id of the library, the lesson's: a byte has its own number, merge k has 256 + k."""
    marks = byte_marks()
    vocabulary, merges = tokenizer_model.get_vocab(), pairs_of(tokenizer_model)
    new = {first + second: 256 + rank for rank, (first, second) in enumerate(merges)}
    return {index: marks[token] if token in marks else new[token] for token, index in vocabulary.items()}


def byte_marks() -> dict[str, int]:
    """Return the byte that each of GPT-2's 256 marks stands for."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + at): byte for at, byte in enumerate(others)}


def pairs_of(tokenizer_model: Any) -> list[tuple[str, str]]:
    """Return the merges of a tokenizer of the library, in their order."""
    import json

    return [tuple(pair) for pair in json.loads(tokenizer_model.to_str())["model"]["merges"]]


def main(folder: Path = FOLDER) -> None:
    """Write everything."""
    for name in SEEDS:
        model = drawn(name)
        model.save_pretrained(folder / name)
        ids = some_ids(model, name)
        with torch.no_grad():
            seen = model(ids, output_hidden_states=True)
        stages = torch.stack(seen.hidden_states)  # (layers + 1, b, tokens, d_model), the last one normalised
        save_file(
            {"ids": ids, "logits": seen.logits.contiguous(), "stages": stages},
            folder / name / "expected.safetensors",
        )
        (folder / name / "generation_config.json").unlink(missing_ok=True)
    save_file(today(), folder / TODAY.name)
    made_tokenizer = tokenizer()
    own = byte_ids(made_tokenizer)
    whole = {token: own[index] for token, index in made_tokenizer.get_vocab().items()}
    merges = torch.tensor([[whole[first], whole[second]] for first, second in pairs_of(made_tokenizer)])
    texts = {
        f"text {at}": torch.tensor([own[token] for token in made_tokenizer.encode(text).ids])
        for at, text in enumerate(TEXTS)
    }
    save_file({"merges": merges, **texts}, folder / TOKENIZER.name)


if __name__ == "__main__":
    main()
