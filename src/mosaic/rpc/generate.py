"""Writes `pb/` from `trainer.proto`: `python -m mosaic.rpc.generate`. For developers; needs grpcio-tools."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["generate", "main"]

_HERE = Path(__file__).parent
_PACKAGE = (
    '"""Generated from trainer.proto; not to be edited. `python -m mosaic.rpc.generate` writes it."""\n'
)


def generate(target: Path) -> None:
    """Write the generated package into `target`, which must exist."""
    from grpc_tools import protoc  # noqa: PLC0415  (a development dependency)

    arguments = [
        "protoc",
        f"--proto_path={_HERE}",
        f"--python_out={target}",
        f"--pyi_out={target}",
        f"--grpc_python_out={target}",
        "trainer.proto",
    ]
    if protoc.main(arguments) != 0:
        raise SystemExit(1)
    stub = target / "trainer_pb2_grpc.py"
    # protoc imports siblings as top-level modules; ours live in a package.
    plain = "import trainer_pb2 as trainer__pb2"
    stub.write_text(stub.read_text().replace(plain, f"from mosaic.rpc.pb {plain}"))
    (target / "__init__.py").write_text(_PACKAGE)


def main() -> None:
    """Write the committed package, or the one named on the command line."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else _HERE / "pb"
    target.mkdir(exist_ok=True)
    generate(target)


if __name__ == "__main__":
    main()
