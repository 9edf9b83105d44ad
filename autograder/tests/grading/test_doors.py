"""What sets a part of others, or opens a door past the watch, is shown to a person; ordinary code is not."""

from __future__ import annotations

import pytest
from autograder.grading.evasion_lint import hiding

# An attribute is set of what the learner did not define, by every syntax, and under any name.
SETS = {
    "torch.softmax = f",
    "nn.Linear.forward = f",
    "import json\njson.dumps = f",
    "from contextlib import ExitStack\nExitStack.enter_context = f",
    "x, torch.softmax = 1, f",
    "[x, torch.softmax] = pair",
    "torch.softmax += 1",
    "torch.softmax: object = f",
    "for torch.softmax in [f]:\n    pass",
    "with open('x') as torch.softmax:\n    pass",
    "[0 for torch.softmax in [f]]",
    "del torch.softmax",
    "setattr(torch, 'soft' + 'max', f)",
    "delattr(torch, 'softmax')",
    "object.__setattr__(torch, 'softmax', f)",
    "type.__setattr__(nn.Linear, 'forward', f)",
    "torch.__setattr__('softmax', f)",
    "type(x).__call__ = f",
    "type(torch).__setattr__(torch, 'softmax', f)",
    "x.__class__.__call__ = f",
    "class A(nn.Linear):\n    def go(self):\n        self.__class__.__mro__[1].forward = f",
    "check.name = 1",
    "t = torch\nt.softmax = f",
    "t = u = torch.nn\nu.Linear.forward = f",
    "t, u = torch, 1\nt.softmax = f",
    "t, u = pair = (torch, 1)\nt.softmax = f",
    "(t := torch).softmax = f",
    "[torch][0].softmax = f",
    "{'t': torch}['t'].softmax = f",
    "(lambda: torch)().softmax = f",
    "(torch if 1 else 0).softmax = f",
    "(0 or torch).softmax = f",
    "next(iter([torch])).softmax = f",
    "for m in (nn.Linear, nn.Embedding):\n    m.forward = f",
    "for i, m in enumerate([nn.Linear]):\n    m.forward = f",
    "def patch(m):\n    m.softmax = f\npatch(torch)",
    "def patch(x, *, m=None):\n    m.softmax = f\npatch(1, m=torch)",
    "def patch(m=torch):\n    m.softmax = f\npatch()",
    "def patch(*ms):\n    ms[0].softmax = f\npatch(torch)",
    "def patch(**ms):\n    ms['m'].softmax = f\npatch(m=torch)",
    "def same(m):\n    return m\nsame(torch).softmax = f",
    "def patch(m):\n    m.forward = f\nlist(map(patch, [nn.Linear]))",
    "from functools import partial\ndef patch(m):\n    m.forward = f\npartial(patch, nn.Linear)()",
    "list(map(lambda m: setattr(m, 'forward', f), [nn.Linear]))",
    "class P:\n    def go(self, m):\n        m.softmax = f\nP().go(torch)",
    "class P:\n    def __call__(self, m):\n        m.softmax = f\nP()(torch)",
    (
        "class P:\n    def __init__(self, m):\n        self.m = m\n"
        "    def go(self):\n        self.m.softmax = f\nP(torch).go()"
    ),
    "class P:\n    def go(self):\n        self.forward = f\nP.go(nn.Linear)",
    "class P:\n    m = torch\nP.m.softmax = f",
    "self = torch\nself.softmax = f",
    "match torch.nn:\n    case object(Linear=c):\n        c.forward = f",
    "match torch:\n    case m:\n        m.softmax = f",
    "with nullcontext(torch) as m:\n    m.softmax = f",
    "from torch.nn import *\nLinear.forward = f",
    "import importlib.metadata\nimportlib.metadata.x = 1",
    "getattr(torch, 'nn').Linear.forward = f",
    "__import__('json').dumps = f",
    "torch.table['x'] = 1",
    "ip = get_ipython()\nip.run_cell_async = f",
    "from functools import update_wrapper\nupdate_wrapper(nn.Linear, f)",
    "def f():\n    global t\n    t = torch\nt.softmax = 1",
    "print.x = 1",
    "torch.backends.mkldnn.is_available = f",
    "[*map(nn.Linear.__setattr__, ['forward'], [f])]",
}
# Other doors: text that something runs or resolves, modes that are left on, programs that are started.
DOORS = {
    "import timeit\ntimeit.timeit(f'{x}.y = 1')",
    "import timeit\ntimeit.Timer('a' + name).timeit()",
    "import timeit\ntimeit.repeat('import json; json.dumps = 1', number=1)",
    "import timeit\ntimeit.timeit(stmt=' '.join(words))",
    "import timeit\ntext = 'json.' + name\ntimeit.timeit(text)",
    "from code import InteractiveInterpreter\nInteractiveInterpreter().runsource(text)",
    "import code\ncode.interact()",
    "import doctest\ndoctest.run_docstring_examples(f, {})",
    "import cProfile\ncProfile.run(text)",
    "import pdb\npdb.run(text)",
    "import bdb",
    "import trace\ntrace.Trace().run(text)",
    "import runpy\nrunpy.run_path('x')",
    "from zipimport import zipimporter",
    "import pkgutil\npkgutil.resolve_name('autograder.probe')",
    "import pydoc\npydoc.locate(name)",
    "import unittest.mock",
    "from unittest.mock import patch",
    "import unittest\nunittest.mock.patch('torch.softmax', f)",
    "from typing import get_type_hints\nget_type_hints(f)",
    "import typing\ntyping.get_type_hints(f)",
    "import logging.config\nlogging.config.dictConfig({'()': 'ext://x'})",
    "torch.load('x', weights_only=False)",
    "torch.load('x', None, my_pickle)",
    "np.load('x', allow_pickle=True)",
    "torch.load('x', **more)",
    "import string\nstring.Formatter().get_field('0.x', (f,), {})",
    "from string import Formatter",
    "'{0.__globals__}'.format(f)",
    "operator.attrgetter('__globals__')",
    "names = ('__glo' + 'bals__',)",
    "match f:\n    case object(__globals__=g):\n        pass",
    "match f:\n    case object(__dict__=g):\n        pass",
    "class Mode(torch.overrides.TorchFunctionMode):\n    pass",
    "from torch.overrides import TorchFunctionMode",
    "class T(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, t):\n        pass",
    "class T(torch.Tensor):\n    __torch_dispatch__ = f",
    "nn.modules.module.register_module_forward_hook(f)",
    "torch.ops.quantized.softmax(x)",
    "from torch.nn.attention.flex_attention import flex_attention",
    "import importlib.util",
    "import importlib\nimportlib.reload(x)",
    "x.__loader__.exec_module(m)",
    "from types import FunctionType",
    "f.__defaults__ = (1,)",
    "m.__class__ = Other",
    "get_ipython().events.register('post_run_cell', f)",
    "get_ipython().ex(text)",
    "import IPython\nIPython.core",
    "from IPython.core.interactiveshell import InteractiveShell",
    "%timeit -n 1 -r 1 torch.softmax = f",
    "%%timeit\nimport autograder.probe.forbidden_calls",
    "%%prun\nf()",
    "%run -i other.py",
    "open('einops.py', 'w').write(text)",
    "%%writefile einops.py\nx = 1",
    "open('/proc/self/mem', 'r+b')",
    "s = setattr\ns(x, 'y', 1)",
    "from builtins import setattr as s",
    "from functools import wraps\nwraps(f, assigned=[name])(g)",
    "locals()['check']",
    "from _thread import start_new_thread",
    "import os\nos.posix_spawn('/bin/sh', [], {})",
    "import os\nos.execvp('sh', [])",
    "import pty\npty.spawn('sh')",
    "import asyncio\nasyncio.create_subprocess_exec('sh')",
    "import webbrowser",
    "from concurrent.futures import ProcessPoolExecutor",
    "import torch.multiprocessing as mp",
    "DataLoader(data, num_workers=2)",
    "import _ctypes",
    "import mmap",
    "import pdb as p",
    "def f():\n    return locals()['m']\nlocals()['m'].x = 1",
    "def f(m):\n    locals()['m'].softmax = 1",
    "torch.jit.CompilationUnit(text)",
    "from torch.jit import CompilationUnit",
    "from os import *\nsystem('ls')",
    "vars = 1\ndef f(x):\n    return vars(torch)",
    "torch._inductor.lowering",
    "import sys\nsys.settrace(f)",
    "import inspect as i",
    "from gc import get_objects as g",
}
LEFT_ALONE = {
    (
        "class A(nn.Module):\n    def __init__(self, d):\n        super().__init__()\n"
        "        self.W = nn.Linear(d, d)\n        self.W.weight = nn.Parameter(torch.ones(d, d))"
    ),
    "class A:\n    def __setattr__(self, name, value):\n        super().__setattr__(name, value)",
    "class A:\n    def f(self):\n        for n in ('q', 'k'):\n            setattr(self, n, nn.Linear(2, 2))",
    (
        "class A:\n    count = 0\n    def f(self):\n        type(self).count += 1\n"
        "        A.count += 1\n        self.__class__.count = 2"
    ),
    (
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    x: int\n"
        "    def __post_init__(self):\n        object.__setattr__(self, 'x', 2)"
    ),
    "model.weight.data = W.clone()",
    "layer = nn.Linear(2, 2)\nlayer.weight = nn.Parameter(torch.ones(2, 2))\nlayer.bias.data.fill_(0)",
    "W.grad = None\nW_query.requires_grad = True",
    (
        "def copy_weights(one, other):\n    one.W_query.weight = nn.Parameter(other.W_query.weight.T)\n"
        "copy_weights(a, b)"
    ),
    "def init(m):\n    if isinstance(m, nn.Linear):\n        m.weight.data.normal_()\nmodel.apply(init)",
    "def make(kind, d):\n    made = kind(d, d)\n    made.bias.data = W\n    return made\nmake(nn.Linear, 3)",
    (
        "class Block(nn.Module):\n    def __init__(self, norm=nn.LayerNorm):\n        super().__init__()\n"
        "        self.norm = norm(2)\n        self.norm.eps = 1e-6"
    ),
    (
        "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 100\n"
        "fig, ax = plt.subplots()\nax.x = 1\nfig.axes[0].title = 'x'"
    ),
    "import os\nos.environ['KMP_DUPLICATE_LIB_OK'] = 'TRUE'",
    "torch.manual_seed(1)\ntorch.set_printoptions(precision=4)\nnp.random.seed(0)",
    "torch.backends.cudnn.deterministic = True",
    "for p in model.parameters():\n    p.requires_grad = False",
    "for name, module in model.named_modules():\n    module.training = False",
    "attention = MultiHeadAttention(2, 2)\nattention.forward = lambda x: x",
    "models = {'a': A(), 'b': B()}\nmodels['a'].weight = W",
    "def f(x):\n    f.calls += 1\nf.calls = 0",
    "import gc\ngc.collect()",
    "import inspect\ninspect.signature(f)\nfrom inspect import signature",
    "from importlib.metadata import version",
    "import timeit\ntimeit.timeit(lambda: f(x), number=10)\ntimeit.timeit('f(x)', number=3)",
    "x.repeat(1, n + 1)\nx.repeat_interleave(n, dim=1)",
    "%timeit softmax(x)\nx = 1",
    "print(f'{x.shape} {self.__class__.__name__}')\n'{:.2f} {}'.format(x, y)",
    "'{0.__class__.__name__}'.format(x)",
    "if 'model' in locals():\n    pass",
    "print('Run torch.softmax(x, dim=-1) and compare. It is the same.')",
    'def f(x):\n    """Calls autograder.check, see x.__dict__ and f.py"""\n    return x',
    "torch.load('model.pt', weights_only=True)\ntorch.load('model.pth')",
    "DataLoader(data, batch_size=2, num_workers=0)",
    "h = layer.register_forward_hook(lambda m, a, o: o)\nh.remove()",
    "class F2(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.scale = 2",
    "from IPython.display import display, HTML\nfrom IPython.core.display import display",
    "IN_COLAB = 'google.colab' in str(get_ipython())",
    "import sys\nold = sys.stdout\nsys.stdout = buffer\nsys.stdout = old",
    "match shape:\n    case (b, n, d):\n        pass\n    case torch.Size():\n        pass",
    "code = 3\ntrace = torch.trace(x)\npackage, mock, hub, spawn = 1, 2, 3, 4\ncode += 1",
    "x = x.softmax(-1)\nops = [torch.add, torch.mul]\nprofile = ops[0]",
    "from pathlib import Path\nPath('x').resolve()",
    (
        "from functools import wraps\ndef deco(f):\n    @wraps(f)\n    def g(*a):\n        return f(*a)\n"
        "    g.calls = 0\n    return g"
    ),
    "class Linear(nn.Module):\n    pass\nLinear.scale = 2",
    "def input(x):\n    pass\ninput.x = 1",
    "system = 'a'\nfor library in [1]:\n    print(system, library)",
    "def f(x, y):\n    return g(**locals())",
    "@torch.jit.ignore\ndef f(x):\n    if torch.jit.is_scripting():\n        return x",
    "import pdb\npdb.set_trace()",
    "@torch.jit.script\ndef f(x):\n    return x\ntorch.jit.export",
    "MultiHeadAttention.scale = 2",
    "import torch._dynamo.config\ntorch._dynamo.config.suppress_errors = True",
}
# A name that nobody can read is looked up, or any of what is not the learner's own.
LOOKUPS = {
    "def f():\n    pass\ngetattr(f, '__slabolg__'[::-1])['torch']",
    "def f():\n    pass\nfor n in [''.join(['__glo', 'bals__'])]:\n    getattr(f, n)",
    "t = torch\nfor n in words:\n    getattr(t, n)",
    "def look(m, n):\n    return getattr(m, n)\nlook(torch, word)",
    "def look(m, n):\n    return getattr(m, n)\nlook(model, 'slabolg'[::-1])",
    (
        "class A:\n    def f(self, m):\n        self.m = m\n    def g(self, n):\n"
        "        return getattr(self.m, n)\na = A()\na.f(torch)\ngetattr(a.m, n)"
    ),
    "class A:\n    m = torch\ngetattr(getattr(A, key), other)",
    "a = A()\nsetattr(a, 'm', torch)\ngetattr(getattr(a, key), other)",
    "a = A()\nn = a.name + a.other\ngetattr(a, n)",
    "def f(x):\n    pass\nkey = f'__{word}__'\ngetattr(f, key)",
    "def f(x):\n    pass\nkey = f'{a}{b}'\ngetattr(f, key)",
    "def f(x):\n    pass\nkey = ''\nfor c in letters:\n    key += c\ngetattr(f, key)",
    "def f(x):\n    pass\nkeys = []\nkeys.append(chr(95) + 'x')\ngetattr(f, keys[0])",
    "def f(x):\n    pass\nd = {}\nd[bytes(codes).decode()] = 1\nfor k in d:\n    getattr(f, k)",
    "def f(x):\n    pass\nfor k in {chr(95): 1}.keys():\n    getattr(f, k)",
    "md = nn.ModuleDict({key.upper(): layer})\nfor k, _ in md.named_children():\n    getattr(f, k)",
    "from types import SimpleNamespace\ns = SimpleNamespace(t=torch)\ngetattr(s.t, key)",
    "x = (torch,).__getitem__(0)\ngetattr(x, key)",
    "def g():\n    yield\nfor k in ['gi_frame']:\n    getattr(g(), k)",
    "def g():\n    yield\nx = g()\nk = f'gi_{word}'\ngetattr(x, k)",
    "from collections import deque\ngetattr(deque([torch])[0], key)",
    "def f(**kw):\n    for k in kw:\n        getattr(model, k)\nf(**{'slabolg'[::-1]: 1})",
    "def f(**kw):\n    for k in kw:\n        getattr(model, k)\nf(gi_frame=1)",
    "def __globals__():\n    pass\ngetattr(f, __globals__.__name__)",
    "getattr(f, open('x').read())",
    "getattr(*pair)",
    "getattr(*pair, key)",
    "getattr(model, input())",
    "getattr(model, str(key))",
    "text = 'x__globals__'\ngetattr(f, text[1:])",
    "getattr(nn.functional, key)",
    "getattr(f, [*map(str.lower, ['__GLOBALS__'])][0])",
    "from functools import reduce\ngetattr(f, reduce(join, letters))",
    "class E(Enum):\n    gi_frame = 1\nfor e in E:\n    getattr(gen, e.name)",
    "m = type(model)\ngetattr(m, key)",
    "getattr(print, key)",
    "getattr(check, key)",
    "if (k := 'slabolg'[::-1]):\n    getattr(f, k)",
    "match 'slabolg'[::-1]:\n    case k:\n        getattr(f, k)",
    "(lambda m, k: getattr(m, k))(torch, key)",
    "list(map(lambda k: getattr(f, k), ['slabolg'[::-1]]))",
    "d = {'a': torch}\nfor m in d.values():\n    getattr(m, key)",
    "keys = 'a b'.split() + [chr(95)]\nfor k in keys:\n    getattr(f, k)",
    "k: str = 'slabolg'[::-1]\ngetattr(f, k)",
    "def name():\n    return 'slabolg'[::-1]\ngetattr(f, name())",
    "class N:\n    def __init__(self, k):\n        self.k = k\nn = N('slabolg'[::-1])\ngetattr(f, n.k)",
    "k = 'f_' 'back'\ngetattr(x, k)",
    "k = '%s%s' % pair\ngetattr(x, k)",
    "k = '_' * 2\ngetattr(x, k)",
    "import string\ngetattr(f, string.ascii_letters[3:9:2])",
    "import numpy\ngetattr(numpy, key)",
    "from torch import nn as n\ngetattr(n, key)",
    "for t in torch, nn:\n    getattr(t, key)",
    "with open('x') as f:\n    for k in f:\n        getattr(model, k)",
    "def get():\n    return torch\ngetattr(get(), key)",
    'def join(x):\n    pass\ngetattr(f, "".join(parts))',
    'j = "".join\ngetattr(f, j(parts))',
    'def go(fn, parts):\n    return getattr(f, fn(parts))\ngo("".join, parts)',
    (
        "def SimpleNamespace():\n    pass\nimport types\nspace = types.SimpleNamespace(t=torch)\n"
        "getattr(space.t, key)"
    ),
    "def reduce():\n    pass\nfrom functools import reduce\ngetattr(f, reduce(add, letters))",
    "class A:\n    def group(self):\n        pass\ngetattr(f, match.group(1))",
    'torch.save({"slabolg"[::-1]: 1}, "x")\nfor key in torch.load("x"):\n    getattr(f, key)',
}
# What is looked up is the learner's own, under names that can be read or that the course gives.
OWN_LOOKUPS = {
    (
        "def like(model, biases):\n    for i, block in enumerate(model.blocks):\n"
        "        for j, name in enumerate(['W_query', 'W_key']):\n"
        "            getattr(block.attention, name).bias = biases[j]"
    ),
    (
        "def f(state_dict, model):\n"
        "    keys = [k for k in state_dict.keys() if k.startswith('pos_embed_')]\n    for k in keys:\n"
        "        getattr(model, k).shape"
    ),
    (
        "class A(nn.Module):\n    def load(self, state):\n        for key, value in state.items():\n"
        "            m = self\n            for part in key.split('.'):\n"
        "                m = m[int(part)] if part.isdigit() else getattr(m, part)"
    ),
    "for head in wrapper.heads:\n    for name in names:\n        getattr(head, name).weight",
    "def f(cfg):\n    for name in ('n_heads', 'd_model'):\n        print(name, getattr(cfg, name))",
    "for i in range(3):\n    getattr(model, f'layer{i}')",
    "for i in range(3):\n    getattr(model, 'block_' + str(i))",
    "class Config:\n    d = 1\ncfg = Config()\nfor key in options:\n    print(key, getattr(cfg, key, None))",
    (
        "parser = argparse.ArgumentParser()\nargs = parser.parse_args([])\nfor key in ['lr', 'd']:\n"
        "    print(getattr(args, key))"
    ),
    (
        "for name, module in model.named_modules():\n    parent = model\n"
        "    for part in name.split('.')[:-1]:\n        parent = getattr(parent, part)"
    ),
    (
        "old, new = CausalAttention(2, 2), MultiHeadAttention(2, 2)\n"
        "for name, _ in old.named_parameters():\n    getattr(new, name).data.copy_(getattr(old, name))"
    ),
    "layer = nn.Linear(2, 2)\nfor key in layer.state_dict():\n    getattr(layer, key)",
    (
        "def copy(old, new, names=('W_query', 'W_key')):\n    for n in names:\n"
        "        getattr(new, n).data = getattr(old, n).data\ncopy(a, b)"
    ),
    (
        "NAMES = {'q': 'W_query', 'k': 'W_key'}\ndef f(model, kind):\n"
        "    return getattr(model, NAMES[kind])\nf(model, 'q')"
    ),
}


@pytest.mark.parametrize("source", sorted(SETS | DOORS | LOOKUPS))
def test_what_sets_a_part_of_others_or_opens_a_door_is_named(source):
    assert hiding(["import torch, operator\nfrom torch import nn", source])


def test_names_are_followed_through_all_cells():
    patch = "def patch(m):\n    m.softmax = f"
    assert hiding(["import torch\nt = torch", patch, "patch(t)"]).code == "m.softmax"
    assert hiding(["import torch\nt = torch", patch, "patch(model)"]) is None


@pytest.mark.parametrize("source", sorted(LEFT_ALONE | OWN_LOOKUPS))
def test_what_sets_a_part_of_the_learners_own_is_left_alone(source):
    assert hiding(["import torch\nfrom torch import nn", source]) is None
