"""The mistakes that only lesson 04 knows."""

from autograder.author.authoring import Fault

FAULTS = (
    Fault(
        "divided-by-p",
        "what dropout keeps is divided by p",
        "What is kept is divided by p. Divide by 1 − p, the share that is kept. With p = 0.5 the two agree.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "multiplied-by-kept-share",
        "what dropout keeps is multiplied by 1 − p",
        "What is kept became smaller: it is multiplied by 1 − p. Divide by it, to make up for what is gone.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "multiplied-by-one-plus-p",
        "what dropout keeps is multiplied by 1 + p",
        "What is kept is multiplied by 1 + p. That is near to a division by 1 − p only where p is small. Divide by 1 − p.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "divided-by-counted-share",
        "what dropout keeps is divided by the share that one mask happens to keep",
        "The division is by the share that this one mask happens to keep. Divide by 1 − p, the share kept on average.",
        section="04-dropout#renormalise-refuted",
        varies=True,
    ),
    Fault(
        "kept-and-dropped-swapped",
        "what should stay is dropped, and the other way round",
        "The entries that should stay are gone, and the others are there. It is the other way round.",
        section="04-dropout#dropout-formula",
        varies=True,
    ),
    Fault(
        "only-rescaled",
        "everything is divided by 1 − p and nothing is dropped",
        "Everything is divided by 1 − p and nothing becomes 0: the mask is not used.",
        section="04-dropout#dropout-formula",
    ),
    Fault(
        "dropped-not-zeroed",
        "what is dropped keeps its numbers",
        "The dropped entries still hold their numbers. They have to become 0.",
        section="04-dropout#dropout-formula",
    ),
    Fault(
        "boolean-index-flattens",
        "a mask in brackets picks the entries out into one long vector",
        "The entries that stay come out as one long vector, as `{x}[mask]` gives them. The shape has to "
        "stay: multiply by the mask, or use `torch.where`.",
    ),
    Fault(
        "other-distribution",
        "random numbers come from another distribution",
        "These are other numbers than the task asks for. Do they come from another distribution? "
        "`torch.rand` draws evenly from 0 to 1, `torch.randn` from a bell curve around 0.",
        varies=True,
    ),
    Fault(
        "rescaled-in-eval",
        "results are divided by 1 − p in eval mode",
        "In evaluation the numbers are divided by 1 − p. Nothing is dropped there, so there is nothing to make up for.",
        section="04-dropout#renormalise-refuted",
    ),
    Fault(
        "dropout-stays-off",
        "dropout stays off after one call of `eval()`",
        "Once `eval()` was called, nothing is dropped in training any more: a p that `eval()` sets to 0 stays 0. Leave "
        "`eval` and `train` as they are, and look at `self.training`.",
        section="04-dropout#bug-eval-dropout-task",
    ),
    Fault(
        "dropout-averaged",
        "eval mode averages many draws",
        "Eval mode averages many draws. That comes near, costs a lot and still changes from call to call. Drop "
        "nothing there.",
        section="04-dropout#bug-eval-dropout-task",
    ),
    Fault(
        "seed-hides-dropout",
        "a seed in `forward` hides that dropout goes on",
        "Two calls agree, because the same weights are dropped each time, in eval mode too, as with a seed in"
        " `forward`. That hides the fault.",
        section="04-dropout#bug-eval-dropout-task",
    ),
    Fault(
        "sequences-chained",
        "the sequences of a batch are laid end to end",
        "All sequences are laid end to end, so that tokens of one attend to tokens of another.",
        section="04-dropout#batch-matmul",
    ),
    Fault(
        "axes-squeezed",
        "`squeeze()` drops an axis that happens to have size 1",
        "A batch of one sequence, or a sequence of one token, loses an axis, as with `squeeze()`, which "
        "drops every axis of size 1. Keep all axes.",
        section="04-dropout#batch-matmul",
    ),
    Fault(
        "carried-to-the-cpu",
        "numbers are carried to the CPU and back",
        "It runs, because the numbers are carried to the CPU and back at each call. That hides the fault and is slow: "
        "make the mask on the device of the scores.",
        section="04-dropout#buffer-intro",
    ),
    Fault(
        "seed-too-late",
        "the seed is set after something was drawn",
        "Something is drawn before the seed is set, so the seed does not determine it. Set the seed first.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "never-seeded",
        "no seed is set",
        "What is drawn is not determined by `seed`. Give it to `torch.manual_seed`, torch's own, before the first draw.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "drawn-in-another-order",
        "things are drawn in another order",
        "This can be repeated, but things are drawn in another order, so each takes other numbers of the seed. The task "
        "fixes the order.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "seeded-twice",
        "the seed is set twice",
        "The seed is set once more between two draws, so both come from the same random numbers. Once, at the start, is "
        "enough.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "seed-typed-in",
        "the seed is typed in",
        "The seed is the same whatever the function is called with. Use the argument `seed`.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "not-random",
        "what should be drawn is a constant",
        "What should be drawn at random is a constant now. That hides the fault: set the seed before the draw.",
        section="04-dropout#bug-seed-order-task",
    ),
    Fault(
        "brackets-missing",
        "brackets around 1 − p are missing",
        "p is taken away from every entry, as in `x / 1 - p`. The division is by all of 1 − p: put it "
        "into brackets.",
        section="04-dropout#apply-dropout-task",
    ),
)
