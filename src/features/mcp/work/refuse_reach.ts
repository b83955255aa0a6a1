/** Refuses requests that reach further than an agent may: places outside of the roots, and engines that start any program. */
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { mentionsCommand } from '../../../engines/table.ts'
import { type Limits, noLimits } from '../../../flows/limits/limits.ts'
import type { McpSession } from '../session.ts'

interface Reach {
  places: readonly (string | null | undefined)[]
  /** engine[:model], as given. */
  engines: readonly (string | null | undefined)[]
}

/** Throws UserError. Configuration files may have set these values too. */
export async function refuseReach({ places, engines }: Reach, { roots, options }: McpSession): Promise<void> {
  for (const place of places) if (place) await roots.resolve(place)
  const program = engines.find((one) => one && mentionsCommand(one))
  if (!program || options.allowPrograms) return
  throw new UserError(
    `${jsonText(program.slice(0, 200))}: an engine that starts a program of your choice`,
    'use another engine; the person who configures the server can allow it with --allow-programs',
  )
}

/** Throws UserError without a budget. */
export function requireBudget(limits: Limits = noLimits): Limits {
  if (limits.budget !== null || limits.budgetTokens !== null) return limits
  throw new UserError(
    'a plan needs a budget',
    'pass budget_usd, with cost_per_run_usd where the cost of a run is not known, or budget_tokens',
  )
}
