"""Decides the checks of one case (checks.json) and writes Harbor's reward and a CTRF report.

Needs Python 3.8 and its standard library only. No reward is written if a check that counts cannot be decided.
"""
import csv
import hashlib
import io
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
LOGS = "/logs/verifier"
START_RECORD = "/var/lib/whetstone/start"
IGNORED = {".git", "node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache"}
SKILL_FOLDERS = {".claude", ".agents", ".opencode"}


class Undecided(Exception):
    """Neither passed nor failed."""


class Failed(Exception):
    """The check fails, for this reason."""


def short(value, limit=300):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= limit else text[:limit] + "…"


def sha256(file):
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        for part in iter(lambda: content.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


class Run:
    """What the agent left in the working folder."""

    def __init__(self, spec):
        self.folder = spec["working_folder"]
        self.answer_file = spec["answer_file"]
        self.start = read_start(spec["start"])
        self.present = [name for name in list_files(self.folder) if name != self.answer_file]
        self.outputs = [name for name in self.present if self.start.get(name) != sha256(self.file(name))]

    def file(self, name):
        return os.path.join(self.folder, name)

    def answer(self):
        place = self.file(self.answer_file)
        if not is_regular(place):
            raise Failed("there is no final answer in %s" % place)
        with open(place, "rb") as content:
            return decode(content.read()).rstrip("\r\n")

    def output(self, name):
        """The absolute path of a file that the agent created or changed."""
        if name not in self.outputs:
            raise Failed("no output file %s; the agent left %s" % (name, names_text(self.outputs)))
        return self.file(name)

    def source(self, check):
        """The label and the text that a check reads: an output file, or the content of the answer's only code fence."""
        path = check.get("path")
        if path is None:
            answer = self.answer()
            fences = re.findall(r"^```[a-zA-Z]*\r?\n(.*?)^```", answer, re.M | re.S)
            return "final answer", answer, fences[0] if len(fences) == 1 else answer
        with open(self.output(path), "rb") as content:
            text = decode(content.read())
        return path, text, text

    def texts(self, check):
        if check.get("path") is None and check["target"] == "outputs":
            return [(name, text) for name, text in self.output_texts() if text is not None]
        label, text, _ = self.source(check)
        return [(label, text)]

    def output_texts(self):
        for name in self.outputs:
            with open(self.file(name), "rb") as content:
                data = content.read()
            try:
                yield name, None if b"\0" in data else data.decode("utf-8")
            except UnicodeDecodeError:
                yield name, None


def is_regular(place):
    """False for a link: an agent could let one lead to the tests."""
    return os.path.lexists(place) and stat.S_ISREG(os.lstat(place).st_mode)


def decode(data):
    return data.decode("utf-8", errors="replace")


def read_start(start):
    """The files before the agent started: path -> sha256. null: the image recorded them after the setup."""
    if start is not None:
        return start
    try:
        with open(START_RECORD, "rb") as record:
            lines = [os.fsdecode(line) for line in record.read().split(b"\0") if line]
    except OSError as error:
        sys.exit("the files at the start are unknown: %s" % error)
    return {os.path.normpath(line[66:]): line[:64] for line in lines}


def list_files(folder):
    found = []
    for at, folders, files in os.walk(folder):
        inner = os.path.relpath(at, folder)
        skipped = IGNORED | SKILL_FOLDERS if inner == "." else IGNORED
        folders[:] = [name for name in folders if name not in skipped]
        for name in files:
            if name not in skipped and is_regular(os.path.join(at, name)):
                found.append(os.path.normpath(os.path.join(inner, name)))
    return sorted(found)


def names_text(names):
    if not names:
        return "nothing"
    more = len(names) - 10
    return ", ".join(names[:10]) + (" and %d more" % more if more > 0 else "")


def in_range(limits, count):
    if "equals" in limits:
        return count == limits["equals"]
    return limits.get("min", 0) <= count <= limits.get("max", float("inf"))


def matching(check, names):
    """The exact name, else files below that folder, else those that the glob matches."""
    if check["path"] in names:
        return [check["path"]]
    below = [name for name in names if name.startswith(check["path"] + "/")]
    if below or check["glob"] is None:
        return below
    glob = re.compile(check["glob"])
    return [name for name in names if glob.search(name)]


def is_near(one, other, tolerance):
    if tolerance == 0:
        return one == other
    return abs(one - other) <= tolerance + sys.float_info.epsilon * 4 * max(1, abs(one), abs(other))


def parse_number(text):
    plain = text.lstrip("\ufeff").strip()
    return float(plain) if re.fullmatch(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", plain) else None


def parse_json(label, text):
    def refuse(word):
        raise ValueError("%s is not JSON" % word)

    try:
        return json.loads(text.lstrip("\ufeff"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Failed("%s: not valid JSON (%s)" % (label, error))


def same(one, other):
    """Equal JSON: true is not 1, and 1.0 is 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def contains(check, run):
    texts = run.texts(check)
    wanted = check["value"]
    for label, text in texts:
        if (wanted.lower() in text.lower()) if check["ignore_case"] else (wanted in text):
            return True, "%s contains %s" % (label, short(wanted, 120))
    return False, "%s is not in %s" % (short(wanted, 120), names_text([label for label, _ in texts]))


def not_contains(check, run):
    found, evidence = contains(check, run)
    return not found, evidence


def regex(check, run):
    texts = run.texts(check)
    pattern = re.compile(check["pattern"])
    for label, text in texts:
        match = pattern.search(text)
        if match:
            return True, "%s: %s" % (label, short(match.group(0)))
    return False, "no match in %s" % names_text([label for label, _ in texts])


def equals(check, run):
    label, text, fenced = run.source(check)
    wanted = check["value"]
    if isinstance(wanted, str):
        plain = [unicodedata.normalize("NFC", one.lstrip("\ufeff").replace("\r\n", "\n").strip()) for one in (text, wanted)]
        if check["ignore_case"]:
            plain = [one.lower() for one in plain]
        return plain[0] == plain[1], "%s: %s" % (label, short(text.strip()))
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        number = parse_number(fenced)
        return number is not None and is_near(number, wanted, check["tolerance"]), "%s: %s" % (label, short(fenced.strip()))
    value = parse_json(label, fenced)
    return same(value, wanted), "%s: %s" % (label, short(value))


def json_path(check, run):
    label, _, fenced = run.source(check)
    found = [parse_json(label, fenced)]
    for step in check["steps"]:
        found = [inner for value in found for inner in follow(value, step)]
    if not found:
        return False, "%s finds nothing in %s" % (check["query"], label)
    passed = "equals" not in check or same(found[0], check["equals"])
    return passed, "%s: %s is %s" % (label, check["query"], short(found[0]))


def follow(value, step):
    if step is None:
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and step in value else []
    return [value[step]] if isinstance(value, list) and -len(value) <= step < len(value) else []


def read_csv(label, text, delimiter):
    csv.field_size_limit(2**31 - 1)
    plain = text.lstrip("\ufeff")
    separator = re.escape(delimiter)
    field = r'(?:"(?:[^"]|"")*"|[^"%s\r\n]*)' % separator
    if not re.fullmatch(r"%s(?:(?:%s|\r\n|\n|\r)%s)*" % (field, separator, field), plain):
        raise Failed("%s is not valid CSV: a quote in the wrong place" % label)
    try:
        rows = [row for row in csv.reader(io.StringIO(plain, newline=""), delimiter=delimiter, strict=True) if row]
    except csv.Error as error:
        raise Failed("%s is not valid CSV: %s" % (label, error))
    header = rows[0] if rows else []
    if any(len(row) != len(header) for row in rows):
        raise Failed("%s is not valid CSV: its lines have different numbers of columns" % label)
    return header, rows[1:]


def is_cell(text, wanted, tolerance):
    if isinstance(wanted, str):
        return text.strip() == wanted.strip()
    number = parse_number(text)
    return number is not None and is_near(number, wanted, tolerance)


def csv_table(check, run):
    label, _, fenced = run.source(check)
    header, rows = read_csv(label, fenced, check["delimiter"])
    needed = list(check["columns"])
    for cell in check["cells"]:
        needed += [*cell["where"], cell["column"]]
    lacking = [name for name in needed if name not in header]
    if lacking:
        return False, "%s: no column %s; its first line has %s" % (label, names_text(lacking), names_text(header))
    if check["rows"] is not None and not in_range(check["rows"], len(rows)):
        return False, "%s: %d rows" % (label, len(rows))
    for cell in check["cells"]:
        chosen = [row for row in rows if all(is_cell(row[header.index(name)], value, 0) for name, value in cell["where"].items())]
        values = [row[header.index(cell["column"])] for row in chosen]
        wrong = [value for value in values if not is_cell(value, cell["equals"], cell["tolerance"])]
        if not chosen:
            return False, "%s: no row with %s" % (label, short(cell["where"]))
        if wrong:
            return False, "%s: %s is %s, not %s" % (label, cell["column"], short(wrong[0]), short(cell["equals"]))
    return True, "%s: %d rows; columns: %s" % (label, len(rows), names_text(header))


def file_exists(check, run):
    names = matching(check, run.outputs)
    return bool(names), "%s is there" % names[0] if names else "the agent left %s" % names_text(run.outputs)


def file_absent(check, run):
    names = matching(check, run.present)
    if not names and os.path.islink(run.file(check["path"])):
        names = [check["path"]]
    return not names, "%s is there" % names[0] if names else "nothing matches %s" % check["path"]


def file_modified(check, run):
    names = matching(check, run.outputs)
    changed = [name for name in names if name in run.start]
    return bool(changed), "changed: %s; created: %s" % (names_text(changed), names_text([name for name in names if name not in changed]))


def file_hash(check, run):
    if check["path"] not in run.present:
        return False, "no file %s" % check["path"]
    found = sha256(run.file(check["path"]))
    return found == check["sha256"], "%s has sha256 %s" % (check["path"], found)


def file_count(check, run):
    names = matching(check, run.outputs)
    return in_range(check["count"], len(names)), "%d files: %s" % (len(names), names_text(names))


def file_size(check, run):
    size = os.path.getsize(run.output(check["path"]))
    return in_range(check["bytes"], size), "%s: %d bytes" % (check["path"], size)


def command(check, run):
    """Runs in a copy of the working folder, so that one check does not change what another sees."""
    with tempfile.TemporaryDirectory() as place:
        copy = os.path.join(place, "work")
        shutil.copytree(run.folder, copy, symlinks=True, ignore=lambda at, names: left_out(run, at, names))
        with tempfile.TemporaryFile() as output:
            code = run_shell(check, copy, output)
            output.seek(0)
            said = decode(output.read())
    tail = "; output: %s" % said[-300:] if said else "; no output"
    if code is None:
        return False, "did not end within %g s%s" % (check["timeout"], tail)
    if code == 127 and code != check["exit_code"]:
        missing = re.search(r"(?:^|[\s:])([^\s:/]+): (?:command )?not found\s*\Z", said)
        if missing and missing.group(1) in re.split(r"[\s;&|()]+", check["run"]):
            raise Undecided("%s is not installed here" % missing.group(1))
    return code == check["exit_code"], "exit code %d%s" % (code, tail)


def left_out(run, at, names):
    """Special files, links out of the folder, and the file of the final answer."""
    odd = [name for name in names if not is_own(os.path.realpath(run.folder), os.path.join(at, name))]
    return odd + ([run.answer_file] if at == run.folder and run.answer_file in names else [])


def is_own(folder, place):
    mode = os.lstat(place).st_mode
    if stat.S_ISLNK(mode):
        return os.path.realpath(place).startswith(folder + os.sep)
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def run_shell(check, cwd, output):
    """The exit code; None: the time was over. What the command leaves running is ended."""
    process = subprocess.Popen(
        ["sh", "-c", check["run"]], cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
    )
    try:
        return process.wait(timeout=check["timeout"])
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        process.wait()


DECIDERS = {
    "contains": contains,
    "not_contains": not_contains,
    "regex": regex,
    "equals": equals,
    "json_path": json_path,
    "csv": csv_table,
    "file_exists": file_exists,
    "file_absent": file_absent,
    "file_modified": file_modified,
    "file_hash": file_hash,
    "file_count": file_count,
    "file_size": file_size,
    "command": command,
}


def decide(check, run):
    """A test of the CTRF report."""
    started = time.monotonic()
    try:
        passed, message = DECIDERS[check["type"]](check, run)
        status = "passed" if passed else "failed"
    except Failed as error:
        status, message = "failed", str(error)
    except Exception as error:
        status, message = "other", "could not be decided: %s" % error
    duration = int((time.monotonic() - started) * 1000)
    return {"name": check["text"], "status": status, "duration": duration, "message": message}


def remove_earlier_rewards():
    """The agent may have written some."""
    for name in ("reward.txt", "reward.json"):
        place = os.path.join(LOGS, name)
        if os.path.lexists(place):
            os.remove(place)


def write_log(name, text):
    os.makedirs(LOGS, exist_ok=True)
    with open(os.path.join(LOGS, name), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def rate(counted):
    """The weighted share that passed, as text."""
    if all(test["status"] == "passed" for _, test in counted):
        return "1"
    largest = max(check["weight"] for check, _ in counted)
    total = sum(check["weight"] / largest for check, _ in counted)
    passed = sum(check["weight"] / largest for check, test in counted if test["status"] == "passed")
    return repr(passed / total)


def main():
    sys.stdout.reconfigure(errors="backslashreplace")
    with open(os.path.join(HERE, "checks.json"), encoding="utf-8") as file:
        spec = json.load(file)
    remove_earlier_rewards()
    start = int(time.time() * 1000)
    run = Run(spec)
    tests = [decide(check, run) for check in spec["checks"]]
    counts = {status: sum(test["status"] == status for test in tests) for status in ("passed", "failed", "other")}
    times = {"start": start, "stop": int(time.time() * 1000)}
    summary = {"tests": len(tests), **counts, "pending": 0, "skipped": 0, **times}
    results = {"tool": {"name": "whetstone"}, "summary": summary, "tests": tests}
    write_log("ctrf.json", json.dumps({"results": results}, indent=2))
    for test in tests:
        print("%s: %s (%s)" % (test["status"], test["name"], test["message"]))
    counted = [(check, test) for check, test in zip(spec["checks"], tests) if check["counts"]]
    if any(test["status"] == "other" for _, test in counted):
        sys.exit("no reward: a check could not be decided")
    write_log("reward.txt", rate(counted))


main()
