/** Which scripts of a skill a command starts, as agents write commands. */
import { describe, expect, test } from 'vitest'
import { findStartedScripts, parseShellCommands } from '../../../src/phases/3-judge/checks/script_executed.ts'

const place = '.claude/skills/sums'

describe('is started', () => {
  test.each([
    `python ${place}/scripts/add.py a.csv`,
    `python3 /tmp/work/${place}/scripts/add.py>out.txt`,
    `python "$HOME/skills/sums/scripts/add.py"`,
    `cd ${place} && python scripts/add.py`,
    `cd /tmp/work/${place}/scripts; python3.12 -u add.py`,
    `ls && FOO=1 timeout 30 python ${place}/scripts/add.py`,
    `uv run --with requests==2.0 ${place}/scripts/add.py`,
    `x=$(python ${place}/scripts/add.py)`,
    `bash -lc "cd ${place} && python scripts/add.py"`,
    `cat > in.json <<'EOF'\n{"a": 1}\nEOF\npython ${place}/scripts/add.py in.json`,
    `echo 1 |\\\n  python ${place}/scripts/add.py`,
  ])('%s', (command) => expect(findStartedScripts({ command }, 'sums')).toEqual(['scripts/add.py']))
  test('as a list of words, as codex writes it', () => {
    const command = ['bash', '-lc', `python ${place}/scripts/add.py`]
    expect(findStartedScripts({ command }, 'sums')).toEqual(['scripts/add.py'])
    expect(findStartedScripts({ cmd: ['python', `${place}/scripts/add.py`] }, 'sums')).toEqual(['scripts/add.py'])
  })
})

describe('is not started', () => {
  test.each([
    `cat ${place}/scripts/add.py`,
    `echo "python ${place}/scripts/add.py"`,
    `python other.py ${place}/scripts/add.py`,
    `python .claude/skills/sums-2/scripts/add.py`,
    `cat > run.sh <<EOF\npython ${place}/scripts/add.py\nEOF`,
    `python make.py > ${place}/scripts/add.py`,
    `python - > ${place}/scripts/add.py`,
  ])('%s', (command) => expect(findStartedScripts({ command }, 'sums')).toEqual([]))
  test.each([null, 'text', { command: 5 }, { file_path: `${place}/scripts/add.py` }])('%j', (input) =>
    expect(findStartedScripts(input, 'sums')).toEqual([]),
  )
})

test.each([
  ['a b', [['a', 'b']]],
  ['a;b&&c||d|e\nf', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
  [`a 'b c' "d \\"e" f\\ g`, [['a', 'b c', 'd "e', 'f g']]],
  ["a'b'c", [['abc']]],
  ['a "unclosed', [['a', '"unclosed']]],
  ['a 2>&1 b >c', [['a', 'b']]],
  ['a &> log b', [['a', 'b']]],
  ['a <<< word b', [['a', 'b']]],
  ['a # rest; b', [['a']]],
  ['a#b', [['a#b']]],
])('the words of %j', (text, words) => expect(parseShellCommands(text)).toEqual(words))

test('a hostile command takes no time to speak of', () => {
  for (const text of ['<<A '.repeat(50_000), '"'.repeat(100_001), `"${'\\"'.repeat(100_000)}`, '$('.repeat(100_000)]) {
    expect(parseShellCommands(text).length).toBeGreaterThanOrEqual(0)
  }
})
