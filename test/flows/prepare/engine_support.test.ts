/** Checks that can't be decided on an engine, and surroundings that it does not support, stop a suite or a case before anything is paid for; nothing is left out in silence. */
import { expect, test } from 'vitest'
import type { Check } from '../../../schemas/check.ts'
import type { Environment } from '../../../schemas/suite.ts'
import { applyEngineSupport } from '../../../src/flows/environment/unsupported_environment.ts'
import { requireValidSuite, skipUnrunnableCases } from '../../../src/flows/prepare/engine_support.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] }
const environment: Environment = { files: [], hooks, rules: [], agents: [], mcp_servers: {} }

interface More {
  environment?: Environment
  model?: string
  expectations?: { text: string }[]
}

const suiteOf = (checks: Check[], { environment, expectations = [] }: More = {}) => ({
  ...{ format: 'evals.json', path: '/s/evals.json', skill_name: 's', warnings: [] },
  cases: [suiteCase({ eval_id: 1, checks, expectations, environment }), suiteCase({ eval_id: 4, checks: [contains] })],
})
const contains: Check = { type: 'contains', value: 'x' }

/** What the refusal says; empty: the suite can be run. */
async function refused(engine: string, checks: Check[], more: More = {}): Promise<string> {
  const choice = { name: engine, model: more.model ?? null }
  const end = requireValidSuite(choice, suiteOf(checks, more), { allowInvalid: false })
  return await end.then(
    () => '',
    (error: unknown) => String(error),
  )
}

const used: Check = { type: 'tool_used', name: 'Bash' }
const blocked: Check = { type: 'agent_blocked' }
const cost: Check = { type: 'cost_at_most', value: 1 }

test.each<[string, Check[], RegExp | null]>([
  ['command', [contains, { type: 'duration_at_most', value: 9 }], null],
  [
    'command',
    [used, { type: 'turns_at_most', value: 3 }],
    /case 1 \(.*\): tool_used: the engine command does not show how[\s\S]*turns_at_most: .*\[case-undecidable\]/,
  ],
  ['command', [blocked, { type: 'skill_read' }], /agent_blocked: [\s\S]*skill_read: .*can't be decided/],
  ['command', [cost], /cost_at_most: .*what this model costs/],
  ['command', [{ type: 'tokens_at_most', value: 1 }], /tokens_at_most: .*not show tokens/],
  ['command', [{ type: 'tool_calls_at_most', value: 1 }], /tool_calls_at_most: .*how the agent works/],
  ['command', [used, contains], /tool_used: .*\[check-undecidable\]/],
  ['anthropic', [used, { type: 'skill_read' }, { type: 'tokens_at_most', value: 1 }], null],
  ['anthropic', [blocked], null],
])('%s %j', async (engine, checks, message) => {
  const said = await refused(engine, checks)
  if (message === null) expect(said).toBe('')
  else expect(said).toMatch(message)
})

test('with --allow-invalid a case is left out where nothing of it can be decided, and runs where something can', async () => {
  const on = async (checks: Check[], more: More = {}) => {
    const { cases } = await requireValidSuite({ name: 'command', model: null }, suiteOf(checks, more), {
      allowInvalid: true,
    })
    return cases.map(({ cannot_run }) => cannot_run === null)
  }
  expect(await on([used])).toEqual([false, true])
  expect(await on([used, contains])).toEqual([true, true])
  expect(await on([used], { expectations: [{ text: 'It is fine.' }] })).toEqual([true, true])
})

test('eval skips a case of which nothing can be decided, and runs the others', async () => {
  const { cases } = await skipUnrunnableCases({ name: 'command', model: null }, suiteOf([used]))
  expect(cases.map(({ cannot_run }) => cannot_run)).toEqual([expect.stringContaining("can't be decided"), null])
})

test('a block that nothing can bring about but the skill is a warning', async () => {
  const on = { name: 'claude-code', model: null }
  const said = async (more: More) =>
    (await requireValidSuite(on, suiteOf([blocked], more), { allowInvalid: false })).warnings
  expect(await said({})).toMatchObject([{ at: 'case 1', message: expect.stringContaining('has no hook') }])
  expect(await said({ environment })).toEqual([])
})

test.each([
  ['command', ['a.png', 'b.png', 'a.png'], ['does not attach images: the agent must open a.png and 1 more itself']],
  ['claude-code', ['a.png'], ['the engine claude-code does not attach images: the agent must open a.png itself']],
  ...['anthropic', 'openai', 'codex'].map((name): [string, string[], string[]] => [name, ['a.png'], []]),
])('%s with %j attached warns %j', async (name, paths, messages) => {
  const attach = paths.map((path) => ({ path, image: path.endsWith('.png') }))
  const suite = suiteOf([contains])
  const cases = suite.cases.map((one) => ({ ...one, attach }))
  const { warnings } = await requireValidSuite({ name, model: null }, { ...suite, cases }, { allowInvalid: false })
  expect(warnings).toMatchObject(
    messages.map((message) => ({ at: 'case 1, 4', message: expect.stringContaining(message) })),
  )
})

const rule = { path: 'a.md', source: '/s/a.md', kind: 'file', sha256: 's', bytes: 1 } as const

test('what an engine does not support refuses the suite', async () => {
  const servers = { ...environment, hooks: {}, mcp_servers: { a: { url: 'http://a' } } }
  expect(await refused('acp', [contains], { environment: { ...servers, rules: [rule] } })).toMatch(
    /does not support rules \[engine-lacks\]/,
  )
})

test('a model without a price can be held to no cost, one with a price can', async () => {
  expect(await refused('anthropic', [cost], { model: 'claude-of-nobody-knows' })).toContain('cost_at_most')
  expect(await refused('anthropic', [cost], { model: 'claude-haiku-4-5' })).toBe('')
})

test.each([
  ['command', 'gh agent.mjs', 'evals/bin/gh would start in place of the agent'],
  ['command', '/usr/bin/gh agent.mjs', ''],
  ['command', 'node agent.mjs', ''],
])('a program of the suite with the name of the agent program is refused: %s %s', async (name, command, message) => {
  const folder = {
    path: 'evals/bin',
    source: '/s/evals/bin',
    kind: 'directory' as const,
    sha256: '0'.repeat(64),
    bytes: 0,
  }
  const programs = { folder, executables: [], answers: { gh: [] } }
  const suite = suiteOf([contains], { environment: { ...environment, hooks: {}, programs } })
  const choice = { name, model: null, command }
  for (const prepare of [
    requireValidSuite(choice, suite, { allowInvalid: true }),
    skipUnrunnableCases(choice, suite),
  ]) {
    const said = await prepare.then(() => '', String)
    expect(said).toContain(message)
    expect(said === '').toBe(message === '')
  }
})

const head = (fields: string) => `---\nname: checker\ndescription: Checks.\n${fields}---\nCheck.\n`

test.each<[string, string, string[]]>([
  [
    'codex',
    'tools: Read\nmodel: haiku\ncolor: red\n',
    ['the engine codex does not follow tools, model of the sub-agent checker'],
  ],
  ['anthropic', 'tools: Read\nmodel: haiku\n', ['the engine anthropic does not follow model of the sub-agent checker']],
  ['anthropic', 'tools: Read\ndisallowedTools: Bash\n', []],
  ['claude-code', 'tools: Read\nmodel: haiku\nhooks: {}\n', []],
])('settings of a sub-agent on %s: %j', async (engine, fields, messages) => {
  const agents = { ...environment, hooks: {}, agent_texts: { a: head(fields) } }
  const suite = suiteOf([contains], { environment: agents })
  const { warnings } = await requireValidSuite({ name: engine, model: null }, suite, { allowInvalid: false })
  expect(warnings.map(({ message }) => message)).toEqual(messages)
})

const none: Environment = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
const file = { path: 'a.md', source: '/s/a.md', kind: 'file', sha256: 's', bytes: 1 } as const
const hook = (type: string) => [{ hooks: [{ type, command: 'true' }] }]

function suiteIn(environment: Environment | undefined) {
  const cases = [suiteCase({ environment })]
  return { format: 'evals.json', path: '/s/evals.json', skill_name: 's', cases, warnings: [] }
}
const on = (engine: string, environment: Environment | undefined) =>
  applyEngineSupport(suiteIn(environment), { name: engine, model: null })

test.each<[string, Partial<Environment>, string | null]>([
  [
    'claude-code',
    {
      hooks: { Stop: hook('prompt') },
      rules: [file],
      agents: [file],
      mcp_servers: { a: { url: 'http://127.0.0.1:1/mcp' } },
    },
    null,
  ],
  ['anthropic', {}, null],
  ['anthropic', { agents: [file], mcp_servers: { a: { url: 'http://127.0.0.1:1/mcp' }, b: { command: 'b' } } }, null],
  ['pi', { agents: [file] }, 'the engine pi does not support sub-agents'],
  ['pi', { mcp_servers: { a: { command: 'a' } } }, 'the engine pi does not support MCP servers'],
  [
    'anthropic',
    { hooks: { SessionStart: hook('command') } },
    'the engine anthropic does not support hooks of SessionStart',
  ],
  ['openai', { hooks: { Stop: hook('command') }, rules: [file] }, null],
  ['codex', { mcp_servers: { a: { url: 'http://127.0.0.1:1/mcp' } }, agents: [file] }, null],
  ['codex', { hooks: { Stop: hook('prompt') } }, 'the engine codex does not support hooks of type prompt'],
  ['command', { agents: [file], hooks: { Stop: hook('command') } }, null],
])('%s %j', (engine, environment, reason) => {
  expect(on(engine, { ...none, ...environment }).cases[0]?.cannot_run).toBe(reason)
})
test('where nobody can know, a warning says so', () => {
  expect(on('command', { ...none, rules: [file] }).warnings).toMatchObject([
    { message: expect.stringContaining('only writes the files of the environment') },
  ])
  expect(on('command', undefined).warnings).toEqual([])
})
