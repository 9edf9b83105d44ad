"""The analysis of expressions for readable text: whether a reader of the code can see a name that is used."""

from __future__ import annotations

import ast

from autograder.grading.evasion_names import HIDES

# Calls that give back names as they are: parts of a text, and what names the parts of an object.
READABLE = {
    *("split", "rsplit", "strip", "removeprefix", "removesuffix", "partition", "rpartition", "splitlines"),
    *("keys", "values", "items", "pop", "popleft", "product", "pairs"),
    *("state_dict", "named_parameters", "named_modules", "named_children", "named_buffers"),
    # Of tensors.
    *("squeeze", "unsqueeze", "view", "reshape", "transpose", "permute", "contiguous", "clone", "detach"),
    *("float", "half", "double", "cpu", "cuda", "to", "mean", "t", "softmax", "matmul", "masked_fill"),
    *("expand", "flatten", "chunk", "unbind", "size", "dim", "argmax", "flip", "type_as"),
    # Numbers.
    *("int", "float", "len", "range", "abs", "round", "bool", "hasattr", "isinstance", "item", "isdigit"),
    *("parameters", "modules", "children", "buffers", "get_submodule", "get_parameter", "size", "parse_args"),
}


def returns_argument(name: str) -> bool:
    """Tell whether a function of this name returns its argument, or an object built from its argument."""
    return name in READABLE or name[:1].isupper()


def could_hide_call(text: str) -> bool:
    """Tell whether a text contains a name that might hide a call; see `evasion_names`."""
    words = {word for word in HIDES if len(word) > 4 and word in text}
    return "__" in text or bool(words) or text in HIDES


def is_readable(node: ast.AST) -> bool:
    """Tell whether every name that a constant or a composed text can contain is visible in the code."""
    match node:
        case ast.Constant(value=str(text)):
            return not could_hide_call(text)
        case ast.Constant():
            return not isinstance(node.value, bytes)
        case ast.BinOp(op=ast.Add(), right=ast.Constant(value=int() | float())):
            return True  # numbers
        case ast.BinOp(op=operator) if not isinstance(operator, ast.Add | ast.Mult | ast.Mod | ast.BitOr):
            return True
        case ast.JoinedStr(values=[first, *_]) | ast.BinOp(left=first, op=ast.Add()):
            return _leads(first) and all(
                is_readable(part) for part in ast.walk(node) if isinstance(part, ast.Constant)
            )
    return False


def _leads(node: ast.AST) -> bool:
    """Tell whether a text begins so that no door's name does."""
    match node:
        case ast.Constant(value=str(text)):
            return text[:1].isalpha() and not any(
                door.startswith(text) or text.startswith(door) for door in HIDES
            )
        case ast.JoinedStr(values=[first, *_]) | ast.BinOp(left=first, op=ast.Add()):
            return _leads(first)
    return False


def last_name(node: ast.AST) -> str:
    """Return the last part of a name, such as `c` for `a.b.c`; "" if the expression is no name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
