"""Tiny packages with the shape of the big ones, written to disk for scripts under test to import.

The real ones are tried in `tests/frameworks`; these make every branch of a hook reachable without torch.
"""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

from tests.recording import Recorded, record

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["run"]

_WRITER = """
    class SummaryWriter:
        def __init__(self, log_dir="runs/x"):
            self.log_dir = log_dir
        def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
            if tag == "bad":
                raise ValueError("a bad tag")
        def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
            pass
        def add_text(self, tag, text_string, global_step=None):
            pass
        def add_hparams(self, hparam_dict, metric_dict, run_name=None):
            inner = SummaryWriter(self.log_dir + "/hparams")
            for name, value in metric_dict.items():
                inner.add_scalar(name, value)
"""

_FILES = {
    "torch/__init__.py": "from torch.serialization import save",
    "torch/serialization.py": """
        def save(obj, f, pickle_protocol=2):
            if hasattr(f, "write"):
                f.write(b"weights")
                return
            with open(f, "wb") as file:
                file.write(b"weights")
    """,
    "torch/jit/__init__.py": "from torch.jit._serialization import save",
    "torch/jit/_serialization.py": """
        def save(m, f, _extra_files=None):
            m.save(f)
    """,
    "torch/jit/_script.py": """
        class ScriptModule:
            pass
        class RecursiveScriptModule(ScriptModule):
            def save(self, f):
                with open(f, "wb") as file:
                    file.write(b"weights")
    """,
    "torch/utils/__init__.py": "",
    "torch/utils/tensorboard/__init__.py": "from torch.utils.tensorboard.writer import SummaryWriter",
    "torch/utils/tensorboard/writer.py": _WRITER,
    "tensorboardX/__init__.py": "from tensorboardX.writer import SummaryWriter",
    "tensorboardX/writer.py": _WRITER.replace("log_dir", "logdir"),
    "safetensors/__init__.py": "",
    "safetensors/torch.py": """
        import torch
        def save_file(tensors, filename, metadata=None):
            torch.save(tensors, filename)
    """,
    "stable_baselines3/__init__.py": "",
    "stable_baselines3/common/__init__.py": "",
    "stable_baselines3/common/logger.py": """
        from torch.utils.tensorboard import SummaryWriter
        DISABLED = 50
        class Logger:
            def __init__(self):
                self.name_to_value, self.level, self.writer = {}, 20, SummaryWriter("tb")
            def dump(self, step=0):
                if self.level == DISABLED:
                    return
                for name, value in self.name_to_value.items():
                    if isinstance(value, (int, float)):
                        self.writer.add_scalar(name, value, step)
                self.name_to_value.clear()
    """,
    "stable_baselines3/common/vec_env/__init__.py": "",
    "stable_baselines3/common/vec_env/vec_normalize.py": """
        import pickle
        class VecNormalize:
            def save(self, save_path):
                with open(save_path, "wb") as file:
                    pickle.dump(self, file)
    """,
    "stable_baselines3/common/base_class.py": """
        import torch
        class Schedule:
            def __init__(self, val):
                self.value_schedule = type("Constant", (), {"val": val})()
        class BaseAlgorithm:
            def __init__(self, env=None):
                self.learning_rate, self.gamma, self.clip_range = 3e-4, 0.99, Schedule(0.2)
                self.seed, self.num_timesteps, self._secret, self.policy = 7, 0, "no", object()
                self.policy_kwargs, self.env, self.device = {"net_arch": [64, 64]}, env, "cpu"
            def _setup_learn(self, total_timesteps, callback=None):
                return total_timesteps, callback
            def learn(self, total_timesteps):
                self._setup_learn(total_timesteps)
                self.num_timesteps += total_timesteps
            def save(self, path):
                if not isinstance(path, str):
                    torch.save({}, path)
                    return
                with open(path if "." in path else path + ".zip", "wb") as file:
                    torch.save({}, file)
        class PPO(BaseAlgorithm):
            pass
    """,
    "ray/__init__.py": "",
    "ray/rllib/__init__.py": "",
    "ray/rllib/algorithms/__init__.py": "",
    "ray/rllib/algorithms/algorithm.py": """
        import os, types
        import torch
        class Trainable:
            training_iteration = 0
            def train(self):
                self.training_iteration += 1
                found = {"training_iteration": self.training_iteration, "config": {"lr": 0.1}}
                return {**found, "env_runners": {"return_mean": 21.5, "note": "text"}}
            def save_to_path(self, path):
                os.makedirs(path)
                torch.save({}, os.path.join(path, "state"))
                return path
            def save(self, checkpoint_dir):
                self.save_to_path(checkpoint_dir)
                with open(os.path.join(checkpoint_dir, ".metadata"), "w") as file:
                    file.write("{}")
                return types.SimpleNamespace(checkpoint=types.SimpleNamespace(path=checkpoint_dir))
        class Algorithm(Trainable):
            pass
        class PPO(Algorithm):
            pass
    """,
    "d3rlpy/__init__.py": "",
    "d3rlpy/base.py": """
        import torch
        class LearnableBase:
            def save(self, fname):
                with open(fname, "wb") as file:
                    torch.save({}, file)
    """,
    "d3rlpy/logging/__init__.py": "",
    "d3rlpy/logging/logger.py": """
        from tensorboardX import SummaryWriter
        class D3RLPyLogger:
            def __init__(self):
                self.writer = SummaryWriter("tb")
            def commit(self, epoch, step):
                metrics = {name: sum(values) / len(values) for name, values in self.buffer.items()}
                for name, value in metrics.items():
                    self.writer.add_scalar(name, value, epoch)
                return metrics
    """,
    "torchrl/__init__.py": "",
    "torchrl/record/__init__.py": "",
    "torchrl/record/loggers/__init__.py": "",
    "torchrl/record/loggers/csv.py": """
        class CSVLogger:
            def log_scalar(self, name, value, step=None):
                pass
    """,
    "wandb/__init__.py": """
        from wandb.sdk.wandb_config import Config
        from wandb.sdk.wandb_init import init
        from wandb.sdk.wandb_run import Run
        run = config = None
        def log(*args, **kwargs):
            raise RuntimeError("call wandb.init() first")
    """,
    "wandb/sdk/__init__.py": "",
    "wandb/sdk/wandb_init.py": """
        def init(project=None, config=None, mode=None):
            import wandb
            from wandb.sdk.lib.noop_run import NoopRun
            run = (NoopRun if mode == "disabled" else wandb.Run)(config)
            wandb.run, wandb.log, wandb.config = run, run.log, run.config
            return run
    """,
    "wandb/sdk/wandb_config.py": """
        class Config:
            def __init__(self):
                object.__setattr__(self, "_items", {})
            def keys(self):
                return [key for key in self._items if not key.startswith("_")]
            def __getitem__(self, key):
                return self._items[key]
            def __contains__(self, key):
                return key in self._items
            def __setitem__(self, key, value):
                self._set(key, value, False)
            __setattr__ = __setitem__
            def _set(self, key, value, allow_val_change):
                key = key.strip("-")
                if not allow_val_change and self._items.get(key, value) != value:
                    raise ValueError(f"Attempted to change value of key {key}")
                self._items[key] = value
            def update(self, d, allow_val_change=None):
                if isinstance(d, str):
                    d = {"from": d}
                for key, value in (d if isinstance(d, dict) else vars(d)).items():
                    self._set(key, value, allow_val_change)
            def setdefaults(self, d):
                self._items.update({key: value for key, value in d.items() if key not in self})
    """,
    "wandb/sdk/wandb_run.py": """
        from wandb.sdk.wandb_config import Config
        class Run:
            url = "https://wandb.example/me/project/runs/1"
            def __init__(self, config):
                self.config = Config()
                self.config.update(dict(config or {}, _wandb={"x": 1}))
            def log(self, data, step=None, commit=None):
                pass
    """,
    "wandb/sdk/lib/__init__.py": "",
    "wandb/sdk/lib/noop_run.py": """
        from wandb.sdk.wandb_run import Run
        class NoopRun(Run):
            url = None
            def log(self, data, *args, **kwargs):
                pass
    """,
}


def run(tmp_path: Path, source: str) -> Recorded:
    """Run a script that finds the stand-ins where the real packages would be."""
    packages = tmp_path / "packages"
    for name, content in _FILES.items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(content))
    script = tmp_path / "script.py"
    script.write_text(dedent(source))
    done = record([sys.executable, script], folder=tmp_path, env={"PYTHONPATH": str(packages)})
    assert done.returncode == 0, done.stderr
    return done
