/** AAM packages: each documented field changes the suite by itself; what is wrong has line and column and stops no sibling. */
import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readAamTests } from '../../../src/features/aam/read_tests.ts'
import { findSuites } from '../../../src/phases/1-plan/suite/find_suites.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, userError } from '../../phases/1-plan/folder.ts'
import { config, load, package_, plain, theCase } from './aam_package.ts'

const withConfig = (more: object) => load({ 'evals/eval-config.json': JSON.stringify({ ...config, ...more }) })

describe('eval-config.json: each field alone', () => {
  test('none of the optional ones', async () => {
    expect(await load()).toMatchObject({
      format: 'aam',
      skill_name: '@o/p',
      version: '1.2.3',
      fast_fail: true,
      defaults: { engine: 'claude-code', timeout_seconds: 120 },
      sandbox: { network: 'none' },
      cases: [{ eval_name: 'one', cannot_run: null, prompt: 'Do it.', expectations: [{ text: 'It is done.' }] }],
    })
  })
  test.each([
    ['engine', { engine: 'codex' }, { defaults: { engine: 'codex' } }],
    ['copilot', { engine: 'copilot' }, { defaults: { engine: 'copilot' } }],
    [
      'a reserved engine',
      { engine: 'cursor' },
      { defaults: { unsupported_engine: expect.stringContaining('cursor') } },
    ],
    ['an unknown engine', { engine: 'hal' }, { defaults: { unsupported_engine: expect.stringContaining('hal') } }],
    ['timeout', { timeout: 7 }, { defaults: { timeout_seconds: 7 } }],
    ['judge', { judge: 'claude-opus' }, { defaults: { judge: 'claude-opus' } }],
    ['sandbox.network', { sandbox: { network: true } }, { sandbox: { network: 'open' } }],
    ['sandbox.writable-paths', { sandbox: { 'writable-paths': ['src/'] } }, { sandbox: { only_writable: ['src'] } }],
    ['env', { env: { MODE: 'x' } }, { cases: [{ environment: { env: { MODE: 'x' } } }] }],
  ])('%s', async (_, more, expected) => expect(await withConfig(more)).toMatchObject(expected))
  test.each([
    ['no version', { version: undefined }, 'version is missing'],
    ['another version', { version: 2 }, 'version is 2'],
    ['no engine', { engine: undefined }, 'engine is missing'],
    ['a timeout of nothing', { timeout: 0 }, 'timeout must be above 0'],
    ['a timeout that no timer keeps', { timeout: 604_801 }, 'at most 604800'],
    ['a path out of the workspace', { sandbox: { 'writable-paths': ['../x'] } }, 'leads out'],
    ['an absolute path', { sandbox: { 'writable-paths': ['/etc'] } }, 'leads out'],
  ])('%s is refused with line and column', async (_, more, message) => {
    const text = JSON.stringify({ ...config, ...more }, null, 2)
    const { message: said } = await userError(load({ 'evals/eval-config.json': text }))
    expect(said).toMatch(/eval-config\.json:\d+:\d+: /)
    expect(said).toContain(message)
  })
  test('unknown fields are kept and reported', async () => {
    const { warnings, cases } = await withConfig({ colour: 'red', sandbox: { depth: 2 } })
    expect(warnings.map(({ message }) => message)).toEqual(['colour is not read', 'sandbox.depth is not read'])
    expect(cases[0]?.metadata).toEqual({ 'eval-config': { colour: 'red', 'sandbox.depth': 2 } })
  })
  test.each(['HOME', 'PATH', 'LD_PRELOAD', 'https_proxy', 'CURL_CA_BUNDLE', 'ANTHROPIC_BASE_URL', 'GIT_DIR', 'A=B'])(
    'env.%s stays ours, and is said',
    async (name) => {
      const { cases, warnings } = await withConfig({ env: { [name]: '/x' } })
      expect(cases[0]?.environment?.env).toBeUndefined()
      expect(warnings.map(({ at }) => at)).toContain(`env.${name}`)
    },
  )
})

describe('a case: each field alone', () => {
  const input = (field: string) => plain.replace('  prompt', `  ${field}\n  prompt`)
  test.each([
    ['description', 'description: What.\n', { metadata: { description: 'What.' } }],
    ['target skill', 'target: skill:sums\n', { skill_path: expect.stringMatching(/skills\/sums$/) }],
    ['target hook', 'target: hook:pre-tool-use\n', { target: 'hook:pre-tool-use', skill_path: null }],
    ['target agent', 'target: agent:auditor\n', { environment: { system_prompt: 'You audit.' } }],
    ['contains', 'expected: { contains: [a, b] }\n', { checks: [{ type: 'contains', value: 'a' }, { value: 'b' }] }],
    ['not-contains', 'expected: { not-contains: [a] }\n', { checks: [{ type: 'not_contains', value: 'a' }] }],
    ['files-created', 'expected: { files-created: [o/x] }\n', { checks: [{ type: 'file_exists', path: 'o/x' }] }],
    ['agent-blocked', 'expected: { agent-blocked: true }\n', { checks: [{ type: 'agent_blocked' }] }],
    ['not blocked', 'expected: { agent-blocked: false }\n', { checks: [{ type: 'agent_blocked', blocked: false }] }],
  ])('%s', async (_, more, expected) => expect(await theCase(plain + more)).toMatchObject(expected))
  test.each([
    ['name', plain.replace('one', 'two'), { eval_name: 'two', eval_key: 'two' }],
    ['input.files', input('files: [fixtures/a.csv]'), { files: [{ path: 'fixtures/a.csv' }] }],
    ['workspace-files, empty', input('workspace-files: [src/x.ts]'), { environment: { texts: { 'src/x.ts': '' } } }],
    ['a detour inside', input('workspace-files: [a/../b.txt]'), { environment: { texts: { 'b.txt': '' } } }],
    ['with a fixture', input('workspace-files: [a.csv]'), { files: [{ path: 'a.csv', bytes: 1 }] }],
  ])('%s', async (_, text, expected) => expect(await theCase(text)).toMatchObject(expected))

  test('texts stay texts: yes, 1.0, dates and null', async () => {
    const { checks } = await theCase(`${plain}expected:\n  contains: [yes, 1.0, 2026-01-01, 010, null, ~]\n`)
    expect(checks.map((one) => 'value' in one && one.value)).toEqual(['yes', '1.0', '2026-01-01', '010', 'null', '~'])
  })
  test.each([
    ['no name', plain.replace('name: one', 'description: x'), 'name is missing'],
    ['a bad name', plain.replace('one', 'One Case'), 'name must be 1 to 64'],
    ['a name of 65 letters', plain.replace('one', 'o'.repeat(65)), 'name must be 1 to 64'],
    ['no prompt', plain.replace('Do it.', ''), 'input.prompt is missing'],
    ['no criteria', plain.replace('It is done.', ''), 'judge.criteria is missing'],
    ['no such skill', `${plain}target: skill:gone\n`, 'has no such skill (it has other, sums)'],
    ['no such hook', `${plain}target: hook:stop\n`, 'has no such hook'],
    ['no such agent', `${plain}target: agent:gone\n`, 'has no such agent (it has auditor)'],
    ['another kind of target', `${plain}target: rule:x\n`, 'neither skill:<name>'],
    ['blocked: maybe', `${plain}expected: { agent-blocked: maybe }\n`, 'agent-blocked must be true or false'],
    ['a file that is not there', input('files: [gone.csv]'), 'no such file'],
    ['a file outside', input('files: [../package.agent.json]'), 'leads out'],
    ['an absolute file', input('files: [/etc/passwd]'), 'leads out'],
    ['a made file outside', `${plain}expected: { files-created: [../x] }\n`, 'leads out of the workspace'],
    ['a workspace file outside', input('workspace-files: [../x]'), 'leads out'],
    ['a workspace file outside by a detour', input('workspace-files: [a/../../x]'), 'leads out'],
    ['a workspace folder', input('workspace-files: [src/]'), 'workspace file src/: is a folder, name its files'],
    ['the workspace itself', input('workspace-files: [.]'), 'is a folder'],
    [
      'a file below a file',
      input('workspace-files: [x.txt, x.txt/y.txt]'),
      'x.txt/y.txt: x.txt is a file, not a folder',
    ],
    [
      'a file above an input',
      input('files: [fixtures/a.csv]\n  workspace-files: [fixtures]'),
      'since there is fixtures/a',
    ],
    ['a file below the manifest', input('workspace-files: [package.agent.json/x]'), 'is a file, not a folder'],
    ['no YAML', 'name: [one', 'one.yaml:1:'],
    ['a key twice', `name: one\n${plain}`, 'Map keys must be unique'],
  ])('%s: the case can not run, its sibling can', async (_, text, message) => {
    const { cases } = await load({ 'evals/cases/one.yaml': text, 'evals/cases/two.yaml': plain.replace('one', 'two') })
    expect(cases.map((one) => one.cannot_run === null)).toEqual([false, true])
    expect(cases[0]?.cannot_run).toContain(message)
    expect(cases[0]?.eval_name).not.toBe('')
    expect(cases[0]?.cannot_run).toMatch(/one\.yaml:\d+:\d+: /)
  })
  test('unknown fields are kept, and reported with their place', async () => {
    const { warnings, cases } = await load({
      'evals/cases/one.yaml': `${plain}  strict: 1.50\nretries: { most: 3 }\n`,
    })
    expect(warnings).toMatchObject([
      { at: expect.stringMatching(/one\.yaml:7:1$/), message: 'retries is not read' },
      { at: expect.stringMatching(/one\.yaml:6:3$/), message: 'judge.strict is not read' },
    ])
    expect(cases[0]?.metadata).toEqual({ retries: { most: 3 }, 'judge.strict': 1.5 })
  })
  test('what is no case in the folder of the cases is named once', async () => {
    const { warnings } = await load({ 'evals/cases/x4.json': '{}', 'evals/cases/sub/a.yaml': 'name: a' })
    expect(warnings.map(({ message }) => message)).toEqual(['not read: sub, x4.json (a case is a .yaml file)'])
    expect((await load()).warnings).toEqual([])
    const tests = (more: object) => readAamTests(folderOf({ 'hooks/tests/cases/a.yaml': 'name: a', ...more }))
    const { warnings: ofTests } = await tests({ 'hooks/tests/cases/x4.json': '{}' })
    expect(ofTests).toEqual([expect.stringMatching(/hooks\/tests\/cases: not read: x4\.json/)])
    expect((await tests({})).warnings).toEqual([])
  })
  test('what can not be read has one reason, not one for each field', async () => {
    expect((await theCase('name: [one')).cannot_run).not.toContain('is missing')
    expect((await theCase('- one')).cannot_run).toMatch(/one\.yaml:1:1: not a map of fields$/)
  })
  test('a link out of the package is no input', async () => {
    const root = folderOf({ ...package_, 'evals/cases/one.yaml': plain.replace('  prompt', '  files: [l]\n  prompt') })
    symlinkSync('/etc/hostname', path.join(root, 'evals/l'))
    const [found] = await findSuites(root, 'aam')
    expect((await found?.load())?.cases[0]?.cannot_run).toContain('a link that leads out')
  })
})

describe('the package around the agent', () => {
  const outside = 'name: a\ndescription: d\nsystem_prompt: ../../x\n'
  const legacy = '---\nname: old\n---\nOld.'
  const environment = async (files: Record<string, string>, text = plain) => (await theCase(text, files)).environment
  test.each([
    ['skills', {}, { skills: [{ path: 'other/SKILL.md' }, { path: 'sums/SKILL.md' }] }],
    ['rules', { 'rules/tidy/RULE.md': 'Be tidy.' }, { rules: [{ path: 'tidy.md' }] }],
    ['commands', { 'commands/go.md': 'Go.' }, { commands: [{ path: 'go.md' }] }],
    ['AGENTS.md', { 'AGENTS.md': 'Hello.' }, { instructions: 'Hello.' }],
    ['sub-agents', {}, { agent_texts: { auditor: expect.stringContaining('description: "Audits."') } }],
    ['a legacy sub-agent', { 'agents/old.md': legacy }, { agent_texts: { old: expect.stringContaining('Old.') } }],
    [
      'hooks',
      {},
      { hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ command: expect.stringContaining('true') }] }] } },
    ],
    [
      'MCP servers',
      { 'mcp/servers.json': `{"mcpServers":{"t":{"command":"node","args":["\${PACKAGE_ROOT}/s.mjs"]}}}` },
      { mcp_servers: { t: { args: [`\${ENVIRONMENT_DIR}/s.mjs`] } } },
    ],
    ['a minimal manifest', {}, { texts: { 'package.agent.json': expect.stringContaining('"@o/p"') } }],
  ])('%s', async (_, files, expected) => expect(await environment(files)).toMatchObject(expected))
  test('the skill under test is not among the further ones', async () => {
    expect(await environment({}, `${plain}target: skill:sums\n`)).toMatchObject({
      skills: [{ path: 'other/SKILL.md' }],
    })
  })
  test('what is expected is nowhere in it: evals and tests', async () => {
    const made = await environment({
      'skills/sums/tests/cases/a.yaml': 'name: a',
      'hooks/tests/cases/b.yaml': 'name: b',
    })
    const paths = [...(made?.files ?? []), ...(made?.skills ?? [])].map((one) => one.path)
    expect(paths).toContain('hooks/hooks.json')
    expect(paths.filter((one) => /tests|evals/.test(one))).toEqual([])
  })
  test.each([
    ['skills', 'skills: [sums]\n', { skills: [{ path: 'sums/SKILL.md' }] }],
    ['tools', 'tools: [file_read, shell]\n', { tools: ['Read', 'Glob', 'Grep', 'Bash'] }],
    ['parameters', 'parameters: { style: terse }\n', { system_prompt: 'You audit.\n\nStyle: terse' }],
  ])('agent.yaml: %s', async (_, more, expected) => {
    const text = package_['agents/auditor/agent.yaml'] + more
    const made = await environment({ 'agents/auditor/agent.yaml': text }, `${plain}target: agent:auditor\n`)
    expect(made).toMatchObject(expected)
    expect(made?.agent_texts).toBeUndefined()
  })
  test.each([
    ['no manifest', { 'package.agent.json': '[]' }, 'not an object'],
    ['an unknown event', { 'hooks/hooks.json': '{"hooks":{"on-lunch":[]}}' }, '"on-lunch" is not a known event; its'],
    ['a prompt outside', { 'agents/auditor/agent.yaml': outside }, "can't be read below the agent's folder"],
    ['broken servers', { 'mcp/servers.json': '{' }, 'no server is started'],
  ])('%s is said', async (_, files, message) => {
    const { warnings } = await load(files)
    expect(warnings.map((one) => `${one.at} ${one.message}`).join('\n')).toContain(message)
  })
})

test.each([
  ['pre-tool-us', 'pre-tool-use'],
  ['Pre-Tool-Use', 'pre-tool-use'],
])('the misspelt event %s keeps every case from running', async (event, meant) => {
  const text = `{"hooks":{"${event}":[{"hooks":[{"command":"true"}]}]}}`
  const { cases } = await load({ 'hooks/hooks.json': text, 'evals/cases/two.yaml': plain.replace('one', 'two') })
  const slip = expect.stringMatching(
    new RegExp(`hooks\\.json:1:11: "${event}" is not a known event \\(did you mean "${meant}"\\?\\)$`),
  )
  expect(cases.map(({ cannot_run }) => cannot_run)).toEqual([slip, slip])
})

describe('in the folder of a package', () => {
  const cwd = () => folderOf({ ...package_, 'evals/cases/two.yaml': plain.replace('one', 'two') })
  const planned = async (...args: string[]) => {
    const { code, stdout, stderr } = await runMain(['eval', ...args, '--dry-run', '--json'], { cwd: cwd() })
    const { cases } = JSON.parse(stdout.split('\n')[0] || '{}')
    return cases?.map((one: { eval_name: string }) => one.eval_name) ?? [code, stderr]
  }
  test.each([
    ['all cases', [], ['one', 'two']],
    ['a case', ['two'], ['two']],
    ['cases', ['two', 'o*'], ['one', 'two']],
    ['the folder, as before', ['.', 'one'], ['one']],
    ['no such case', ['three'], [2, expect.stringContaining('three')]],
  ])('eval runs %s', async (_, args, wanted) => expect(await planned(...args)).toEqual(wanted))
  test('elsewhere a path is needed', async () => {
    const { code, stderr } = await runMain(['eval', '--dry-run'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('eval needs <path>')])
    expect((await runMain(['eval', 'one', '--dry-run'])).stderr).toContain('no such file or folder')
  })
})

describe('where it is found', () => {
  test.each(['', 'evals', 'evals/eval-config.json', 'evals/cases/one.yaml'])('at package/%s', async (place) => {
    const [found] = await findSuites(path.join(folderOf(package_), place), null)
    const suite = await found?.load()
    expect(suite).toMatchObject({ format: 'aam', skill_name: '@o/p', cases: [{ eval_name: 'one' }] })
  })
  test('at any depth, several', async () => {
    const inner = Object.entries(package_).flatMap(([name, text]) => ['a', 'b/c'].map((at) => [`${at}/${name}`, text]))
    const found = await findSuites(folderOf(Object.fromEntries(inner)), null)
    expect(found.map(({ format }) => format)).toEqual(['aam', 'aam'])
  })
  test('a package with cases and no config is a broken suite, not none', async () => {
    const { 'evals/eval-config.json': _, ...others } = package_
    const [found] = await findSuites(folderOf(others), null)
    expect((await userError(found?.load() ?? Promise.resolve())).message).toContain('eval-config.json: no such file')
  })
  test('bench keeps a case that does not say which skill it is about, with the reason', async () => {
    const broken = {
      'evals/cases/bad.yaml': 'name: [x\n',
      'evals/cases/slip.yaml': `${plain.replace('one', 'slip')}targt: skill:sums\n`,
    }
    const two = { 'evals/cases/two.yaml': `${plain.replace('one', 'two')}target: skill:sums\n` }
    const root = folderOf({ ...package_, ...two, ...broken })
    const suite = await loadSuite(root, path.join(root, 'skills/sums'))
    const reasons = new Map(suite.cases.map((one) => [one.eval_name, one.cannot_run]))
    expect(reasons.get('two')).toBe(null)
    expect(reasons.get('bad')).toContain('bad.yaml:2:1')
    expect(reasons.get('slip')).toContain('did you mean "target"?')
  })
  test('bench takes the cases about one skill', async () => {
    const root = folderOf({ ...package_, 'evals/cases/two.yaml': `${plain.replace('one', 'two')}target: skill:sums\n` })
    const suite = await loadSuite(root, path.join(root, 'skills/sums'))
    expect(suite.cases.map((one) => one.eval_name)).toEqual(['two'])
    expect(suite.cases[0]?.environment?.skills?.map((one) => one.path)).toEqual(['other/SKILL.md'])
    expect(suite.warnings.map(({ message }) => message)).toContain(
      '1 of its cases are about something else; eval runs them',
    )
  })
})
