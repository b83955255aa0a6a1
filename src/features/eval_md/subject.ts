/** Resolves what the cases of an EVAL.md test: an agent, a skill, the source file next to it, or a bare model. */
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { Environment, InputFile, LoadWarning, Skill, SuiteDefaults } from '../../../schemas/suite.ts'
import { listEntries, pathExists } from '../../base/fs/files.ts'
import { readText } from '../../base/json/json.ts'
import { readNonEmptyText } from '../../phases/1-plan/formats/evals_json/fields.ts'
import type { MarkdownFront } from '../../phases/1-plan/formats/markdown/lines.ts'
import { normalizeLineEnds, readFront } from '../../phases/1-plan/formats/markdown/lines.ts'
import type { FoundSkills } from '../../phases/1-plan/skill/skills_in_folder.ts'
import { findSkillsInFolder, listInstalledSkillFiles } from '../../phases/1-plan/skill/skills_in_folder.ts'
import { hashFileContent } from '../../phases/1-plan/suite/input_files.ts'
import { readCode, type SubjectCode } from './code.ts'
import { findNamedPath } from './places.ts'
import type { EvalMdProvider, EvalMdSettings } from './settings.ts'

export interface EvalMdSubject {
  /** skill:<name>, agent:<name>, source:<file>; null: none of these. */
  target: string | null
  name: string
  /** Absolute. */
  root: string
  skill: Skill | null
  /** null: nothing is added to the agent. */
  environment: Environment | null
  /** Part of the suite's defaults; null: not given. */
  model: Pick<SuiteDefaults, 'model' | 'model_file'> | null
  /** The file next to the suite, or the one that the suite is in, with what it imports; null: none. */
  code: SubjectCode | null
  warnings: LoadWarning[]
  /** Why no case of the file can run. */
  reasons: string[]
}

/** Never throws. `file`: the suite, absolute. */
export async function resolveSubject(file: string, settings: EvalMdSettings): Promise<EvalMdSubject> {
  const folder = path.dirname(file)
  const made: SubjectParts = { skills: [], warnings: [], reasons: [] }
  const agent = await findAgent(file, settings, made)
  await addNamedSkills(file, settings, made)
  const isBare = agent === null && settings.skills === null
  if (isBare && (await pathExists(path.join(folder, 'SKILL.md')))) add(made, await findSkillsInFolder(folder))
  const source = file.endsWith('.md') ? findSourceFile(file) : file
  const code = source === null ? null : await readCode(source)
  if (code?.warning) made.warnings.push({ file: code.source.path, at: 'imports', message: code.warning })
  const tools = listSubjectTools(file, settings, made)
  const { skill, others } = splitSkills(made.skills, agent)
  const system = [agent?.systemPrompt, settings.system].filter((text) => text).join('\n\n')
  const environment: Environment = {
    ...{ files: [], hooks: {}, rules: [], agents: agent?.agents ?? [], mcp_servers: {} },
    ...(others.length > 0 && { skills: (await Promise.all(others.map(listInstalledSkillFiles))).flat() }),
    ...(system !== '' && { system_prompt: system }),
    ...(tools.length > 0 && { tools }),
    ...(code && listReadOnly(code)),
  }
  const isEmpty = code === null && environment.agents.length + others.length + tools.length === 0 && system === ''
  const target = nameTarget({ agent, skill, code })
  return {
    target,
    name: agent?.name ?? skill?.name ?? path.basename(folder),
    root: agent?.folder ?? skill?.path ?? folder,
    skill,
    environment: isEmpty ? null : environment,
    model: chooseModel(settings, agent),
    code,
    warnings: made.warnings,
    reasons: made.reasons,
  }
}

function chooseModel({ model }: EvalMdSettings, agent: AgentIdentity | null): EvalMdSubject['model'] {
  if (model !== null) return { model }
  if (agent === null || agent.model === null) return null
  return { model: agent.model, model_file: path.join(agent.folder, 'AGENT.md') }
}

interface SubjectParts {
  skills: Skill[]
  warnings: LoadWarning[]
  reasons: string[]
}

function add(made: SubjectParts, more: SubjectParts): void {
  made.skills.push(...more.skills)
  made.warnings.push(...more.warnings)
  made.reasons.push(...more.reasons)
}

/** The named agent, or else the AGENT.md next to the file; its skills are added too. */
async function findAgent(file: string, { agent }: EvalMdSettings, made: SubjectParts): Promise<AgentIdentity | null> {
  const folder = path.dirname(file)
  if (agent === null && !(await pathExists(path.join(folder, 'AGENT.md')))) return null
  const found = agent === null ? { place: folder } : await findNamedPath(agent.name, file)
  if ('reason' in found) {
    if (agent !== null) made.reasons.push(placed(file, agent, `agent: ${found.reason}`))
    return null
  }
  const identity = await readAgent(found.place)
  add(made, identity)
  return identity
}

async function addNamedSkills(file: string, { skills }: EvalMdSettings, made: SubjectParts): Promise<void> {
  for (const one of (skills ?? []).filter((one) => !isToolModule(one))) {
    const wrong = (text: string) => made.reasons.push(placed(file, one, `skills: ${text}`))
    if (one.kind === 'module') wrong(`${one.name} is not runnable here: an Elixir module`)
    else {
      const found = await findNamedPath(one.name, file)
      if ('reason' in found) wrong(found.reason)
      else add(made, await findSkillsInFolder(found.place))
    }
  }
}

function placed(file: string, { line, column }: Omit<EvalMdProvider, 'kind' | 'name'>, message: string): string {
  return `${file}:${line}:${column}: ${message}`
}

/** Names of the tools that the agent may use; tools that are themselves the subject count once. */
function listSubjectTools(file: string, { tools, skills, module }: EvalMdSettings, made: SubjectParts): string[] {
  const others = [...(skills ?? []), ...(module === null ? [] : [module])].filter(isToolModule)
  if (module !== null && !isToolModule(module)) {
    const message = `module: ${module.name} is Elixir code: it does not run here, and a change to it does not run the cases again`
    made.warnings.push({ file, at: `line ${module.line}`, message })
  }
  const names: string[] = []
  for (const provider of [...tools, ...others]) {
    const reading = readToolProvider(provider)
    if (reading.kind === 'tool') names.push(reading.name)
    else made.reasons.push(placed(file, provider, `tools: ${reading.name} is not runnable here: ${reading.why}`))
  }
  return [...new Set(names)]
}

/** With an agent all skills are equal; otherwise the first one is under test. */
function splitSkills(skills: readonly Skill[], agent: AgentIdentity | null): { skill: Skill | null; others: Skill[] } {
  const each = skills.filter((one, index) => skills.findIndex((other) => other.path === one.path) === index)
  if (agent !== null) return { skill: null, others: each }
  const [skill = null, ...others] = each
  return { skill, others }
}

/** The agent may read the code, but not change it. */
function listReadOnly({ files, texts }: SubjectCode): Pick<Environment, 'texts' | 'read_only'> {
  const names = Object.keys(texts)
  return { ...(names.length > 0 && { texts }), read_only: [...files.map(({ path: name }) => name), ...names].sort() }
}

/** For `greeter.EVAL.md`, finds the file `greeter.<extension>` next to it, absolute. */
function findSourceFile(file: string): string | null {
  const [, stem] = /^(.+)\.EVAL\.md$/.exec(path.basename(file)) ?? []
  if (stem === undefined) return null
  const names = listEntries(path.dirname(file)).flatMap((entry) => (entry.isFile() ? entry.name : []))
  const [first] = names.filter(
    (name) => !name.endsWith('.md') && name === `${stem}${path.extname(name)}` && name !== stem,
  )
  return first === undefined ? null : path.join(path.dirname(file), first)
}

function nameTarget({
  agent,
  skill,
  code,
}: {
  agent: AgentIdentity | null
  skill: Skill | null
  code: SubjectCode | null
}) {
  if (agent !== null) return `agent:${agent.name}`
  if (skill !== null) return `skill:${skill.name}`
  return code === null ? null : `source:${path.basename(code.source.path)}`
}

/** Keyed by the last part of the module's name. */
const equivalentTools: Readonly<Record<string, string>> = { Shell: 'Bash' }

type ToolReading = { kind: 'tool'; name: string } | { kind: 'not_here'; name: string; why: string }

/** Whether it is one of SkillKit's own tools, which may also be listed under skills. */
function isToolModule({ kind, name }: EvalMdProvider): boolean {
  return kind === 'module' && /^(?:Elixir\.)?SkillKit\.Tools\./.test(name)
}

function readToolProvider({ kind, name }: EvalMdProvider): ToolReading {
  const own = /^(?:Elixir\.)?SkillKit\.Tools\.(\w+)$/.exec(name)?.[1]
  const tool = own !== undefined && Object.hasOwn(equivalentTools, own) ? equivalentTools[own] : undefined
  if (tool !== undefined) return { kind: 'tool', name: tool }
  const why =
    kind === 'module' ? 'an Elixir module without an equivalent tool here' : 'a folder of tools written for SkillKit'
  return { kind: 'not_here', name, why }
}

/** Reads an AGENT.md: who the agent is, its skills and its sub-agents. */
interface AgentIdentity extends FoundSkills {
  /** Absolute path of its folder. */
  folder: string
  name: string
  systemPrompt: string
  model: string | null
  /** Sub-agents as the engine expects them: <name>.md. */
  agents: InputFile[]
}

/** Reads the agent of a folder (or of its AGENT.md). Never throws: mistakes become reasons why its cases cannot run. */
async function readAgent(place: string): Promise<AgentIdentity> {
  const folder = path.basename(place) === 'AGENT.md' ? path.dirname(place) : place
  const file = path.join(folder, 'AGENT.md')
  const none: AgentIdentity = {
    ...{ folder, name: path.basename(folder), systemPrompt: '', model: null },
    ...{ agents: [], skills: [], warnings: [], reasons: [] },
  }
  const text = await readText(file).catch(() => null)
  if (text === null) return { ...none, reasons: [`${file}: no such file`] }
  const front = readFront(normalizeLineEnds(text))
  if (!('fields' in front)) return { ...none, reasons: [placed(file, front.at, front.message)] }
  const inner = path.join(folder, 'skills')
  const found = (await pathExists(inner)) ? await findSkillsInFolder(inner) : { skills: [], warnings: [], reasons: [] }
  return {
    ...none,
    ...found,
    warnings: [...found.warnings, ...warnUnreadFront(front, file)],
    name: readNonEmptyText(front.fields.name) ?? none.name,
    systemPrompt: front.body.trim(),
    model: readNonEmptyText(front.fields.model),
    agents: await subAgents(folder),
  }
}

const known = new Set(['name', 'description', 'model', 'metadata'])

function warnUnreadFront({ fields, at }: MarkdownFront, file: string): LoadWarning[] {
  const names = Object.keys(fields).filter((name) => !known.has(name))
  return names.map((name) => ({ file, at: `line ${at([name]).line}`, message: `the field ${name} is not read here` }))
}

/** agents/<name>.md, and every <name>/AGENT.md below; for the same name the former wins. */
async function subAgents(folder: string): Promise<InputFile[]> {
  const of = { cwd: folder, ignore: ['AGENT.md', '**/node_modules/**'] }
  const whole = (await glob('**/AGENT.md', of)).map(
    (name) => [`${path.basename(path.dirname(name))}.md`, name] as const,
  )
  const named = (await glob('agents/*.md', of)).filter((name) => name !== 'agents/AGENT.md')
  const files = new Map([...whole.sort(), ...named.sort().map((name) => [path.basename(name), name] as const)])
  return Promise.all(
    [...files].sort().map(async ([called, name]) => {
      const source = path.join(folder, name)
      return { path: called, source, ...(await hashFileContent(source)) }
    }),
  )
}
