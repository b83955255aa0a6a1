/** The `environment` of a case: each field is read, and what is missing or broken keeps the case from running. */
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { computeRunKey } from '../../../src/phases/1-plan/keys/plan_keys.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf, loadCase, loadEvals, skillWith } from './folder.ts'

const base = { id: 1, prompt: 'p', expectations: ['e'] }
const files = {
  'evals/guard/a.mjs': 'a',
  'evals/rules/house.md': 'r',
  'evals/other/house.md': 'o',
  'evals/agents/reviewer.md': 'x',
  'evals/settings.json': '{"permissions":{},"hooks":{"Stop":[{"hooks":[{"command":"true"}]}]}}',
  'evals/mcp.json': '{"mcpServers":{"tickets":{"command":"node"}}}',
  'evals/broken.json': '{',
  'evals/slip.json': '{"hooks":{"Stopp":[{"hooks":[{"command":"true"}]}]}}',
}
const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] }
const read = (environment: object) => loadCase({ ...base, environment }, files)

describe('each field is read', () => {
  test.each<[string, object, object]>([
    ['files keep their path', { files: ['evals/guard'] }, { files: [{ path: 'evals/guard', kind: 'directory' }] }],
    ['rules go by their last name', { rules: ['evals/rules/house.md'] }, { rules: [{ path: 'house.md' }] }],
    ['agents', { agents: ['evals/agents/reviewer.md'] }, { agents: [{ path: 'reviewer.md' }] }],
    ['hooks', { hooks }, { hooks }],
    ['hooks of a settings.json, a type left out', { hooks: 'evals/settings.json' }, { hooks }],
    ['servers', { mcp_servers: { t: { url: 'http://x' } } }, { mcp_servers: { t: { url: 'http://x' } } }],
    ['servers of a .mcp.json', { mcp_servers: 'evals/mcp.json' }, { mcp_servers: { tickets: { command: 'node' } } }],
  ])('%s', async (_what, environment, expected) => {
    const { case: one, warnings } = await read(environment)
    expect(one).toMatchObject({ cannot_run: null, environment: expected })
    expect(warnings).toEqual([])
  })
  test('at the top it is that of every case without its own', async () => {
    const own = { ...base, id: 2, environment: {} }
    const { cases, warnings } = await loadEvals({ skill_name: 's', environment: { hooks }, evals: [base, own] })
    expect(cases.map(({ environment }) => Object.keys(environment?.hooks ?? {}))).toEqual([['Stop'], []])
    expect(warnings).toEqual([])
  })
  test('a case that has null has none of its own', async () => {
    const evals = [{ ...base, environment: null }]
    const { cases } = await loadEvals({ skill_name: 's', environment: { hooks }, evals })
    expect(cases[0]?.environment?.hooks).toEqual(hooks)
  })
})

test('a recording that is a link out of the skill is not read', async () => {
  const root = skillWith({
    skill_name: 's',
    evals: [{ ...base, environment: { mcp_servers: { t: { command: 'node' } } } }],
  })
  mkdirSync(path.join(root, 'evals/mcp'), { recursive: true })
  symlinkSync(path.join(folderOf({ key: 'PRIVATE-KEY of this machine' }), 'key'), path.join(root, 'evals/mcp/t.json'))
  const { cases } = await loadSuite(root)
  expect(cases[0]?.cannot_run).toContain("evals/mcp/t.json: it is not a file of the skill's folder")
  expect(JSON.stringify(cases)).not.toContain('PRIVATE')
})

describe('what is missing or broken keeps the case from running', () => {
  test.each<[object, string]>([
    [{ files: ['evals/none'] }, 'environment.files: input file evals/none: no such file'],
    [{ rules: ['evals/rules/house.md', 'evals/other/house.md'] }, 'environment.rules: two files are named house.md'],
    [{ hooks: 'evals/broken.json' }, 'environment.hooks: '],
    [{ hooks: 'evals/none.json' }, 'no such file'],
    [
      { hooks: { PreToolUs: hooks.Stop } },
      'environment.hooks: "PreToolUs" is not a known event (did you mean "PreToolUse"?)',
    ],
    [{ hooks: 'evals/slip.json' }, 'environment.hooks: "Stopp" is not a known event (did you mean "Stop"?)'],
    [{ hooks: '../../etc/passwd' }, 'leads out of the skill folder'],
    [{ mcp_servers: '/etc/passwd' }, 'leads out of the skill folder'],
    [{ mcp_servers: 'evals/settings.json' }, 'environment.mcp_servers: '],
    [{ files: ['evals'] }, 'the agent must not see'],
  ])('%j', async (environment, reason) => {
    const { case: one } = await read(environment)
    expect(one.cannot_run).toContain(reason)
    expect(one.environment).toBeUndefined()
  })
})

test('an event that nobody knows is a warning', async () => {
  const { case: one, warnings } = await read({ hooks: { OnLunch: hooks.Stop, PostToolUseFailure: hooks.Stop } })
  expect(one.cannot_run).toBeNull()
  expect(Object.keys(one.environment?.hooks ?? {})).toEqual(['OnLunch', 'PostToolUseFailure'])
  expect(warnings).toEqual([
    '$.evals[0].environment.hooks.OnLunch: "OnLunch" is not a known event; its hooks may never run',
  ])
})

test('a file of servers that is a link to elsewhere keeps the case from running', async () => {
  const elsewhere = path.join(folderOf({ 'mcp.json': '{"mcpServers":{}}' }), 'mcp.json')
  const evals = [{ ...base, environment: { mcp_servers: 'mine.json' } }]
  const root = skillWith({ skill_name: 's', evals })
  symlinkSync(elsewhere, path.join(root, 'mine.json'))
  const [one] = (await loadSuite(root)).cases
  expect(one?.cannot_run).toMatch(
    /^environment\.mcp_servers: mine\.json: a link that leads out of the skill folder, to \//,
  )
})

test('the key changes with the content of a script', async () => {
  const key = async (text: string) => {
    const { case: one } = await loadCase({ ...base, environment: { files: ['evals/g.sh'] } }, { 'evals/g.sh': text })
    return computeRunKey(specOf({ environment: one.environment }))
  }
  expect(await key('a')).toBe(await key('a'))
  expect(await key('b')).not.toBe(await key('a'))
})

test('a server with a url that is no address is a mistake in the file; a variable may stand in it', async () => {
  await expect(read({ mcp_servers: { t: { url: 'no address' } } })).rejects.toThrow(
    /mcp_servers\.t: "url" must begin with http/,
  )
  const { case: one } = await read({ mcp_servers: { t: { url: '$' + '{TICKETS_URL}' } } })
  expect(one?.cannot_run).toBeNull()
})
