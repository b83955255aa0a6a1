/** The steps that give the cases of a suite what they start from: repositories, Harbor tasks. Each may refuse the start. */
import type { LoadWarning, Suite } from '../../../schemas/suite.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import type { FlowContext } from '../flow_context.ts'
import { placeRepos } from '../repos/place_repos.ts'
import type { BackendWish } from '../sandbox/harbor_backend.ts'
import { placeTasks } from '../sandbox/harbor_tasks.ts'

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
  request: { sandbox?: SandboxWish | null; backend?: BackendWish; remote?: object | null }
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
  async (draft, { env, signal }) => {
    const { backend, sandbox, remote } = draft.request
    const use = { otherSkill: draft.otherSkill, compares: draft.compares, isRemote: Boolean(remote) }
    const { suite, choices } = await placeTasks(draft.suite, use, { backend, sandbox, env, signal })
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
