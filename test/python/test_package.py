"""The packed file, its types, and what it has for each operation of the document."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import card_payments
import pytest

from fake_service import CARD, PAYMENT_ID, Service, data

PROJECT = Path(__file__).parents[2]
SOURCE = PROJECT / "sdk" / "python"
SCRATCH = Path(os.environ["TEST_SCRATCH"])
TOOLS = Path(os.environ["TEST_TOOLS"])
DOCUMENT = Path(os.environ["TEST_DOCUMENT"])
DESCRIPTION = json.loads(DOCUMENT.read_text(encoding="utf-8"))
SCHEMAS = DESCRIPTION["components"]["schemas"]


def run(program: str, *args: str, stdin: Path | None = None) -> tuple[int, str]:
    """Runs a tool. Returns its exit code and what it says."""
    given = None if stdin is None else stdin.read_bytes()
    command = [str(TOOLS / program), *args]
    done = subprocess.run(
        command, cwd=SCRATCH, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode()


def type_check(*args: str) -> tuple[int, str]:
    """Type-checks as a shop does, with what is installed."""
    cache = str(SCRATCH / "mypy")
    return run("mypy", "--strict", "--cache-dir", cache, "--python-executable", sys.executable, *args)


def readme_blocks() -> list[str]:
    """Returns the samples of the README."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


class TestPackage:
    def test_is_installed_from_its_packed_file_with_httpx_alone(self) -> None:
        assert Path(card_payments.__file__).is_relative_to(Path(sys.prefix))
        about = metadata.metadata("card-payments")
        assert (about["Name"], about["Requires-Python"]) == ("card-payments", ">=3.10")
        assert about["Version"] == card_payments.__version__
        required = metadata.requires("card-payments") or []
        assert [re.match(r"[\w-]+", each)[0] for each in required] == ["httpx"]  # type: ignore[index]

    def test_contains_its_modules_and_nothing_else(self) -> None:
        with zipfile.ZipFile(os.environ["TEST_WHEEL"]) as wheel:
            names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        modules = {f"card_payments/{path.name}" for path in (SOURCE / "card_payments").glob("*.py")}
        assert names == {*modules, "card_payments/py.typed"}

    def test_is_typed_strictly_for_the_oldest_and_for_this_python(self) -> None:
        for version in ("3.10", f"3.{sys.version_info.minor}"):
            said = type_check("--python-version", version, "-p", "card_payments")
            assert said[0] == 0, said[1]

    def test_is_formatted_and_has_no_fault_that_the_linter_knows(self) -> None:
        folders = [str(SOURCE), str(PROJECT / "test" / "python")]
        config = ["--config", str(SOURCE / "pyproject.toml"), "--no-cache"]
        for args in (["check", *config], ["format", "--check", *config]):
            said = run("ruff", *args, *folders)
            assert said[0] == 0, said[1]

    def test_has_the_generated_modules_that_the_document_gives(self) -> None:
        said = run("python", str(SOURCE / "generate.py"), "--check", stdin=DOCUMENT)
        assert said == (0, "")

    def test_types_the_samples_of_its_readme_and_sees_faults(self) -> None:
        blocks = readme_blocks()
        assert len(blocks) > 6
        files = []
        for number, block in enumerate(blocks):
            files.append(SCRATCH / f"readme_{number}.py")
            files[-1].write_text(block, encoding="utf-8")
        said = type_check(*map(str, files))
        assert said[0] == 0, said[1]
        wrong = SCRATCH / "wrong.py"
        wrong.write_text("import card_payments\ncard_payments.CardPayments().payments.pay('id')\n", "utf-8")
        said = type_check(str(wrong))
        assert 'Missing positional argument "card"' in said[1]


THINGS = (
    *("payment", "custom_payment", "refund", "mistake", "dispute", "second_dispute"),
    *("link", "endpoint", "event"),
)
# What the guide has before a sample.
GIVEN: dict[str, Any] = {
    "order_id": "order-1001-again",
    "card": CARD,
    **{name: SimpleNamespace(id=PAYMENT_ID) for name in THINGS},
}

OPERATIONS = [
    pytest.param(method.upper(), path, operation, id=operation["operationId"])
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
]


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_a_method_makes_the_operation_as_its_sample_names_it(
    kind: str, method: str, path: str, operation: dict[str, Any]
) -> None:
    sample = next(each["source"] for each in operation["x-codeSamples"] if each["lang"] == "Python")
    [call] = [
        node
        for node in ast.walk(ast.parse(sample))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("cp.")
    ]
    expression = ast.unparse(call)
    service = Service(kind, lambda *_: data({}))
    service.run(lambda cp: eval(expression, {"cp": cp, **GIVEN}))
    [request] = service.sent
    assert (request.method, request.path.replace(PAYMENT_ID, "{id}")) == (method, path)
    parameters = [each.get("$ref", "") for each in operation.get("parameters", [])]
    assert ("idempotency-key" in request.headers) == any(
        ref.endswith("/IdempotencyKey") for ref in parameters
    )
    if "requestBody" in operation:
        name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
        variants = [SCHEMAS[each["$ref"].rsplit("/", 1)[1]] for each in SCHEMAS[name].get("oneOf", [])]
        schema = (variants or [SCHEMAS[name]])[0]
        assert set(schema.get("required", [])) <= set(request.body) <= set(schema["properties"])
    else:
        assert request.body is None
