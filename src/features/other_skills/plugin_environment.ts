/** Turns a plugin into an environment for the agent: a read-only copy of its folder, and its parts where an agent finds them. */
import path from 'node:path'
import type { Environment, InputFile } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashWalk, listEntries, walk } from '../../base/fs/files.ts'
import { isHiddenFromAgents } from '../../phases/1-plan/skill/read_skill.ts'
import { hashFileContent } from '../../phases/1-plan/suite/input_files.ts'
import { placeHooks, placeServers } from './plugin_hooks.ts'
import type { Plugin } from './read_plugin.ts'

/** Without its skills, which are installed next to the skill under test. */
export async function toPluginEnvironment(plugin: Plugin): Promise<Environment> {
  const { name, hooks, servers, agents, commands } = plugin
  const folder = `\${ENVIRONMENT_DIR}/${name}`
  return {
    files: await listPluginFiles(plugin),
    hooks: placeHooks(hooks, folder),
    rules: [],
    agents,
    mcp_servers: placeServers(servers, folder),
    ...(commands.length > 0 && { commands }),
    plugin: { name, folder: name },
  }
}

/** Everything but suites, results and git, as whole folders where nothing in them is left out. */
async function listPluginFiles({ root, name, skills }: Plugin): Promise<InputFile[]> {
  const skillPaths = skills.map((skill) => path.relative(root, skill.path).split(path.sep).join('/'))
  const isLeftOut = (relative: string) => {
    const skill = skillPaths.find((one) => one !== '' && relative.startsWith(`${one}/`))
    const inner = skill === undefined ? relative : relative.slice(skill.length + 1)
    return isHiddenFromAgents(withoutModules(inner))
  }
  const found: InputFile[] = []
  for (const entry of listEntries(root)) {
    const place = `${name}/${entry.name}`
    if (isLeftOut(entry.name)) continue
    const source = path.join(root, entry.name)
    if (!entry.isDirectory()) {
      if (entry.isFile()) found.push({ path: place, source, ...(await hashFileContent(source)) })
      continue
    }
    const { files } = await walk(source, { skip: (inner) => isLeftOut(`${entry.name}/${inner}`) })
    const isWhole = (await walk(source)).files.length === files.length
    if (isWhole) {
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      if (files.length > 0) found.push({ path: place, source, kind: 'directory', sha256: await hashWalk(files), bytes })
      continue
    }
    for (const file of files)
      found.push({ path: `${place}/${file.path}`, source: file.source, ...(await hashFileContent(file.source)) })
  }
  return found
}

/** Servers and hooks may need their packages. */
function withoutModules(relative: string): string {
  return relative
    .split('/')
    .filter((part) => part !== 'node_modules')
    .join('/')
}

/** Both environments in one. Throws UserError where they have a file or a server of the same name. */
export function mergeEnvironments(suite: Environment | undefined, plugin: Environment): Environment {
  if (suite === undefined) return plugin
  const name = plugin.plugin?.name ?? ''
  refuseTwins('server', name, Object.keys(suite.mcp_servers), Object.keys(plugin.mcp_servers))
  for (const kind of ['files', 'agents', 'commands'] as const) {
    const [own, other] = [suite[kind] ?? [], plugin[kind] ?? []].map((files) => files.map((file) => file.path))
    refuseTwins(kind, name, own ?? [], other ?? [])
  }
  const events = new Set([...Object.keys(suite.hooks), ...Object.keys(plugin.hooks)])
  const commands = [...(suite.commands ?? []), ...(plugin.commands ?? [])]
  return {
    ...suite,
    files: [...suite.files, ...plugin.files],
    hooks: Object.fromEntries(
      [...events].map((event) => [event, [...(suite.hooks[event] ?? []), ...(plugin.hooks[event] ?? [])]]),
    ),
    agents: [...suite.agents, ...plugin.agents],
    mcp_servers: { ...suite.mcp_servers, ...plugin.mcp_servers },
    ...(commands.length > 0 && { commands }),
    ...(plugin.plugin && { plugin: plugin.plugin }),
  }
}

function refuseTwins(kind: string, plugin: string, own: readonly string[], other: readonly string[]): void {
  const twin = own.find((name) => other.includes(name))
  if (twin === undefined) return
  throw new UserError(
    `plugin ${plugin}: the environment of a case and the plugin both have ${kind} ${twin}`,
    'rename one of them, or leave it out of the case',
  )
}
