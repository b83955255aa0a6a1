/** The sandbox at the start of a benchmark: chosen, said in one line, written into the plan. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { KeyParts } from '../../schemas/cache.ts'
import type { Plan } from '../../schemas/plan.ts'
import { chooseSandbox, noWish, probeSandbox, type SandboxChoice, type SandboxWish } from '../base/sandbox/choose.ts'
import { reapGroups } from '../base/sandbox/process_limit.ts'
import { workspaceOf } from '../store/paths.ts'
import type { FlowContext } from './context.ts'
import type { Prepared } from './prepare.ts'

/** Has it tried whether a sandbox works here; what comes of it is told where one is chosen. */
export function trySandbox(wish: SandboxWish | null | undefined, { env }: Pick<FlowContext, 'env'>): void {
  if (wish?.mode !== 'off') probeSandbox(env.PATH ?? '').catch(() => {})
}

/** Chooses, and adds one line to the choices that are shown. Throws UserError where a sandbox is required and none works. */
export async function startSandbox(
  wish: SandboxWish | null | undefined,
  { plan, choices }: Pick<Prepared, 'plan' | 'choices'>,
  context: FlowContext,
): Promise<SandboxChoice> {
  const sandbox = await chooseSandbox(wish ?? noWish, context.env.PATH ?? '')
  if (sandbox.mechanism === 'bubblewrap') await reapGroups()
  choices.push(lineOf(sandbox, plan))
  return sandbox
}

function lineOf({ mechanism, reason, network }: SandboxChoice, plan: Plan): string {
  if (mechanism === 'none') return `sandbox: none (${reason}); agents run as you`
  const asked = plan.runs.some((run) => run.sandbox?.network === 'open')
  const open = network === null ? asked && 'open, as the suite asks' : network === 'open' && 'open, as asked'
  return `sandbox: ${reason}${open ? `; network ${open}` : ''}`
}

/** The plan with what was chosen. */
export function withSandbox(plan: Plan, { mechanism, reason, network }: SandboxChoice): Plan {
  return { ...plan, sandbox: { mechanism, reason, ...(network && { network }) } }
}

/** The parts of a cache key that say what a run is confined to. */
export function sandboxParts({ sandbox }: Plan): KeyParts {
  return { 'sandbox in use': [sandbox?.mechanism ?? 'unknown', sandbox?.network].filter(Boolean).join(', network ') }
}

/** What no agent may see wherever it lies: the skill as its author has it, the suite, the results. */
export function hiddenFrom(plan: Plan, workspace: string): string[] {
  const [skill = plan.skill.path] = plan.skill.path.split(' at git:')
  return [...new Set([...hiddenOf(skill, plan.suite.path), workspace])]
}

/** The same for a benchmark on disk: the workspace that it lies in; elsewhere, what lies beside it is the user's own. */
export function hiddenWith(plan: Plan, folder: string): string[] {
  const real = realpathSync(folder)
  return hiddenFrom(plan, workspaceOf(real) ?? real)
}

/** The same of a skill whose runs have no results. */
export function hiddenOf(skill: string, suite: string): string[] {
  return [skill, path.basename(path.dirname(suite)) === 'evals' ? path.dirname(suite) : suite]
}
