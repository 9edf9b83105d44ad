"""Lesson 14 against `transformers`: the tokens of `generate` and of its server, and the rule for guesses."""

from functools import cache
from pathlib import Path

import pytest
import torch
from autograder.author.parse_source import read_source
from support.everywhere import need_modules

from visuals.checkpoint import HELD_OUT, encode

ROOT = Path(__file__).parents[1]
LESSON = "14-serve-it"
GIVEN = ("setup", "course-classes", "model-given", "served-given", "pick-given")
NUM_PROMPTS, NUM_NEW = 50, 16


@pytest.fixture(autouse=True)
def without_gradients():
    """The lesson turns gradients off; other tests need them."""
    before = torch.is_grad_enabled()
    yield
    torch.set_grad_enabled(before)


@cache
def lesson():
    """What the lesson's given cells and its solutions define."""
    namespace = {}
    for cell in read_source(ROOT / "source" / LESSON / f"{LESSON}.py").cells:
        is_answer = cell["id"].endswith("-answer") and cell.cell_type == "code"
        if cell["id"] in GIVEN or is_answer:
            source = cell.source.partition("### BEGIN FAULTY")[0]
            exec(source.partition("\n\n\nmodel = own_model()")[0], namespace)
    return namespace


@cache
def prompts():
    """Beginnings of different lengths, from a text that the model was not trained on."""
    text = HELD_OUT.read_text(encoding="utf-8")
    return [encode(text[31 * at : 31 * at + 5 + at % 40]) for at in range(NUM_PROMPTS)]


@cache
def model():
    with torch.no_grad():
        return lesson()["own_model"]()


@cache
def gpt2():
    """transformers' GPT-2 with the same numbers."""
    need_modules("transformers", "transformers")
    from transformers import GPT2Config, GPT2LMHeadModel

    from visuals.checkpoint.train import trained

    ours = trained()
    vocab, width = ours.wte.weight.shape
    config = GPT2Config(
        vocab_size=vocab,
        n_positions=len(ours.wpe.weight),
        n_embd=width,
        n_layer=len(ours.h),
        n_head=lesson()["NUM_HEADS"],
        activation_function="gelu",
        bos_token_id=None,
        eos_token_id=None,
    )
    model = GPT2LMHeadModel(config).eval()
    state = {f"transformer.{name}": tensor for name, tensor in ours.state_dict().items()}
    for layer in range(len(ours.h)):
        state[f"transformer.h.{layer}.attn.c_attn.bias"] = torch.zeros(3 * width)
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert (missing, unexpected) == (["lm_head.weight"], [])
    model.tie_weights()
    return model


@cache
def theirs():
    """What `generate` of transformers' GPT-2 writes after each prompt."""
    options = {"do_sample": False, "max_new_tokens": NUM_NEW, "min_new_tokens": NUM_NEW, "pad_token_id": 0}
    return [
        gpt2().generate(prompt[None], attention_mask=torch.ones(1, len(prompt)), **options)[0, len(prompt) :]
        for prompt in prompts()
    ]


def told_apart(written):
    """The prompts after which other tokens are written than `generate` writes."""
    pairs = zip(written, theirs(), strict=True)
    return [at for at, (ours, right) in enumerate(pairs) if not torch.equal(ours, right)]


def test_texts_written_one_by_one_are_those_of_generate():
    with torch.no_grad():
        written = [lesson()["write_alone"](model(), prompt, NUM_NEW) for prompt in prompts()]
    assert told_apart(written) == []


@pytest.mark.parametrize("budget", [16, 64, 2000])
def test_texts_served_together_from_paged_caches_are_those_of_generate_in_fewer_steps(budget):
    with torch.no_grad():
        step = lesson()["server_step"](model(), num_blocks=400)
        table = lesson()["serve"](step, prompts(), torch.full((NUM_PROMPTS,), NUM_NEW), budget)
    written = [column[column >= 0] for column in table.T]
    assert told_apart(written) == []
    assert len(table) < NUM_PROMPTS * NUM_NEW / 4


def test_texts_served_together_are_those_of_transformers_own_paged_cache_and_batching():
    model_there = gpt2()
    from transformers import ContinuousBatchingConfig, GenerationConfig

    answers = model_there.generate_batch(
        [prompt.tolist() for prompt in prompts()],
        GenerationConfig(do_sample=False, max_new_tokens=NUM_NEW, eos_token_id=-1, pad_token_id=0),
        ContinuousBatchingConfig(page_size=32, num_blocks=200, max_batch_tokens=64),
        warmup=False,
    )
    there = {tuple(answer.prompt_ids): answer.generated_tokens for answer in answers.values()}
    with torch.no_grad():
        step = lesson()["server_step"](model(), num_blocks=400)
        table = lesson()["serve"](step, prompts(), torch.full((NUM_PROMPTS,), NUM_NEW), 64)
    assert [column[column >= 0].tolist() for column in table.T] == [
        there[tuple(prompt.tolist())] for prompt in prompts()
    ]


def test_guesses_after_a_greedy_draft_give_the_tokens_of_generate():
    def certain(logits):
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[-1]).float()

    written = []
    with torch.no_grad():
        for at, prompt in enumerate(prompts()):
            ids = prompt
            while len(ids) < len(prompt) + NUM_NEW:
                repeated = torch.stack((ids[-2], ids[-1], ids[-2]))
                knows = at % 2  # every second draft is as good as the target, so that all guesses are kept
                guesses = lesson()["write_alone"](model(), ids, 3) if knows else repeated  # (guesses,)
                drafts = certain(torch.nn.functional.one_hot(guesses, 96).float())  # (guesses, vocab)
                logits = model()(torch.cat((ids, guesses))[None])[0, len(ids) - 1 :]  # (guesses + 1, vocab)
                ids = torch.cat(
                    (ids, lesson()["speculate"](guesses, drafts, certain(logits), torch.full((4,), 0.5)))
                )
            written.append(ids[len(prompt) : len(prompt) + NUM_NEW])
    assert told_apart(written) == []


def test_guesses_are_kept_and_replaced_as_in_transformers(monkeypatch):
    need_modules("transformers", "transformers")
    from transformers.generation.utils import _speculative_sampling

    speculate, pick = lesson()["speculate"], lesson()["pick"]
    generator = torch.Generator().manual_seed(0)
    for _ in range(200):
        q_logits = 2 * torch.randn(3, 7, generator=generator)
        p_logits = 2 * torch.randn(4, 7, generator=generator)
        drafts = torch.randint(7, (3,), generator=generator)
        draws = torch.rand(4, generator=generator)
        q, p = q_logits.softmax(dim=-1), p_logits.softmax(dim=-1)
        monkeypatch.setattr(torch, "rand_like", lambda _like, draws=draws: draws[None, :3])
        monkeypatch.setattr(
            torch, "multinomial", lambda rest, num_samples, draws=draws: pick(rest[0], draws[3]).view(1, 1)
        )
        right, _matches = _speculative_sampling(drafts[None], q_logits[None], 3, p_logits[None])
        assert torch.equal(speculate(drafts, q, p, draws), right[0])
