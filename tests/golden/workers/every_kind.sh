#!/bin/sh
# A worker that knows nothing of Python: one event of every kind, between lines of ordinary text and one broken line.
echo "a line for people"
cat <<'END'
{"type":"config","algo":"by hand","env_id":"Door-v0","seed":5,"args":{"patience":3,"rate":0.25},"t":1000.0}
{"type":"reset","episode_id":"sh-0","seed":5,"seeded":true,"obs":[0,0],"t":1000.0}
{"type":"belief","episode_id":"sh-0","step":0,"agent_id":"porter","data":{"holds":["door_closed"],"wants":["outside"]},"t":1000.1}
{"type":"decision","episode_id":"sh-0","step":0,"agent_id":"porter","operator":"llm","data":{"text":"open the door","tokens":17},"t":1000.2}
{"type":"step","episode_id":"sh-0","step":0,"action":1,"reward":0.5,"terminated":false,"truncated":false,"obs":[0,1],"t":1000.3}
{"type":"decision","episode_id":"sh-0","step":1,"agent_id":"porter","operator":"human","data":{"veto":"not yet"},"t":1000.4}
{"type":"step","episode_id":"sh-0","step":1,"action":0,"reward":1.5,"terminated":true,"truncated":false,"obs":[1,1],"t":1000.5}
{"type":"episode","episode_id":"sh-0","steps":2,"return":2.0,"outcome":"terminated","t_start":1000.0,"t_end":1000.5,"t":1000.5}
{"type":"reset","episode_id":"sh-1","seed":6,"obs":[0,0],"t":1001.0}
{"type":"step","episode_id":"sh-1","step":0,"action":2,"reward":"-Infinity","truncated":true,"t":1001.1}
{"type":"episode","episode_id":"sh-1","steps":1,"return":"-Infinity","outcome":"truncated","t_start":1001.0,"t_end":1001.1,"t":1001.1}
{"type":"metric","name":"loss","value":0.5,"step":0,"t":1001.2}
{"type":"metric","name":"loss","value":NaN,"step":1,"t":1001.3}
{"type":"artifacts","video":"clips/one.mp4","tensorboard":"tb","wandb_url":"https://example.org/run","files":["notes.txt"],"t":1001.4}
{"type":"log","text":"the door is open","level":"warning","t":1001.5}
{"type":"weather","sky":"clear","t":1001.6}
{"type":"step","episode_id":"sh-1","step":"seven"}
END
echo "a line for people who read errors" >&2
