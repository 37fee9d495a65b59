"""A run's output as harmless lines."""

from __future__ import annotations

from mosaic.ui.logs.model import Line, Log


def test_lines_come_whole_whatever_the_pieces() -> None:
    log = Log()
    assert log.take("stdout", b"on") == []
    assert log.take("stderr", b"oops\n") == [Line("stderr", "oops")]
    assert log.partial("stdout") == "on"
    assert log.take("stdout", b"e\ntw") == [Line("stdout", "one")]
    assert log.take("stdout", b"o\r\n\n") == [Line("stdout", "two"), Line("stdout", "")]
    assert log.partial("stdout") == ""


def test_a_letter_cut_in_two_arrives_whole_and_rubbish_is_shown() -> None:
    log = Log()
    both = "é\n".encode()
    assert log.take("stdout", both[:1]) == []
    assert log.take("stdout", both[1:]) == [Line("stdout", "é")]
    assert log.take("stdout", b"\xff\n") == [Line("stdout", "\\xff")]


def test_escape_sequences_do_nothing() -> None:
    log = Log()
    data = b"\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1b[2J \x07bell \x1b and \xe2\x80\xae tricks\n"
    (line,) = log.take("stdout", data)
    assert line.text.startswith("red x ")
    assert all(letter.isprintable() for letter in line.text)


def test_of_a_progress_bar_the_last_look_is_kept() -> None:
    log = Log()
    assert log.take("stderr", b"\r 1%\r 2%") == []
    assert log.partial("stderr") == " 2%"
    assert log.take("stderr", b"\r100%\n") == [Line("stderr", "100%")]


def test_old_lines_are_forgotten_and_counted_and_long_ones_cut() -> None:
    log = Log(most_lines=3, most_letters=10)
    log.take("stdout", b"".join(b"%d\n" % number for number in range(10)))
    assert [line.text for line in log.lines] == ["7", "8", "9"]
    assert log.forgotten == 7
    (line,) = log.take("stdout", b"x" * 100 + b"\n")
    assert line.text == "x" * 10 + "…"
    log.take("stdout", b"y" * 100_000)
    assert len(log._open["stdout"]) <= 40


def test_lines_are_wanted_by_text_and_stream() -> None:
    log = Log()
    log.take("stdout", b"Alpha\nbeta\n")
    log.take("stderr", b"alphabet\n")
    changes: list[None] = []
    log.changed.connect(lambda: changes.append(None))
    log.want(words="ALPHA")
    assert [line.text for line in log.wanted()] == ["Alpha", "alphabet"]
    log.want(words="", streams=("stderr",))
    assert [line.text for line in log.wanted()] == ["alphabet"]
    assert log.wanted([Line("stdout", "new")]) == []
    log.want(words="")
    assert len(changes) == 2, "wanting the same changes nothing"


def test_of_lines_being_written_the_wanted_streams_are_shown() -> None:
    log = Log()
    log.take_all({"stdout": b"10%", "stderr": b"half a warning"})
    assert log.being_written == "10%  half a warning"
    log.want(streams=("stderr",))
    assert log.being_written == "half a warning"


def test_another_run_begins_an_empty_log_and_what_is_wanted_stays() -> None:
    log = Log(most_lines=2)
    grew: list[list[Line]] = []
    log.grew.connect(grew.append)
    log.turn_to("01A")
    log.want(words="x")
    log.take_all({"stdout": b"x\ny\nz\nhalf \xc3"})
    assert grew == [[Line("stdout", "x"), Line("stdout", "y"), Line("stdout", "z")]]
    assert log.said == "2 lines, 1 older line not shown"
    log.turn_to("01B")
    assert (log.run_id, log.words, log.said) == ("01B", "x", "nothing written yet")
    log.take_all({"stdout": b"x\n"})
    assert log.wanted() == [Line("stdout", "x")], "not what the last run left half written"
    assert log.said == "1 line"
