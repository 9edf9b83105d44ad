"""The names that might hide a forbidden call: a table for each kind that `evasion_lint` looks for."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

# What kind of thing it is: the gravest in a learner's cells is shown.
PROGRAM, HIDDEN, REACH = KINDS = ("program", "hidden", "reach")

# Functions that are given a name as text, or code as text, and which of their arguments that is.
AS_NAME = (
    *("__import__", "import_module", "attrgetter", "methodcaller", "__getattribute__"),
    *("resolve_name", "locate", "import_item"),
)
AS_CODE = ("eval", "exec", "compile", "run_cell", "run_code", "ex", "ev")
BY_TEXT = dict.fromkeys(AS_NAME + AS_CODE, 0) | {"getattr": 1, "run_cell_magic": 2}
BUILT_IN = {"getattr", "eval", "exec", "compile"}  # as attributes, `model.eval` and `re.compile` are others
# Those that take code as text, or a function; and the keywords by which they do.
TEXT_OR_FUNCTION = {"timeit", "repeat", "Timer", "autorange", "run_line_magic"}
STATEMENTS = ("stmt", "setup", "statement")

# By name, what kind of thing it is, wherever the name stands.
HIDES: Mapping[str, str] = {
    # Other processes.
    **dict.fromkeys(
        (
            *(
                "subprocess",
                "multiprocessing",
                "ProcessPoolExecutor",
                "InterpreterPoolExecutor",
                "fork",
                "forkpty",
            ),
            *(
                "system",
                "popen",
                "posix_spawn",
                "posix_spawnp",
                "getoutput",
                "getstatusoutput",
                "getpipeoutput",
            ),
            *("execv", "execve", "execl", "execle", "execlp", "execlpe", "execvp", "execvpe", "fork_exec"),
            *("spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe"),
            *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
            *("startfile", "webbrowser", "start_processes", "loky", "openpty"),
        ),
        PROGRAM,
    ),
    **dict.fromkeys(
        (
            # Other compilers, and torch's own ways of doing the same without its operators.
            *("jit", "fx", "export", "_dynamo", "_inductor", "cpp_extension", "_refs", "_prims", "_decomp"),
            *("flex_attention", "_subclasses", "f2py"),
            # What holds everything there is, or leads to it without a name.
            *("__dict__", "vars", "globals", "locals", "getmembers", "getmembers_static", "__subclasses__"),
            *("builtins", "__builtins__", "reload", "pickle", "marshal", "copyreg", "shelve", "read_pickle"),
            *("__self__", "__reduce__", "__reduce_ex__", "__loader__", "__spec__"),
            # What runs text, or looks up what a text names.
            *("runsource", "runcode", "InteractiveInterpreter", "InteractiveConsole", "runctx", "runeval"),
            *("run_path", "run_module", "exec_module", "load_module", "spec_from_file_location"),
            *("SourceFileLoader", "get_type_hints", "ForwardRef", "evaluate_forward_ref", "_eval_type"),
            *("dictConfig", "fileConfig", "vformat", "get_field", "zipimport", "runpy", "pkgutil", "pydoc"),
            # Modes that may be left on, and hooks for everything.
            *("TorchFunctionMode", "BaseTorchFunctionMode", "TorchDispatchMode", "__torch_function__"),
            *("__torch_dispatch__", "register_module_forward_hook", "register_module_forward_pre_hook"),
            *("register_module_full_backward_hook", "register_module_full_backward_pre_hook"),
        ),
        HIDDEN,
    ),
    **dict.fromkeys(
        (
            # Memory and whatever lies in it.
            *(
                "ctypes",
                "_ctypes",
                "cffi",
                "ctypeslib",
                "mmap",
                "get_objects",
                "get_referents",
                "get_referrers",
            ),
            # Frames and closures of code that runs, and what is called between its lines.
            *("_getframe", "_current_frames", "currentframe", "getclosurevars", "getmodule"),
            *("f_back", "f_locals", "f_globals", "f_builtins", "tb_frame", "gi_frame", "cr_frame"),
            *("ag_frame", "__globals__", "__closure__", "cell_contents", "__code__", "__wrapped__"),
            *("__defaults__", "__kwdefaults__", "walk_stack", "walk_tb", "settrace", "setprofile"),
            *("monitoring", "addaudithook", "linecache", "display_pub"),
            # Where the watch is.
            *("_C", "_ops", "library", "_library", "_python_dispatch"),
        ),
        REACH,
    ),
}
# Names that hide something as an attribute or in an import, and are ordinary ones by themselves.
PARTS: Mapping[str, str] = {
    **dict.fromkeys(("spawn", "get_context", "interpreters", "pty"), PROGRAM),
    **dict.fromkeys(
        (*("mock", "hub", "package", "MonkeyPatch", "FunctionType", "CodeType", "overrides"),),
        HIDDEN,
    ),
}
# Modules of Python's own that run text or files, or look things up by name.
MODULES = {
    *("bdb", "code", "codeop", "doctest", "cProfile", "profile", "trace", "imp", "importlib", "site"),
    *(
        "test",
        "idlelib",
        "lib2to3",
        "turtledemo",
        "ensurepip",
        "venv",
        "antigravity",
        "xmlrpc",
        "posix",
        "nt",
    ),
}
# Of what is named above, these parts lead nowhere.
HARMLESS: Mapping[str, set[str]] = {
    "gc": {"collect", "enable", "disable", "isenabled", "get_count", "get_stats", "freeze", "unfreeze"},
    # What is scripted calls torch's operators as before, and is seen.
    "jit": {
        *(
            "ignore",
            "unused",
            "export",
            "is_scripting",
            "is_tracing",
            "annotate",
            "script_if_tracing",
            "Final",
        ),
        *("script", "script_method", "ScriptModule"),
    },
    "hub": {"load_state_dict_from_url"},
    "_dynamo": {"config"},
    "_inductor": {"config"},
    "pdb": {"set_trace"},
    "inspect": {
        *("signature", "Signature", "Parameter", "isfunction", "isclass", "ismethod", "getsource", "getdoc"),
        *("cleandoc", "getfullargspec", "iscoroutinefunction", "isbuiltin", "ismodule", "isgenerator"),
    },
}
# Modules of these that are only looked at by such a part.
BY_PARTS: Mapping[str, str] = {"gc": REACH, "inspect": REACH, "pdb": HIDDEN}
# Modules below those, or below libraries, that may be imported all the same.
BELOW = {("importlib", "metadata"), ("importlib", "resources"), ("inspect", "signature")}
# What is asked of a notebook's shell: the rest leads to what runs cells and takes in what they put out.
OF_SHELL = {"run_line_magic", "run_cell_magic", "system", "getoutput"}
OF_IPYTHON = {("display",), ("core", "display"), ("get_ipython",)}
# Where a file is read that may hold code, unless a keyword has this value.
UNPICKLING = {"weights_only": True, "allow_pickle": False, "num_workers": 0, "pickle_module": None}
# What stands in a text, and says that it is one of those.
IN_TEXTS = re.compile(
    r"__(?:globals|dict|closure|code|builtins|subclasses|self|wrapped|getattribute|setattr|bases?|mro|defaults"
    r"|kwdefaults|func|import|loader|spec|reduce\w*|torch_\w+)__|__class__(?!__|\.__name__|\b[^.\[])"
    r"|\b(?:f_back|f_globals|f_locals|f_builtins|cell_contents|_getframe)\b"
    r"|\bautograder\.|/proc/|\bsys\.modules\b|\bext://|\bmodule://|\btorch\._C\b"
    r"|^[\w./-]+\.(?:py[cdw]?|so|egg|whl|ipynb?)$"
)
# Magics that start another program, or run text in another language.
PROGRAMS = {
    *(
        "sx",
        "!",
        "system",
        "bash",
        "sh",
        "script",
        "python",
        "python2",
        "python3",
        "pypy",
        "perl",
        "ruby",
        "run",
    ),
    *("cython", "writefile", "prun", "debug"),
}
# A first cell that asks an index for packages by their names brings nothing that the watch does not see:
# there is no network while a class is graded, and a library that is then imported is seen by its name.
INSTALLS = re.compile(
    r"(?:pip3?|python3? -m pip|uv pip|conda|mamba) install"
    r"(?: +(?:-[qUy]|--quiet|--upgrade|--user|--yes"
    r"|['\"]?[a-zA-Z][\w-]*(?:\[[\w,-]+\])?(?:[=<>~!][\w.,=<>~!*]+)?['\"]?))+ *"
)
# Where a learner's imports may lead. Other libraries, and the course's own, may hold what the task asks for.
LIBRARIES = sys.stdlib_module_names | {
    *("torch", "numpy", "matplotlib", "IPython", "ipywidgets", "pandas", "einops", "tqdm", "autograder"),
    "google",  # a bundled notebook asks Colab for the checks
}
