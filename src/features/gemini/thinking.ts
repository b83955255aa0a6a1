/** How hard a Gemini model thinks, in the settings of Gemini CLI. Pure. */
import { geminiModel } from './model.ts'

/** Gemini 2.5 has no levels, only a number of tokens; these are the ones that Google's own API for OpenAI's clients uses for the levels. */
const budgets: Readonly<Record<string, number>> = { low: 1024, medium: 8192, high: 24_576 }

/** The levels of the later models. */
const levels = ['minimal', 'low', 'medium', 'high']

function isBudgeted(id: string): boolean {
  return /^gemini-2\.5\b/.test(id)
}

export function geminiEfforts(model: string | null): readonly string[] {
  return isBudgeted(geminiModel(model)) ? Object.keys(budgets) : levels
}

/** The part of its settings that sets the level for this model; empty: none was asked for. */
export function geminiThinking(model: string | null, effort: string | undefined): object {
  if (effort === undefined) return {}
  const id = geminiModel(model)
  const thinkingConfig = isBudgeted(id) ? { thinkingBudget: budgets[effort] } : { thinkingLevel: effort.toUpperCase() }
  const override = { match: { model: id }, modelConfig: { generateContentConfig: { thinkingConfig } } }
  return { modelConfigs: { overrides: [override] } }
}
