/** What an engine does not support of a suite keeps the case from running on it; nothing is left out in silence. */
import { expect, test } from 'vitest'
import type { Environment } from '../../../schemas/suite.ts'
import { applyEngineSupport } from '../../../src/flows/environment/unsupported_environment.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

const none: Environment = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
const file = { path: 'a.md', source: '/s/a.md', kind: 'file', sha256: 's', bytes: 1 } as const
const hook = (type: string) => [{ hooks: [{ type, command: 'true' }] }]

function suiteOf(environment: Environment | undefined) {
  const cases = [suiteCase({ environment })]
  return { format: 'evals.json', path: '/s/evals.json', skill_name: 's', cases, warnings: [] }
}
const on = (engine: string, environment: Environment | undefined) =>
  applyEngineSupport(suiteOf(environment), { name: engine, model: null })

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
