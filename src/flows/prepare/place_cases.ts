/** The steps that give the cases of a suite what they start from: repositories, Harbor tasks. Each may refuse the start. */
import type { LoadWarning, Suite } from '../../../schemas/suite.ts'
import type { FlowContext } from '../flow_context.ts'
import { placeRepos } from '../repos/place_repos.ts'
import { type TaskSettings, taskSteps } from '../sandbox/task_steps.ts'

export interface CaseDraft {
  suite: Suite
  /** Of the skill or the agent, absolute. */
  root: string
  /** Absolute. */
  workspace: string
  /** Whether runs of Harbor tasks get a skill that the user named instead of the tasks' own. */
  otherSkill: boolean
  /** Whether runs with and without the skill are compared. */
  compares: boolean
  request: TaskSettings & { remote?: object | null }
  warnings: LoadWarning[]
  /** What the user should know before the runs. */
  notes: string[]
}

type CaseStep = (draft: CaseDraft, context: FlowContext) => Promise<CaseDraft>

const steps: readonly CaseStep[] = [
  async (draft, context) => {
    const { suite, workspace, root, request } = draft
    const { cases, warnings, notes } = await placeRepos(
      suite,
      { workspace, skill: root, wish: request.sandbox },
      context,
    )
    return add(draft, { suite: { ...suite, cases }, warnings, notes })
  },
  async (draft, context) => {
    const { request, otherSkill, compares } = draft
    const steps = await taskSteps[draft.suite.format]?.()
    if (steps === undefined) return draft
    const use = { otherSkill, compares, isRemote: Boolean(request.remote) }
    const { suite, choices } = await steps.place(draft.suite, use, request, context)
    return add(draft, { suite, warnings: [], notes: choices })
  },
]

export async function placeCases(draft: CaseDraft, context: FlowContext): Promise<CaseDraft> {
  let placed = draft
  for (const step of steps) placed = await step(placed, context)
  return placed
}

function add(draft: CaseDraft, { suite, warnings, notes }: Pick<CaseDraft, 'suite' | 'warnings' | 'notes'>): CaseDraft {
  return { ...draft, suite, warnings: [...draft.warnings, ...warnings], notes: [...draft.notes, ...notes] }
}
