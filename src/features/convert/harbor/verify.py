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
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
LOGS = "/logs/verifier"
START_RECORD = "/var/lib/whetstone/start"
IGNORED = {".git", "node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache"}
SKILL_FOLDERS = {".claude", ".agents", ".opencode", ".pi"}
# they have text that the standard library can't read
DOCUMENTS = set(
    "xlsx xlsm xltx docx docm dotx pptx pptm potx ppsx pdf ipynb xls xlsb doc ppt odt ods odp pages numbers key epub msg".split()
    + "zip gz tgz bz2 xz zst 7z rar tar jar whl parquet".split()
)
LARGEST_REPORT = 16 * 1024 * 1024


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
            return compose(decode(content.read())).rstrip("\r\n")

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
            text = read_text(content.read())
        if text is None:
            raise Undecided("%s has no text" % path)
        return path, text, text

    def texts(self, check):
        if check.get("path") is None and check["target"] == "outputs":
            return list(self.output_texts())
        label, text, _ = self.source(check)
        return [(label, text)]

    def output_texts(self):
        """Without those that have no text."""
        for name in self.outputs:
            if is_document(name):
                continue
            with open(self.file(name), "rb") as content:
                text = read_text(content.read())
            if text is not None:
                yield name, text

    def refuse_unread(self, check):
        """Nothing was found in the outputs, but documents may have it."""
        unread = [name for name in self.outputs if is_document(name)]
        if check.get("path") is None and check["target"] == "outputs" and unread:
            raise Undecided("the text may be in %s, which can't be read here" % names_text(unread))


def is_regular(place):
    """False for a link: an agent could let one lead to the tests."""
    return os.path.lexists(place) and stat.S_ISREG(os.lstat(place).st_mode)


def decode(data):
    return data.decode("utf-8", errors="replace")


def compose(text):
    """An accent is one character with its letter, as in the texts of checks."""
    return unicodedata.normalize("NFC", text)


def is_document(name):
    return os.path.splitext(name)[1][1:].lower() in DOCUMENTS


def read_text(data):
    """UTF-8, UTF-16 with its mark, or Windows-1252; None: it is not text."""
    encodings = ["utf-16"] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ["utf-8", "cp1252"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        controls = r"[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]" if encoding == "cp1252" else r"\0"
        return None if re.search(controls, text) else compose(text)
    return None


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
    run.refuse_unread(check)
    return False, "%s is not in %s" % (short(wanted, 120), names_text([label for label, _ in texts]))


def not_contains(check, run):
    found, evidence = contains(check, run)
    return not found, evidence


def regex(check, run):
    texts = run.texts(check)
    pattern = re.compile(check["pattern"])
    absent = check.get("absent", False)
    for label, text in texts:
        match = pattern.search(text)
        if match:
            return not absent, "%s: %s" % (label, short(match.group(0)))
    run.refuse_unread(check)
    return absent, "no match in %s" % names_text([label for label, _ in texts])


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
        copy = copy_folder(check, run, place)
        place_of_report, read = REPORTS[check["result"]]
        report = check["result_file"] or place_of_report
        if report is not None:
            clear_place(copy, report)
        with tempfile.TemporaryFile() as output:
            code = run_program(["sh", "-c", check["run"]], check["timeout"], copy, output)
            output.seek(0)
            said = decode(output.read())
        tail = "; output: %s" % said[-300:] if said else "; no output"
        if code is None:
            raise Undecided("timed out: the command did not end within %g s%s" % (check["timeout"], tail))
        if code != check["exit_code"]:
            refuse_missing(check, copy, code, said)
        if read is None:
            return code == check["exit_code"], "exit code %d%s" % (code, tail)
        text = said if report is None else read_report(copy, report, tail)
    score, message = read(text)
    return score >= check["pass_at"], "score %g%s" % (score, message), score


def copy_folder(check, run, place):
    """A copy of the working folder with the files of the check, which the agent did not have."""
    copy = os.path.join(place, "work")
    shutil.copytree(run.folder, copy, symlinks=True, ignore=lambda at, names: left_out(run, at, names))
    for file in check["files"]:
        source = os.path.join(HERE, "files", file["from"])
        target = os.path.join(copy, file["to"])
        clear_place(copy, file["to"])
        if os.path.isdir(source):
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    return copy


def clear_place(folder, place):
    """Removes what the agent left there, and links or files where its folders must be."""
    at = folder
    parts = place.split("/")
    for index, part in enumerate(parts):
        at = os.path.join(at, part)
        if index < len(parts) - 1 and os.path.isdir(at) and not os.path.islink(at):
            continue
        if os.path.isdir(at) and not os.path.islink(at):
            shutil.rmtree(at)
        elif os.path.lexists(at):
            os.remove(at)
        break
    os.makedirs(os.path.dirname(os.path.join(folder, place)), exist_ok=True)


def refuse_missing(check, folder, code, said):
    """A program of the author's command that is missing here is not the agent's fault."""
    module = re.search(r"No module named '?([\w.]+)'?\s*\Z", said)
    if module and re.search(r"-m\s+%s\b" % re.escape(module.group(1)), check["run"]):
        raise Undecided("the Python module %s is not installed here" % module.group(1))
    missing = re.search(r"(?:^|[\s:])([^\s:/]+): (?:command )?not found\s*\Z", said) if code == 127 else None
    if missing is None:
        return
    places = [os.path.join(folder, file["to"]) for file in check["files"]]
    texts = [check["run"]] + [decode(read_bytes(place)) for place in places if is_regular(place)]
    if any(missing.group(1) in re.split(r"[\s;&|()]+", text) for text in texts):
        raise Undecided("%s is not installed here" % missing.group(1))


def read_bytes(place):
    with open(place, "rb") as content:
        return content.read()


def read_report(folder, name, tail):
    place = os.path.join(folder, name)
    if not is_regular(place):
        raise Undecided("the command wrote no %s%s" % (name, tail))
    if os.path.getsize(place) > LARGEST_REPORT:
        raise Undecided("%s is too large" % name)
    return decode(read_bytes(place))


def to_score(value, name):
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise Undecided("%s is %s, not a number from 0 to 1" % (name, short(value, 50)))
    return value


def rate_tests(tests):
    """Pairs of a name and an end: passed, failed, skipped or not_loaded."""
    counted = [(name, end) for name, end in tests if end != "skipped"]
    if not counted:
        raise Undecided("the verifier ran no test")
    if all(end == "not_loaded" for _, end in counted):
        raise Undecided("the verifier could not load its tests")
    failed = [name for name, end in counted if end != "passed"]
    passed = len(counted) - len(failed)
    more = "; failed: %s" % names_text(failed) if failed else ""
    return passed / len(counted), ": %d of %d tests passed%s" % (passed, len(counted), more)


def is_load_failure(message):
    return re.match(r"\s*collection failure|.*Test suite failed to run", message or "") is not None


def read_score_line(text):
    line = (text.rstrip().splitlines() or [""])[-1]
    found = re.fullmatch(r"\s*score\s*[:=]\s*(\S+)\s*", line, re.I)
    if found is None:
        raise Undecided("the last line of the output is not a score, such as \"score: 0.75\"")
    number = parse_number(found.group(1))
    return to_score(found.group(1) if number is None else number, "the score"), ""


def load_report(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Undecided("the report is not valid JSON (%s)" % error)


def read_json_report(text):
    report = load_report(text)
    if not isinstance(report, dict) or ("score" not in report and "checks" not in report):
        raise Undecided("the report needs \"score\" or \"checks\"")
    checks = report.get("checks")
    if "score" in report and checks != []:
        return to_score(report["score"], "the score"), ""
    return rate_tests([(one["name"], "passed" if one["passed"] is True else "failed") for one in checks])


def read_ctrf(text):
    ends = {"passed": "passed", "skipped": "skipped", "pending": "skipped"}

    def end(test):
        broken = is_load_failure(test.get("message") or test.get("trace"))
        return ends.get(test["status"], "not_loaded" if broken else "failed")

    return rate_tests([(test["name"], end(test)) for test in load_report(text)["results"]["tests"]])


def read_junit(text):
    def end(test):
        first = test.find("error") if test.find("error") is not None else test.find("failure")
        if first is None:
            return "passed" if test.find("skipped") is None else "skipped"
        message = first.get("message") or first.text
        return "not_loaded" if is_load_failure(message) or is_load_failure(test.get("name")) else "failed"

    # as bytes, because its first line may name an encoding
    root = xml.etree.ElementTree.fromstring(text.encode("utf-8"))
    names = [(" ".join(filter(None, [test.get("classname"), test.get("name")])), end(test)) for test in root.iter("testcase")]
    return rate_tests(names)


def read_reward(text):
    if not text.lstrip().startswith("{"):
        number = parse_number(text)
        return to_score(text.strip() if number is None else number, "the reward"), ""
    rewards = load_report(text)
    numbers = [value for value in rewards.values() if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if "reward" not in rewards and len(numbers) != 1:
        raise Undecided("the reward is not clear: it needs \"reward\", or one number")
    return to_score(rewards.get("reward", numbers[0] if numbers else None), "the reward"), ""


# the usual place of each report, and its reader
REPORTS = {
    "exit_code": (None, None),
    "score_line": (None, read_score_line),
    "json": ("result.json", read_json_report),
    "junit": ("junit.xml", read_junit),
    "ctrf": ("ctrf.json", read_ctrf),
    "reward": ("reward.txt", read_reward),
}


def script(check, run):
    """A program of the suite that reads the run as JSON and prints its verdict."""
    with tempfile.TemporaryDirectory() as place:
        copy = copy_folder(check, run, place)
        events = os.path.join(place, "transcript.jsonl")
        open(events, "w").close()
        given = {
            "run_folder": copy,
            "outputs": run.outputs,
            "deleted": [name for name in run.start if name not in run.present],
            "transcript_events_file": events,
            "final_response": run.answer() if run.answer_file and is_regular(run.file(run.answer_file)) else "",
            "case": check["case"],
            "files": [file["to"] for file in check["files"]],
        }
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as stdin:
            stdin.write(json.dumps(given).encode())
            stdin.seek(0)
            words = ["python3", os.path.join(copy, check["script"]), *check["args"]]
            code = run_program(words, check["timeout"], copy, output, stdin, subprocess.DEVNULL)
            output.seek(0)
            said = decode(output.read()).strip()
    if code is None:
        raise Undecided("the script did not end within %g s" % check["timeout"])
    if code != 0:
        raise Undecided("the script failed (exit code %d)" % code)
    return read_verdict(said, check["pass_at"])


def read_verdict(said, pass_at):
    try:
        given = json.loads(said)
    except ValueError:
        given = load_report(said.splitlines()[-1] if said else "")
    if isinstance(given, list):
        scores = [to_score(one.get("score", 1 if one["passed"] else 0), "a score") for one in given]
        score = sum(scores) / len(scores)
        return score >= pass_at, "score %g" % score, score
    if given.get("error"):
        raise Undecided("the script says: %s" % short(given["error"]))
    message = given.get("evidence", "")
    passed = given.get("passed")
    if "score" in given:
        score = to_score(given["score"], "the score")
    elif passed is not None:
        return passed is True, message
    else:
        score, counts = rate_tests([(one["name"], "passed" if one["passed"] else "failed") for one in given["checks"]])
        message += counts
    return score >= pass_at if passed is None else passed is True, "score %g: %s" % (score, message), score


def left_out(run, at, names):
    """Special files, links out of the folder, and the file of the final answer."""
    odd = [name for name in names if not is_own(os.path.realpath(run.folder), os.path.join(at, name))]
    return odd + ([run.answer_file] if at == run.folder and run.answer_file in names else [])


def is_own(folder, place):
    mode = os.lstat(place).st_mode
    if stat.S_ISLNK(mode):
        return os.path.realpath(place).startswith(folder + os.sep)
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def run_program(words, seconds, cwd, output, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT):
    """The exit code; None: the time was over. What the program leaves running is ended."""
    process = subprocess.Popen(words, cwd=cwd, stdin=stdin, stdout=output, stderr=stderr, start_new_session=True)
    try:
        return process.wait(timeout=seconds)
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
    "script": script,
}


def decide(check, run):
    """A test of the CTRF report."""
    started = time.monotonic()
    texts = {name: check[name] for name in ("value", "pattern", "equals", "columns", "cells") if name in check}
    check = {**check, **json.loads(compose(json.dumps(texts, ensure_ascii=False)))}
    try:
        passed, message, *scores = DECIDERS[check["type"]](check, run)
        status, score = "passed" if passed else "failed", scores[0] if scores else int(passed)
    except Failed as error:
        status, message, score = "failed", str(error), 0
    except Exception as error:
        status, message, score = "other", "could not be decided: %s" % error, 0
    duration = int((time.monotonic() - started) * 1000)
    return {"name": check["text"], "status": status, "duration": duration, "message": message, "extra": {"score": score}}


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
    """The weighted mean of the scores, as text."""
    if all(test["extra"]["score"] == 1 for _, test in counted):
        return "1"
    largest = max(check["weight"] for check, _ in counted)
    total = sum(check["weight"] / largest for check, _ in counted)
    scored = sum(check["weight"] / largest * test["extra"]["score"] for check, test in counted)
    return repr(scored / total)


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
