/** Suites of other tools as people have them: promptfoo's configuration, skill-up's eval.yaml with its case files, Vally's graders. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { check as checkSchema } from '../../../schemas/check.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import { folderOf, skillText, userError } from '../../phases/1-plan/folder.ts'
import { sceneWith } from '../../phases/3-judge/scene.ts'

const readPromptfoo = (config: object, files: Record<string, string> = {}) =>
  loadSuite(folderOf({ 'SKILL.md': skillText, 'promptfooconfig.yaml': stringify(config), ...files }))

const says = (word: string) => ({ vars: { prompt: word }, assert: [{ type: 'contains', value: word }] })
const promptsOf = ({ cases }: Awaited<ReturnType<typeof readPromptfoo>>) => cases.map(({ prompt }) => prompt)

describe('javascript of promptfoo', () => {
  const only = async (assertion: object, files: Record<string, string> = {}, vars: object = {}) => {
    const config = { prompts: ['p'], tests: [{ vars, assert: [{ type: 'javascript', ...assertion }] }] }
    const { cases, warnings } = await readPromptfoo(config, files)
    return { check: cases[0]?.checks[0], cannotRun: cases[0]?.cannot_run, warnings: JSON.stringify(warnings) }
  }
  test('an expression or a function body is a check of the answer', async () => {
    const { check, cannotRun } = await only({ value: 'output.length < 9', threshold: 0.5, config: { n: 1 }, weight: 2 })
    expect(check).toEqual({ type: 'javascript', code: 'output.length < 9', pass_at: 0.5, config: { n: 1 }, weight: 2 })
    expect(cannotRun).toBeNull()
  })
  test('variables are filled in, and are there as context.vars', async () => {
    const { check } = await only({ value: "output.includes('{{ word }}')" }, {}, { word: 'a' })
    expect(check).toEqual({ type: 'javascript', code: "output.includes('a')", vars: { word: 'a' } })
  })
  test.each<[string, string, object]>([
    ['file://a.js', 'a.js', { script: 'a.js' }],
    ['file://lib/a.mjs:has', 'lib/a.mjs', { script: 'lib/a.mjs', function: 'has' }],
  ])('a function in %s, with the files next to it', async (value, name, wanted) => {
    const { check, cannotRun } = await only({ value }, { [name]: 'module.exports = () => true', 'lib/b.js': '' })
    expect(check).toMatchObject({ type: 'javascript', ...wanted })
    const place = name.startsWith('lib/') ? 'lib' : 'a.js'
    expect(Object(check).files[0]).toEqual({ from: place, to: place })
    expect(cannotRun).toBeNull()
  })
  test.each<[string, object, string]>([
    ['reads what only promptfoo records', { value: 'context.providerResponse.cost < 1' }, 'only promptfoo records'],
    ['loads a module by its path', { value: "require('./x').has(output)" }, 'by its path'],
    ['is negated', { value: 'true', negate: true }, 'negate'],
    ['is in a file of Python', { value: 'file://a.py' }, 'not JavaScript'],
  ])('one that %s is named and not read', async (_, assertion, why) => {
    const { check, warnings } = await only(assertion)
    expect(check).toBeUndefined()
    expect(warnings).toContain(why)
  })
  test('a function whose file reads what only promptfoo records is named', async () => {
    const files = { 'a.js': 'module.exports = (output, { providerResponse }) => providerResponse.cost < 1' }
    expect((await only({ value: 'file://a.js' }, files)).warnings).toContain('only promptfoo records')
  })
  test.each<[object, string]>([
    [{ value: 3 }, 'code in its "value"'],
    [{}, 'code in its "value"'],
    [{ value: 'file://gone.js' }, 'its file gone.js'],
  ])('%j without code keeps the case from running', async (assertion, need) => {
    expect((await only(assertion)).cannotRun).toContain(`$.tests[0].assert[0]: an assertion "javascript" needs ${need}`)
  })
  test('code that is not JavaScript keeps the case from running', async () => {
    expect((await only({ value: 'output includes 4' })).cannotRun).toContain('is not JavaScript')
  })
})

describe('a suite that is found by its name', () => {
  const vally = 'stimuli: [{ name: a, prompt: p, rubric: [r] }]\n'
  test('and is no YAML is an error at its line, not a folder without a suite', async () => {
    const folder = folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': 'stimuli:\n  - name: a\n   prompt: p\n' })
    expect((await userError(loadSuite(folder))).message).toMatch(/eval\.yaml:3:\d+: /)
  })
  test('beside others, the others are named', async () => {
    const files = { 'evals/eval.yaml': vally, 'evals/b.eval.yaml': vally, 'suite.yaml': vally }
    const { path: read, warnings } = await loadSuite(folderOf({ 'SKILL.md': skillText, ...files }))
    const named = warnings.filter(({ message }) => message.startsWith('another suite')).map(({ file }) => file)
    expect(read).toMatch(/evals\/eval\.yaml$/)
    expect(named.map((file) => file.split('/').slice(-1)[0])).toEqual(['b.eval.yaml', 'suite.yaml'])
  })
})

test('a validator of SkillEvaluation is a check that starts its command with the answer', async () => {
  const validators = [{ cmd: 'grep -q 7 response.txt', expect_exit_code: 1, label: 'no seven' }]
  const setup = { files: { 'in.txt': 'c' }, commands: ['true'] }
  const text = stringify({ cases: [{ name: 'a', prompt: 'p', validators, setup }] })
  const { cases } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': text }))
  expect(cases).toMatchObject([{ cannot_run: null, setup: expect.stringContaining('true') }])
  expect(cases[0]?.environment?.texts).toEqual({ 'in.txt': 'c' })
  const [check] = cases[0]?.checks ?? []
  const code = expect.stringContaining('grep -q 7 response.txt')
  expect(check).toMatchObject({ type: 'javascript', text: 'no seven', code })
})

describe('files of promptfoo', () => {
  const files = { 'tests/b.yaml': stringify([says('b')]), 'tests/a.yaml': stringify([says('a')]) }
  test.each<[string, unknown]>([
    ['a pattern in a list', ['file://tests/*.yaml']],
    ['a pattern alone', 'tests/*.yaml'],
  ])('tests of %s, by name', async (_, tests) => {
    expect(promptsOf(await readPromptfoo({ prompts: ['{{prompt}}'], tests }, files))).toEqual(['a', 'b'])
  })
  test('a pattern that finds nothing is a case that cannot run', async () => {
    const none = ['file://tests/*.yml']
    const { cases } = await readPromptfoo({ prompts: ['{{prompt}}'], tests: [...none, says('a')] }, files)
    const why = 'the tests of "file://tests/*.yml" are not read: no file matches it'
    expect(cases.map(({ cannot_run }) => cannot_run)).toEqual([expect.stringContaining(why), null])
  })
  test('prompts of a pattern', async () => {
    const all = { 'prompts/a.txt': 'A {{prompt}}', 'prompts/b.txt': 'B {{prompt}}' }
    const tests = [{ description: 'one', ...says('x') }]
    const { cases } = await readPromptfoo({ prompts: ['file://prompts/*.txt'], tests }, all)
    expect(cases.map(({ prompt, eval_name }) => [prompt, eval_name])).toEqual([
      ['A x', 'one (prompt 1)'],
      ['B x', 'one (prompt 2)'],
    ])
  })
})

test('promptfoo without prompts: the variable "prompt" is sent', async () => {
  const { cases } = await readPromptfoo({ tests: [says('a'), { vars: { other: 'b' }, assert: [] }] })
  expect(cases.map(({ prompt, cannot_run }) => [prompt, cannot_run === null])).toEqual([
    ['a', true],
    ['', false],
  ])
})

test('skill-used and not-skill-used are indicators; measures without an equal are named', async () => {
  const assert = [
    { type: 'skill-used', value: 'sums' },
    { type: 'not-skill-used', value: 'other' },
    { type: 'trace-error-spans', value: 0 },
    { type: 'contains', value: '2' },
  ]
  const { cases, warnings } = await readPromptfoo({ prompts: ['p'], tests: [{ assert }] })
  expect(cases[0]?.checks).toEqual([{ type: 'skill_read' }, { type: 'contains', value: '2' }])
  expect(cases[0]?.expectations).toEqual([{ text: 'The agent did not use the skill other', indicator: true }])
  for (const named of ['not-skill-used', 'trace-error-spans']) expect(JSON.stringify(warnings)).toContain(named)
})

/** A suite with these cases; `judge` is that of the suite. */
async function readSkillUp(
  cases: Record<string, object>,
  judge: object | null = null,
  more: Record<string, string> = {},
) {
  const files = Object.fromEntries(
    Object.entries(cases).map(([id, one]) => [
      `evals/cases/${id}.yaml`,
      stringify({ id, input: { prompt: 'p' }, ...one }),
    ]),
  )
  const suite = { schema_version: 'v1alpha1', cases: { files: Object.keys(files) }, ...(judge !== null && { judge }) }
  const root = folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify(suite), ...files, ...more })
  return await loadSuite(root)
}

test('a case without a judge has that of the suite, and one with a judge its own', async () => {
  const judge = { type: 'agent_judge', model: 'm', criteria: ['It is kind'] }
  const own = { type: 'agent_judge', criteria: ['It is short'] }
  const { cases, warnings } = await readSkillUp({ a: {}, b: { judge: own } }, judge)
  expect(cases.map(({ expectations }) => expectations.map(({ text }) => text))).toEqual([
    ['It is kind'],
    ['It is short'],
  ])
  expect(JSON.stringify(warnings)).not.toContain('"judge\\" of the file')
})

test('a judge of the suite that only names a model decides nothing', async () => {
  const { cases } = await readSkillUp({ a: { expect: { must_contain: ['x'] } } }, { type: 'agent_judge', model: 'm' })
  expect(cases.map(({ checks, cannot_run }) => [checks.length, cannot_run])).toEqual([[1, null]])
})

test.each<[string, unknown, object]>([
  ['output_contains', { any: ['Nil', 'bug'] }, { type: 'regex', pattern: 'Nil|bug' }],
  ['files_exist', ['a.md'], { type: 'file_exists', path: 'a.md' }],
  ['files_not_exist', ['b.log'], { type: 'file_absent', path: 'b.log' }],
  ['turn_response_contains', { turn: 1, contains_any: ['a', 'B'] }, { type: 'regex', pattern: 'a|B' }],
])('the rule %s is a check', async (rule, value, wanted) => {
  const judge = { type: 'rule_based', success: [{ [rule]: value }] }
  const { cases } = await readSkillUp({ a: { judge, input: { turns: [{ content: 'p' }, { content: 'q' }] } } })
  expect(cases[0]?.checks).toMatchObject([wanted])
  expect(JSON.stringify(cases[0]?.checks)).not.toContain('"flags"') // capitals count there
})

describe('the judge script of skill-up', () => {
  const judge = { type: 'script', script_path: 'evals/check.sh', timeout_seconds: 9 }
  const readScript = async (text: string, changes: object = {}) => {
    const { cases, warnings } = await readSkillUp({ a: { judge: { ...judge, ...changes } } }, null, {
      'evals/check.sh': text,
    })
    return { ...cases[0], warnings: JSON.stringify(warnings) }
  }
  test.each<[string, string, boolean, string]>([
    ['exit code 0', 'echo fine; [ "$EVAL_FINAL_MESSAGE" = "It is 42" ] && [ -f sum.txt ]', true, 'fine (Passed)'],
    ['another exit code', 'exit 3', false, 'exit code 3 (Failed)'],
  ])('%s decides, with the answer in its environment', async (_, text, passed, evidence) => {
    const { checks, grading_files: gradingFiles, cannot_run } = await readScript(text)
    expect(cannot_run).toBeNull()
    expect(checks).toMatchObject([{ type: 'javascript', timeout: 9, text: 'The script evals/check.sh passes' }])
    const scene = await sceneWith({ 'sum.txt': '42' }, { finalResponse: 'It is 42', gradingFiles: gradingFiles ?? [] })
    expect(await decideCheck(checkSchema.parse(checks?.[0]), scene)).toEqual({ passed, evidence })
  })
  test('its "args" are its arguments; another form keeps the case from running', async () => {
    const { checks } = await readScript('echo "$1 and $2"', { args: ['a b', 2] })
    const scene = await sceneWith({}, { finalResponse: '' })
    expect(await decideCheck(checkSchema.parse({ ...checks?.[0], files: undefined }), scene)).toBeDefined()
    expect(JSON.stringify(checks)).toContain('[\\"evals/check.sh\\",\\"a b\\",\\"2\\"]')
    expect((await readScript('exit 0', { args: { a: 1 } })).cannot_run).toContain('$.judge.args')
  })
  test.each<[string, string, object, string]>([
    ['reads the transcript', 'cat "$EVAL_TRANSCRIPT_PATH"', {}, 'reads the transcript'],
    ['has no known interpreter', '', { script_path: 'SKILL.md' }, 'neither .sh nor .py'],
  ])('one whose script %s is named and not read', async (_, text, changes, why) => {
    const { checks, warnings } = await readScript(text, changes)
    expect(checks).toEqual([])
    expect(warnings).toContain(why)
  })
  test('one whose script is not there keeps the case from running', async () => {
    const { cannot_run } = await readScript('', { script_path: 'evals/gone.sh' })
    expect(cannot_run).toContain('$.judge: the judge needs a text file')
  })
})

async function readVally(...graders: object[]) {
  const suite = { stimuli: [{ name: 'one', prompt: 'p', graders }] }
  const { cases, warnings } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify(suite) }))
  return { ...cases[0], said: JSON.stringify(warnings) }
}

test('a time of a stimulus counts before the usual one, in any form; another form keeps it from running; no call at all is a limit', async () => {
  const grader = { type: 'tool-call-count', config: { max: 0 } }
  const times = [600, '5m', undefined, 'soon']
  const stimuli = times.map((timeout, at) => ({
    name: `s${at}`,
    prompt: 'p',
    graders: [grader],
    ...(timeout && { timeout }),
  }))
  const suite = stringify({ defaults: { timeout: '60s' }, stimuli })
  const { cases } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': suite }))
  expect(cases.map((one) => one.timeout_seconds)).toEqual([600, 300, 60, null])
  expect(cases.map((one) => one.cannot_run !== null)).toEqual([false, false, false, true])
  expect(cases[0]?.checks).toMatchObject([{ type: 'tool_calls_at_most', value: 0 }])
})

test('calls that patterns describe are decided by a judge, required and disallowed ones', async () => {
  const shell = { name: '^bash$', command: 'git (push|reset)' }
  const { expectations, cannot_run } = await readVally(
    { type: 'tool-calls', weight: 2, config: { required: [shell] } },
    { type: 'tool-calls', config: { disallowed: [{ name: shell.name, args: { command: shell.command } }] } },
  )
  const call = 'its name matches /^bash$/ and its command matches /git (push|reset)/'
  expect(expectations).toEqual([
    { text: `The agent called a tool where ${call}`, weight: 2 },
    { text: `The agent called no tool where ${call}` },
  ])
  expect(cannot_run).toBeNull()
})

test('a reason with a semicolon is one reason: "; " is only between them', async () => {
  const { cannot_run } = await readVally({ type: 'a; b' }, { type: 'zqx' }, { type: 'zqx' })
  expect(cannot_run?.split('; ')).toEqual([
    '$.stimuli[0].graders[0].type: "a, b" is not a known type, write a check in an evals.json, or remove it',
    expect.stringContaining('graders[1].type: "zqx"'),
    expect.stringContaining('graders[2].type: "zqx"'),
  ])
})

test('the count of calls is a check, whether the skill was used an indicator', async () => {
  const { checks, expectations, said } = await readVally(
    { type: 'tool-call-count', turn: 0, config: { max: 30 } },
    { type: 'skill-invocation', config: { required: ['sums'], disallowed: ['other'] } },
  )
  expect(checks).toEqual([{ type: 'skill_read' }, { type: 'tool_calls_at_most', value: 30 }])
  expect(expectations).toEqual([{ text: 'The agent did not use the skill other', indicator: true }])
  expect(said).toContain('it is about the whole run')
})

test.each([[{ name: 3 }], [{}], [4]])('a call %j is of no known form and keeps the case from running', async (call) => {
  const { cannot_run } = await readVally({ type: 'tool-calls', config: { required: [call] } })
  expect(cannot_run).toContain('neither the name of a tool nor an object of patterns')
})

describe('a grader that gives no criterion keeps the case from running', () => {
  test.each<[object, string]>([
    [
      { type: 'output-matches', config: null },
      '$.stimuli[0].graders[1]: a grader "output-matches" gives no criterion: write "pattern"',
    ],
    [
      { type: 'output-contains', config: { substrings: [] } },
      'graders[1].config: a grader "output-contains" gives no criterion',
    ],
    [{ type: 'tool-calls', value: 'x' }, 'write "expect" or "reject"'],
    [{ config: { value: 'x' } }, '$.stimuli[0].graders[1] is not a grader: it has no "type"'],
    [
      { type: 'output-contain', config: { value: 'x' } },
      '"output-contain" is not a known type (did you mean "output-contains"?)',
    ],
  ])('Vally: %j', async (grader, why) => {
    const { checks, cannot_run } = await readVally({ type: 'output-contains', config: { value: '7' } }, grader)
    expect(checks).toHaveLength(1)
    expect(cannot_run).toContain(why)
  })
  test('Vally: one of a type without an equal is named, and its case runs', async () => {
    const { cannot_run, said } = await readVally(
      { type: 'output-contains', config: { value: '7' } },
      { type: 'run-command' },
    )
    expect(cannot_run).toBeNull()
    expect(said).toContain('run-command')
  })
  test.each<[object, RegExp]>([
    [{ type: 'output-match', config: { pattern: 'x' } }, /did you mean "output-matches"/],
    [{ type: 'vibes', config: {} }, /"vibes" is not a known type/],
    [{ type: 'output-matches', config: { pattern: 'a(' } }, /Invalid regular expression/],
    [{ type: 'output-contains', config: { substring: 'x', negate: 'yes' } }, /negate is text, not true or false/],
    [{ type: 'output-contains', turn: -1, config: { substring: 'x' } }, /turn is not the number of a message/],
  ])('Vally: %j keeps the case from running', async (grader, why) => {
    expect((await readVally({ type: 'output-contains', config: { value: '7' } }, grader)).cannot_run).toMatch(why)
  })
  test.each([{ type: 'output_matchs', pattern: 'x' }, { type: 'output_matches', pattern: 'a(' }, { type: 'vibes' }])(
    'dotnet/skills: %j keeps the case from running',
    async (assertion) => {
      const scenario = { name: 'a', prompt: 'p', assertions: [{ type: 'file_exists', path: 'o' }, assertion] }
      const text = stringify({ scenarios: [scenario] })
      const { cases } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': text }))
      expect(cases[0]?.cannot_run).toMatch(/not a known type|Invalid regular expression/)
    },
  )
  test.each<[object, string]>([
    [{ type: 'text' }, '$.tasks[0].graders[0]: a grader "text" gives no criterion: write "contains" or'],
    [{ type: 'keyword', config: { must_contain: [] } }, 'write "must_contain" or "must_not_contain"'],
    [{ type: 'promt', config: { prompt: 'x' } }, 'did you mean "prompt"?'],
    [{ name: 'x' }, '$.tasks[0].graders[0] is not a grader'],
  ])('waza: %j', async (grader, why) => {
    const suite = { skill: 's', tasks: [{ id: 'a', prompt: 'p', graders: [grader] }] }
    const { cases } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify(suite) }))
    expect(cases[0]?.cannot_run).toContain(why)
  })
  test.each<[object, string]>([
    [
      { type: 'rule_based', success: [{ files_exist: {} }] },
      '$.judge.success[0].files_exist: a rule "files_exist" gives no criterion: write "all"',
    ],
    [{ type: 'rule_based', success: [{}] }, '$.judge.success[0] is not a rule'],
    [{ type: 'agent_judge', criteria: [] }, '$.judge: a judge gives no criterion: write "criteria"'],
  ])('skill-up: %j', async (judge, why) => {
    expect((await readSkillUp({ a: { judge } })).cases[0]?.cannot_run).toContain(why)
  })
  test.each<object>([
    { type: 'contains' },
    { type: 'llm-rubric', value: ' ' },
    { type: 'contains-any', value: [] },
    {},
  ])('promptfoo: %j', async (assertion) => {
    const tests = [{ assert: [{ type: 'contains', value: '7' }, assertion] }]
    expect((await readPromptfoo({ prompts: ['p'], tests })).cases[0]?.cannot_run).toMatch(/states nothing/)
  })
  test('promptfoo: a type that is whole without a value stays', async () => {
    const { cases } = await readPromptfoo({ prompts: ['p'], tests: [{ assert: [{ type: 'is-json' }] }] })
    expect(cases[0]).toMatchObject({
      cannot_run: null,
      expectations: [{ text: 'The outcome meets {"type":"is-json"}' }],
    })
  })
})

test.each(['assert', 'assertions', 'evaluators'])('agentv: "%s" of a test are its assertions', async (name) => {
  const tests = [{ id: 'a', input: 'p', [name]: [{ type: 'contains', value: '7' }] }]
  const { cases } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify({ tests }) }))
  expect(cases[0]?.checks).toEqual([{ type: 'contains', value: '7' }])
})

describe('scenarios of Tessl', () => {
  const checklist = [
    { name: 'rows', description: 'It has a row for each boat', max_score: 60 },
    { name: 'once', max_score: 40 },
  ]
  const one = (criteria: unknown = { context: 'c', type: 'weighted_checklist', checklist }) => ({
    'evals/a/task.md': 'Count the boats.\n',
    'evals/a/criteria.json': typeof criteria === 'string' ? criteria : JSON.stringify(criteria),
  })
  test('a folder for each is a case, and max_score the weight of its statement', async () => {
    const files = { ...one(), 'evals/b/task.md': 'B', 'evals/b/criteria.json': JSON.stringify({ checklist }) }
    const { cases, path: place, warnings } = await loadSuite(folderOf({ 'SKILL.md': skillText, ...files }))
    expect(place).toMatch(/\/evals$/)
    expect(cases).toMatchObject([
      {
        ...{ eval_name: 'a', prompt: 'Count the boats.', cannot_run: null },
        expectations: [
          { text: 'It has a row for each boat', weight: 60 },
          { text: 'once', weight: 40 },
        ],
      },
      { eval_name: 'b', prompt: 'B' },
    ])
    expect(JSON.stringify(warnings)).toContain('\\"context\\" of criteria.json is not read')
  })
  test.each<[string, Record<string, string>, string]>([
    ['no criteria', { 'evals/b/task.md': 'B' }, 'b/criteria.json is missing'],
    ['no task', { 'evals/b/criteria.json': '{}' }, 'no prompt'],
    ['criteria that are not JSON', one('{'), 'a/criteria.json is not a JSON object'],
    [
      'an item without words',
      one({ checklist: [{ max_score: 1 }] }),
      'a/criteria.json $.checklist[0]: an item of the checklist gives no criterion',
    ],
    ['a score that is none', one({ checklist: [{ name: 'x', max_score: 'many' }] }), 'max_score is text, not a number'],
    ['files from a commit', { 'evals/a/scenario.json': '{"fixture":{"ref":"abc"}}' }, 'scenario.json has a "fixture"'],
  ])('with %s it cannot run', async (_, files, why) => {
    const { cases } = await loadSuite(folderOf({ 'SKILL.md': skillText, ...one(), ...files }))
    expect(cases.map((all) => all.cannot_run).join()).toContain(why)
  })
  test('other files of a scenario are named, and a skill of a tile is sent to its suite', async () => {
    const root = folderOf({ ...one(), 'evals/a/capability.txt': 'c', 'skills/sums/SKILL.md': skillText })
    const { warnings } = await loadSuite(path.join(root, 'evals'), path.join(root, 'skills/sums'))
    expect(JSON.stringify(warnings)).toContain('capability.txt is not read')
    expect((await userError(loadSuite(path.join(root, 'skills/sums')))).fix).toContain(`--suite ${root}/evals`)
  })
})

test.each(['judges', 'agents', 'matrix', 'graders'])('a list "%s" with prompts is no list of cases', async (name) => {
  const text = stringify({ [name]: [{ name: 'seven', prompt: 'Is it seven?' }] })
  const root = folderOf({ 'SKILL.md': skillText, 'eval.yaml': text })
  expect((await userError(loadSuite(root))).message).toContain('no suite found')
  const error = await userError(loadSuite(path.join(root, 'eval.yaml')))
  expect(error.message).toContain('a suite of no system that is known')
})

test('an eval.yaml of agent-eval-harness is named as that', async () => {
  const suite = {
    skill: 's',
    execution: { mode: 'case' },
    dataset: { path: 'cases' },
    judges: [{ name: 'j', prompt: 'p' }],
  }
  const error = await userError(loadSuite(folderOf({ 'SKILL.md': skillText, 'eval.yaml': stringify(suite) })))
  expect(error.message).toMatch(/eval\.yaml: a suite of agent-eval-harness/)
})

describe('what shapes a run or a verdict is read, or its case cannot run', () => {
  const files = {
    'evals/w.txt': 'seven\n',
    'evals/p.js': 'x',
    'evals/more.yaml': stringify({ tests: [{}], assert: ['It is kind'] }),
  }
  const contains = { type: 'contains', value: 'ok' }
  const isX = { type: 'text', config: { contains_cs: ['{{.Vars.x}}'] } }
  const readAny = async (suite: object) =>
    (await loadSuite(folderOf({ 'SKILL.md': skillText, ...files, 'evals/eval.yaml': stringify(suite) }))).cases
  const one = (test: object) => ({ prompts: ['p {{w}}'], tests: [{ vars: { w: 'a' }, assert: [contains], ...test }] })
  const agentv = (test: object, file = {}) => ({ ...file, tests: [{ id: 'a', input: 'p', criteria: 'c', ...test }] })

  test.each<[string, object, object]>([
    [
      'an assertion of a turn keeps its type',
      agentv({ turns: [{ input: 'q', assert: [{ type: 'not-contains', value: 'x', weight: 5 }, 'It is kind'] }] }),
      {
        checks: [{ type: 'not_contains', value: 'x', weight: 5, turn: 2 }],
        expectations: [{ text: 'c' }, { text: 'It is kind', turn: 2 }],
      },
    ],
    [
      'variables of waza',
      { skill: 's', inputs: { x: '"1"' }, tasks: [{ id: 'a', prompt: 'p {{ .Vars.x }}', graders: [isX] }] },
      { prompt: 'p "1"', checks: [{ type: 'contains', value: '"1"' }] },
    ],
    [
      'a template that a prompt of waza is about',
      { skill: 's', tasks: [{ id: 'a', prompt: 'p {{.x}}', expected: 'r' }] },
      { prompt: 'p {{.x}}' },
    ],
    [
      'switches that leave a case on',
      { enabled: true, evals: [{ id: 1, prompt: 'p', expectations: ['x'], skip: false, disabled: false }] },
      { expectations: [{ text: 'x' }] },
    ],
    [
      'a judge of agentv without a statement compares with the expected output',
      agentv({ criteria: undefined, expected_output: 'e', assert: [{ type: 'llm-rubric', weight: 2 }] }),
      { expectations: [{ text: 'The outcome matches the expected output: e', weight: 2 }] },
    ],
    ['a variable in a file is its text', one({ vars: { w: 'file://w.txt' } }), { prompt: 'p seven' }],
    ['a list of one value is that value', one({ vars: { w: ['b'] } }), { prompt: 'p b' }],
    ['no weight is the usual one', one({ assert: [{ ...contains, weight: null }] }), { checks: [contains] }],
    [
      'input above all tests is sent first',
      agentv({}, { input: 'First' }),
      { prompt: 'First', turns: [{ prompt: 'p' }] },
    ],
  ])('%s', async (_, suite, wanted) => {
    const [read] = await readAny(suite)
    expect(read?.cannot_run).toBeNull()
    expect(read).toMatchObject(wanted)
  })
  test('a prompt of code stops the cases of that prompt alone', async () => {
    const prompts = ['file://p.js', 'p2.py:fn', { raw: 'p', inputs: 'x' }, { raw: 'p', label: 'l' }]
    const cases = await readAny({ prompts, tests: [{ assert: [contains] }] })
    expect(cases.map(({ cannot_run }) => cannot_run !== null)).toEqual([true, true, true, false])
  })
  const many = Array.from({ length: 201 }, (_, at) => at)
  const inScenario = (scenario: object) => ({
    prompts: ['p {{w}}'],
    scenarios: [{ config: [{ vars: { w: 'a' } }], tests: [{ assert: [contains] }], ...scenario }],
  })
  test.each<[object, string]>([
    [one({ vars: { w: 'file://p.js' } }), 'not a text file'],
    [one({ vars: { w: many } }), 'more than 200 tests'],
    [one({ assert: [{ type: 'assert-set', threshold: 0.5, assert: [contains] }] }), '"threshold" of a set'],
    [one({ assert: [{ type: 'assert-set', negate: true, assert: [contains] }] }), '"negate" of a set'],
    [one({ assert: [{ type: 'not-contains', value: 'x', negate: true }] }), 'negated twice'],
    [one({ assert: [contains, { ...contains, weight: '2' }] }), 'assert[1].weight is not a number'],
    [one({ assert: [{ type: 'skill-used', value: 'other' }] }), 'the skill other is not the skill under test'],
    [inScenario({ assert: ['It is kind'] }), 'scenarios[0].assert'],
    [inScenario({ config: ['file://w.txt'] }), 'config[0] is not an object'],
    [{ ...one({}), defaultTest: { vars: 'file://w.txt' } }, 'vars is text, not an object'],
    [{ prompts: ['p'], tests: 'more.yaml', assert: [contains] }, 'more.yaml $.assert'],
    [{ prompts: ['p'], tests: [{ path: 'more.yaml', vars: { w: 'b' } }] }, 'tests[0].vars'],
    [agentv({ input: [{ role: 'user' }] }), 'message 1 has no "content"'],
    [agentv({ input: ['a', null] }), 'message 2 has no "content"'],
    [
      {
        scenarios: [
          { name: 'a', prompt: 'p', rubric: ['r'], setup: { files: [{ path: 'a', source: 'w.txt', content: 'c' }] } },
        ],
      },
      'both "source" and "content"',
    ],
    [
      {
        stimuli: [
          {
            name: 'a',
            prompt: 'p',
            rubric: ['r'],
            graders: [{ type: 'skill-invocation', config: { required: ['x'] } }],
          },
        ],
      },
      'x is not the skill under test',
    ],
    [{ setup: { commands: ['x'] }, scenarios: [{ name: 'a', prompt: 'p', rubric: ['r'] }] }, '$.setup'],
    [{ scenarios: [{ name: 'a', prompt: 'p', rubric: ['r'], turns: ['q'] }] }, 'scenarios[0].turns'],
    [
      { scenarios: [{ name: 'a', prompt: 'p', assertions: [{ type: 'output_contains', value: 'x', negate: true }] }] },
      'assertions[0].negate',
    ],
    [{ setup: 'x', tasks: [{ name: 'a', prompt: 'p', expect: 'r' }] }, '$.setup'],
    [{ tasks: [{ name: 'a', prompt: 'p', expect: 'r', not_expect: 'x' }] }, 'tasks[0].not_expect'],
    [{ stimuli: [{ name: 'a', prompt: 'p', rubric: ['r'], environment: { env: { A: 'b' } } }] }, 'environment.env'],
    [
      { stimuli: [{ name: 'a', prompt: 'p', graders: [{ type: 'prompt', negate: true, config: { prompt: 'r' } }] }] },
      'graders[0].negate',
    ],
    [{ skill: 's', hooks: { before: ['x'] }, tasks: [{ id: 'a', prompt: 'p', expected: 'r' }] }, '$.hooks'],
    [{ skill: 's', config: { mcpServers: { x: {} } }, tasks: [{ id: 'a', prompt: 'p', expected: 'r' }] }, 'mcpServers'],
    [
      { skill: 's', inputs: { x: 1 }, tasks: [{ id: 'a', prompt: '{{.x}}', expected: 'r' }] },
      'has no value in "inputs"',
    ],
    [{ skill: 's', tasks: [{ id: 'a', prompt: '{{.Vars.x}}', expected: 'r' }] }, 'has no value in "inputs"'],
    ...[{ disabled: true }, { skip: 'flaky' }, { enabled: false }, { skip: 7 }].map((off): [object, string] => [
      { evals: [{ id: 1, prompt: 'p', expectations: ['x'], ...off }] },
      `it is switched off: "${Object.keys(off)[0]}" is ${JSON.stringify(Object.values(off)[0])}`,
    ]),
    [{ skip: true, evals: [{ id: 1, prompt: 'p', expectations: ['x'] }] }, '"skip" is true'],
    [{ evals: [{ id: 1, prompt: 'p', expectations: ['x', { text: 'y', enabled: false }] }] }, '"enabled" is false'],
    [{ stimuli: [{ name: 'a', prompt: 'p', disabled: true, rubric: ['x'] }] }, '"disabled" is true in $.stimuli[0]'],
    [{ cases: [{ name: 'a', prompt: 'p', setup: { env: { A: 'b' } } }] }, 'setup.env'],
    [{ evals: [{ id: 1, prompt: 'p', expectations: [{ text: 'x', negate: true }] }] }, 'it is negated'],
    [{ evals: [{ id: 1, prompt: 'p', expectations: [{ type: 'must_not', text: 'x' }] }] }, 'it is negated'],
  ])('%j cannot run', async (suite, why) => {
    const cases = await readAny(suite)
    expect(cases[0]?.cannot_run).toContain(why)
  })
})
