"""CartPole at a given pace. An ordinary script: recorded or not, it is the same.

    paced_steps.py STEPS_PER_SEC SECS [CORE]

Says BEGIN once it steps, and at the end its own wall and processor time, as TIMED and JSON.
"""

import json
import os
import sys
import time

import gymnasium as gym

rate, secs = float(sys.argv[1]), float(sys.argv[2])
if sys.argv[3:]:
    os.sched_setaffinity(0, {int(core) for core in sys.argv[3].split(",")})
env = gym.make("CartPole-v1")
env.reset(seed=1)
env.action_space.seed(1)
due = max(1, int(rate / 100))  # a hundred naps a second: none of them is shorter than a sleep can be
print("BEGIN", flush=True)
wall, cpu = time.perf_counter(), time.process_time()
steps = 0
while (now := time.perf_counter() - wall) < secs:
    for _ in range(due):
        ended = env.step(env.action_space.sample())[2:4]
        if any(ended):
            env.reset()
    steps += due
    ahead = steps / rate - (time.perf_counter() - wall)
    if ahead > 0:
        time.sleep(ahead)
found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "steps": steps}
print("TIMED", json.dumps(found), flush=True)
