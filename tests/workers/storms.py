"""One worker of a storm: `storms.py KIND PLACE` records numbers until `PLACE/end` appears.

KIND is how: `single`, `vector` and `agents` step an environment under our hooks, `lines` prints JSON lines,
`grpc` publishes to the daemon. Its own account lies outside the run: `run` names the run, `starts` gets a
line for every start, and `count` says, right after each call returned, how many numbers were acknowledged.
"""

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"

kind, place = sys.argv[1], Path(sys.argv[2])


def publish() -> Callable[[int], None]:
    from mosaic.rpc.pb import trainer_pb2, trainer_pb2_grpc

    spec = importlib.util.spec_from_file_location("grpc_worker", EXAMPLES / "grpc_worker.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    publisher: Any = module.Publisher(trainer_pb2, trainer_pb2_grpc, worker_id="storm", give_up_secs=300.0)

    def tell(number: int) -> None:
        publisher.emit({"type": "metric", "name": "n", "value": number, "t": 0})
        publisher.flush()

    return tell


def play() -> Callable[[int], None]:
    import mosaic_worker

    run = mosaic_worker.start()
    if kind == "agents":
        from pettingzoo.classic import tictactoe_v3

        game: Any = tictactoe_v3.env()
        game.reset(seed=1)

        def step() -> None:
            if game.terminations[game.agent_selection] or game.truncations[game.agent_selection]:
                game.reset()
            mask = game.observe(game.agent_selection)["action_mask"]
            game.step(int(mask.argmax()))
    else:
        import gymnasium as gym

        env: Any
        if kind == "vector":
            env = gym.make_vec("CartPole-v1", num_envs=3, render_mode="rgb_array")
        else:
            env = gym.make("CartPole-v1", render_mode="rgb_array")
        env.reset(seed=1)

        def step() -> None:
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if kind == "single" and (terminated or truncated):
                env.reset()

    def tell(number: int) -> None:
        step()
        run.metric("n", number)

    return tell


def line(number: int) -> None:
    os.write(1, b'{"type":"metric","name":"n","value":%d,"t":0}\n' % number)


with open(place / "starts", "a") as starts:
    starts.write(f"{os.getpid()}\n")
(place / "run").write_text(os.environ["MOSAIC_RUN_ID"])
tell = line if kind == "lines" else publish() if kind == "grpc" else play()
tally = os.open(place / "count", os.O_WRONLY | os.O_CREAT, 0o600)
told = 0
while not (place / "end").exists():
    tell(told)
    told += 1
    os.pwrite(tally, b"%020d" % told, 0)
    time.sleep(0.01)
