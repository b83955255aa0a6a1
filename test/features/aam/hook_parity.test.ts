/** A hook that passes its test also blocks in a session, whichever dialect it reads and however it says no; one that does not block passes no test of blocking. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { anthropic } from '../../../src/engines/anthropic/anthropic.ts'
import { testPackage } from '../../../src/features/aam/test_package.ts'
import { findSuites } from '../../../src/phases/1-plan/suite/find_suites.ts'
import { installEnvironment } from '../../../src/phases/2-run/workspace/install_suite_environment.ts'
import { keysFor, ofType, openStage, perform, practice } from '../../engines/stage.ts'
import { contextAt } from '../../flows/eval/evaluate.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const camel = {
  hookEventName: 'pre-tool-use',
  toolName: 'Write',
  toolInput: { file_path: 'closed/a.csv', content: 'x' },
}
const snake = {
  hook_event_name: 'PreToolUse',
  tool_name: 'Write',
  tool_input: { file_path: 'closed/a.csv', content: 'x' },
}
const no = 'echo "a closed book" >&2; exit 2'
const deny = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'closed' },
}
const saysDeny = `echo '${JSON.stringify(deny)}'`
type Command = string | { command: string; timeout: number }

/** Of a hook with these commands: whether its test passes, in a session's write is blocked. */
async function both(
  commands: readonly Command[],
  fixture: object,
  expected: object,
): Promise<[passes: boolean, blocks: boolean]> {
  const hooks = commands.map((one) => ({ type: 'command', ...(typeof one === 'string' ? { command: one } : one) }))
  const root = folderOf({
    'package.agent.json': '{"name":"guarded","version":"1.0.0"}',
    'hooks/hooks.json': JSON.stringify({ version: 1, hooks: { 'pre-tool-use': [{ matcher: 'Write|Edit', hooks }] } }),
    'hooks/scripts/closed.txt': 'closed/',
    'hooks/tests/test-config.json': '{"version":1}',
    'hooks/tests/fixtures/a.json': JSON.stringify(fixture),
    'hooks/tests/cases/a.yaml': JSON.stringify({
      name: 'a',
      event: 'pre-tool-use',
      input: { fixture: 'fixtures/a.json' },
      expected,
    }),
    'evals/eval-config.json': '{"version":1,"engine":"claude-code"}',
    'evals/cases/a.yaml': 'name: a\ninput: { prompt: write }\njudge: { criteria: done }\n',
  })
  const tested = await testPackage({ package: root, skill: null, hooks: false, event: null, case: null }, contextAt())
  const [found] = await findSuites(root, 'aam')
  const wanted = (await found?.load())?.cases[0]?.environment
  await using stage = await openStage()
  const folder = path.join(stage.home, 'environment')
  await mkdir(folder)
  const environment = await installEnvironment(wanted, { cwd: stage.cwd, folder })
  await using server = await practice(`
rules:
  - { name: writes, when: { turn: 1 }, tool_calls: { name: Write, input: { file_path: closed/a.csv, content: x } } }
  - { name: ends, text: 'Done.' }
`)
  const { events } = await perform(anthropic, stage.task({ credentials: keysFor(server), environment }))
  const passes = tested.cases[0]?.verdict === 'pass'
  expect(tested.cases[0]?.runs[0]?.dialect).toBe(fixture === snake ? 'claude-code' : 'package')
  return [passes, ofType(events, 'hook').some(({ outcome }) => outcome === 'blocked')]
}

const reads = (field: string) =>
  `node -e 'const said = JSON.parse(require("fs").readFileSync(0, "utf8")); if (/closed/.test(said.${field}?.file_path)) process.exit(2)'`
const exit2 = { 'exit-code': 2 }

test.each<[string, Command[], object, object]>([
  ['exit code 2 and a reason', [no], camel, { ...exit2, 'stderr-contains': ['closed book'] }],
  ['the package’s names of fields', [reads('toolInput')], camel, exit2],
  ['Claude Code’s names of fields', [reads('tool_input')], snake, exit2],
  [
    'a deny on stdout',
    [saysDeny],
    camel,
    { 'exit-code': 0, 'stdout-json': { hookSpecificOutput: { permissionDecision: 'deny' } } },
  ],
  ['a file of the package', ['grep -q -f "$PACKAGE_ROOT/hooks/scripts/closed.txt" && exit 2'], camel, exit2],
  ['two commands, of which the first says no', [no, 'true'], camel, exit2],
  ['two commands, of which the second says no', ['exit 1', no], camel, exit2],
])('passes and blocks: %s', async (_, commands, fixture, expected) => {
  expect(await both(commands, fixture, expected)).toEqual([true, true])
})
test.each<[string, Command[], object]>([
  ['a program that is not there', ['no-such-program'], exit2],
  ['more time than it has', [{ command: `sleep 3; ${no}`, timeout: 0.2 }], exit2],
  ['a deny that comes with a code', [`${saysDeny}; exit 1`], { 'exit-code': 0, 'stdout-json': deny }],
])('control: neither passes nor blocks: %s', async (_, commands, expected) => {
  expect(await both(commands, camel, expected)).toEqual([false, false])
})
