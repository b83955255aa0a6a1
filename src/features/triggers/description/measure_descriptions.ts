/** Measures descriptions in one session's folder, each on a copy of the skill. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Configuration, Plan } from '../../../../schemas/plan.ts'
import type { Triggers } from '../../../../schemas/triggers.ts'
import { IncompleteError, UserError } from '../../../base/errors/error.ts'
import { copyWalk } from '../../../base/fs/files.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { snapshotSkills } from '../../../flows/bench/bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { computePlanId } from '../../../phases/1-plan/keys/plan_keys.ts'
import { listSkillFiles, readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { announceMeasurement } from '../measure/measurement.ts'
import type { PreparedTriggers, TriggerSettings } from '../measure/prepare_triggers.ts'
import { askQueries, describeSet, runTriggerQueries, writeTriggerReport } from '../measure/triggers.ts'
import { planTriggers } from '../queries/plan_triggers.ts'
import { replaceDescription } from './edit.ts'

export interface DescribeSession {
  prepared: PreparedTriggers
  wish: TriggerSettings
  /** Runs per query and description in the final comparison. */
  testRuns: number
  sandbox: SandboxChoice
  /** The session's, absolute. */
  folder: string
  /** Holds copies of the skill. */
  scratch: string
}

interface Version {
  plan: Plan
  set: PreparedTriggers['set']
  folders: ReadonlyMap<string, string>
}

/** Runs the queries with these ids. Throws IncompleteError if a run has no answer: partial data allows no conclusion. */
export async function measureDescription(
  session: DescribeSession,
  asked: { description: string; ids: readonly number[]; name: string },
  context: FlowContext,
): Promise<Triggers> {
  const { prepared, wish, sandbox } = session
  const version = await createSkillVersion(session, { ...asked, runs: wish.runs })
  const folder = path.join(session.folder, asked.name)
  const files = await snapshotSkills(version.folders, path.join(session.scratch, `files-${asked.name}`))
  await announceMeasurement(folder, { ...version, choices: [] }, { facts: describeSet(version), context })
  const { workspace } = prepared
  const { threshold } = wish
  const made = await askQueries({ ...version, skillFiles: files, folder, workspace, sandbox, wish, threshold }, context)
  return requireComplete(made, folder, context)
}

/** Runs both on the same queries, interleaved. */
export async function compareDescriptions(
  session: DescribeSession,
  asked: { before: string; after: string; ids: readonly number[] },
  context: FlowContext,
): Promise<{ before: Triggers; after: Triggers }> {
  const { prepared, testRuns: runs, wish, sandbox } = session
  const { ids } = asked
  const of = (description: string, name: string, configuration: Configuration) =>
    createSkillVersion(session, { description, ids, name, runs, configuration })
  const [before, after] = [await of(asked.before, 'before', 'old_skill'), await of(asked.after, 'after', 'new_skill')]
  const plan = interleavePlans(before.plan, after.plan)
  const folders = new Map([...before.folders, ...after.folders])
  const folder = path.join(session.folder, 'test')
  const skillFilesOf = await snapshotSkills(folders, path.join(session.scratch, 'files-test'))
  await announceMeasurement(folder, { plan, choices: [] }, { facts: describeSet({ ...after, plan }), context })
  const { workspace } = prepared
  const stop = await runTriggerQueries({ plan, skillFiles: skillFilesOf, folder, workspace, sandbox, wish }, context)
  const reported = async (version: Version, name: string) => {
    const file = benchmarkPaths(path.join(folder, name)).triggers
    return requireComplete(
      await writeTriggerReport({ ...version, folder, workspace, threshold: wish.threshold }, { file, stop }, context),
      folder,
      context,
    )
  }
  return { before: await reported(before, 'before'), after: await reported(after, 'after') }
}

/** The first description alternates from query to query. */
function interleavePlans(before: Plan, after: Plan): Plan {
  const runs = before.runs.flatMap((one, at) => {
    const pair = [one, ...after.runs.slice(at, at + 1)]
    return at % 2 === 0 ? pair : pair.reverse()
  })
  return {
    ...after,
    runs,
    plan_id: computePlanId(runs, after.options),
    baseline: before.skill,
    baseline_configuration: 'old_skill',
  }
}

async function createSkillVersion(
  session: DescribeSession,
  asked: { description: string; ids: readonly number[]; name: string; runs: number; configuration?: Configuration },
): Promise<Version> {
  const { prepared, wish } = session
  const { skill } = prepared.plan
  const target = path.join(session.scratch, `skill-${asked.name}`, skill.name)
  await mkdir(path.dirname(target), { recursive: true })
  await copyWalk((await listSkillFiles(skill.path)).files, target)
  const file = path.join(target, 'SKILL.md')
  const text = replaceDescription(await readFile(file, 'utf8'), asked.description)
  if (text === null) throw new UserError(`${skill.path}: its frontmatter has no description that can be replaced`)
  await writeFile(file, text)
  const { skill: made } = await readSkill(target)
  const wanted = new Set(asked.ids)
  const set = { ...prepared.set, queries: prepared.set.queries.filter(({ query_id }) => wanted.has(query_id)) }
  const plan = planTriggers({
    ...wish,
    set,
    // hides the author's skill from agents, not the copy
    skill: { ...made, path: skill.path },
    ...(asked.configuration && { configuration: asked.configuration }),
    among: prepared.plan.runs[0]?.among ?? [],
    engine: prepared.plan.options.engine,
    runs: asked.runs,
    createdAt: prepared.plan.created_at,
    warnings: [],
  })
  const sandboxed = prepared.plan.sandbox === undefined ? plan : { ...plan, sandbox: prepared.plan.sandbox }
  const others = [...prepared.folders].filter(([sha256]) => sha256 !== skill.sha256)
  return { plan: sandboxed, set, folders: new Map([...others, [made.sha256, target]]) }
}

function requireComplete(made: Triggers, folder: string, { drain }: FlowContext): Triggers {
  if (made.complete) return made
  drain.throwIfAborted()
  const { runs_planned, runs_decided } = made.summary
  const first = made.results.flatMap(({ query_runs }) => query_runs.flatMap(({ error }) => error ?? []))[0]
  const why = made.stop?.reason ?? (first === undefined ? 'it was stopped' : `${first.kind}: ${first.message}`)
  throw new IncompleteError(
    `${folder}: ${runs_planned - runs_decided} of ${runs_planned} runs have no answer (${why}); no conclusion from a part of the runs`,
    'fix that, then run the same command and --resume',
  )
}
