/** `check`: all problems of skills and their suites at once, without a model; with answers to try, also those of the grading. */
import path from 'node:path'
import type { CheckReport, Problem, Severity } from '../../schemas/check_report.ts'
import { chooseSandbox, noWish, type SandboxWish } from '../base/sandbox/choose.ts'
import { type CheckedSkill, checkSkill } from '../phases/1-plan/check/check_skill.ts'
import { checkPlaces } from './check_places.ts'
import type { FlowContext } from './context.ts'
import { isPlainFile, plainFile } from './given_skills.ts'
import { hiddenOf } from './start_sandbox.ts'
import { type Trial, tryAnswers } from './try_answers.ts'

export interface CheckRequest {
  /** Skill folders, suite files, folders that hold skills, or globs over them. */
  skills: readonly string[]
  /** The suite of each of them, as bench has it: a file or folder; null or absent: its own. */
  suite?: string | null
  /** Which answers to grade without an agent. */
  trials: readonly Trial[]
  /** engine[:model]; null: expectations stay undecided. */
  judge: string | null
  /** What confines the commands that trials run; absent: auto. */
  sandbox?: SandboxWish
}

/** Rejects with UserError for a judge, or a required sandbox, that is not there; whatever is wrong with a skill is in the report. */
export async function check(request: CheckRequest, context: FlowContext): Promise<CheckReport> {
  const { skills: given, files } = await withoutFiles(request.skills)
  const places = await checkPlaces(given, request.suite ?? null)
  const skills: CheckReport['skills'] = []
  for (const { place, suite } of places) {
    context.signal.throwIfAborted()
    const checked = await checkSkill(place, suite)
    const tried = await trialsOf(checked, request, context)
    skills.push({ path: checked.path, readable: checked.readable, problems: sorted([...checked.problems, ...tried]) })
  }
  const count = (severity: Severity) =>
    skills.flatMap(({ problems }) => problems).filter((one) => one.severity === severity).length
  return {
    schema_version: 1,
    skills,
    ...(files.length > 0 && { passed_over: files.map((file) => ({ path: path.resolve(file), reason: plainFile })) }),
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

/** Plain files that a shell's glob brought along are no place to check, unless nothing else was given. */
async function withoutFiles(given: readonly string[]): Promise<{ skills: readonly string[]; files: string[] }> {
  const skills: string[] = []
  const files: string[] = []
  for (const place of given) ((await isPlainFile(place)) ? files : skills).push(place)
  return skills.length === 0 ? { skills: given, files: [] } : { skills, files }
}
