"""What goes wrong, as exceptions."""

from __future__ import annotations


class DalsegnoError(Exception):
    """What this package raises, but for wrong arguments (``ValueError``, ``TypeError``) and files (``OSError``)."""


class ParseError(DalsegnoError, ValueError):
    """A formula, an automaton or a model that cannot be read; the message has its place."""


class UnknownNameError(DalsegnoError, LookupError):
    """A name that a model does not have; the message tells the names most like it."""


class LimitError(DalsegnoError):
    """A limit was hit while something was made: ``reason`` is ``time``, ``memory``, ``states`` or ``cancelled``."""

    reason: str

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


class UndecidedError(DalsegnoError):
    """The truth value of a result is asked for that is not known."""


class InternalError(DalsegnoError, RuntimeError):
    """A defect of dalsegno; the message says where."""
