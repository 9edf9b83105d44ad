"""Lessons 12 and 13 against `transformers` and `tokenizers`, which are their oracle; CI installs both.

The lessons' own solutions are run, on the files that they ship and on models of other sizes.
"""

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import nbformat
import pytest
import torch
from safetensors.torch import load_file
from support.everywhere import need_modules

from benchmarks import published
from visuals import look_inside
from visuals.checkpoint import HELD_OUT
from visuals.published import FOLDER, PIECES, TEXTS, TOKENIZER

ROOT = Path(__file__).parents[1]
LESSON = "12-real-models"
GIVEN = ("setup", "course-classes", "fill-given", "gpt2-proof", "llama-class")
GIVEN += ("sizes-shown",)
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


@pytest.fixture(scope="module", autouse=True)
def library():
    """Both libraries, or a reason why they are not compared with."""
    need_modules("transformers", "transformers", "tokenizers")
    import transformers

    transformers.utils.logging.disable_progress_bar()
    return transformers


def solved(lesson, given, cut):
    """What a lesson's solution defines: some cells that it gives, and its answers.

    cut: by cell, the text from which on it is left out, since it needs what stands below.
    """
    notebook = nbformat.read(ROOT / "solutions" / lesson / f"{lesson}.ipynb", as_version=4)
    namespace = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.id in given or cell.id.endswith("-answer")):
            exec(cell.source[: cell.source.rfind(cut[cell.id])] if cell.id in cut else cell.source, namespace)
    return namespace


@pytest.fixture(scope="module")
def lesson(library):
    """What the solution of lesson 12 defines."""
    return solved(LESSON, GIVEN, {"gpt2-proof": "\n\n\n"})


@pytest.fixture(scope="module")
def today(library):
    """What the solution of lesson 13 defines."""
    cut = {"plans": "\nfor name, layers", "linear-recurrent": "\n\n\ntorch.manual_seed"}
    given = ("setup", "course-parts", "yarn-given", "linear-parallel", "gate-given", "latent-proof", *cut)
    return solved("13-attention-today", given, cut)


@pytest.mark.slow
def test_the_files_are_what_the_libraries_make(tmp_path):
    published.main(tmp_path)
    result = sorted(file.relative_to(tmp_path) for file in tmp_path.rglob("*.safetensors"))
    assert result == sorted(file.relative_to(FOLDER) for file in FOLDER.rglob("*.safetensors"))
    for file in result:
        actual, expected = load_file(FOLDER / file), load_file(tmp_path / file)
        assert actual.keys() == expected.keys()
        for name in expected:
            torch.testing.assert_close(actual[name], expected[name], **CLOSE)


def test_all_files_together_are_small():
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 1_500_000


@pytest.mark.parametrize("name", ["gpt2", "llama", "qwen3"])
def test_the_classes_of_the_course_give_the_logits_that_the_library_gives(lesson, name):
    model, right = lesson["from_folder"](FOLDER / name), load_file(FOLDER / name / "expected.safetensors")
    torch.testing.assert_close(model(right["ids"]), right["logits"], **CLOSE)


def other_models(library):
    """Models of sizes that the lesson does not ship."""
    rope = {"rope_theta": 77.0, "rope_type": "default"}
    sizes = {"vocab_size": 83, "hidden_size": 30, "intermediate_size": 22, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 5, "head_dim": 6, "rope_parameters": rope}
    yield library.GPT2LMHeadModel(
        library.GPT2Config(vocab_size=71, n_embd=20, n_head=5, n_layer=3, n_positions=17, bos_token_id=0)
    )
    for groups, tied in ((1, True), (5, False)):
        more = {"num_key_value_heads": groups, "tie_word_embeddings": tied}
        yield library.LlamaForCausalLM(library.LlamaConfig(**sizes, **heads, **more))
        yield library.Qwen3ForCausalLM(library.Qwen3Config(**sizes, **heads, **more))


@pytest.mark.parametrize(("experts", "top_k"), [(5, 2), (3, 1), (4, 4)])
def test_a_mixture_of_experts_gives_the_logits_of_the_library(library, lesson, tmp_path, experts, top_k):
    config = published.qwen3_moe().config
    config.num_experts, config.num_experts_per_tok = experts, top_k
    theirs = library.Qwen3MoeForCausalLM(config).eval()
    theirs.save_pretrained(tmp_path)
    model = lesson["Llama"](**lesson["llama_sizes"](config.to_dict()))
    for block in model.blocks:
        block.mlp = lesson["MixtureOfExperts"](24, 12, experts, top_k)
    state = load_file(tmp_path / "model.safetensors")
    lesson["load_llama"](
        model, {name.replace("mlp.gate.", "mlp.router."): item for name, item in state.items()}
    )
    ids = torch.randint(61, (2, 9), generator=torch.Generator().manual_seed(top_k))
    torch.testing.assert_close(model(ids), theirs(ids).logits, **CLOSE)


def test_models_of_other_sizes_agree_too_from_a_folder_that_save_pretrained_made(library, lesson, tmp_path):
    generator = torch.Generator().manual_seed(5)
    for position, model in enumerate(other_models(library)):
        model.eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
            model.save_pretrained(tmp_path / str(position))
            ids = torch.randint(model.config.vocab_size, (3, 13), generator=generator)
            torch.testing.assert_close(
                lesson["from_folder"](tmp_path / str(position))(ids), model(ids).logits, rtol=1e-3, atol=1e-3
            )
    assert position == 4


def test_a_real_tokenizer_gives_the_same_ids_and_its_merges_are_the_most_frequent_pairs(library, lesson):
    result = published.tokenizer()
    own, merges = published.byte_ids(result), load_file(TOKENIZER)["merges"]
    for text in (*TEXTS, *HELD_OUT.read_text().split("\n\n")[:12]):
        pieces = [lesson["encode_piece"](piece, merges) for piece in re.findall(PIECES, text)]
        actual = torch.cat(pieces)
        assert actual.tolist() == [own[item] for item in result.encode(text).ids], text
        assert bytes(lesson["decode_bytes"](actual, merges).tolist()).decode() == text
    counted = Counter(re.findall(PIECES, HELD_OUT.read_text()))
    pieces = {text: torch.tensor(list(text.encode())) for text in counted}
    for rank, pair in enumerate(merges[:60]):
        counts = Counter()
        for text, ids in pieces.items():
            for result in zip(ids.tolist(), ids.tolist()[1:], strict=False):
                counts[result] += counted[text]
        assert counts[tuple(pair.tolist())] == max(counts.values())
        pieces = {text: lesson["merge_pair"](ids, pair, 256 + rank) for text, ids in pieces.items()}


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1.0, None, 1.0), (0.6, None, 1.0), (1.0, 4, 1.0), (1.0, None, 0.7), (1.4, 6, 0.8), (0.3, 9, 0.95)],
)
def test_the_distribution_is_that_of_the_library(library, lesson, temperature, top_k, top_p):
    logits = 2 * torch.randn(5, 23, generator=torch.Generator().manual_seed(9))
    from transformers.generation import logits_process as steps

    warped = steps.TemperatureLogitsWarper(temperature)(None, logits)
    warped = warped if top_k is None else steps.TopKLogitsWarper(top_k)(None, warped)
    warped = warped if top_p == 1 else steps.TopPLogitsWarper(top_p)(None, warped)
    actual = lesson["next_probabilities"](logits, temperature, top_k, top_p)
    torch.testing.assert_close(actual, warped.softmax(dim=-1))


def test_writing_gives_the_tokens_of_the_library(library, lesson):
    theirs = library.GPT2LMHeadModel.from_pretrained(FOLDER / "gpt2").eval()
    ids = torch.tensor([[5, 17, 300, 9]])
    wanted = theirs.generate(ids, max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0)
    actual = lesson["generate"](lesson["from_folder"](FOLDER / "gpt2"), ids, 12)
    assert actual.tolist() == wanted.tolist()


def configured(library, name, sizes):
    """The library's own configuration of one of the six."""
    vocab, d_model, layers, heads, groups, head_dim, hidden, tied, qk_norm = sizes
    kind = (
        library.Qwen3Config
        if qk_norm
        else library.MistralConfig
        if "Mistral" in name
        else library.LlamaConfig
    )
    return kind(
        vocab_size=vocab,
        hidden_size=d_model,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=groups,
        head_dim=head_dim,
        intermediate_size=hidden,
        tie_word_embeddings=tied,
        sliding_window=None,
    )


def test_what_six_published_models_take_is_what_the_library_makes_to_the_byte(library, lesson):
    for name, sizes in lesson["CONFIGURATIONS"].items():
        with torch.device("meta"):
            model = library.AutoModelForCausalLM.from_config(
                configured(library, name, sizes), dtype=torch.bfloat16
            )
            cache = model(torch.zeros(1, 16, dtype=torch.long), use_cache=True).past_key_values
        parameters = sum(item.numel() for item in model.parameters())
        stored = sum(item.nbytes for item in model.parameters())
        saved = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
        actual = lesson["model_sizes"](*sizes, 16)
        assert actual.tolist() == [parameters, stored, saved], name


def test_a_checkpoint_that_is_no_safetensors_is_not_read(lesson, tmp_path):
    folder = tmp_path / "pickled"
    folder.mkdir()
    (folder / "config.json").write_text((FOLDER / "gpt2" / "config.json").read_text())
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError, match=r"model\.safetensors"):
        lesson["from_folder"](folder)


def bad(state, name):
    """The ways in which a file of tensors may not fit: what is stored, and the names that a refusal says."""
    tensor, ours = state[name[0]], name[1]
    yield {key: item for key, item in state.items() if key != name[0]}, {"missing": ours}
    yield state | {"strange.weight": tensor}, {"not expected": "strange.weight"}
    yield state | {name[0]: tensor.T.contiguous()}, {"other shape": ours}
    renamed = {key.replace(name[0], f"old.{name[0]}"): item for key, item in state.items()}
    yield renamed, {"missing": ours, "not expected": "old"}


@pytest.mark.parametrize(
    ("name", "loader", "tensor"),
    [
        ("gpt2", "load_gpt2", ("transformer.wpe.weight", "positions.weight")),
        ("gpt2", "load_gpt2", ("transformer.h.1.mlp.c_fc.weight", "blocks.1.mlp.0.weight")),
        ("llama", "load_llama", ("model.embed_tokens.weight", "embedding.weight")),
        (
            "qwen3",
            "load_llama",
            ("model.layers.1.self_attn.k_proj.weight", "blocks.1.attention.W_key.weight"),
        ),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_sentence_with_the_names(lesson, name, loader, tensor):
    state = load_file(FOLDER / name / "model.safetensors")
    for changed, output in bad(state, tensor):
        model = lesson["from_folder"](FOLDER / name)
        with pytest.raises(ValueError, match=r"^missing: .*, not expected: .*, other shape: .*$") as refused:
            lesson[loader](model, changed)
        reported = dict(re.findall(r"(missing|not expected|other shape): (\[.*?\])", str(refused.value)))
        for kind, named in output.items():
            assert named in reported[kind], reported
        assert {kind for kind, names in reported.items() if names != "[]"} == output.keys()


def test_metas_rows_moved_give_the_scores_of_the_interleaved_form(lesson):
    heads, x, at = 3, drawn(7, 12), torch.arange(7)
    weights = drawn(2, heads * 8, 12, seed=8)
    half = [(x @ lesson["from_meta"](item, heads).T).unflatten(-1, (heads, -1)) for item in weights]
    half = [lesson["apply_rope"](item.transpose(0, 1), at) for item in half]  # (heads, tokens, head_dim)
    pairs = [(x @ item.T).unflatten(-1, (heads, -1, 2)).transpose(0, 1) for item in weights]
    angles = at[:, None] * 10000.0 ** (-torch.arange(4) / 4)  # (tokens, head_dim / 2)
    turn = torch.polar(torch.ones_like(angles), angles)
    metas = [
        torch.view_as_real(torch.view_as_complex(item.contiguous()) * turn).flatten(-2) for item in pairs
    ]
    torch.testing.assert_close(half[0] @ half[1].mT, metas[0] @ metas[1].mT, **CLOSE)


@torch.no_grad()
def test_without_a_head_a_random_model_too_expects_another_token_for_four_heads_of_six(lesson):
    model, merges = lesson["from_folder"](FOLDER / "gpt2"), load_file(TOKENIZER)["merges"]
    pieces = re.findall(PIECES, "the for statement is not the while statement")
    ids = torch.cat([lesson["encode_piece"](piece, merges) for piece in pieces])[None]
    expected = model(ids)[0, -1].argmax()
    without = [
        look_inside(model, ids, 3, without=[(layer, head)]).logits[0, -1].argmax() != expected
        for layer in range(2)
        for head in range(3)
    ]
    assert sum(map(int, without)) == 4


def drawn(*shape, seed=7):
    """Random numbers of a shape."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("window", "tokens"), [(2, 9), (5, 13), (30, 6)])
def test_attention_with_sinks_is_that_of_gpt_oss(today, window, tokens):
    right = published.sink_layer(published.sinks_config(window), drawn(3, tokens, 20))
    expected = right.pop("context")
    torch.testing.assert_close(today["sink_attention"](**right, window=window), expected, **CLOSE)


def test_the_window_is_that_of_mistral(library, today):
    from transformers.masking_utils import create_sliding_window_causal_mask

    config = library.MistralConfig(sliding_window=4)
    config._attn_implementation = "eager"
    x, positions = drawn(1, 11, 8), torch.arange(11)[None]
    mask = create_sliding_window_causal_mask(config, x, None, None, position_ids=positions)
    assert today["window_mask"](11, 11, 4).tolist() == (mask[0, 0] < 0).tolist()


LATENT = [
    {"hidden_size": 22},
    {"hidden_size": 30, "num_attention_heads": 5, "num_key_value_heads": 5, "kv_lora_rank": 11},
    {"hidden_size": 17, "qk_nope_head_dim": 4, "qk_rope_head_dim": 10, "v_head_dim": 3},
]


@pytest.mark.parametrize("sizes", LATENT)
def test_latent_attention_is_that_of_deepseek_and_absorbed_it_is_the_same(today, sizes):
    config = published.latent_config(**sizes)
    heads, latent = config.num_attention_heads, config.kv_lora_rank
    head_dim, rope_dim, value_dim = config.qk_nope_head_dim, config.qk_rope_head_dim, config.v_head_dim
    stored = published.latent_layer(config, drawn(2, 10, config.hidden_size))
    own = today["LatentAttention"](
        config.hidden_size, heads, latent, head_dim, rope_dim, value_dim, base=500.0
    ).requires_grad_(False)
    own = today["from_deepseek"](own, stored, heads, head_dim, rope_dim)
    torch.testing.assert_close(own(stored["x"]), stored["result"], **CLOSE)

    x, at = stored["x"], torch.arange(10)
    queries = own.W_query(x).unflatten(-1, (heads, -1)).transpose(1, 2)[:, :, -3:]  # the last three tokens
    absorbed = today["absorbed_attention"](
        queries[..., :head_dim],
        today["apply_rope"](queries[..., head_dim:], at[-3:], 500.0),
        own.latent_norm(own.W_latent(x)),
        today["apply_rope"](own.W_rope_key(x), at, 500.0),
        own.W_key.weight.unflatten(0, (heads, -1)),
        own.W_value.weight.unflatten(0, (heads, -1)),
    )
    actual = own.out_proj(absorbed.transpose(1, 2).flatten(2))
    torch.testing.assert_close(actual, own(x)[:, -3:], rtol=1e-5, atol=1e-5)


def test_a_folder_of_another_kind_or_with_an_unknown_setting_is_refused(lesson, tmp_path):
    for name, change, output in (
        ("llama", {"model_type": "gemma3_text"}, "gemma3_text is none of gpt2, llama, qwen3"),
        ("llama", {"attention_bias": True}, "attention_bias"),
        (
            "llama",
            {"rope_parameters": {"rope_theta": 500.0, "partial_rotary_factor": 0.5}},
            "partial_rotary_factor",
        ),
        ("qwen3", {"use_sliding_window": True}, "use_sliding_window"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
    ):
        folder = tmp_path / output
        shutil.copytree(FOLDER / name, folder)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | change))
        with pytest.raises(ValueError, match=output):
            lesson["from_folder"](folder)


@pytest.mark.parametrize("seed", range(3))
def test_the_indexer_lets_the_keys_through_that_the_library_lets_through(today, seed):
    x = torch.randn(2, 11, 20, generator=torch.Generator().manual_seed(seed))
    given = published.indexed_layer(x)
    expected = given.pop("visible")
    assert torch.equal(today["chosen_keys"](**given, top_k=4), expected)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tokens", [3, 8, 11])
def test_compressed_keys_are_those_of_the_library(today, seed, tokens):
    given = published.compressed_layer(
        torch.randn(2, tokens, 20, generator=torch.Generator().manual_seed(seed))
    )
    actual = today["compressed_keys"](given["projected"], given["gates"], given["position_bias"])
    actual = torch.nn.functional.rms_norm(actual, (12,), given["key_weight"], 1e-6)
    turned = today["apply_rope"](actual[..., -6:], 4 * torch.arange(tokens // 4), 500.0)
    actual = torch.cat((actual[..., :-6], turned), dim=-1)
    torch.testing.assert_close(actual, given["blocks"], **CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_one_projection_gives_the_keys_and_values_of_the_library(today, seed):
    x = torch.randn(2, 11, 20, generator=torch.Generator().manual_seed(seed))
    given = published.shared_projection_layer(x)
    actual = today["keys_as_values"](given["projected"], given["key_weight"], base=700.0)
    torch.testing.assert_close(actual, given["keys and values"], **CLOSE)


@pytest.mark.parametrize("window", [2, 4, 7])
@pytest.mark.parametrize("pieces", [(11,), (6, 1, 3, 1), (1,) * 11])
def test_layers_that_share_attend_as_those_of_the_library(today, window, pieces):
    ids = torch.randint(31, (2, 11), generator=torch.Generator().manual_seed(window))
    given = published.sharing_layers(ids, pieces, window)
    expected = given.pop("contexts")
    windows = torch.tensor([window if kind == "sliding" else 0 for kind in published.SHARING_KINDS])
    sharing = today["SharingLayers"](windows, 2)
    cut = zip(*(tensor.split(pieces, dim=-2) for tensor in given.values()), strict=True)
    actual = torch.cat([sharing.attend(*piece) for piece in cut], dim=-2)
    torch.testing.assert_close(actual, expected, **CLOSE)
    assert sorted(sharing.kept) == [0, 1, 2, 3]


def sources_of(config):
    """The layer whose keys and values each layer of a Gemma reads, as the library configures it."""
    stores = {
        kind: layer
        for layer, kind in enumerate(config.layer_types)
        if config.kv_sharing_modes[layer] == "store"
    }
    return [
        stores[kind] if config.kv_sharing_modes[layer] == "reuse" else layer
        for layer, kind in enumerate(config.layer_types)
    ]


def windows_of(config):
    return torch.tensor([512 if kind == "sliding_attention" else 0 for kind in config.layer_types])


@pytest.mark.parametrize("shared", [0, 1, 5, 8, 9, 10])
def test_a_layer_that_shares_reads_the_layer_that_it_reads_in_the_library(library, today, shared):
    kinds = ["full_attention" if layer in (1, 5, 11) else "sliding_attention" for layer in range(12)]
    config = library.Gemma4TextConfig(num_hidden_layers=12, layer_types=kinds, num_kv_shared_layers=shared)
    assert today["kv_sources"](windows_of(config), shared).tolist() == sources_of(config)


def test_a_layer_with_nothing_to_read_is_refused_as_in_the_library(library, today):
    kinds = ["sliding_attention"] * 3 + ["full_attention"]
    config = library.Gemma4TextConfig(num_hidden_layers=4, layer_types=kinds, num_kv_shared_layers=2)
    with pytest.raises(ValueError, match="layer types"):
        _ = config.kv_sharing_modes
    with pytest.raises(ValueError, match="no earlier layer"):
        today["kv_sources"](windows_of(config), 2)


def test_the_plan_of_a_model_that_shares_is_the_one_of_gemma_3n(library, today):
    config = library.Gemma3nTextConfig()
    windows = windows_of(config)
    assert windows.tolist() == [0 if layer % 5 == 4 else 512 for layer in range(35)]
    assert (config.num_key_value_heads, config.head_dim, config.sliding_window) == (2, 256, 512)
    assert config.num_kv_shared_layers == 15
    assert today["kv_sources"](windows, 15).tolist() == sources_of(config)


def test_mistral_large_4_takes_the_sources_as_a_list(library, today):
    windows = torch.tensor([4, 0, 4, 4, 0, 4])
    sizes = {"num_hidden_layers": 6}
    sources = today["kv_sources"](windows, 3).tolist()
    config = library.MistralLarge4TextConfig(**sizes, kv_source_layers=sources)
    assert config.kv_sharing_modes[:3] == [None, "store", "store"]
    assert all(mode.startswith("reuse") for mode in config.kv_sharing_modes[3:])
    assert config.no_rope_layers == [1, 1, 1, 0, 1, 1]
    assert set(config.layer_types) == {"indexed_attention"}
    with pytest.raises(Exception, match="owns its cache") as refusal:
        library.MistralLarge4TextConfig(**sizes, kv_source_layers=[0, 1, 2, 2, 1, 3])
    assert refusal.type.__name__ == "StrictDataclassClassValidationError"


@pytest.mark.parametrize("seed", range(3))
def test_a_part_is_rotated_and_a_memory_fades_as_in_the_library(today, seed):
    generator = torch.Generator().manual_seed(seed)
    part = published.part_rotated(torch.randn(2, 3, 7, 16, generator=generator))
    actual = today["rotate_part"](part["x"], torch.arange(7), 4, base=500.0)
    torch.testing.assert_close(actual, part["rotated"], **CLOSE)
    given = published.fading_layer(generator)
    expected = given.pop("context")
    torch.testing.assert_close(today["fading_delta"](**given), expected, **CLOSE)


@pytest.mark.parametrize(
    ("head_dim", "base", "trained", "factor"),
    [(8, 10000.0, 2048, 2.0), (64, 500000.0, 8192, 8.0), (128, 10000.0, 4096, 16.0), (20, 300.0, 16, 4.0)],
)
def test_stretched_frequencies_are_those_of_the_library(today, head_dim, base, trained, factor):
    for method, kind in (("none", "none"), ("linear", "linear"), ("ntk", "dynamic")):
        actual = today["stretched_frequencies"](head_dim, factor, method, base)
        asked = (head_dim, base, trained)
        expected = (
            published.frequencies("linear", *asked, factor=1.0)
            if kind == "none"
            else published.frequencies(kind, *asked, factor=factor)
        )
        torch.testing.assert_close(actual, expected)
    torch.testing.assert_close(
        today["yarn_frequencies"](head_dim, factor, trained, base),
        published.frequencies("yarn", head_dim, base, trained, factor=factor),
    )
    torch.testing.assert_close(
        today["yarn_frequencies"](head_dim, factor, trained, base, fast=16, slow=2),
        published.frequencies("yarn", head_dim, base, trained, factor=factor, beta_fast=16, beta_slow=2),
    )


@pytest.mark.parametrize("cap", [None, 2.5])
def test_bounded_scores_are_those_of_qwen3s_norms_and_gemma2s_cap(library, today, cap):
    from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward
    from transformers.models.qwen3.modeling_qwen3 import Qwen3RMSNorm

    queries, keys, weights = 3 * drawn(2, 3, 7, 6), 3 * drawn(2, 3, 7, 6, seed=8), 1 + drawn(2, 6, seed=9)
    normed = []
    for x, weight in zip((queries, keys), weights, strict=True):
        norm = Qwen3RMSNorm(6)
        norm.weight.data = weight
        normed.append(norm(x).detach())
    layer = torch.nn.Module()
    layer.num_key_value_groups = 1
    hidden = torch.full((7, 7), -torch.inf).triu(1)
    expected = eager_attention_forward(layer, *normed, keys, hidden, scaling=6**-0.5, softcap=cap)[1]
    actual = today["bounded_scores"](queries, keys, *weights, cap).softmax(dim=-1)
    torch.testing.assert_close(actual, expected, **CLOSE)


def test_the_delta_rule_is_that_of_qwen3_next_token_by_token_and_at_once(library, today):
    from transformers.models.qwen3_next import modeling_qwen3_next as theirs

    queries, keys = drawn(2, 3, 9, 6), torch.nn.functional.normalize(drawn(2, 3, 9, 6, seed=8), dim=-1)
    values, betas = drawn(2, 3, 9, 5, seed=9), drawn(2, 3, 9, seed=10).sigmoid()
    given = [item.transpose(1, 2) for item in (queries * 6**0.5, keys, values)]  # it divides by √head_dim
    gates = torch.zeros(2, 9, 3)
    for name, own in (("recurrent", "delta_rule"), ("chunk", "delta_parallel")):
        function = getattr(theirs, f"torch_{name}_gated_delta_rule")
        expected = function(*given, gates, betas.transpose(1, 2))[0].transpose(1, 2)
        torch.testing.assert_close(today[own](queries, keys, values, betas), expected, **CLOSE)


@torch.no_grad()
def test_the_gate_is_that_of_qwen3_next(library, today):
    from transformers.models.qwen3_next import modeling_qwen3_next as theirs

    config = library.Qwen3NextConfig(
        hidden_size=20, num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=32
    )
    config._attn_implementation = "eager"
    layer, rotary = theirs.Qwen3NextAttention(config, 0), theirs.Qwen3NextRotaryEmbedding(config)
    x, seen = drawn(2, 9, 20), []
    layer.o_proj.register_forward_pre_hook(lambda _module, given: seen.append(given[0]))
    rows = layer.q_proj.weight.unflatten(0, (4, 2, 8))  # (heads, query and gate, head_dim, d_model)
    gate = (x @ rows[:, 1].flatten(0, 1).T).clone()  # (b, tokens, heads * head_dim)
    given = x, rotary(x, torch.arange(9)[None]), torch.full((9, 9), -torch.inf).triu(1)[None, None]
    layer(*given)
    rows[:, 1] = 0  # a gate of sigmoid(0), a half, for every number
    layer(*given)
    torch.testing.assert_close(today["gated"](2 * seen[1], gate), seen[0])


def test_each_form_that_the_benchmark_times_is_what_the_library_computes():
    from benchmarks import lengths

    with torch.no_grad():
        gaps = lengths.gaps(lengths.lesson())
    assert gaps.keys() == lengths.FORMS.keys()
    assert max(gaps.values()) <= lengths.TOLERANCE


def test_both_forms_of_linear_attention_are_equal(today):
    given = drawn(2, 3, 12, 6), drawn(2, 3, 12, 6, seed=8), drawn(2, 3, 12, 5, seed=9)
    torch.testing.assert_close(today["linear_recurrent"](*given), today["linear_parallel"](*given), **CLOSE)


def test_the_plans_of_six_models_are_those_of_the_librarys_configurations(library, today):
    def keys_of(config, layer):
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        saved = {"kind": "full", "groups": config.num_key_value_heads, "head_dim": width}
        within = layer == "sliding_attention"
        return saved | ({"kind": "window", "window": config.sliding_window} if within else {})

    gemma = {"num_hidden_layers": 34, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 1024}
    llama, mistral = library.LlamaConfig(), library.MistralConfig()
    deepseek, qwen = library.DeepseekV3Config(), library.Qwen3NextConfig()
    expected = {
        "Llama 2 7B": [keys_of(llama, "full_attention")] * llama.num_hidden_layers,
        "Mistral 7B v0.1": [keys_of(mistral, "sliding_attention")] * mistral.num_hidden_layers,
        "DeepSeek-V3": [
            {"kind": "latent", "latent_dim": deepseek.kv_lora_rank, "rope_dim": deepseek.qk_rope_head_dim}
        ]
        * deepseek.num_hidden_layers,
        "Qwen3-Next 80B": [
            keys_of(qwen, layer)
            if layer == "full_attention"
            else {
                "kind": "delta",
                "heads": qwen.linear_num_value_heads,
                "head_dim": qwen.linear_key_head_dim,
                "value_dim": qwen.linear_value_head_dim,
            }
            for layer in qwen.layer_types
        ],
    }
    for name, config in (
        ("Gemma 3 4B", library.Gemma3TextConfig(**gemma)),
        ("gpt-oss 120B", library.GptOssConfig()),
    ):
        expected[name] = [keys_of(config, layer) for layer in config.layer_types]
    assert today["PLANS"] == expected
