/** Judges one pair and writes its verdict, unless the same was judged already. */
import type { Comparison, Criteria } from '../../schemas/comparison.ts'
import type { EngineChoice } from '../../schemas/plan.ts'
import { redactorFor } from '../base/redact.ts'
import { blinder, type Names } from '../phases/3-judge/compare/blind.ts'
import { askCriteria, comparePair, type PairEnd } from '../phases/3-judge/compare/compare_pair.ts'
import { comparedKey } from '../phases/3-judge/compare/compared_key.ts'
import { digestOf } from '../phases/3-judge/compare/sides.ts'
import { addSpent, askedOf, type Spent } from '../phases/3-judge/meter.ts'
import { readComparison, writeComparison, writeComparisonError } from '../store/comparisons.ts'
import { comparisonPaths } from '../store/paths.ts'
import { type ComparePair, firstShown } from './compare_pairs.ts'
import type { FlowContext } from './context.ts'
import type { OpenJudge } from './judge_opener.ts'

export interface Comparing {
  openJudge: OpenJudge
  judge: EngineChoice
  names: Omit<Names, 'task'>
  seed: number
  again: boolean
}

/** Whether the verdict on a pair is there, by this judge. */
export async function isJudged(pair: ComparePair, judge: EngineChoice): Promise<boolean> {
  const before = readComparison(pair.folder, pair.number)
  return before !== null && before.compared_key === (await keyOf(pair, judge))
}

/** `wrote`: the file, absolute; null: the verdict was there. */
interface PairJudged {
  end: 'judged' | 'error'
  wrote: string | null
}

/** Judges pair after pair; the criteria of a case are asked for once. */
export function comparer(how: Comparing, context: FlowContext): (pair: ComparePair) => Promise<PairJudged> {
  const criteriaOf = new Map<string, Promise<Criteria>>()
  return async (pair) => {
    const key = await keyOf(pair, how.judge)
    const before = readComparison(pair.folder, pair.number)
    if (!how.again && before?.compared_key === key) {
      tell(pair, { comparison: before, cached: true }, context)
      return { end: 'judged', wrote: null }
    }
    await using opened = await how.openJudge()
    const { prompt, expectedOutput, expectations, inputs } = pair.task
    const blind = blinder({ ...how.names, task: [prompt, expectedOutput ?? '', ...expectations] })
    const task = {
      prompt: blind(prompt),
      expectedOutput: expectedOutput === null ? null : blind(expectedOutput),
      expectations: expectations.map(blind),
    }
    const spent: Spent[] = []
    const ask = async () => {
      const asked = await askCriteria(task, opened.cwd, opened.asking)
      spent.push(asked.spent)
      return asked.criteria
    }
    const criteria = await remembered(criteriaOf, JSON.stringify(task), ask)
    const { A, B } = pair
    const first = firstShown(how.seed, pair)
    const end = await comparePair({ A: A.delivery, B: B.delivery, first, task, inputs, criteria, blind }, opened.asking)
    return await keep(pair, { ...end, spent: [...spent, ...end.spent] }, { how, key, context })
  }
}

interface Keeping {
  how: Comparing
  key: string
  context: FlowContext
}

async function keep(pair: ComparePair, end: PairEnd, { how, key, context }: Keeping): Promise<PairJudged> {
  const redactor = redactorFor(context.env)
  const paths = comparisonPaths(pair.folder, pair.number)
  const sides = { A: originOf(pair.A), B: originOf(pair.B) }
  if (end.status === 'error') {
    const { reason } = redactor.value(end)
    const at = context.now().toISOString()
    await writeComparisonError(pair.folder, pair.number, { schema_version: 1, sides, reason, at })
    tell(pair, { error: reason, usd: addSpent(end.spent).costUsd }, context)
    return { end: 'error', wrote: paths.error }
  }
  const made = redactor.value({
    ...end.verdict,
    schema_version: 1 as const,
    sides,
    seed: how.seed,
    judge: askedOf(how.judge, addSpent(end.spent)),
    compared_key: key,
  })
  await writeComparison(pair.folder, pair.number, made)
  tell(pair, { comparison: made, cached: false }, context)
  return { end: 'judged', wrote: paths.comparison }
}

function originOf({ configuration, run }: ComparePair['A']) {
  return { configuration, run }
}

async function keyOf({ task, A, B }: ComparePair, judge: EngineChoice): Promise<string> {
  return comparedKey({ task, judge, A: await digestOf(A.delivery), B: await digestOf(B.delivery) })
}

/** One asking for all who want the same; it rejects only when all is aborted. */
async function remembered<T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(name) ?? make()
  known.set(name, made)
  return await made
}

type Told = { comparison: Comparison; cached: boolean } | { error: string; usd: number | null }

function tell(pair: ComparePair, told: Told, context: FlowContext): void {
  const { eval_id, eval_name, number } = pair
  const base = { type: 'pair_judged' as const, eval_id, eval_name, number }
  if ('error' in told) {
    context.emit({ ...base, winner: null, flips: 0, error: told.error, cost_usd: told.usd, cached: false })
    return
  }
  const { winner, flips = 0, judge } = told.comparison
  const name = winner === 'TIE' ? 'tie' : pair[winner].configuration
  context.emit({ ...base, winner: name, flips, error: null, cost_usd: judge?.cost_usd ?? null, cached: told.cached })
}
