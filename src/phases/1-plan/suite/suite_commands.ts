/** Lists the programs that a suite and its skills start, case by case; every flow asks about these and no others. Pure. */
import { type Check, isProgramCheck } from '../../../../schemas/check.ts'
import type { McpServers } from '../../../../schemas/environment.ts'
import type { Environment, SuiteCase, SuitePrograms } from '../../../../schemas/suite.ts'
import type { SuiteCommand } from '../../../../schemas/suite_command.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { getRedactor, isSecretName } from '../../../base/secrets/redact.ts'
import { listEngines } from '../../../engines/table.ts'
import { hookCommands, type LoadedSkills } from '../skill/skill_commands.ts'

/** The parts of a case that start programs, or that those programs run. */
export type CommandSource = Pick<
  SuiteCase,
  'eval_id' | 'eval_name' | 'files' | 'checks' | 'setup' | 'git' | 'grading_files'
> & {
  environment?: SuiteCase['environment']
  harbor?: SuiteCase['harbor']
  teardown?: SuiteCase['teardown']
  /** No agent runs, so only setup and checks start programs. */
  withoutAgent?: true
  /** The task's own solution runs in the agent's place. */
  withSolution?: true
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
    const { files, git, environment, harbor, grading_files = [] } = one
    // setup runs before the skill is installed and checks run without it, so only programs of the agent's session can start its files
    const besideAgent = commands.some(({ kind }) => !beforeSkill.has(kind))
    const others = besideAgent ? [...(environment?.skills ?? []), ...(environment?.commands ?? [])] : []
    const content = {
      commands,
      files: [...files, ...(environment?.files ?? []), ...(environment?.agents ?? []), ...others].map((file) => [
        file.path,
        file.sha256,
        file.executable === true,
      ]),
      ...(grading_files.length > 0 && { graders: hashGraders(one) }),
      git: git === null || git === true ? git : (git.repo?.commit ?? git.sha256),
      ...(harbor && { task: [harbor.sha256, harbor.image, one.withSolution ? harbor.solution : null] }),
      env: environment?.env ?? {},
      texts: environment?.texts ?? {},
      ...(environment && Object.keys(environment.mcp_servers).length > 0 && { servers: environment.mcp_servers }),
      ...(environment?.programs && { programs: environment.programs.folder.sha256 }),
      ...(environment?.agent_texts && { agents: environment.agent_texts }),
      skills: besideAgent ? [...new Set(skills.hashes)].sort() : [],
    }
    return [sha256(canonicalJson(content))]
  })
  return [...new Set(hashes)]
}

/** They run without the skill's files. */
const beforeSkill: ReadonlySet<SuiteCommand['kind']> = new Set(['setup', 'check', 'program'])

function commandsOfCase(one: CommandSource, skills: LoadedSkills): Command[] {
  const { setup, teardown, checks, files, environment, withoutAgent, git } = one
  const run = checks.flatMap(listCheckCommands)
  const { hooks = {}, texts = {} } = environment ?? {}
  const found = [...files.map((file) => file.path), ...Object.keys(texts)].filter(isAgentSettings)
  const ofRepo = git === null || git === true ? [] : (git.repo?.settings ?? [])
  const settings = [...found, ...ofRepo, ...listSubAgents(environment ?? {})].map((command) => {
    return { kind: 'agent_settings' as const, command }
  })
  return [
    ...(setup === null ? [] : [{ kind: 'setup' as const, command: setup }]),
    ...(withoutAgent && setup === null && run.length === 0 ? [] : programCommands(environment?.programs)),
    ...(withoutAgent
      ? []
      : [...settings, ...hookCommands(hooks), ...serverCommands(environment ?? {}), ...skills.commands]),
    ...run.map((command) => ({ kind: 'check' as const, command })),
    ...(withoutAgent || teardown === undefined ? [] : [{ kind: 'teardown' as const, command: teardown }]),
    ...harborCommands(one),
  ]
}

/** A Harbor task's world and verifier, which always run in a sandbox or a container. */
function harborCommands({ harbor: task, withSolution }: CommandSource): Command[] {
  if (task === undefined) return []
  const runs = task.steps.flatMap((step) => (step.kind === 'run' ? [step.command.replace(/\s+/g, ' ')] : []))
  return [
    ...runs.map((command) => ({ kind: 'setup' as const, command })),
    ...(withSolution && task.solution ? [{ kind: 'setup' as const, command: 'bash /solution/solve.sh' }] : []),
    { kind: 'check', command: 'bash /tests/test.sh' },
  ]
}

/** What checks put into the working folder, by place and content. */
function hashGraders({ checks, grading_files = [] }: CommandSource) {
  const places = checks.flatMap((check) => (isProgramCheck(check) ? (check.files ?? []) : []))
  return { places, files: grading_files.map((file) => [file.path, file.sha256, file.executable === true]) }
}

function listCheckCommands(check: Check): string[] {
  if (check.type === 'command') return [check.run]
  if (check.type === 'javascript') return [`javascript: ${check.code ?? check.script}`]
  return check.type === 'script' ? [[check.script, ...(check.args ?? [])].join(' ')] : []
}

/** Whether a file is of a project's settings, in any folder, from which an agent, or the git that it calls, may start programs. */
export function isAgentSettings(name: string): boolean {
  const known = listEngines().flatMap(({ settings = [] }) => settings)
  const places = ['.git', '.cursor/hooks.json', '.cursor/mcp.json', ...known]
  return places.some((place) => `/${name.toLowerCase()}/`.includes(`/${place}/`))
}

/** Programs with recorded answers run nothing of the suite. */
function programCommands(programs: SuitePrograms | undefined): Command[] {
  return (programs?.executables ?? []).map((name) => ({ kind: 'program', command: `evals/bin/${name}` }))
}

/** The frontmatter of a sub-agent can name hooks and servers. */
function listSubAgents({ agents = [], agent_texts: texts = {} }: Partial<Environment>): string[] {
  const written = Object.entries(texts).filter(([, text]) =>
    /(?:hooks|mcpServers)["']?\s*:|\\[xuU]/i.test(/^[\s\S]+?\n---/.exec(text)?.[0] ?? ''),
  )
  return [...agents.map((file) => file.path), ...written.map(([name]) => `.claude/agents/${name}.md`)]
}

/** Programs that a recording stands in for are not started. */
function serverCommands({ mcp_servers: servers = {}, recordings = {} }: Partial<Environment>): Command[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    recordings[name] === undefined ? { kind: 'mcp_server' as const, command: `${name}: ${serverText(server)}` } : [],
  )
}

/** The start of a server without its secrets. `commandHashes` covers all of its text. */
function serverText({ command, args = [], env = {}, url }: McpServers[string]): string {
  const redactor = getRedactor(env)
  const set = Object.entries(env).map(([name, value]) => `${name}=${isHidden(name, value) ? '…' : value}`)
  return redactor.text(command === undefined ? (url ?? '') : [...set, command, ...args].join(' '))
}

/** A value that comes from a variable of the user's, or that its name calls a secret. The folder of the environment is neither. */
function isHidden(name: string, value: string): boolean {
  return isSecretName(name) || /\$\{(?!ENVIRONMENT_DIR\})/.test(value)
}
