/** check: reports all problems of skills and their suites at once without a model; trial answers also test the grading. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { CheckReport, Problem, Severity, TriedTask } from '../../../schemas/check_report.ts'
import type { DescriptionOverlap } from '../../../schemas/overlap.ts'
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { chooseSandbox, noSandboxWish, type SandboxWish } from '../../base/sandbox/choose.ts'
import {
  authorizeCommands,
  readFolderCommands,
  resolveConfinement,
  reviewCases,
} from '../../flows/authorize/suite_commands.ts'
import { selectChanged } from '../../flows/changes/find_changes.ts'
import { findDeadChecks } from '../../flows/dead_checks/find_dead_checks.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { isPlainFile, plainFileReason } from '../../flows/prepare/resolve_skills.ts'
import { placeRepos } from '../../flows/repos/place_repos.ts'
import { listSkillHiddenPaths } from '../../flows/sandbox/start_sandbox.ts'
import { type BackendWish, taskSteps } from '../../flows/sandbox/task_steps.ts'
import { type CheckedSkill, checkSkill } from '../../phases/1-plan/check/check_skill.ts'
import { findDescriptionOverlaps } from '../../phases/1-plan/check/find_description_overlaps.ts'
import { toProblem } from '../../phases/1-plan/check/rules/rule.ts'
import { networkRule, unsoundTaskRule } from '../../phases/1-plan/check/rules/suite_rules.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { readEnvironmentCommands, type SkillCommand } from '../../phases/1-plan/skill/skill_commands.ts'
import { describeNetworkNeed } from '../../phases/1-plan/suite/open_network.ts'
import { listCommands } from '../../phases/1-plan/suite/suite_commands.ts'
import { type CheckPlace, findCheckPlaces } from './find_places.ts'
import { type Trial, tryAnswers } from './trial_answers.ts'
import { describeOverlap, overlapRules } from './trial_rules.ts'

export interface CheckRequest {
  /** Skill folders, suite files, folders that contain skills, or globs. */
  skills: readonly string[]
  /** Each skill's suite, as in bench: a file or folder; null or absent: its own. */
  suite?: string | null
  /** Only places with a change since this ref; absent or null: all. */
  changed?: string | null
  /** Which answers to grade without an agent. */
  trials: readonly Trial[]
  /** engine[:model]; null: expectations stay undecided. */
  judge: string | null
  /** Compare the descriptions of all skills; absent: do not. */
  overlap?: boolean
  /** Confines the commands that trials run; absent: auto. */
  sandbox?: SandboxWish
  /** Where Harbor tasks run; absent: auto. */
  backend?: BackendWish
  /** The problems of the configuration file of a skill or suite; absent: it is not read. */
  findConfigProblems?: (place: string) => Promise<Problem[]>
}

/** Rejects with UserError if a judge or a required sandbox is missing; problems with a skill go into the report. */
export async function checkSkills(request: CheckRequest, context: FlowContext): Promise<CheckReport> {
  const { skills: given, files } = await withoutFiles(request.skills)
  const found = await findCheckPlaces(given, request.suite ?? null)
  const places = request.changed == null ? found : await selectChangedPlaces(found, request.changed, context)
  const skills: CheckReport['skills'] = []
  const folders: string[] = []
  for (const { place, suite } of places) {
    context.signal.throwIfAborted()
    const checked = await checkSkill(place, suite)
    const asked = openNetworkProblems(checked, request.sandbox)
    const tasks = await runTasks(checked, request, context)
    const tried = asked.length > 0 || tasks !== null ? [] : await runTrials(checked, request, context)
    const dead = checked.suite === null ? [] : await findDeadChecks(checked.suite, context.signal)
    const untried = dead.filter(({ rule }) => !request.trials.some((trial) => triedRules[trial].includes(rule)))
    const commands = await listCheckedCommands(checked)
    const problems = sortProblems([
      ...checked.problems,
      ...untried,
      ...asked,
      ...tried,
      ...unsoundTasks(tasks ?? [], checked),
      ...((await request.findConfigProblems?.(checked.path)) ?? []),
    ])
    const { path: at, readable } = checked
    if (checked.folder !== null) folders.push(checked.folder)
    skills.push({ path: at, readable, problems, ...(commands.length > 0 && { commands }), ...(tasks && { tasks }) })
  }
  const overlaps = request.overlap === true ? await addOverlaps(skills, folders) : null
  const count = (severity: Severity) =>
    skills.flatMap(({ problems }) => problems).filter((one) => one.severity === severity).length
  return {
    schema_version: 1,
    skills,
    ...(overlaps && { overlaps }),
    ...(files.length > 0 && {
      passed_over: files.map((file) => ({ path: path.resolve(file), reason: plainFileReason })),
    }),
    counts: { error: count('error'), warning: count('warning'), info: count('info') },
  }
}

/** Adds the problems of pairs of skills to the first of both; returns the pairs. */
async function addOverlaps(skills: CheckReport['skills'], folders: readonly string[]) {
  const { overlaps, problems } = await findOverlaps([...new Set(folders)])
  for (const [folder, found] of problems) {
    const place = skills.find((one) => one.path === folder)
    if (place !== undefined) place.problems = sortProblems([...place.problems, ...found])
  }
  return overlaps
}

async function selectChangedPlaces(found: readonly CheckPlace[], ref: string, context: FlowContext) {
  const existing = found.filter(({ place }) => existsSync(place)) // a missing one is a problem of its own
  const listFolders = ({ place, suite }: CheckPlace) => [place, ...(suite ? [suite] : [])]
  const changed = await selectChanged(existing, { ref, noun: 'skill', listFolders }, context)
  return found.filter((one) => changed.includes(one) || !existing.includes(one))
}

/** What a benchmark would start of the suite, and of each skill that a case gets. */
async function listCheckedCommands({ suite, folder }: CheckedSkill): Promise<SuiteCommand[]> {
  const read = async (place: string | null) =>
    place === null || !(await pathExists(place)) ? [] : await readFolderCommands(place, path.basename(place))
  const own = await read(folder)
  const cases = suite?.suite.cases ?? []
  if (cases.length === 0) return own.map((one) => ({ ...one, cases: [] }))
  const loaded = new Map<number, SkillCommand[]>()
  for (const { eval_id, skill_path, environment } of cases) {
    const skill = skill_path === undefined ? own : await read(skill_path)
    loaded.set(eval_id, [...skill, ...(await readEnvironmentCommands(environment))])
  }
  return listCommands(cases, ({ eval_id }) => ({ hashes: [], commands: loaded.get(eval_id) ?? [] }))
}

/** null: the suite has no tasks that bring their own solution, or no trial was asked for. */
async function runTasks(
  { suite }: CheckedSkill,
  request: CheckRequest,
  context: FlowContext,
): Promise<TriedTask[] | null> {
  if (suite === null || request.trials.length === 0) return null
  const steps = await taskSteps[suite.suite.format]?.()
  return steps === undefined ? null : await steps.try(suite.suite, request, context)
}

function unsoundTasks(tasks: readonly TriedTask[], { suite }: CheckedSkill): Problem[] {
  return tasks.flatMap(({ eval_id, name, sound, reason }) => {
    const at = suite?.suite.cases.findIndex((one) => one.eval_id === eval_id) ?? -1
    const finding = {
      message: `task ${name} is not sound on this machine: ${reason}`,
      fix: 'leave it out, or install what it needs',
      eval_id,
    }
    return sound ? [] : [toProblem(unsoundTaskRule, finding, suite?.places[at]?.file ?? '')]
  })
}

async function runTrials({ suite, path: skill }: CheckedSkill, request: CheckRequest, context: FlowContext) {
  const isRefused = suite === null || suite.mistakes.length > 0
  if (isRefused || request.trials.length === 0) return []
  const sandbox = await chooseSandbox(request.sandbox ?? noSandboxWish, context.env.PATH ?? '')
  await using fetched = await openTempDir()
  const repos = { workspace: fetched.path, skill, wish: request.sandbox }
  const placed = { ...suite.suite, cases: (await placeRepos(suite.suite, repos, context)).cases }
  const cases = placed.cases.map((one) => ({ ...one, withoutAgent: true as const }))
  const confinement = resolveConfinement(sandbox, request.sandbox)
  await authorizeCommands(reviewCases(suite.suite.path, cases, { confinement }), context)
  return await tryAnswers(
    { ...request, suite: { ...suite, suite: placed }, sandbox, hidden: listSkillHiddenPaths(skill, suite.suite.path) },
    context,
  )
}

/** What a benchmark start would refuse with the same flags. */
function openNetworkProblems({ suite }: CheckedSkill, wish: SandboxWish | undefined): Problem[] {
  const need = describeNetworkNeed(suite?.suite.sandbox, wish)
  if (need === null) return []
  return [toProblem(networkRule, { ...need, at: '$.sandbox.network' }, suite?.suite.path ?? '')]
}

/** What each trial finds itself, with more of the suite. */
const triedRules: Readonly<Record<Trial, readonly string[]>> = {
  null: ['case-passes-empty', 'checks-only-absences'],
  oracle: ['reference-fails'],
}

const order: readonly Severity[] = ['error', 'warning', 'info']

/** Most severe first; in rule order within a severity. */
function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}

/** Skips plain files that a shell glob added, unless nothing else was given. */
async function withoutFiles(given: readonly string[]): Promise<{ skills: readonly string[]; files: string[] }> {
  const skills: string[] = []
  const files: string[] = []
  for (const place of given) ((await isPlainFile(place)) ? files : skills).push(place)
  return skills.length === 0 ? { skills: given, files: [] } : { skills, files }
}

interface NamedSkill {
  name: string
  description: string
  folder: string
}

interface FoundOverlaps {
  overlaps: DescriptionOverlap[]
  /** By the folder of the skill that they are shown with. */
  problems: ReadonlyMap<string, Problem[]>
}

/** `folders`: of the skills whose SKILL.md can be read. Throws UserError for fewer than two. */
async function findOverlaps(folders: readonly string[]): Promise<FoundOverlaps> {
  if (folders.length < 2)
    throw new UserError(
      `--overlap compares skills, and there ${folders.length === 1 ? `is one (${folders[0]})` : 'is none'}`,
      'pass a folder of skills, such as: whetstone check skills --overlap',
    )
  const read = await Promise.all(folders.map(readNamedSkill))
  const skills = new Map<string, NamedSkill>()
  const problems = new Map<string, Problem[]>()
  const report = ({ folder }: NamedSkill, problem: Problem) =>
    void problems.set(folder, [...(problems.get(folder) ?? []), problem])
  for (const one of read) {
    if (one === null) continue
    const twin = skills.get(one.name)
    if (twin === undefined) skills.set(one.name, one)
    else report(one, toSameNameProblem(one, twin))
  }
  const overlaps = findDescriptionOverlaps([...skills.values()])
  for (const overlap of overlaps) {
    const one = skills.get(overlap.a)
    if (one === undefined || overlap.delimited) continue
    report(one, toProblem(overlapRules.descriptions, describeOverlap(overlap), path.join(one.folder, 'SKILL.md')))
  }
  return { overlaps, problems }
}

/** null: the check itself reports what is wrong with it. */
async function readNamedSkill(folder: string): Promise<NamedSkill | null> {
  try {
    const { skill } = await readSkill(folder, 'copy')
    return { name: skill.name, description: skill.description, folder }
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

function toSameNameProblem({ name, folder }: NamedSkill, twin: NamedSkill): Problem {
  const finding = { message: `${twin.folder} is named ${name}, too`, fix: 'rename one of them', at: 'name' }
  return toProblem(overlapRules.sameName, finding, path.join(folder, 'SKILL.md'))
}
