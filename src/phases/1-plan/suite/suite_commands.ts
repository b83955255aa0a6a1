/** Lists the programs that a suite and its skills start, case by case; every flow asks about these and no others. Pure. */
import type { McpServers } from '../../../../schemas/environment.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { SuiteCommand } from '../../../../schemas/suite_command.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import type { LoadedSkills } from '../skill/skill_commands.ts'
import { hookCommands } from './hook_commands.ts'

/** The parts of a case that start programs, or that those programs run. */
export type CommandSource = Pick<SuiteCase, 'eval_id' | 'eval_name' | 'files' | 'checks' | 'setup' | 'git'> & {
  environment?: SuiteCase['environment']
  /** No agent runs, so only setup and checks start programs. */
  withoutAgent?: true
}

type Command = Omit<SuiteCommand, 'cases'>

/** Returns the skills in a case's working folder. */
export type SkillsOf = (one: CommandSource) => LoadedSkills

/** Each command once, with the cases that start it, in the order of the cases. */
export function listCommands(cases: readonly CommandSource[], skillsOf: SkillsOf): SuiteCommand[] {
  return mergeCommands(
    cases.map((one) => ({ name: `${one.eval_id} ${one.eval_name}`, commands: commandsOfCase(one, skillsOf(one)) })),
  )
}

/** The same for commands that are already listed. */
export function mergeCommands(cases: readonly { name: string; commands: readonly Command[] }[]): SuiteCommand[] {
  const found = new Map<string, SuiteCommand>()
  for (const { name, commands } of cases) {
    for (const one of commands) {
      const key = `${one.kind} ${one.source ?? ''} ${one.command}`
      const known = found.get(key)
      if (known === undefined) found.set(key, { ...one, cases: [name] })
      else if (!known.cases.includes(name)) known.cases.push(name)
    }
  }
  return [...found.values()]
}

/** Returns a sha256 for each case that starts a program, over its commands and the content of the files that they can run. */
export function commandHashes(cases: readonly CommandSource[], skillsOf: SkillsOf): string[] {
  const hashes = cases.flatMap((one) => {
    const skills = skillsOf(one)
    const commands = commandsOfCase(one, skills)
    if (commands.length === 0) return []
    const { files, git, environment } = one
    // setup runs before the skill is installed and checks run without it, so only programs of the agent's session can start its files
    const besideAgent = commands.some(({ kind }) => kind !== 'setup' && kind !== 'check')
    const others = besideAgent ? [...(environment?.skills ?? []), ...(environment?.commands ?? [])] : []
    const content = {
      commands,
      files: [...files, ...(environment?.files ?? []), ...(environment?.agents ?? []), ...others].map((file) => [
        file.path,
        file.sha256,
        file.executable === true,
      ]),
      git: git === null || git === true ? git : git.sha256,
      env: environment?.env ?? {},
      texts: environment?.texts ?? {},
      skills: besideAgent ? [...new Set(skills.hashes)].sort() : [],
    }
    return [sha256(canonicalJson(content))]
  })
  return [...new Set(hashes)]
}

function commandsOfCase(one: CommandSource, skills: LoadedSkills): Command[] {
  const { setup, checks, files, environment, withoutAgent } = one
  const run = checks.flatMap((check) => (check.type === 'command' ? [check.run] : []))
  const settings = files.flatMap((file): Command[] =>
    agentSettings.test(file.path) ? [{ kind: 'agent_settings', command: file.path }] : [],
  )
  const { hooks = {}, mcp_servers: servers = {}, agents = [] } = environment ?? {}
  // the frontmatter of a sub-agent can name hooks and servers
  for (const { path } of agents) settings.push({ kind: 'agent_settings', command: path })
  return [
    ...(setup === null ? [] : [{ kind: 'setup' as const, command: setup }]),
    ...(withoutAgent ? [] : [...settings, ...hookCommands(hooks), ...serverCommands(servers), ...skills.commands]),
    ...run.map((command) => ({ kind: 'check' as const, command })),
  ]
}

/** Project settings of agent CLIs, and of the git that they call; each can start programs. */
const agentSettings = /(?:^|\/)\.git(?:\/|$)|^\.(?:claude|codex|opencode)(?:\/|$)|^(?:\.mcp\.json|opencode\.jsonc?)$/i

function serverCommands(servers: McpServers): Command[] {
  return Object.entries(servers).map(([name, { command, args = [], env, url }]) => {
    const set = Object.entries(env ?? {}).map(([key, value]) => `${key}=${value}`)
    const text = command === undefined ? (url ?? '') : [...set, command, ...args].join(' ')
    return { kind: 'mcp_server', command: `${name}: ${text}` }
  })
}
