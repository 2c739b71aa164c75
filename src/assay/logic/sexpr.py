"""Reading parentheses: text to a tree of lists and symbols that remember their place.

Nothing is evaluated. Size and depth are limited, and the loop does not recurse, so hostile text costs an error
message and nothing else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path
from typing import NoReturn, TypeAlias

from assay.errors import LimitExceeded, ReadError, UnsupportedConstruct

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 128
MAX_WORDS = 2_000_000
_TOKEN = re.compile(r"[()]|;[^\n]*|[^\s();]+")


class Source:
    """A text with its name, which turns offsets into lines and columns."""

    def __init__(self, text: str, name: str = "<text>") -> None:
        if len(text) > MAX_BYTES:
            raise LimitExceeded(f"{name}: {len(text)} characters; at most {MAX_BYTES} are read")
        self.text = text
        self.name = name
        self._line_starts: list[int] | None = None

    @classmethod
    def from_file(cls, path: str | Path) -> Source:
        """Read a file as UTF-8. Raises `ReadError` when it cannot be opened or is not text."""
        path = Path(path)
        try:
            with path.open("rb") as stream:
                raw = stream.read(MAX_BYTES + 1)
            if len(raw) > MAX_BYTES:
                raise LimitExceeded(f"{path}: larger than {MAX_BYTES} bytes, which is the most that is read")
            return cls(raw.decode("utf-8-sig"), str(path))
        except OSError as error:
            raise ReadError(str(path), 1, 1, f"cannot be opened: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode()
            line = before.count("\n") + 1
            column = len(before) - before.rfind("\n")
            raise ReadError(str(path), line, column, "not UTF-8 text; save the file as UTF-8") from error
        except ValueError as error:
            raise ReadError(repr(str(path)), 1, 1, f"cannot be opened: {error}") from error

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line and column, from 1, of an offset into the text."""
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def fail(self, offset: int, message: str, kind: type[ReadError] = ReadError) -> NoReturn:
        """Raise an error that names the place."""
        line, column = self.locate(offset)
        raise kind(self.name, line, column, message)

    def expected(self, what: str, node: Node) -> NoReturn:
        """Raise the error "expected ..., found ..." at a node."""
        self.fail(node.offset, f"expected {what}, found {node.shown()}")

    def unsupported(self, construct: str, node: Node) -> NoReturn:
        """Raise the error for a construct outside our languages."""
        self.fail(node.offset, f"{construct} is outside PDDL, FOND and PPDDL as read here", UnsupportedConstruct)


def shortened(text: str) -> str:
    """Return at most 40 characters of a text, as error messages quote it."""
    return text if len(text) <= 40 else text[:40] + "..."


class Symbol:
    """A word. `key` is its lower-case form, by which keywords and names are compared."""

    __slots__ = ("key", "offset", "text")

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.key = text.lower()
        self.offset = offset

    def shown(self) -> str:
        """The word as an error message quotes it."""
        return repr(shortened(self.text))


class List:
    """A parenthesised list; `end` is the offset of its closing parenthesis."""

    __slots__ = ("end", "items", "offset")

    def __init__(self, offset: int) -> None:
        self.items: list[Node] = []
        self.offset = offset
        self.end = offset

    @property
    def head(self) -> str:
        """The first word in lower case, or an empty string."""
        first = self.items[0] if self.items else None
        return first.key if isinstance(first, Symbol) else ""

    def shown(self) -> str:
        """The list as an error message quotes it."""
        if not self.items:
            return "()"
        first = self.items[0]
        return f"the list ({shortened(first.text)} ...)" if isinstance(first, Symbol) else "a list"


Node: TypeAlias = Symbol | List


def read_trees(source: Source) -> list[Node]:
    """Return the top-level lists and words of a text.

    Raises `ReadError` for unbalanced parentheses and `LimitExceeded` beyond `MAX_DEPTH` and `MAX_WORDS`.
    """
    top = List(0)
    stack = [top]
    items = top.items
    for number, match in enumerate(_TOKEN.finditer(source.text)):
        token = match.group()
        first = token[0]
        if first == "(":
            node = List(match.start())
            items.append(node)
            if len(stack) > MAX_DEPTH:
                line, column = source.locate(match.start())
                raise LimitExceeded(f"{source.name}:{line}:{column}: more than {MAX_DEPTH} nested parentheses")
            stack.append(node)
            items = node.items
        elif first == ")":
            if len(stack) == 1:
                source.fail(match.start(), "found ')' without its '('")
            stack.pop().end = match.start()
            items = stack[-1].items
        elif first != ";":
            items.append(Symbol(token, match.start()))
        # Each word or list takes some hundred bytes of memory, however short it is in the text.
        if number >= MAX_WORDS:
            raise LimitExceeded(f"{source.name}: more than {MAX_WORDS} words and parentheses")
    if len(stack) > 1:
        source.fail(stack[-1].offset, "this '(' is never closed; expected ')' before the end of the text")
    return top.items
