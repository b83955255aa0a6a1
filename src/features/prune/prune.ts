/** prune: finds out what each unit of a skill changes and costs, and whether the skill without the others is as good and cheaper. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type DietCertification, type Prune, pruneReport } from '../../../schemas/prune.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { hashWalk } from '../../base/fs/files.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { authorizeCommands } from '../../flows/authorize/suite_commands.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { readBenchmarkSpending } from '../../flows/limits/limited_bench.ts'
import { refuseUnwritableWorkspace } from '../../flows/prepare/check_start.ts'
import { benchVersions, StepStopped, type VersionsPlace } from '../../flows/versions/bench_versions.ts'
import {
  diffSkillFiles,
  readSkillTexts,
  readVersionFiles,
  writeVersion,
  writeVersionFiles,
} from '../../flows/versions/replace_skill.ts'
import { clearLeftovers, lockBenchmark, removeEmptyFoldersAtEnd } from '../../flows/workspace/benchmark_lock.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { pairCases } from '../../phases/4-report/acceptance/compare_held_out.ts'
import { formatInterval, formatPlural, formatRates } from '../../phases/4-report/text/format.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { prunesFolder } from '../../store/paths.ts'
import { findSigner, isSignedFile, type ResultSigner, writeSigned } from '../../store/signing/signer.ts'
import type { PruneRequest } from './open_prune.ts'
import { checkPruneStart, openPrune, type PruneSession, prunePaths, roundUp } from './open_prune.ts'
import { type Screening, screenUnits } from './screen_units.ts'
import { certifyDiet } from './stats/certify_diet.ts'
import { isDropped, nonInferiorityRuns, savingRuns, type UnitVerdict } from './stats/screening_power.ts'
import type { ScreeningFit } from './stats/unit_effects.ts'
import { leaveOut } from './units/leave_out.ts'

export interface PruneResult {
  workspace: string
  /** Its folder, absolute. */
  folder: string
  prune: Prune
}

/** Throws UserError before any paid call, and the abort reason if interrupted. The same call continues what a limit or Ctrl-C stopped. */
export async function prune(request: PruneRequest, context: FlowContext): Promise<PruneResult> {
  await clearLeftovers(context)
  const opened = await openPrune(request, context)
  const { workspace, paths } = opened.session
  refuseUnwritableWorkspace(workspace)
  await using _empty = removeEmptyFoldersAtEnd(workspace)
  await using lock = await lockBenchmark(workspace, context)
  const before = readEarlier(paths.result, findSigner(context.env))
  if (before?.ended_at) return { workspace, folder: paths.folder, prune: before }
  if (before === null && request.applies) refuseChanged(workspace)
  await authorizeCommands(opened.review, lock.context)
  const session = trustSuite(opened.session)
  const { plan } = await checkPruneStart(session, lock.context)
  const { engine, judge } = plan.options
  const started: Prune = {
    ...{ schema_version: 1, created_at: before?.created_at ?? context.now().toISOString() },
    ...{ skill_name: session.skill.name, skill_sha256: session.skill.sha256, seed: request.seed },
    engine: [engine.name, engine.model].filter((one) => one !== null).join(':'),
    judge: judge === null ? null : judgeName(judge),
    ...{ split: session.split, plan: session.plan, units: session.units },
    ...{ screening: null, dropped: [], pruned_sha256: null, certification: null, usd: null, stopped: null },
    ...{ sentence: '', ended_at: null },
  }
  await mkdir(paths.folder, { recursive: true })
  if (!existsSync(path.join(paths.full, 'SKILL.md')))
    await writeVersion((await listSkillFiles(session.skill.path)).files, paths.full)
  return { workspace, folder: paths.folder, prune: await runPrune(session, started, lock.context) }
}

/** null: it has not started. Throws UserError if it can't be read or is somebody else's: to start again would pay for its runs twice. */
function readEarlier(file: string, signer: ResultSigner): Prune | null {
  const before = tryReadArtefact(pruneReport, file)
  const isOwn = isSignedFile(file, signer)
  if ((before !== null && isOwn) || !existsSync(file)) return before
  throw new UserError(
    `${file}: ${before === null ? 'damaged' : 'no signature of yours'}`,
    `restore it, or delete ${path.dirname(file)}: the prune then starts again and pays for its runs again`,
  )
}

/** Throws UserError if the workspace has a finished prune: the user means to apply that one, and would pay for another. */
function refuseChanged(workspace: string): void {
  const other = readNames(prunesFolder(workspace)).find((name) => {
    return tryReadArtefact(pruneReport, prunePaths(workspace, name).result)?.ended_at
  })
  if (other === undefined) return
  throw new UserError(
    `--apply: the skill, its suite or a setting has changed since the prune in ${prunePaths(workspace, other).folder}`,
    'restore what has changed, or run the same command without --apply: it starts a new prune',
  )
}

/** The user has agreed to the suite's commands for all versions. */
function trustSuite(session: PruneSession): PruneSession {
  const { request } = session
  const { sandbox } = request.bench
  const wish = sandbox ?? { mode: 'auto' as const, network: null, readable: [] }
  return { ...session, request: { ...request, bench: { ...request.bench, sandbox: { ...wish, trusted: true } } } }
}

async function runPrune(session: PruneSession, started: Prune, context: FlowContext): Promise<Prune> {
  let made = started
  const record = async (changes: Partial<Prune>) => {
    made = { ...made, ...changes }
    made = { ...made, sentence: describePrune(made), usd: await sumCosts(session, made) }
    await writeSigned(pruneReport, { file: session.paths.result }, { value: made, signer: findSigner(context.env) })
  }
  const say = (step: 'screen' | 'screened' | 'certify', message: string) =>
    context.emit({ type: 'improve_step', round: 0, step, version: null, message })
  const { request, workspace, skill, budgets, plan, split, free } = session
  const place: VersionsPlace = { bench: request.bench, workspace, skill, budgets, since: started.created_at }
  await record({})
  try {
    say(
      'screen',
      `screening ${formatPlural(free.length, 'unit')}: ${plan.screening_runs} runs on ${formatPlural(split.train.length, 'training case')}, each without a random half of the units`,
    )
    const screening = await screenUnits(session, place, context)
    const dropped = free.filter((_, at) => isDropped(screening.verdicts[at] ?? 'open'))
    await record({ screening: screening.shown, dropped: dropped.map(({ id }) => id) })
    if (dropped.length > 0) {
      say(
        'screened',
        `${dropped.length} of ${free.length} units show no effect or harm: the shorter skill leaves them out`,
      )
      await record({ pruned_sha256: await writePruned(session, dropped) })
      const pairs = planPairs(session, screening)
      say(
        'certify',
        `certification: ${2 * pairs * split.held_out.length} fresh runs on ${formatPlural(split.held_out.length, 'held-out case')}, half with the shorter skill`,
      )
      await record({ certification: await certifyPruned(session, { place, pairs }, context) })
    }
    await record({ ended_at: context.now().toISOString() })
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof StepStopped)) throw error
    const { kind, message } = error
    await record({ stopped: { kind: kind === 'proposer' ? 'interrupted' : kind, message } })
  }
  return made
}

function planPairs({ plan, split }: PruneSession, { fit, verdicts, cost }: Screening): number {
  const step = 2 * split.held_out.length
  const runs = sizeDiet({ fit, verdicts, cost, margin: plan.margin, most: plan.certification_runs, heldOut: step / 2 })
  return Math.min(plan.certification_runs, roundUp(Math.max(2 * step, runs), step)) / step
}

async function writePruned({ paths }: PruneSession, dropped: PruneSession['free']): Promise<string> {
  const files = await readVersionFiles((await listSkillFiles(paths.full)).files)
  await writeVersionFiles(await leaveOut(files, dropped), paths.pruned)
  const diff = diffSkillFiles(await readSkillTexts(paths.full), await readSkillTexts(paths.pruned))
  await writeAtomic(paths.diff, `${diff.map(({ path: name, lines }) => [name, ...lines].join('\n')).join('\n\n')}\n`)
  return await hashWalk((await listSkillFiles(paths.pruned)).files)
}

async function sumCosts({ workspace }: PruneSession, { screening, certification }: Prune): Promise<number | null> {
  const folders = [screening, certification].flatMap((one) =>
    one === null ? [] : [path.join(workspace, one.benchmark)],
  )
  const lines = (await Promise.all(folders.map((folder) => readBenchmarkSpending(folder)))).flat()
  const known = lines.flatMap(({ usd }) => usd ?? [])
  return known.length < lines.length || lines.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}

/** The result of a prune in one sentence, the verdict first. */
function describePrune({ stopped, screening, certification, dropped, plan, ended_at }: Prune): string {
  if (certification !== null) return describeDiet(certification, { dropped: dropped.length, units: plan.units })
  if (stopped !== null) return `Not ended: ${stopped.message}.`
  if (ended_at === null) return screening === null ? 'The screening has not ended.' : 'The certification has not ended.'
  return `Nothing to leave out: each of ${formatPlural(plan.units, 'unit')} helps, or a loss of ${Math.round(100 * plan.detect)} points without it is not ruled out.`
}

function describeDiet(
  { result, reason, full, pruned, difference, cost, n_cases, n_runs }: NonNullable<Prune['certification']>,
  { dropped, units }: { dropped: number; units: number },
): string {
  if (full === null || pruned === null || difference === null) return `Not shown to be as good and cheaper: ${reason}.`
  const rates = formatRates(pruned, full)
  const rate = `pass rate ${rates.candidate} without ${dropped} of ${formatPlural(units, 'unit')}, ${rates.baseline} with all: ${rates.difference} points, ${formatInterval(difference, 0.05)} (${formatPlural(n_cases, 'case')}, ${formatPlural(n_runs, 'run')})`
  if (result === 'kept_full') return `Not shown to be as good and cheaper: ${rate}; ${reason}. The whole skill stays.`
  const ratio = cost === null ? '' : `; ${cost.unit === 'usd' ? 'cost' : 'tokens'} × ${cost.ratio.toFixed(2)}`
  const most = cost?.upper_bound == null ? '' : `, at most × ${cost.upper_bound.toFixed(2)}`
  return `As good and cheaper: ${rate}${ratio}${most}; ${reason}.`
}

/** `pairs`: of each held-out case. Throws StepStopped if a limit ends it. */
async function certifyPruned(
  { paths, split, plan }: PruneSession,
  { place, pairs }: { place: VersionsPlace; pairs: number },
  context: FlowContext,
): Promise<DietCertification> {
  const { folder, benchmark } = await benchVersions(
    place,
    {
      ...{ candidate: paths.pruned, against: paths.full, isSearch: false },
      cases: split.held_out,
      runs: pairs,
      choose: (_, planned) => planned,
    },
    context,
  )
  const cases = pairCases(benchmark, { candidate: 'new_skill', baseline: 'old_skill' })
  return certifyDiet({
    ...{ benchmark: folder, cases, margin: plan.margin },
    missing: benchmark.statistics?.missing_grades,
  })
}

interface DietSize {
  /** Of the scores. */
  fit: ScreeningFit
  verdicts: readonly UnitVerdict[]
  /** Of the dollars or tokens of the same runs; null: unknown. */
  cost: ScreeningFit | null
  margin: number
  /** Runs planned, the most. */
  most: number
  heldOut: number
}

/** Below this, a test is at the mercy of a few runs. */
const fewest = 40

/**
 * By the variance that the screening saw, what leaving out units that harm gains at least, and what it saves. The saving is an estimate
 * on training cases; if it is none, nothing shorter would be kept, and the fewest runs show that.
 */
export function sizeDiet({ fit, verdicts, cost, margin, most, heldOut }: DietSize): number {
  const harm = fit.effects.filter((_, unit) => verdicts[unit] === 'harms')
  const gain = harm.reduce((sum, { high }) => sum + Math.max(0, -high), 0)
  let pairs = 2
  // the test itself counts a case whose runs all agree with this variance
  const variance = () => Math.max(fit.variance, 2 / (pairs + 2) ** 2)
  const runs = () => 2 * pairs * heldOut
  while (runs() < most && runs() < nonInferiorityRuns(margin, { gain, variance: variance() })) pairs += 1
  return Math.max(Math.min(fewest, most), Math.min(most, Math.max(runs(), runsForCost(cost, verdicts))))
}

function runsForCost(cost: ScreeningFit | null, verdicts: readonly UnitVerdict[]): number {
  if (cost === null || cost.mean <= 0) return 0
  const dropped = cost.effects.filter((_, unit) => verdicts[unit] === 'none' || verdicts[unit] === 'harms')
  const saved = dropped.reduce((sum, { mean }) => sum + mean, 0)
  return saved <= 0 ? 0 : savingRuns(Math.min(0.9, saved / cost.mean), Math.sqrt(cost.variance) / cost.mean)
}
