/** `check`: all problems of skills and their suites at once, without a model; with answers to try, also those of the grading. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { glob } from 'tinyglobby'
import type { CheckReport, Problem, Severity } from '../../schemas/check_report.ts'
import { exists } from '../base/files.ts'
import { chooseSandbox, noWish, type SandboxWish } from '../base/sandbox/choose.ts'
import { type CheckedSkill, checkSkill } from '../phases/1-plan/check/check_skill.ts'
import type { FlowContext } from './context.ts'
import { hiddenOf } from './start_sandbox.ts'
import { type Trial, tryAnswers } from './try_answers.ts'

export interface CheckRequest {
  /** Skill folders, suite files, folders that hold skills, or globs over them. */
  skills: readonly string[]
  /** Which answers to grade without an agent. */
  trials: readonly Trial[]
  /** engine[:model]; null: expectations stay undecided. */
  judge: string | null
  /** What confines the commands that trials run; absent: auto. */
  sandbox?: SandboxWish
}

/** Rejects with UserError for a judge, or a required sandbox, that is not there; whatever is wrong with a skill is in the report. */
export async function check(request: CheckRequest, context: FlowContext): Promise<CheckReport> {
  const places = await placesOf(request.skills)
  const skills: CheckReport['skills'] = []
  for (const place of places) {
    context.signal.throwIfAborted()
    const checked = await checkSkill(place)
    const tried = await trialsOf(checked, request, context)
    skills.push({ path: checked.path, readable: checked.readable, problems: sorted([...checked.problems, ...tried]) })
  }
  const count = (severity: Severity) =>
    skills.flatMap(({ problems }) => problems).filter((one) => one.severity === severity).length
  return {
    schema_version: 1,
    skills,
    counts: { error: count('error'), warning: count('warning'), info: count('info') },
  }
}

async function trialsOf({ suite, path: skill }: CheckedSkill, request: CheckRequest, context: FlowContext) {
  const isRefused = suite === null || suite.mistakes.length > 0
  if (isRefused || request.trials.length === 0) return []
  const sandbox = await chooseSandbox(request.sandbox ?? noWish, context.env.PATH ?? '')
  return await tryAnswers({ ...request, suite, sandbox, hidden: hiddenOf(skill, suite.suite.path) }, context)
}

const order: readonly Severity[] = ['error', 'warning', 'info']

/** The worst first; the rules' order within. */
function sorted(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}

/** Every place once. A glob gives the skills it matches; a folder without SKILL.md and without a suite, the skills below it. */
async function placesOf(given: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const one of given) {
    const isThere = await exists(one)
    found.push(...(isThere ? await skillsIn(path.resolve(one)) : await matches(one)))
  }
  return [...new Set(found)]
}

async function matches(pattern: string): Promise<string[]> {
  if (!/[*?[{]/.test(pattern)) return [path.resolve(pattern)]
  const all = await glob(pattern, { onlyFiles: false, absolute: true, expandDirectories: false })
  const places = all.map((place) => place.replace(/[/\\]$/, '')).sort()
  const skills: string[] = []
  for (const place of places) if (await isSkill(place)) skills.push(place)
  return skills.length === 0 ? [path.resolve(pattern)] : skills
}

async function skillsIn(place: string): Promise<string[]> {
  if (!(await stat(place)).isDirectory() || (await isSkill(place))) return [place]
  const ignore = ['**/node_modules/**', '**/.git/**', '**/evals/**']
  const below = await glob('**/SKILL.md', { cwd: place, absolute: true, ignore, dot: true })
  return below.length === 0 ? [place] : below.map((file) => path.dirname(file)).sort()
}

async function isSkill(place: string): Promise<boolean> {
  return path.basename(place) === 'SKILL.md' || place.endsWith('.json') || (await exists(path.join(place, 'SKILL.md')))
}
