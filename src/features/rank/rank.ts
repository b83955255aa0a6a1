/** rank: several skills or engines on one suite; those that can't win stop early, and a winner is better than every other. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Stop } from '../../../schemas/limits.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { type Rank, rank as rankSchema } from '../../../schemas/rank.ts'
import type { WalkedFile } from '../../base/fs/files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { canonicalJson } from '../../base/json/json.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { findEngine } from '../../engines/table.ts'
import { rememberNamedEngines } from '../../flows/authorize/planned_programs.ts'
import type { CommandReview } from '../../flows/authorize/suite_commands.ts'
import { snapshotSkills } from '../../flows/bench/bench.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { readHistory } from '../../flows/history/forecast.ts'
import { openLimitedBench, queueInPairs, resolveSharedLimits } from '../../flows/limits/limited_bench.ts'
import { noLimits } from '../../flows/limits/limits.ts'
import { requirePricing } from '../../flows/limits/require_prices.ts'
import { checkStart, refuseStrayInstructions } from '../../flows/prepare/check_start.ts'
import {
  attemptStep,
  type OnRefusal,
  preflight,
  type StartRefusal,
  throwRefusal,
} from '../../flows/prepare/preflight.ts'
import { execute, noRunCache } from '../../flows/run/execute.ts'
import { createPlanReadyEvent } from '../../flows/run/plan_ready_event.ts'
import { listHiddenPaths, withSandbox } from '../../flows/sandbox/start_sandbox.ts'
import { clearLeftovers } from '../../flows/workspace/benchmark_lock.ts'
import { findUnfinished, openBenchFolder, repairBenchmark } from '../../flows/workspace/open_benchmark.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { rankPaths } from '../../store/paths.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { writePlan } from '../../store/store.ts'
import { type PreparedRank, prepareRank, type RankRequest } from './prepare_rank.ts'
import { contenderFolder } from './rank_plan.ts'
import { type RaceSoFar, readRace } from './read_race.ts'
import { expectedRaceRuns } from './stats/race_design.ts'
import { buildRank } from './stats/rank_result.ts'
import { writeRankFiles } from './write_rank.ts'

export interface RankResult {
  /** The folder of the ranking, absolute. */
  folder: string
  rank: Rank
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted at once. */
export async function rankContenders(request: RankRequest, context: FlowContext): Promise<RankResult> {
  await clearLeftovers(context)
  await using scratch = await openTempDir()
  const where = { scratch: scratch.path, refuse: throwRefusal }
  const planned = await prepareRank(request, context, where)
  const { sandbox } = await checkContenders({ prepared: planned, request, isDryRun: false }, where, context)
  const engines = planned.contenders.map(({ engine }) => engine)
  rememberNamedEngines([...engines, planned.plan.options.judge], context)
  const prepared = { ...planned, plan: withSandbox(planned.plan, sandbox) }
  const { plan, workspace } = prepared
  const of = { workspace, collection: 'ranks', isComplete: isRankComplete } as const
  const unfinished = request.fresh ? null : await findUnfinished(of, { plan }, context)
  const otherwise = ', or start another ranking with --fresh'
  const { folder, lock } = await openBenchFolder({ ...of, unfinished, otherwise }, context)
  await using holding = lock
  await writePlan(folder, plan, findSigner(context.env))
  const skillFiles = await snapshotSkills(prepared.folders, scratch.path)
  await repairBenchmark(folder, plan, holding.context)
  context.emit({ ...(await createPlanReadyEvent(folder, prepared)), ...describeContenders(prepared) })
  let rank: Rank | null = null
  const write = async (soFar: RaceSoFar, stop: Stop | null) => {
    rank = await writeRank(folder, { prepared, request, soFar, stop }, holding.context)
  }
  await runRace({ prepared, skillFiles, folder, sandbox, request, write }, holding.context)
  if (rank === null) throw new Error('a ranking ended without a result')
  return { folder, rank }
}

function describeContenders({ of, contenders, plan }: PreparedRank) {
  const names = contenders.map(({ name }) => name).join(', ')
  return of === 'skills' ? { skill_name: names } : { skill_name: plan.skill.name, engine: names, model: null }
}

/** A plan, what it may cost, and why the real start would be refused. */
export interface ReviewedRank extends PreparedRank {
  review: CommandReview
  refusals: StartRefusal[]
  runs: RankEstimate
  /** Mean dollars of a run with its grading, over all contenders; null: unknown. */
  costPerRun: number | null
}

interface RankEstimate {
  most: number
  /** If one leads all others by the planned lead, and if all are equal. */
  expected: number
  expected_if_equal: number
}

/** For --dry-run: starts no agent and writes nothing. */
export async function planRank(request: RankRequest, context: FlowContext): Promise<ReviewedRank> {
  await using scratch = await openTempDir()
  const refusals: StartRefusal[] = []
  const where = { scratch: scratch.path, refuse: (reason: StartRefusal) => void refusals.push(reason) }
  const prepared = await prepareRank(request, context, where)
  const { review } = await checkContenders({ prepared, request, isDryRun: true }, where, context)
  const { design, cases, plan, contenders, workspace } = prepared
  const { judge } = plan.options
  const costs = await Promise.all(
    contenders.map(async ({ engine }) => {
      const found = await readHistory(
        workspace,
        { options: { engine, judge } },
        { collections: ['ranks', 'benchmarks'] },
      )
      const usd = found.mean('run', 'usd')
      return usd === null ? null : usd + (found.mean('grading', 'usd') ?? 0)
    }),
  )
  const known = costs.flatMap((cost) => cost ?? request.limits?.costPerRun ?? [])
  return {
    ...prepared,
    review,
    refusals,
    runs: {
      most: plan.runs.length,
      expected: expectedRaceRuns(design, { cases, lead: request.detect }),
      expected_if_equal: expectedRaceRuns(design, { cases, lead: 0 }),
    },
    costPerRun: known.length < costs.length ? null : known.reduce((sum, one) => sum + one, 0) / known.length,
  }
}

/** The checks of a benchmark, and those of the engines besides the first. */
async function checkContenders(
  { prepared, request, isDryRun }: { prepared: PreparedRank; request: RankRequest; isDryRun: boolean },
  { scratch, refuse }: { scratch: string; refuse: OnRefusal },
  context: FlowContext,
): Promise<{ sandbox: SandboxChoice; review: CommandReview }> {
  const { plan, contenders } = prepared
  const bench = { ...request, skill: '', baseline: null, runs: 1, cache: false }
  const ready = await checkStart(prepared, bench, { scratch, refuse, isDryRun }, context)
  for (const { engine } of contenders.slice(1)) {
    if (engine.name === 'auto' || canonicalJson(plan.options.engine) === canonicalJson(engine)) continue
    await preflight({ '--model': engine }, request.passEnv, context, refuse)
    await attemptStep(refuse, () => requirePricing({ ...plan.options, engine }, request.limits ?? noLimits, context))
    if (findEngine(engine.name).readsAbove !== false) await attemptStep(refuse, () => refuseStrayInstructions(scratch))
  }
  return ready
}

function isRankComplete(folder: string): boolean {
  return tryReadArtefact(rankSchema, rankPaths(folder).rank)?.complete === true
}

/** Writes rank.json, rank.md and rank.html; also of a race that has not ended, which they say. */
async function writeRank(
  folder: string,
  {
    prepared,
    request,
    soFar,
    stop,
  }: { prepared: PreparedRank; request: RankRequest; soFar: RaceSoFar; stop: Stop | null },
  context: FlowContext,
): Promise<Rank> {
  const { plan, of, design, cases } = prepared
  const isOpen = soFar.race.status === 'open'
  const built = buildRank(
    soFar.contenders,
    { race: soFar.race, design },
    {
      ...{ created_at: plan.created_at, of, suite: plan.suite.path, judge: plan.options.judge, cases, stop },
      skill: of === 'engines' ? plan.skill.name : null,
      power: request.maxRuns === null ? request.power : null,
      cost: soFar.cost,
      incomplete_reason: isOpen
        ? (stop?.reason ?? 'some runs have not ended or have no grade; the same command continues')
        : null,
      warnings: plan.warnings.map(({ file, message }) => `${file}: ${message}`),
    },
  )
  return await writeRankFiles(folder, built, context)
}

interface RaceRun {
  prepared: PreparedRank
  /** Files of each skill by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** The folder of the ranking, absolute. */
  folder: string
  sandbox: SandboxChoice
  request: RankRequest
  /** Called after each look, and at the end. */
  write: (soFar: RaceSoFar, stop: Stop | null) => Promise<void>
}

/** Throws the abort reason if interrupted at once; finished runs are kept. */
async function runRace(running: RaceRun, context: FlowContext): Promise<void> {
  const { prepared, folder, sandbox, skillFiles, request, write } = running
  const { plan, workspace } = prepared
  const named = nameContenderRuns(prepared, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(request) }, context)
  let soFar = readRace(folder, prepared, context)
  for (let isOpen = true; isOpen && soFar.race.next !== null; ) {
    const due = selectDue(prepared, soFar)
    const { isHalted } = await execute(
      {
        plan: { ...plan, runs: due },
        folder,
        skillFiles,
        passEnv: request.passEnv,
        hidden: listHiddenPaths(plan, workspace),
        sandbox,
        concurrency: request.concurrency,
        limited: limited && { ...limited, queue: queueInPairs(due) },
        pace: request.pace,
        queue: queueInPairs(due),
        ...noRunCache,
      },
      named,
    )
    context.signal.throwIfAborted()
    const before = soFar
    soFar = readRace(folder, prepared, context)
    sayLooks(before, soFar, { prepared, context })
    await write(soFar, limited?.stopped() ?? null)
    const hasScores = soFar.race.running.every(
      (one) => (soFar.contenders[one]?.runs ?? 0) > (before.contenders[one]?.runs ?? 0),
    )
    isOpen = !isHalted && !context.drain.aborted && hasScores && soFar.race.looks.length > before.race.looks.length
  }
  await write(soFar, limited?.stopped() ?? null)
}

/** The runs up to the next look, of the contenders that may still win. */
function selectDue({ plan, contenders }: PreparedRank, { race }: RaceSoFar): RunSpec[] {
  const running = new Set(race.running.flatMap((one) => contenders[one]?.folder ?? []))
  return plan.runs.filter((run) => run.run_number <= (race.next ?? 0) && running.has(contenderFolder(run)))
}

function nameContenderRuns({ contenders }: PreparedRank, context: FlowContext): FlowContext {
  const names = new Map(contenders.map(({ folder, name }) => [folder, name]))
  const emit = (event: FlowEvent) => {
    if (!('run_id' in event)) return context.emit(event)
    context.emit({ ...event, configuration: names.get(contenderFolder(event)) ?? event.configuration })
  }
  return { ...context, emit }
}

function sayLooks(
  before: RaceSoFar,
  { race }: RaceSoFar,
  { prepared, context }: { prepared: PreparedRank; context: FlowContext },
): void {
  const names = (places: readonly number[]) => places.flatMap((one) => prepared.contenders[one]?.name ?? [])
  for (const { blocks, running, stopped } of race.looks.slice(before.race.looks.length)) {
    const { next, status } = race
    context.emit({ type: 'rank_look', blocks, running: names(running), stopped: names(stopped), next, status })
  }
}
