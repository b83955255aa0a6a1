/** Tasks that bring a world of their own, such as those of Harbor: their skills, and what a feature does before and beside their runs. */
import path from 'node:path'
import type { TriedTask } from '../../../schemas/check_report.ts'
import type { HarborBackend, HarborTask } from '../../../schemas/harbor_task.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { searchSuite } from '../../phases/1-plan/formats/table.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import type { FlowContext } from '../flow_context.ts'

export type BackendWish = HarborBackend | 'auto'

export interface TaskSettings {
  /** Absent: auto. */
  backend?: BackendWish | undefined
  sandbox?: SandboxWish | null | undefined
}

export interface TaskUse {
  /** Whether runs get a skill that the user named instead of the tasks' own. */
  otherSkill: boolean
  /** Whether runs with and without the skill are compared. */
  compares: boolean
  /** Whether other machines execute the runs; absent: no. */
  isRemote?: boolean
}

export interface TaskSteps {
  /** Chooses a backend and marks the tasks that can't run there. Throws UserError. */
  place(
    suite: Suite,
    use: TaskUse,
    request: TaskSettings,
    context: FlowContext,
  ): Promise<{ suite: Suite; choices: string[] }>
  /** Throws UserError for an agent whose process can't work in the worlds of the plan's tasks. */
  refuseAgents(plan: Plan, request: TaskSettings, context: FlowContext): Promise<void>
  /** Tries each task without an agent: one row per task, in their order. Throws UserError where none can run. */
  try(
    suite: Suite,
    request: TaskSettings & { trials: readonly ('oracle' | 'null')[] },
    context: FlowContext,
  ): Promise<TriedTask[]>
}

/** By the suite's format; loaded for a suite with such tasks only. */
export const taskSteps: Record<string, () => Promise<TaskSteps>> = {}

/** Adds those of features; again changes nothing. */
export function addTaskSteps(more: typeof taskSteps): void {
  Object.assign(taskSteps, more)
}

/** A stand-in for the skills of all tasks in a folder, by which the benchmark is named; null: the folder has no task. */
export async function readTaskSubject(folder: string): Promise<Skill | null> {
  const found = await searchSuite('findTasks', folder)
  if (found === null) return null
  const { cases } = (await found.format.inspect(found.place, found.place)).suite
  const skills = listTaskSkills(cases).map((skill) => [skill.name, skill.sha256])
  return {
    name: slug(path.basename(folder)) || 'tasks',
    description: 'the skills of Harbor tasks',
    path: folder,
    sha256: sha256(canonicalJson(skills)),
  }
}

export function listTaskSkills(cases: readonly SuiteCase[]): HarborTask['skills'] {
  return cases.flatMap(({ harbor }) => harbor?.skills ?? [])
}
