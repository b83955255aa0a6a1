/** Judges one pair and writes its verdict, unless it is already judged. */
import type { Comparison, Criteria } from '../../../schemas/comparison.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { type CallUsage, sumCallUsage, toAskedJudge } from '../../engines/ask/cost_meter.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { OpenJudge } from '../../flows/judge/open_judge.ts'
import { createBlinder, type HiddenNames, hashDelivery } from './judge/blind.ts'
import { askCriteria, comparePair, type PairEnd } from './judge/compare_pair.ts'
import { comparePromptSource, criteriaPromptSource } from './judge/prompt.ts'
import { type ComparePair, chooseFirstSide } from './pairs.ts'
import { comparisonPaths, readComparison, writeComparison, writeComparisonError } from './summarize.ts'

export interface ComparerOptions {
  openJudge: OpenJudge
  judge: EngineChoice
  names: Omit<HiddenNames, 'task'>
  seed: number
  again: boolean
}

export async function isPairJudged(pair: ComparePair, judge: EngineChoice): Promise<boolean> {
  const before = readComparison(pair.folder, pair.number)
  return before !== null && before.compared_key === (await computePairKey(pair, judge))
}

/** `wrote`: the file, absolute; null: the verdict already existed. */
interface PairOutcome {
  end: 'judged' | 'error'
  wrote: string | null
}

/** Judges pairs one at a time; asks for a case's criteria once. */
export function createComparer(
  how: ComparerOptions,
  context: FlowContext,
): (pair: ComparePair) => Promise<PairOutcome> {
  const criteriaOf = new Map<string, Promise<Criteria>>()
  return async (pair) => {
    const key = await computePairKey(pair, how.judge)
    const before = readComparison(pair.folder, pair.number)
    if (!how.again && before?.compared_key === key) {
      reportPair(pair, { comparison: before, cached: true }, context)
      return { end: 'judged', wrote: null }
    }
    await using opened = await how.openJudge()
    const { prompt, expectedOutput, expectations, inputs } = pair.task
    const blind = createBlinder({ ...how.names, task: [prompt, expectedOutput ?? '', ...expectations] })
    const task = {
      prompt: blind(prompt),
      expectedOutput: expectedOutput === null ? null : blind(expectedOutput),
      expectations: expectations.map(blind),
    }
    const spent: CallUsage[] = []
    const ask = async () => {
      const asked = await askCriteria(task, opened.cwd, opened.asking)
      spent.push(asked.spent)
      return asked.criteria
    }
    const criteria = await memoizePromise(criteriaOf, JSON.stringify(task), ask)
    const { A, B } = pair
    const first = chooseFirstSide(how.seed, pair)
    const end = await comparePair({ A: A.delivery, B: B.delivery, first, task, inputs, criteria, blind }, opened.asking)
    return await writePairVerdict(pair, { ...end, spent: [...spent, ...end.spent] }, { how, key, context })
  }
}

async function writePairVerdict(
  pair: ComparePair,
  end: PairEnd,
  { how, key, context }: { how: ComparerOptions; key: string; context: FlowContext },
): Promise<PairOutcome> {
  const redactor = getRedactor(context.env)
  const paths = comparisonPaths(pair.folder, pair.number)
  const sides = { A: sideOrigin(pair.A), B: sideOrigin(pair.B) }
  if (end.status === 'error') {
    const { reason } = redactor.value(end)
    const at = context.now().toISOString()
    await writeComparisonError(pair.folder, pair.number, { schema_version: 1, sides, reason, at })
    reportPair(pair, { error: reason, usd: sumCallUsage(end.spent).costUsd }, context)
    return { end: 'error', wrote: paths.error }
  }
  const made = redactor.value({
    ...end.verdict,
    schema_version: 1 as const,
    sides,
    seed: how.seed,
    judge: toAskedJudge(how.judge, sumCallUsage(end.spent)),
    compared_key: key,
  })
  await writeComparison(pair.folder, pair.number, made)
  reportPair(pair, { comparison: made, cached: false }, context)
  return { end: 'judged', wrote: paths.comparison }
}

function sideOrigin({ configuration, run }: ComparePair['A']) {
  return { configuration, run }
}

async function computePairKey({ task, A, B }: ComparePair, judge: EngineChoice): Promise<string> {
  return computeComparisonKey({ task, judge, A: await hashDelivery(A.delivery), B: await hashDelivery(B.delivery) })
}

/** All callers share one request; it rejects only when everything is aborted. */
async function memoizePromise<T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(name) ?? make()
  known.set(name, made)
  return await made
}

type PairReport = { comparison: Comparison; cached: boolean } | { error: string; usd: number | null }

function reportPair(pair: ComparePair, told: PairReport, context: FlowContext): void {
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

interface ComparisonInputs {
  task: {
    prompt: string
    expectedOutput: string | null
    expectations: readonly string[]
    inputs: readonly { path: string; sha256: string }[]
  }
  judge: EngineChoice
  /** Digests of the deliveries. */
  A: string
  B: string
}

/** Hex sha256. Leaves out the seed, because both orders are always judged. */
function computeComparisonKey({ task, judge, A, B }: ComparisonInputs): string {
  const { prompt, expectedOutput, expectations, inputs } = task
  const given = inputs.map(({ path, sha256: content }) => ({ path, content }))
  const words = [comparePromptSource, criteriaPromptSource]
  return sha256(canonicalJson({ prompt, expectedOutput, expectations, given, judge, words, A, B }))
}
