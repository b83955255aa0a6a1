/** Stand-ins for installers in a Harbor task's world without Docker: packages are those of this machine. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

const nothing = `#!/bin/sh
echo "$(basename "$0"): nothing is installed here; packages are those of this machine" >&2
exit 0
`

/** Drops the options of uvx and uv run, which name packages, and starts the command. */
const uvx = `#!/bin/sh
[ "$1" = run ] && shift
while [ $# -gt 0 ]; do
  case "$1" in
    -p|-w|--python|--with|--with-requirements|--with-editable|--from|--index-url|--extra-index-url|--project|--directory) shift 2 ;;
    --) shift; break ;;
    -*) shift ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || exit 0
name=\${1%%@*}
shift
case "$name" in
  python|python3|python3.*) exec python3 "$@" ;;
  pytest|py.test) exec pytest "$@" ;;
  *.py) exec python3 "$name" "$@" ;;
  *) exec "$name" "$@" ;;
esac
`

const uv = `#!/bin/sh
case "$1" in
  run) shift; exec uvx run "$@" ;;
  tool) shift; [ "$1" = run ] && exec uvx "$@"; exit 0 ;;
  venv) mkdir -p "\${2:-.venv}/bin" && : > "\${2:-.venv}/bin/activate" ;;
  --version|version) echo "uv 0.9.0" ;;
  *) echo "uv: nothing is installed here; packages are those of this machine" >&2 ;;
esac
`

/** Without the working folder on its path, as the real program: a module there would run in place of the verifier's own. */
const pytest = `#!/bin/sh
exec python3 -c 'import sys; del sys.path[0]; import pytest; sys.exit(pytest.console_main())' "$@"
`

const sudo = `#!/bin/sh
while :; do case "$1" in -*) shift ;; *=*) export "$1"; shift ;; *) break ;; esac; done
exec "$@"
`

const programs: Readonly<Record<string, string>> = {
  'apt-get': nothing,
  apt: nothing,
  apk: nothing,
  pip: nothing,
  pip3: nothing,
  uv,
  uvx,
  sudo,
  python: '#!/bin/sh\nexec python3 "$@"\n',
  pytest,
  'py.test': pytest,
}

const pipModule = `import sys
print("pip: nothing is installed here; packages are those of this machine", file=sys.stderr)
`

/** pytest --ctrf FILE, as pytest-json-ctrf writes it (https://ctrf.io), unless the real plug-in is installed. */
const ctrfPlugin = `import json


def pytest_addoption(parser):
    try:
        parser.addoption("--ctrf", default=None)
    except ValueError:
        pass


def pytest_configure(config):
    file = config.getoption("--ctrf", default=None)
    if file and not config.pluginmanager.hasplugin("pytest_json_ctrf"):
        config.pluginmanager.register(Report(file))


class Report:
    def __init__(self, file):
        self.file = file
        self.tests = {}

    def pytest_collectreport(self, report):
        if report.failed:
            message = "collection failure: " + str(report.longrepr)[-2000:]
            self.tests[report.nodeid] = {"name": report.nodeid, "status": "failed", "duration": 0, "message": message}

    def pytest_runtest_logreport(self, report):
        known = self.tests.setdefault(report.nodeid, {"name": report.nodeid, "status": "passed", "duration": 0})
        known["duration"] += int(report.duration * 1000)
        if report.failed:
            known["status"] = "failed"
            known["message"] = str(report.longrepr)[:2000]
        elif report.skipped and known["status"] == "passed":
            known["status"] = "skipped"

    def pytest_sessionfinish(self):
        tests = list(self.tests.values())
        count = lambda status: sum(test["status"] == status for test in tests)
        summary = {"tests": len(tests), "pending": 0, "other": 0, "start": 0, "stop": 0}
        summary.update({status: count(status) for status in ("passed", "failed", "skipped")})
        with open(self.file, "w") as out:
            json.dump({"results": {"tool": {"name": "pytest"}, "summary": summary, "tests": tests}}, out)
`

/** Writes them; returns the folder for PATH and the one for PYTHONPATH. */
export async function writeStandIns(folder: string): Promise<{ bin: string; python: string }> {
  const [bin, python] = [path.join(folder, 'bin'), path.join(folder, 'python')]
  await mkdir(bin, { recursive: true })
  await mkdir(path.join(python, 'pip'), { recursive: true })
  for (const [name, text] of Object.entries(programs)) await writeFile(path.join(bin, name), text, { mode: 0o755 })
  await writeFile(path.join(python, 'pip/__main__.py'), pipModule)
  await writeFile(path.join(python, 'pip/__init__.py'), '')
  await writeFile(path.join(python, 'whetstone_ctrf.py'), ctrfPlugin)
  return { bin, python }
}
