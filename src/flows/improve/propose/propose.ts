/** Has a model propose separate edits: it changes copies of the skill with an agent's tools in a temp directory, or without tools answers with edits. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Activation, EngineChoice, RunSpec } from '../../../../schemas/plan.ts'
import { type Prune, pruneReport } from '../../../../schemas/prune.ts'
import { type RunRecord, runRecord } from '../../../../schemas/run.ts'
import { copyWalk, hashWalk, listEntries, pathExists, walk } from '../../../base/fs/files.ts'
import { openScratch } from '../../../base/fs/temp_dir.ts'
import { readText } from '../../../base/json/json.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { withRetry } from '../../../base/time/retry.ts'
import { withUserPrices } from '../../../engines/models/user_prices.ts'
import { findEngine } from '../../../engines/table.ts'
import { computeRunKey } from '../../../phases/1-plan/keys/plan_keys.ts'
import { listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { performRun } from '../../../phases/2-run/run.ts'
import { formatPoints, hundredths } from '../../../phases/4-report/text/format.ts'
import { changeFolder, proposePrompt } from '../../../phases/5-improve/propose_prompt.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { improvePaths, prunesFolder } from '../../../store/paths.ts'
import { compareWithSignature } from '../../../store/signing/own_runs.ts'
import type { ResultSigner } from '../../../store/signing/signer.ts'
import { isSignedFile } from '../../../store/signing/signer.ts'
import { commitRun, readRun, writeArtefact } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { StepStopped } from '../../versions/bench_versions.ts'
import { countProposals } from '../improve_request.ts'
import type { ImproveSession } from '../session/session.ts'
import {
  describeDropped,
  describeFailedRuns,
  listPassing,
  readCaseFeedback,
  type TrainingCase,
  writeTraining,
} from './training_runs.ts'

export interface ProposeRequest {
  round: number
  /** Of the proposals of the round, from 1. */
  number: number
  /** The version to edit. */
  parent: string
  /** The failures to look at first. */
  focus: string
  seen: readonly TrainingCase[]
  engine: EngineChoice
  /** answer: it has no tools, and gives its edits as JSON. */
  activation: Activation
  sandbox: SandboxChoice
}

export interface ProposalOutcome {
  record: RunRecord
  /** The proposer's output folder, absolute. */
  outputs: string
  /** What it changed outside its copies (already restored); null: nothing. */
  escaped: string | null
}

const mostTurns = 80

/** Reuses a proposal from before an interruption. Throws StepStopped on Ctrl-C; otherwise rejects only when aborted or on a bug. */
export async function proposeVersion(
  session: ImproveSession,
  asked: ProposeRequest,
  context: FlowContext,
): Promise<ProposalOutcome> {
  const { proposals, versions, backups } = improvePaths(session.workspace)
  const id = `${asked.round}-${asked.number}`
  const outputs = path.join(proposals, id, 'outputs')
  const { signer } = session
  const before = await readOwnProposal(proposals, id, signer)
  // a proposer that failed is asked again
  if (before !== null && before.status !== 'failed' && before.status !== 'cancelled') {
    return { record: before, outputs, escaped: findEscape(before) }
  }
  await rm(path.join(proposals, id), { recursive: true, force: true })
  await using scratch = await openScratch()
  const training = path.join(scratch.path, 'training')
  await writeTraining(asked.seen, training, session.history)
  const spec = await buildProposalSpec(session, asked, training)
  const partial = path.join(proposals, `.partial-${id}`)
  const { suite, workspace, skill, request } = session
  const perform = async (attempt: number) => {
    await rm(partial, { recursive: true, force: true })
    return await performRun({
      spec,
      engine: withUserPrices(findEngine(spec.engine.name), context.prices),
      skillFiles: [],
      folder: partial,
      userEnv: context.env,
      passEnv: request.bench.passEnv,
      hidden: [skill.path, path.dirname(suite.path), workspace],
      sandbox: asked.sandbox,
      attempt,
      signal: AbortSignal.any([context.signal, context.drain]),
    })
  }
  // a sandbox already prevents other writes
  const watched = asked.sandbox.mechanism === 'none' ? [skill.path, versions] : []
  const places = { scratch: scratch.path, aside: path.join(backups, `outside-${id}`) }
  const attempts = { retries: request.bench.retries, signal: context.signal }
  const { result, changed } = await guardFolders(watched, places, () => withRetry(perform, attempts)).catch(
    (error: unknown) => {
      if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
      throw error
    },
  )
  if (changed !== null) result.record.warnings.push(`${escapePrefix}${changed}`)
  if (changed !== null) await writeArtefact(runRecord, path.join(partial, 'run.json'), result.record)
  await commitRun(partial, { benchmark: proposals, runId: id, signer })
  return { record: result.record, outputs, escaped: changed }
}

/** null: none, or changed since this user's session made it. */
async function readOwnProposal(proposals: string, runId: string, signer: ResultSigner): Promise<RunRecord | null> {
  const record = (await readRun(proposals, runId))?.record ?? null
  if (record === null) return null
  return (await compareWithSignature(proposals, { runId, record, signer })) === 'foreign' ? null : record
}

const escapePrefix = 'changed outside of its copies: '

function findEscape({ warnings }: RunRecord): string | null {
  const found = warnings.find((one) => one.startsWith(escapePrefix))
  return found === undefined ? null : found.slice(escapePrefix.length)
}

async function buildProposalSpec(session: ImproveSession, asked: ProposeRequest, training: string): Promise<RunSpec> {
  const { skill, request, workspace } = session
  const source = improvePaths(workspace).version(asked.parent)
  const folderOf = async (place: string, from: string) => {
    const { files } = await walk(from)
    const bytes = files.reduce((sum, one) => sum + one.bytes, 0)
    return { path: place, source: from, kind: 'directory' as const, sha256: await hashWalk(files), bytes }
  }
  const { files } = await listSkillFiles(source)
  if (files.length === 0) throw new Error(`${source} is empty`)
  const isInText = asked.activation === 'answer'
  const { changes } = countProposals(request)
  const words = {
    ...(isInText && {
      inText: { skill: await readText(path.join(source, 'SKILL.md')), runs: describeFailedRuns(asked.seen) },
    }),
    name: skill.name,
    goal: request.descriptionBy === undefined ? request.goal : ('description' as const),
    changes,
    focus: asked.focus,
    passing: listPassing(asked.seen),
    rejected: describeDropped(session.history),
    feedback: readCaseFeedback(session),
    units: describeScreenedUnits(workspace, {
      sha256: await hashWalk(files),
      train: session.split.train,
      signer: session.signer,
    }),
  }
  const copies = Array.from({ length: changes }, (_, at) => changeFolder(at + 1, skill.name))
  const spec = {
    run_id: `${asked.round}-${asked.number}`,
    eval_id: 0,
    eval_name: 'proposal',
    configuration: 'new_skill' as const,
    run_number: asked.round,
    prompt: proposePrompt(words),
    files: isInText
      ? []
      : await Promise.all([...copies.map((place) => folderOf(place, source)), folderOf('training', training)]),
    setup: null,
    git: null,
    skill: null,
    absent_skill: null,
    engine: asked.engine,
    max_turns: request.bench.maxTurns ?? mostTurns,
    timeout_seconds: request.proposeTimeout,
    activation: isInText ? ('answer' as const) : ('natural' as const),
  }
  return { ...spec, key: computeRunKey(spec) }
}

/**
 * Copies the folders, runs `work`, and restores what changed; `changed` names the folders, null: none. `scratch` holds the copies during
 * `work`; `aside` keeps changed files, since the author may have edited them.
 */
async function guardFolders<R>(
  folders: readonly string[],
  { scratch, aside }: { scratch: string; aside: string },
  work: () => Promise<R>,
): Promise<{ result: R; changed: string | null }> {
  const kept = await Promise.all(
    folders.map(async (folder, at) => {
      const { files } = await walk(folder, options)
      const copy = path.join(scratch, `kept-${at}`)
      await copyWalk(files, copy)
      return { folder, copy, sha256: await hashWalk(files) }
    }),
  )
  const result = await work()
  const changed: string[] = []
  for (const { folder, copy, sha256 } of kept) {
    const now = (await pathExists(folder)) ? await hashWalk((await walk(folder, options)).files) : null
    if (now === sha256) continue
    changed.push(folder)
    const files = now === null ? [] : (await walk(folder, options)).files
    await copyWalk(files, path.join(aside, path.basename(folder)))
    for (const file of files) await rm(file.source, { force: true })
    if (await pathExists(copy)) await copyWalk((await walk(copy, options)).files, folder)
  }
  return { result, changed: changed.length === 0 ? null : changed.join(', ') }
}

const options = {
  links: 'never',
  unreadable: 'leave_out',
  skip: (name: string) => /(^|\/)(node_modules|\.git)(\/|$)/.test(name),
} as const

const most = 40
const lineChars = 200

/** One line a unit, of the newest screening of this skill whose cases are all in `train`; empty: there is none. */
export function describeScreenedUnits(
  workspace: string,
  { sha256, train, signer }: { sha256: string; train: readonly number[]; signer: ResultSigner },
): string[] {
  const folder = prunesFolder(workspace)
  const found = listEntries(folder).flatMap(({ name }) => {
    const file = path.join(folder, name, 'prune.json')
    const one = isSignedFile(file, signer) ? tryReadArtefact(pruneReport, file) : null
    const isSeen = one?.split.train.every((id) => train.includes(id)) === true
    return one !== null && one.screening !== null && one.skill_sha256 === sha256 && isSeen ? [one] : []
  })
  const [newest] = found.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  return newest === undefined ? [] : describeUnits(newest)
}

function describeUnits({ screening, units }: Prune): string[] {
  const screened = [...(screening?.units ?? [])].sort((a, b) => b.effect.mean - a.effect.mean)
  return screened.slice(0, most).map(({ id, effect, tokens }) => {
    const unit = units.find((one) => one.id === id)
    const range = `95% CI ${hundredths(effect.ci_low)} to ${hundredths(effect.ci_high)}`
    const cost = tokens === null ? '' : `, ${Math.round(tokens.mean)} tokens a run`
    return `${unit?.kind ?? 'unit'} "${unit?.label ?? id}": ${formatPoints(effect.mean)} (${range})${cost}`.slice(
      0,
      lineChars,
    )
  })
}
