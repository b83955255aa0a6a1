/** improve --description: searches for a better description on some queries, and keeps it only if it is better on the others. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Description, description as descriptionSchema } from '../../../../schemas/description.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { writeAtomic } from '../../../base/fs/durable_files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { createJudgeOpener } from '../../../flows/judge/open_judge.ts'
import { SharedBudgets } from '../../../flows/limits/limits.ts'
import { openAccountLimiters } from '../../../flows/limits/rate_limiters.ts'
import { checkStart } from '../../../flows/prepare/check_start.ts'
import { createAutoEngine } from '../../../flows/prepare/choose_engine.ts'
import { preflight } from '../../../flows/prepare/preflight.ts'
import { listHiddenPaths, withSandbox } from '../../../flows/sandbox/start_sandbox.ts'
import { clearLeftovers, lockBenchmark } from '../../../flows/workspace/benchmark_lock.ts'
import { readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { createSeededRandom } from '../../../phases/4-report/stats/distributions/seeded_random.ts'
import { findSigner, type ResultSigner, writeSigned } from '../../../store/signing/signer.ts'
import { type PreparedTriggers, prepareTriggers, type TriggersRequest } from '../measure/prepare_triggers.ts'
import { normalizeDescription, replaceDescription, splitQueries } from './edit.ts'
import { compareDescriptions, type DescribeSession, measureDescription } from './measure_descriptions.ts'
import {
  type DescriptionProposer,
  emitDescriptionMeasured,
  proposeDescription,
  type TriedDescription,
} from './propose_description.ts'
import { searchDescription } from './search.ts'
import { buildDescription, descriptionFilePath, findNewestSearch, openSearchMemory } from './search_memory.ts'

export interface DescriptionRequest extends Omit<TriggersRequest, 'fresh'> {
  /** engine[:model]; null: the engine of the runs, if available. */
  proposer: string | null
  /** Most proposals. */
  rounds: number
  /** Runs per query and description in the final comparison. */
  testRuns: number
  alpha: number
  seed: number
  /** Write an accepted proposal to SKILL.md. */
  apply: boolean
  /** Resume the workspace's newest search, or apply its result. */
  resume: boolean
}

export interface DescriptionResult {
  /** The folder of the session, absolute. */
  folder: string
  /** description.json, absolute. */
  file: string
  description: Description
}

/** Fewer queries of a kind give no usable result. */
const fewest = 2

/** Changes SKILL.md only with `apply`. Throws UserError or IncompleteError, and the abort reason if interrupted. */
export async function improveDescription(
  request: DescriptionRequest,
  context: FlowContext,
): Promise<DescriptionResult> {
  await clearLeftovers(context)
  await using scratch = await openTempDir()
  const loaded = await prepareTriggers({ ...request, fresh: true }, context, false)
  const { skill } = loaded.plan
  const skillFile = path.join(skill.path, 'SKILL.md')
  const source = await readFile(skillFile, 'utf8')
  if (replaceDescription(source, skill.description) === null)
    throw new UserError(
      `${skillFile}: its description is not plain text in the frontmatter`,
      'write it as description: "…"',
    )
  const before = request.resume ? await findNewestSearch(loaded.workspace, context) : null
  if (before !== null && before.ended !== null) {
    return await applyEndedSearch(
      { ...before, ended: before.ended },
      { request, skillFile, signer: findSigner(context.env) },
    )
  }
  const split = splitQueries(loaded.set.queries, createSeededRandom(request.seed))
  refuseSmallSplit(loaded, split)
  const { engine } = loaded.plan.options
  const proposer = await createAutoEngine(context).judge(request.proposer, engine, loaded.choices)
  const { sandbox } = await checkStart(loaded, request, { scratch: scratch.path }, context)
  await preflight({ '--proposer': proposer }, request.passEnv, context)
  const prepared = { ...loaded, plan: withSandbox(loaded.plan, sandbox) }
  const { workspace } = loaded
  const asked = pickSearchSettings(request, loaded, proposer)
  const memory = await openSearchMemory({ workspace, before: before?.folder ?? null, asked }, context)
  const { folder } = memory
  await using lock = await lockBenchmark(folder, context)
  // all measurements share one budget
  const wish = { ...request, budgets: request.budgets ?? new SharedBudgets(request.limits) }
  const session: DescribeSession = {
    prepared,
    wish,
    testRuns: request.testRuns,
    sandbox,
    folder,
    scratch: scratch.path,
  }
  using pace = openAccountLimiters(request.pace, lock.context)
  const { passEnv } = request
  const hidden = listHiddenPaths(prepared.plan, loaded.workspace)
  const openJudge = await createJudgeOpener(
    { choice: proposer, passEnv, hidden, sandbox: request.sandbox, pace },
    lock.context,
  )
  const asker: DescriptionProposer = { openJudge, skill: source, prepared }
  let warnings: string[] = []
  const end = await searchDescription<NonNullable<TriedDescription['train']>[number]>({
    original: normalizeDescription(skill.description),
    rounds: request.rounds,
    alpha: request.alpha,
    seed: request.seed,
    measure: async (description, round) => {
      const asked = { description, ids: split.train, name: `train-${round}` }
      const { results, warnings: found } = await measureDescription(session, asked, lock.context)
      if (round === 0) warnings = found
      emitDescriptionMeasured(lock.context, { round, description, train: results, refused: null })
      return results
    },
    propose: async (best, attempts) =>
      await memory.proposal(attempts.length, () => proposeDescription(asker, { best, attempts }, lock.context)),
    compare: async (before, after) => {
      const both = await compareDescriptions(session, { before, after, ids: split.test }, lock.context)
      return { before: both.before.results, after: both.after.results }
    },
  })
  const applied = request.apply && end.accepted
  if (applied) await applyDescription(skillFile, { source, description: end.best.description })
  const spent = memory.proposals().map((one) => one.spent)
  const made = { request, prepared, proposer, spent, split, end, applied, warnings, createdAt: context.now() }
  const value = getRedactor(context.env).value(buildDescription(made))
  const file = descriptionFilePath(folder)
  await writeSigned(descriptionSchema, { file }, { value, signer: findSigner(context.env) })
  return { folder, file, description: value }
}

function pickSearchSettings(request: DescriptionRequest, { plan, set }: PreparedTriggers, proposer: EngineChoice) {
  const { seed, alpha, runs, testRuns, threshold, timeoutSeconds, maxTurns } = request
  const among = (plan.runs[0]?.among ?? []).map(({ name, sha256 }) => ({ name, sha256 }))
  return {
    ...{ seed, alpha, runs, testRuns, threshold, timeoutSeconds, maxTurns, among, proposer },
    skill: plan.skill.sha256,
    queries: set.sha256,
    engine: plan.options.engine,
  }
}

/** An ended search is not repeated; its result can still go into SKILL.md. */
async function applyEndedSearch(
  { folder, ended }: { folder: string; ended: Description },
  { request, skillFile, signer }: { request: DescriptionRequest; skillFile: string; signer: ResultSigner },
): Promise<DescriptionResult> {
  const file = descriptionFilePath(folder)
  if (!request.apply || !ended.accepted || ended.applied) return { folder, file, description: ended }
  const source = await readFile(skillFile, 'utf8')
  const { skill } = await readSkill(path.dirname(skillFile))
  if (normalizeDescription(skill.description) !== ended.original)
    throw new UserError(`${skillFile}: its description changed since the search`, 'replace it by hand')
  await applyDescription(skillFile, { source, description: ended.best })
  const description = { ...ended, applied: true }
  await writeSigned(descriptionSchema, { file }, { value: description, signer })
  return { folder, file, description }
}

function refuseSmallSplit({ set, plan }: PreparedTriggers, { train, test }: { train: number[]; test: number[] }): void {
  const sides = { training: train, test }
  for (const [name, ids] of Object.entries(sides)) {
    const own = set.queries.filter(({ query_id }) => ids.includes(query_id))
    if (own.length >= fewest && new Set(own.map(({ should_trigger }) => should_trigger)).size === 2) continue
    throw new UserError(
      `${set.path}: too few queries to improve the description of ${plan.skill.name}: the ${name} side needs some of both kinds`,
      'add queries until there are at least four that should trigger and four that should not; 20 and more decide better',
    )
  }
}

async function applyDescription(
  file: string,
  { source, description }: { source: string; description: string },
): Promise<void> {
  if ((await readFile(file, 'utf8')) !== source)
    throw new UserError(`${file}: changed during the search; the new description was not written`, 'start again')
  const text = replaceDescription(source, description)
  if (text !== null) await writeAtomic(file, text)
}
