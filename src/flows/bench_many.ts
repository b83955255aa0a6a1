/** bench of several: many skills, or one suite on several engines and models; one after another, then one index over all. */
import path from 'node:path'
import type { BenchmarkIndex } from '../../schemas/benchmark_index.ts'
import type { FlowEvent } from '../../schemas/flow_event.ts'
import type { Stop } from '../../schemas/limits.ts'
import { IncompleteError, messageOf, UserError } from '../base/error.ts'
import { readSkill } from '../phases/1-plan/skill.ts'
import { slug } from '../phases/1-plan/slug.ts'
import { collectionFolder } from '../store/paths.ts'
import { bench } from './bench.ts'
import type { FlowContext } from './context.ts'
import { type MatrixCell, matrixCells, oneJudge } from './matrix.ts'
import type { BenchRequest } from './prepare.ts'
import { Purses } from './purses.ts'
import type { BenchResult } from './summarize.ts'
import { writeIndex } from './write_index.ts'

/** A bench request for each of several skills. `workspace`: the folder that gets one folder a skill. */
export interface ManyRequest extends Omit<BenchRequest, 'skill'> {
  skills: readonly string[]
  /** engine:model,engine:model; null: the request's own engine. */
  matrix: string | null
  /** What is asked of each skill where that differs, by its absolute path; its workspace and limits are those of all. */
  each?: ReadonlyMap<string, Omit<BenchRequest, 'skill'>>
}

/** How one of them ended. */
export type OneEnd =
  | { status: 'benched'; skill: string; cell: string | null; result: BenchResult }
  | { status: 'failed'; skill: string; cell: string | null; error: unknown }

export interface ManyResult {
  /** The folder of index.html, absolute. */
  root: string
  index: BenchmarkIndex
  /** In the order they were benched. */
  ends: OneEnd[]
}

/** One of them, with the workspace of its own. */
interface One {
  skill: string
  cell: string | null
  request: BenchRequest
}

/**
 * Benches all; one that can't be benched stops no other. Throws UserError for a mistake in what they share, and the
 * abort reason when cut short. After `drain` the rest is left out of the index.
 */
export async function benchMany(asked: ManyRequest, context: FlowContext, benchOne = bench): Promise<ManyResult> {
  const { root, all, judge } = await setUp(asked, context)
  const { limits } = asked
  const purses = limits === undefined ? {} : { purses: new Purses(limits) }
  const ends: OneEnd[] = []
  let stopped: Stop | undefined
  for (const one of all) {
    if (context.drain.aborted) break
    const shared = { ...one, request: { ...one.request, ...purses } }
    const end = await endOf(shared, context, stopped === undefined ? benchOne : notStarted(stopped))
    ends.push(end)
    if (end.status === 'benched') stopped ??= end.result.benchmark.metadata.stopped
  }
  const calibrations = asked.calibrate === true
  const place = calibrations ? collectionFolder(root, 'calibrations') : root // the index of benchmarks stays
  const index = await writeIndex(place, { ends, judge, now: context.now(), calibrations })
  return { root: place, index, ends }
}

/** What ended one ends all: they share the limits. */
function notStarted({ reason }: Stop) {
  return (): never => {
    throw new IncompleteError(`not started: ${reason}`, 'the same command with a larger limit goes on')
  }
}

/** How the planning of one of them ended;  */
export type OnePlan<P> =
  | { status: 'planned'; skill: string; cell: string | null; plan: P }
  | { status: 'failed'; skill: string; cell: string | null; error: unknown }

/** The plans alone, for --dry-run: nothing is started, nothing written. One that can't be planned stops no other. */
export async function planMany<P>(
  asked: ManyRequest,
  context: FlowContext,
  planOne: (request: BenchRequest, context: FlowContext) => Promise<P>,
): Promise<OnePlan<P>[]> {
  const { all } = await setUp(asked, context)
  const plans: OnePlan<P>[] = []
  for (const { skill, cell, request } of all) {
    const of = { skill, ...(cell === null ? {} : { cell }) }
    try {
      plans.push({ status: 'planned', skill, cell, plan: await planOne(request, context) })
    } catch (error) {
      context.signal.throwIfAborted()
      context.emit(failureOf(error, of))
      plans.push({ status: 'failed', skill, cell, error })
    }
  }
  return plans
}

async function setUp(asked: ManyRequest, context: FlowContext) {
  const cells = asked.matrix === null ? [] : matrixCells(asked.matrix)
  if (cells.length > 0 && (asked.engine !== 'auto' || asked.model !== null)) {
    throw new UserError('--matrix names engines and models, and so does --engine or --model', 'give one of them')
  }
  const { root, all } = await spread(asked, cells)
  if (cells.length === 0) return { root, all, judge: null }
  const judge = await oneJudge(
    all.map(({ request }) => request),
    context,
  )
  return { root, judge, all: all.map((one) => ({ ...one, request: { ...one.request, judge } })) }
}

async function endOf(one: One, context: FlowContext, benchOne: typeof bench): Promise<OneEnd> {
  const { skill, cell, request } = one
  const of = { skill, ...(cell === null ? {} : { cell }) }
  try {
    const result = await benchOne(request, { ...context, emit: (event) => context.emit({ ...event, ...of }) })
    return { status: 'benched', skill, cell, result }
  } catch (error) {
    context.signal.throwIfAborted()
    context.emit(failureOf(error, of))
    return { status: 'failed', skill, cell, error }
  }
}

function failureOf(error: unknown, of: { skill: string; cell?: string }): FlowEvent {
  const fix = error instanceof UserError || error instanceof IncompleteError ? error.fix : null
  return { type: 'skill_failed', ...of, message: messageOf(error), fix }
}

/** Every skill × every cell, each with its workspace: `<root>/<skill>/<cell>`; a single skill's root is its own workspace. */
async function spread(asked: ManyRequest, cells: readonly MatrixCell[]): Promise<{ root: string; all: One[] }> {
  const { skills, matrix: _, each, ...shared } = asked
  const places = [...new Set(skills.map((skill) => path.resolve(skill)))]
  const names = await Promise.all(places.map(nameOf))
  const folders = distinct(names.map(folderName))
  const [only = ''] = folders
  const base = path.resolve(asked.workspace ?? 'workspaces')
  const isSingle = places.length === 1
  const root = isSingle && asked.workspace === null ? path.join(base, only) : base
  const all = places.flatMap((place, at): One[] => {
    const workspace = isSingle ? root : path.join(root, folders[at] ?? '')
    const name = names[at] ?? place
    const skill = names.indexOf(name) === at ? name : (folders[at] ?? name) // a namesake by its workspace: rows and events are told apart
    const request = { ...shared, ...each?.get(place), skill: place, workspace }
    if (cells.length === 0) return [{ skill, cell: null, request }]
    return cells.map(({ text: engine, folder }) => ({
      skill,
      cell: engine,
      request: { ...request, engine, workspace: path.join(workspace, folder) },
    }))
  })
  return { root, all }
}

/** The skill's name; of what can't be read, the folder's name (its bench says why). */
async function nameOf(place: string): Promise<string> {
  const folder = path.basename(place) === 'SKILL.md' ? path.dirname(place) : place
  return readSkill(folder).then(
    ({ skill }) => skill.name,
    () => path.basename(place),
  )
}

/** A name that is no path. */
function folderName(name: string): string {
  return /^(?!\.)[\w.-]+$/.test(name) ? name : slug(name) || 'skill'
}

/** Two of one name get -2, -3, … in the order given. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`
    taken.add(free)
    return free
  })
}
