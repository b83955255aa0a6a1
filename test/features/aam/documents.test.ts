/** AAM packages: each field of what lies beside the evals changes the suite alone (hooks.json, agent.yaml, the manifest); nothing is taken from elsewhere. */
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorMessage } from '../../../src/base/errors/error.ts'
import { applyEngineSupport } from '../../../src/flows/environment/unsupported_environment.ts'
import { hookCommands } from '../../../src/phases/1-plan/skill/skill_commands.ts'
import { findSuites, loadSuites } from '../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf, skillText } from '../../phases/1-plan/folder.ts'
import { load, package_, plain, theCase } from './aam_package.ts'

const said = async (files: Record<string, string>) =>
  (await load(files)).warnings.map(
    ({ at, message }) => `${at.replace(/^.*?(?=hooks\/|agents\/|package\.)/, '')} ${message}`,
  )

describe('hooks.json, field by field', () => {
  const entry = { type: 'command', command: 'true', timeout: 5 }
  const group = { matcher: 'Write', hooks: [entry] }
  const hooksOf = async (hooks: object, more: object = {}) =>
    (await theCase(plain, { 'hooks/hooks.json': JSON.stringify({ version: 1, hooks, ...more }) })).environment?.hooks
  const one = (fields: object) => ({ 'pre-tool-use': [{ ...group, ...fields }] })
  test.each([
    ['the event', { stop: [group] }, { Stop: [{ matcher: 'Write' }] }],
    ['the event by its other name', { Stop: [group] }, { Stop: [{ matcher: 'Write' }] }],
    ['matcher', one({ matcher: 'Edit' }), { PreToolUse: [{ matcher: 'Edit' }] }],
    [
      'type',
      one({ hooks: [{ type: 'prompt', prompt: 'Done?' }] }),
      { PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'Done?' }] }] },
    ],
    [
      'command',
      one({ hooks: [{ ...entry, command: 'false' }] }),
      { PreToolUse: [{ hooks: [{ command: expect.stringMatching(/pre-tool-use false$/) }] }] },
    ],
    ['timeout', one({ hooks: [{ ...entry, timeout: 400 }] }), { PreToolUse: [{ hooks: [{ timeout: 400 }] }] }],
  ])('%s', async (_, hooks, expected) => {
    expect(await hooksOf(one({}))).not.toMatchObject(expected)
    expect(await hooksOf(hooks)).toMatchObject(expected)
  })
  test.each([
    ['pre-tool-use', 'PreToolUse'],
    ['pre-prompt', 'UserPromptSubmit'],
    ['session-start', 'SessionStart'],
    ['stop', 'Stop'],
    ['sub-agent-end', 'SubagentStop'],
  ])('%s is %s, and a target', async (event, name) => {
    const file = { 'hooks/hooks.json': JSON.stringify({ hooks: { [event]: [group] } }) }
    const about = await theCase(`${plain}target: hook:${event}\nexpected: { agent-blocked: true }\n`, file)
    expect(Object.keys(about.environment?.hooks ?? {})).toEqual([name])
    expect(about).toMatchObject({ cannot_run: null, checks: [{ type: 'agent_blocked', event: name }] })
    expect(about.environment?.may_lack).toEqual({ needs: [`hooks of ${name}`] })
  })
  test('the list of programs has the command as written, and all of what another suite puts around it', async () => {
    const hooks = (await hooksOf(one({ hooks: [{ ...entry, command: "say 'it works'" }] }))) ?? {}
    expect(hookCommands(hooks)).toEqual([{ kind: 'hook', command: "PreToolUse: say 'it works'" }])
    const wrapped = hooks.PreToolUse?.[0]?.hooks[0]?.command ?? ''
    for (const command of [`${wrapped}; evil`, wrapped.replace(' pre-tool-use ', ' x;evil ')])
      expect(hookCommands({ Stop: [{ hooks: [{ type: 'command', command }] }] })).toEqual([
        { kind: 'hook', command: `Stop: ${command}` },
      ])
  })
  test('a list of groups that name their event is the same', async () => {
    const list = await hooksOf([
      { event: 'pre-tool-use', ...group },
      { event: 'stop', hooks: [entry] },
      { event: 'pre-tool-use', matcher: 'Bash', hooks: [entry] },
    ])
    const map = { 'pre-tool-use': [group, { matcher: 'Bash', hooks: [entry] }], stop: [{ hooks: [entry] }] }
    expect(list).toEqual(await hooksOf(map))
    expect(Object.keys(list ?? {})).toEqual(['PreToolUse', 'Stop'])
  })
  test.each<[string, object, RegExp]>([
    ['Cursor', { beforeShellExecution: [{ command: './a.sh' }] }, /hooks of Cursor \(beforeShellExecution\)/],
    ['Cursor, by its entries', { preToolUse: [{ matcher: 'Write', command: './a.sh' }] }, /hooks of Cursor/],
    ['Copilot', { preToolUse: [{ type: 'command', bash: './a.sh', timeoutSec: 9 }] }, /hooks of GitHub Copilot/],
    ['Copilot, by its events', { userPromptSubmitted: [{ bash: 'x' }] }, /hooks of GitHub Copilot/],
  ])('hooks of %s are named as such, and run nothing', async (_, hooks, message) => {
    expect(await hooksOf(hooks)).toEqual({})
    const { warnings, cases } = await load({ 'hooks/hooks.json': JSON.stringify({ version: 1, hooks }) })
    expect(warnings.map((one) => one.message).join()).toMatch(message)
    expect(cases.map(({ cannot_run }) => cannot_run)).toEqual([null])
  })
  const text = (value: object) => ({ 'hooks/hooks.json': JSON.stringify(value, null, 1) })
  test.each([
    ['another version', { version: 2, hooks: {} }, 'hooks/hooks.json:2:2 is 2; 1 is known'],
    ['an unknown field', { colour: 1, hooks: {} }, 'hooks/hooks.json:2:2 colour is not read'],
    ['an unknown field of a group', { hooks: one({ id: 3 }) }, 'id is not read'],
    ['an unknown field of an entry', { hooks: one({ hooks: [{ ...entry, async: true }] }) }, 'async is not read'],
    ['an event without a list', { hooks: { 'pre-tool-use': { ...group } } }, 'must be a list of groups'],
    ['a matcher that is no text', { hooks: one({ matcher: 5 }) }, 'must be text; the group is left out'],
    [
      'a type without its field',
      { hooks: one({ hooks: [{ type: 'prompt', command: 'true' }] }) },
      'needs a "prompt"; it is left out',
    ],
    ['another type', { hooks: one({ hooks: [{ type: 'http', url: 'x' }] }) }, 'http is neither command nor prompt'],
    [
      'a script without PACKAGE_ROOT',
      { hooks: one({ hooks: [{ ...entry, command: 'node hooks/g.mjs' }] }) },
      'names hooks/g.mjs without $',
    ],
  ])('%s is said, with line and column', async (_, value, message) => {
    const all = (await said({ 'hooks/g.mjs': '', ...text(value) })).join('\n')
    expect(all).toContain(message)
    expect(all).toMatch(/hooks\.json:\d+:\d+ /)
  })
  test('control: nothing is said of an ordinary one, nor of a script by its PACKAGE_ROOT', async () => {
    const command = 'node $PACKAGE_ROOT/hooks/g.mjs'
    expect(
      await said({ 'hooks/g.mjs': '', ...text({ version: 1, hooks: one({ hooks: [{ ...entry, command }] }) }) }),
    ).toEqual([])
  })
})

describe('agent.yaml, field by field', () => {
  const base = 'name: auditor\ndescription: Audits.\nsystem_prompt: p.md\n'
  const files = { 'agents/auditor/q.md': 'You look.', 'commands/go.md': 'Go.', 'commands/stay.md': 'Stay.' }
  /** As the session, and as a sub-agent of another case. */
  const both = async (yaml: string, target = 'auditor') => {
    const given = { ...files, 'agents/auditor/agent.yaml': yaml }
    const session = await theCase(`${plain}target: agent:${target}\n`, given)
    const beside = await theCase(plain, given)
    return { session, text: beside.environment?.agent_texts?.[target] ?? '' }
  }
  test.each([
    ['description', base.replace('Audits.', 'Looks.'), 'description: "Looks."'],
    ['system_prompt', base.replace('p.md', 'q.md'), 'You look.'],
    ['skills', `${base}skills: [sums]\n`, 'skills: sums\n'],
    ['tools', `${base}tools: [shell]\n`, 'tools: Bash\n'],
    ['parameters.style', `${base}parameters: { style: terse }\n`, 'Style: terse'],
    ['parameters.output_format', `${base}parameters: { output_format: json }\n`, 'Output format: json'],
  ])('%s reaches the sub-agent', async (_, yaml, text) => {
    expect((await both(base)).text).not.toContain(text)
    expect((await both(yaml)).text).toContain(text)
  })
  test('parameters.temperature is that of the session, on engines that take one; elsewhere it is told', async () => {
    const { session, text } = await both(`${base}parameters: { temperature: 0.2 }\n`)
    expect(session.environment?.temperature).toBe(0.2)
    expect((await both(base)).session.environment).not.toHaveProperty('temperature')
    expect(text).not.toContain('0.2')
    const suite = { ...(await load()), cases: [session] }
    const on = (name: string) => applyEngineSupport(suite, { name, model: null })
    expect(on('anthropic').cases[0]?.environment?.temperature).toBe(0.2)
    expect(on('codex').cases[0]).toMatchObject({ cannot_run: null })
    expect(on('codex').cases[0]?.environment).not.toHaveProperty('temperature')
    expect(on('codex').warnings.at(-1)?.message).toContain('the engine codex does not support a temperature')
  })
  test('name', async () => {
    const { session, text } = await both(base.replace('auditor', 'checker'), 'checker')
    expect(session.cannot_run).toBeNull()
    expect(text).toContain('name: checker')
    expect((await both(base.replace('auditor', 'checker'))).session.cannot_run).toContain('it has checker')
  })
  test.each([
    ['file_read', 'Read, Glob, Grep'],
    ['file_write', 'Write, Edit'],
    ['shell', 'Bash'],
    ['mcp__tickets__list, Task', 'mcp__tickets__list, Task'],
  ])('the tools %s are %s', async (tools, own) => {
    const { session, text } = await both(`${base}tools: [${tools}]\n`)
    expect(session.environment?.tools).toEqual(own.split(', '))
    expect(text).toContain(`\ntools: ${own}\n`)
  })
  test('version is kept with the cases about it', async () => {
    expect((await both(`${base}version: 1.0\n`)).session.metadata).toEqual({ agent_version: '1.0' })
    expect((await both(base)).session.metadata).toBeUndefined()
  })
  test('commands: the session has those that it lists', async () => {
    const commands = async (more: string) =>
      (await both(base + more)).session.environment?.commands?.map((one) => one.path)
    expect(await commands('')).toEqual(['go.md', 'stay.md'])
    expect(await commands('commands: [go]\n')).toEqual(['go.md'])
  })
  test('skills by the name in SKILL.md too, which need not be the folder’s', async () => {
    const skills = { 'skills/folder/SKILL.md': skillText.replace('sums', 'called') }
    const yaml = { 'agents/auditor/agent.yaml': `${base}skills: [called]\n` }
    const { environment } = await theCase(`${plain}target: agent:auditor\n`, { ...skills, ...yaml })
    expect(environment?.skills?.map((one) => one.path)).toEqual(['folder/SKILL.md'])
    expect((await said({ ...skills, ...yaml })).join()).not.toContain('not in the package')
  })
  test.each([
    [
      'a name that would be a path',
      base.replace('auditor', '../../x'),
      /agent\.yaml:1:1 name must be 1 to 64 .*auditor is used/,
    ],
    ['no description', base.replace('description: Audits.\n', ''), /agent\.yaml:1:1 description is missing/],
    ['an unknown field', `${base}colour: red\n`, /agent\.yaml:4:1 colour is not read/],
    ['no YAML', 'name: [a\n', /agent\.yaml:\d+:\d+ /],
    ['a tool without a counterpart', `${base}tools: [fax]\n`, /agent\.yaml:4:1 tool fax has no counterpart/],
    ['a skill of another package', `${base}skills: [far]\n`, /agent\.yaml:4:1 skill far is not in the package/],
  ])('%s is said', async (_, yaml, message) => {
    expect((await said({ 'agents/auditor/agent.yaml': yaml })).join('\n')).toMatch(message)
  })
  test.each(['name: [\n', '- a list\n', `${base}tools: [file_read\n`])(
    '%j: no case is run with less than the agent',
    async (yaml) => {
      const session = async (text: string) => {
        const agent = { 'agents/auditor/agent.yaml': text, 'agents/auditor/system-prompt.md': 'You audit.' }
        return await theCase(`${plain}target: agent:auditor\n`, agent)
      }
      expect((await session(yaml)).cannot_run).toContain('auditor')
      expect((await session('name: auditor\ndescription: Audits.\n')).cannot_run).toBeNull()
    },
  )
  test('no name leads out of .claude/agents', async () => {
    const { environment } = await theCase(plain, { 'agents/auditor/agent.yaml': base.replace('auditor', '../../x') })
    expect(Object.keys(environment?.agent_texts ?? {})).toEqual(['auditor'])
  })
  test('two of one name: the second is left out, and that is said', async () => {
    const second = { 'agents/z/agent.yaml': base.replace('Audits.', 'Zzz.'), 'agents/z/p.md': 'Z.' }
    expect((await said(second)).join()).toContain("auditor is another agent's name too")
    expect((await theCase(plain, second)).environment?.agent_texts?.auditor).toContain('Audits.')
  })
})

describe('package.agent.json, field by field', () => {
  const of = (fields: object) => ({
    'package.agent.json': JSON.stringify({ name: '@o/p', version: '1.2.3', description: 'd', ...fields }),
  })
  test.each([
    ['name', { name: '@o/q' }, { skill_name: '@o/q' }, '"@o/q"'],
    ['version', { version: '2.0.0' }, { version: '2.0.0' }, '"2.0.0"'],
    ['description', { description: 'other' }, {}, '"other"'],
  ])('%s: in the suite, and in what the agent finds', async (_, fields, suite, text) => {
    const read = await load(of(fields))
    expect(read).toMatchObject(suite)
    const minimal = (one: typeof read) => one.cases[0]?.environment?.texts?.['package.agent.json']
    expect(minimal(read)).toContain(text)
    expect(minimal(await load())).not.toContain(text)
  })
  test.each([
    ['dependencies', { dependencies: { '@x/y': '^1' } }, '@x/y ^1 is not installed'],
    [
      'quality',
      { quality: { evals: [{ name: 'a', path: 'b.yaml' }] } },
      'evals: {"name":"a","path":"b.yaml"} is not run',
    ],
    ['no name', { name: undefined }, 'it has no name'],
    ['a field that nobody reads', { ver: '2', license: 'MIT' }, 'not read here: ver'],
  ])('%s is said', async (_, fields, message) => {
    expect((await said(of(fields))).join('\n')).toContain(message)
  })
  test('artifacts, a standard field, is no warning', async () =>
    expect(await said(of({ artifacts: { skills: ['skills/sums'] } }))).toEqual([]))
})

test.each([
  ['a SKILL.md without a name', { 'skills/bare/SKILL.md': 'Do it.\n' }, 'its frontmatter has no name'],
  ['a folder of rules without RULE.md', { 'rules/odd/notes.txt': 'x' }, 'it does not contain RULE.md'],
])('%s is said', async (_, files, message) => {
  const told = async (more: Record<string, string>) => (await load(more)).warnings.map((one) => one.message).join('\n')
  expect(await told({})).not.toContain(message)
  expect(await told(files)).toContain(message)
})

describe('mcp/servers.json', () => {
  const server = { command: 'node', args: ['s.mjs'], env: { A: '1' } }
  const servers = async (value: unknown) =>
    (await theCase(plain, { 'mcp/servers.json': JSON.stringify(value) })).environment?.mcp_servers
  test.each([
    ['the servers alone', { t: server }, { t: server }],
    ['below "servers"', { servers: { t: server } }, { t: server }],
    ['below "mcpServers"', { mcpServers: { t: server } }, { t: server }],
    ['by url', { u: { type: 'http', url: 'http://127.0.0.1:1' } }, { u: { type: 'http', url: 'http://127.0.0.1:1' } }],
  ])('%s', async (_, value, expected) => expect(await servers(value)).toEqual(expected))
  test.each([
    ['a server of nothing', { t: {} }, 'needs a "command" or a "url"'],
    ['a name with a space', { 't t': server }, '$.t t: '],
  ])('%s is said, and none is started', async (_, value, message) => {
    const files = { 'mcp/servers.json': JSON.stringify(value) }
    expect((await load(files)).warnings.map((one) => one.message).join()).toContain(message)
    expect(await servers(value)).toEqual({})
  })
})

describe('nothing is taken from elsewhere', () => {
  const outside = {
    'hooks/hooks.json': '{"hooks":{"pre-tool-use":[{"hooks":[{"type":"command","command":"echo CANARY"}]}]}}',
    'mcp/servers.json': '{"s":{"command":"CANARY"}}',
    'package.agent.json': '{"name":"CANARY"}',
    'evals/cases/one.yaml': plain.replace('Do it.', 'CANARY'),
    'agents/old.md': 'CANARY',
    'agents/auditor/agent.yaml': 'name: auditor\ndescription: CANARY\nsystem_prompt: p.md\n',
    'agents/auditor/p.md': 'CANARY',
  }
  const linked = async (name: keyof typeof outside, isInside: boolean) => {
    const others = Object.entries(package_).filter(([one]) => one !== name)
    const root = folderOf({ ...Object.fromEntries(others), ...(isInside && { 'shared/file': outside[name] }) })
    const target = isInside ? path.join(root, 'shared/file') : path.join(folderOf({ file: outside[name] }), 'file')
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    symlinkSync(target, path.join(root, name))
    const [first] = await loadSuites(await findSuites(root, 'aam'))
    return first?.read.status === 'fulfilled' ? JSON.stringify(first.read.value) : errorMessage(first?.read.reason)
  }
  test.each(Object.keys(outside) as (keyof typeof outside)[])('%s that a link takes from outside', async (name) => {
    expect(await linked(name, false)).not.toContain('CANARY')
    expect(await linked(name, true)).toContain('CANARY')
  })
  test.each(['AGENTS.md', 'hooks/hooks.json', 'mcp/servers.json', 'package.agent.json', 'agents/auditor/agent.yaml'])(
    '%s of more than 1 MiB is left out, and said',
    async (name) => {
      const text = Object.hasOwn(package_, name) ? package_[name as keyof typeof package_] : '{}'
      const full = (bytes: number) => load({ [name]: text + ' '.repeat(bytes - text.length) })
      const large = (await full(2 ** 20 + 1)).warnings.map(({ message }) => message).join()
      expect(large).toContain('larger than 1048576 bytes')
      expect((await full(2 ** 20)).warnings.map(({ message }) => message).join()).not.toContain('larger than')
    },
  )
})

test.each(['SKILL.md', 'more.md'])('a link of a skill that leads out of it is left out, and said: %s', async (name) => {
  const root = folderOf({
    ...package_,
    'shared/file': skillText,
    'skills/more/a.md': '',
    ...(name !== 'SKILL.md' && { 'skills/more/SKILL.md': skillText.replace('sums', 'more') }),
  })
  symlinkSync('../../shared/file', path.join(root, 'skills/more', name))
  const [found] = await findSuites(root, 'aam')
  const suite = await found?.load()
  expect(suite?.warnings.map(({ message }) => message).join()).toMatch(/left out/)
  const paths = suite?.cases[0]?.environment?.skills?.map((one) => one.path)
  expect(paths).not.toContain(`more/${name}`)
  expect(paths?.includes('more/SKILL.md')).toBe(name !== 'SKILL.md')
})

test('another thing’s eval-config.json in a tree is no suite; named itself it is read', async () => {
  const { 'package.agent.json': _, ...bare } = package_
  const tree = { 'app/evals/eval-config.json': '{"model":"m"}' }
  const root = folderOf({
    ...tree,
    ...Object.fromEntries(Object.entries(bare).map(([name, text]) => [`p/${name}`, text])),
  })
  const places = (await findSuites(root, 'aam')).map(({ place }) => path.relative(root, place))
  expect(places).toEqual(['p/evals/eval-config.json'])
  const [named] = await findSuites(path.join(root, 'app/evals/eval-config.json'), null)
  await expect(named?.load()).rejects.toThrow('version is missing')
  await expect(findSuites(folderOf(tree), 'aam')).rejects.toThrow('no suite found')
})
