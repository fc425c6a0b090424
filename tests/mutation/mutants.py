"""The small changes that a module is tested with: each is one that a person could have made by mistake.

Left alone are annotations, docstrings, sentences for people (texts with a blank), and assignments, without which hardly
anything runs.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from typing import Any, NamedTuple


class Mutant(NamedTuple):
    """One change: the source from `start` to `end` becomes `new`."""

    module: str
    line: int
    start: int
    end: int
    old: str
    new: str
    #: Whether it runs when the module is imported, outside of the body of any function.
    at_import: bool

    @property
    def change(self) -> str:
        return f"{self.old} -> {self.new}"


COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
ANNOTATIONS = ("annotation", "returns")


def mutants_of(module: str, source: str) -> list[Mutant]:
    """All changes of a module, in the order of its text and each once."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[tuple[int, int, str], Mutant] = {}
    tree = ast.parse(source)
    bodies = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    spans = [(node.body[0].lineno, node.end_lineno) for node in bodies]
    for node, new in _changes(tree):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        at_import = not any(first <= node.lineno <= last for first, last in spans)
        mutant = Mutant(module, node.lineno, start, end, ast.unparse(node), new, at_import)
        found.setdefault((start, end, new), mutant)
    return [found[place] for place in sorted(found)]


def mutate(source: str, mutant: Mutant) -> str:
    """Make the change; the lines behind it move up where it spanned several."""
    text = source.encode()
    return (text[: mutant.start] + mutant.new.encode() + text[mutant.end :]).decode()


def _changes(tree: ast.AST) -> Iterator[tuple[Any, str]]:
    for node in _visited(tree):
        match node:
            case ast.stmt():
                yield from ((node, text) for text in _of_statement(node))
            case ast.expr():
                yield from ((node, f"({text})") for text in _of_expression(node))
        for condition in _conditions(node):
            yield condition, f"(not ({ast.unparse(condition)}))"


def _visited(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that may change, parents first."""
    yield node
    for name, value in ast.iter_fields(node):
        # What stands inside of an f-string has no exact place before Python 3.12.
        if name in ANNOTATIONS or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_alone(child):
                yield from _visited(child)


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(value=ast.Subscript(), col_offset=0) | ast.AnnAssign(value=ast.Subscript(), col_offset=0):
            # The name of a type.
            return True
    return False


def _conditions(node: ast.AST) -> list[ast.expr]:
    """What decides, where it is no comparison or the like, which has changes of its own."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            conditions = [test]
        case ast.BoolOp(values=values):
            conditions = values
        case ast.comprehension(ifs=ifs):
            conditions = ifs
        case _:
            conditions = []
    return [test for test in conditions if isinstance(test, ast.Name | ast.Call | ast.Attribute | ast.NamedExpr)]


def _of_statement(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "return None"
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Delete():
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


def _of_expression(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp() | ast.BinOp():
            yield from _of_operator(node)
        case ast.Constant(value=value):
            yield from map(repr, _of_constant(value))
        case ast.JoinedStr() if " " not in (text := ast.unparse(node)):
            yield f"{text} + 'X'"
        case ast.Set() | ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()):
            yield from _without_items(node, "elts")
        case ast.Dict(keys=keys) if len(keys) > 1:
            for place in range(len(keys)):
                yield ast.unparse(ast.Dict(keys=_without(keys, place), values=_without(node.values, place)))
        case ast.Call():
            yield from _of_call(node)
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            for place, generator in enumerate(node.generators):
                for condition in range(len(generator.ifs)):
                    changed = copy.deepcopy(node)
                    del changed.generators[place].ifs[condition]
                    yield ast.unparse(changed)


def _of_operator(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(ops=ops):
            for place, operator in enumerate(ops):
                for other in COMPARISONS[type(operator)]:
                    yield _with_item(node, "ops", place, other())
        case ast.BoolOp(op=operator, values=values):
            word = " or " if isinstance(operator, ast.And) else " and "
            yield word.join(f"({ast.unparse(value)})" for value in values)
            yield from _without_items(node, "values")
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield ast.unparse(operand)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            yield ast.unparse(ast.BinOp(left=left, op=OPERATORS[type(operator)](), right=right))


def _of_constant(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1) if value > 1 else (value + 1,)
    elif isinstance(value, str) and value and " " not in value:
        yield value + "X"
    elif value == "":
        yield "X"


def _of_call(node: ast.Call) -> Iterator[str]:
    """Leave an argument by keyword out; change a regular expression; leave out one word of many that are split."""
    yield from _without_items(node, "keywords", least=1)
    match node:
        case ast.Call(func=ast.Attribute(attr="compile"), args=[ast.Constant(value=str(pattern)), *_]):
            for changed in _patterns(pattern):
                yield _with_item(node, "args", 0, ast.Constant(value=changed))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split"), args=[]):
            words = text.split()
            for place in range(len(words)):
                yield f"{' '.join(_without(words, place))!r}.split()"
        case ast.Call(func=ast.Name(id="any" | "all" as name), args=[given]):
            yield f"{'all' if name == 'any' else 'any'}({ast.unparse(given)})"


def _patterns(pattern: str) -> Iterator[str]:
    """Without one alternative, one quantifier (a possessive one as a whole) or one anchor."""
    for piece in re.finditer(r"\|(?:[^|()\\]|\\.)+|(?<!\\)[*+?]\+?|(?<!\\)[$^]|\\[AZb]|\{[0-9,]+\}", pattern):
        changed = pattern[: piece.start()] + pattern[piece.end() :]
        try:
            re.compile(changed)
        except re.error:
            continue
        yield changed


def _with_item(node: Any, name: str, place: int, item: ast.AST) -> str:
    changed = copy.deepcopy(node)
    getattr(changed, name)[place] = item
    return ast.unparse(changed)


def _without_items(node: Any, name: str, *, least: int = 2) -> Iterator[str]:
    items = getattr(node, name)
    for place in range(len(items) if len(items) >= least else 0):
        changed = copy.copy(node)
        setattr(changed, name, _without(items, place))
        # One operand is left of two: an operator that joins nothing is written as it.
        alone = name == "values" and len(items) == 2
        yield ast.unparse(changed.values[0] if alone else changed)


def _without(items: list[Any], place: int) -> list[Any]:
    return items[:place] + items[place + 1 :]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
