"""SymPy's expressions from ours, and back.

A coordinate x is what ``sympy.physics.mechanics.dynamicsymbols("x")`` gives, the function x(t); its rates are
derivatives of it, parameters are symbols. SymPy puts what it is given into its own forms (2*(x + y) becomes 2*x + 2*y),
so the way there and back gives an equal expression, not always the same one; of very large ones, which would take SymPy too
long, the parts that are too large stay as they are written.
"""

from __future__ import annotations

import difflib
import importlib
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ._core import Equation, Expr, Names, sympy_names

if TYPE_CHECKING:
    from types import ModuleType

# SymPy looks at whole expressions when it evaluates; beyond these it is not asked to.
_EVALUATED_NODES = 400
_EVALUATED_DEPTH = 30
_FOLDED_BITS = 4096


def _sympy() -> ModuleType:
    try:
        return importlib.import_module("sympy")
    except ImportError as error:
        raise ImportError("this needs SymPy: pip install sympy") from error


@lru_cache(maxsize=1)
def _functions() -> dict[str, Any]:
    """SymPy's functions by our names."""
    sp = _sympy()
    return {name: getattr(sp, theirs) for name, theirs in sympy_names().items()}


def _symbol(kind: str, order: int, name: str) -> Any:
    sp = _sympy()
    time = sp.Symbol("t")
    if kind == "time":
        return time
    if kind == "coordinate":
        function = sp.Function(name)(time)
        return function if order == 0 else sp.Derivative(function, (time, order))
    if kind in ("ideal", "nonideal"):
        return sp.Symbol(f"{kind}.{name}")
    if kind == "multiplier":
        return sp.Symbol(f"lambda.{name}")
    return sp.Symbol(name + "'" * order)


class _ToSympy:
    """Puts SymPy's expressions together, operands first."""

    def __init__(self, nodes: list[tuple[Any, ...]]) -> None:
        self.sp = _sympy()
        self.nodes = nodes
        self.made: list[Any] = []
        self.sizes: list[int] = []  # of the trees
        self.depths: list[int] = []
        self.frozen: list[bool] = []  # holds a power that SymPy must not work out

    def convert(self) -> Any:
        for node in self.nodes:
            what, operands = node[0], node[1:]
            if what in ("number", "pi", "symbol"):
                self.made.append(self.leaf(what, operands))
                self.sizes.append(1)
                self.depths.append(1)
                self.frozen.append(False)
                continue
            self.sizes.append(min(1 + sum(self.sizes[i] for i in operands), 10**9))
            self.depths.append(1 + max(self.depths[i] for i in operands))
            self.frozen.append(self.is_no_number(what, operands) or any(self.frozen[i] for i in operands))
            evaluated = (
                self.sizes[-1] <= _EVALUATED_NODES and self.depths[-1] <= _EVALUATED_DEPTH and not self.frozen[-1]
            )
            result = self.operation(what, operands, evaluated)
            # Both are remembered by the object, so that no one has to go deep for them later.
            hash(result)
            result.is_commutative  # noqa: B018
            self.made.append(result)
        return self.made[-1]

    def is_no_number(self, what: str, operands: tuple[int, ...]) -> bool:
        """Whether this is a power of numbers that is not real, or too long to be written out."""
        if what not in ("power", "sqrt") or any(self.nodes[i][0] != "number" for i in operands):
            return False
        base = self.nodes[operands[0]][1]
        exponent = self.nodes[operands[1]][1] if what == "power" else Fraction(1, 2)
        return abs(exponent) > _FOLDED_BITS or (base < 0 and exponent.denominator != 1)

    def leaf(self, what: str, operands: tuple[Any, ...]) -> Any:
        if what == "number":
            return self.sp.Rational(operands[0].numerator, operands[0].denominator)
        return self.sp.pi if what == "pi" else _symbol(*operands)

    def operation(self, what: str, operands: tuple[int, ...], evaluated: bool) -> Any:
        """The operation, in SymPy's own form where that is not too large to ask for."""
        sp = self.sp
        args = [self.made[i] for i in operands]
        if what in ("sum", "product"):
            kind = sp.Add if what == "sum" else sp.Mul
            return kind(*args) if evaluated else kind(*args, evaluate=False)
        if what == "sqrt":
            return sp.Pow(args[0], sp.Rational(1, 2), evaluate=evaluated)
        if what == "power":
            inner = self.nodes[operands[0]]
            if inner[0] == "sqrt" and args[1].is_Integer and args[1].p % 2 == 1:
                return sp.Pow(self.made[inner[1]], args[1] / 2, evaluate=evaluated)
            return sp.Pow(*args, evaluate=evaluated)
        if what == "exp" and args[0] == 1:
            return sp.E
        if what == "step":
            return sp.Heaviside(args[0], 1) if evaluated else sp.Heaviside(args[0], 1, evaluate=False)
        if what == "log10":
            logarithm = sp.log(args[0]) if evaluated else sp.log(args[0], evaluate=False)
            return sp.Mul(logarithm, sp.Pow(sp.log(10), -1), evaluate=evaluated)
        if what == "hypot":
            squares = [sp.Pow(arg, 2, evaluate=evaluated) for arg in args]
            return sp.Pow(sp.Add(*squares, evaluate=evaluated), sp.Rational(1, 2), evaluate=evaluated)
        if what == "if":
            # Evaluated, SymPy would solve the condition for something, or refuse to compare.
            condition = sp.GreaterThan(args[0], 0, evaluate=False)
            return sp.Piecewise((args[1], condition), (args[2], True), evaluate=False)
        if what in ("min", "max") and not (evaluated and all(_is_compared(arg) for arg in args)):
            # As their constructors do it, but for a look at the arguments, which takes as long as the text is.
            result = sp.Expr.__new__(_functions()[what], *args)
            result._argset = frozenset(args)
            return result
        return _functions()[what](*args) if evaluated else _functions()[what](*args, evaluate=False)


def _is_compared(arg: Any) -> bool:
    """Whether SymPy's Min and Max take it; numbers like (-3/7)**pi, which are not real, they refuse."""
    return arg.is_extended_real is not False and (not arg.is_number or arg.is_comparable)


def to_sympy(expression: Expr) -> Any:
    """The SymPy expression of an expression, as ``sympy.sympify`` gives it."""
    return _ToSympy(expression._nodes()).convert()


def equation_to_sympy(equation: Equation) -> Any:
    """The SymPy ``Eq`` of an equation."""
    return _sympy().Eq(to_sympy(equation.left), to_sympy(equation.right), evaluate=False)


def _shown(expression: Any) -> str:
    text = str(expression)
    return text if len(text) <= 200 else text[:200] + "..."


class _FromSympy:
    """Puts our nodes together from a SymPy expression, operands first."""

    def __init__(self, names: Names | None) -> None:
        self.sp = _sympy()
        self.names = names
        self.kinds: dict[str, str] = dict(names.kinds) if names is not None else {}
        self.nodes: list[tuple[Any, ...]] = []
        self.place: dict[int, int] = {}  # of the nodes of SymPy's objects, by id
        self.worked_out: dict[int, Any] = {}  # derivatives, by id
        self.functions = {function: name for name, function in _functions().items()}

    def convert(self, root: Any) -> Expr:
        stack = [root]
        while stack:
            top = stack[-1]
            if id(top) in self.place:
                stack.pop()
                continue
            operands = self.operands(top)
            waiting = [arg for arg in operands if id(arg) not in self.place]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self.place[id(top)] = self.node(top, [self.place[id(arg)] for arg in operands])
        if len(self.nodes) != self.place[id(root)] + 1:
            self.nodes = self.nodes[: self.place[id(root)] + 1]
        return Expr._from_nodes(self.names, self.nodes)

    def add(self, *node: Any) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def operands(self, e: Any) -> list[Any]:
        """What must be there before e; an error for what we do not have."""
        sp = self.sp
        if e.is_Number or e is sp.pi or e is sp.E or e.is_Symbol:
            return []
        if isinstance(e, sp.core.function.AppliedUndef):
            return []
        if isinstance(e, sp.Derivative):
            if self.coordinate(e.expr) is not None:
                return []
            if id(e) not in self.worked_out:
                self.worked_out[id(e)] = self.derivative(e)
            return [self.worked_out[id(e)]]
        if e.is_Add or e.is_Mul or e.is_Pow or isinstance(e, sp.UnevaluatedExpr):
            return list(e.args)
        if e.func in (sp.Min, sp.Max):
            return sorted(e.args, key=sp.default_sort_key) if len(e.args) > 2 else list(e.args)
        if e.func in self.functions or e.func in (sp.sech, sp.csch, sp.coth, sp.ceiling):
            return list(e.args)
        if e.func is sp.Heaviside and e.args[1] in (0, 1, sp.Rational(1, 2)):
            return [e.args[0]]
        if e.func is sp.Piecewise:
            return self.pieces(e)
        raise self.unsupported(e)

    def pieces(self, e: Any) -> list[Any]:
        """The values of a Piecewise and both sides of what they are subject to: a, x, y for each but the last, then b."""
        result: list[Any] = []
        *conditional, (last, otherwise) = e.args
        for value, condition in conditional:
            if not isinstance(condition, (self.sp.Gt, self.sp.Ge, self.sp.Lt, self.sp.Le)):
                raise self.unsupported(e)
            result += [value, condition.lhs, condition.rhs]
        if otherwise != True:  # noqa: E712
            raise self.unsupported(e)
        return [*result, last]

    def difference(self, a: int, b: int) -> int:
        return self.add("sum", a, self.add("product", self.add("number", -1), b))

    def choice(self, e: Any, operands: list[int]) -> int:
        """A Piecewise, from the last piece to the first."""
        result = operands[-1]
        for i, (_, condition) in reversed(list(enumerate(e.args[:-1]))):
            value, left, right = operands[3 * i : 3 * i + 3]
            falls = isinstance(condition, (self.sp.Lt, self.sp.Ge))
            g = self.difference(left, right) if falls else self.difference(right, left)
            strict = isinstance(condition, (self.sp.Lt, self.sp.Gt))
            result = self.add("if", g, result, value) if strict else self.add("if", g, value, result)
        return result

    def heaviside(self, e: Any, x: int) -> int:
        at_zero = e.args[1]
        if at_zero == 1:
            return self.add("step", x)
        one = self.add("number", 1)
        if at_zero == 0:
            minus = self.add("product", self.add("number", -1), x)
            return self.difference(one, self.add("step", minus))
        half = self.add("number", Fraction(1, 2))
        return self.add("product", half, self.add("sum", one, self.add("sign", x)))

    def node(self, e: Any, operands: list[int]) -> int:
        sp = self.sp
        if e.is_Number:
            return self.number(e)
        if e is sp.pi:
            return self.add("pi")
        if e is sp.E:
            return self.add("exp", self.add("number", 1))
        if e.is_Symbol:
            return self.symbol(e)
        if isinstance(e, sp.core.function.AppliedUndef):
            name = self.coordinate(e)
            if name is None:
                raise self.unknown_function(e)
            return self.add("symbol", "coordinate", 0, name)
        if isinstance(e, sp.Derivative):
            if operands:
                return operands[0]
            return self.rate(e)
        if isinstance(e, sp.UnevaluatedExpr):
            return operands[0]
        if e.is_Add:
            return self.add("sum", *operands)
        if e.is_Mul:
            return self.add("product", *operands)
        if e.is_Pow:
            return self.add("power", *operands)
        if e.func in (sp.sech, sp.csch, sp.coth):
            name = {sp.sech: "cosh", sp.csch: "sinh", sp.coth: "tanh"}[e.func]
            return self.add("power", self.add(name, *operands), self.add("number", -1))
        if e.func is sp.ceiling:
            minus = self.add("number", -1)
            return self.add("product", minus, self.add("floor", self.add("product", minus, *operands)))
        if e.func is sp.Heaviside:
            return self.heaviside(e, operands[0])
        if e.func is sp.Piecewise:
            return self.choice(e, operands)
        name = self.functions[e.func]
        if e.func in (sp.Min, sp.Max):
            result = operands[0]
            for other in operands[1:]:
                result = self.add(name, result, other)
            return result
        return self.add(name, *operands)

    def number(self, e: Any) -> int:
        if e.is_Rational and e.is_finite:
            numerator, denominator = int(e.p), int(e.q)
            return self.add("number", numerator if denominator == 1 else Fraction(numerator, denominator))
        if e.is_Float and e.is_finite:
            value = float(e)
            ordinary = e._prec <= 53 and value not in (float("inf"), float("-inf")) and (value != 0 or e == 0)
            return self.add("number", value if ordinary else Decimal(str(e)))
        raise self.unsupported(e)

    def is_time(self, e: Any) -> bool:
        return bool(e.is_Symbol and e.name == "t")

    def coordinate(self, e: Any) -> str | None:
        """x where e is x(t) and x is a coordinate."""
        if not isinstance(e, self.sp.core.function.AppliedUndef) or len(e.args) != 1 or not self.is_time(e.args[0]):
            return None
        name = str(e.func.__name__)
        return name if self.kinds.get(name) == "coordinate" else None

    def derivative(self, e: Any) -> Any:
        """The derivative worked out, where SymPy can."""
        if isinstance(e.expr, self.sp.core.function.AppliedUndef):
            raise self.unknown_function(e.expr, within=e)
        of_time = self.as_functions(e)
        if self.coordinate(getattr(of_time, "expr", None)) is not None:
            return of_time
        result = of_time.doit()
        if result in (e, of_time):
            raise self.unsupported(e)
        return result

    def as_functions(self, e: Any) -> Any:
        """The same with functions of t for coordinates that stand there as symbols: SymPy takes x and x(t) for two."""
        time = next((s for s in e.atoms(self.sp.Symbol) if self.is_time(s)), self.sp.Symbol("t"))
        functions = {}
        for symbol in e.atoms(self.sp.Symbol):
            bare = symbol.name.rstrip("'")
            order = len(symbol.name) - len(bare)
            if self.kinds.get(bare) == "coordinate" and order <= 2:
                function = self.sp.Function(bare)(time)
                functions[symbol] = function if order == 0 else self.sp.Derivative(function, (time, order))
        return e.xreplace(functions)

    def rate(self, e: Any) -> int:
        """A derivative of a coordinate, worked out from left to right: by t a rate, by anything else 1 or 0."""
        name = self.coordinate(e.expr)
        if not all(count.is_Integer for _, count in e.variable_count):
            raise self.unsupported(e)
        variables = list(e.variables)
        order = next((i for i, variable in enumerate(variables) if not self.is_time(variable)), len(variables))
        if order > 2:
            raise ValueError(f"{_shown(e)} has order {order}; accelerations are the highest that a system contains")
        others = [self.variable(variable, e) for variable in variables[order:]]
        if not others:
            return self.add("symbol", "coordinate", order, name)
        return self.add("number", int(others == [("coordinate", order, name)]))

    def variable(self, e: Any, within: Any) -> tuple[str, int, str]:
        """What a derivative is taken by: the kind, the order and the name of a symbol."""
        if e.is_Symbol:
            node = self.nodes[self.symbol(e)]
            return node[1], node[2], node[3]
        rate = isinstance(e, self.sp.Derivative)
        name = self.coordinate(e.expr if rate else e)
        if name is None or rate and not all(self.is_time(variable) for variable in e.variables):
            raise self.unsupported(within)
        return "coordinate", len(e.variables) if rate else 0, name

    def symbol(self, e: Any) -> int:
        name: str = e.name
        if name == "t":
            return self.add("symbol", "time", 0, "t")
        bare = name.rstrip("'")
        order = len(name) - len(bare)
        kind = self.kinds.get(bare)
        if kind == "parameter" and order == 0:
            return self.add("symbol", "parameter", 0, name)
        if kind == "coordinate" and order <= 2:
            return self.add("symbol", "coordinate", order, bare)
        sort, dot, rest = name.partition(".")
        if dot and sort in ("ideal", "nonideal") and self.kinds.get(rest) == "coordinate":
            return self.add("symbol", sort, 0, rest)
        if dot and sort == "lambda" and self.names is not None:
            return self.add("symbol", "multiplier", 0, rest)
        raise ValueError(f"unknown name {name!r} in SymPy's expression{self.hint(name)}")

    def hint(self, name: str, kind: str | None = None) -> str:
        if self.names is None:
            return "; no system is known here whose names it could be among"
        known = [n for n, k in self.kinds.items() if kind in (None, k)]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        if near:
            return f"; did you mean {near[0]!r}?"
        if 0 < len(known) <= 12:
            return f"; system {self.names.system!r} has {', '.join(known)}"
        return f"; system {self.names.system!r} has no such name"

    def unknown_function(self, e: Any, within: Any = None) -> ValueError:
        name = str(e.func.__name__)
        shown = _shown(e if within is None else within)
        if self.kinds.get(name) == "coordinate":
            return ValueError(f"{shown}: the coordinate {name!r} is a function of t alone, {name}(t)")
        if self.kinds.get(name) == "parameter":
            return ValueError(f"{shown}: {name!r} is a parameter, which is no function but Symbol({name!r})")
        return ValueError(f"{shown}: {name!r} is not a coordinate{self.hint(name, 'coordinate')}")

    def unsupported(self, e: Any) -> ValueError:
        return ValueError(f"{_shown(e)} ({type(e).__name__}) has no counterpart among expressions of a system")


def from_sympy(expression: Any, names: Names | None) -> Expr | Equation:
    """The expression of a SymPy expression whose symbols and functions of t are looked up in ``names``.

    An ``Eq`` gives an equation. Floats are read as the decimals that a person means: 0.1 is one tenth. Raises
    a ValueError for what has no counterpart: integrals, complex numbers, inequalities, unknown names.
    """
    sp = _sympy()
    e = sp.sympify(expression)
    if isinstance(e, sp.Equality):
        return Equation(_FromSympy(names).convert(e.lhs), _FromSympy(names).convert(e.rhs))
    if not isinstance(e, sp.Expr):
        raise ValueError(f"{_shown(e)} ({type(e).__name__}) is not an expression or an equation")
    return _FromSympy(names).convert(e)
