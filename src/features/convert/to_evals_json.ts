/** Converts a suite about a skill from any format to evals.json and lists what is lost. Pure. */
import path from 'node:path'
import { type Check, isProgramCheck } from '../../../schemas/check.ts'
import type { EvalCase, EvalsFile } from '../../../schemas/evals.ts'
import type { Environment, Expectation, InputFile, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { draftMark } from '../../phases/1-plan/formats/evals_json/case.ts'

export interface EvalsConversion {
  file: EvalsFile
  /** Sentences about what the new file does not contain, each once. */
  lost: string[]
}

/** `list`: name of the list of statements, skill-creator's or agentskills.io's. */
export function toEvalsJson(suite: Suite, skill: Skill, list: 'expectations' | 'assertions'): EvalsConversion {
  const lost = new Map<string, string[]>()
  const lose = (what: string, one?: SuiteCase) => {
    lost.set(what, [...(lost.get(what) ?? []), ...(one ? [one.eval_name] : [])])
  }
  loseDefaults(suite, lose)
  const about = `skill:${skill.name}`
  const evals: EvalCase[] = []
  for (const one of suite.cases) {
    if (one.target !== undefined && one.target !== about) lose(`cases about ${one.target}`, one)
    else if (one.prompt === '') lose('cases without a prompt', one)
    else evals.push(convertCase(one, { skill, list, lose }))
  }
  return {
    file: { skill_name: skill.name, ...(suite.sandbox && { sandbox: suite.sandbox }), evals },
    lost: [...lost].map(([what, names]) => (names.length === 0 ? what : `${what}: ${joinLostNames(names)}`)),
  }
}

type ReportLoss = (what: string, one?: SuiteCase) => void

function loseDefaults({ defaults = {}, fast_fail }: Suite, lose: ReportLoss): void {
  const { engine, model, judge, timeout_seconds } = defaults
  if (engine !== undefined) lose(`the engine ${engine}: give --engine`)
  if (model !== undefined) lose(`the model ${model}: give --model`)
  if (judge !== undefined) lose(`the judge ${judge}: give --judge`)
  if (timeout_seconds !== undefined) lose(`the time of ${timeout_seconds} s for a case: give --timeout`)
  if (fast_fail === true) lose('no judge after a failed check')
}

function convertCase(
  one: SuiteCase,
  { skill, list, lose }: { skill: Skill; list: 'expectations' | 'assertions'; lose: ReportLoss },
): EvalCase {
  const { judging, category, source, metadata, cannot_run } = one
  if (judging !== undefined) lose("the format's own judge: here each statement is judged with evidence", one)
  if (category !== undefined) lose('categories', one)
  if (source !== undefined) lose('the tie to a source file', one)
  if (metadata !== undefined) lose(`metadata (${Object.keys(metadata).join(', ')})`, one)
  if (cannot_run !== null) lose(`a case that can't run keeps its reason to itself (${cannot_run})`, one)
  const statements = one.expectations.filter(({ rubric, derived }) => rubric === undefined && derived !== true)
  const isPlain = list === 'assertions' // that dialect only has texts
  if (isPlain && statements.some(({ indicator }) => indicator === true))
    lose('that a statement is an indicator, so that it counts now', one)
  if (isPlain && statements.some(({ weight }) => weight !== undefined))
    lose('weights of statements: each counts as 1', one)
  if (isPlain && statements.some(({ turn }) => turn !== undefined))
    lose('which message a statement is about, so that it is about the whole run', one)
  if (isPlain && (one.turns ?? one.user) !== undefined)
    lose('further messages of the user, in tools other than Whetstone', one)
  const rubric = one.expectations.find((each) => each.rubric !== undefined)?.rubric
  // files whose path in a run equals their path from the skill's folder
  const files = one.files.flatMap((file) => {
    if (isInRoot(skill.path, file)) return [file.path]
    lose(`input files that are not below the skill's folder under the same path (${file.source})`, one)
    return []
  })
  return {
    id: one.eval_id,
    ...(one.eval_key !== null && { eval_key: one.eval_key }),
    name: one.eval_name,
    prompt: one.prompt,
    ...convertConversation(one),
    ...(one.expected_output !== null && { expected_output: one.expected_output }),
    ...(files.length > 0 && { files }),
    ...convertAttached(one, files),
    ...(statements.length > 0 && { [list]: statements.map((each) => (isPlain ? each.text : convertStatement(each))) }),
    ...(one.checks.length > 0 && { checks: convertChecks(one, skill.path, lose) }),
    ...(rubric && { rubric }),
    ...(one.reference && { reference: one.reference }),
    ...(one.timeout_seconds !== null && { timeout: one.timeout_seconds }),
    ...(one.setup !== null && { setup: one.setup }),
    ...(one.teardown !== undefined && { teardown: one.teardown }),
    ...(one.environment?.env && { env: one.environment.env }),
    ...(one.collect && { collect: one.collect }),
    ...convertGit(one, skill.path, lose),
    ...convertEnvironment(one, skill.path, lose),
    ...(one.owners && { owners: one.owners }),
    ...(one.quarantine !== undefined && { quarantine: one.quarantine }),
    ...(one.split && { split: one.split }),
    ...(one.draft === true && { review: draftMark }),
  }
}

function convertStatement({
  text,
  indicator,
  weight,
  turn,
}: Expectation): NonNullable<EvalCase['expectations']>[number] {
  if ((indicator ?? weight ?? turn) === undefined) return text
  return {
    text,
    ...(indicator !== undefined && { indicator }),
    ...(weight !== undefined && { weight }),
    ...(turn !== undefined && { turn }),
  }
}

/** A message without a condition is its text. */
function convertConversation({ turns, end_when, user }: SuiteCase): Pick<EvalCase, 'turns' | 'end_when' | 'user'> {
  return {
    ...(turns && { turns: turns.map((turn) => (Object.keys(turn).length === 1 ? turn.prompt : turn)) }),
    ...(end_when && { end_when }),
    ...(user && { user }),
  }
}

/** They stay among the files, for tools that know only those. */
function convertAttached({ attach = [] }: SuiteCase, files: readonly string[]): Pick<EvalCase, 'attach'> {
  const kept = attach.map(({ path: place }) => place).filter((place) => files.includes(place))
  return kept.length > 0 ? { attach: kept } : {}
}

/** The files of checks keep their path below the skill's folder. */
function convertChecks({ checks, grading_files = [], ...one }: SuiteCase, root: string, lose: ReportLoss): Check[] {
  return checks.map((check) => {
    if (!isProgramCheck(check) || check.files === undefined) return check
    const isThere = (from: string) => grading_files.some((file) => file.path === from && isInRoot(root, file))
    const files = check.files.filter((file) => isThere(typeof file === 'string' ? file : file.from))
    if (files.length < check.files.length)
      lose("files of checks that are not below the skill's folder under the same path", { ...one, checks })
    return { ...check, files }
  })
}

function isInRoot(root: string, { path: place, source }: InputFile): boolean {
  return path.resolve(root, place) === source
}

function convertGit(one: SuiteCase, root: string, lose: ReportLoss): Pick<EvalCase, 'git' | 'repo'> {
  if (one.repo !== undefined) return { repo: one.repo.given }
  if (one.git === null || one.git === true) return one.git === null ? {} : { git: true }
  const bundle = path.relative(root, one.git.bundle)
  if (!bundle.startsWith('..')) return { git: { bundle } }
  lose(`a git bundle outside of the skill's folder (${one.git.bundle})`, one)
  return {}
}

function convertEnvironment(one: SuiteCase, root: string, lose: ReportLoss): Pick<EvalCase, 'environment'> {
  if (one.environment === undefined) return {}
  const { files, hooks, rules, agents, mcp_servers, may_lack, env: _, programs: bin, ...others } = one.environment
  if (bin && path.relative(root, bin.folder.source) !== 'evals/bin') lose('programs of evals/bin', one)
  for (const [name, value] of Object.entries(others)) {
    const isNothing = value === undefined || (Array.isArray(value) && value.length === 0 && name !== 'tools')
    if (!isNothing) lose(lostEnvironmentParts[name] ?? name, one)
  }
  const paths = (name: string, all: readonly InputFile[]) =>
    all.flatMap(({ source }) => {
      const relative = path.relative(root, source)
      if (!relative.startsWith('..')) return [relative]
      lose(`${name} outside of the skill's folder (${source})`, one)
      return []
    })
  const placed = { rules: paths('rules', rules), agents: paths('sub-agents', agents) }
  // without all of their files, hooks would run and block nothing
  const isWhole = files.every((file) => isInRoot(root, file))
  const programs = Object.keys(hooks).length + Object.keys(mcp_servers).length > 0
  if (!isWhole && programs) lose("hooks and MCP servers: not all of their files are below the skill's folder", one)
  const environment = {
    ...(isWhole && files.length > 0 && { files: files.map((file) => file.path) }),
    ...(placed.rules.length > 0 && { rules: placed.rules }),
    ...(placed.agents.length > 0 && { agents: placed.agents }),
    ...(isWhole && Object.keys(hooks).length > 0 && { hooks }),
    ...(isWhole && Object.keys(mcp_servers).length > 0 && { mcp_servers }),
  }
  if (Object.keys(environment).length === 0) return {}
  if (may_lack !== undefined) lose('that an engine may lack what a case does not need', one)
  return { environment }
}

const lostEnvironmentParts: Readonly<Record<string, string>> = {
  skills: 'other skills next to the one under test',
  commands: 'slash commands',
  instructions: 'the text of AGENTS.md',
  system_prompt: 'the system prompt',
  temperature: 'the temperature',
  tools: 'the choice of tools',
  texts: 'files created in the working folder',
  agent_texts: 'sub-agents',
} satisfies Partial<Record<keyof Environment, string>>

function joinLostNames(names: readonly string[]): string {
  const [first, second, third, ...more] = names
  const shown = [first, second, third].filter((name) => name !== undefined).join(', ')
  return more.length === 0 ? shown : `${shown} and ${more.length} more`
}
