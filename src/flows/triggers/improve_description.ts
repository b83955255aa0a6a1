/** improve --description: searches a description on some of the queries, and keeps it only if it is better on the others. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Description, description as descriptionSchema } from '../../../schemas/description.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import { writeAtomic } from '../../base/durable.ts'
import { UserError } from '../../base/error.ts'
import { redactorFor } from '../../base/redact.ts'
import { openRoom, reapRooms } from '../../base/room.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { seeded } from '../../phases/4-report/stats/random.ts'
import { tidied, withDescription } from '../../phases/5-improve/description/edit.ts'
import { splitQueries } from '../../phases/5-improve/description/split.ts'
import { writeArtefact } from '../../store/store.ts'
import { autoEngine } from '../auto_engine.ts'
import type { FlowContext } from '../context.ts'
import { holdBenchmark } from '../hold.ts'
import { judgeOpener } from '../judge_opener.ts'
import { openPace } from '../pace.ts'
import { preflight } from '../preflight.ts'
import { Purses } from '../purses.ts'
import { hiddenFrom, withSandbox } from '../start_sandbox.ts'
import { askedOf as queriesOf } from './ask.ts'
import { compareDescriptions, type DescribeSession, measureDescription } from './describe_session.ts'
import { descriptionOf } from './description_file.ts'
import { type PreparedTriggers, prepareTriggers, type TriggersRequest } from './prepare_triggers.ts'
import { type Asker, proposeDescription, type Tried, tell } from './propose_description.ts'
import { searchDescription } from './search.ts'
import { fileOf, newestSearch, openMemory } from './search_memory.ts'
import { startAsking } from './triggers.ts'

export interface DescriptionRequest extends Omit<TriggersRequest, 'fresh'> {
  /** engine[:model]; null: that of the runs where it can be asked. */
  proposer: string | null
  /** Proposals at most. */
  rounds: number
  /** Of each query with each description in the last comparison. */
  testRuns: number
  alpha: number
  seed: number
  /** Write SKILL.md where the proposal is accepted. */
  apply: boolean
  /** Go on with the newest search of the workspace, or apply what it found. */
  resume: boolean
}

export interface DescriptionResult {
  /** The folder of the session, absolute. */
  folder: string
  /** description.json, absolute. */
  file: string
  description: Description
}

/** Fewer of a kind of query say nothing. */
const fewest = 2

/** SKILL.md stays as it is unless that is asked for. Throws UserError or IncompleteError, and the abort reason when cut short. */
export async function improveDescription(
  request: DescriptionRequest,
  context: FlowContext,
): Promise<DescriptionResult> {
  await reapRooms()
  await using scratch = await openRoom()
  const loaded = await prepareTriggers({ ...request, fresh: true }, context, false)
  const { skill } = loaded.plan
  const skillFile = path.join(skill.path, 'SKILL.md')
  const source = await readFile(skillFile, 'utf8')
  if (withDescription(source, skill.description) === null)
    throw new UserError(
      `${skillFile}: its description is no plain text in the frontmatter`,
      'write it as description: "…"',
    )
  const before = request.resume ? await newestSearch(loaded.workspace) : null
  if (before !== null && before.ended !== null) {
    return await appliedLater({ ...before, ended: before.ended }, { request, skillFile })
  }
  const split = splitQueries(queriesOf(loaded.set), seeded(request.seed))
  refuseThin(loaded, split)
  const { engine } = loaded.plan.options
  const proposer = await autoEngine(context, false).judge(request.proposer, engine, loaded.choices)
  const sandbox = await startAsking(request, { prepared: loaded, scratch: scratch.path }, context)
  await preflight({ '--proposer': proposer }, request.passEnv, context)
  const prepared = { ...loaded, plan: withSandbox(loaded.plan, sandbox) }
  const { workspace } = loaded
  const asked = askedFor(request, loaded, proposer)
  const memory = await openMemory({ workspace, before: before?.folder ?? null, asked }, context)
  const { folder } = memory
  await using held = await holdBenchmark(folder, context)
  // one purse for all measurements
  const wish = { ...request, purses: request.purses ?? new Purses(request.limits) }
  const session: DescribeSession = {
    prepared,
    wish,
    testRuns: request.testRuns,
    sandbox,
    folder,
    scratch: scratch.path,
  }
  using pace = openPace(request.pace, held.context)
  const { passEnv } = request
  const hidden = hiddenFrom(prepared.plan, loaded.workspace)
  const openJudge = await judgeOpener(
    { choice: proposer, passEnv, hidden, sandbox: request.sandbox, pace },
    held.context,
  )
  const asker: Asker = { openJudge, skill: source, prepared }
  const end = await searchDescription<NonNullable<Tried['train']>[number]>({
    original: tidied(skill.description),
    rounds: request.rounds,
    alpha: request.alpha,
    seed: request.seed,
    measure: async (description, round) => {
      const asked = { description, ids: split.train, name: `train-${round}` }
      const { results } = await measureDescription(session, asked, held.context)
      tell(held.context, { round, description, train: results, refused: null })
      return results
    },
    propose: async (best, attempts) =>
      await memory.proposal(attempts.length, () => proposeDescription(asker, { best, attempts }, held.context)),
    compare: async (before, after) => {
      const both = await compareDescriptions(session, { before, after, ids: split.test }, held.context)
      return { before: both.before.results, after: both.after.results }
    },
  })
  const applied = request.apply && end.accepted
  if (applied) await applyTo(skillFile, { source, description: end.best.description })
  const spent = memory.proposals().map((one) => one.spent)
  const made = { request, prepared, proposer, spent, split, end, applied, createdAt: context.now() }
  const value = redactorFor(context.env).value(descriptionOf(made))
  const file = fileOf(folder)
  await writeArtefact(descriptionSchema, file, value)
  return { folder, file, description: value }
}

/** What makes a search another one. */
function askedFor(request: DescriptionRequest, { plan, set }: PreparedTriggers, proposer: EngineChoice) {
  const { seed, alpha, runs, testRuns, threshold, timeoutSeconds, maxTurns } = request
  const among = (plan.runs[0]?.among ?? []).map(({ name, sha256 }) => ({ name, sha256 }))
  return {
    ...{ seed, alpha, runs, testRuns, threshold, timeoutSeconds, maxTurns, among, proposer },
    skill: plan.skill.sha256,
    queries: set.sha256,
    engine: plan.options.engine,
  }
}

/** A search that has ended is not made again; what it found can still be put into SKILL.md. */
async function appliedLater(
  { folder, ended }: { folder: string; ended: Description },
  { request, skillFile }: { request: DescriptionRequest; skillFile: string },
): Promise<DescriptionResult> {
  const file = fileOf(folder)
  if (!request.apply || !ended.accepted || ended.applied) return { folder, file, description: ended }
  const source = await readFile(skillFile, 'utf8')
  const { skill } = await readSkill(path.dirname(skillFile))
  if (tidied(skill.description) !== ended.original)
    throw new UserError(`${skillFile}: its description has changed since the search`, 'put the new one there by hand')
  await applyTo(skillFile, { source, description: ended.best })
  const description = { ...ended, applied: true }
  await writeArtefact(descriptionSchema, file, description)
  return { folder, file, description }
}

function refuseThin({ set, plan }: PreparedTriggers, { train, test }: { train: number[]; test: number[] }): void {
  const sides = { training: train, test }
  for (const [name, ids] of Object.entries(sides)) {
    const own = set.queries.filter(({ number }) => ids.includes(number))
    if (own.length >= fewest && new Set(own.map(({ shouldTrigger }) => shouldTrigger)).size === 2) continue
    throw new UserError(
      `${set.path}: too few queries to improve the description of ${plan.skill.name}: the ${name} side needs some of both kinds`,
      'add queries until there are at least four that should trigger and four that should not; 20 and more decide better',
    )
  }
}

async function applyTo(file: string, { source, description }: { source: string; description: string }): Promise<void> {
  if ((await readFile(file, 'utf8')) !== source)
    throw new UserError(`${file}: it was changed meanwhile, so the new description was not written`, 'start again')
  const text = withDescription(source, description)
  if (text !== null) await writeAtomic(file, text)
}
