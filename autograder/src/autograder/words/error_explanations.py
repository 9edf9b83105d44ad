"""Explanations of error messages, for learners who meet them for the first time."""

from __future__ import annotations

import ast
import math
import re

from autograder.records.run_outcome import ErrorReport
from autograder.words.language import _
from autograder.words.phrases import N_, shape_text

OF_A_HOOK = r"^TypeError: .*<locals>\.\w+\(\) (takes|missing) "
# By a pattern for "type: message" and, below it, the line; the first that fits counts.
EXPLAINED = {
    r"'(float|int)' object is not callable\n.*dropout\(": N_(
        "A number is before the brackets, and only a function or a layer can be called. `self.dropout = "
        "dropout` keeps the number alone: `nn.Dropout(dropout)` makes a layer of it."
    ),
    r"'(float|int)' object is not callable": N_(
        "A number is before the brackets, and only a function or a layer can be called."
    ),
    r"'(Tensor|Parameter)' object is not callable": N_(
        "A tensor is before the brackets, and only a function or a layer can be called. An "
        "`nn.Parameter` is used with `@`, and an `nn.Linear` is called."
    ),
    r"^AttributeError: '(?!Tensor|NoneType|list|tuple|dict|str|int|float)\w+' object has no attribute '(\w+)'"
    r"\n.*\bself\.\1\b": N_(
        "Nothing has set an attribute of this name. Does `__init__` set it, spelt the same, on `self`?"
    ),
    r"Module \[Module(List|Dict)\] is missing": N_(
        "A `ModuleList` only holds modules: call each module in it by itself."
    ),
    r"missing the required .?forward.? function": N_(
        "Calling a module runs its method `forward`: is it spelt so, and indented as part of the class?"
    ),
    # What torch calls with what it has: nothing that a module is given mends that.
    OF_A_HOOK: N_(
        "A function of yours is called with other arguments than it takes. A forward hook gets three, the "
        "module, its arguments and its result, and a pre-hook the first two."
    ),
    r"before Module.__init__\(\) call": N_("`super().__init__()` has to be the first line of `__init__`."),
    r"mat1 and mat2 shapes|size mismatch": N_(
        "In `a @ b` the last size of `a` must equal the first of `b`. Print both `.shape`s: is a transpose "
        "missing or one too many, or is one of them not the tensor that you mean?"
    ),
    r"batch[12] tensor|must be 3D": N_(
        "In a product of batches the last size of `a` must equal the last but one of `b`. Print both "
        "`.shape`s: is a transpose missing or one too many, or is one of them not the tensor that you mean?"
    ),
    r"a leaf Variable that requires grad|a view of a leaf Variable": N_(
        "A parameter is overwritten while gradients are recorded: do it inside `with torch.no_grad():`."
    ),
    r"inconsistent tensor size": N_(
        "`torch.dot` takes two vectors of the same length. Print both `.shape`s before this line."
    ),
    r"1D tensors expected": N_("`torch.dot` takes two vectors. For matrices there is `@`."),
    r"unsupported operand .*(method|function)": N_("A function or method has no parentheses here: call it."),
    r"the number of sizes provided \(0\)": N_(
        "One number fits in this place, and several are put there: which of them, or what of them, is meant?"
    ),
    r"'list' and 'Tensor'|'Tensor' and 'list'": N_(
        "A list does not calculate as a whole: `torch.tensor(...)` makes a tensor of it."
    ),
    r"view size is not compatible": N_(
        "After a transpose the numbers lie in another order, and `view` cannot cut them: `reshape` can."
    ),
    r"too many indices for tensor": N_(
        "The brackets ask for more axes than the tensor has. (A mask of True and False counts with all of "
        "its axes.) Print its `.shape`."
    ),
    r"0-d tensor": N_(
        "A tensor that is a single number has no length: no loop walks over it, and it cannot be taken "
        "apart into several names."
    ),
    r"expanded size": N_("A tensor does not fit into the place or the shape that it should fill here."),
    r"must match the size of tensor|not match.*broadcast": N_(
        "Two tensors of different shapes meet here. Print both `.shape`s before this line."
    ),
    r"expected .* same dtype|expected scalar type|same dtype": N_(
        "The two tensors have different dtypes. Is each the one that you mean? `.float()` makes one float32."
    ),
    r"can't be cast to the desired output type": N_(
        "A tensor of whole numbers, or of True and False, cannot hold this result. Was it made from numbers "
        "without a point?"
    ),
    r"(tuple|list|range) indices must be integers": N_(
        "A tuple, a list or a range is before the brackets. It takes one whole number there, or a slice."
    ),
    r"used as indices must be": N_(
        "The tensor in the brackets is of a type for numbers with a point, and positions are whole numbers. "
        "`/` makes numbers with a point, `//` does not."
    ),
    r"only integer tensors|indices must be integers": N_(
        "One whole number is wanted here, as a position, a size or an entry of a tensor, and something else "
        "is there."
    ),
    r"only one element tensors|a Tensor with \d+ elements cannot be converted": N_(
        "A single number is wanted here, and this tensor holds several."
    ),
    r"torch\.return_types\.": N_(
        "With `dim=`, `max` and `min` give the values and their positions, and so do `sort` and `topk`. Take "
        "`.values`."
    ),
    r"missing .*\"dim\"|Dimension out of range": N_(
        "There is no such axis here, or none was told: 0 is the first, -1 the last."
    ),
    r"received an invalid combination of arguments": N_(
        "The values in the brackets do not fit this call: check their number, names, order and types."
    ),
    r"^SyntaxError: invalid (non-printable )?character": N_(
        "This line holds a character that Python does not know, such as a special space, a curly quote or a "
        "long dash: it was copied from a web page or a document. Delete it and type it again."
    ),
    r"^ModuleNotFoundError: No module named": N_(
        "No package of this name is installed here. Is it spelt right? The lesson itself needs none that it "
        "does not import."
    ),
    r"^(Syntax|Indentation|Tab)Error": N_(
        "Python could not read the cell. Look at this line and the one before. Often a bracket, a quote or a "
        "colon is missing, or there is one too many."
    ),
    r"^UnboundLocalError": N_(
        "A function that gives a value to a name has a name of its own. Here it is read before any line that "
        "was run gave it a value."
    ),
    r"^NameError": N_(
        "A name is used that nothing has defined here: is it spelt right, has its cell been run, or does it "
        "belong to another function?"
    ),
    r"list assignment index out of range": N_(
        "The list has no entry at this place. `append` adds one; `[…] =` only replaces one that is there."
    ),
    r"list index out of range": N_(
        "The list has no entry at this place. Places count from 0, and an empty list has none."
    ),
    r"index .* is out of bounds|index out of range": N_(
        "Counting starts at 0, so the last place is the size less 1. Which index lies outside?"
    ),
}


def explain_error(error: ErrorReport) -> str:
    """Return an explanation of an error that learners of torch often meet; "" for any other error."""
    if error.meant == "self":
        return _("A method gets the object itself first: write `self` in front of its other arguments.")
    if error.meant.startswith("self."):
        return _("In a method, what belongs to the object itself needs `self.` in front of its name.")
    if says := _of_product(error) or _of_new_shape(error):
        return says
    text = f"{error.type}: {error.message}\n{error.line}"
    return next((_(says[0]) for pattern, says in EXPLAINED.items() if re.search(pattern, text)), "")


def _of_product(error: ErrorReport) -> str:
    """Say why the factors of a product do not fit; "" where the line that stopped does not show it.

    It is read from that line, and from the shapes of what stands there.
    """
    shapes = {operand.name: operand.shape for operand in error.operands if operand.shape is not None}
    try:
        tree = ast.parse(error.line)
    except (SyntaxError, ValueError):  # a part of a longer expression
        return ""
    products = [
        node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    ]
    if error.type not in ("RuntimeError", "IndexError") or len(products) != 1:
        return ""
    left, right = products[0].left, products[0].right
    base, axes = _transposed(right)
    if base is not None and axes is not None:
        return _turned_otherwise(ast.unparse(right), ast.unparse(base), shapes.get(ast.unparse(base)), axes)
    first, other = shapes.get(ast.unparse(left)), shapes.get(ast.unparse(right))
    if first is None or other is None or min(len(first), len(other)) < 2 or first[-1] == other[-2]:
        return ""
    says = _(
        "In `{left} @ {right}` the last axis of `{left}` has size {size}, and the last but one of `{right}` "
        "has {other}.",
        left=ast.unparse(left),
        right=ast.unparse(right),
        size=first[-1],
        other=other[-2],
    )
    if first[-1] == other[-1]:
        says += " " + _("`{name}.transpose(-2, -1)` would fit.", name=ast.unparse(right))
    return says


def _turned_otherwise(written: str, name: str, shape: tuple[int, ...] | None, axes: tuple[int, ...]) -> str:
    """Say that a factor is transposed along other axes than its last two; "" if it is not."""
    if shape is None or len(shape) < 3 or not all(-len(shape) <= axis < len(shape) for axis in axes):
        return ""
    order = list(range(len(shape)))
    if axes:
        order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    else:
        order.reverse()
    if order == [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]:
        return ""
    return _(
        "`{written}` turns the shape {shape} into {turned}. A product needs the last two axes swapped: "
        "`{name}.transpose(-2, -1)`.",
        written=written,
        shape=shape_text(shape),
        turned=shape_text([shape[axis] for axis in order]),
        name=name,
    )


def _of_new_shape(error: ErrorReport) -> str:
    """Say how many numbers a new shape asks for, where a tensor has more or fewer."""
    match = re.search(r"shape '\[([\d, ]+)\]' is invalid for input of size (\d+)", error.message)
    if match is None:
        return ""
    return _(
        "The new shape holds {count} numbers, and the tensor {size}. Does one of the sizes differ from what "
        "you mean, or the tensor?",
        count=math.prod(int(size) for size in match[1].split(",")),
        size=match[2],
    )


def _transposed(factor: ast.expr) -> tuple[ast.expr | None, tuple[int, ...] | None]:
    """Return what a factor transposes, and which two axes, () for all in reverse; None where it does not."""
    if isinstance(factor, ast.Attribute) and factor.attr == "T":
        return factor.value, ()
    if not isinstance(factor, ast.Call) or not isinstance(factor.func, ast.Attribute):
        return None, None
    if factor.func.attr not in ("transpose", "swapaxes", "swapdims") or len(factor.args) != 2:
        return None, None
    try:
        first, other = (int(ast.literal_eval(axis)) for axis in factor.args)
    except (ValueError, TypeError, SyntaxError):  # a variable
        return None, None
    return factor.func.value, (first, other)


def message_of(error: ErrorReport) -> str:
    """Return an error's message without torch's additions: lists of other signatures, and C++ frames."""
    message = re.split(r", but expected one of:|\s*Exception raised from \w+ at ", error.message)[0]
    return " ".join(message.split()) or _("no message")
