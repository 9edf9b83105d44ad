"""Lesson 12 against `transformers` and `tokenizers`, which are its oracle; CI installs both.

The lesson's own solution is run, on the files that it ships and on models of other sizes.
"""

import importlib.util
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
import torch
from safetensors.torch import load_file
from support.everywhere import need

from visuals.checkpoint import HELD_OUT
from visuals.published import FOLDER, PIECES, TEXTS, TOKENIZER, make

ROOT = Path(__file__).parents[1]
LESSON = "12-real-models"
GIVEN = ("setup", "course-classes", "gpt2-proof", "llama-class", "sizes-shown")
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


@pytest.fixture(scope="module", autouse=True)
def library():
    """Both libraries, or a reason why they are not compared with."""
    missing = [name for name in ("transformers", "tokenizers") if importlib.util.find_spec(name) is None]
    need(f"not installed: {', '.join(missing)} (pip install -e '.[published]')" if missing else "")
    import transformers

    transformers.utils.logging.disable_progress_bar()
    return transformers


@pytest.fixture(scope="module")
def lesson(library):
    """What the lesson's solution defines."""
    notebook = nbformat.read(ROOT / "solutions" / LESSON / f"{LESSON}.ipynb", as_version=4)
    namespace = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.id in GIVEN or cell.id.endswith("-answer")):
            if cell.id == "gpt2-proof":  # its functions, not the comparison, which needs what stands below
                cell.source = cell.source.rpartition("\n\n\n")[0]
            exec(cell.source, namespace)
    return namespace


def test_the_files_are_what_the_libraries_make(tmp_path):
    make.main(tmp_path)
    made = sorted(file.relative_to(tmp_path) for file in tmp_path.rglob("*.safetensors"))
    assert made == sorted(file.relative_to(FOLDER) for file in FOLDER.rglob("*.safetensors"))
    for file in made:
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


def test_models_of_other_sizes_agree_too_from_a_folder_that_save_pretrained_made(library, lesson, tmp_path):
    generator = torch.Generator().manual_seed(5)
    for place, model in enumerate(other_models(library)):
        model.eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(0.5 * torch.randn(parameter.shape, generator=generator))
            model.save_pretrained(tmp_path / str(place))
            ids = torch.randint(model.config.vocab_size, (3, 13), generator=generator)
            torch.testing.assert_close(
                lesson["from_folder"](tmp_path / str(place))(ids), model(ids).logits, rtol=1e-3, atol=1e-3
            )
    assert place == 4


def test_a_real_tokenizer_gives_the_same_ids_and_its_merges_are_the_most_frequent_pairs(library, lesson):
    made = make.tokenizer()
    own, merges = make.byte_ids(made), load_file(TOKENIZER)["merges"]
    for text in (*TEXTS, *HELD_OUT.read_text().split("\n\n")[:12]):
        pieces = [lesson["encode_piece"](piece, merges) for piece in re.findall(PIECES, text)]
        actual = torch.cat(pieces)
        assert actual.tolist() == [own[one] for one in made.encode(text).ids], text
        assert bytes(lesson["decode_bytes"](actual, merges).tolist()).decode() == text
    counted = Counter(re.findall(PIECES, HELD_OUT.read_text()))
    pieces = {text: torch.tensor(list(text.encode())) for text in counted}
    for rank, pair in enumerate(merges[:60]):
        counts = Counter()
        for text, ids in pieces.items():
            for found in zip(ids.tolist(), ids.tolist()[1:], strict=False):
                counts[found] += counted[text]
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
        parameters = sum(one.numel() for one in model.parameters())
        stored = sum(one.nbytes for one in model.parameters())
        kept = sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)
        actual = lesson["model_sizes"](*sizes, 16)
        assert actual.tolist() == [parameters, stored, kept], name


def test_a_checkpoint_that_is_no_safetensors_is_not_read(lesson, tmp_path):
    folder = tmp_path / "pickled"
    folder.mkdir()
    (folder / "config.json").write_text((FOLDER / "gpt2" / "config.json").read_text())
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(FileNotFoundError, match=r"model\.safetensors"):
        lesson["from_folder"](folder)
