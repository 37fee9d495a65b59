from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WhenStarved(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WAIT: _ClassVar[WhenStarved]
    COALESCE: _ClassVar[WhenStarved]
WAIT: WhenStarved
COALESCE: WhenStarved

class RunRef(_message.Message):
    __slots__ = ("run",)
    RUN_FIELD_NUMBER: _ClassVar[int]
    run: str
    def __init__(self, run: _Optional[str] = ...) -> None: ...

class RunSpec(_message.Message):
    __slots__ = ("run_id", "command", "cwd", "name", "tags", "runner", "record_json", "parent", "job_json")
    class TagsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    CWD_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    RUNNER_FIELD_NUMBER: _ClassVar[int]
    RECORD_JSON_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    JOB_JSON_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    command: _containers.RepeatedScalarFieldContainer[str]
    cwd: str
    name: str
    tags: _containers.ScalarMap[str, str]
    runner: str
    record_json: bytes
    parent: str
    job_json: bytes
    def __init__(self, run_id: _Optional[str] = ..., command: _Optional[_Iterable[str]] = ..., cwd: _Optional[str] = ..., name: _Optional[str] = ..., tags: _Optional[_Mapping[str, str]] = ..., runner: _Optional[str] = ..., record_json: _Optional[bytes] = ..., parent: _Optional[str] = ..., job_json: _Optional[bytes] = ...) -> None: ...

class SubmitRunRequest(_message.Message):
    __slots__ = ("spec", "env")
    class EnvEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SPEC_FIELD_NUMBER: _ClassVar[int]
    ENV_FIELD_NUMBER: _ClassVar[int]
    spec: RunSpec
    env: _containers.ScalarMap[str, str]
    def __init__(self, spec: _Optional[_Union[RunSpec, _Mapping]] = ..., env: _Optional[_Mapping[str, str]] = ...) -> None: ...

class StopRunRequest(_message.Message):
    __slots__ = ("run", "reason")
    RUN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    run: str
    reason: str
    def __init__(self, run: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class DeleteRunReply(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class EditRunRequest(_message.Message):
    __slots__ = ("run", "name", "set_tags", "drop_tags")
    class SetTagsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SET_TAGS_FIELD_NUMBER: _ClassVar[int]
    DROP_TAGS_FIELD_NUMBER: _ClassVar[int]
    run: str
    name: str
    set_tags: _containers.ScalarMap[str, str]
    drop_tags: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, run: _Optional[str] = ..., name: _Optional[str] = ..., set_tags: _Optional[_Mapping[str, str]] = ..., drop_tags: _Optional[_Iterable[str]] = ...) -> None: ...

class ListRunsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListRunsReply(_message.Message):
    __slots__ = ("runs",)
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[RunRow]
    def __init__(self, runs: _Optional[_Iterable[_Union[RunRow, _Mapping]]] = ...) -> None: ...

class WatchRunsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RunChange(_message.Message):
    __slots__ = ("run", "deleted", "caught_up")
    RUN_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    CAUGHT_UP_FIELD_NUMBER: _ClassVar[int]
    run: RunRow
    deleted: bool
    caught_up: bool
    def __init__(self, run: _Optional[_Union[RunRow, _Mapping]] = ..., deleted: _Optional[bool] = ..., caught_up: _Optional[bool] = ...) -> None: ...

class RunExit(_message.Message):
    __slots__ = ("code", "signal", "t", "stop_asked", "error", "leftovers")
    CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    T_FIELD_NUMBER: _ClassVar[int]
    STOP_ASKED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LEFTOVERS_FIELD_NUMBER: _ClassVar[int]
    code: int
    signal: int
    t: float
    stop_asked: bool
    error: str
    leftovers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, code: _Optional[int] = ..., signal: _Optional[int] = ..., t: _Optional[float] = ..., stop_asked: _Optional[bool] = ..., error: _Optional[str] = ..., leftovers: _Optional[_Iterable[str]] = ...) -> None: ...

class RunRow(_message.Message):
    __slots__ = ("run_id", "name", "state", "reason", "created", "command", "tags", "exit", "started", "ended", "episodes", "steps", "metrics", "quarantined", "store_seq", "last_return", "steps_per_sec", "mean_return_100", "runner", "algorithm", "env_ids", "group", "parent", "warned", "paused_secs", "paused_since")
    class TagsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    EXIT_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    QUARANTINED_FIELD_NUMBER: _ClassVar[int]
    STORE_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_RETURN_FIELD_NUMBER: _ClassVar[int]
    STEPS_PER_SEC_FIELD_NUMBER: _ClassVar[int]
    MEAN_RETURN_100_FIELD_NUMBER: _ClassVar[int]
    RUNNER_FIELD_NUMBER: _ClassVar[int]
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    ENV_IDS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    WARNED_FIELD_NUMBER: _ClassVar[int]
    PAUSED_SECS_FIELD_NUMBER: _ClassVar[int]
    PAUSED_SINCE_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    name: str
    state: str
    reason: str
    created: float
    command: _containers.RepeatedScalarFieldContainer[str]
    tags: _containers.ScalarMap[str, str]
    exit: RunExit
    started: float
    ended: float
    episodes: int
    steps: int
    metrics: int
    quarantined: int
    store_seq: int
    last_return: float
    steps_per_sec: float
    mean_return_100: float
    runner: str
    algorithm: str
    env_ids: _containers.RepeatedScalarFieldContainer[str]
    group: str
    parent: str
    warned: int
    paused_secs: float
    paused_since: float
    def __init__(self, run_id: _Optional[str] = ..., name: _Optional[str] = ..., state: _Optional[str] = ..., reason: _Optional[str] = ..., created: _Optional[float] = ..., command: _Optional[_Iterable[str]] = ..., tags: _Optional[_Mapping[str, str]] = ..., exit: _Optional[_Union[RunExit, _Mapping]] = ..., started: _Optional[float] = ..., ended: _Optional[float] = ..., episodes: _Optional[int] = ..., steps: _Optional[int] = ..., metrics: _Optional[int] = ..., quarantined: _Optional[int] = ..., store_seq: _Optional[int] = ..., last_return: _Optional[float] = ..., steps_per_sec: _Optional[float] = ..., mean_return_100: _Optional[float] = ..., runner: _Optional[str] = ..., algorithm: _Optional[str] = ..., env_ids: _Optional[_Iterable[str]] = ..., group: _Optional[str] = ..., parent: _Optional[str] = ..., warned: _Optional[int] = ..., paused_secs: _Optional[float] = ..., paused_since: _Optional[float] = ...) -> None: ...

class StoreSummary(_message.Message):
    __slots__ = ("store_seq", "episodes", "steps", "metrics", "checkpoints", "quarantined", "unknown", "holes", "last_return", "mean_return_100", "steps_per_sec", "t_first", "t_last", "env_ids", "warnings", "train_episodes", "eval_episodes", "eval_mean_return_100", "warned", "returns_of")
    STORE_SEQ_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINTS_FIELD_NUMBER: _ClassVar[int]
    QUARANTINED_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    HOLES_FIELD_NUMBER: _ClassVar[int]
    LAST_RETURN_FIELD_NUMBER: _ClassVar[int]
    MEAN_RETURN_100_FIELD_NUMBER: _ClassVar[int]
    STEPS_PER_SEC_FIELD_NUMBER: _ClassVar[int]
    T_FIRST_FIELD_NUMBER: _ClassVar[int]
    T_LAST_FIELD_NUMBER: _ClassVar[int]
    ENV_IDS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    TRAIN_EPISODES_FIELD_NUMBER: _ClassVar[int]
    EVAL_EPISODES_FIELD_NUMBER: _ClassVar[int]
    EVAL_MEAN_RETURN_100_FIELD_NUMBER: _ClassVar[int]
    WARNED_FIELD_NUMBER: _ClassVar[int]
    RETURNS_OF_FIELD_NUMBER: _ClassVar[int]
    store_seq: int
    episodes: int
    steps: int
    metrics: int
    checkpoints: int
    quarantined: int
    unknown: int
    holes: int
    last_return: float
    mean_return_100: float
    steps_per_sec: float
    t_first: float
    t_last: float
    env_ids: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    train_episodes: int
    eval_episodes: int
    eval_mean_return_100: float
    warned: int
    returns_of: str
    def __init__(self, store_seq: _Optional[int] = ..., episodes: _Optional[int] = ..., steps: _Optional[int] = ..., metrics: _Optional[int] = ..., checkpoints: _Optional[int] = ..., quarantined: _Optional[int] = ..., unknown: _Optional[int] = ..., holes: _Optional[int] = ..., last_return: _Optional[float] = ..., mean_return_100: _Optional[float] = ..., steps_per_sec: _Optional[float] = ..., t_first: _Optional[float] = ..., t_last: _Optional[float] = ..., env_ids: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[str]] = ..., train_episodes: _Optional[int] = ..., eval_episodes: _Optional[int] = ..., eval_mean_return_100: _Optional[float] = ..., warned: _Optional[int] = ..., returns_of: _Optional[str] = ...) -> None: ...

class RegisterWorkerRequest(_message.Message):
    __slots__ = ("run_id", "worker_id", "protocol", "capabilities", "program")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    WORKER_ID_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    worker_id: str
    protocol: int
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    program: str
    def __init__(self, run_id: _Optional[str] = ..., worker_id: _Optional[str] = ..., protocol: _Optional[int] = ..., capabilities: _Optional[_Iterable[str]] = ..., program: _Optional[str] = ...) -> None: ...

class RegisterWorkerReply(_message.Message):
    __slots__ = ("session", "producer", "acked_seq", "protocol", "version", "capabilities", "max_batch_bytes")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    PRODUCER_FIELD_NUMBER: _ClassVar[int]
    ACKED_SEQ_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_BYTES_FIELD_NUMBER: _ClassVar[int]
    session: str
    producer: str
    acked_seq: int
    protocol: int
    version: str
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    max_batch_bytes: int
    def __init__(self, session: _Optional[str] = ..., producer: _Optional[str] = ..., acked_seq: _Optional[int] = ..., protocol: _Optional[int] = ..., version: _Optional[str] = ..., capabilities: _Optional[_Iterable[str]] = ..., max_batch_bytes: _Optional[int] = ...) -> None: ...

class RunStep(_message.Message):
    __slots__ = ("episode_id", "step", "action_json", "reward", "terminated", "truncated", "obs_json", "t", "agent_id", "turn", "rewards_json")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    ACTION_JSON_FIELD_NUMBER: _ClassVar[int]
    REWARD_FIELD_NUMBER: _ClassVar[int]
    TERMINATED_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OBS_JSON_FIELD_NUMBER: _ClassVar[int]
    T_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    REWARDS_JSON_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    step: int
    action_json: bytes
    reward: float
    terminated: bool
    truncated: bool
    obs_json: bytes
    t: float
    agent_id: str
    turn: int
    rewards_json: bytes
    def __init__(self, episode_id: _Optional[str] = ..., step: _Optional[int] = ..., action_json: _Optional[bytes] = ..., reward: _Optional[float] = ..., terminated: _Optional[bool] = ..., truncated: _Optional[bool] = ..., obs_json: _Optional[bytes] = ..., t: _Optional[float] = ..., agent_id: _Optional[str] = ..., turn: _Optional[int] = ..., rewards_json: _Optional[bytes] = ...) -> None: ...

class RunEpisode(_message.Message):
    __slots__ = ("episode_id", "steps", "episode_return", "outcome", "t_start", "t_end", "env_index", "agent_id", "seed", "t")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    EPISODE_RETURN_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    T_START_FIELD_NUMBER: _ClassVar[int]
    T_END_FIELD_NUMBER: _ClassVar[int]
    ENV_INDEX_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    T_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    steps: int
    episode_return: float
    outcome: str
    t_start: float
    t_end: float
    env_index: int
    agent_id: str
    seed: int
    t: float
    def __init__(self, episode_id: _Optional[str] = ..., steps: _Optional[int] = ..., episode_return: _Optional[float] = ..., outcome: _Optional[str] = ..., t_start: _Optional[float] = ..., t_end: _Optional[float] = ..., env_index: _Optional[int] = ..., agent_id: _Optional[str] = ..., seed: _Optional[int] = ..., t: _Optional[float] = ...) -> None: ...

class PublishSteps(_message.Message):
    __slots__ = ("session", "first_seq", "steps")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    session: str
    first_seq: int
    steps: _containers.RepeatedCompositeFieldContainer[RunStep]
    def __init__(self, session: _Optional[str] = ..., first_seq: _Optional[int] = ..., steps: _Optional[_Iterable[_Union[RunStep, _Mapping]]] = ...) -> None: ...

class PublishEpisodes(_message.Message):
    __slots__ = ("session", "first_seq", "episodes")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    EPISODES_FIELD_NUMBER: _ClassVar[int]
    session: str
    first_seq: int
    episodes: _containers.RepeatedCompositeFieldContainer[RunEpisode]
    def __init__(self, session: _Optional[str] = ..., first_seq: _Optional[int] = ..., episodes: _Optional[_Iterable[_Union[RunEpisode, _Mapping]]] = ...) -> None: ...

class PublishEvents(_message.Message):
    __slots__ = ("session", "first_seq", "lines")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    session: str
    first_seq: int
    lines: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, session: _Optional[str] = ..., first_seq: _Optional[int] = ..., lines: _Optional[_Iterable[bytes]] = ...) -> None: ...

class PublishAck(_message.Message):
    __slots__ = ("acked_seq",)
    ACKED_SEQ_FIELD_NUMBER: _ClassVar[int]
    acked_seq: int
    def __init__(self, acked_seq: _Optional[int] = ...) -> None: ...

class ReadRequest(_message.Message):
    __slots__ = ("run", "since_seq", "credits", "when_starved", "batch_rows", "kind")
    RUN_FIELD_NUMBER: _ClassVar[int]
    SINCE_SEQ_FIELD_NUMBER: _ClassVar[int]
    CREDITS_FIELD_NUMBER: _ClassVar[int]
    WHEN_STARVED_FIELD_NUMBER: _ClassVar[int]
    BATCH_ROWS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    run: str
    since_seq: int
    credits: int
    when_starved: WhenStarved
    batch_rows: int
    kind: str
    def __init__(self, run: _Optional[str] = ..., since_seq: _Optional[int] = ..., credits: _Optional[int] = ..., when_starved: _Optional[_Union[WhenStarved, str]] = ..., batch_rows: _Optional[int] = ..., kind: _Optional[str] = ...) -> None: ...

class Skipped(_message.Message):
    __slots__ = ("from_seq", "to_seq")
    FROM_SEQ_FIELD_NUMBER: _ClassVar[int]
    TO_SEQ_FIELD_NUMBER: _ClassVar[int]
    from_seq: int
    to_seq: int
    def __init__(self, from_seq: _Optional[int] = ..., to_seq: _Optional[int] = ...) -> None: ...

class StepRecord(_message.Message):
    __slots__ = ("episode_id", "step", "action_json", "reward", "terminated", "truncated", "obs_json", "t", "agent_id", "turn", "seq", "rewards_json")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    ACTION_JSON_FIELD_NUMBER: _ClassVar[int]
    REWARD_FIELD_NUMBER: _ClassVar[int]
    TERMINATED_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OBS_JSON_FIELD_NUMBER: _ClassVar[int]
    T_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    REWARDS_JSON_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    step: int
    action_json: bytes
    reward: float
    terminated: bool
    truncated: bool
    obs_json: bytes
    t: float
    agent_id: str
    turn: int
    seq: int
    rewards_json: bytes
    def __init__(self, episode_id: _Optional[str] = ..., step: _Optional[int] = ..., action_json: _Optional[bytes] = ..., reward: _Optional[float] = ..., terminated: _Optional[bool] = ..., truncated: _Optional[bool] = ..., obs_json: _Optional[bytes] = ..., t: _Optional[float] = ..., agent_id: _Optional[str] = ..., turn: _Optional[int] = ..., seq: _Optional[int] = ..., rewards_json: _Optional[bytes] = ...) -> None: ...

class EpisodeRecord(_message.Message):
    __slots__ = ("episode_id", "index", "env_index", "agent_id", "steps", "episode_return", "seed", "outcome", "t_start", "t_end", "group", "env_id", "seq", "role")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ENV_INDEX_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    EPISODE_RETURN_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    T_START_FIELD_NUMBER: _ClassVar[int]
    T_END_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    ENV_ID_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    index: int
    env_index: int
    agent_id: str
    steps: int
    episode_return: float
    seed: int
    outcome: str
    t_start: float
    t_end: float
    group: str
    env_id: str
    seq: int
    role: str
    def __init__(self, episode_id: _Optional[str] = ..., index: _Optional[int] = ..., env_index: _Optional[int] = ..., agent_id: _Optional[str] = ..., steps: _Optional[int] = ..., episode_return: _Optional[float] = ..., seed: _Optional[int] = ..., outcome: _Optional[str] = ..., t_start: _Optional[float] = ..., t_end: _Optional[float] = ..., group: _Optional[str] = ..., env_id: _Optional[str] = ..., seq: _Optional[int] = ..., role: _Optional[str] = ...) -> None: ...

class MetricRecord(_message.Message):
    __slots__ = ("name", "canonical", "value", "step", "t", "source", "seq")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    T_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    name: str
    canonical: str
    value: float
    step: int
    t: float
    source: str
    seq: int
    def __init__(self, name: _Optional[str] = ..., canonical: _Optional[str] = ..., value: _Optional[float] = ..., step: _Optional[int] = ..., t: _Optional[float] = ..., source: _Optional[str] = ..., seq: _Optional[int] = ...) -> None: ...

class CheckpointRecord(_message.Message):
    __slots__ = ("path", "sha256", "bytes", "step", "kind", "t", "meta_json", "seq")
    PATH_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    T_FIELD_NUMBER: _ClassVar[int]
    META_JSON_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    path: str
    sha256: str
    bytes: int
    step: int
    kind: str
    t: float
    meta_json: bytes
    seq: int
    def __init__(self, path: _Optional[str] = ..., sha256: _Optional[str] = ..., bytes: _Optional[int] = ..., step: _Optional[int] = ..., kind: _Optional[str] = ..., t: _Optional[float] = ..., meta_json: _Optional[bytes] = ..., seq: _Optional[int] = ...) -> None: ...

class EventRecord(_message.Message):
    __slots__ = ("seq", "type", "json")
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    seq: int
    type: str
    json: bytes
    def __init__(self, seq: _Optional[int] = ..., type: _Optional[str] = ..., json: _Optional[bytes] = ...) -> None: ...

class StepBatch(_message.Message):
    __slots__ = ("rows", "next_seq", "live", "skipped")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[StepRecord]
    next_seq: int
    live: bool
    skipped: Skipped
    def __init__(self, rows: _Optional[_Iterable[_Union[StepRecord, _Mapping]]] = ..., next_seq: _Optional[int] = ..., live: _Optional[bool] = ..., skipped: _Optional[_Union[Skipped, _Mapping]] = ...) -> None: ...

class EpisodeBatch(_message.Message):
    __slots__ = ("rows", "next_seq", "live", "skipped")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[EpisodeRecord]
    next_seq: int
    live: bool
    skipped: Skipped
    def __init__(self, rows: _Optional[_Iterable[_Union[EpisodeRecord, _Mapping]]] = ..., next_seq: _Optional[int] = ..., live: _Optional[bool] = ..., skipped: _Optional[_Union[Skipped, _Mapping]] = ...) -> None: ...

class MetricBatch(_message.Message):
    __slots__ = ("rows", "next_seq", "live", "skipped")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[MetricRecord]
    next_seq: int
    live: bool
    skipped: Skipped
    def __init__(self, rows: _Optional[_Iterable[_Union[MetricRecord, _Mapping]]] = ..., next_seq: _Optional[int] = ..., live: _Optional[bool] = ..., skipped: _Optional[_Union[Skipped, _Mapping]] = ...) -> None: ...

class EventBatch(_message.Message):
    __slots__ = ("rows", "next_seq", "live", "skipped")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[EventRecord]
    next_seq: int
    live: bool
    skipped: Skipped
    def __init__(self, rows: _Optional[_Iterable[_Union[EventRecord, _Mapping]]] = ..., next_seq: _Optional[int] = ..., live: _Optional[bool] = ..., skipped: _Optional[_Union[Skipped, _Mapping]] = ...) -> None: ...

class ListEpisodesRequest(_message.Message):
    __slots__ = ("run", "first_index", "limit", "since_seq", "role")
    RUN_FIELD_NUMBER: _ClassVar[int]
    FIRST_INDEX_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    SINCE_SEQ_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    run: str
    first_index: int
    limit: int
    since_seq: int
    role: str
    def __init__(self, run: _Optional[str] = ..., first_index: _Optional[int] = ..., limit: _Optional[int] = ..., since_seq: _Optional[int] = ..., role: _Optional[str] = ...) -> None: ...

class ListEpisodesReply(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[EpisodeRecord]
    def __init__(self, rows: _Optional[_Iterable[_Union[EpisodeRecord, _Mapping]]] = ...) -> None: ...

class GetEpisodeStepsRequest(_message.Message):
    __slots__ = ("run", "index", "episode_id", "first", "limit")
    RUN_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    run: str
    index: int
    episode_id: str
    first: int
    limit: int
    def __init__(self, run: _Optional[str] = ..., index: _Optional[int] = ..., episode_id: _Optional[str] = ..., first: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class GetEpisodeStepsReply(_message.Message):
    __slots__ = ("episode", "rows")
    EPISODE_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    episode: EpisodeRecord
    rows: _containers.RepeatedCompositeFieldContainer[StepRecord]
    def __init__(self, episode: _Optional[_Union[EpisodeRecord, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[StepRecord, _Mapping]]] = ...) -> None: ...

class ListMetricsRequest(_message.Message):
    __slots__ = ("run", "name", "since_seq", "limit")
    RUN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SINCE_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    run: str
    name: str
    since_seq: int
    limit: int
    def __init__(self, run: _Optional[str] = ..., name: _Optional[str] = ..., since_seq: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListMetricsReply(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[MetricRecord]
    def __init__(self, rows: _Optional[_Iterable[_Union[MetricRecord, _Mapping]]] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("run", "kinds", "index", "episode_id", "step", "since_seq", "limit")
    RUN_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SINCE_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    run: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    index: int
    episode_id: str
    step: int
    since_seq: int
    limit: int
    def __init__(self, run: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., index: _Optional[int] = ..., episode_id: _Optional[str] = ..., step: _Optional[int] = ..., since_seq: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListEventsReply(_message.Message):
    __slots__ = ("rows", "next_seq", "more")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQ_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[EventRecord]
    next_seq: int
    more: bool
    def __init__(self, rows: _Optional[_Iterable[_Union[EventRecord, _Mapping]]] = ..., next_seq: _Optional[int] = ..., more: _Optional[bool] = ...) -> None: ...

class ListCheckpointsReply(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[CheckpointRecord]
    def __init__(self, rows: _Optional[_Iterable[_Union[CheckpointRecord, _Mapping]]] = ...) -> None: ...

class ReadLogsRequest(_message.Message):
    __slots__ = ("run", "stderr", "offset", "max_bytes")
    RUN_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    run: str
    stderr: bool
    offset: int
    max_bytes: int
    def __init__(self, run: _Optional[str] = ..., stderr: _Optional[bool] = ..., offset: _Optional[int] = ..., max_bytes: _Optional[int] = ...) -> None: ...

class ReadLogsReply(_message.Message):
    __slots__ = ("data", "next_offset", "ended")
    DATA_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    next_offset: int
    ended: bool
    def __init__(self, data: _Optional[bytes] = ..., next_offset: _Optional[int] = ..., ended: _Optional[bool] = ...) -> None: ...

class StatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DaemonStatus(_message.Message):
    __slots__ = ("version", "protocol", "pid", "home", "started", "runs", "faults", "last_fault", "streams", "publishers")
    class RunsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    HOME_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FAULT_FIELD_NUMBER: _ClassVar[int]
    STREAMS_FIELD_NUMBER: _ClassVar[int]
    PUBLISHERS_FIELD_NUMBER: _ClassVar[int]
    version: str
    protocol: int
    pid: int
    home: str
    started: float
    runs: _containers.ScalarMap[str, int]
    faults: int
    last_fault: str
    streams: int
    publishers: int
    def __init__(self, version: _Optional[str] = ..., protocol: _Optional[int] = ..., pid: _Optional[int] = ..., home: _Optional[str] = ..., started: _Optional[float] = ..., runs: _Optional[_Mapping[str, int]] = ..., faults: _Optional[int] = ..., last_fault: _Optional[str] = ..., streams: _Optional[int] = ..., publishers: _Optional[int] = ...) -> None: ...

class ShutdownRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ShutdownReply(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
