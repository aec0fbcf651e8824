#!/usr/bin/env python3
"""Runs exported conformance cases for one toolchain; needs Python 3.8 and nothing else.

    run.py TOOLCHAIN.json [PART OF A CASE'S NAME ...] [--tool NAME=PROGRAM] [--have NEED[=FILE]] [--json FILE]
           [--set PLACE=FOLDER]

TOOLCHAIN.json is one of toolchains/, or a file of the same form. Where it names a place, as in
`%{plumbline}/bin/sycl-post-link` or `%{set-up:llvm-23}/bin/clang`, --set says which folder that is here: --set
plumbline=/opt/plumbline; `%{here}` is its own folder, `%{work}` one for this run. `suites.json` beside this file has
the cases, the programs that judge (looked up by name, or given with --tool), and what cases can need:
programs again, or what only you can say is here (--have). Exit status 1 when a case failed. `bounded.py`
starts the steps' programs: what they leave running is ended, and they write to their case's folder alone,
where the kernel can see to it.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import selectors
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import bounded

HERE = os.path.dirname(os.path.abspath(__file__))
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
PANIC = 101
# By which programs crash: SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
SIGNALS = (4, 6, 7, 8, 11)
# A place in a description, and the parts of one in which places stand.
PLACE = r"%\{([^}]*)\}"
PLACED = ["tools", "version", "programs", "tries", "settings", "env", "judges", "writes"]
# How many bytes a step's program may write on each of its streams.
MOST = 64 << 20
# How many bytes of a file are held against what a case expects.
LARGEST = 256 << 20
VERDICTS = ["passed", "failed", "known-deviation", "differs-beyond", "not-observable", "skipped"]
FAILURES = {"driver-rejects", "compile-fails", "malformed", "link-fails"}
EXITS = {
    "passes": [0], "filtered": [0], "driver-rejects": [1, 2], "compile-fails": [1], "malformed": [1],
    "link-fails": [1], "runtime-throws": [3],
}


class Harness(Exception):
    """What this runner could not do, which says nothing of a toolchain."""


class Suites:
    """The exported data, the toolchain, and where other programs are."""

    def __init__(self, toolchain, tools, have, places):
        with open(os.path.join(HERE, "suites.json"), encoding="utf-8") as file:
            self.data = json.load(file)
        self.toolchain, self.places = toolchain, places
        self.roles = set(self.data["roles"])
        self.tools = {name: find(candidates) for name, candidates in self.data["tools"].items()}
        self.tools.update(tools)
        found = lambda programs: {name: path for name, candidates in programs.items()
                                  for path in [find(candidates)] if path}
        # With the file that stands for each, where anything names one.
        self.have = {**found(self.data["needs"]), **have}
        self.components = set(found(self.data["components"]))
        relies_on, tries = toolchain.get("relies-on", {}), toolchain.get("tries", {})
        for name in self.data["capabilities"]:
            brought = name not in relies_on or self.components & set(relies_on[name])
            if brought and (name not in tries or works(tries[name])):
                self.have.setdefault(name, None)

    def translated(self, case):
        """A case in the toolchain's words."""
        case = json.loads(json.dumps(case))
        for translation in self.toolchain.get("dialect", []):
            if "to" in translation:
                apply(case, translation)
        return case

    def golden_folders(self):
        """Where the golden files are that the toolchain is held to, in the order in which they hold."""
        names = [self.toolchain["name"], self.toolchain.get("goldens")]
        folders = [os.path.join(HERE, "golden", name) for name in names if name]
        return [folder for folder in folders if os.path.isdir(folder)]

    def part_of(self, case):
        """A case without steps that the toolchain does not answer for, and without those whose setting is not
        here, as long as a step for another device stays and none for the same; and why they are left out."""
        answers = case.get("beyond") or self.toolchain.get("answers-beyond")
        steps = [step for step in case["steps"] if answers or "beyond" not in step]
        settings = {step["with"] for step in steps if "with" in step}
        reasons = {name: self.hides(name) or self.lacks_setting(name) for name in sorted(settings)}
        left_out = {name: reason for name, reason in reasons.items() if reason}
        stay = {self.device_of(name) or name for name in settings if name not in left_out}
        if not stay or stay & {self.device_of(name) or name for name in left_out}:
            left_out = {}
        return {**case, "steps": [step for step in steps if step.get("with") not in left_out]}, left_out

    def hides(self, name):
        """Why the toolchain cannot show what is called so, where its description says that."""
        for what, why in self.toolchain.get("cannot-show", {}).items():
            if what == name or what.endswith("*") and name.startswith(what[:-1]):
                return why
        return None

    def device_of(self, setting):
        """What cases can need that a setting is about: itself, or what its name begins with."""
        return max((need for need in self.data["needs"] if f"{setting}-".startswith(f"{need}-")), key=len, default=None)

    def lacks_setting(self, name):
        if name in self.data["needs"] and name not in self.have:
            return f"nothing says that '{name}' is here (--have {name} does)"
        return None if name in self.toolchain.get("settings", {}) else f"the toolchain offers no '{name}'"

    def obstacle(self, case, left_out):
        """Verdict and reason when what is to be run of a case cannot be, else None."""
        names = {name for step in case["steps"] for name in names_in(step)}
        settings = [step["with"] for step in case["steps"] if "with" in step]
        headers = ["headers"] if includes_sycl(case) else []
        of_others = {self.device_of(name) for name in left_out}
        needs = [name for name in case.get("needs", []) if name not in of_others]
        for name in [case["name"], *headers, *case["requirements"], *needs, *settings, *sorted(names)]:
            if self.hides(name):
                return "not-observable", self.hides(name)
        for translation in self.toolchain.get("dialect", []):
            said = [step["run"] for step in case["steps"] if is_about(translation, step)]
            if "cannot-show" in translation and any(re.search(translation["from"], run) for run in said):
                return "not-observable", translation["cannot-show"]
        if is_of_goldens(case) and not self.golden_folders():
            return "skipped", f"toolchain '{self.toolchain['name']}' has no golden files"
        for name in case.get("needs", []):
            if name not in self.have:
                return "skipped", f"nothing says that '{name}' is here (--have {name} does)"
        for name in settings:
            if self.lacks_setting(name):
                return "skipped", self.lacks_setting(name)
        if "filecheck" in json.dumps(case["steps"]):
            names.add("FileCheck")
        for name in sorted(names):
            if name in self.roles and name not in self.toolchain["tools"]:
                return "skipped", f"the toolchain has no {name}"
            relied_on = self.toolchain.get("relies-on", {}).get(name)
            if relied_on and not self.components & set(relied_on):
                return "skipped", f"none of {', '.join(relied_on)} is here"
            if name in self.toolchain.get("judges", {}):
                continue
            if name in self.tools and self.tools[name] is None:
                return "skipped", f"no program '{name}' (--tool {name}=PROGRAM names one)"
            if name in self.have and not self.have[name]:
                return "skipped", f"nothing says where '{name}' is (--have {name}=FILE does)"
        return None

    def judge(self, case):
        """Verdict and reason of a case, and what was left out of it."""
        part, left_out = self.part_of(case)
        obstacle = self.obstacle(part, left_out)
        return (*obstacle, {}) if obstacle else (*self.verdict(part), left_out)

    def verdict(self, case):
        run = Run(self, self.translated(case))
        try:
            wrong = run.run()
        except (Harness, OSError, ValueError) as error:
            return "failed", str(error)
        known = {d["case"]: d for d in self.toolchain.get("deviations", [])}.get(case["name"])
        if known and (wrong is None or run.crashed != known.get("crashes", False)):
            how = "passes" if wrong is None else "crashes" if run.crashed else "no longer crashes"
            return "failed", f"{how}, but is listed as a deviation: {known['reason']}"
        if known and known.get("says", "") not in run.told:
            return "failed", f"does not say '{known['says']}', but is listed as a deviation: {known['reason']}\n{wrong}"
        if known:
            return "known-deviation", known["reason"]
        if wrong is None:
            return "passed", None
        if run.crashed:
            return "failed", wrong
        held = is_of_goldens(case) or self.toolchain.get("answers-beyond")
        if case.get("beyond") and not held:
            return "differs-beyond", f"{case['beyond']}\n{wrong}"
        return "failed", wrong


class Run:
    """One case in a folder of its own."""

    def __init__(self, suites, case):
        self.suites, self.case, self.crashed = suites, case, False
        # Of what went wrong all but the commands.
        self.told = ""
        self.work = tempfile.mkdtemp(prefix="case-")
        self.here = os.path.join(HERE, "cases", os.path.dirname(case["file"]))

    def run(self):
        """What went wrong, or None."""
        try:
            os.makedirs(os.path.join(self.work, ".tmp"))
            for name, text in self.case.get("inputs", {}).items():
                path = os.path.join(self.work, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            for number, step in enumerate(self.case["steps"], 1):
                wrong = self.step(step)
                if wrong:
                    return f"step {number}: {step['run']}\n" + "\n".join(wrong)
            return None
        finally:
            shutil.rmtree(self.work, ignore_errors=True)

    def step(self, step):
        words = [word for part in shlex.split(step["run"]) for word in self.fill(part)]
        if words[0].startswith("./"):
            words[0] = os.path.join(self.work, words[0][2:])
        built = step["run"].lstrip().startswith(("%t/", "%{t}/", "./"))
        if built:
            words = self.suites.toolchain.get("programs", []) + words
        pairs = zip(words, words[1:])
        outputs = [os.path.join(self.work, f) for option, f in pairs if option == "-o" and f != "-"]
        outputs = [path for path in outputs if not os.path.exists(path)]
        code, out, err, breach = self.start(step, words)
        if breach:
            self.crash(step)
            self.told = breach
            return [breach]
        if code == -bounded.NOT_STARTED:
            reason = err.decode(errors="replace").strip()
            if built:
                return [reason]
            raise Harness(reason)
        wrong = self.ending(step, code)
        for name, bytes_ in [("stdout", out), ("stderr", err)]:
            if name in step:
                wrong += [f"{name} {w}" for w in self.text(step[name], bytes_)]
        for name, checks in step.get("files", {}).items():
            wrong += [f"{name} {w}" for w in self.file(self.path(name), checks)]
        if step["outcome"] in FAILURES:
            wrong += [f"failed and left its output {path}" for path in outputs if os.path.exists(path)]
        if wrong:
            self.told = "\n".join(wrong) + "\n" + (out + err).decode(errors="replace")
            wrong.append(f"to repeat: cd {shlex.quote(self.work)} && {shlex.join(words)}")
            wrong.append((out + err).decode(errors="replace")[:4000])
        return wrong

    def start(self, step, words):
        """How a program ended and what it wrote, or the bound that it broke."""
        places = [self.work, *self.suites.toolchain.get("writes", [])]
        for place in places[1:]:
            os.makedirs(place, exist_ok=True)
        spec = json.dumps({"env": self.environment(step), "writes": places, "memory": MEMORY, "runner": os.getpid()})
        program = begin(
            [sys.executable, "-I", "-S", bounded.__file__, spec, *words], cwd=self.work, env={},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        with program:
            written, breach = exchange(program, step.get("stdin", "").encode(), step["limit"])
            if breach:
                program.terminate()
                # A step may have stopped it.
                program.send_signal(signal.SIGCONT)
        if program.returncode < 0:
            end_adopted()
        if program.returncode == -bounded.TOO_MUCH_MEMORY:
            breach = f"held more than {MEMORY >> 20} MiB of memory"
        return (program.returncode, *written, breach)

    def environment(self, step):
        toolchain = self.suites.toolchain
        env = {"PATH": SEARCH_PATH, "HOME": self.work, "TMPDIR": os.path.join(self.work, ".tmp"),
               "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "0"}
        env.update(toolchain.get("env", {}))
        env.update(toolchain.get("settings", {}).get(step.get("with"), {}))
        env.update({name: " ".join(self.fill(value)) for name, value in step.get("env", {}).items()})
        return env

    def crash(self, step, code=0):
        """A crash is the toolchain's own when its program was, or one that it built. A script may have
        started anything, so that its own status has to say what ended; and a judge that dies tells nothing."""
        built = step["run"].lstrip().startswith(("%t/", "%{t}/", "./"))
        name = step["run"].split()[0].lstrip("%").strip("{}")
        signal_of_it = -code if code < 0 else code - 128
        if built or name in self.suites.toolchain["tools"] or (name in ("sh", "make") and signal_of_it in SIGNALS):
            self.crashed = True
        elif name not in ("sh", "make"):
            raise Harness(f"'{name}' crashed or ran past its limit: {step['run']}")

    def ending(self, step, code):
        if code < 0 or code == PANIC or code > 125:
            self.crash(step, code)
            return [f"crashed ({abs(code)}); no outcome is a crash"]
        if "exit" in step:
            return [] if code == step["exit"] else [f"exit status {code}, expected {step['exit']}"]
        allowed = self.suites.toolchain.get("exits", {}).get(step["outcome"], EXITS[step["outcome"]])
        return [] if code in allowed else [f"exit status {code}, but {step['outcome']} means {allowed}"]

    def text(self, checks, bytes_):
        text = bytes_.decode(errors="replace").replace("\r\n", "\n")
        places = [(self.work, "%t"), (self.here, "%s"), (os.path.join(HERE, "fixtures"), "%{fixtures}")]
        places += [(path, "%{plumbline}") for name, path in self.suites.places.items() if name == "plumbline"]
        for path, name in sorted(places, key=lambda place: -len(place[0])):
            text = text.replace(path, name)
        wrong = []
        if checks.get("equals") is not None and checks["equals"].strip() != text.strip():
            wrong.append(f"is not {checks['equals']!r}")
        if checks.get("lines") is not None and len(text.splitlines()) != checks["lines"]:
            wrong.append(f"has {len(text.splitlines())} lines, not {checks['lines']}")
        wrong += [f"does not contain {t!r}" for t in checks.get("contains", []) if t not in text]
        wrong += [f"contains {t!r}" for t in checks.get("lacks", []) if t in text]
        wrong += [f"contains {t!r} {text.count(t)} times, not {n}"
                  for t, n in checks.get("count", {}).items() if text.count(t) != n]
        wrong += [f"does not match /{p}/" for p in checks.get("matches", []) if not matches(p, text)]
        wrong += [f"matches /{p}/" for p in checks.get("lacks-match", []) if matches(p, text)]
        if checks.get("json"):
            wrong += in_json(checks["json"], text)
        if checks.get("filecheck"):
            wrong += self.filecheck(checks["filecheck"], text)
        if checks.get("golden") and self.suites.golden_folders():
            wrong += self.golden(checks["golden"], text)
        if checks.get("own") and self.suites.toolchain.get("answers-beyond"):
            wrong += self.text(checks["own"], bytes_)
        return wrong

    def file(self, path, checks):
        if checks.get("absent"):
            return ["is there"] if os.path.exists(path) else []
        try:
            bytes_ = read(path)
        except OSError as error:
            return [error.strerror or str(error)]
        wrong = []
        if checks.get("same-as"):
            try:
                if read(self.path(checks["same-as"])) != bytes_:
                    wrong.append(f"differs from {checks['same-as']}")
            except OSError as error:
                wrong.append(f"{checks['same-as']}: {error.strerror or error}")
        if checks.get("begins-with"):
            begin = bytes.fromhex("".join(checks["begins-with"].split()))
            if not bytes_.startswith(begin):
                wrong.append(f"begins with {listed(bytes_[:len(begin)])}, not {listed(begin)}")
        if checks.get("text"):
            wrong += self.text(checks["text"], bytes_)
        return wrong

    def filecheck(self, checks, text):
        if not self.suites.tools["FileCheck"]:
            raise Harness("no FileCheck (--tool FileCheck=PROGRAM names one)")
        # Not in the case's folder, where a step may have made a pipe of that name, or a link out of it.
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(checks)
            file.flush()
            with begin([self.suites.tools["FileCheck"], file.name, "--allow-empty"], stdin=subprocess.PIPE,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as judge:
                said = judge.communicate(text.encode())[1]
        return [] if judge.returncode == 0 else [said.decode(errors="replace")]

    def golden(self, golden, text):
        for rule in self.suites.data["forms"][golden["form"]]:
            text = re.sub(rule["find"], template(rule["put"]), text)
        name = f"{self.case['name']}.{golden['name']}.snap"
        paths = [os.path.join(folder, name) for folder in self.suites.golden_folders()]
        path = next(filter(os.path.isfile, paths), paths[0])
        try:
            with open(path, encoding="utf-8") as file:
                expected = file.read().split("---\n", 2)[2]
        except OSError as error:
            return [str(error)]
        return [] if expected.strip() == text.strip() else [f"differs from {path}"]

    def path(self, name):
        return os.path.join(self.work, " ".join(self.fill(name)))

    def fill(self, word):
        found = pieces(word)
        if len(found) == 1 and found[0][0] == "name":
            return self.value(found[0][1])
        return ["".join(text if kind == "text" else " ".join(self.value(text)) for kind, text in found)]

    def value(self, name):
        places = {"t": self.work, "s": self.here, "fixtures": os.path.join(HERE, "fixtures")}
        if name in places:
            return [places[name]]
        if name in self.suites.toolchain["tools"]:
            return self.suites.toolchain["tools"][name]
        if name in self.suites.toolchain.get("judges", {}):
            return [self.suites.toolchain["judges"][name]]
        if self.suites.tools.get(name):
            return [self.suites.tools[name]]
        if self.suites.have.get(name):
            return [self.suites.have[name]]
        raise Harness(f"no placeholder '%{name}'")


def listed(bytes_):
    return "[" + ", ".join(f"{byte:02x}" for byte in bytes_) + "]"


def memory_of_a_step():
    """How many bytes of memory a step may hold: half of what there is, a container's own where it has a bound."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with contextlib.suppress(OSError, ValueError), open("/sys/fs/cgroup/memory.max", encoding="utf-8") as file:
        sizes.append(int(file.read()))
    return min(sizes) // 2


MEMORY = memory_of_a_step()
# Held while a process starts, and while the children that this one started are told from those that came to it.
STARTING = threading.Lock()
STARTED = set()


def begin(words, **how):
    """Starts a process of this one's own."""
    with STARTING:
        program = subprocess.Popen(words, **how)
        STARTED.add(program.pid)
    return program


def end_adopted():
    """Ends the children that came to this process, since they ended the one that was to end them, and what
    stands below them. Those that it started go on."""
    until = time.monotonic() + bounded.LONGEST
    while time.monotonic() < until:
        with STARTING:
            children = bounded.children(os.getpid())
            # A number that is no child's any more may soon be another's.
            STARTED.intersection_update(children)
            adopted = children - STARTED
        if not adopted:
            return
        for root in adopted:
            for process in [root, *bounded.below(root)]:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(root, os.WNOHANG)
        time.sleep(0.001)


def read(path):
    """The bytes of a file that a step left: it may be a pipe that nobody writes to, or without an end."""
    # The other end of a pipe is not waited for.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("is no file")
        bytes_ = file.read(LARGEST + 1)
    if len(bytes_) > LARGEST:
        raise OSError(f"has more than {LARGEST >> 20} MiB")
    return bytes_


def exchange(program, text, limit):
    """Writes a text to a program and reads both of its streams, until they end or it breaks a bound."""
    until = time.monotonic() + limit
    written = {program.stdout: bytearray(), program.stderr: bytearray()}
    breach = None
    os.set_blocking(program.stdin.fileno(), False)
    with selectors.DefaultSelector() as open_ones:
        open_ones.register(program.stdin, selectors.EVENT_WRITE)
        for stream in written:
            open_ones.register(stream, selectors.EVENT_READ)
        while open_ones.get_map() and not breach:
            if program.poll() is not None and program.returncode < 0:
                # What it was to end, and has ended it, holds the streams open.
                end_adopted()
            for key, _ in open_ones.select(min(bounded.LOOK, max(0, until - time.monotonic()))):
                stream = key.fileobj
                if stream is program.stdin:
                    try:
                        text = text[os.write(stream.fileno(), text):]
                    except BrokenPipeError:
                        text = b""
                    more = bool(text)
                else:
                    read = os.read(stream.fileno(), 1 << 16)
                    written[stream] += read
                    more = bool(read)
                    if len(written[stream]) > MOST:
                        breach = f"wrote more than {MOST >> 20} MiB"
                if not more:
                    open_ones.unregister(stream)
                    stream.close()
            if time.monotonic() > until:
                breach = breach or f"ran longer than {limit} s"
    return [bytes(text) for text in written.values()], breach


def pieces(word):
    """A word as texts and names: `%name`, `%{name}`, and `%%` for a percent sign."""
    found, at = [], 0
    for match in re.finditer(r"%(%|\{([^}]*)\}|([A-Za-z0-9+_-]+))", word):
        if match.start() > at:
            found.append(("text", word[at:match.start()]))
        name = match.group(2) or match.group(3)
        found.append(("text", "%") if match.group(1) == "%" else ("name", name))
        at = match.end()
    if at < len(word):
        found.append(("text", word[at:]))
    return found


def includes_sycl(case):
    """Whether a source of a case, written in it or named in its commands, includes SYCL's headers."""
    if any("<sycl/" in text for text in case.get("inputs", {}).values()):
        return True
    places = {"%{fixtures}": os.path.join(HERE, "fixtures"),
              "%s/": os.path.join(HERE, "cases", os.path.dirname(case["file"]))}
    for word in (word for step in case["steps"] for word in step["run"].split()):
        for name, folder in places.items():
            file = os.path.join(folder, word[len(name):].lstrip("/"))
            if word.startswith(name) and os.path.isfile(file):
                with open(file, encoding="utf-8", errors="replace") as source:
                    if "<sycl/" in source.read():
                        return True
    return False


def is_about(translation, step):
    return "role" not in translation or translation["role"] in names_in(step)


def template(text):
    """A replacement as Python writes it: `$1` is a group in the exported data."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda m: f"\\g<{m.group(1) or m.group(2)}>",
                  text.replace("\\", "\\\\"))


def is_of_goldens(case):
    """Whether golden files hold what a case is about."""
    return bool(case.get("beyond")) and '"golden": {' in json.dumps(case["steps"])


def apply(case, translation):
    """Puts a translation's words into a case."""
    to = template(translation["to"])

    def change(text):
        return re.sub(translation["from"], to, text)

    def in_text(checks):
        for key in ["contains", "lacks", "matches", "lacks-match"]:
            checks[key] = [change(text) for text in checks.get(key) or []]
        for key in ["equals", "filecheck"]:
            if checks.get(key) is not None:
                checks[key] = change(checks[key])
        checks["count"] = {change(text): number for text, number in (checks.get("count") or {}).items()}
        for pointer, value in (checks.get("json") or {}).items():
            checks["json"][pointer] = change(value) if isinstance(value, str) else value

    places = translation["in"]
    if "inputs" in places:
        case["inputs"] = {name: change(text) for name, text in case.get("inputs", {}).items()}
    for step in case["steps"]:
        if "inputs" in places and "stdin" in step:
            step["stdin"] = change(step["stdin"])
        if not is_about(translation, step):
            continue
        if "checks" in places:
            for name in ["stdout", "stderr"]:
                if name in step:
                    in_text(step[name])
            for file in step.get("files", {}).values():
                if file.get("same-as"):
                    file["same-as"] = change(file["same-as"])
                if file.get("text"):
                    in_text(file["text"])
            step["files"] = {change(name): file for name, file in step.get("files", {}).items()}
        if "commands" in places:
            step["run"] = change(step["run"])


def names_in(step):
    texts = [step["run"], *step.get("env", {}).values()]
    return [text for part in texts for kind, text in pieces(part) if kind == "name"]


def matches(pattern, text):
    return re.search(pattern, text, re.MULTILINE) is not None


def in_json(checks, text):
    try:
        value = json.loads(text)
    except ValueError as error:
        return [f"is no JSON: {error}"]
    wrong = []
    for pointer, expected in checks.items():
        found = value
        try:
            for part in pointer.split("/")[1:]:
                part = part.replace("~1", "/").replace("~0", "~")
                found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, TypeError, ValueError):
            found = None
        if found != expected:
            wrong.append(f"has {found!r} at '{pointer}', not {expected!r}")
    return wrong


def placed(described, places, absent):
    """What a description says of programs and folders, with its places filled in; those that are not known go into
    `absent`."""
    if isinstance(described, dict):
        return {key: placed(value, places, absent) for key, value in described.items()}
    if isinstance(described, list):
        return [placed(value, places, absent) for value in described]
    if not isinstance(described, str):
        return described
    absent.update(name for name in re.findall(PLACE, described) if name not in places)
    return re.sub(PLACE, lambda match: places.get(match.group(1), match.group(0)), described)


def works(command):
    """Whether a command succeeds by which a toolchain tells what it can do."""
    try:
        tried = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        return tried.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def find(candidates):
    for name in candidates:
        found = shutil.which(name, path=SEARCH_PATH)
        if found:
            return found
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("toolchain")
    parser.add_argument("filter", nargs="*")
    parser.add_argument("--tool", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--have", action="append", default=[], metavar="NEED[=FILE]")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--set", action="append", default=[], metavar="PLACE=FOLDER")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="work-") as work:
        return run(parser, options, work)


def run(parser, options, work):
    places = {"here": os.path.dirname(os.path.abspath(options.toolchain)), "work": work,
              **dict(word.split("=", 1) for word in options.set)}
    with open(options.toolchain, encoding="utf-8") as file:
        toolchain, absent = json.load(file), set()
    toolchain.update(placed({key: toolchain[key] for key in PLACED if key in toolchain}, places, absent))
    if absent:
        parser.error("the toolchain names places of a machine: " +
                     ", ".join(f"--set {name}=FOLDER says where '%{{{name}}}' is" for name in sorted(absent)))
    suites = Suites(toolchain, dict(word.split("=", 1) for word in options.tool), dict(word.split("=", 1) if "=" in word else (word, None) for word in options.have), places)
    cases = [case for case in suites.data["cases"]
             if not options.filter or any(part in case["name"] for part in options.filter)]
    if not cases:
        parser.error("no case matches")
    if not bounded.writes_to_confine():
        print("note: this kernel has no Landlock to keep programs to their cases' folders: what a step writes "
              "or takes away elsewhere is not seen", file=sys.stderr)
    bounded.take_in()
    # Children that are there already, such as those of a shell in whose place this process stands.
    STARTED.update(bounded.children(os.getpid()))
    # Nothing waits for steps then: each ends with this process.
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(130))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(suites.judge, cases))
    for case, (verdict, reason, left_out) in zip(cases, results):
        if verdict not in ("passed", "skipped"):
            print(f"{verdict}: {case['name']}: {reason}")
        for setting, why in left_out.items():
            print(f"left out: {case['name']}: steps with {setting}: {why}")
    if options.json:
        told = [{"case": case["name"], "verdict": verdict, "reason": reason, "left-out": left_out}
                for case, (verdict, reason, left_out) in zip(cases, results)]
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump({"toolchain": toolchain["name"], "cases": told}, out, indent=1)
    count = [verdict for verdict, _, _ in results].count
    print(", ".join(f"{count(verdict)} {verdict.replace('-', ' ')}" for verdict in VERDICTS))
    return 1 if count("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
