"""Writes the generated modules of card_payments from the OpenAPI document, which is read from stdin.

`--check` writes nothing, and ends with exit code 1 when a module is not what the document gives. Run by
`npm run sdk:python`; needs no package.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = Path(__file__).parent / "card_payments"
HEADER: Final = "# Written by `npm run sdk:python` from the OpenAPI document of the service. Do not edit.\n"
# Members that are hidden when an object is printed: secrets, and addresses that act as secrets.
HIDDEN: Final = {"secret", "clientSecret", "cardToken", "checkoutUrl", "actionUrl", "iframeUrl"}
Schema = dict[str, Any]


def snake_case(name: str) -> str:
    """Returns a name of the API in Python's spelling."""
    spelled = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
    return f"{spelled}_" if spelled in ("from", "class", "def", "in", "is") else spelled


def singular(name: str) -> str:
    """Returns the singular of a plural with s."""
    return name.removesuffix("s")


def literal(values: list[str]) -> str:
    """Returns the type of some texts."""
    return f"Literal[{', '.join(json.dumps(value) for value in values)}]"


def docstring(text: str, indent: str) -> str:
    """Returns a docstring, wrapped."""
    if "\n" not in text and len(text) + len(indent) <= 100:
        return f'{indent}"""{text}"""\n'
    first, _, rest = text.partition(". ") if "\n\n" not in text else text.partition("\n\n")
    lead = first if first.endswith(".") else f"{first}."
    paragraphs = [*textwrap.wrap(lead, 100 - len(indent)), ""]
    for paragraph in rest.strip().split("\n"):
        hanging = "  " if paragraph.startswith("- ") else ""
        paragraphs += textwrap.wrap(paragraph, 100 - len(indent), subsequent_indent=hanging) or [""]
    lines = "\n".join(f"{indent}{line}".rstrip() for line in paragraphs).lstrip()
    return f'{indent}"""{lines}\n{indent}"""\n'


@dataclass(frozen=True)
class Typed:
    """The type of a value and how it is parsed."""

    type: str
    parse: str | None = None

    def or_none(self) -> Typed:
        """Returns the same type, or None."""
        return self if self.type.endswith("| None") else Typed(f"{self.type} | None", self.parse)


def inlined(value: Any, components: Schema) -> Any:
    """Returns a part of the document in which shared answers and named texts stand where they are used."""
    if isinstance(value, list):
        return [inlined(each, components) for each in value]
    if not isinstance(value, dict):
        return value
    part = {key: inlined(each, components) for key, each in value.items()}
    if not isinstance(part.get("$ref"), str):
        return part
    kind, name = part["$ref"].split("/")[-2:]
    known = components[kind][name]
    is_text = known.get("type") == "string" and "enum" not in known
    if kind != "responses" and not (kind == "schemas" and is_text):
        return part
    beside = {key: each for key, each in part.items() if key != "$ref"}
    return {**inlined(known, components), **beside}


class Document:
    """The OpenAPI document, and the names in it."""

    def __init__(self, source: Schema) -> None:
        document: Schema = inlined(source, source["components"])
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self.parameters: dict[str, Schema] = document["components"]["parameters"]
        self.paths: dict[str, dict[str, Schema]] = document["paths"]
        self.webhooks: dict[str, Schema] = document["webhooks"]
        self.names: set[str] = set()
        values: set[str] = set()
        self._collect(document, values)
        self.names -= values

    def _collect(self, value: Any, values: set[str]) -> None:
        if isinstance(value, list):
            for each in value:
                self._collect(each, values)
        if isinstance(value, dict):
            if isinstance(value.get("properties"), dict):
                self.names.update(value["properties"])
            if "in" in value and isinstance(value.get("name"), str):
                self.names.add(value["name"])
            values.update(text for text in value.get("enum", []) if isinstance(text, str))
            for each in value.values():
                self._collect(each, values)

    def prose(self, text: str) -> str:
        """Returns a text of the document with the names of members in Python's spelling."""

        def spelled(found: re.Match[str]) -> str:
            name = found[1]
            return f"`{snake_case(name)}`" if name in self.names else found[0]

        plain = text.replace("`true`", "`True`").replace("`false`", "`False`").replace("`null`", "`None`")
        return re.sub(r"`([a-z]\w*)`", spelled, plain)


class Models:
    """The text of models.py."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._done: dict[str, Typed] = {}
        self._params: dict[str, str] = {}
        self._blocks: list[str] = []
        # The members that name the kind of an object, by the class that has them.
        self._kinds: set[tuple[str, str]] = set()
        self._unknown: set[tuple[str, str]] = {("UnknownEventBase", "type")}
        for schema in document.schemas.values():
            if "discriminator" in schema:
                member = schema["discriminator"]["propertyName"]
                self._kinds.update(
                    (name_of(ref), member) for ref in schema["discriminator"]["mapping"].values()
                )

    def text(self) -> str:
        """Returns the whole module."""
        answers = [
            name_of(content_of(operation["responses"][status])["$ref"])
            for methods in self._document.paths.values()
            for operation in methods.values()
            for status in operation["responses"]
            if status.startswith("2")
        ]
        for name, schema in self._document.schemas.items():
            if "enum" in schema:
                self._enum(name, schema)
        self._events()
        for answer in answers:
            self._answer(self._document.schemas[answer])
        imports = (
            f"{HEADER}\nfrom __future__ import annotations\n\nfrom collections.abc import Mapping\n"
            "from dataclasses import dataclass, field\nfrom typing import Any, ClassVar, Literal, TypeAlias, "
            "TypedDict\n\nfrom ._model import Fields, Model, UnknownKind, UnknownModel, each, one_of\n\n"
        )
        return imports + "\n".join(self._blocks)

    def _answer(self, schema: Schema) -> None:
        for variant in schema.get("anyOf", [schema]):
            known = self._document.schemas[name_of(variant["$ref"])] if "$ref" in variant else variant
            data = known["properties"]["data"]
            self.typed(data.get("items", data), "")
            if "meta" in known["properties"]:
                self.typed(known["properties"]["meta"], "")

    def _enum(self, name: str, schema: Schema) -> None:
        members = "".join(f"    {json.dumps(value)},\n" for value in schema["enum"])
        text = f"{name}: TypeAlias = Literal[\n{members}]\n"
        description = schema.get("description")
        # A list of meanings, one for each value.
        meanings = (
            f"What is known today; new values may appear.\n\n{bullets(description)}" if description else ""
        )
        self._blocks.append(text + (docstring(self._document.prose(meanings), "") if meanings else ""))

    def typed(self, schema: Schema, owner: str) -> Typed:
        """Returns the type of a value of an answer. `owner`: the name for a class that has none."""
        if "$ref" in schema:
            return self._named(name_of(schema["$ref"]))
        variants = schema.get("anyOf")
        if variants is not None:
            others = [each for each in variants if each.get("type") != "null"]
            known = self.typed(others[0], owner)
            return known.or_none() if len(others) < len(variants) else known
        kind = schema.get("type")
        if isinstance(kind, list):
            known = self.typed({**schema, "type": next(each for each in kind if each != "null")}, owner)
            return known.or_none() if len(kind) == 2 else Typed("Any")
        if kind == "array":
            row = self.typed(schema["items"], singular(owner))
            return Typed(f"list[{row.type}]", None if row.parse is None else f"each({row.parse})")
        if kind == "object" and "properties" in schema:
            return self._class(owner, schema)
        if kind == "object":
            values = schema.get("additionalProperties")
            is_text = isinstance(values, dict) and values.get("type") == "string"
            return Typed("Mapping[str, str]" if is_text else "Mapping[str, Any]")
        if kind == "string" and "enum" in schema:
            return Typed(f"{literal(schema['enum'])} | str")
        return Typed({"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[str(kind)])

    def _named(self, name: str) -> Typed:
        schema = self._document.schemas[name]
        if name == "Event":
            return Typed("Event", "parse_event")
        if "enum" in schema:
            return Typed(f"{name} | str")
        if name not in self._done:
            self._done[name] = self._union(name, schema) if "oneOf" in schema else self._class(name, schema)
        return self._done[name]

    def _class(self, name: str, schema: Schema) -> Typed:
        known = Typed(name, f"{name}.from_json")
        if name in self._done and name not in self._document.schemas:
            return known
        self._done[name] = known
        self._emit(name, *self._flat(schema), schema.get("description"), "Model")
        return known

    def _flat(self, schema: Schema) -> tuple[dict[str, Schema], set[str]]:
        """Returns the members of an object, and which of them are always there."""
        if "$ref" in schema:
            return self._flat(self._document.schemas[name_of(schema["$ref"])])
        members: dict[str, Schema] = {}
        required: set[str] = set()
        for part in schema.get("allOf", []):
            more, always = self._flat(part)
            members |= more
            required |= always
        return members | schema.get("properties", {}), required | set(schema.get("required", []))

    def _emit(
        self, name: str, members: dict[str, Schema], required: set[str], description: str | None, base: str
    ) -> None:
        lines, fields = [], []
        for member, schema in members.items():
            own = schema.get("description")
            known = self.typed(schema, name + member[0].upper() + member[1:])
            if "const" in schema and ((name, member) in self._kinds):
                known = Typed(literal([schema["const"]]))
            if (name, member) in self._unknown:
                known = Typed("UnknownKind")
            if member not in required:
                known = known.or_none()
            attribute = snake_case(member)
            options = [
                *(["repr=False"] if member in HIDDEN else []),
                *([] if member in required else ["default=None"]),
            ]
            default = "" if not options else f" = field({', '.join(options)})"
            default = " = None" if options == ["default=None"] else default
            lines.append(f"    {attribute}: {known.type}{default}\n")
            if own:
                lines.append(docstring(self._document.prose(own), "    "))
            fields.append(f"        {json.dumps(member)}: ({json.dumps(attribute)}, {known.parse}),\n")
        about = docstring(self._document.prose(description or f"Part of another object: `{name}`."), "    ")
        self._blocks.append(
            f"\n@dataclass(frozen=True, kw_only=True)\nclass {name}({base}):\n{about}\n{''.join(lines)}\n"
            f"    _FIELDS: ClassVar[Fields] = {{\n{''.join(fields)}    }}\n"
        )

    def _union(self, name: str, schema: Schema) -> Typed:
        member = schema["discriminator"]["propertyName"]
        kinds = {kind: name_of(ref) for kind, ref in schema["discriminator"]["mapping"].items()}
        for each in kinds.values():
            self._named(each)
        return self._one_of(name, member, kinds, schema.get("description"))

    def _one_of(self, name: str, member: str, kinds: dict[str, str], description: str | None) -> Typed:
        unknown = f"Unknown{name}"
        if name != "Event":
            self._unknown.add((unknown, member))
            text = f"A kind of {name} that this version does not know."
            self._emit(unknown, {member: {"type": "string"}}, {member}, text, "UnknownModel")
        parse = f"parse_{snake_case(name)[1:]}"
        variants = "".join(f"    | {each}\n" for each in [*kinds.values(), unknown])
        rows = "".join(f"    {json.dumps(kind)}: {each},\n" for kind, each in kinds.items())
        about = docstring(self._document.prose(description or name), "")
        table = f"_{snake_case(name)[1:].upper()}_KINDS"
        self._blocks.append(
            f"\n{name}: TypeAlias = (\n{variants.replace('| ', '', 1)})\n{about}\n"
            f"{table}: Mapping[str, type[Model]] = {{\n{rows}}}\n\n\n"
            f"def {parse}(value: Any) -> {name}:\n"
            f'    """Returns the {name} of a JSON object; {unknown} for a kind that is not known."""\n'
            f"    known: {name} = one_of({json.dumps(member)}, value, {table}, {unknown})\n"
            "    return known\n"
        )
        return Typed(name, parse)

    def _events(self) -> None:
        kinds: dict[str, str] = {}
        for kind, webhook in self._document.webhooks.items():
            kinds[kind] = name_of(content_of(webhook["post"]["requestBody"])["$ref"])
            self._kinds.add((kinds[kind], "type"))
        for kind, name in kinds.items():
            members, required = self._flat(self._document.schemas[name])
            members = {"type": {}, **members, "data": members["data"]}
            self._done[name] = Typed(name)
            self._emit(name, members, required, f"The event `{kind}`.", "Model")
        members, required = self._flat(self._document.schemas["EventEnvelope"])
        members = {"type": {"type": "string"}, **members}
        self._emit("UnknownEventBase", members, {*required, "type"}, None, "UnknownModel")
        # Its data is of any shape, so that comparing the type of an event is enough to use its data.
        base = self._blocks.pop().replace("UnknownEventBase", "UnknownEvent")
        base = base.replace(
            "Part of another object: `UnknownEvent`.", "An event of a type that this version does not know."
        )
        base = base.replace("\n    _FIELDS", "    data: Any = field(repr=False)\n\n    _FIELDS")
        self._blocks.append(
            base.replace('        "type":', '        "data": ("data", None),\n        "type":')
        )
        about = "Something that happened, by `type`."
        self._one_of("Event", "type", kinds, about)

    def take_params(self) -> str:
        """Returns the types of structured parameters, which are known once every operation was read."""
        return "".join(self._params.values())

    def params(self, schema: Schema, owner: str) -> str:
        """Returns the type of a structured parameter, whose names are in Python's spelling."""
        name = name_of(schema["$ref"]) if "$ref" in schema else owner
        known = self._document.schemas[name] if "$ref" in schema else schema
        if name not in self._params:
            required = known.get("required", [])
            if required and set(required) != set(known["properties"]):
                raise ValueError(f"{name}: some members are required and others are not")
            lines = []
            for member, each in known["properties"].items():
                lines.append(f"    {snake_case(member)}: {self.typed(each, '').type}\n")
                if "description" in each:
                    lines.append(docstring(self._document.prose(each["description"]), "    "))
            total = "" if required else ", total=False"
            about = docstring(known.get("description", "Parameters; each may be left out."), "    ")
            self._params[name] = f"\n\nclass {name}(TypedDict{total}):\n{about}\n{''.join(lines)}"
        return f"models.{name}"


def bullets(description: str) -> str:
    """Returns meanings, which the document separates by empty lines, as a list."""
    return "\n".join(f"- {line}" for line in description.split("\n\n"))


def name_of(ref: str) -> str:
    """Returns the name of a component."""
    return ref.rsplit("/", 1)[1]


def content_of(part: Schema) -> Schema:
    """Returns the schema of a JSON body."""
    schema: Schema = part["content"]["application/json"]["schema"]
    return schema


@dataclass(frozen=True)
class Param:
    """A parameter of a method."""

    name: str
    """As the API has it."""
    type: str
    is_required: bool
    is_nullable: bool
    is_structured: bool
    description: str | None

    @property
    def declared(self) -> str:
        """How it stands in the signature."""
        name = snake_case(self.name)
        if self.is_nullable:
            return f"{name}: {self.type} | Unset | None = UNSET"
        return f"{name}: {self.type}" if self.is_required else f"{name}: {self.type} | None = None"

    @property
    def member(self) -> str:
        """How it stands in the body or the query."""
        name = snake_case(self.name)
        return f"{json.dumps(self.name)}: {f'spelled({name})' if self.is_structured else name}"


class Operation:
    """One operation as a method."""

    def __init__(self, document: Document, models: Models, method: str, path: str, operation: Schema) -> None:
        sample = next(each["source"] for each in operation["x-codeSamples"] if each["lang"] == "Python")
        found = re.search(r"cp\.(\w+)\.(\w+)\(", sample)
        if found is None:
            raise ValueError(f"{operation['operationId']} has no sample in Python")
        self.resource, self.name = found[1], found[2]
        self.method, self.path = method.upper(), path
        self._document, self._models = document, models
        self.about = f"{operation['summary']}. {operation.get('description', '')}".strip()
        parameters = [
            document.parameters[name_of(each["$ref"])] if "$ref" in each else each
            for each in operation.get("parameters", [])
        ]
        self.is_keyed = any(each["name"] == "Idempotency-Key" for each in parameters)
        self.query = [
            self._param(each["name"], each["schema"], False) for each in parameters if each["in"] == "query"
        ]
        if "{id}" in path and self.name == "list_for_payment":
            self.query = [each for each in self.query if each.name != "paymentId"]
        body = operation.get("requestBody")
        self.has_body = body is not None
        self.is_pay = operation["operationId"] == "pay"
        self.body = [] if body is None or self.is_pay else self._body(content_of(body))
        status = next(each for each in operation["responses"] if each.startswith("2"))
        self._answer = document.schemas[name_of(content_of(operation["responses"][status])["$ref"])]

    @property
    def id_name(self) -> str | None:
        """The name of the parameter that the path takes."""
        segment = re.search(r"/([a-z-]+)/\{id\}", self.path)
        if segment is None:
            return None
        owner = segment[1].replace("-", "_")
        return "id" if owner == self.resource else f"{singular(owner)}_id"

    @property
    def is_list(self) -> bool:
        """Whether it reads a list."""
        return "anyOf" in self._answer or "meta" in self._answer["properties"]

    def result(self) -> Typed:
        """Returns the result of an object, or the types of a list's rows and position."""
        if not self.is_list:
            return self._of(self._answer["properties"]["data"])
        pages = [self._document.schemas[name_of(each["$ref"])] for each in self._answer.get("anyOf", [])] or [
            self._answer
        ]
        row = self._of(pages[0]["properties"]["data"]["items"])
        metas = [self._of(each["properties"]["meta"]) for each in pages]
        meta = metas[0].parse if len(metas) == 1 else "_meta"
        return Typed(f"{row.type}, {' | '.join(each.type for each in metas)}", f"({row.parse}, {meta})")

    def _of(self, schema: Schema) -> Typed:
        known = self._models.typed(schema, "")
        return Typed(f"models.{known.type}", f"models.{known.parse}")

    def _body(self, schema: Schema) -> list[Param]:
        known = self._document.schemas[name_of(schema["$ref"])]
        variants = [self._document.schemas[name_of(each["$ref"])] for each in known.get("oneOf", [])] or [
            known
        ]
        members: dict[str, list[Schema]] = {}
        for variant in variants:
            for name, each in variant["properties"].items():
                members.setdefault(name, []).append(each)
        required = set(variants[0].get("required", []))
        owner = name_of(schema["$ref"])
        params = [
            self._param(name, self._merged(each), name in required, owner) for name, each in members.items()
        ]
        return sorted(params, key=lambda param: not param.is_required)

    def _merged(self, schemas: list[Schema]) -> Schema:
        texts: list[str] = []
        for schema in schemas:
            known = self._document.schemas[name_of(schema["$ref"])] if "$ref" in schema else schema
            texts += [known["const"]] if "const" in known else known.get("enum", [])
        return (
            {"type": "string", "enum": list(dict.fromkeys(texts))}
            if len(schemas) > 1 and texts
            else schemas[0]
        )

    def _param(self, name: str, schema: Schema, is_required: bool, owner: str = "") -> Param:
        variants = schema.get("anyOf", [schema])
        others = [each for each in variants if each.get("type") != "null"]
        is_nullable = len(others) < len(variants)
        kind, is_structured = self._given(others, owner + name[0].upper() + name[1:])
        description = schema.get("description")
        return Param(name, kind, is_required, is_nullable, is_structured, description)

    def _given(self, variants: list[Schema], owner: str) -> tuple[str, bool]:
        """Returns the type of a parameter, and whether its names are in Python's spelling."""
        schema = variants[0]
        formats = {each.get("format") for each in variants}
        if "date" in formats:
            return "str | date", False
        if "date-time" in formats:
            return "str | datetime", False
        if "$ref" in schema:
            named = self._document.schemas[name_of(schema["$ref"])]
            if "enum" in named:
                return f"models.{name_of(schema['$ref'])}", False
            return self._models.params(schema, owner), True
        kind = schema.get("type")
        if schema.get("enum") == ["true", "false"]:
            return "bool", False
        if "enum" in schema:
            return literal(schema["enum"]), False
        if kind == "array":
            row, is_structured = self._given([schema["items"]], owner)
            return f"Sequence[{row}]", is_structured
        if kind == "object" and "properties" in schema:
            return self._models.params(schema, owner), True
        if kind == "object":
            values = schema.get("additionalProperties")
            is_text = isinstance(values, dict) and values.get("type") == "string"
            return ("Mapping[str, str]" if is_text else "Mapping[str, object]"), False
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[str(kind)], False


OUTCOMES: Final = '''
    {async_}def pay_and_wait(
        self, id: str, card: CaptureCard, *, timeout: float = OUTCOME_TIMEOUT_SECONDS
    ) -> Outcome:
        """Pays and returns the outcome, also after a lost answer, a 409 or a 503. Nothing is charged twice.

        When the time (in seconds) is over, the outcome is `unknown`: keep the order pending and call
        `recover`. Raises AuthenticationError and ValidationError.
        """
        return {await_}self._driver.run(_settle.pay_and_wait(self._settings, id, card, timeout))

    {async_}def recover(self, id: str, *, timeout: float = OUTCOME_TIMEOUT_SECONDS) -> Outcome:
        """Returns how a payment stands, in any process, with the id alone.

        Waits while an attempt is under way or none was made yet, 60 seconds by default; then the outcome is
        `unknown` and `recover` may be called again.
        """
        return {await_}self._driver.run(_settle.recover(self._settings, id, timeout))
'''
ONCE_PAYMENT: Final = (
    "Creates a payment, or finds the one that was created with this key before: in any process, "
    "at any time.\n\nThe key is yours, such as the id of the order; it is kept in the payment's metadata "
    "as `createOnceKey`. "
    "A second payment for the same order needs another key. Raises ConflictError for another amount."
)
ONCE_REFUND: Final = (
    "Makes a refund, or finds the one that was made with this key before: in any process, at any time.\n\n"
    "The key is yours; it is kept in the refund's metadata as `createOnceKey`. Raises ConflictError for "
    "another amount."
)


class Resources:
    """The text of _sync.py or _async.py: the same methods, which block or are awaited."""

    def __init__(self, operations: list[Operation], prose: Document, is_async: bool) -> None:
        self._operations, self._document, self._is_async = operations, prose, is_async
        self._await = "await " if is_async else ""
        self._async = "async " if is_async else ""
        self._prefix = "Async" if is_async else ""

    def text(self) -> str:
        """Returns the whole module."""
        names = list(dict.fromkeys(each.resource for each in self._operations))
        classes = "".join(self._resource(name) for name in names)
        kept = "async_with_response" if self._is_async else "with_response"
        listing = "AsyncList" if self._is_async else "Page"
        return (
            f"{HEADER}\nfrom __future__ import annotations\n\nimport uuid\n"
            "from collections.abc import Mapping, Sequence\n"
            "from datetime import date, datetime\nfrom typing import Any, Literal\n\n"
            "from . import _once, _settle, models\nfrom ._model import UNSET, Unset, sent, spelled\n"
            f"from ._pages import {listing}\n"
            f"from ._resource import OUTCOME_TIMEOUT_SECONDS, {self._prefix}Resource, {kept}\n"
            "from ._transport import Call, Options\n"
            "from ._vault import CaptureCard, card_body\nfrom .outcomes import Outcome\n\n\n"
            "def _meta(value: Any) -> models.ListMeta | models.CursorMeta:\n"
            '    """Returns the position of a page in a list that is read by pages or by cursor."""\n'
            '    by_cursor = isinstance(value, Mapping) and "nextCursor" in value\n'
            "    meta = models.CursorMeta if by_cursor else models.ListMeta\n"
            "    return meta.from_json(value)\n"
            f"{classes}"
        )

    def _resource(self, resource: str) -> str:
        own = [each for each in self._operations if each.resource == resource]
        name = self._prefix + "".join(word.title() for word in resource.split("_"))
        kept = f"{'async_' if self._is_async else ''}with_response"
        methods = [self._method(each) for each in own]
        methods += [self._once(each) for each in own if self._can_once(each)]
        names = [each.name for each in own] + ["create_once" for each in own if self._can_once(each)]
        wrapped = "".join(f"        self.{each} = {kept}(calls.{each})\n" for each in names)
        outcomes = OUTCOMES.format(async_=self._async, await_=self._await) if resource == "payments" else ""
        return (
            f'\n\nclass {name}WithResponse:\n    """The methods of {name}, each with the answer that its '
            f'result came in."""\n\n    def __init__(self, calls: {name}) -> None:\n{wrapped}'
            f'\n\nclass {name}({self._prefix}Resource):\n    """See `cp.{resource}`."""\n\n'
            f"    @property\n    def with_response(self) -> {name}WithResponse:\n"
            '        """The same methods, each with the status, the headers and the request id of '
            'its answer."""\n'
            f"        kept = {name}(self._settings, self._driver, keeps=True)\n"
            f"        return {name}WithResponse(kept)\n"
            f"{''.join(methods)}{outcomes}"
        )

    def _can_once(self, operation: Operation) -> bool:
        return operation.name == "create" and operation.resource in ("payments", "refunds")

    def _method(self, operation: Operation) -> str:
        result = operation.result()
        positional = [f"{operation.id_name}: str"] if operation.id_name else []
        if operation.is_pay:
            positional.append("card: CaptureCard")
        params = operation.body + operation.query
        named = [each.declared for each in params]
        key = ""
        if operation.is_keyed and operation.name == "create":
            named.append("idempotency_key: str")
            key = "idempotency_key"
        elif operation.is_keyed:
            named.append("idempotency_key: str | None = None")
            key = "idempotency_key or str(uuid.uuid4())"
        call = [f"method={json.dumps(operation.method)}", f"path={json.dumps(operation.path)}"]
        call += [f"id={operation.id_name}"] if operation.id_name else []
        call += [f"query={members_of(operation.query, 16)}"] if operation.query else []
        if operation.has_body:
            call.append("body=card_body(card)" if operation.is_pay else f"body={body_of(operation.body, 16)}")
        call += [f"idempotency_key={key}"] if key else []
        call.append("options=Options(timeout=timeout, max_retries=max_retries)")
        lines = "".join(f"                {each},\n" for each in call)
        what, mode = ("_list", "") if operation.is_list else ("_object", self._await)
        kind = result.type
        if operation.is_list:
            kind = f"{'AsyncList' if self._is_async else 'Page'}[{result.type}]"
        body = (
            f"        return {mode}self.{what}(\n            {result.parse},\n"
            f"            Call(\n{lines}            ),\n        )\n"
        )
        keyword = "" if operation.is_list else self._async
        about = operation.about + described(params)
        return self._signature(keyword, operation.name, positional, named, kind, about) + body

    def _once(self, operation: Operation) -> str:
        is_payment = operation.resource == "payments"
        positional = ["order_key: str"] if is_payment else ["key: str", "payment_id: str"]
        given = "order_key" if is_payment else "(payment_id, key)"
        named = [each.declared for each in operation.body]
        kind = "_once.OncePayment" if is_payment else "models.Refund"
        about = (ONCE_PAYMENT if is_payment else ONCE_REFUND) + described(operation.body)
        body = (
            f"        return {self._await}self._run(\n            _once.{singular(operation.resource)}(\n"
            f"                self._settings,\n                {given},\n"
            f"                {body_of(operation.body, 16)},\n"
            "                Options(timeout=timeout, max_retries=max_retries),\n            )\n        )\n"
        )
        return self._signature(self._async, "create_once", positional, named, kind, about) + body

    def _signature(
        self, keyword: str, name: str, positional: list[str], named: list[str], kind: str, about: str
    ) -> str:
        options = ["timeout: float | None = None", "max_retries: int | None = None"]
        lines = "".join(f"        {each},\n" for each in ["self", *positional, "*", *named, *options])
        text = docstring(self._document.prose(about), "        ")
        return f"\n    {keyword}def {name}(\n{lines}    ) -> {kind}:\n{text}"


def described(params: list[Param]) -> str:
    """Returns what the document says about parameters, as the end of a docstring."""
    rows = [f"- `{snake_case(each.name)}`: {each.description}" for each in params if each.description]
    return "\n\n" + "\n".join(rows) if rows else ""


def members_of(params: list[Param], indent: int) -> str:
    """Returns a dictionary of parameters, on one line where it fits."""
    line = f"{{{', '.join(each.member for each in params)}}}"
    if len(line) <= 80:
        return line
    rows = "".join(f"{' ' * (indent + 4)}{each.member},\n" for each in params)
    return f"{{\n{rows}{' ' * indent}}}"


def body_of(params: list[Param], indent: int) -> str:
    """Returns the body that parameters make."""
    plain = members_of([each for each in params if not each.is_nullable], indent)
    nullable = [each for each in params if each.is_nullable]
    return f"sent({plain}, {members_of(nullable, indent)})" if nullable else f"sent({plain})"


def modules(source: Schema) -> dict[str, str]:
    """Returns the text of every generated module, by its name."""
    document = Document(source)
    models = Models(document)
    first = models.text()
    operations = [
        Operation(document, models, method, path, operation)
        for path, methods in document.paths.items()
        for method, operation in methods.items()
    ]
    text = first + models.take_params()
    return {
        "models.py": text,
        "_sync.py": Resources(operations, document, is_async=False).text(),
        "_async.py": Resources(operations, document, is_async=True).text(),
    }


def main() -> int:
    """Writes or checks the modules. Returns the exit code."""
    stale = []
    for name, text in modules(json.load(sys.stdin)).items():
        target = PACKAGE / name
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            stale.append(name)
    for name in stale:
        print(
            f"sdk/python/card_payments/{name} is not what the document gives: run `npm run sdk:python`.",
            file=sys.stderr,
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
