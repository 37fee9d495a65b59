"""Secrets in commands and settings: which words look like one, and the same words with a mark instead.

A secret is known by its name (`--api-key`, `WANDB_API_KEY=`, `password:`), by its place in an address
(`https://user:THIS@host`), by the shape of a well-known kind of token, or because a variable with such a name
holds it. What is none of these is left alone: a password after `-p` cannot be told from a port. Pure: it sees
only what it is given.
"""

from __future__ import annotations

import re
from typing import Any, Iterable, List, Mapping, Sequence, Set

__all__ = ["MARK", "hide", "hide_values", "hide_words", "is_secret_name", "known", "marked"]

MARK = "‹secret›"  # noqa: RUF001  (marks that no shell takes for its own)
"""What stands where a secret stood. Whoever is given it as a value must ask for the secret again."""

_SHORTEST_KNOWN = 8
"""A shorter secret is hidden only where its name stands: elsewhere it could be any word."""
_SHORTEST_TOKEN = 4
"""Below this, what a name as weak as `key` or `token` stands for is a setting."""
_LONGEST_TEXT = 1 << 20
"""Of a longer text only this much is searched for names; what is known is found in all of it."""

_STRONG = (
    "passw", "passphrase", "passcode", "secret", "credential", "bearer", "authorization", "apikey",
    "apitoken", "accesskey", "accesstoken", "privatekey", "authkey", "authtoken", "signingkey",
    "encryptionkey", "sshkey",
)  # fmt: skip
"""In a name without its signs: hardly ever the name of a setting."""
_WEAK = frozenset(("key", "token", "auth", "pass", "pwd", "pw", "pat", "jwt", "cookie"))
"""As the last part of a name: often one."""
_WEAK_ENDS = ("key", "token", "pwd")
_SETTINGS = (
    "eostoken", "bostoken", "padtoken", "paddingtoken", "unktoken", "unknowntoken", "septoken", "clstoken",
    "masktoken", "stoptoken", "starttoken", "endtoken", "begintoken", "specialtoken", "imagetoken",
    "sortkey", "obskey", "observationkey", "statekey", "rewardkey", "actionkey", "infokey", "metrickey",
    "rngkey", "randomkey", "groupkey", "indexkey", "primarykey", "foreignkey", "subkey", "dictkey",
    "configkey", "batchkey", "encoderkey", "decoderkey", "imagekey", "hotkey", "monkey", "turkey", "hockey",
)  # fmt: skip
"""Ends of the names of settings that end like those of secrets."""
_FOLDERS = ("pwd", "oldpwd")
_ABOUT = (
    "path", "file", "filename", "dir", "folder", "home", "sock", "socket", "url", "uri", "name", "type",
    "size", "len", "length", "dim",
)  # fmt: skip
"""A name that ends like this says where a secret lies, or what it is like, not what it is."""
_SWITCHES = frozenset(("true", "false", "none", "null", "yes", "no", "on", "off"))
_PATH = re.compile(r"(~|\.{1,2})?/[\w.@~+-]+(/[\w.@~+-]*)*")
_VARIABLE = re.compile(r"\$\w+|\$?\{\w+\}")
_NUMBER = re.compile(r"[-+]?[\d._]+(e[-+]?\d+)?", re.IGNORECASE)

_SHAPE = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|(?<=PRIVATE KEY-----)[^-]+"
)
"""Tokens that can be told by how they begin: OpenAI, Stripe, GitHub, GitLab, Hugging Face, Slack, AWS, …"""
_ADDRESS = re.compile(
    r"(?P<scheme>\b[A-Za-z][\w+.-]{1,20}://)(?P<user>[^\s/@:'\"]{0,200})(?P<rest>[^\s/'\"]{0,400})@"
)
_BEARER = re.compile(
    r"(?P<kind>\bAuthorization\s{0,9}[:=]\s{0,9}(?:Basic|Bearer|Token)\s+|\bBearer\s+)(?P<value>[^\s'\"]{6,})",
    re.IGNORECASE,
)
_FLAG = re.compile(r"--?(?P<name>[A-Za-z][\w.-]*)")
_ASSIGNMENT = re.compile(r"(?P<given>-{0,2}\+{0,2}(?P<name>[A-Za-z_][\w.-]{0,63})=)(?P<value>.+)", re.DOTALL)
_NAMED = re.compile(
    r"(?<![\w.-])(?P<dash>-{0,2})(?P<name>[A-Za-z_][\w.-]{0,63})"
    r"(?P<sign>['\"]?\s{0,9}[=:]\s{0,9}|['\"]\s{0,9},\s{0,9}|\s{1,9})"
)
_VALUE = re.compile(r"(?:'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.|[^\s'\",;&(){}\[\]])+", re.DOTALL)


def is_secret_name(name: str) -> bool:
    """Whether what is called like this is a secret: a flag, a variable, an entry of a config."""
    return _is_strong(name) or _is_weak(name)


def known(environ: Mapping[str, str], words: Sequence[str] = ()) -> List[str]:
    """The secrets these variables hold and these words give, as far as they are long enough to be looked for.

    Longest first, so that a secret that holds another is hidden whole.
    """
    found = {value for name, value in environ.items() if _holds_secret(name, value)}
    _hide_words(words, found)
    return _findable(found)


def hide(text: str, secrets: Iterable[str] = ()) -> str:
    """A text, such as a line of a shell or of a log, with the mark for every secret in it."""
    return _hide_known(_hide_named(text, set()), secrets)


def hide_words(words: Sequence[str], secrets: Iterable[str] = ()) -> List[str]:
    """The words of a command with the mark for every secret. The first, the program, stays as it is."""
    found = set(secrets)
    shown = _hide_words(words, found)
    longest_first = _findable(found)
    return shown[:1] + [_hide_known(word, longest_first) for word in shown[1:]]


def hide_values(value: Any, secrets: Iterable[str] = (), name: str = "") -> Any:
    """Plain data with the mark for every text that is a secret or is called like one. Numbers stay."""
    if isinstance(value, Mapping):
        return {key: hide_values(item, secrets, str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [hide_values(item, secrets, name) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if not isinstance(value, str):
        return value
    return MARK if _stands_for_secret(name, value) else hide(value, secrets)


def marked(value: Any) -> bool:
    """Whether a secret is missing in plain data."""
    if isinstance(value, Mapping):
        return any(marked(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(marked(item) for item in value)
    return isinstance(value, str) and MARK in value


def _is_strong(name: str) -> bool:
    bare = _bare(name)
    return not bare.endswith(_ABOUT) and any(word in bare for word in _STRONG)


def _is_weak(name: str) -> bool:
    parts = _parts(name)
    return bool(parts) and (parts[-1] in _WEAK or parts[-1].endswith(_WEAK_ENDS)) and not _is_setting(name)


def _is_setting(name: str) -> bool:
    bare = _bare(name)
    return bare.endswith(_SETTINGS) or bare in _FOLDERS


def _bare(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower()).rstrip("0123456789")


def _parts(name: str) -> List[str]:
    split = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return [part for part in re.split("[^a-z]+", split.lower()) if part]


def _stands_for_secret(name: str, value: str) -> bool:
    small = value.isdecimal() and len(value) < _SHORTEST_TOKEN
    if not value or value == MARK or small or value.lower() in _SWITCHES or _VARIABLE.fullmatch(value):
        return False  # a switch, a count, or the name of a variable: a setting under any name
    if _is_strong(name):
        return not ("credential" in name.lower() and _PATH.fullmatch(value))
    return _is_weak(name) and len(value) >= _SHORTEST_TOKEN and not _NUMBER.fullmatch(value)


def _holds_secret(name: str, value: str) -> bool:
    """As for a flag, and more: what a variable holds costs nothing unless it turns up in a command."""
    if len(value) < _SHORTEST_KNOWN or _NUMBER.fullmatch(value):
        return False
    about = _bare(name).endswith(_ABOUT) or _is_setting(name)
    inside = not about and not _WEAK.isdisjoint(_parts(name))
    return _stands_for_secret(name, value) or (inside and not _PATH.fullmatch(value))


def _hide_words(words: Sequence[str], found: Set[str]) -> List[str]:
    """The words with marks, but for the first; what was hidden goes into `found`."""
    shown, flag = list(words[:1]), ""
    for word in words[1:]:
        asks, assigns = _FLAG.fullmatch(word), _ASSIGNMENT.fullmatch(word)
        # One word is one value, spaces and all; but a word such as sh -c "A_KEY=… python …" holds several.
        whole = assigns is not None and (word.startswith("-") or not any(map(str.isspace, word)))
        if flag and asks is None and _stands_for_secret(flag, word):
            found.add(word)
            shown.append(MARK)
        elif (
            assigns is not None
            and whole
            and _stands_for_secret(assigns.group("name"), assigns.group("value"))
        ):
            found.add(assigns.group("value"))
            shown.append(assigns.group("given") + MARK)
        else:
            shown.append(_hide_named(word, found))
        flag = asks.group("name") if asks is not None else ""
    return shown


def _hide_named(text: str, found: Set[str]) -> str:
    """A text with the mark wherever a name, a place or a shape says that a secret stands."""

    def shape(match: re.Match[str]) -> str:
        found.add(match.group())
        return MARK

    def address(match: re.Match[str]) -> str:
        scheme, user, rest = match.group("scheme", "user", "rest")
        if rest.startswith(":") and len(rest) > 1:
            found.add(rest[1:])
            return f"{scheme}{user}:{MARK}@"
        if not rest and len(user) >= 2 * _SHORTEST_KNOWN and scheme.lower().startswith("http"):
            found.add(user)  # a token in place of an account
            return f"{scheme}{MARK}@"
        return match.group()

    def bearer(match: re.Match[str]) -> str:
        found.add(match.group("value"))
        return match.group("kind") + MARK

    head = _SHAPE.sub(shape, text[:_LONGEST_TEXT])
    head = _BEARER.sub(bearer, _ADDRESS.sub(address, head))
    return _hide_given(head, found) + text[_LONGEST_TEXT:]


def _hide_given(text: str, found: Set[str]) -> str:
    """`name=value`, `"name": "value"`, `--name value`, `'--name', 'value'`: in the middle of a text too."""
    parts: List[str] = []
    at = 0
    while True:
        match = _NAMED.search(text, at)
        if match is None:
            return "".join(parts) + text[at:]
        name, sign, end = match.group("name"), match.group("sign"), match.end("name")
        if (match.group("dash") or "=" in sign or ":" in sign) and is_secret_name(name):
            given = None if text.startswith("-", match.end()) else _VALUE.match(text, match.end())
            value = "" if given is None else given.group().strip("'\"")
            if given is not None and MARK not in value and _stands_for_secret(name, value):
                found.add(value)
                quote = given.group()[0] if given.group()[0] in "'\"" else ""
                parts.append(text[at : match.end()] + quote + MARK + quote)
                at = given.end()
                continue
        parts.append(text[at:end])
        at = end


def _hide_known(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MARK)
    return text


def _findable(secrets: Iterable[str]) -> List[str]:
    return sorted((one for one in secrets if len(one) >= _SHORTEST_KNOWN), key=len, reverse=True)
