/** Lists a suite's commands before they start; without a sandbox the user must agree first. */
import type { Plan } from '../../../schemas/plan.ts'
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { UserError } from '../../base/errors/error.ts'
import type { SandboxChoice, SandboxWish } from '../../base/sandbox/choose.ts'
import { type CommandSource, commandHashes, listCommands } from '../../phases/1-plan/suite/suite_commands.ts'
import { isTrusted, rememberTrust } from '../../store/cache/trusted_suites.ts'
import type { FlowContext } from '../flow_context.ts'

/** What a suite would start, and whether the user must agree first. */
export interface CommandReview {
  /** The suite's file, absolute. */
  file: string
  commands: SuiteCommand[]
  /** Hashes of everything that decides what the commands do. */
  hashes: string[]
  confinement: Confinement
}

interface Confinement {
  sandbox: Pick<SandboxChoice, 'mechanism' | 'reason'>
  trusted: boolean
}

/** Reviews the commands of the cases that will run. */
export function reviewPlan(plan: Plan, confinement: Confinement): CommandReview {
  const skills = new Map<number, Set<string>>()
  for (const { eval_id, skill, among = [] } of plan.runs) {
    const known = skills.get(eval_id) ?? new Set()
    for (const one of [skill, ...among]) if (one !== null) known.add(one.sha256)
    skills.set(eval_id, known)
  }
  const cases = plan.cases.filter(({ eval_id }) => skills.has(eval_id))
  const skillsOf = ({ eval_id }: CommandSource) => [...(skills.get(eval_id) ?? [])]
  return reviewCases(plan.suite.path, cases, { skillsOf, confinement })
}

export function reviewCases(
  file: string,
  cases: readonly CommandSource[],
  { skillsOf, confinement }: { skillsOf: (one: CommandSource) => readonly string[]; confinement: Confinement },
): CommandReview {
  return { file, commands: listCommands(cases), hashes: commandHashes(cases, skillsOf), confinement }
}

export function resolveConfinement(
  sandbox: Confinement['sandbox'],
  wish: Pick<SandboxWish, 'trusted'> | null | undefined,
): Confinement {
  return { sandbox, trusted: wish?.trusted === true }
}

/** Emits the list, and asks if consent is needed. Throws UserError unless the commands may start. */
export async function authorizeCommands(review: CommandReview, context: FlowContext): Promise<void> {
  const { file, commands, hashes, confinement } = review
  if (commands.length === 0) return
  context.emit({ type: 'suite_commands', suite: file, confined: isConfined(confinement), commands })
  if (!needsYes(review, context)) return
  if (context.confirm === undefined) throw unauthorizedError(review)
  if (!(await context.confirm(`No sandbox holds these commands of the suite: they run as you. Start them?`))) {
    throw new UserError(`${file}: its commands were not allowed to start`, unauthorizedError(review).fix)
  }
  rememberTrust(hashes, context.env)
}

/** For --dry-run: throws UserError if consent is needed and cannot be asked for; emits nothing. */
export function refuseUnauthorized(review: CommandReview, context: FlowContext): void {
  if (needsYes(review, context) && context.confirm === undefined) throw unauthorizedError(review)
}

function isConfined({ sandbox }: Confinement): boolean {
  return sandbox.mechanism !== 'none'
}

function needsYes({ commands, hashes, confinement }: CommandReview, { env }: Pick<FlowContext, 'env'>): boolean {
  if (commands.length === 0 || confinement.trusted || isConfined(confinement)) return false
  return !isTrusted(hashes, env)
}

function unauthorizedError({ file, commands, confinement }: CommandReview): UserError {
  const many = commands.length === 1 ? 'a command' : `${commands.length} commands`
  return new UserError(
    `${file}: ${many} of the suite would run as you, without a sandbox (${confinement.sandbox.reason})`,
    'read the list and give --trust-suite, or have a sandbox: install bubblewrap (whetstone doctor says whether it works)',
  )
}
