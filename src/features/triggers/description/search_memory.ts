/** Stores a search's settings, proposals and result in its folder, so that it can resume. */
import path from 'node:path'
import {
  type Description,
  type DescriptionScore,
  type DescriptionSearch,
  description as descriptionSchema,
  descriptionSearch,
} from '../../../../schemas/description.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { roundDollars } from '../../../base/totals.ts'
import { type CallUsage, sumCallUsage, toAskedJudge } from '../../../engines/ask/cost_meter.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { reportForeignResults } from '../../../flows/workspace/benchmark_lock.ts'
import { refuseChangedSettings } from '../../../flows/workspace/changed_settings.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { findSigner, isSignedFile, writeSigned } from '../../../store/signing/signer.ts'
import { createBenchmark, listBenchmarks } from '../../../store/store.ts'
import type { PreparedTriggers } from '../measure/prepare_triggers.ts'
import { normalizeDescription, type QuerySplit } from './edit.ts'
import type { TriedDescription } from './propose_description.ts'
import { meanBehaveRate, type SearchEnd } from './search.ts'

type Proposal = DescriptionSearch['proposals'][number]

export interface SearchMemory {
  /** The search's, absolute. */
  folder: string
  /** The proposal of a round (from 1): the stored one, else a new one, which is stored. */
  proposal: (round: number, make: () => Promise<Proposal>) => Promise<Proposal>
  proposals: () => readonly Proposal[]
}

export const descriptionFilePath = (folder: string) => path.join(folder, 'description.json')

/** The workspace's newest search of this user, with its result if it has ended. Throws UserError where there is none. */
export async function findNewestSearch(
  workspace: string,
  context: Pick<FlowContext, 'env' | 'emit'>,
): Promise<{ folder: string; ended: Description | null }> {
  for (const folder of await listBenchmarks(workspace, 'descriptions')) {
    const ended = tryReadArtefact(descriptionSchema, descriptionFilePath(folder))
    if (ended === null && readSearch(folder) === null) continue
    const file = ended === null ? searchFilePath(folder) : descriptionFilePath(folder)
    if (isSignedFile(file, findSigner(context.env))) return { folder, ended }
    reportForeignResults({ place: file, what: 'a search' }, context)
  }
  throw new UserError(`${workspace}: no search to resume`, 'remove --resume')
}

/** A new folder, or the one to resume. Throws UserError if its settings differ. */
export async function openSearchMemory(
  { workspace, before, asked }: { workspace: string; before: string | null; asked: Record<string, unknown> },
  context: FlowContext,
): Promise<SearchMemory> {
  const known = before === null ? null : readSearch(before)
  if (known !== null) refuseChangedSettings('search', known.asked, asked)
  const folder = before ?? (await createBenchmark(workspace, context.now(), 'descriptions'))
  const proposals: Proposal[] = [...(known?.proposals ?? [])]
  const signed = { file: searchFilePath(folder) }
  const keep = () =>
    writeSigned(descriptionSearch, signed, {
      value: { schema_version: 1, asked, proposals },
      signer: findSigner(context.env),
    })
  await keep()
  return {
    folder,
    proposals: () => proposals,
    async proposal(round, make) {
      const made = proposals[round - 1]
      if (made !== undefined) return made
      context.drain.throwIfAborted()
      const found = await make()
      proposals.push(found)
      await keep()
      return found
    },
  }
}

const searchFilePath = (folder: string) => path.join(folder, 'search.json')

function readSearch(folder: string): DescriptionSearch | null {
  return tryReadArtefact(descriptionSearch, searchFilePath(folder))
}

type Results = NonNullable<TriedDescription['train']>

interface DescriptionInput {
  request: { seed: number; alpha: number; testRuns: number }
  prepared: PreparedTriggers
  proposer: EngineChoice
  spent: readonly CallUsage[]
  split: QuerySplit
  end: SearchEnd<Results[number]>
  applied: boolean
  warnings: string[]
  createdAt: Date
}

/** The result of a search. */
export function buildDescription({
  request,
  prepared,
  proposer,
  spent,
  split,
  end,
  applied,
  warnings,
  createdAt,
}: DescriptionInput): Description {
  const { plan, set } = prepared
  const { best, test, attempts } = end
  const measured = attempts.flatMap(({ train }) => train ?? [])
  const costs = [...measured, ...(test === null ? [] : [...test.before, ...test.after])].flatMap(({ query_runs }) =>
    query_runs.map(({ cost }) => cost?.usd ?? null),
  )
  const known = costs.flatMap((usd) => usd ?? [])
  return {
    schema_version: 1,
    created_at: createdAt.toISOString(),
    skill_name: plan.skill.name,
    set: { path: set.path, sha256: set.sha256 },
    engine: plan.options.engine,
    proposer: toAskedJudge(proposer, sumCallUsage(spent)),
    seed: request.seed,
    split,
    attempts: attempts.map(({ round, description, train, refused }) => {
      return { round, description, train: train && scoreDescription(train, `train-${round}`), refused }
    }),
    original: normalizeDescription(plan.skill.description),
    best: best.description,
    best_round: best.round,
    test: test && {
      before: scoreDescription(test.before, 'test/before'),
      after: scoreDescription(test.after, 'test/after'),
      difference: test.difference,
      p_value: test.pValue,
      alpha: request.alpha,
      queries: split.test.length,
      runs: request.testRuns,
    },
    accepted: end.accepted,
    reason: end.reason,
    ...{ warnings, applied },
    cost_usd: known.length < costs.length ? null : roundDollars(known.reduce((sum, usd) => sum + usd, 0)),
  }
}

function scoreDescription(results: Results, folder: string): DescriptionScore {
  const rate = (label: boolean) => {
    const rates = results.flatMap((one) => (one.should_trigger === label ? (one.trigger_rate ?? []) : []))
    return rates.length === 0 ? null : rates.reduce((sum, one) => sum + one, 0) / rates.length
  }
  return { behaves: Math.max(0, meanBehaveRate(results)), recall: rate(true), false_trigger_rate: rate(false), folder }
}
