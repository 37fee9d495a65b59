"""`python -m bench [SECTION...]`: measure, print the table, write `bench/out/latest.json`.

Every figure stands beside a limit or a peer measured in the same run, because absolute times move between
machines. A missed goal is printed as missed; it never fails the command: measuring is not testing.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.table import Row, as_json, as_text

Figures = dict[str, float]


def _record(found: Figures) -> list[Row]:
    names = importlib.import_module("bench.record_step")
    empty = found[names.EMPTY]
    plain = found[names.PLAIN] - empty
    rows = [
        Row(
            "record a step",
            found[names.RECORDED] - empty,
            "µs",
            2.0,
            beside="json line + flush",
            beside_value=plain,
        ),
        Row("record a step, stdlib only", found[names.FALLBACK] - empty, "µs", 8.0),
        Row(
            "append to the mapped segment",
            found[names.MAPPED] - empty,
            "µs",
            beside="one write(2)",
            beside_value=found[names.WRITTEN] - empty,
        ),
    ]
    if names.TENSORBOARD in found:
        scalar = found[names.TENSORBOARD] - empty
        step = found[names.RECORDED] - empty
        rows.append(Row("record a step", step, "µs", beside="TensorBoard scalar", beside_value=scalar))
    return rows


def _blocks(name: str, found: Figures, goal: float) -> list[Row]:
    return [
        Row(name, found["blocks_percent"], "%", goal),
        Row("… 95 % interval, from", found["blocks_low_percent"], "%"),
        Row("… to", found["blocks_high_percent"], "%"),
        Row("… the same with nothing to find, from", found["blocks_null_low_percent"], "%"),
        Row("… to", found["blocks_null_high_percent"], "%"),
    ]


def _training(found: Figures) -> list[Row]:
    return [
        Row("SB3 PPO, our part of a recorded step", found["own_recording_micros"], "µs"),
        Row("SB3 PPO, our part of a recorded step", found["own_recording_percent"], "%", 1.0),
        *_blocks("SB3 PPO slowed, blocks in one process", found, 1.0),
        Row("SB3 PPO slowed, processor time", found["slowed_cpu_percent"], "%", 1.0),
        Row("SB3 PPO slowed, wall time", found["slowed_wall_percent"], "%", 1.0),
        Row("… of which half the pairs lie within ±", found["cpu_spread_percent"], "%"),
        Row("SB3 PPO step, not recorded", found["plain_step_micros"], "µs"),
    ]


def _publish(found: Figures) -> list[Row]:
    limit = found["plain_file_events_per_sec"]
    return [
        Row(
            "publish over gRPC, batches of 1,000",
            found["publish_events_per_sec"],
            "events/s",
            200_000,
            more_is_better=True,
            beside="lines to a file",
            beside_value=limit,
        ),
        Row("publish over gRPC, one by one", found["publish_one_by_one_per_sec"], "events/s"),
    ]


def _listing(found: Figures) -> list[Row]:
    bare = found["bare_python_millis"]
    return [
        Row(
            "mosaic ls, 1,000 runs", found["ls_millis"], "ms", 150, beside="python -c pass", beside_value=bare
        ),
        Row(
            "mosaic ls --all, 1,000 runs",
            found["ls_all_millis"],
            "ms",
            beside="python -c pass",
            beside_value=bare,
        ),
    ]


def _store(found: Figures) -> list[Row]:
    rows = []
    for policy in ("balancing", "random"):
        figure = {
            name.removeprefix(f"{policy}_"): value for name, value in found.items() if name.startswith(policy)
        }
        rows += [
            Row(
                f"journal to store, {policy} CartPole",
                figure["ingest_events_per_sec"],
                "events/s",
                300_000,
                more_is_better=True,
                beside="decoding alone",
                beside_value=figure["decode_events_per_sec"],
            ),
            Row(
                f"store, {policy} CartPole",
                figure["bytes_per_step"],
                "bytes/step",
                16.0,
                beside="journal",
                beside_value=figure["journal_bytes_per_step"],
            ),
            Row(f"sealed journal, {policy} CartPole", figure["sealed_bytes_per_step"], "bytes/step"),
            Row(f"one episode as columns, {policy}", figure["episode_columns_micros"], "µs", 500.0),
            Row(f"one episode as rows, {policy}", figure["episode_rows_micros"], "µs"),
            Row(f"return curve of 1 M steps, {policy}", figure["return_curve_millis"], "ms", 5.0),
            Row(
                f"rebuild, {policy}",
                figure["rebuild_events_per_sec"],
                "events/s",
                100_000,
                more_is_better=True,
            ),
        ]
    return rows


def _fastlane(found: Figures) -> list[Row]:
    rows = []
    goals = {"84x84": 1.5, "210x160": None, "400x600": None, "480x640": None, "1080x1920": None}
    for size, goal in goals.items():
        for beside, key in (("memcpy", "memcpy_us"), ("Pipe", "pipe_us"), ("iceoryx2", "iceoryx2_us")):
            if f"{key}_{size}" in found:
                rows.append(
                    Row(
                        f"publish a frame, {size}",
                        found[f"publish_us_{size}"],
                        "µs",
                        goal,
                        beside=beside,
                        beside_value=found[f"{key}_{size}"],
                    )
                )
        for who in ("", "_1_readers", "_4_readers", "_stopped_reader"):
            limit = 1.1 if size == "480x640" and not who else None
            label = f"publish / memcpy, {size}{who.replace('_', ' ')}"
            rows.append(Row(label, found[f"publish_ratio_{size}{who}"], "x", limit))
    for key, shown in (("memcpy", "memcpy"), ("iceoryx2", "iceoryx2")):
        if f"{key}_one_us_1080x1920" in found:
            rows.append(
                Row(
                    f"{shown} of 1080x1920 to one place, that stays in the cache",
                    found[f"{key}_one_us_1080x1920"],
                    "µs",
                    beside="round four places",
                    beside_value=found[f"{key}_us_1080x1920"],
                )
            )
    rows.append(Row("age of a frame at its reader, median", found["age_millis_median"], "ms", 16.7))
    return rows


def _watching(found: Figures) -> list[Row]:
    return [
        Row("SB3 PPO, our part of a frame, beyond render", found["own_frame_micros"], "µs"),
        Row("SB3 PPO, our part of watching at 60 Hz", found["own_watched_percent"], "%", 3.0),
        *_blocks("SB3 PPO watched at 60 Hz, beyond render", found, 3.0),
        Row("SB3 PPO watched at 60 Hz, all of it", found["watched_more_percent"], "%"),
        Row("render calls while nobody watches", found["renders_unwatched"], "calls", 0.0),
    ]


def _replay(found: Figures) -> list[Row]:
    rows = []
    shown_as = {
        "cartpole": "CartPole, 1,000 steps",
        "lunarlander": "LunarLander, 500 steps",
        "carracing": "CarRacing, 280 steps",
        "humanoid": "Humanoid, 300 steps",
    }
    for name, shown in shown_as.items():
        heavy = name in ("carracing", "humanoid")
        figure = {key.removeprefix(f"{name}_"): value for key, value in found.items() if key.startswith(name)}
        rows += [
            Row(f"replay, seek, {shown}", figure["seek_median_millis"], "ms", 100.0),
            Row(
                f"replay, slowest seek, {shown}",
                figure["seek_worst_millis"],
                "ms",
                1000.0 if heavy else 100.0,
            ),
            Row(f"replay, opening, {shown}", figure["open_secs"], "s"),
            Row(f"replay, backwards, {shown}", figure["backwards_per_sec"], "frames/s"),
        ]
    for way, shown in (("alone", "alone"), ("chain", "from a near seeded reset")):
        ratio = found[f"far_last_{way}_open_secs"] / found[f"far_early_{way}_open_secs"]
        rows.append(Row(f"replay, opening the last of 100,000 episodes, {shown}", ratio, "x", 1.5))
    return rows


def _learning(found: Figures) -> list[Row]:
    seeds, tables = int(found["ppo_seeds"]), int(found["tables"])
    return [
        Row(
            f"SB3 PPO, CartPole, 60,000 steps, worst of {seeds} seeds",
            found["ppo_worst_return"],
            "return",
            400.0,
            more_is_better=True,
        ),
        Row(f"SB3 PPO, CartPole, 60,000 steps, mean of {seeds} seeds", found["ppo_mean_return"], "return"),
        Row(
            f"Q-learning, FrozenLake, solved of {tables}",
            found["tables_solved"],
            "tables",
            float(tables),
            more_is_better=True,
        ),
    ]


def _ui(found: Figures) -> list[Row]:
    rest = found["gap_rest_millis"]
    loads = {
        "runs": "50 live runs",
        "chart": "10 M points panned",
        "frames": "frames at 60 Hz",
        "all": "all of it at once",
    }
    rows = [
        Row(
            f"longest gap of the window, {shown}",
            found[f"gap_{name}_millis"],
            "ms",
            50.0,
            beside="at rest",
            beside_value=rest,
        )
        for name, shown in loads.items()
    ]
    rows += [
        Row(f"… of it the window's own work, {shown}", found[f"busy_{name}_millis"], "ms", 50.0)
        for name, shown in loads.items()
    ]
    rows += [
        Row("paintings of the chart, all at once", found["chart_all_per_sec"], "1/s", more_is_better=True),
        Row("live frames painted, all at once", found["frames_all_per_sec"], "1/s", more_is_better=True),
        *(
            Row(
                f"{shown}{unit}",
                found[f"start_{what}_{name}"],
                "s",
                1.0,
                beside="an empty Qt window",
                beside_value=found[f"start_bare_{name}"],
            )
            for what, shown in (("first", "window's first frame"), ("window", "window with all its parts"))
            for name, unit in (("secs", " after its start"), ("cpu_secs", ", processor time"))
        ),
        Row("a run of 10 M steps, to its first chart", found["first_chart_secs"], "s", 0.3),
    ]
    return rows


def _price(found: Figures) -> list[Row]:
    rows = [
        Row("idle, all our processes", found["idle_ours_percent"], "% of a core", 0.1),
        Row(
            "mosaic run itself, a run of nothing",
            found["idle_command_secs"],
            "s",
            0.3,
            beside="python -c pass",
            beside_value=found["idle_bare_python_secs"],
        ),
    ]
    for key in [key for key in found if key.endswith("watched_ours_percent") and "_ppo_" not in key]:
        cores, _, rate, watched = key.split("_")[:4]
        prefix = key.removesuffix("ours_percent")
        goal = {"unwatched": 1.0, "watched": 3.0}[watched] if rate == "1000" else None
        what = f"{int(rate):,} steps/s, {watched}, {cores} core{'s' * (cores != '1')}"
        rows.append(Row(f"all our processes, {what}", found[key], "% of a core", goal))
        for who in ("ingest", "daemon", "shim", "attending"):
            rows.append(Row(f"… {who}", found[f"{prefix}{who}_percent"], "% of a core"))
        rows.append(
            Row(
                "… and what recording adds in the worker",
                found[f"{prefix}worker_extra_percent"],
                "% of a core",
                beside="the program alone",
                beside_value=found[f"{prefix}alone_percent"],
            )
        )
    for key in [key for key in found if key.endswith("_percent") and "_ppo_" in key]:
        cores, _, _, watched, *rest = key.removesuffix("_percent").split("_")
        goal = 3.0 if (cores, watched, *rest) == ("1", "unwatched", "slower") else None
        shown = {"slower": "wall time", "more": "processor time of all", "ours": "our processes"}[rest[0]]
        rows.append(
            Row(f"SB3 PPO, {watched}, {cores} core{'s' * (cores != '1')}, {shown}", found[key], "%", goal)
        )
    return rows


def _statistics(found: Figures) -> list[Row]:
    return [
        Row(
            "IQM of 10 runs x 20 tasks, 10,000 resamples",
            found["iqm_ms"],
            "ms",
            beside="plain Python",
            beside_value=found["plain_iqm_ms"],
        ),
        Row("probability of improvement, the same", found["improvement_ms"], "ms"),
        Row("ratings of 8 players, 1,120 games, 2,000 resamples", found["league_ms"], "ms"),
    ]


def _scenes(found: Figures) -> list[Row]:
    rows = []
    for name, shown in importlib.import_module("bench.scenes").NAMES.items():
        if f"{name}_make_us" not in found:
            continue
        own = found[f"{name}_render_us"]
        make, paint = found[f"{name}_make_us"], found[f"{name}_paint_us"]
        rows += [
            Row(
                f"scene, make and paint, {shown}",
                make + paint,
                "µs",
                beside="its own render()",
                beside_value=own,
            ),
            Row(f"… make, {shown}", make, "µs", 1000.0),
            Row(f"… paint with QPainter, 512 x 512, {shown}", paint, "µs", 4000.0),
            Row(f"… write as SVG, {shown}", found[f"{name}_svg_us"], "µs"),
            Row(
                f"… to JSON and back, {shown}", found[f"{name}_encode_us"] + found[f"{name}_decode_us"], "µs"
            ),
            Row(f"… as JSON, {shown}", found[f"{name}_bytes"], "bytes"),
            Row(f"… compressed, {shown}", found[f"{name}_packed_bytes"], "bytes"),
        ]
    return rows


def _sessions(found: Figures) -> list[Row]:
    goals = {("CartPole-v1", 4): 8000.0, ("MiniGrid-Empty-8x8-v0", 4): 1200.0}
    rows = [
        Row(
            f"ticks in lock-step, {env_id}, {seats} seats, recorded",
            found[f"{env_id}_{seats}_recorded"],
            "/s",
            goals.get((env_id, seats)),
            beside="not recorded",
            beside_value=found[f"{env_id}_{seats}_bare"],
            more_is_better=True,
        )
        for env_id, seats, _ in importlib.import_module("bench.sessions").SETTINGS
    ]
    chess = Row(
        "moves of chess, chance against chance, recorded",
        found["chess_recorded"],
        "/s",
        beside="not recorded",
        beside_value=found["chess_bare"],
        more_is_better=True,
    )
    return [
        *rows,
        chess,
        Row("a decision through a child, median", found["framed_us"], "µs", 120.0),
        Row("… by JSON lines", found["lines_us"], "µs"),
        *(
            Row(
                f"key press to painted frame, turn by turn, {part}",
                found[f"key_{part}_millis"],
                "ms",
                goal,
                beside="repaint alone",
                beside_value=found[f"repaint_{part}_millis"],
            )
            for part, goal in (("p50", None), ("p90", 16.7))
        ),
    ]


SECTIONS: dict[str, tuple[str, Callable[[Figures], list[Row]]]] = {
    "record": ("bench.record_step", _record),
    "training": ("bench.training", _training),
    "store": ("bench.store", _store),
    "publish": ("bench.publish", _publish),
    "listing": ("bench.listing", _listing),
    "price": ("bench.price", _price),
    "replay": ("bench.replay", _replay),
    "fastlane": ("bench.fastlane", _fastlane),
    "watching": ("bench.watching", _watching),
    "learning": ("bench.learning", _learning),
    "scenes": ("bench.scenes", _scenes),
    "sessions": ("bench.sessions", _sessions),
    "ui": ("bench.ui", _ui),
    "statistics": ("bench.statistics", _statistics),
}


def main() -> None:
    """Measure the sections asked for, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of: {', '.join(SECTIONS)}")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "out" / "latest.json")
    asked = parser.parse_args()
    unknown = set(asked.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}. There are: {', '.join(SECTIONS)}")
    rows: list[Row] = []
    for name in asked.sections or SECTIONS:
        module, rows_of = SECTIONS[name]
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        rows += rows_of(importlib.import_module(module).measure())
    print(as_text(rows))
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "t": time.time()}
    asked.output.write_text(json.dumps({"machine": machine, "rows": as_json(rows)}, indent=2) + "\n")
    print(f"\nwritten to {asked.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
