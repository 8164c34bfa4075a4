"""The base classes and helpers of the document's models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar

M = TypeVar("M", bound="Model")

Parse: TypeAlias = Callable[[Any], Any]
Fields: TypeAlias = Mapping[str, tuple[str, Parse | None]]


UnknownKind: TypeAlias = Literal[""]
"""The declared type of a kind that this version does not know. At run time it is any other text.

With `str` in its place, type checkers would not narrow an object whose kind is compared with a known one.
"""


class Unset(Enum):
    """The default of a parameter for which None has a meaning of its own: the parameter is not sent."""

    UNSET = "unset"


UNSET = Unset.UNSET


@dataclass(frozen=True, kw_only=True)
class Model:
    """An object of the service. Members that this version does not know are kept in `extra`."""

    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Members that this version does not know, in the API's spelling."""

    _FIELDS: ClassVar[Fields] = {}

    @classmethod
    def from_json(cls: type[M], value: Any) -> M:
        """Returns the model of a JSON object. A missing member is None; any other value is unchanged."""
        if not isinstance(value, Mapping):
            kept: M = value
            return kept
        known: dict[str, Any] = {}
        for name, (attribute, parse) in cls._FIELDS.items():
            member = value.get(name)
            known[attribute] = member if parse is None or member is None else parse(member)
        extra = {name: member for name, member in value.items() if name not in cls._FIELDS}
        return cls(**known, extra=extra)


@dataclass(frozen=True, kw_only=True)
class UnknownModel(Model):
    """An object of a kind that this version does not know. Its members are attributes, like any other's."""

    def __getattr__(self, name: str) -> Any:
        spelling = camel_case(name)
        # Not by self.extra: the attribute is absent while a copy is made.
        extra = self.__dict__.get("extra", {})
        if name.startswith("_") or spelling not in extra:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return extra[spelling]


def each(parse: Parse) -> Parse:
    """Returns a parser of lists, which parses each row with `parse`."""
    return lambda rows: [parse(row) for row in rows] if isinstance(rows, list) else rows


def one_of(member: str, value: Any, kinds: Mapping[str, type[Model]], unknown: type[UnknownModel]) -> Any:
    """Returns the object of a JSON object whose kind is named by one of its members."""
    kind = value.get(member) if isinstance(value, Mapping) else None
    return (kinds.get(kind, unknown) if isinstance(kind, str) else unknown).from_json(value)


def sent(given: Mapping[str, Any], nullable: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the members of a body that were given: of `nullable`, None is sent too."""
    body = {name: value for name, value in given.items() if value is not None}
    return body | {name: value for name, value in (nullable or {}).items() if value is not UNSET}


def spelled(value: Any) -> Any:
    """Returns nested parameters with their names in the API's spelling."""
    if isinstance(value, Mapping):
        return {camel_case(name): spelled(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [spelled(member) for member in value]
    return value


def camel_case(name: str) -> str:
    """Returns a Python name as the API spells it."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
