#!/usr/bin/env python3
"""Runs one step's program within bounds: `bounded.py SPEC PROGRAM WORDS...`, where SPEC is JSON with the
program's variables (`env`), the folders and files that it may write to (`writes`), how many bytes of memory it
may hold with what it starts (`memory`), and the process that started this one (`runner`). Ends as the program
does.

Nothing that the program started is left then, whatever sessions and groups it made: this process takes in what
those below it leave behind (a subreaper), and ends it. On SIGTERM, and when the runner has ended, it ends all of
it at once. Linux's Landlock
keeps the program to its folders, where the kernel has it.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time

# What a program that cannot be started ends by, with the reason on standard error; Linux sends it to nobody.
NOT_STARTED = 16
# What it ends by when it held too much memory; Linux sends it to the first process alone.
TOO_MUCH_MEMORY = 30
# How often memory is looked at, in seconds.
LOOK = 0.25
# How long it may take until nothing is left, in seconds.
LONGEST = 10

# Devices that any program has, and what names of devices that compute begin with.
EVERYWHERE = ["/proc", *(f"/dev/{name}" for name in "full null ptmx random tty urandom zero".split())]
COMPUTING = ("dri", "nvidia", "kfd", "dxg", "accel", "dfl-", "intel-fpga")

# Of <linux/prctl.h> and <linux/landlock.h>; the numbers of these system calls are the same everywhere.
SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER, SET_NO_NEW_PRIVS = 1, 36, 38
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
# Writing, taking away and making files of any kind, moving between folders, and cutting off.
WRITES = WRITE_FILE | sum(1 << bit for bit in range(4, 14)) | TRUNCATE

libc = ctypes.CDLL(None, use_errno=True)


class Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("file", ctypes.c_int32)]


def writes_to_confine():
    """What Landlock can keep a program from; nothing where it is not there, or so old that it lets nobody
    move files between folders."""
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1) if sys.platform == "linux" else 0
    return 0 if version < 2 else WRITES if version > 2 else WRITES & ~TRUNCATE


def confine(places):
    """Keeps this process, and what it starts, to writing at and below these places."""
    writes = writes_to_confine()
    if not writes:
        return
    handled = ctypes.c_uint64(writes)
    rules = checked(libc.syscall(CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), 0))
    for place in filter(os.path.exists, places):
        file = os.open(place, os.O_PATH | os.O_CLOEXEC)
        access = writes if os.path.isdir(place) else writes & (WRITE_FILE | TRUNCATE)
        checked(libc.syscall(ADD_RULE, rules, 1, ctypes.byref(Rule(access, file)), 0))
        os.close(file)
    checked(libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    checked(libc.syscall(RESTRICT_SELF, rules, 0))


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "the program cannot be kept to its folder")
    return result


def devices():
    nodes = os.listdir("/dev") if os.path.isdir("/dev") else []
    return EVERYWHERE + [f"/dev/{node}" for node in nodes if node.startswith(COMPUTING)]


def take_in():
    """Has what processes below this one leave behind come to it."""
    if sys.platform == "linux":
        libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processes():
    """Number, parent and whether it has ended of every process, as /proc shows them."""
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
            # One whose first thread alone has ended is still there.
            yield int(name), int(fields[1]), fields[0] in "ZX" and int(fields[17]) <= 1


def children(of):
    """The children of a process, ended or not."""
    return {process for process, parent, _ in processes() if parent == of}


def below(root):
    """The processes below one that have not ended."""
    standing = {}
    for process, parent, ended in processes():
        if not ended:
            standing.setdefault(parent, []).append(process)
    found = [root]
    for process in found:
        found += standing.get(process, [])
    return found[1:]


def hold_more_than(root, size):
    """Whether the processes below one hold more than so many bytes of memory that is no file's. What several share
    counts once: that is looked at only where it can decide, as the system takes its time to tell."""
    processes = below(root)

    def whole(process):
        return held(f"/proc/{process}/status", ("RssAnon:", "RssShmem:")) or 0

    def share(process):
        told = held(f"/proc/{process}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:"))
        return whole(process) if told is None else told

    return sum(map(whole, processes)) > size and sum(map(share, processes)) > size


def held(name, lines):
    """The bytes of memory that lines of a file of /proc tell of; None where none does."""
    with contextlib.suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
        told = [int(line.split()[1]) for line in file if line.startswith(lines)]
        return sum(told) * 1024 if told else None
    return None


def end_all():
    """Ends what is below this process, and takes it off the system's list."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for process in below(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.001)


def start(spec, words):
    """Starts the program; its process, or OSError."""
    told, tells = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            # Python has them ignored, which programs would inherit.
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGALRM):
                signal.signal(number, signal.SIG_DFL)
            confine(spec["writes"] + devices())
            os.execvpe(words[0], words, spec["env"])
        except OSError as error:
            os.write(tells, str(error).encode())
        finally:
            os._exit(127)
    os.close(tells)
    reason = os.read(told, 4096)
    if reason:
        raise OSError(reason.decode(errors="replace"))
    return child


def ended_by(number):
    """Ends this process by a signal, and keeps no core of it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def main():
    spec, words = json.loads(sys.argv[1]), sys.argv[2:]
    take_in()

    def stop(_number, _frame):
        raise TimeoutError

    def look(_number, _frame):
        if hold_more_than(os.getpid(), spec["memory"]):
            raise MemoryError
        signal.setitimer(signal.ITIMER_REAL, LOOK)

    status = None
    try:
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, LOOK)
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
            # Where memory runs out before this one has looked, the system ends the program before others.
            file.write("1000")
        if sys.platform == "linux":
            libc.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != spec["runner"]:
            raise TimeoutError
        status = os.waitpid(start(spec, words), 0)[1]
    except TimeoutError:
        pass
    except MemoryError:
        status = TOO_MUCH_MEMORY
    except OSError as error:
        print(error, file=sys.stderr, flush=True)
        status = NOT_STARTED
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_all()
    if status is None or os.WIFSIGNALED(status):
        ended_by(os.WTERMSIG(status) if status else signal.SIGKILL)
    return os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main())
