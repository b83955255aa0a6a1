/** A suite of any format whose cases are about a skill as evals.json, and what of it does not carry over. Pure. */
import path from 'node:path'
import type { EvalCase, EvalsFile } from '../../../schemas/evals.ts'
import type { Environment, Expectation, InputFile, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { draftMark } from './formats/evals_json/case.ts'

export interface Converted {
  file: EvalsFile
  /** Sentences, each once: what the new file does not say. */
  lost: string[]
}

/** `list`: the name of the list of statements: skill-creator's, or that of agentskills.io. */
export function toEvalsJson(suite: Suite, skill: Skill, list: 'expectations' | 'assertions'): Converted {
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
    else evals.push(caseOf(one, { skill, list, lose }))
  }
  return {
    file: { skill_name: skill.name, ...(suite.sandbox && { sandbox: suite.sandbox }), evals },
    lost: [...lost].map(([what, names]) => (names.length === 0 ? what : `${what}: ${listed(names)}`)),
  }
}

type Lose = (what: string, one?: SuiteCase) => void

function loseDefaults({ defaults = {}, fast_fail }: Suite, lose: Lose): void {
  const { engine, model, judge, timeout_seconds } = defaults
  if (engine !== undefined) lose(`the engine ${engine}: give --engine`)
  if (model !== undefined) lose(`the model ${model}: give --model`)
  if (judge !== undefined) lose(`the judge ${judge}: give --judge`)
  if (timeout_seconds !== undefined) lose(`the time of ${timeout_seconds} s for a case: give --timeout`)
  if (fast_fail === true) lose('that no judge is asked where a check fails')
}

function caseOf(
  one: SuiteCase,
  { skill, list, lose }: { skill: Skill; list: 'expectations' | 'assertions'; lose: Lose },
): EvalCase {
  const { judging, category, source, metadata, cannot_run } = one
  if (judging !== undefined) lose("the format's own judge: here each statement is judged with evidence", one)
  if (category !== undefined) lose('categories', one)
  if (source !== undefined) lose('the tie to a source file', one)
  if (metadata !== undefined) lose(`metadata (${Object.keys(metadata).join(', ')})`, one)
  if (cannot_run !== null) lose(`a case that can't run keeps its reason to itself (${cannot_run})`, one)
  const statements = one.expectations.filter(({ rubric, derived }) => rubric === undefined && derived !== true)
  const isPlain = list === 'assertions' // that dialect has texts alone
  if (isPlain && statements.some(({ indicator }) => indicator === true))
    lose('that a statement is an indicator, so that it counts now', one)
  const rubric = one.expectations.find((each) => each.rubric !== undefined)?.rubric
  const files = filesOf(one, skill.path, lose)
  return {
    id: one.eval_id,
    ...(one.eval_key !== null && { eval_key: one.eval_key }),
    name: one.eval_name,
    prompt: one.prompt,
    ...(one.expected_output !== null && { expected_output: one.expected_output }),
    ...(files.length > 0 && { files }),
    ...(statements.length > 0 && { [list]: statements.map((each) => (isPlain ? each.text : statementOf(each))) }),
    ...(one.checks.length > 0 && { checks: one.checks }),
    ...(rubric && { rubric }),
    ...(one.reference && { reference: one.reference }),
    ...(one.timeout_seconds !== null && { timeout: one.timeout_seconds }),
    ...(one.setup !== null && { setup: one.setup }),
    ...gitOf(one, skill.path, lose),
    ...environmentOf(one, skill.path, lose),
    ...(one.draft === true && { review: draftMark }),
  }
}

function statementOf({ text, indicator }: Expectation): string | { text: string; indicator: boolean } {
  return indicator === undefined ? text : { text, indicator }
}

/** Files whose place in a run is their path from the skill's folder. */
function filesOf(one: SuiteCase, root: string, lose: Lose): string[] {
  return one.files.flatMap((file) => {
    if (isIn(root, file)) return [file.path]
    lose(`input files that do not lie below the skill's folder under the same path (${file.source})`, one)
    return []
  })
}

function isIn(root: string, { path: place, source }: InputFile): boolean {
  return path.resolve(root, place) === source
}

function gitOf(one: SuiteCase, root: string, lose: Lose): Pick<EvalCase, 'git'> {
  if (one.git === null || one.git === true) return one.git === null ? {} : { git: true }
  const bundle = path.relative(root, one.git.bundle)
  if (!bundle.startsWith('..')) return { git: { bundle } }
  lose(`a git bundle outside of the skill's folder (${one.git.bundle})`, one)
  return {}
}

function environmentOf(one: SuiteCase, root: string, lose: Lose): Pick<EvalCase, 'environment'> {
  if (one.environment === undefined) return {}
  const { files, hooks, rules, agents, mcp_servers, may_lack, ...others } = one.environment
  for (const [name, value] of Object.entries(others)) {
    const isNothing = value === undefined || (Array.isArray(value) && value.length === 0 && name !== 'tools')
    if (!isNothing) lose(othersIn[name] ?? name, one)
  }
  const paths = (name: string, all: readonly InputFile[]) =>
    all.flatMap(({ source }) => {
      const relative = path.relative(root, source)
      if (!relative.startsWith('..')) return [relative]
      lose(`${name} outside of the skill's folder (${source})`, one)
      return []
    })
  const placed = { rules: paths('rules', rules), agents: paths('sub-agents', agents) }
  // where one of the files that they start would be missing, hooks would run and block nothing
  const isWhole = files.every((file) => isIn(root, file))
  const programs = Object.keys(hooks).length + Object.keys(mcp_servers).length > 0
  if (!isWhole && programs) lose("hooks and MCP servers: their files do not all lie below the skill's folder", one)
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

const othersIn: Readonly<Record<string, string>> = {
  skills: 'further skills beside the one under test',
  commands: 'slash commands',
  instructions: 'the text of AGENTS.md',
  system_prompt: 'the system prompt',
  temperature: 'the temperature',
  tools: 'the choice of tools',
  env: 'variables of the environment',
  texts: 'files made in the working folder',
  agent_texts: 'sub-agents',
} satisfies Partial<Record<keyof Environment, string>>

function listed(names: readonly string[]): string {
  const [first, second, third, ...more] = names
  const shown = [first, second, third].filter((name) => name !== undefined).join(', ')
  return more.length === 0 ? shown : `${shown} and ${more.length} more`
}
