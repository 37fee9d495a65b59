"""The committed gRPC code is what the contract says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2

from mosaic.rpc import generate
from mosaic.rpc.pb import trainer_pb2 as pb


def test_the_committed_code_is_what_the_contract_generates(tmp_path: Path) -> None:
    # Compared by meaning, not by bytes: every release of the compiler writes another header.
    proto = Path(generate.__file__).parent
    compiled = tmp_path / "set"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "grpc_tools.protoc",
            f"-I{proto}",
            f"--descriptor_set_out={compiled}",
            "trainer.proto",
        ],
        check=True,
    )
    fresh = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file[0]
    committed = descriptor_pb2.FileDescriptorProto()
    pb.DESCRIPTOR.CopyToProto(committed)
    for file in (fresh, committed):
        _forget_json_names(file.message_type)
    assert committed == fresh


def _forget_json_names(messages: Any) -> None:
    for message in messages:
        for field in message.field:
            field.ClearField("json_name")
        _forget_json_names(message.nested_type)


def test_generating_gives_a_package_whose_stub_has_every_method(tmp_path: Path) -> None:
    generate.generate(tmp_path)
    text = (tmp_path / "trainer_pb2_grpc.py").read_text()
    assert "from mosaic.rpc.pb import trainer_pb2" in text
    for method in pb.DESCRIPTOR.services_by_name["TrainerService"].methods:
        assert f"/mosaic.v1.TrainerService/{method.name}'" in text
    assert (tmp_path / "trainer_pb2.pyi").exists()
