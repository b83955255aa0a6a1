/** The decisions of a benchmark's judge, each with an id that stays while statement and evidence stay, and what people say of them. */
import { readFileSync } from 'node:fs'
import type { GradedExpectation } from '../../schemas/grading.ts'
import type { Plan } from '../../schemas/plan.ts'
import { codeOf } from '../base/error.ts'
import { canonicalJson, sha256 } from '../base/json.ts'
import { evidenceDigest } from '../phases/3-judge/evidence_digest.ts'
import { runPaths } from '../store/paths.ts'
import { readRun } from '../store/store.ts'

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
export async function* eachDecision(folder: string, plan: Plan): AsyncGenerator<Decision> {
  for (const spec of plan.runs) {
    const stored = await readRun(folder, spec.run_id)
    const judged = (stored?.grading?.expectations ?? []).filter((one) => isOfJudge(one))
    if (stored === null || judged.length === 0) continue
    const digest = evidenceDigest(stored.record, textOf(runPaths(folder, spec.run_id).transcript))
    const { eval_id, eval_name, configuration, run_id, prompt } = spec
    const { final_response: response, outputs } = stored.record
    for (const graded of judged) {
      const id = sha256(canonicalJson({ text: graded.text, prompt, digest })).slice(0, 12)
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

function isOfJudge({ decided_by }: GradedExpectation): boolean {
  return decided_by === 'judge'
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
