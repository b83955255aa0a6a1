/** Refuses engines that do not report their cost under a budget, before any paid call. */
import type { EngineChoice, PlanOptions } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { findEngine } from '../../engines/table.ts'
import type { CostPart } from '../history/run_statistics.ts'
import type { Limits } from './limits.ts'

/** Throws UserError for an engine or judge whose cost (or token use) would stay unknown. */
export async function requirePricing({ engine, judge }: Pick<PlanOptions, 'engine' | 'judge'>, limits: Limits) {
  for (const choice of judge === null ? [engine] : [engine, judge]) await requireReportedCost(choice, limits)
}

/** The parts whose cost the engine never reports. */
export async function findPartsWithoutCost({
  engine,
  judge,
}: Pick<PlanOptions, 'engine' | 'judge'>): Promise<Set<CostPart>> {
  const choices = { run: engine, grading: judge }
  const silent = new Set<CostPart>()
  for (const part of ['run', 'grading'] as const) {
    const choice = choices[part]
    if (choice !== null && !(await readEngineReports(choice)).cost) silent.add(part)
  }
  return silent
}

async function readEngineReports({ name, model, command }: EngineChoice): Promise<{ cost: boolean; tokens: boolean }> {
  // `auto` stays only in a dry run where no engine is available, which has reported that
  if (name === 'auto') return { cost: true, tokens: true }
  return (await findEngine(name).reports?.(model, command)) ?? { cost: false, tokens: false }
}

async function requireReportedCost(
  choice: EngineChoice,
  { budget, budgetName = '--budget', budgetTokens, costPerRun }: Limits,
): Promise<void> {
  if (budget === null && budgetTokens === null) return
  const reported = await readEngineReports(choice)
  const name = [choice.name, choice.model].filter(Boolean).join(':')
  if (budget !== null && costPerRun === null && !reported.cost) {
    const fix =
      'name a model with a listed price (the short names haiku, sonnet and opus have one), or give an assumed cost per run: --cost-per-run DOLLARS'
    throw new UserError(`${budgetName}: the cost of ${name} is unknown`, fix)
  }
  if (budgetTokens !== null && !reported.tokens) {
    throw new UserError(`--budget-tokens: ${name} does not report tokens`, 'remove it, or use another engine')
  }
}
