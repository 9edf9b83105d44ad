"""Tell which expressions yield a text that a reader of the code can see, and which one that nobody can."""

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


def reads(name: str) -> bool:
    """Tell whether a call by a name gives back what it is given, or an object made from it."""
    return name in READABLE or name[:1].isupper()


def names_door(text: str) -> bool:
    """Tell whether a text holds the name of something that could hide a call."""
    words = {word for word in HIDES if len(word) > 4 and word in text}
    return "__" in text or bool(words) or text in HIDES


def is_readable(node: ast.AST) -> bool:
    """Tell whether a constant or a text that is put together can only name what is visible in it."""
    match node:
        case ast.Constant(value=str(text)):
            return not names_door(text)
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
    """Return the last part of a name, `c` of `a.b.c`; "" for what is no name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
