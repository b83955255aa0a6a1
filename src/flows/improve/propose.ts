/** Has a model propose the next version: it edits a copy of the skill with an agent's tools, in a room of its own. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { EngineChoice, RunSpec } from '../../../schemas/plan.ts'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { hashWalk, walk } from '../../base/files.ts'
import { openScratch } from '../../base/room.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { engineNamed } from '../../engines/table.ts'
import { withRetry } from '../../jobs/retry.ts'
import { runKey } from '../../phases/1-plan/key.ts'
import { skillFiles } from '../../phases/1-plan/skill.ts'
import { performRun } from '../../phases/2-run/run.ts'
import { proposePrompt } from '../../phases/5-improve/propose_prompt.ts'
import { improvePaths } from '../../store/paths.ts'
import { commitRun, readRun, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { StepStopped } from './bench_step.ts'
import { keptSafe } from './kept_safe.ts'
import type { Session } from './session.ts'
import { feedbackOn, type Seen, writeTraining } from './training.ts'

export interface ProposeRequest {
  iteration: number
  /** The version that is changed. */
  parent: string
  cases: readonly number[]
  seen: readonly Seen[]
  /** One line each. */
  rejected: readonly string[]
  engine: EngineChoice
  sandbox: SandboxChoice
}

export interface Proposed {
  record: RunRecord
  /** What it left behind, absolute. */
  outputs: string
  /** What it changed outside of its copy, which is as before again; null: nothing. */
  escaped: string | null
}

const mostTurns = 80

/** Made before an interruption, it is not made again. Throws StepStopped on Ctrl-C; else rejects only when aborted or on a bug. */
export async function propose(session: Session, asked: ProposeRequest, context: FlowContext): Promise<Proposed> {
  const { proposals, versions, backups } = improvePaths(session.workspace)
  const id = String(asked.iteration)
  const outputs = path.join(proposals, id, 'outputs')
  const before = await readRun(proposals, id)
  if (before !== null) return { record: before.record, outputs, escaped: escapedIn(before.record) }
  await using scratch = await openScratch()
  const training = path.join(scratch.path, 'training')
  await writeTraining(asked.seen, training)
  const spec = await specOf(session, asked, training)
  const partial = path.join(proposals, `.partial-${id}`)
  const { suite, workspace, skill, request } = session
  const perform = async (attempt: number) => {
    await rm(partial, { recursive: true, force: true })
    return await performRun({
      spec,
      engine: engineNamed(spec.engine.name),
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
  // in a sandbox nothing else can be written
  const watched = asked.sandbox.mechanism === 'none' ? [skill.path, versions] : []
  const places = { scratch: scratch.path, aside: path.join(backups, `outside-${id}`) }
  const attempts = { retries: request.bench.retries, signal: context.signal }
  const { result, changed } = await keptSafe(watched, places, () => withRetry(perform, attempts)).catch(
    (error: unknown) => {
      if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
      throw error
    },
  )
  if (changed !== null) result.record.warnings.push(`${escapedWord}${changed}`)
  if (changed !== null) await writeArtefact(runRecord, path.join(partial, 'run.json'), result.record)
  await commitRun(partial, proposals, id)
  return { record: result.record, outputs, escaped: changed }
}

const escapedWord = 'changed outside of its copy: '

function escapedIn({ warnings }: RunRecord): string | null {
  const found = warnings.find((one) => one.startsWith(escapedWord))
  return found === undefined ? null : found.slice(escapedWord.length)
}

async function specOf(session: Session, asked: ProposeRequest, training: string): Promise<RunSpec> {
  const { skill, request, workspace } = session
  const source = improvePaths(workspace).version(asked.parent)
  const folderOf = async (place: string, from: string) => {
    const { files } = await walk(from)
    const bytes = files.reduce((sum, one) => sum + one.bytes, 0)
    return { path: place, source: from, kind: 'directory' as const, sha256: await hashWalk(files), bytes }
  }
  const { files } = await skillFiles(source)
  if (files.length === 0) throw new Error(`${source} is empty`)
  const words = { name: skill.name, rejected: asked.rejected, feedback: feedbackOn(session, asked.cases) }
  const spec = {
    run_id: String(asked.iteration),
    eval_id: 0,
    eval_name: 'proposal',
    configuration: 'new_skill' as const,
    run_number: asked.iteration,
    prompt: proposePrompt(words),
    files: [await folderOf(skill.name, source), await folderOf('training', training)],
    setup: null,
    git: null,
    skill: null,
    absent_skill: null,
    engine: asked.engine,
    max_turns: request.bench.maxTurns ?? mostTurns,
    timeout_seconds: request.proposeTimeout,
    activation: 'natural' as const,
  }
  return { ...spec, key: runKey(spec) }
}
