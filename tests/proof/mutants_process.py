"""The deliberate breaks of G4 to G7, G13 and G15 to G18: processes, disks, clocks and other accounts."""

from __future__ import annotations

from tests.proof.mutation import Mutant

__all__ = ["PROCESS_MUTANTS"]

_BURST = "tests/proof/test_burst.py::"
_DISK = "tests/proof/test_disk.py::"
_FAILING = "tests/proof/test_failing_disk.py::test_whatever_call_of_ingest_the_disk_refuses_nothing_is_lost"
_KILLS = "tests/proof/test_daemon_kills.py::"
_OUTLIVE = _KILLS + "test_runs_outlive_a_killed_daemon_and_every_end_is_the_true_one[5]"
_PRIVACY = "tests/proof/test_privacy.py::"
_SECRETS = "tests/proof/test_secrets.py::test_secrets_reach_the_worker_and_nothing_that_is_kept_or_shown"
_STOP = "tests/proof/test_stop.py::"
_HIDING = _STOP + "test_a_stop_ends_every_process_wherever_it_hides[9]"
_ONE = "tests/proof/test_one_daemon.py::"
_CLOCK = "tests/proof/test_clock.py::"

PROCESS_MUTANTS: list[Mutant] = [
    Mutant(
        name="a full disk is the script's problem",
        guarantee="G4",
        file="mosaic_worker/journal.py",
        old="                if error.errno not in _NO_SPACE:\n",
        new="                if error.errno:\n",
        proof=_DISK + "test_on_a_full_disk_the_worker_waits_says_so_and_goes_on_when_there_is_room",
    ),
    Mutant(
        name="no reserve is kept",
        guarantee="G4",
        file="mosaic/daemon/janitor.py",
        old="    return free_mib < (reserve_mib * _AGAIN if was_low else reserve_mib)\n",
        new="    return False\n",
        proof=_DISK + "test_a_run_pauses_before_the_disk_is_full_and_goes_on_when_there_is_room",
    ),
    Mutant(
        name="a slow viewer is not told what it missed",
        guarantee="G4",
        file="mosaic/daemon/streams.py",
        old="            skipped = pb.Skipped(from_seq=self._cursor, to_seq=near_head)\n",
        new="            skipped = None\n",
        proof=_BURST + "test_viewers_that_stand_still_hinder_nobody_and_miss_nothing_untold[20000-3]",
    ),
    Mutant(
        name="a refused write is passed over",
        guarantee="G4",
        file="mosaic/store/ingest.py",
        old=(
            '                raise StoreError(f"cannot write {self._path}: {error}") from error\n'
            "            self._start_over("
        ),
        new=(
            "                if self._writer.db.in_transaction:\n"
            '                    self._writer.db.execute("ROLLBACK")\n'
            "                return Turn(self.summary(), more=False, advanced=False)\n"
            "            self._start_over("
        ),
        proof=_FAILING + "[once-at-some]",
    ),
    Mutant(
        name="the run dies with the daemon",
        guarantee="G5",
        file="mosaic/daemon/places/local/shim.py",
        old="        while not self._reap():\n            want",
        new="        while not self._reap() and os.getppid() != 1:\n            want",
        proof=_OUTLIVE,
    ),
    Mutant(
        name="the shim loads code when its worker has ended",
        guarantee="G5",
        file="mosaic/daemon/places/local/shim.py",
        old="        status = self._status\n",
        new="        from mosaic.daemon import janitor\n\n        status = janitor and self._status\n",
        proof=_KILLS + "test_an_upgrade_under_a_live_run_changes_nothing_for_it",
    ),
    Mutant(
        name="a lost run counts as finished",
        guarantee="G6",
        file="mosaic/runs/lifecycle.py",
        old="    return Verdict(RunState.LOST, why or _how_lost",
        new="    return Verdict(RunState.FINISHED, why or _how_lost",
        proof=_OUTLIVE,
    ),
    Mutant(
        name="a signal counts as an exit code",
        guarantee="G6",
        file="mosaic/daemon/places/local/shim.py",
        old='{"signal": -status} if status < 0 else {"code": status}',
        new='{"code": max(status, 0)}',
        proof=_OUTLIVE,
    ),
    Mutant(
        name="the worker does not hold its lock",
        guarantee="G6",
        file="mosaic/daemon/places/local/shim.py",
        old="fcntl.fcntl(tree, fcntl.F_DUPFD, _TREE_FD_AT_LEAST)",
        new="fcntl.fcntl(tree, fcntl.F_DUPFD_CLOEXEC, _TREE_FD_AT_LEAST)",
        proof=_OUTLIVE,
    ),
    Mutant(
        name="the daemon believes what its registry says",
        guarantee="G7",
        file="mosaic/daemon/runbook.py",
        old="        self._runs[run_id] = run\n        self.refresh(run)\n",
        new=(
            "        self._runs[run_id] = run\n"
            "        if entry is None:\n"
            "            self.refresh(run)\n"
            "        else:\n"
            "            run.row, run.sight, run.looked = entry.row, self._observe(run), True\n"
        ),
        proof=_OUTLIVE,
    ),
    Mutant(
        name="the caller's umask counts",
        guarantee="G13",
        file="mosaic/daemon/server.py",
        old="    os.umask(0o077)\n",
        new="",
        proof=_PRIVACY + "test_nothing_a_careless_caller_makes_is_open_to_others[home]",
    ),
    Mutant(
        name="a folder others may read is good enough",
        guarantee="G13",
        file="mosaic/runs/files.py",
        old="    if info.st_mode & 0o077:\n",
        new="    if info.st_mode & 0o022:\n",
        proof=_PRIVACY + "test_a_folder_that_is_not_ours_alone_is_refused[daemon-0755]",
    ),
    Mutant(
        name="anybody's folder is good enough",
        guarantee="G13",
        file="mosaic/runs/files.py",
        old="    if info.st_uid != os.getuid():\n",
        new="    if info.st_uid == -1:\n",
        proof=_PRIVACY + "test_a_folder_that_is_not_ours_alone_is_refused[runs-foreign]",
    ),
    Mutant(
        name="one method needs no token",
        guarantee="G13",
        file="mosaic/daemon/auth.py",
        old="        return self._refusal\n",
        new=(
            '        if handler_call_details.method.endswith("/Status"):\n'
            "            return await continuation(handler_call_details)\n"
            "        return self._refusal\n"
        ),
        proof=_PRIVACY + "test_every_method_without_the_token_is_refused",
    ),
    Mutant(
        name="the daemon listens on the network too",
        guarantee="G13",
        file="mosaic/daemon/server.py",
        old='        server.add_insecure_port(f"unix:{bound}")\n',
        new=(
            '        server.add_insecure_port(f"unix:{bound}")\n'
            '        server.add_insecure_port("127.0.0.1:0")\n'
        ),
        proof=_PRIVACY + "test_no_process_of_ours_listens_on_a_network",
    ),
    Mutant(
        name="the manifest has the command as it was typed",
        guarantee="G15",
        file="mosaic/daemon/trainer.py",
        old="record=lambda: self._record(recorded, script)",
        new="record=lambda: self._record(spec, script)",
        proof=_SECRETS,
    ),
    Mutant(
        name="the worker says hello with all its words",
        guarantee="G15",
        file="mosaic_worker/recorder.py",
        old='"argv": redact.hide_words(argv, redact.known(os.environ, argv)),',
        new='"argv": argv,',
        proof=_SECRETS,
    ),
    Mutant(
        name="a config is recorded as it is",
        guarantee="G15",
        file="mosaic_worker/recorder.py",
        old='event["args"] = redact.hide_values(args, redact.known(os.environ, _argv()))',
        new='event["args"] = args',
        proof=_SECRETS,
    ),
    Mutant(
        name="the worker gets the marks",
        guarantee="G15",
        file="mosaic/daemon/trainer.py",
        old="self._place_of(spec).launch(folder, spec, env,",
        new="self._place_of(spec).launch(folder, recorded, env,",
        proof=_SECRETS,
    ),
    Mutant(
        name="the daemon keeps its first caller's variables",
        guarantee="G15",
        file="mosaic/rpc/launch.py",
        old="if _OF_A_DAEMON.fullmatch(name) and name not in _OF_A_WORKER and not is_secret_name(name)",
        new="if name not in _OF_A_WORKER or is_secret_name(name)",
        proof=_SECRETS,
    ),
    Mutant(
        name="the words of a refused command are repeated as its reason",
        guarantee="G15",
        file="mosaic/runs/listing.py",
        old="        said = redact.hide(said)\n",
        new="        redact.hide(said)\n",
        proof=_SECRETS,
    ),
    Mutant(
        name="who forks twice escapes",
        guarantee="G16",
        file="mosaic/daemon/places/local/shim.py",
        old="prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)",
        new="prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)",
        proof=_HIDING,
    ),
    Mutant(
        name="the ladder ends at SIGTERM",
        guarantee="G16",
        file="mosaic/daemon/places/local/shim.py",
        old="                self._kill_all()\n        self._record_exit({**self._ended(),",
        new="                pass\n        self._record_exit({**self._ended(),",
        proof=_HIDING,
    ),
    Mutant(
        name="the ladder takes a minute",
        guarantee="G16",
        file="mosaic/settings.py",
        old="    stop_term_secs: float = 3.0\n",
        new="    stop_term_secs: float = 60.0\n",
        proof=_STOP + "test_the_whole_ladder_takes_no_longer_than_promised",
    ),
    Mutant(
        name="every submission is a run of its own",
        guarantee="G17",
        file="mosaic/rpc/convert.py",
        old="    return RunSpec(\n        run_id=message.run_id,\n",
        new='    return RunSpec(\n        run_id=str(__import__("ulid").ULID()),\n',
        proof=_ONE + "test_one_run_id_submitted_by_many_at_once_starts_one_worker[5]",
    ),
    Mutant(
        name="a lock can be held by two",
        guarantee="G17",
        file="mosaic/runs/locks.py",
        old="            ofd.take(self.fd)\n",
        new=(
            "            import fcntl, struct\n"
            "            shared = struct.pack(ofd._FLOCK, fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)\n"
            "            fcntl.fcntl(self.fd, ofd._F_OFD_SETLK, shared)\n"
        ),
        proof="tests/runs/test_locks.py::test_a_lock_is_held_until_it_is_closed",
    ),
    Mutant(
        name="liveness is a heartbeat",
        guarantee="G18",
        file="mosaic/runs/folder.py",
        old='    shim_alive = attempt("shim.lock", lambda: held("shim.lock", dir_fd=fd), otherwise=False)\n',
        new=(
            '    shim_alive = attempt("shim.lock", lambda: held("shim.lock", dir_fd=fd), otherwise=False)\n'
            "    from time import time as wall_clock\n\n"
            '    beat = os.stat("shim.lock", dir_fd=fd).st_mtime if shim_alive else 0.0\n'
            "    shim_alive = shim_alive and wall_clock() - beat < 3600\n"
        ),
        proof=_CLOCK + "test_records_from_any_time_give_the_same_states",
    ),
    Mutant(
        name="a state depends on the time of day",
        guarantee="G18",
        file="mosaic/daemon/runbook.py",
        old="        verdict = sight.verdict\n",
        new=(
            "        verdict = sight.verdict\n"
            "        if self._now() < run.manifest.created - 60:\n"
            '            verdict = Verdict(RunState.QUEUED, "it is yet to come")\n'
        ),
        proof=_CLOCK + "test_a_jumping_clock_changes_no_state",
    ),
    Mutant(
        name="the code of liveness reads a clock",
        guarantee="G18",
        file="mosaic/daemon/places/local/orphans.py",
        old="        due = rung(monotonic_secs - self._began,",
        new="        due = rung(__import__('time').time() - self._began,",
        proof=_CLOCK + "test_code_that_derives_states_reads_no_wall_clock[daemon/places/local/orphans.py]",
    ),
]
