/**
 * What runs and gradings usually take, for an estimate before the first run of an engine in a workspace. The prompts of agent CLIs are as
 * measured against a server on this machine; turns and answers are usual ones. Real amounts are within a factor of three in most suites.
 */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { Usage } from '../../../schemas/usage.ts'
import { countTokens, estimateCost } from '../../engines/models/cost.ts'
import { findServingProvider } from '../../engines/models/model_family.ts'
import { anthropicModel, openaiModel } from '../../engines/models/providers.ts'
import { applyUserPrices } from '../../engines/models/user_prices.ts'
import type { ResourceUsage, RunStats } from '../history/forecast.ts'

/** Real amounts are between the estimate ÷ and × this. */
export const usualFactor = 3

interface UsualEngine {
  /** Tokens of the system prompt and of the definitions of tools. */
  prompt: number
  turns: number
}

const engines: Readonly<Record<string, UsualEngine>> = {
  anthropic: { prompt: 1500, turns: 4 },
  openai: { prompt: 1500, turns: 4 },
  'claude-code': { prompt: 16_000, turns: 6 },
}
const otherAgent: UsualEngine = { prompt: 9000, turns: 6 }

/** Tokens: of a skill that is read, of an input file, of an answer, and of what a turn adds to the context. */
const usual = { skill: 2500, file: 1500, answer: 300, turn: 900 }
const secondsPerTurn = 6
const charactersPerToken = 4

/** Adds what the plan's runs and gradings usually take. `costPerRun`: of each whose cost is unknown. */
export async function addUsualUsage(
  stats: RunStats,
  plan: Plan,
  { costPerRun, prices }: { costPerRun: number | null; prices: UserPrices | undefined },
): Promise<void> {
  const { engine, judge } = plan.options
  for (const spec of plan.runs.filter(({ run_number }) => run_number === 1)) {
    const run = await priceUsage(usualRun(spec, plan), engine, prices)
    stats.add('run', spec, { ...run, usd: run.usd ?? costPerRun })
    if (judge === null) continue
    const grading = await priceUsage(usualGrading(spec, plan), judge, prices)
    stats.add('grading', spec, { ...grading, usd: grading.usd ?? costPerRun })
  }
  stats.runs = 0
}

type Asked = Plan['options']['engine']
interface UsualUsage {
  usage: Usage
  turns: number
}

async function priceUsage(
  { usage, turns }: UsualUsage,
  { name, model }: Asked,
  prices: UserPrices | undefined,
): Promise<ResourceUsage> {
  if (name === 'command') return { usd: null, tokens: null, seconds: null }
  const seconds = turns * secondsPerTurn
  const provider = findServingProvider({ name, model })
  const id = provider === null ? model : provider === 'openai' ? openaiModel(model) : anthropicModel(model)
  const listed = provider === null || id === null ? null : await estimateCost(usage, id, provider)
  const report = { usage, model: id, provider, cost: listed }
  const { cost } = prices ? applyUserPrices(report, { engine: name, asked: model }, prices) : report
  return { usd: cost?.usd ?? null, tokens: countTokens(usage), seconds }
}

/** The first turn reads everything, later ones read it from the cache. */
function usualRun(spec: RunSpec, { options: { engine } }: Plan): UsualUsage {
  const { prompt, turns } = engines[engine.name] ?? otherAgent
  const task = spec.prompt.length / charactersPerToken + usual.file * spec.files.length + (spec.skill ? usual.skill : 0)
  const grown = (turns * usual.turn) / 2
  return {
    turns,
    usage: {
      input_tokens: Math.round(prompt + task + turns * usual.turn),
      cache_read_tokens: Math.round((turns - 1) * (prompt + task + grown)),
      cache_write_tokens: 0,
      output_tokens: turns * usual.answer,
    },
  }
}

/** A request for each sample, with the task, the transcript and the statements. */
function usualGrading({ eval_id, prompt }: RunSpec, { cases, options }: Plan): UsualUsage {
  const samples = options.judge_samples ?? 1
  const statements = cases.find((one) => one.eval_id === eval_id)?.expectations.length ?? 0
  const read = usual.skill + usual.file + prompt.length / charactersPerToken
  const usage = { cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: samples * usual.answer * statements }
  return { turns: samples, usage: { ...usage, input_tokens: samples * Math.round(read + 100 * statements) } }
}
