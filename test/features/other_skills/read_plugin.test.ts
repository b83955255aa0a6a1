/** Plugins: their parts by default folder and by manifest, and every way in which a part is broken. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { mergeEnvironments, toPluginEnvironment } from '../../../src/features/other_skills/plugin_environment.ts'
import { findPluginRoot, listOtherParts, readPluginName } from '../../../src/features/other_skills/plugin_reading.ts'
import { readPlugin } from '../../../src/features/other_skills/read_plugin.ts'
import { makePlugin } from '../../e2e/agents/plugin.ts'

const root = `\${CLAUDE_PLUGIN_ROOT}`
const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nBody.\n`
const manifest = (more: object) => JSON.stringify({ name: 'plug', ...more })
const hook = (command: string) => ({ Stop: [{ hooks: [{ type: 'command', command }] }] })
const names = (files: readonly { path: string }[]) => files.map((file) => file.path).sort()

describe('parts', () => {
  test('of the default folders', async () => {
    const plugin = await readPlugin(makePlugin())
    expect(plugin.skills.map(({ name }) => name)).toEqual(['alpha', 'beta'])
    expect([names(plugin.agents), names(plugin.commands)]).toEqual([['reviewer.md'], ['tell.md']])
    expect([Object.keys(plugin.hooks), Object.keys(plugin.servers)]).toEqual([['PreToolUse'], ['tickets']])
    expect(plugin.warnings).toEqual([])
  })
  test('a server whose program is not on this machine is a warning', async () => {
    const servers = (command: string) => makePlugin({ '.mcp.json': JSON.stringify({ mcpServers: { t: { command } } }) })
    const { warnings } = await readPlugin(servers('no-such-program'))
    expect(warnings).toEqual(['.mcp.json: server t: no program no-such-program on PATH of this machine'])
    expect((await readPlugin(servers('node'))).warnings).toEqual([])
  })
  test('named in the manifest: skills, hooks and servers are added; commands and agents replace the default folder', async () => {
    const plugin = await readPlugin(
      makePlugin({
        '.claude-plugin/plugin.json': manifest({
          skills: './more/',
          commands: ['./texts/one.md'],
          agents: './people/',
          hooks: ['./cfg/hooks.json', hook('echo inline')],
          mcpServers: { inline: { command: 'node' } },
        }),
        'more/gamma/SKILL.md': skill('gamma'),
        'texts/one.md': 'One.',
        'people/clerk.md': 'Clerk.',
        'cfg/hooks.json': JSON.stringify({ hooks: hook('echo file') }),
      }),
    )
    expect(plugin.skills.map(({ name }) => name)).toEqual(['alpha', 'beta', 'gamma'])
    expect([names(plugin.agents), names(plugin.commands)]).toEqual([['clerk.md'], ['one.md']])
    expect(plugin.hooks.Stop).toHaveLength(2)
    expect(Object.keys(plugin.servers).sort()).toEqual(['inline', 'tickets'])
  })
  test('that no run gets are listed', async () => {
    const { warnings } = await readPlugin(
      makePlugin({
        '.claude-plugin/plugin.json': manifest({ lspServers: {} }),
        'bin/tool': 'x',
        'themes/a.json': '{}',
      }),
    )
    expect(warnings.join('\n')).toMatch(/language servers.*left out[\s\S]*themes[\s\S]*bin\//)
  })
  test('servers without the key mcpServers are read too', async () => {
    const { servers } = await readPlugin(makePlugin({ '.mcp.json': '{"bare":{"url":"https://example.com/mcp"}}' }))
    expect(Object.keys(servers)).toEqual(['bare'])
  })
})

describe('links out of the plugin', () => {
  test('are left out with a warning; one inside is followed', async () => {
    const folder = makePlugin()
    symlinkSync('/etc/passwd', path.join(folder, 'agents/outside.md'))
    symlinkSync('/etc/passwd', path.join(folder, 'data.txt'))
    symlinkSync('reviewer.md', path.join(folder, 'agents/again.md'))
    const { agents, warnings } = await readPlugin(folder)
    expect(names(agents)).toEqual(['again.md', 'reviewer.md'])
    expect(warnings.sort()).toEqual([
      'agents/outside.md: a link out of the folder: runs get the plugin without it',
      'data.txt: a link out of the folder: runs get the plugin without it',
    ])
  })
  test('that the manifest names are broken parts', async () => {
    const folder = makePlugin({ '.claude-plugin/plugin.json': manifest({ agents: './outside.md' }) })
    symlinkSync('/etc/passwd', path.join(folder, 'outside.md'))
    await expect(readPlugin(folder)).rejects.toThrow('agents: ./outside.md leads out of the plugin')
  })
})

describe('broken parts', () => {
  const own = (more: object) => ({ '.claude-plugin/plugin.json': manifest(more) })
  const servers = (server: object) => ({ '.mcp.json': JSON.stringify({ mcpServers: { t: server } }) })
  test.each<[what: string, files: Record<string, string | undefined>, message: RegExp]>([
    ['plugin.json is not JSON', { '.claude-plugin/plugin.json': '{"name":' }, /plugin\.json:1:\d+: not valid JSON/],
    ['no name', { '.claude-plugin/plugin.json': '{}' }, /plugin\.json: .*name/],
    ['a path that leads out', own({ agents: './../x' }), /agents.*stays in the plugin/],
    ['a path without ./', own({ commands: 'texts' }), /commands/],
    ['a folder that is missing', own({ agents: './no/' }), /agents: no file or folder \.\/no\//],
    ['no skill in a folder', own({ skills: './agents' }), /skills: no skill in \.\/agents/],
    ['a hooks file that is missing', own({ hooks: './no.json' }), /no\.json: no such file/],
    ['hooks.json is not JSON', { 'hooks/hooks.json': '{' }, /hooks\/hooks\.json:1:\d+: not valid JSON/],
    ['hooks without a list', { 'hooks/hooks.json': '{"hooks":{"Stop":{}}}' }, /hooks\/hooks\.json: .*Stop/],
    ['a misspelt event', { 'hooks/hooks.json': '{"hooks":{"PreTolUse":[]}}' }, /"PreTolUse" is .*mean "PreToolUse"/],
    ['a hook without its script', { 'hooks/guard.sh': undefined }, /hooks\.json: PreToolUse: no file hooks\/guard\.sh/],
    ['.mcp.json is not JSON', { '.mcp.json': 'x' }, /\.mcp\.json:1:\d+: not valid JSON/],
    ['a server without a command', servers({}), /\.mcp\.json: .*needs a "command" or a "url"/],
    ['one without its script', { 'server/tickets.mjs': undefined }, /server tickets: no file server\/tickets\.mjs/],
    [
      'a script by a relative path',
      servers({ command: 'node', args: ['server/tickets.mjs'] }),
      /write \$\{CLAUDE_PLUGIN_ROOT\}\/server\/tickets\.mjs/,
    ],
    ['a name twice', { 'skills/other/SKILL.md': skill('beta') }, /named beta: skills\/beta and skills\/other/],
    ['a skill without frontmatter', { 'skills/beta/SKILL.md': 'Say 42.' }, /skills\/beta\/SKILL\.md: no frontmatter/],
  ])('%s', async (_, files, message) => {
    await expect(readPlugin(makePlugin(files))).rejects.toThrow(message)
  })
  test('all of them at once', async () => {
    const files = { 'hooks/guard.sh': undefined, '.mcp.json': 'x' }
    await expect(readPlugin(makePlugin(files))).rejects.toThrow(
      /plugin plug \(.*\): 2 parts are broken:\n {2}hooks.*\n {2}\.mcp\.json/,
    )
  })
  test('an unknown event is only a doubt', async () => {
    const { warnings } = await readPlugin(makePlugin({ 'hooks/hooks.json': '{"hooks":{"Moonrise":[]}}' }))
    expect(warnings).toEqual(['hooks/hooks.json: "Moonrise" is not a known event; its hooks may never run'])
  })
})

describe('as an environment', () => {
  test('the copy has no suite, and hooks and servers name it', async () => {
    const environment = await toPluginEnvironment(await readPlugin(makePlugin()))
    expect(names(environment.files)).toEqual(
      'plug/.claude-plugin plug/.mcp.json plug/agents plug/commands plug/hooks plug/server plug/skills/alpha/SKILL.md plug/skills/beta/SKILL.md'.split(
        ' ',
      ),
    )
    const [own] = environment.hooks.PreToolUse?.[0]?.hooks ?? []
    const folder = `\${ENVIRONMENT_DIR}/plug`
    expect(own?.command).toBe(`export CLAUDE_PLUGIN_ROOT="${folder}"\n"${folder}/hooks/guard.sh"`)
    expect(environment.mcp_servers.tickets).toMatchObject({ env: { CLAUDE_PLUGIN_ROOT: folder } })
    expect(JSON.stringify(environment)).not.toContain(root)
  })
  test('a hook with arguments gets the variable too', async () => {
    const exec = { type: 'command', command: 'node', args: [`${root}/server/tickets.mjs`] }
    const files = { 'hooks/hooks.json': JSON.stringify({ hooks: { Stop: [{ hooks: [exec] }] } }) }
    const { hooks } = await toPluginEnvironment(await readPlugin(makePlugin(files)))
    expect(hooks.Stop?.[0]?.hooks[0]?.command).toBe('env')
  })
  test('next to the environment of a case; the same name twice is refused', async () => {
    const plugin = await toPluginEnvironment(await readPlugin(makePlugin()))
    const own = { files: [], rules: [], agents: [], hooks: hook('true'), mcp_servers: {} }
    expect(Object.keys(mergeEnvironments(own, plugin).hooks)).toEqual(['Stop', 'PreToolUse'])
    const same = { ...own, mcp_servers: { tickets: { command: 'x' } } }
    expect(() => mergeEnvironments(same, plugin)).toThrow('both have server tickets')
  })
})

test('a folder in a plugin knows it', () => {
  const plugin = makePlugin()
  expect(findPluginRoot(path.join(plugin, 'skills/alpha'))).toBe(plugin)
  expect(readPluginName(plugin)).toBe('plug')
  expect(listOtherParts(plugin)).toEqual(['hooks', 'MCP servers', 'agents', 'commands'])
  const outside = path.join(path.dirname(plugin), 'outside')
  mkdirSync(outside)
  expect([existsSync(outside), findPluginRoot(outside)]).toEqual([true, null])
})
