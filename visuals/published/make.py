"""Make the small models, their logits and the tokenizer of lesson 12 with `transformers` and `tokenizers`.

python -m visuals.published.make
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from visuals.checkpoint import HELD_OUT
from visuals.published import FOLDER, TEXTS, TOKENIZER

MERGES = 256
SEEDS = {"gpt2": 1, "llama": 2, "qwen3": 3}


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


def drawn(name: str) -> Any:
    """Return the model of a folder. Every parameter is drawn, so that none can be left out unnoticed."""
    model = {"gpt2": gpt2, "llama": llama, "qwen3": qwen3}[name]().eval()
    generator = torch.Generator().manual_seed(SEEDS[name])
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            around = float(parameter.ndim == 1 and parameter_name.endswith("weight"))  # a norm's
            parameter.copy_(around + 0.2 * torch.randn(parameter.shape, generator=generator))
    return model


def some_ids(model: Any, name: str) -> torch.Tensor:
    """Return ids (b, tokens) for a model."""
    generator = torch.Generator().manual_seed(SEEDS[name] + 100)
    return torch.randint(model.config.vocab_size, (2, 11), generator=generator)


def tokenizer() -> Any:
    """Return a tokenizer in GPT-2's form, trained on the pages that lesson 10 held out."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=256 + MERGES, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([HELD_OUT.read_text()], trainer)
    return made


def byte_ids(made: Any) -> dict[int, int]:
    """Return, for each id of the library, the lesson's: a byte has its own number, merge k has 256 + k."""
    marks = byte_marks()
    vocabulary, merges = made.get_vocab(), pairs_of(made)
    new = {first + second: 256 + rank for rank, (first, second) in enumerate(merges)}
    return {place: marks[token] if token in marks else new[token] for token, place in vocabulary.items()}


def byte_marks() -> dict[str, int]:
    """Return the byte that each of GPT-2's 256 marks stands for."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + at): byte for at, byte in enumerate(others)}


def pairs_of(made: Any) -> list[tuple[str, str]]:
    """Return the merges of a tokenizer of the library, in their order."""
    import json

    return [tuple(pair) for pair in json.loads(made.to_str())["model"]["merges"]]


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
    made = tokenizer()
    own = byte_ids(made)
    whole = {token: own[place] for token, place in made.get_vocab().items()}
    merges = torch.tensor([[whole[first], whole[second]] for first, second in pairs_of(made)])
    texts = {
        f"text {at}": torch.tensor([own[one] for one in made.encode(text).ids])
        for at, text in enumerate(TEXTS)
    }
    save_file({"merges": merges, **texts}, folder / TOKENIZER.name)


if __name__ == "__main__":
    main()
