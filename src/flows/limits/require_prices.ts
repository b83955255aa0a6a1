/** Refuses engines that do not report their cost under a budget, before any paid call. */
import type { EngineChoice, PlanOptions } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { withUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine } from '../../engines/table.ts'
import type { FlowContext } from '../flow_context.ts'
import type { CostPart } from '../history/forecast.ts'
import type { Limits } from './limits.ts'

type Priced = Pick<FlowContext, 'prices'>

/** Throws UserError for an engine or judge whose cost (or token use) would stay unknown. */
export async function requirePricing(
  { engine, judge, user }: Pick<PlanOptions, 'engine' | 'judge' | 'user'>,
  limits: Limits,
  { prices }: Priced,
): Promise<void> {
  for (const choice of [engine, judge, user]) if (choice) await requireReportedCost(choice, limits, prices)
}

/** The parts whose cost the engine never reports. */
export async function findPartsWithoutCost(
  { engine, judge }: Pick<PlanOptions, 'engine' | 'judge'>,
  { prices }: Priced,
): Promise<Set<CostPart>> {
  const choices = { run: engine, grading: judge }
  const silent = new Set<CostPart>()
  for (const part of ['run', 'grading'] as const) {
    const choice = choices[part]
    if (choice !== null && !(await readEngineReports(choice, prices)).cost) silent.add(part)
  }
  return silent
}

async function readEngineReports(
  { name, model }: EngineChoice,
  prices: Priced['prices'],
): Promise<{ cost: boolean; tokens: boolean }> {
  // `auto` stays only in a dry run where no engine is available, which has reported that
  if (name === 'auto') return { cost: true, tokens: true }
  return (await withUserPrices(findEngine(name), prices).reports?.(model)) ?? { cost: false, tokens: false }
}

async function requireReportedCost(
  choice: EngineChoice,
  { budget, budgetName = '--budget', budgetTokens, costPerRun }: Limits,
  prices: Priced['prices'],
): Promise<void> {
  if (budget === null && budgetTokens === null) return
  const reported = await readEngineReports(choice, prices)
  const name = [choice.name, choice.model].filter(Boolean).join(':')
  if (budget !== null && costPerRun === null && !reported.cost) {
    const fix =
      'name a model with a listed price (the short names haiku, sonnet and opus have one), list its price in a file with --prices, or assume a cost per run with --cost-per-run'
    throw new UserError(`${budgetName}: the cost of ${name} is unknown`, fix)
  }
  if (budgetTokens !== null && !reported.tokens) {
    throw new UserError(`--budget-tokens: ${name} does not report tokens`, 'remove it, or use another engine')
  }
}
