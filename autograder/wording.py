"""The one place that puts a finding into words.

Each message says what the number looks like, names the axis and the index, and gives the learner one thing
to do next. It never blames them for a fault of ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from autograder import experiments
from autograder import findings as f
from autograder.bank import AS_SEEN, Probe, Task
from autograder.language import _, ngettext, translated
from autograder.outcome import ErrorReport, ForbiddenCall


@dataclass(frozen=True)
class Message:
    """What to show for one finding: one sentence, then any details, then the code line it is about."""

    headline: str
    details: tuple[str, ...] = ()
    code: str = ""


# Findings that tell a number, which says less than what experiments show.
NUMBERS_ONLY = (f.WrongValues, f.NotFinite, f.WrongShape, f.BrokenProperty)

# What one entry along an axis is called, where that is not the axis's name without its "s".
SPOKEN = dict.fromkeys(("d_in", "d_out", "d_model", "head_dim"), "dimension")

# Between the name of an axis and its role.
ONE_FOR_EACH = ", one for each "
KINDS = {"tensor": "tensor", "function": "function", "module": "class", "class": "class"}

# Types whose values give a result only when they are called.
CALLABLES = ("function", "method", "builtin_function_or_method", "type")


def word(finding: f.Finding, task: Task, verdict: f.Verdict | None = None) -> Message:
    """Put a finding about `task` into words; the verdict adds what is known about the whole answer."""
    message = _WORDING[type(finding)](finding, task)
    if verdict is not None and verdict.facts and isinstance(finding, NUMBERS_ONLY):
        first, *others = (_FACTS[type(fact)](fact, task) for fact in verdict.facts)
        details = (*first.details, *(one.headline for one in others), message.headline, *message.details)
        message = Message(first.headline, details, message.code)
    extra = list(message.details)
    if verdict is not None:
        if verdict.named and isinstance(finding, f.NotFinite):
            extra = []  # the mistake's own hint says where the nan comes from
        # A tensor takes over the mistakes of what it is made from. Of a function or class they are its own.
        if verdict.unfinished and (task.kind == "tensor" or not verdict.named):
            names = _listed([f"`{name}`" for name in verdict.unfinished])
            note = ngettext(
                "The usual way builds it from {names}, which is not right yet: correct that first, "
                "then run this check again.",
                "The usual way builds it from {names}, which are not right yet: correct those first, "
                "then run this check again.",
                len(verdict.unfinished),
                locals(),
            )
            # What was computed from a number that was typed in was not itself typed in.
            extra = [note] if isinstance(finding, f.NotComputed) else [note, *extra]
        elif verdict.globals_read:
            names = _listed([f"`{name}`" for name in verdict.globals_read])
            extra.append(
                _(
                    "`{task.name}` reads {names} from the notebook. A function should use its arguments "
                    "only: otherwise its result depends on what else stands in the notebook.",
                    locals(),
                )
            )
        if verdict.stood_in:
            extra.insert(0, stood_in(verdict))
        if verdict.forbidden and not isinstance(finding, f.CallsForbidden):
            extra.append(_forbidden(verdict.forbidden, task))
    return Message(message.headline, tuple(extra), message.code)


def stood_in(verdict: f.Verdict) -> str:
    """What a learner is told where the course's answers stood in for earlier ones of theirs; "" elsewhere."""
    if not verdict.stood_in:
        return ""
    names = _listed([f"`{name}`" for name in verdict.stood_in])
    return ngettext(
        "Your {names} is not right yet. This task was checked with the course's {names} in its place, "
        "so that one mistake costs once.",
        "Your {names} are not right yet. This task was checked with the course's {names} in their place, "
        "so that one mistake costs once.",
        len(verdict.stood_in),
        locals(),
    )


def mistakes(count: int) -> str:
    """So many mistakes, as "two mistakes"."""
    several = (_("two mistakes"), _("three mistakes"), _("four mistakes"), _("several mistakes"))
    return several[min(count - 2, 3)]


def found(task: Task, verdict: f.Verdict) -> str:
    """What a check found, to stand before a hint; "" where all is right or nothing could be judged."""
    finding = verdict.finding
    if finding is None or isinstance(finding, f.NotDefined | f.StillStub | f.NotRun | f.GivensChanged):
        return ""
    names = [one.name for one in verdict.named if one.name]
    if names:
        several = "" if len(names) == 1 else f" {mistakes(len(names))}"
        listed = "; ".join(names)
        return _("Your last check found{several}: {listed}.", locals())
    headline = word(finding, task, verdict).headline
    return _("Your last check found: {headline}", locals())


def failing(finding: f.Finding, task: Task) -> str:
    """On which input a check fails first, for a line below its title; "" where there is nothing to say."""
    probe = task.probes.get(finding.probe)
    if probe is None or (task.kind == "tensor" and probe.id == AS_SEEN):
        return ""
    if task.kind == "tensor":
        return _("fails with: {probe.says}", locals())
    return _("fails on: {probe.says}", locals())


def axis_label(task: Task, axis: int) -> str:
    """What an axis of the task's result is called: "tokens as query" reads "tokens, as queries"."""
    name = task.axes[axis] if -len(task.axes) <= axis < len(task.axes) else ""
    symbol, role = name.partition(" as ")[::2]
    return f"{symbol}{ONE_FOR_EACH}{role}" if role else symbol


def _axis_shown(task: Task, axis: int) -> str:
    """An axis's label, in the learner's language."""
    symbol, role = axis_label(task, axis).partition(ONE_FOR_EACH)[::2]
    return _("{symbol}, one for each {role}", locals()) if role else symbol


def shape_text(shape: Sequence[int]) -> str:
    """A shape as a learner reads it, as "(6, 3)"; "()" is a single number."""
    return "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def number_text(value: float) -> str:
    """A number with four decimals where that shows it, and in scientific form where it does not."""
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.4f}"
    return f"{value:.3e}"


def _where(finding: f.Finding, task: Task) -> str:
    """On which input the finding was made; nothing for an answer that is itself a tensor."""
    probe = task.probes.get(finding.probe)
    if probe is None:
        return ""
    if task.kind == "tensor":
        return "" if probe.id == AS_SEEN else _(" with {probe.says}", locals())
    return _(" on {probe.says}", locals())


def _place(index: Sequence[int], task: Task) -> str:
    if not index:
        return _("the result")
    named = [
        f"{axis_label(task, axis)} {position}" if len(task.axes) == len(index) and task.axes[axis] else ""
        for axis, position in enumerate(index)
    ]
    spelled = ", ".join(part for part in (_short(name) for name in named) if part)
    place = ", ".join(map(str, index))
    return _("entry [{place}]", locals()) + (f" ({spelled})" if spelled else "")


def _short(label: str) -> str:
    """Say "tokens, one for each query 2" as "query 2", and "tokens 2" as "token 2"."""
    if ONE_FOR_EACH in label:
        return label.split(ONE_FOR_EACH)[1]
    name, position = label.rpartition(" ")[::2]
    return f"{SPOKEN.get(name, _singular(name))} {position}" if name else label


def _singular(name: str) -> str:
    return name.removesuffix("ies") + "y" if name.endswith("ies") else name.removesuffix("s")


def _not_defined(finding: f.NotDefined, task: Task) -> Message:
    if finding.error:
        return _cell_stopped(finding.error, task)
    kind = KINDS[task.kind]
    details = [
        _("Run the cell above first: a cell that has not been run defines nothing."),
        _("If that cell stopped with an error, the error under it says what to correct."),
    ]
    if finding.nearest:
        details.insert(
            0,
            _(
                "`{finding.nearest[0]}` is defined: is that the one? The check looks for "
                "`{task.name}`, spelt exactly so.",
                locals(),
            ),
        )
    return Message(_("There is no {kind} called `{task.name}` yet.", locals()), tuple(details))


def _cell_stopped(error: ErrorReport, task: Task) -> Message:
    where = _(" in line {error.line_number}", locals()) if error.line_number else ""
    explained = explain_error(error)
    again = _("Correct that line and run the cell again, then this one.")
    told_by = _told_by(error)
    return Message(
        _("The cell that should make `{task.name}` stopped{where}. {error.type}: {told_by}", locals()),
        (explained, again) if explained else (again,),
        error.line,
    )


def _still_stub(finding: f.StillStub, task: Task) -> Message:
    if finding.error:
        return _cell_stopped(finding.error, task)
    return Message(
        _("`{task.name}` is still waiting for you.", locals()),
        (_("Replace the `...` in the cell above with your own code, run that cell, then this one."),),
    )


def _not_run(finding: f.NotRun, task: Task) -> Message:
    reason = finding.reason or _("the notebook stopped before it got here")
    return Message(_("`{task.name}` could not be checked: {reason}.", locals()))


def _givens_changed(finding: f.GivensChanged, task: Task) -> Message:
    names = _listed([f"`{name}`" for name in finding.names])
    count = len(finding.names)
    if set(finding.names) <= set(task.keeps):
        return Message(
            ngettext(
                "{names} no longer holds what the lesson put there, and should be left alone.",
                "{names} no longer hold what the lesson put there, and should be left alone.",
                count,
                locals(),
            ),
            (
                _("Run the cell that makes {names} again, then your cell, then this check.", locals()),
                _(
                    "If your own cell changes it (`+=`, `*=`, `[…] =`, a method that ends in `_`), work on a "
                    "new tensor: `a * b` and `masked_fill` make one, and so does `.clone()`."
                ),
            ),
        )
    return Message(
        ngettext(
            "{names} no longer holds the lesson's example data, so `{task.name}` cannot be compared.",
            "{names} no longer hold the lesson's example data, so `{task.name}` cannot be compared.",
            count,
            locals(),
        ),
        (
            _(
                "Run the cell that defines the example data again, then your cell, then this check. "
                "To experiment, use a name of your own for the changed data."
            ),
            _(
                "If your own cell changes it (`+=`, `*=`, a method that ends in `_`), work on a `.clone()`. "
                "A row of a tensor is still the same data."
            ),
        ),
    )


def _not_a_function(finding: f.NotAFunction, task: Task) -> Message:
    if task.kind == "module":
        how = _("Define it with `class {task.name}(torch.nn.Module):`", locals())
    elif task.kind == "class":
        how = _("Define it with `class {task.name}`", locals())
    else:
        how = _("Define it with `def {task.signature}:`", locals())
    what = _a(finding.obtained)
    kind = KINDS[task.kind]
    return Message(
        _("`{task.name}` is {what}, and the task asks for a {kind}.", locals()),
        (_("{how}. If another cell reuses the name, rename that one.", locals()),),
    )


def _wrong_parameters(finding: f.WrongParameters, task: Task) -> Message:
    parts, details = [], []
    if finding.missing:
        names = _listed([f"`{name}`" for name in finding.missing], _("or"))
        parts.append(_("has no parameter {names}", locals()))
    if finding.unexpected:
        names = _listed([f"`{name}`" for name in finding.unexpected])
        parts.append(_("has {names}, which the task does not list", locals()))
    if finding.reshaped:
        one = finding.reshaped[0]
        obtained = shape_text(one.obtained)
        expected = shape_text(one.expected)
        parts.append(
            _("has a parameter `{one.name}` of shape {obtained}, which should be {expected}", locals())
        )
        details.append(
            _("`nn.Linear(a, b)` keeps a weight of shape (b, a), an `nn.Parameter` the shape you give it.")
        )
    what = _(" and ").join(parts)
    if task.kind == "function":
        where = _where(finding, task)
        return Message(
            _("The module that `{task.name}` gives back {what}{where}.", locals()),
            (_("Its parameters keep their names and get new numbers: replace none of its layers."),),
        )
    named = [*finding.missing, *finding.unexpected]
    if named and all(name.endswith(".bias") for name in named):
        layers = _listed([f"`{name.removesuffix('.bias')}`" for name in named])
        has = _("have no bias") if finding.unexpected else _("have a bias")
        details.append(
            _("Here {layers} should {has}: `nn.Linear` decides that by its argument `bias`.", locals())
        )
    elif named:
        names = _listed([f"`{name}`" for name in finding.expected])
        details.insert(0, _("Expected: {names}.", locals()))
        if finding.unexpected and not finding.missing:
            details.append(
                _(
                    "An `nn.Parameter` is trained. A tensor that is not to be trained, a mask say, becomes a "
                    "buffer with `register_buffer`."
                )
            )
        if finding.missing and not finding.unexpected:
            details.append(
                _(
                    "A module only knows parameters that are `nn.Parameter`s or modules set on `self`: "
                    "in a plain list or as a plain tensor they are not registered."
                )
            )
    return Message(f"`{task.name}` {what}.", tuple(details))


def _raised(finding: f.Raised, task: Task) -> Message:
    error = finding.error
    where = _where(finding, task)
    if error.type == "SignatureMismatch":
        return Message(
            _("`{task.name}` does not take the arguments that the task names: {error.message}.", locals()),
            (_("It is called as `{task.signature}`, and yours is `{task.name}{error.line}`.", locals()),),
        )
    if error.type == "NeedsEarlier":
        return Message(
            _("`{task.name}` is tried on your class `{error.line}`, which {error.message}.", locals()),
            (_("Correct that class and run its cell, then run this check again."),),
        )
    if error.type == "SystemExit":
        return Message(
            _("`{task.name}` ended the program{where} instead of returning a result.", locals()),
            (_("Take out the `exit()` or `sys.exit()`."),),
            error.line,
        )
    details = []
    if error.line_number:
        owner = error.function.partition(".")[0]
        elsewhere = owner not in ("", task.name) and not owner.startswith("<")
        cell = _("the cell of `{owner}`", locals()) if elsewhere else _("its cell")
        details.append(_("It happened in line {error.line_number} of {cell}.", locals()))
    explained = explain_error(error)
    if explained:
        details.insert(0, explained)
    meant = _(" Write `{error.meant}`.", locals()) if error.meant else ""
    told_by = _told_by(error)
    point = "." if meant else ""
    return Message(
        _("`{task.name}` raised {error.type}{where}: {told_by}{point}{meant}", locals()),
        tuple(details),
        error.line,
    )


def _told_by(error: ErrorReport) -> str:
    """An error's message, without the list of all that a call of torch could have taken."""
    return " ".join(error.message.partition(", but expected one of:")[0].split()) or _("no message")


# What torch says, and what it means to somebody who meets it for the first time.
ERRORS_EXPLAINED = (
    (
        r"'(float|int)' object is not callable",
        "A number stands before the brackets, and only a function or a layer can be called. "
        "`self.dropout = dropout` keeps the number alone: `nn.Dropout(dropout)` makes a layer of it.",
    ),
    (
        r"'(Tensor|Parameter)' object is not callable",
        "A tensor stands before the brackets, and only a function or a layer can be called. "
        "An `nn.Parameter` is used with `@`, and an `nn.Linear` is called.",
    ),
    (
        r"^AttributeError: '(?!Tensor|NoneType|list|tuple|dict|str|int|float)\w+' object has no attribute",
        "Nothing has set an attribute of this name. Does `__init__` set it, spelt the same, on `self`?",
    ),
    (
        r"missing the required .?forward.? function",
        "Calling a module runs its method `forward`: is it spelt so, and indented as part of the class?",
    ),
    (
        r"before Module.__init__\(\) call",
        "`super().__init__()` has to be the first line of `__init__`.",
    ),
    (
        r"mat1 and mat2 shapes|size mismatch",
        "In `a @ b` the last size of `a` must equal the first of `b`. "
        "Print both `.shape`s; is a transpose missing?",
    ),
    (
        r"batch[12] tensor|must be 3D",
        "In a product of batches the last size of `a` must equal the last but one of `b`. "
        "Print both `.shape`s; is a transpose missing?",
    ),
    (
        r"a leaf Variable that requires grad|a view of a leaf Variable",
        "A parameter is overwritten while gradients are recorded: do it inside `with torch.no_grad():`.",
    ),
    (
        r"inconsistent tensor size",
        "`torch.dot` takes two vectors of the same length. Print both `.shape`s before this line.",
    ),
    (
        r"1D tensors expected",
        "`torch.dot` takes two vectors. For matrices there is `@`.",
    ),
    (
        r"unsupported operand .*(method|function)",
        "A function or method stands there without its parentheses: call it.",
    ),
    (
        r"the number of sizes provided \(0\)",
        "One number fits in this place, and a vector is put there: add it up to one number first.",
    ),
    (
        r"'list' and 'Tensor'|'Tensor' and 'list'",
        "A list does not calculate as a whole: `torch.tensor(...)` makes a tensor of it.",
    ),
    (
        r"too many indices for tensor",
        "There are more positions between the brackets than the tensor has axes. Print its `.shape`.",
    ),
    (
        r"0-d tensor",
        "This tensor is a single number: it has no length, and a loop cannot walk over it.",
    ),
    (
        r"must match the size of tensor|expanded size|not match.*broadcast",
        "Two tensors of different shapes meet here. Print both `.shape`s before this line.",
    ),
    (
        r"expected .* same dtype|expected scalar type|same dtype",
        "The two tensors have different dtypes. `.float()` makes a tensor float32.",
    ),
    (
        r"can't be cast to the desired output type",
        "A tensor of whole numbers cannot hold this result. Was it made from numbers without a point?",
    ),
    (
        r"used as indices must be|only integer tensors|indices must be integers",
        "Something other than a position stands between the brackets: `x[i]` wants a whole number, "
        "as `range` gives.",
    ),
    (
        r"only one element tensors|a Tensor with \d+ elements cannot be converted",
        "A single number is wanted here, and this tensor holds several.",
    ),
    (
        r"torch\.return_types\.",
        "With `dim=`, `max` gives the values and their positions. Take `.values`, or use `amax`.",
    ),
    (
        r"missing .*dim|Dimension out of range",
        "`dim` says along which axis to work: 0 is the first, -1 the last.",
    ),
    (
        r"received an invalid combination of arguments",
        "What the call was given stands in the brackets: the type of one of them does not fit.",
    ),
    (
        r"^(Syntax|Indentation|Tab)Error",
        "Python could not read the cell. Look at this line and the one before: is a bracket, a quote or a "
        "colon missing, or one too many?",
    ),
    (
        r"^NameError|UnboundLocalError",
        "A name is used before anything has defined it: is it spelt right, and has its cell been run?",
    ),
    (
        r"index .* is out of bounds|index out of range",
        "Counting starts at 0 and ends one before the size: take the size from the tensor.",
    ),
)


def explain_error(error: ErrorReport) -> str:
    """What an error means that learners of torch often meet; nothing for any other."""
    if error.meant:
        return _("In a method, what belongs to the object itself needs `self.` in front of its name.")
    text = f"{error.type}: {error.message}"
    return next((_(says) for pattern, says in ERRORS_EXPLAINED if re.search(pattern, text)), "")


def _wrong_type(finding: f.WrongType, task: Task) -> Message:
    probe = task.probes.get(finding.probe)
    wanted = _("a number") if task.number else _("a tensor")
    if probe is not None and probe.then:
        wanted = _("something that can be called")
    where = _where(finding, task)
    subject = (
        _("`{task.name}` is", locals()) if task.kind == "tensor" else _("`{task.name}` gives back", locals())
    )
    if task.kind == "module" and finding.obtained.split(".")[-1] == task.name:
        return Message(
            _("`{task.name}` is a class, but no module.", locals()),
            (
                _(
                    "Write `class {task.name}(torch.nn.Module):`, with `super().__init__()` first in "
                    "`__init__`.",
                    locals(),
                ),
            ),
        )
    if finding.obtained == "NoneType" and task.kind != "tensor":
        return Message(
            _("`{task.name}` gives back nothing{where}.", locals()),
            (_("Is there a `return` at the end? Without one a function gives back None."),),
        )
    if finding.obtained == "NoneType":
        return Message(
            _("`{task.name}` is None.", locals()),
            (_("`print(...)` shows a value and gives back None: assign the value itself."),),
        )
    if finding.obtained.startswith("torch.return_types."):
        return Message(
            _(
                "{subject} values together with their positions{where}, and the task asks for {wanted}.",
                locals(),
            ),
            (_("Take the values alone: `.values`."),),
        )
    if finding.obtained == "torch.Size":
        return Message(
            _("{subject} a shape{where}, and the task asks for {wanted}.", locals()),
            (_("`.shape` tells how large a tensor is. Is it what you meant to use here?"),),
        )
    if finding.obtained in CALLABLES or finding.obtained.startswith("torch."):
        what = _a(finding.obtained)
        return Message(
            _("{subject} {what}{where}, not its result.", locals()),
            (_("Call it: write parentheses with its arguments behind the name."),),
        )
    expected_shape = shape_text(_expected_shape(finding, task))
    advice = {
        "sparse tensor": _("Leave out `.to_sparse()`: few operations know what to do with such a tensor."),
        "list": _(
            "A list stands around it, or one number has still to be made of several: `sum(...)` adds up."
        )
        if task.number
        else _("`torch.tensor(...)` makes a tensor of a list of numbers, `torch.stack(...)` of tensors."),
        "tuple": _(
            "`chunk`, `split` and `unbind` give one, and so do two values behind one `return`. "
            "`torch.stack` and `torch.cat` make one tensor of several."
        )
        if task.kind == "function" and len(task.axes) > 2
        else _("A comma at the end of a line, or between two values, makes a tuple."),
        "numpy.ndarray": _(
            "The course works in torch: `torch.from_numpy(...)` turns an array into a tensor."
        ),
        "float": _(
            "A tensor of shape {expected_shape} is asked for, and one number is too few: was it "
            "summed once too often?",
            locals(),
        ),
    }.get(finding.obtained, "")
    what = _a(finding.obtained)
    return Message(
        _("{subject} {what}{where}, and the task asks for {wanted}.", locals()),
        (advice,) if advice else (),
    )


def _wrong_shape(finding: f.WrongShape, task: Task) -> Message:
    where = _where(finding, task)
    subject = f"`{task.name}`" if task.kind == "tensor" else _("The result")
    obtained = shape_text(finding.obtained)
    expected = shape_text(finding.expected)
    head = _("{subject} has shape {obtained}{where}; it should be {expected}.", locals())
    if finding.axis is not None:
        label = _axis_shown(task, finding.axis)
        named = f" ({label})" if label else ""
        size, right = finding.obtained[finding.axis], finding.expected[finding.axis]
        return Message(
            head, (_("Axis {finding.axis}{named} has size {size} and should have {right}.", locals()),)
        )
    wanted = " × ".join(_axis_shown(task, axis) for axis in range(len(task.axes)))
    axes = _("one number, without axes") if not task.axes else f"{_axes(len(task.axes))}: {wanted}"
    count = _axes(len(finding.obtained))
    return Message(head, (_("It has {count}; the task asks for {axes}.", locals()),))


def _wrong_dtype(finding: f.WrongDtype, task: Task) -> Message:
    advice = ""
    if "bool" in finding.allowed:
        advice = _("A comparison gives True and False, and so does `.bool()`.")
    elif finding.obtained.startswith(("int", "uint")):
        advice = _(
            "Whole numbers cut off what stands behind the point. Was a tensor made from numbers without one?"
        )
    elif finding.obtained == "bool":
        advice = _("True and False are what a comparison gives; the task asks for the numbers themselves.")
    elif finding.obtained in ("float16", "bfloat16"):
        advice = _("Half precision keeps about three digits. Leave the inputs' own dtype as it is.")
    where = _where(finding, task)
    names = _listed(finding.allowed, _("or"))
    return Message(
        _("The result{where} has dtype {finding.obtained}, and the task asks for {names}.", locals()),
        (advice,) if advice else (),
    )


def _not_finite(finding: f.NotFinite, task: Task) -> Message:
    where = _where(finding, task)
    if math.isnan(finding.value):
        cause = _(
            "nan comes from 0/0 or inf/inf or 0 times inf: a sum that is zero, an exponential above what a "
            "float holds, a −inf that was multiplied by 0, or a softmax over a row where everything is −inf."
        )
    elif finding.value < 0:
        cause = _("−inf is what hides a score: softmax makes a weight of 0 of it. Is the softmax missing?")
    else:
        cause = _("inf comes from dividing by zero or from exp() of a number above 88.")
    count = finding.count - 1
    others = ""
    if count > 0:
        others = ngettext(", and so is {count} other", ", and so are {count} others", count, locals())
    place = _capital(_place(finding.index, task))
    value = number_text(finding.value)
    return Message(
        _("{place} is {value}{where}{others}.", locals()),
        (cause,),
    )


def _matches_known_wrong(finding: f.MatchesKnownWrong, task: Task) -> Message:
    where = _where(finding, task)
    return Message(_("Not the right numbers yet{where}.", locals()))


def _still_wrong(finding: f.StillWrong, task: Task) -> Message:
    kind, where = KINDS[task.kind], _where(finding, task)
    return Message(_(_STILL_WRONG.get(finding.kind, _STILL_WRONG["WrongValues"]), locals()))


# What kind of thing is wrong, without anything that the learner's process said.
_STILL_WRONG = {
    "NotDefined": "There is no {kind} called `{task.name}` yet.",
    "StillStub": "`{task.name}` is still waiting for you.",
    "NotRun": "`{task.name}` could not be checked.",
    "GivensChanged": "`{task.name}` is made by a cell that changes what the lesson put there.",
    "NotAFunction": "`{task.name}` is no {kind}.",
    "Raised": "`{task.name}` raises an error{where}.",
    "WrongParameters": "The parameters of `{task.name}` are not those that the task names.",
    "WrongShape": "The result of `{task.name}` has the wrong shape{where}.",
    "WrongDtype": "The result of `{task.name}` has the wrong dtype{where}.",
    "NotFinite": "The result of `{task.name}` holds nan or inf{where}.",
    "NotRefused": "`{task.name}` does not refuse what it should refuse{where}.",
    "WrongValues": "`{task.name}` does not give the right result{where}.",
}
# What is translated where it is used.
TABLES = (*(says for _pattern, says in ERRORS_EXPLAINED), *_STILL_WRONG.values())


def _broken_property(finding: f.BrokenProperty, task: Task) -> Message:
    where = _where(finding, task)
    if finding.property == "sums-to-one":
        rest = [axis for axis in range(len(task.axes)) if axis != finding.axis]
        found = number_text(float(finding.obtained))
        if not rest:
            return Message(_("The weights add up to {found}{where}; they should add up to 1.", locals()))
        names = ", ".join(
            _short(f"{axis_label(task, axis)} {position}")
            for axis, position in zip(rest, finding.index, strict=False)
        )
        spot = ", ".join(map(str, finding.index))
        return Message(
            _("Row {spot} ({names}) adds up to {found}{where}; every row should add up to 1.", locals())
            if finding.axis == len(task.axes) - 1
            else _(
                "Slice {spot} ({names}) adds up to {found}{where}; every slice should add up to 1.", locals()
            )
        )
    if finding.property == "not-negative":
        place = _capital(_place(finding.index, task))
        obtained = number_text(float(finding.obtained))
        return Message(_("{place} is {obtained}{where}; a weight is never negative.", locals()))
    if finding.property == "symmetric":
        flipped = list(reversed(finding.index[-2:]))
        place = _capital(_place(finding.index, task))
        return Message(
            _("{place} differs from entry {flipped}{where}.", locals()),
            (_("The dot product of two tokens is the same whichever comes first."),),
        )
    if finding.property == "causal":
        query, key = finding.index[-2:]
        found = number_text(float(finding.obtained))
        place = _capital(_place(finding.index, task))
        return Message(
            _(
                "{place} is {found}{where}: query {query} gives weight to key {key}, which comes later.",
                locals(),
            ),
            (_("Above the diagonal every weight must be 0."),),
        )
    if finding.property == "input-untouched":
        changed = str(finding.obtained).split(", ")
        names = _listed([f"`{name}`" for name in changed])
        return Message(
            ngettext(
                "`{task.name}` changed its argument {names}{where}.",
                "`{task.name}` changed its arguments {names}{where}.",
                len(changed),
                locals(),
            ),
            (
                _(
                    "Whoever calls a function expects their tensors back as they were. Work on a new "
                    "tensor: `x - 1` makes one, `x -= 1` and methods that end in `_` change the old one."
                ),
            ),
        )
    if finding.property == "input-filled":
        names = _listed([f"`{name}`" for name in str(finding.obtained).split(", ")])
        return Message(
            _("`{task.name}` left its argument {names} as it was{where}.", locals()),
            (_("The task is to change it: give back that object itself, with its new numbers."),),
        )
    if finding.property == "same-in-eval":
        return Message(
            _("Two calls with the same input give different results in eval mode{where}.", locals()),
            (_("Randomness, like dropout, belongs to training only. Are weights made anew in `forward`?"),),
        )
    if finding.property == "memory-of-its-own":
        names = _listed([f"`{name}`" for name in str(finding.obtained).split(", ")])
        return Message(
            _(
                "The numbers are right, but {names} and the other module use the same memory{where}.",
                locals(),
            ),
            (
                _(
                    "When one of the two is trained, the other changes too. Copy the numbers: "
                    "`parameter.copy_(…)` inside `torch.no_grad()`, or `.clone()`."
                ),
            ),
        )
    if finding.property == "gradient-reaches":
        names = _listed([f"`{name}`" for name in str(finding.obtained).split(", ")])
        return Message(
            _(
                "The numbers are right, but no gradient reaches {names}{where}: it could not be trained.",
                locals(),
            ),
            (
                _(
                    "`.detach()`, `.data`, `.item()` and `torch.no_grad()` cut the way back to a parameter, "
                    "and `requires_grad=False` freezes it."
                ),
            ),
        )
    raise KeyError(f"no wording for the property {finding.property!r}")


def _not_refused(finding: f.NotRefused, task: Task) -> Message:
    wanted = _listed(finding.expected, _("or"))
    says = task.probes[finding.probe].says
    if finding.obtained == "AssertionError":
        return Message(
            _("`{task.name}` rightly refuses {says}, but with an `assert`.", locals()),
            (
                _(
                    "The task asks for a {wanted}. Python can be told to skip every `assert`; `if …: raise "
                    '{wanted}("…")` always works.',
                    locals(),
                ),
            ),
        )
    if finding.obtained:
        what = _a(finding.obtained)
        return Message(
            _("`{task.name}` stops at {says} with {what}.", locals()),
            (_("It should `raise` a {wanted} that says what does not fit.", locals()),),
        )
    return Message(
        _("`{task.name}` accepts {says}.", locals()),
        (_("It should refuse that with a {wanted} that says what does not fit.", locals()),),
    )


def _wrong_behaviour(finding: f.WrongBehaviour, task: Task) -> Message:
    probe = task.probes[finding.probe]
    axes = EXPERIMENT_AXES.get(finding.observe, len(task.axes))
    if len(finding.index) != axes:
        where = _where(finding, task)
        return Message(
            _("`{task.name}` does not give back what it should{where}.", locals()),
            (_("Print its result there, and the `.shape`: is it what the task asks for?"),),
        )
    return _BEHAVIOUR[finding.observe](finding, task, probe)


def _influence(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    where = _where(finding, task)
    symbol = axis_label(task, int(probe.settings["axis"])).partition(",")[0].removeprefix("num_")
    one = "batch element" if symbol in ("b", "batch", "batch_size") else _short(f"{symbol} 0")[:-2]
    other = str(probe.settings.get("changed", one))
    output, changed = finding.index
    if not finding.obtained:
        return Message(
            _(
                "The output of {one} {output} stays the same{where} when {other} {changed} is changed.",
                locals(),
            ),
            (_("It should depend on {other} {changed}.", locals()),),
        )
    if one == "batch element":
        return Message(
            _(
                "The result of batch element {output} changes{where} when batch element {changed} is "
                "changed.",
                locals(),
            ),
            (_("The elements of a batch must not mix: leave the first axis alone."),),
        )
    if one == other == "token" and changed > output:
        reason = _("Token {changed} comes later and must be hidden.", locals())
    else:
        reason = _("It must not depend on {other} {changed}.", locals())
    return Message(
        _("The output of {one} {output} changes{where} when {other} {changed} is changed.", locals()),
        (reason,),
    )


def _permuted(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    moved = probe.settings["input"]
    others = [name for name, axes in probe.inputs.items() if isinstance(axes, Tensor) and name != moved]
    if "," not in moved and others:
        where = _where(finding, task)
        names = _listed([f"`{name}`" for name in others])
        return Message(
            _("Rows of `{moved}` in another order do not just change places in the result{where}.", locals()),
            (
                _(
                    "Each row of the result belongs to one row of `{moved}`. Is each of `{moved}`, {names} "
                    "used for what its name says?",
                    locals(),
                ),
            ),
        )
    where = _where(finding, task)
    return Message(
        _("Tokens in another order do not just change places in the result{where}.", locals()),
        (_("Without a mask it knows no order: a token's result is the same wherever it stands."),),
    )


def _dropout(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    p, copies = float(probe.settings["p"]), int(probe.settings.get("copies", 1))
    where = _where(finding, task)
    module = task.kind == "module"
    training = _(" in training mode") if module else ""
    obtained = finding.obtained
    match experiments.MEASURES[finding.index[0]]:
        case "finite":
            return Message(
                _("In training mode the result holds nan or inf{where}.", locals())
                if module
                else _("The result holds nan or inf{where}.", locals()),
                (
                    _(
                        "0 times −inf is nan: was something dropped, or multiplied, that holds −inf? "
                        "Dropout comes after the weights are made."
                    ),
                ),
            )
        case "left alone in eval mode":
            return Message(
                _(
                    "In eval mode something is still dropped{where}, or training has left something behind.",
                    locals(),
                ),
                (_("In eval mode nothing is dropped and nothing is scaled, before training and after it."),),
            )
        case "draws differ" if finding.expected:
            return Message(
                _("Every call gives the same result{training}{where}.", locals()),
                (
                    _(
                        "Nothing is dropped, or the same entries each time: a new draw belongs into "
                        "every call."
                    ),
                ),
            )
        case "draws differ":
            return Message(
                _("Something is dropped{where}, and nothing should be.", locals()),
                (_("With p = 0 every entry is kept."),),
            )
        case "share kept":
            share, right = _percent(obtained), _percent(1 - p)
            return Message(
                _(
                    "With p = {p:g}, {share} of the entries are kept{training}; it should be {right}.",
                    locals(),
                ),
                (_("p is the share that is dropped."),),
            )
        case "copies together" if finding.expected and copies > 1:
            return Message(
                _("Numbers that belong to one weight are dropped one by one{training}.", locals()),
                (_("Dropout sits on the weights, before they meet the values, not on the context vectors."),),
            )
        case "copies together":
            return Message(
                _("Several entries are always dropped together{training}.", locals()),
                (_("Every entry has a draw of its own."),),
            )
        case "one by one":
            return Message(
                _("Some entries are always dropped together{training}.", locals()),
                (
                    _(
                        "Every weight has a draw of its own: not one for a whole row or column, and not "
                        "one for the whole batch."
                    ),
                ),
            )
        case "counts vary":
            return Message(
                _("Every call drops exactly as many entries{training}.", locals()),
                (_("Each entry is dropped with probability p, whatever becomes of the others."),),
            )
        case "one factor" if module:
            return Message(
                _("In training mode the kept entries are not all multiplied by the same number."),
                (
                    _(
                        "Dropout comes after softmax and nothing is normalised after it: every kept weight "
                        "is the old one times 1/(1-p)."
                    ),
                ),
            )
        case "one factor":
            return Message(
                _("The kept entries are not all multiplied by the same number."),
                (_("Every kept entry is the old one times 1/(1-p)."),),
            )
        case "factor":
            factor, right = number_text(obtained), number_text(1 / (1 - p))
            small = _("Without it, the sums shrink by the share that is dropped.")
            large = _("A larger factor makes the sums grow: is the scaling done twice, or is it 1/p?")
            return Message(
                _(
                    "The kept entries are multiplied by {factor}{training}; with p = {p:g} it should be "
                    "1/(1-p) = {right}.",
                    locals(),
                ),
                (small if obtained < 1 / (1 - p) else large,),
            )
    return Message(
        _("In eval mode the result is not what it should be without any dropout{where}.", locals()),
        (_("The scaling belongs to training: there the kept entries grow, and eval mode changes nothing."),),
    )


def _other_device(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    if finding.obtained == experiments.RETURNS:
        return Message(
            _("On another device, `{task.name}` copies a tensor back to the CPU.", locals()),
            (_("Copying costs more than computing. Let everything live where the input lives."),),
        )
    return Message(
        _("On another device `{task.name}` stops: a tensor of its own is still on the CPU.", locals()),
        (
            _(
                "A tensor made in `forward` needs `device=x.device`; one made in `__init__` becomes part of "
                "the module with `register_buffer`, and then moves along."
            ),
        ),
    )


def _gradient(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    name = probe.settings["input"]
    if finding.index[0] == 0:
        where = _where(finding, task)
        return Message(
            _("No gradient comes back to `{name}`{where}.", locals()),
            (_("`.detach()`, `.data`, `.item()` and `torch.no_grad()` cut the way back."),),
        )
    where = _where(finding, task)
    return Message(
        _("The result is right{where}, but the gradient back to `{name}` is not finite.", locals()),
        (
            _(
                "A nan that is replaced afterwards is still there on the way back, and would spoil every "
                "weight in training. See to it that none arises."
            ),
        ),
    )


def _buffers(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    name = probe.settings["names"][finding.index[0]]
    if finding.obtained == 2:
        sizes = shape_text(probe.settings["sizes"][finding.index[0]])
        where = _where(finding, task)
        return Message(
            _("The buffer `{name}` of `{task.name}` has another size than {sizes}{where}.", locals()),
            (_("Make it as large as the constructor's arguments say."),),
        )
    own = name.rpartition(".")[2]  # a module within registers its own
    return Message(
        _("`{name}` is not in the state dict of `{task.name}`.", locals()),
        (
            _(
                "A plain tensor on `self` stays behind when the module moves to another device, and is "
                'not saved with it. `self.register_buffer("{own}", tensor)` makes it part of the '
                "module.",
                locals(),
            ),
        ),
    )


def _gradients(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    place = finding.index[0]
    for name in str(probe.settings["input"]).split(","):
        value = probe.inputs.get(name)
        count = value.numel() if isinstance(value, Tensor) else place + 1
        if place < count:
            break
        place -= count
    if not finding.obtained:
        where = _where(finding, task)
        return Message(
            _("No gradient comes back to number {place} of `{name}`{where}, and one should.", locals()),
            (_("Find the step between it and the result that the way back leaves out."),),
        )
    obtained = number_text(finding.obtained)
    where = _where(finding, task)
    expected = number_text(finding.expected)
    return Message(
        _(
            "The gradient that comes back to number {place} of `{name}` is {obtained}{where} and "
            "should be {expected}.",
            locals(),
        ),
        (_("The result itself is another matter: this is about how it moves when the input does."),),
    )


def _costs(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    where = _where(finding, task)
    enough = probe.settings[("numbers", "products")[finding.index[0]]]
    if finding.index[0] == 0:
        return Message(
            _("`{task.name}` makes a tensor of {finding.obtained:.0f} numbers{where}.", locals()),
            (_("{enough} are enough. Find the line that makes one that large.", locals()),),
        )
    return Message(
        _(
            "The matrix products of `{task.name}` take {finding.obtained:.0f} multiplications{where}.",
            locals(),
        ),
        (_("{enough} are enough: some of what is computed is thrown away.", locals()),),
    )


def _steps(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    where = _where(finding, task)
    obtained = number_text(finding.obtained)
    expected = number_text(finding.expected)
    return Message(
        _(
            "Called step by step{where}, `{task.name}` gives back {obtained} where it should be {expected}.",
            locals(),
        ),
        (_("Make an object, call it twice with small tensors, and print what comes back each time."),),
    )


def _second_call(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    where = _where(finding, task)
    return Message(
        _("`{task.name}` gives another result{where} than with the same input alone.", locals()),
        (
            _(
                "Something of the first call was kept: whatever depends on the input is made anew in "
                "each call."
            ),
        ),
    )


def _start_values(finding: f.WrongBehaviour, task: Task, probe: Probe) -> Message:
    row, column = finding.index
    name = probe.settings["names"][row]
    if column == 0:
        return Message(
            _("Every new `{task.name}` has the same numbers in `{name}`.", locals()),
            (
                _(
                    "A model starts from numbers of its own, drawn afresh. Is it all zeros or ones, or is a "
                    "seed set inside? Seeds are for the caller to set."
                ),
            ),
        )
    if column == 1:
        return Message(
            _("`{name}` starts with the same numbers as another of the parameters.", locals()),
            (_("Draw each of them anew."),),
        )
    what = (_("lowest number is"), _("mean is"), _("highest number is"))[column - 2]
    where = _where(finding, task)
    obtained = number_text(finding.obtained)
    expected = number_text(finding.expected)
    return Message(
        _(
            "`{name}` starts with other numbers than the task says{where}: the {what} about "
            "{obtained} and should be about {expected}.",
            locals(),
        ),
        (_("Look at what draws them, and at what is done to them afterwards."),),
    )


_BEHAVIOUR: dict[str, Callable[[f.WrongBehaviour, Task, Probe], Message]] = {
    "influence": _influence,
    "permuted": _permuted,
    "dropout": _dropout,
    "other-device": _other_device,
    "gradient": _gradient,
    "gradients": _gradients,
    "costs": _costs,
    "steps": _steps,
    "buffers": _buffers,
    "second-call": _second_call,
    "start-values": _start_values,
}
# How many axes each experiment's tensor has, where they are not the result's own.
EXPERIMENT_AXES = {
    "influence": 2,
    "permuted": 1,
    "dropout": 1,
    "other-device": 0,
    "gradient": 1,
    "gradients": 1,
    "costs": 1,
    "steps": 1,
    "buffers": 1,
    "start-values": 2,
}


def _wrong_values(finding: f.WrongValues, task: Task) -> Message:
    where = _where(finding, task)
    share = min(99, round(finding.share_right * 100))  # 99.9 % right is not all right
    obtained, expected = _told_apart(finding.obtained, finding.expected)
    if task.dtypes == ("bool",):
        obtained, expected = str(bool(finding.obtained)), str(bool(finding.expected))
    place = _capital(_place(finding.index, task))
    values = _("{place} is {obtained}{where} and should be {expected}.", locals())
    details = []
    if finding.index:
        largest_error = number_text(finding.largest_error)
        details.append(
            _("{share} % of the entries are right; the largest error is {largest_error}.", locals())
        )
    if finding.unfilled:
        details.append(
            ngettext(
                "{finding.unfilled} entry is exactly 0 where the right value is not: never filled in?",
                "{finding.unfilled} entries are exactly 0 where the right value is not: never filled in?",
                finding.unfilled,
                locals(),
            )
        )
    if finding.rounded:
        return Message(
            _("This looks like the right answer cut to a few decimals{where}.", locals()),
            (
                _("Compute it from the tensors instead of copying it, and take any rounding out."),
                values,
                *details,
            ),
        )
    return Message(values, tuple(details))


def _not_computed(finding: f.NotComputed, task: Task) -> Message:
    return Message(
        _("`{task.name}` is right for the lesson's own numbers only.", locals()),
        (
            _(
                "With other example data it does not follow: it was typed in, or computed from something "
                "that does not change with the data. Compute it from the tensors above."
            ),
        ),
    )


def _calls_forbidden(finding: f.CallsForbidden, task: Task) -> Message:
    cost = 0 if task.forbids is None else task.forbids.points
    points = _("the point") if task.points == 1 else _("{cost} of the {task.points} points", locals())
    if cost == task.points > 1:
        points = _("all {cost} points", locals())
    return Message(
        _forbidden(finding.call, task),
        (
            _(
                "The results are right. The call costs {points}; with lines of your own you get them back.",
                locals(),
            ),
        ),
        finding.call.line,
    )


def _forbidden(call: ForbiddenCall, task: Task) -> str:
    where = ""
    if call.line_number is not None:
        own = ("", task.name, "__init__", "forward", "<module>", "<lambda>")
        cell = "" if call.function in own else _(" of the cell of `{call.function}`", locals())
        where = _(" in line {call.line_number}{cell}", locals())
    instead = _instead(call, task)
    return _("`{call.name}` is used{where}; this task asks you to write {instead} yourself.", locals())


def asked_instead(call: ForbiddenCall, task: Task) -> str:
    """What a task asks for that forbids a call, in a few words for a list of checks."""
    instead = _instead(call, task)
    return _("{instead}, written by yourself", locals())


def _instead(call: ForbiddenCall, task: Task) -> str:
    # The family is part of what the learner's process says, so it may be anything.
    families = task.forbids.families if task.forbids else ()
    return next(
        (translated("forbidden", family.instead) for family in families if family.name == call.family),
        _("this"),
    )


def _told_apart(obtained: float, expected: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ."""
    texts = number_text(obtained), number_text(expected)
    for digits in range(5, 17):
        if texts[0] != texts[1]:
            break
        texts = f"{obtained:.{digits}g}", f"{expected:.{digits}g}"
    return texts


def _idle(fact: f.Idle, task: Task) -> Message:
    names = _listed([f"`{name}`" for name in fact.names])
    advice = ngettext(
        "A right answer depends on it. Is something else used instead of it?",
        "A right answer depends on them. Is something else used instead of them?",
        len(fact.names),
    )
    return Message(_("{names} can change without any effect on the result.", locals()), (advice,))


def _reaches(fact: f.Reaches, task: Task) -> Message:
    label = _short(f"{_spoken_axis(fact.axis)} {fact.output}")
    symbol = fact.axis.partition(" as ")[0]
    changed = (
        _("its own place")
        if fact.output == fact.changed
        else _short(f"{_spoken_axis(symbol)} {fact.changed}")
    )
    if fact.missing:
        return Message(
            _("The result of {label} does not depend on {changed} of `{fact.input}`.", locals()),
            (_("It should: is something hidden, cut off or overwritten that belongs there?"),),
        )
    if symbol in BATCH_AXES:
        return Message(
            _("The result of {label} changes when {changed} of `{fact.input}` changes.", locals()),
            (_("The elements of a batch must not mix: leave the first axis alone."),),
        )
    return Message(
        _(
            "The result of {label} changes when {changed} of `{fact.input}` changes, and it must not.",
            locals(),
        ),
        (
            _(
                "Something reaches further than it should: look at what is hidden, and along which axis "
                "you sum."
            ),
        ),
    )


BATCH_AXES = ("b", "batch", "batch_size")


def _spoken_axis(axis: str) -> str:
    symbol, role = axis.partition(" as ")[::2]
    if role:
        return f"{symbol}{ONE_FOR_EACH}{role}"
    return "batch elements" if symbol in BATCH_AXES else symbol.removeprefix("num_")


def _related(fact: f.Related, task: Task) -> Message:
    match fact.how:
        case "times" if abs(fact.value + 1) < 1e-4:
            return Message(
                _("Every number has the wrong sign."),
                (_("The sizes are right: was something subtracted the wrong way round?"),),
            )
        case "times":
            value = number_text(fact.value)
            return Message(
                _("Every number is {value} times what it should be.", locals()),
                (
                    _(
                        "One factor is missing, or there is one too many. Is it a sum instead of a mean? "
                        "Is a division left out?"
                    ),
                ),
            )
        case "plus":
            value = number_text(fact.value)
            return Message(_("Every number is off by the same amount, {value}.", locals()))
        case "turned":
            return Message(
                _("These are the right numbers, turned: rows and columns have changed places."),
                (_("Look for a transpose too many, or for two factors in the wrong order."),),
            )
        case "reversed":
            return Message(
                _("These are the right numbers in reverse order along axis {fact.axis}.", locals())
            )
        case "digits":
            digits = int(fact.value)
            return Message(
                _("The numbers are right to about {digits} digits only.", locals()),
                (
                    _(
                        "That is more than rounding. Something was computed in half precision, a number in "
                        "the code is not exact, or something that should be hidden still has a little weight."
                    ),
                ),
            )
    label = axis_label(task, fact.axis)
    place = int(fact.value)
    spot = _short(f"{label} {place}") if label else _("slice {place} of axis {fact.axis}", locals())
    return Message(_("All is right but {spot}.", locals()))


_FACTS: dict[type[f.Fact], Callable[..., Message]] = {f.Idle: _idle, f.Reaches: _reaches, f.Related: _related}

_WORDING: dict[type[f.Finding], Callable[..., Message]] = {
    f.NotDefined: _not_defined,
    f.StillStub: _still_stub,
    f.NotRun: _not_run,
    f.GivensChanged: _givens_changed,
    f.NotAFunction: _not_a_function,
    f.Raised: _raised,
    f.WrongParameters: _wrong_parameters,
    f.WrongType: _wrong_type,
    f.WrongShape: _wrong_shape,
    f.WrongDtype: _wrong_dtype,
    f.NotFinite: _not_finite,
    f.MatchesKnownWrong: _matches_known_wrong,
    f.NotComputed: _not_computed,
    f.StillWrong: _still_wrong,
    f.CallsForbidden: _calls_forbidden,
    f.BrokenProperty: _broken_property,
    f.NotRefused: _not_refused,
    f.WrongBehaviour: _wrong_behaviour,
    f.WrongValues: _wrong_values,
}


def _expected_shape(finding: f.Finding, task: Task) -> tuple[int, ...]:
    probe: Probe | None = task.probes.get(finding.probe)
    return () if probe is None or probe.expected.shape is None else probe.expected.shape


def _a(type_name: str) -> str:
    if type_name == "NoneType":
        return "None"
    if type_name == "torch.Tensor":
        return _("a tensor")
    vowel = type_name[:1].lower() in "aeiou"
    return _("an {type_name}", locals()) if vowel else _("a {type_name}", locals())


def _axes(number: int) -> str:
    return ngettext("{number} axis", "{number} axes", number, locals()) if number else _("no axes")


def _listed(names: Sequence[str], word: str = "") -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + f" {word or _('and')} {names[-1]}"


def _percent(share: float) -> str:
    return f"{round(share * 100)} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
