/** Warns, before anything is paid for, of checks that no run on this engine lets code decide or meet. */
import type { Check, CheckType } from '../../schemas/check.ts'
import type { EngineChoice } from '../../schemas/plan.ts'
import type { LoadWarning, Suite, SuiteCase } from '../../schemas/suite.ts'
import type { Engine } from '../engines/engine.ts'
import { engineNamed } from '../engines/table.ts'

interface Knowledge {
  engine: Engine
  reports: { cost: boolean; tokens: boolean }
}

/** The suite with a warning for each kind of reason; its cases run all the same. */
export async function withDecidable(suite: Suite, choice: EngineChoice): Promise<Suite> {
  if (choice.name === 'auto') return suite // none can work here, which is said
  const engine = engineNamed(choice.name)
  const asks = suite.cases.some(({ checks }) => checks.some(({ type }) => ofSpending.has(type)))
  const reports = (asks ? await engine.reports?.(choice.model) : null) ?? { cost: false, tokens: false }
  const found = suite.cases.flatMap((one) =>
    one.checks.flatMap((check) => {
      const reason = hindrance(check, one, { engine, reports })
      return reason === null ? [] : { reason, evalId: one.eval_id, type: check.type }
    }),
  )
  const reasons = [...new Set(found.map(({ reason }) => reason))]
  const warnings = reasons.map((reason): LoadWarning => {
    const own = found.filter((one) => one.reason === reason)
    const types = [...new Set(own.map(({ type }) => type))].join(', ')
    const at = `eval ${[...new Set(own.map(({ evalId }) => evalId))].join(', ')}`
    return { file: suite.path, at, message: `${types}: ${reason}` }
  })
  return warnings.length === 0 ? suite : { ...suite, warnings: [...suite.warnings, ...warnings] }
}

/** For `eval`, where what an engine can't express is a SKIP: nothing is paid for a run that could not show the block it is about. */
export function withShownBlocks(suite: Suite, choice: EngineChoice): Suite {
  if (choice.name === 'auto' || engineNamed(choice.name).hidesWork !== true) return suite
  const reason = `the engine ${choice.name} does not show whether a hook blocked a call; another can (--engine)`
  const asksIt = ({ checks }: SuiteCase) => checks.some(({ type }) => type === 'agent_blocked')
  const cases = suite.cases.map((one) => (asksIt(one) ? { ...one, cannot_run: one.cannot_run ?? reason } : one))
  return { ...suite, cases }
}

const needTools: ReadonlySet<CheckType> = new Set([
  'tool_used',
  'tool_not_used',
  'skill_read',
  'script_executed',
  'agent_blocked',
  'turns_at_most',
] satisfies CheckType[])

/** Whether an engine says what they ask takes a table of all prices. */
const ofSpending: ReadonlySet<CheckType> = new Set(['tokens_at_most', 'cost_at_most'] satisfies CheckType[])

/** Why it can't be decided, or never be met; null: it can. */
function hindrance(check: Check, one: SuiteCase, { engine, reports }: Knowledge): string | null {
  const undecided = (what: string) =>
    `the engine ${engine.name} does not show ${what}, so that this can't be decided (a judge error)`
  if (engine.hidesWork === true && needTools.has(check.type)) return undecided('how the agent works')
  if (check.type === 'tokens_at_most' && !reports.tokens) return undecided('tokens')
  if (check.type === 'cost_at_most' && !reports.cost) return undecided('what this model costs')
  const blocks = Object.keys(one.environment?.hooks ?? {}).some((event) => beforeCalls.has(event))
  if (check.type !== 'agent_blocked' || blocks) return null
  return 'the case has no hook of PreToolUse or PermissionRequest, so that this is never met unless the skill brings one'
}

const beforeCalls: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest'])
