"""Which words of a command are secrets, and what is shown instead of them."""

from __future__ import annotations

import pytest

from mosaic_worker.common.redact import MARK, hide, hide_values, hide_words, is_secret_name, known, marked

CANARY = "c4n4ry-Zq81xWv0"


def shown(*words: str) -> list[str]:
    return hide_words(["python", *words])[1:]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--api-key", CANARY], ["--api-key", MARK]),
        ([f"--api-key={CANARY}"], [f"--api-key={MARK}"]),
        (["--password", "abc"], ["--password", MARK]),
        (["--password=two words; & more"], [f"--password={MARK}"]),
        (["--db_passwd", "12345"], ["--db_passwd", MARK]),
        (["-token", CANARY], ["-token", MARK]),
        (["--hfToken", CANARY], ["--hfToken", MARK]),
        (["--wandb.key", CANARY], ["--wandb.key", MARK]),
        ([f"WANDB_API_KEY={CANARY}", "train.py"], [f"WANDB_API_KEY={MARK}", "train.py"]),
        ([f"+logger.api_key={CANARY}"], [f"+logger.api_key={MARK}"]),
        (["-c", f"PGPASSWORD={CANARY} python a.py"], ["-c", f"PGPASSWORD={MARK} python a.py"]),
        (["-c", f"a.py --token {CANARY} --seed 1"], ["-c", f"a.py --token {MARK} --seed 1"]),
        (["-c", f"a.py --secret '{CANARY} x' y"], ["-c", f"a.py --secret '{MARK}' y"]),
        ([f'{{"api_key": "{CANARY}", "lr": 3}}'], [f'{{"api_key": "{MARK}", "lr": 3}}']),
        ([f"https://user:{CANARY}@host/x"], [f"https://user:{MARK}@host/x"]),
        ([f"postgresql+psycopg://u:p@{CANARY}@host/x"], [f"postgresql+psycopg://u:{MARK}@host/x"]),
        ([f"https://{CANARY}-0@host/x"], [f"https://{MARK}@host/x"]),
        (["-H", f"Authorization: Bearer {CANARY}"], ["-H", f"Authorization: {MARK} {MARK}"]),
        (["-H", f"X-Api-Key: {CANARY}"], ["-H", f"X-Api-Key: {MARK}"]),
        (["sk-proj-abcdefghijklmnopqrst"], [MARK]),
        (["ghp_abcdefghijklmnopqrstuvwxyz0123"], [MARK]),
        (["--key", CANARY, "--same", f"x{CANARY}y"], ["--key", MARK, "--same", f"x{MARK}y"]),
    ],
)
def test_a_secret_in_a_command_is_hidden(words: list[str], expected: list[str]) -> None:
    assert shown(*words) == expected


@pytest.mark.parametrize(
    "words",
    [
        ["train.py", "--seed", "1", "--lr=3e-4", "--env-id", "CartPole-v1"],
        ["--max-tokens", "4096", "--eos-token", "<|end|>", "--tokenizer", "bpe-large", "--pad_token=[PAD]"],
        ["--keyframes", "every-ten", "--sort-key", "reward", "--obs-keys", "pixels", "--monkey", "capuchin"],
        ["--encoder.cnn_keys", "image.*", "--key", "7", "--prng-key", "12345678"],
        ["--api-key-file", "/run/keys/wandb", "--password", "--verbose", "--secret-dim", "64"],
        ["--use-token=true", "--token", "$HF_TOKEN", "--credentials", "/home/me/gcp.json"],
        ["https://host/path", "ssh://git@host/repo", "user@host:path", "Basic training", "KeyError: 'seed'"],
    ],
)
def test_a_setting_is_shown_as_it_is(words: list[str]) -> None:
    assert shown(*words) == words


def test_what_a_variable_of_such_a_name_holds_is_hidden_wherever_it_stands() -> None:
    environ = {
        "OPENAI_API_KEY_2": CANARY,
        "MY_TOKEN_OF_MINE": "another-canary",
        "SHORT_KEY": "abc",
        "PWD": "/home/me/project",
        "SSH_KEY_PATH": "/home/me/.ssh/id",
        "KEY_SIZE": "12345678",
        "HOME": "/home/me",
    }
    assert known(environ) == [CANARY, "another-canary"]
    words = ["/home/me/python", "/home/me/project/train.py", "abc", f"--x={CANARY}", "12345678another-canary"]
    expected = [*words[:3], f"--x={MARK}", f"12345678{MARK}"]
    assert hide_words(words, known(environ)) == expected


def test_what_a_flag_gives_is_known_too_and_the_longest_comes_first() -> None:
    words = ["train.py", "--password", "longest-of-all", "--token", "longest-"]
    assert known({}, words) == ["longest-of-all", "longest-"]
    assert hide_values({"x": "longest-of-all"}, known({}, words)) == {"x": MARK}


def test_the_program_stays_whatever_it_is_called() -> None:
    assert hide_words([f"/opt/{CANARY}/bin/python", CANARY], [CANARY]) == [f"/opt/{CANARY}/bin/python", MARK]


def test_texts_in_a_config_are_hidden_by_name_and_by_value_and_numbers_stay() -> None:
    config = {
        "api_key": CANARY,
        "secret": 3,
        "max_tokens": 9,
        "tokenizer": "bpe",
        "deep": {"passwords": ["one", "two"], "note": f"with {CANARY}"},
        "url": "https://u:pw@host",
    }
    assert hide_values(config, [CANARY]) == {
        "api_key": MARK,
        "secret": 3,
        "max_tokens": 9,
        "tokenizer": "bpe",
        "deep": {"passwords": [MARK, MARK], "note": f"with {MARK}"},
        "url": f"https://u:{MARK}@host",
    }


def test_a_line_of_a_log_that_repeats_the_command_hides_its_secrets() -> None:
    line = f"CalledProcessError: Command '['curl', '--api-key', '{CANARY}', 'x']' returned 1"
    assert hide(line) == line.replace(CANARY, MARK)
    assert hide(f"a.py: error: unrecognized arguments: --api-key {CANARY}") == (
        f"a.py: error: unrecognized arguments: --api-key {MARK}"
    )


def test_hiding_twice_changes_nothing_more() -> None:
    once = shown(
        "--api-key", CANARY, f"--password={CANARY}", "-c", f"A_KEY='{CANARY}' x", f"ftp://a:{CANARY}@b"
    )
    assert shown(*once) == once


def test_the_mark_is_found_in_anything_plain() -> None:
    assert marked(["a", {"b": ("c", f"--key={MARK}")}])
    assert not marked(["a", {"b": ("c", 1, None)}])


@pytest.mark.parametrize(
    "text", ["a" * 300_000, "a=" * 150_000, "key " * 100_000, "'key', " * 50_000, ":/" * 99_999]
)
def test_a_word_of_any_size_is_read_once(text: str) -> None:
    assert len(hide(text)) <= len(text) * 3  # what would be read again from every place would not end


def test_names_are_read_in_every_spelling() -> None:
    for name in (
        "apiKey",
        "API-KEY",
        "x.api_key",
        "APIKEY1",
        "PGPASSWORD",
        "MYSQL_PWD",
        "GITHUB_PAT",
        "authToken",
    ):
        assert is_secret_name(name), name
    for name in ("keys", "PWD", "OLDPWD", "key_path", "KeyError", "author", "compass", "passes", "token_len"):
        assert not is_secret_name(name), name


def test_what_a_variable_holds_is_known_from_eight_letters_on() -> None:
    assert known({"MY_API_KEY": "a2c4e6g"}) == []
    assert known({"MY_API_KEY": "a2c4e6g8"}) == ["a2c4e6g8"]
