/** Analyzes one decided comparison and writes analysis.json, unless the same was analyzed already. */
import path from 'node:path'
import { type Analysis, analysis as analysisSchema } from '../../schemas/analysis.ts'
import type { Comparison } from '../../schemas/comparison.ts'
import type { EngineChoice, Plan, RunSpec } from '../../schemas/plan.ts'
import { exists, hashWalk } from '../base/files.ts'
import { canonicalJson, sha256 } from '../base/json.ts'
import { redactorFor } from '../base/redact.ts'
import { skillFiles } from '../phases/1-plan/skill.ts'
import { analyzePair, analyzePromptSource, type OpenSide } from '../phases/3-judge/analyze/analyze_pair.ts'
import { runOutputs } from '../phases/3-judge/judge_room.ts'
import { askedOf } from '../phases/3-judge/meter.ts'
import { readIf } from '../store/damage.ts'
import { comparisonPaths, runPaths } from '../store/paths.ts'
import { writeArtefact } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import type { OpenJudge } from './judge_opener.ts'

/** A comparison with a winner. */
export interface Decided {
  folder: string
  caseFolder: string
  number: number
  comparison: Comparison
  sides: NonNullable<Comparison['sides']>
  winner: 'A' | 'B'
  case: Plan['cases'][number]
  plan: Plan
}

interface How {
  judge: EngineChoice
  openJudge: OpenJudge
  again: boolean
}

/** Whether this comparison, as it is, was analyzed by this model. */
export function isAnalyzed(one: Decided, judge: EngineChoice): boolean {
  return known(one, judge) !== null
}

/** null: the model gave no usable answer, which is told. */
export async function oneAnalysis(one: Decided, { judge, openJudge, again }: How, context: FlowContext) {
  const { eval_id, eval_name } = one.case
  const file = comparisonPaths(one.caseFolder, one.number).analysis
  const tell = (error: string | null, cached: boolean) =>
    context.emit({ type: 'comparison_analyzed', eval_id, eval_name, number: one.number, error, cached })
  const before = again ? null : known(one, judge)
  if (before !== null) {
    tell(null, true)
    return { eval_id, eval_name, file, analysis: before }
  }
  const loser = one.winner === 'A' ? 'B' : 'A'
  const specs = { winner: specOf(one, one.winner), loser: specOf(one, loser) }
  const { winner, reasoning, rubric, expectation_results } = one.comparison
  await using opened = await openJudge()
  const asked = await analyzePair(
    {
      prompt: one.case.prompt,
      winner: one.winner,
      verdict: JSON.stringify({ winner, reasoning, rubric, expectation_results }, null, 2),
      sides: { winner: await openSide(one, specs.winner), loser: await openSide(one, specs.loser) },
      cwd: opened.cwd,
    },
    opened.asking,
  )
  if (asked.status === 'error') {
    tell(redactorFor(context.env).text(asked.error), false)
    return null
  }
  const { comparator_reasoning, ...rest } = asked.value
  const made: Analysis = redactorFor(context.env).value({
    comparison_summary: {
      winner,
      winner_skill: skillOf(specs.winner),
      loser_skill: skillOf(specs.loser),
      comparator_reasoning,
    },
    ...rest,
    schema_version: 1,
    comparison: one.number,
    analyzer: askedOf(judge, asked.spent),
    analyzed_key: keyOf(one, judge),
  })
  await writeArtefact(analysisSchema, file, made)
  tell(null, false)
  return { eval_id, eval_name, file, analysis: made }
}

function known(one: Decided, judge: EngineChoice): Analysis | null {
  const before = readIf(analysisSchema, comparisonPaths(one.caseFolder, one.number).analysis)
  return before?.analyzed_key === keyOf(one, judge) ? before : null
}

function keyOf({ comparison, case: { prompt } }: Decided, judge: EngineChoice): string {
  const { compared_key, winner, reasoning } = comparison
  return sha256(canonicalJson({ compared_key, winner, reasoning, prompt, judge, words: analyzePromptSource }))
}

function specOf({ plan, sides }: Decided, label: 'A' | 'B'): RunSpec {
  const spec = plan.runs.find((run) => run.run_id === sides[label].run)
  if (spec === undefined) throw new Error(`plan has no run ${sides[label].run}`)
  return spec
}

function skillOf({ skill }: RunSpec): string {
  return skill === null ? 'none' : skill.path
}

async function openSide({ folder }: Decided, spec: RunSpec): Promise<OpenSide> {
  const paths = runPaths(folder, spec.run_id)
  return { skill: await openSkill(spec), transcript: paths.transcript, outputs: await runOutputs(paths.folder) }
}

/** The skill as it lies there now; a version out of git is no longer there. */
async function openSkill({ skill }: RunSpec): Promise<OpenSide['skill']> {
  if (skill === null) return null
  if (!(await exists(path.join(skill.path, 'SKILL.md')))) return { files: [], changed: true }
  const { files } = await skillFiles(skill.path)
  return { files, changed: (await hashWalk([...files])) !== skill.sha256 }
}
