"""A form made from a list of parameters: what the user typed, what is wrong with it, what differs. Qt-free.

The form keeps texts, as typed; values exist only once they are asked for. Starts nothing, reads no file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mosaic.errors import UsageError
from mosaic.runners.parameters import bounds
from mosaic.ui.shell.model.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mosaic.protocol.cards import Parameter

__all__ = ["Field", "Form", "Group", "hint_of", "text_of"]


@dataclass(frozen=True, kw_only=True)
class Field:
    """One line of the form, as it stands."""

    parameter: Parameter
    label: str
    text: str
    problem: str
    """Why the text cannot be taken; empty when it can."""
    changed: bool
    """Whether it differs from the default."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Fields under one heading. Advanced ones are shown when asked for."""

    title: str
    plain: tuple[str, ...]
    advanced: tuple[str, ...]


class Form:
    """The texts of a list of parameters.

    Args:
        parameters: what is asked for, in order.
        convert: text to value, one parameter at a time; raises `UsageError` with the reason.
        labels: what fields are called; by default their own names.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        *,
        convert: Callable[[Parameter, str], Any],
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.changed: Signal[[str]] = Signal()
        """A field's text changed; carries its name."""
        self._parameters = {parameter.name: parameter for parameter in parameters}
        self._convert = convert
        self._labels = dict(labels or {})
        self._texts = {name: text_of(parameter.default) for name, parameter in self._parameters.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The fields' names, in order."""
        return tuple(self._parameters)

    @property
    def groups(self) -> list[Group]:
        """The fields by heading, in the order in which the headings first appear."""
        titles = dict.fromkeys(parameter.group for parameter in self._parameters.values())
        return [
            Group(
                title=title,
                plain=self._members(title, advanced=False),
                advanced=self._members(title, advanced=True),
            )
            for title in titles
        ]

    def field(self, name: str) -> Field:
        """One field as it stands."""
        parameter = self._parameters[name]
        return Field(
            parameter=parameter,
            label=self._labels.get(name, name),
            text=self._texts[name],
            problem=self.problem(name),
            changed=self.is_changed(name),
        )

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def text(self, name: str) -> str:
        """What is typed in a field; empty for a field this form does not have."""
        return self._texts.get(name, "")

    def set(self, name: str, text: str) -> None:
        """Take what was typed, whatever it is. A field this form does not have is passed over."""
        if name in self._texts and self._texts[name] != text:
            self._texts[name] = text
            self.changed.emit(name)

    def reset(self, name: str) -> None:
        """Back to the default."""
        self.set(name, text_of(self._parameters[name].default))

    def reset_all(self) -> None:
        """Every field back to its default."""
        for name in self.names:
            self.reset(name)

    def value(self, name: str) -> Any:
        """A field's value.

        Raises:
            UsageError: what is typed cannot be one.
        """
        return self._convert(self._parameters[name], self._texts[name])

    def problem(self, name: str) -> str:
        """Why a field's text cannot be taken; empty when it can."""
        try:
            self.value(name)
        except UsageError as error:
            return str(error)
        return ""

    def is_changed(self, name: str) -> bool:
        """Whether a field differs from its default; `1e-3` does not differ from `0.001`."""
        default = self._parameters[name].default
        if self._texts[name] == text_of(default):
            return False
        try:
            found = self.value(name)
        except UsageError:
            return True
        return bool(found != default)

    @property
    def problems(self) -> dict[str, str]:
        """Every field that cannot be taken as it is, and why."""
        found = {name: self.problem(name) for name in self._parameters}
        return {name: problem for name, problem in found.items() if problem}

    @property
    def differing(self) -> dict[str, str]:
        """The texts of the fields that differ from their defaults."""
        return {name: self._texts[name] for name in self._parameters if self.is_changed(name)}

    def values(self) -> dict[str, Any]:
        """The values that differ from their defaults.

        Raises:
            UsageError: a field cannot be taken as it is.
        """
        return {name: self.value(name) for name in self.differing}

    def restore(self, texts: Mapping[str, str]) -> None:
        """Take texts that were typed another time; every other field goes back to its default."""
        for name, parameter in self._parameters.items():
            self.set(name, texts.get(name, text_of(parameter.default)))

    def _members(self, title: str, *, advanced: bool) -> tuple[str, ...]:
        return tuple(
            name
            for name, parameter in self._parameters.items()
            if parameter.group == title and parameter.advanced is advanced
        )


def text_of(value: object) -> str:
    """A value as it is typed."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def hint_of(parameter: Parameter) -> str:
    """All there is to say about a field: help, bounds, default. Plain text."""
    default = text_of(parameter.default) or "empty"
    allowed = bounds(parameter)
    said = f"{allowed[0].upper()}{allowed[1:]}. Default: {default}."
    return f"{parameter.help}\n{said}" if parameter.help else said
