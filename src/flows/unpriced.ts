/** A budget needs engines that say what they spend: others are refused before anything is paid for. */
import type { EngineChoice, PlanOptions } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { engineNamed } from '../engines/table.ts'
import type { Limits } from './limits.ts'
import type { Part } from './observed.ts'

/** Throws UserError for an engine or judge whose cost (or use of tokens) would stay unknown. */
export async function refuseUnpriced({ engine, judge }: Pick<PlanOptions, 'engine' | 'judge'>, limits: Limits) {
  for (const choice of judge === null ? [engine] : [engine, judge]) await refuse(choice, limits)
}

/** The parts of which the engine never says what they cost. */
export async function silentParts({ engine, judge }: Pick<PlanOptions, 'engine' | 'judge'>): Promise<Set<Part>> {
  const choices = { run: engine, grading: judge }
  const silent = new Set<Part>()
  for (const part of ['run', 'grading'] as const) {
    const choice = choices[part]
    if (choice !== null && !(await reportsOf(choice)).cost) silent.add(part)
  }
  return silent
}

async function reportsOf({ name, model }: EngineChoice): Promise<{ cost: boolean; tokens: boolean }> {
  return (await engineNamed(name).reports?.(model)) ?? { cost: false, tokens: false }
}

async function refuse(
  choice: EngineChoice,
  { budget, budgetName = '--budget', budgetTokens, costPerRun }: Limits,
): Promise<void> {
  if (budget === null && budgetTokens === null) return
  const reported = await reportsOf(choice)
  const name = [choice.name, choice.model].filter(Boolean).join(':')
  if (budget !== null && costPerRun === null && !reported.cost) {
    const fix = 'name a model that has a known price, or what a run counts that does not say: --cost-per-run DOLLARS'
    throw new UserError(`${budgetName}: what ${name} costs is not known`, fix)
  }
  if (budgetTokens !== null && !reported.tokens) {
    throw new UserError(`--budget-tokens: ${name} does not report tokens`, 'leave it out, or take another engine')
  }
}
