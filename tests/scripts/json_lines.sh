#!/bin/sh
# A worker that knows nothing of Python: it prints events as JSON lines, between lines of ordinary text.
echo "a line for people"
episode=0
while [ "$episode" -lt 3 ]; do
  step=0
  while [ "$step" -lt 4 ]; do
    last=false
    [ "$step" -eq 3 ] && last=true
    printf '{"type":"step","episode_id":"sh-%d","step":%d,"action":%d,"reward":%d.5,"terminated":%s,"truncated":false,"t":%d.0}\n' \
      "$episode" "$step" "$((step % 2))" "$step" "$last" "$((1000 + episode * 10 + step))"
    step=$((step + 1))
  done
  printf '{"type":"episode","episode_id":"sh-%d","steps":4,"return":8.0,"outcome":"terminated"}\n' "$episode"
  printf '{"type":"metric","name":"loss","value":0.%d,"step":%d,"t":2000.0}\n' "$((5 - episode))" "$episode"
  episode=$((episode + 1))
done
echo '{"type":"metric","name":"odd","value":NaN,"t":2000.0}'
cat >&2 <<'END'
EXPECT {"episodes": [{"steps": 4, "return": 8.0, "outcome": "terminated"}, {"steps": 4, "return": 8.0, "outcome": "terminated"}, {"steps": 4, "return": 8.0, "outcome": "terminated"}], "first_steps": [[0, 0.5, false, false], [1, 1.5, false, false], [0, 2.5, false, false], [1, 3.5, true, false]], "metrics": [["loss", 0.5, 0], ["loss", 0.4, 1], ["loss", 0.3, 2], ["odd", "NaN", null]]}
END
