/** What the cases of an EVAL.md test: an agent, a skill, the source file that it lies beside, or a model with nothing added. */
import path from 'node:path'
import type { Environment, LoadWarning, Skill, SuiteDefaults } from '../../../../../schemas/suite.ts'
import { entriesIn, exists, hashFile } from '../../../../base/files.ts'
import { type AgentIdentity, readAgent } from './agent.ts'
import { findPlace } from './places.ts'
import type { EvalMdSettings } from './settings.ts'
import { filesOfSkill, skillsAt } from './skills.ts'
import { isToolModule, readTool } from './tools.ts'

export interface Subject {
  /** skill:<name>, agent:<name>, source:<file>; null: none of them. */
  target: string | null
  name: string
  /** Absolute. */
  root: string
  skill: Skill | null
  /** null: nothing is put around the agent. */
  environment: Environment | null
  /** As the suite's defaults say it; null: nobody names one. */
  model: Pick<SuiteDefaults, 'model' | 'model_file'> | null
  /** The file that the suite lies beside. */
  source: { path: string; sha256: string } | null
  warnings: LoadWarning[]
  /** Why no case of the file can run here. */
  reasons: string[]
}

/** Never throws. `file`: the suite, absolute. */
export async function subjectOf(file: string, settings: EvalMdSettings): Promise<Subject> {
  const folder = path.dirname(file)
  const made: Found = { skills: [], warnings: [], reasons: [] }
  const agent = await agentOf(file, settings, made)
  await addNamedSkills(file, settings, made)
  const isBare = agent === null && settings.skills === null
  if (isBare && (await exists(path.join(folder, 'SKILL.md')))) add(made, await skillsAt(folder))
  const source = await sourceBeside(file)
  const tools = toolsOf(file, settings, made)
  const { skill, others } = partedSkills(made.skills, agent)
  const system = [agent?.systemPrompt, settings.system].filter((text) => text).join('\n\n')
  const environment: Environment = {
    ...{ files: [], hooks: {}, rules: [], agents: agent?.agents ?? [], mcp_servers: {} },
    ...(others.length > 0 && { skills: (await Promise.all(others.map(filesOfSkill))).flat() }),
    ...(system !== '' && { system_prompt: system }),
    ...(tools.length > 0 && { tools }),
  }
  const isEmpty = environment.agents.length + others.length + tools.length === 0 && system === ''
  const target = targetOf({ agent, skill, source })
  return {
    target,
    name: agent?.name ?? skill?.name ?? path.basename(folder),
    root: agent?.folder ?? skill?.path ?? folder,
    skill,
    environment: isEmpty ? null : environment,
    model: modelOf(settings, agent),
    source,
    warnings: made.warnings,
    reasons: made.reasons,
  }
}

function modelOf({ model }: EvalMdSettings, agent: AgentIdentity | null): Subject['model'] {
  if (model !== null) return { model }
  if (agent === null || agent.model === null) return null
  return { model: agent.model, model_file: path.join(agent.folder, 'AGENT.md') }
}

interface Found {
  skills: Skill[]
  warnings: LoadWarning[]
  reasons: string[]
}

function add(made: Found, more: Found): void {
  made.skills.push(...more.skills)
  made.warnings.push(...more.warnings)
  made.reasons.push(...more.reasons)
}

/** The named one, else the one whose AGENT.md lies beside; its skills count too. */
async function agentOf(file: string, { agent }: EvalMdSettings, made: Found): Promise<AgentIdentity | null> {
  const folder = path.dirname(file)
  if (agent === null && !(await exists(path.join(folder, 'AGENT.md')))) return null
  const found = agent === null ? { place: folder } : await findPlace(agent, file)
  if ('reason' in found) {
    made.reasons.push(`agent ${found.reason}`)
    return null
  }
  const identity = await readAgent(found.place)
  add(made, identity)
  return identity
}

async function addNamedSkills(file: string, { skills }: EvalMdSettings, made: Found): Promise<void> {
  for (const { kind, name, line } of (skills ?? []).filter((one) => !isToolModule(one))) {
    if (kind === 'module') made.reasons.push(`skills: ${name} (line ${line}) is not runnable here: an Elixir module`)
    else {
      const found = await findPlace(name, file)
      if ('reason' in found) made.reasons.push(`skills: ${found.reason} (line ${line})`)
      else add(made, await skillsAt(found.place))
    }
  }
}

/** The tools that the agent may use; those of a subject that is a tool itself count once. */
function toolsOf(file: string, { tools, skills, module }: EvalMdSettings, made: Found): string[] {
  const others = [...(skills ?? []), ...(module === null ? [] : [module])].filter(isToolModule)
  if (module !== null && !isToolModule(module)) {
    const message = `module: ${module.name} is Elixir code, so nothing of it runs here, and no change of it runs the cases again`
    made.warnings.push({ file, at: `line ${module.line}`, message })
  }
  const names: string[] = []
  for (const provider of [...tools, ...others]) {
    const reading = readTool(provider)
    if (reading.kind === 'tool') names.push(reading.name)
    else made.reasons.push(`tools: ${reading.name} is not runnable here: ${reading.why}`)
  }
  return [...new Set(names)]
}

/** Of an agent all skills lie beside each other; else the first one is under test. */
function partedSkills(skills: readonly Skill[], agent: AgentIdentity | null): { skill: Skill | null; others: Skill[] } {
  const each = skills.filter((one, index) => skills.findIndex((other) => other.path === one.path) === index)
  if (agent !== null) return { skill: null, others: each }
  const [skill = null, ...others] = each
  return { skill, others }
}

/** Of `greeter.EVAL.md` the one file `greeter.<ending>` beside it. */
async function sourceBeside(file: string): Promise<Subject['source']> {
  const [, stem] = /^(.+)\.EVAL\.md$/.exec(path.basename(file)) ?? []
  if (stem === undefined) return null
  const names = entriesIn(path.dirname(file)).flatMap((entry) => (entry.isFile() ? entry.name : []))
  const [first] = names.filter(
    (name) => !name.endsWith('.md') && name === `${stem}${path.extname(name)}` && name !== stem,
  )
  if (first === undefined) return null
  const place = path.join(path.dirname(file), first)
  return { path: place, sha256: await hashFile(place) }
}

function targetOf({
  agent,
  skill,
  source,
}: {
  agent: AgentIdentity | null
  skill: Skill | null
  source: Subject['source']
}) {
  if (agent !== null) return `agent:${agent.name}`
  if (skill !== null) return `skill:${skill.name}`
  return source === null ? null : `source:${path.basename(source.path)}`
}
