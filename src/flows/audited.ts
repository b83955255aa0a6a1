/** The decisions of a benchmark's judge, each with an id that stays while statement and evidence stay, and what people say of them. */
import { readFileSync } from 'node:fs'
import type { GradedExpectation } from '../../schemas/grading.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { RunRecord } from '../../schemas/run.ts'
import { codeOf } from '../base/error.ts'
import { canonicalJson, sha256 } from '../base/json.ts'
import { evidenceDigest } from '../phases/3-judge/evidence_digest.ts'
import { runPaths } from '../store/paths.ts'
import { type CountedRun, readRun } from '../store/store.ts'

export interface Decision {
  id: string
  /** The benchmark's folder, absolute. */
  folder: string
  run_id: string
  eval_id: number
  eval_name: string
  configuration: string
  graded: GradedExpectation
  prompt: string
  response: string
  /** Names of the files that the agent made or changed. */
  outputs: string[]
}

/** What the judge of a benchmark decided; verdicts of code are not in it. */
export async function decisionsOf(folder: string, plan: Plan): Promise<Decision[]> {
  const decisions: Decision[] = []
  for await (const one of eachDecision(folder, plan)) decisions.push(one)
  return decisions
}

/** As decisionsOf, one after another: of thousands of runs nothing need be held. */
async function* eachDecision(folder: string, plan: Plan): AsyncGenerator<Decision> {
  for (const spec of plan.runs) {
    const stored = await readRun(folder, spec.run_id)
    const judged = judgedIn(stored)
    if (stored === null || judged.length === 0) continue
    const digest = digestOf(folder, spec, stored.record)
    const { eval_id, eval_name, configuration, run_id, prompt } = spec
    const { final_response: response, outputs } = stored.record
    for (const graded of judged) {
      const id = idOf(graded, spec, digest)
      const files = outputs.files.map((file) => file.path)
      yield {
        id,
        folder,
        run_id,
        eval_id,
        eval_name,
        configuration,
        graded,
        prompt,
        response,
        outputs: files,
      }
    }
  }
}

/** A run that this process laid out itself: nothing of it need be read again. */
export interface LaidRun extends CountedRun {
  /** Digest of what a judge gets to see of it. */
  evidence: string
}

export type Verdict = Pick<Decision, 'id' | 'run_id' | 'configuration' | 'graded'>

/** As decisionsOf, without what the agent said and made. `laid`: by run id. */
export async function* eachVerdict(
  folder: string,
  plan: Plan,
  laid: ReadonlyMap<string, LaidRun> = new Map(),
): AsyncGenerator<Verdict> {
  for (const spec of plan.runs) {
    const { run_id, configuration } = spec
    const known = laid.get(run_id)
    const stored = known === undefined ? await readRun(folder, run_id) : null
    const judged = judgedIn(known ?? stored)
    if (judged.length === 0) continue
    const digest = known?.evidence ?? (stored && digestOf(folder, spec, stored.record))
    if (digest === null) continue
    for (const graded of judged) yield { id: idOf(graded, spec, digest), run_id, configuration, graded }
  }
}

function judgedIn(stored: Pick<CountedRun, 'grading'> | null): GradedExpectation[] {
  return (stored?.grading?.expectations ?? []).filter(({ decided_by }) => decided_by === 'judge')
}

function digestOf(folder: string, { run_id }: RunSpec, record: RunRecord): string {
  return evidenceDigest(record, textOf(runPaths(folder, run_id).transcript))
}

function idOf({ text }: GradedExpectation, { prompt }: RunSpec, digest: string): string {
  return sha256(canonicalJson({ text, prompt, digest })).slice(0, 12)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
