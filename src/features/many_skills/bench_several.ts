/** bench for many skills, or one suite on several engines and models: one after another, then one index of all. */
import path from 'node:path'
import type { BenchmarkIndex } from '../../../schemas/benchmark_index.ts'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Stop } from '../../../schemas/limits.ts'
import { errorMessage, IncompleteError, UserError } from '../../base/errors/error.ts'
import type { PlanOutcome } from '../../cli/commands/bench/print_plans.ts'
import { type BenchManyRequest, type PlanOne, parseMatrix } from '../../cli/commands/bench/several.ts'
import { isJudgeList } from '../../engines/models/judge_choice.ts'
import { bench, planBench } from '../../flows/bench/bench.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { SharedBudgets } from '../../flows/limits/limits.ts'
import { throwRefusal } from '../../flows/prepare/preflight.ts'
import type { BenchRequest } from '../../flows/prepare/prepare_bench.ts'
import { planRules } from '../../phases/1-plan/check/rules/plan_rules.ts'
import { emptyShard } from '../../phases/1-plan/plan/select_shard.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { collectionFolder } from '../../store/paths.ts'
import { shareRuns } from './share_runs.ts'
import { type BenchOutcome, writeIndex } from './write_index.ts'

export interface BenchManyResult {
  /** The folder of index.html, absolute. */
  root: string
  index: BenchmarkIndex
  /** In the order they ran. */
  ends: BenchOutcome[]
}

/** One benchmark, with its own workspace. */
interface ManyEntry {
  skill: string
  cell: string | null
  request: BenchRequest
}

/**
 * Benchmarks all skills; one that fails does not stop the others, one that is unchanged since the baseline or has no case in the shard is left out. Throws UserError
 * before any run for a mistake in their shared settings, for a skill that can't start and if all are unchanged, and the abort reason if interrupted. After `drain` the
 * rest is left out of the index.
 */
export async function benchMany(
  asked: BenchManyRequest,
  context: FlowContext,
  benchOne = bench,
): Promise<BenchManyResult> {
  const { root, all, judge, comparisons } = await expandRequest(asked, context)
  if (!comparisons && all.length > 1) await refuseUnstartable(all, context)
  const { limits } = asked
  const budgets = limits === undefined ? {} : { budgets: new SharedBudgets(limits) }
  const ends: BenchOutcome[] = []
  let stopped: Stop | undefined
  for (const one of all) {
    if (context.drain.aborted) break
    const others = comparisons ? ends.flatMap((end) => listSharedFolders(end, one)) : []
    const share: BenchRequest['shareRuns'] = (own) => shareRuns(others, own)
    const shared = { ...one, request: { ...one.request, ...budgets, shareRuns: share } }
    const end = await benchEntry(shared, context, stopped === undefined ? benchOne : refuseAfterStop(stopped))
    if (end === null) continue
    ends.push(end)
    if (end.status === 'benched') stopped ??= end.result.benchmark.metadata.stopped
  }
  if (ends.length === 0 && !context.drain.aborted) refuseUnchanged(asked)
  const calibrations = asked.calibrate === true
  const place = calibrations ? collectionFolder(root, 'calibrations') : root // does not overwrite the index of benchmarks
  const index = await writeIndex(place, { ends, judge, now: context.now(), calibrations, comparisons })
  return { root: place, index, ends }
}

/** Throws UserError with what would refuse any of them, such as a missing suite, before one of them is paid for. */
async function refuseUnstartable(all: readonly ManyEntry[], context: FlowContext): Promise<void> {
  const silent = { ...context, emit: () => {} }
  let refused = 0
  for (const one of all) {
    const error = await planBench(one.request, silent, throwRefusal).then(
      () => null,
      (reason: unknown) => reason,
    )
    if (error === null || isUnchanged(error)) continue
    if (!(error instanceof UserError)) throw error
    context.emit(toSkillFailedEvent(error, nameEntry(one)))
    refused += 1
  }
  const fix = 'fix the skills above, or leave them out of the command'
  if (refused > 0) throw new UserError(`${refused} of ${all.length} benchmarks can't start, so none did`, fix)
}

function isUnchanged(error: unknown): error is UserError {
  return error instanceof UserError && (error.code === planRules.sameVersions.id || error.code === emptyShard)
}

function nameEntry({ skill, cell }: ManyEntry): { skill: string; cell?: string } {
  return { skill, ...(cell === null ? {} : { cell }) }
}

/** The benchmark's folder if it is of the same skill. */
function listSharedFolders(end: BenchOutcome, { skill }: ManyEntry): string[] {
  return end.status === 'benched' && end.skill === skill ? [end.result.folder] : []
}

/** Throws UserError. */
function refuseUnchanged({ baseline, shard }: BenchManyRequest): never {
  if (shard)
    throw new UserError(
      `--shard ${shard.index}/${shard.of}: no skill has a case for it`,
      'use fewer shards, or name more skills',
      emptyShard,
    )
  throw new UserError(
    `--baseline ${baseline}: every skill is unchanged`,
    'edit one, or name an older version',
    planRules.sameVersions.id,
  )
}

/** Of several skills, one without a change or without a case in the shard is normal, such as in CI. */
function passOverUnchanged(error: unknown, { request }: ManyEntry, context: FlowContext): boolean {
  if (!isUnchanged(error)) return false
  const place = path.relative(process.cwd(), request.skill) || '.'
  context.emit({ type: 'place_passed_over', place, reason: error.message })
  return true
}

/** A limit that stops one stops all, since they share the limits. */
function refuseAfterStop({ reason }: Stop) {
  return (): never => {
    throw new IncompleteError(`not started: ${reason}`, 'run the same command with a larger limit to continue')
  }
}

/** The plans alone, for --dry-run: starts and writes nothing. A failed plan does not stop the others. */
export async function planBenchMany(
  asked: BenchManyRequest,
  planOne: PlanOne,
  context: FlowContext,
): Promise<PlanOutcome[]> {
  const { all, comparisons } = await expandRequest(asked, context)
  const plans: PlanOutcome[] = []
  const paid = new Map<string, Set<string>>()
  for (const one of all) {
    const { skill, cell } = one
    const paidElsewhere = paid.get(skill) ?? new Set()
    const request = comparisons ? { ...one.request, paidElsewhere } : one.request
    try {
      const plan = await planOne(request, context)
      plans.push({ status: 'planned', skill, cell, plan })
      paid.set(skill, new Set([...paidElsewhere, ...(plan?.plan.runs ?? []).map(({ key }) => key)]))
    } catch (error) {
      context.signal.throwIfAborted()
      if (passOverUnchanged(error, one, context)) continue
      context.emit(toSkillFailedEvent(error, nameEntry(one)))
      plans.push({ status: 'failed', skill, cell, error })
    }
  }
  if (plans.length === 0) refuseUnchanged(asked)
  return plans
}

async function expandRequest(asked: BenchManyRequest, context: FlowContext) {
  const comparisons = listComparisons(asked)
  const cells = asked.matrix === null ? [] : parseMatrix(asked.matrix)
  if (cells.length > 0 && (asked.engine !== 'auto' || asked.model !== null)) {
    throw new UserError('--matrix with --engine or --model', 'use one of them')
  }
  const variants = [...comparisons, ...cells.map(({ text, folder }) => ({ text, folder, change: { engine: text } }))]
  const { root, all } = await spread(asked, variants)
  const isCompared = comparisons.length > 0
  // the first comparison is paid for before the others are planned
  if (isCompared) for (const { request } of all) await planBench(request, context)
  if (variants.length === 0 || isCompared) return { root, all, judge: null, comparisons: isCompared }
  const judge = await chooseMatrixJudge(
    all.map(({ request }) => request),
    context,
  )
  return { root, judge, comparisons: false, all: all.map((one) => ({ ...one, request: { ...one.request, judge } })) }
}

/** null: it is unchanged since the baseline. */
async function benchEntry(one: ManyEntry, context: FlowContext, benchOne: typeof bench): Promise<BenchOutcome | null> {
  const { skill, cell, request } = one
  const of = nameEntry(one)
  try {
    const result = await benchOne(request, { ...context, emit: (event) => context.emit({ ...event, ...of }) })
    return { status: 'benched', skill, cell, result }
  } catch (error) {
    context.signal.throwIfAborted()
    if (passOverUnchanged(error, one, context)) return null
    context.emit(toSkillFailedEvent(error, of))
    return { status: 'failed', skill, cell, error }
  }
}

function toSkillFailedEvent(error: unknown, of: { skill: string; cell?: string }): FlowEvent {
  const fix = error instanceof UserError || error instanceof IncompleteError ? error.fix : null
  return { type: 'skill_failed', ...of, message: errorMessage(error), fix }
}

/** Every skill × every variant, each with its own workspace: `<root>/<skill>/<variant>`; with one skill, its workspace is the root. */
async function spread(
  asked: BenchManyRequest,
  variants: readonly Variant[],
): Promise<{ root: string; all: ManyEntry[] }> {
  const { skills, matrix: _, wholePlugin: __, alone: ___, each, ...shared } = asked
  const places = [...new Set(skills.map((skill) => path.resolve(skill)))]
  const names = await Promise.all(places.map(readNameOrFolder))
  // without path separators
  const folders = numberDuplicates(names.map((name) => (/^(?!\.)[\w.-]+$/.test(name) ? name : slug(name) || 'skill')))
  const [only = ''] = folders
  const base = path.resolve(asked.workspace ?? 'workspaces')
  const isSingle = places.length === 1
  const root = isSingle && asked.workspace === null ? path.join(base, only) : base
  const all = places.flatMap((place, at): ManyEntry[] => {
    const workspace = isSingle ? root : path.join(root, folders[at] ?? '')
    const name = names[at] ?? place
    const skill = names.indexOf(name) === at ? name : (folders[at] ?? name) // duplicate names get the workspace's name
    const request = { ...shared, ...each?.get(place), skill: place, workspace }
    if (variants.length === 0) return [{ skill, cell: null, request }]
    return variants.map(({ text: cell, folder, change }) => ({
      skill,
      cell,
      request: { ...request, ...change, workspace: path.join(workspace, folder) },
    }))
  })
  return { root, all }
}

/** The skill's name; if unreadable, the folder's name (its benchmark reports why). */
async function readNameOrFolder(place: string): Promise<string> {
  const folder = path.basename(place) === 'SKILL.md' ? path.dirname(place) : place
  return readSkill(folder).then(
    ({ skill }) => skill.name,
    () => path.basename(place),
  )
}

/** Duplicate names get -2, -3, … in the order given. */
function numberDuplicates(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`
    taken.add(free)
    return free
  })
}

/** One benchmark of several of a skill: an engine of a matrix, or a pair of configurations. */
interface Variant {
  /** As shown in the index. */
  text: string
  /** The variant's workspace folder; the same variant has the same folder each time. */
  folder: string
  change: Partial<BenchRequest>
}

interface ComparisonWish extends Pick<BenchRequest, 'among' | 'baseline' | 'until' | 'calibrate'> {
  wholePlugin?: boolean | undefined
  alone?: boolean | undefined
  matrix: string | null
}

/** In the order in which they run; empty: one comparison only. Throws UserError for settings that exclude each other. */
function listComparisons(asked: ComparisonWish): Variant[] {
  const { wholePlugin = false, alone = false, among = [] } = asked
  if (alone && among.length === 0) throw new UserError('--alone without --among', 'name the other skills with --among')
  if (!wholePlugin && !alone) return []
  const flag = wholePlugin ? '--whole-plugin' : '--alone'
  if (wholePlugin && alone)
    throw new UserError('--whole-plugin with --alone', 'benchmark the plugin and the neighbours one after the other')
  for (const [name, given] of Object.entries({
    '--matrix': asked.matrix !== null,
    '--baseline': asked.baseline !== null,
    '--until': Boolean(asked.until),
    '--calibrate': asked.calibrate === true,
  })) {
    if (given)
      throw new UserError(
        `${flag} with ${name}: ${flag} compares three configurations of one version on one engine, each with a fixed number of runs`,
        `leave out ${name}, or ${flag}`,
      )
  }
  if (wholePlugin) return buildComparisons('whole plugin', { kind: 'plugin' })
  return buildComparisons('with neighbours', { kind: 'neighbours', among }, { among: [] })
}

type Wish = { kind: 'plugin' } | { kind: 'neighbours'; among: readonly string[] }

/** The first has all runs but those of the third configuration; the last has none of its own. */
function buildComparisons(name: string, wish: Wish, change: Partial<BenchRequest> = {}): Variant[] {
  const folder = name.replace(' ', '-')
  return [
    { text: 'skill alone against none', folder: 'skill-alone', change: { ...change, addition: null } },
    { text: `${name} against none`, folder, change: { ...change, addition: { ...wish, against: 'without_skill' } } },
    {
      text: `${name} against skill alone`,
      folder: `${folder}-and-skill-alone`,
      change: { ...change, addition: { ...wish, against: 'skill_alone' } },
    },
  ]
}

/**
 * The judge of every cell: the named one, else the default of the first plan that needs a judge; null where none needs one. Skips
 * `requests` that fail to plan: their own benchmark reports why.
 */
async function chooseMatrixJudge(requests: readonly BenchRequest[], context: FlowContext): Promise<string | null> {
  for (const request of requests) {
    // each cell might choose a different judge from a list
    if (request.judge !== null && !isJudgeList(request.judge)) return request.judge
    const prepared = await planBench(request, context).catch((error: unknown) => {
      if (error instanceof UserError) return null
      throw error
    })
    const judge = prepared?.plan.options.judge
    if (judge) return [judge.name, judge.model].filter(Boolean).join(':')
  }
  return null
}
