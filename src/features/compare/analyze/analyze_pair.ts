/** Analyzes one decided comparison and writes analysis.json, unless it is already analyzed. */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { type Analysis, analysis as analysisSchema } from '../../../../schemas/analysis.ts'
import type { Comparison } from '../../../../schemas/comparison.ts'
import type { EngineChoice, Plan, RunSpec } from '../../../../schemas/plan.ts'
import { copyWalk, hashWalk, pathExists, type WalkedFile } from '../../../base/fs/files.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import { type CallUsage, toAskedJudge } from '../../../engines/ask/cost_meter.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { OpenJudge } from '../../../flows/judge/open_judge.ts'
import { listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { copyWithinLimits, listRunOutputs } from '../../../phases/3-judge/judge/judge_folder.ts'
import { buildJudgeTask, type JudgeContext } from '../../../phases/3-judge/judge_request.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { runPaths } from '../../../store/paths.ts'
import { writeArtefact } from '../../../store/store.ts'
import { comparisonPaths } from '../summarize.ts'

export interface DecidedComparison {
  folder: string
  caseFolder: string
  number: number
  comparison: Comparison
  sides: NonNullable<Comparison['sides']>
  winner: 'A' | 'B'
  case: Plan['cases'][number]
  plan: Plan
}

interface AnalysisSettings {
  judge: EngineChoice
  openJudge: OpenJudge
  again: boolean
}

/** Whether this model has already analyzed this comparison in its current state. */
export function isAnalyzed(one: DecidedComparison, judge: EngineChoice): boolean {
  return readKnownAnalysis(one, judge) !== null
}

/** null: the model gave no usable answer, which an event reports. */
export async function analyzeComparison(
  one: DecidedComparison,
  { judge, openJudge, again }: AnalysisSettings,
  context: FlowContext,
) {
  const { eval_id, eval_name } = one.case
  const file = comparisonPaths(one.caseFolder, one.number).analysis
  const tell = (error: string | null, cached: boolean) =>
    context.emit({ type: 'comparison_analyzed', eval_id, eval_name, number: one.number, error, cached })
  const before = again ? null : readKnownAnalysis(one, judge)
  if (before !== null) {
    tell(null, true)
    return { eval_id, eval_name, file, analysis: before }
  }
  const loser = one.winner === 'A' ? 'B' : 'A'
  const specs = { winner: findSideSpec(one, one.winner), loser: findSideSpec(one, loser) }
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
    tell(getRedactor(context.env).text(asked.error), false)
    return null
  }
  const { comparator_reasoning, ...rest } = asked.value
  const made: Analysis = getRedactor(context.env).value({
    comparison_summary: {
      winner,
      winner_skill: describeSideSkill(specs.winner),
      loser_skill: describeSideSkill(specs.loser),
      comparator_reasoning,
    },
    ...rest,
    schema_version: 1,
    comparison: one.number,
    analyzer: toAskedJudge(judge, asked.spent),
    analyzed_key: computeAnalyzedKey(one, judge),
  })
  await writeArtefact(analysisSchema, file, made)
  tell(null, false)
  return { eval_id, eval_name, file, analysis: made }
}

function readKnownAnalysis(one: DecidedComparison, judge: EngineChoice): Analysis | null {
  const before = tryReadArtefact(analysisSchema, comparisonPaths(one.caseFolder, one.number).analysis)
  return before?.analyzed_key === computeAnalyzedKey(one, judge) ? before : null
}

function computeAnalyzedKey({ comparison, case: { prompt } }: DecidedComparison, judge: EngineChoice): string {
  const { compared_key, winner, reasoning } = comparison
  return sha256(canonicalJson({ compared_key, winner, reasoning, prompt, judge, words: analyzePromptSource }))
}

function findSideSpec({ plan, sides }: DecidedComparison, label: 'A' | 'B'): RunSpec {
  const spec = plan.runs.find((run) => run.run_id === sides[label].run)
  if (spec === undefined) throw new Error(`plan has no run ${sides[label].run}`)
  return spec
}

function describeSideSkill({ skill }: RunSpec): string {
  return skill === null ? 'none' : skill.path
}

async function openSide({ folder }: DecidedComparison, spec: RunSpec): Promise<OpenSide> {
  const paths = runPaths(folder, spec.run_id)
  return { skill: await openSkill(spec), transcript: paths.transcript, outputs: await listRunOutputs(paths.folder) }
}

/** The skill in its current state; a version from git is not on disk after the benchmark. */
async function openSkill({ skill }: RunSpec): Promise<OpenSide['skill']> {
  if (skill === null) return null
  if (!(await pathExists(path.join(skill.path, 'SKILL.md')))) return { files: [], changed: true }
  const { files } = await listSkillFiles(skill.path)
  return { files, changed: (await hashWalk([...files])) !== skill.sha256 }
}

const analyzePromptSource = readFileSync(new URL('./analyze_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(analyzePromptSource, { strict: true, noEscape: true })

const text = z.string().min(1)
const instructionScore = z.object({ score: z.number().min(1).max(10), issues: z.array(z.string()) })

const analysisAnswer = z.object({
  comparator_reasoning: text,
  winner_strengths: z.array(text),
  loser_weaknesses: z.array(text),
  instruction_following: z.object({ winner: instructionScore, loser: instructionScore }),
  improvement_suggestions: z.array(
    z.object({
      priority: z.enum(['high', 'medium', 'low']),
      category: z.enum(['instructions', 'tools', 'examples', 'error_handling', 'structure', 'references']),
      suggestion: text,
      expected_impact: text,
    }),
  ),
  transcript_insights: z.object({ winner_execution_pattern: text, loser_execution_pattern: text }),
})

/** One unblinded side. `skill` null: it had none. */
export interface OpenSide {
  skill: { files: readonly WalkedFile[]; changed: boolean } | null
  transcript: string
  outputs: readonly WalkedFile[]
}

interface PairAnalysisRequest {
  prompt: string
  winner: 'A' | 'B'
  /** The judge's reasons and scores, as JSON. */
  verdict: string
  sides: { winner: OpenSide; loser: OpenSide }
  /** An empty folder. */
  cwd: string
}

export type PairAnalysis =
  | { status: 'answered'; value: z.infer<typeof analysisAnswer>; spent: CallUsage }
  | { status: 'error'; error: string; spent: CallUsage }

/** Rejects only when aborted, or if the files cannot be copied. */
async function analyzePair(request: PairAnalysisRequest, asking: JudgeContext): Promise<PairAnalysis> {
  const { prompt, winner, verdict, sides, cwd } = request
  await fill(path.join(cwd, 'winner'), sides.winner)
  await fill(path.join(cwd, 'loser'), sides.loser)
  const look = (label: 'winner' | 'loser') => {
    const { skill } = sides[label]
    return { label, hasSkill: skill !== null, skillChanged: skill?.changed === true }
  }
  const filled = template({
    prompt,
    promptFence: buildCodeFence(prompt),
    winner,
    verdict,
    verdictFence: buildCodeFence(verdict),
    sides: [look('winner'), look('loser')],
    loserHasSkill: sides.loser.skill !== null,
  })
  return await askEngine({
    ...buildJudgeTask(asking, { prompt: filled, cwd, mark: null, tools: 'read_only' }),
    schema: analysisAnswer,
  })
}

async function fill(folder: string, { skill, transcript, outputs }: OpenSide): Promise<void> {
  await mkdir(folder, { recursive: true })
  if (skill !== null) await copyWithinLimits(skill.files, path.join(folder, 'skill'))
  if (await pathExists(transcript)) await copyWalk([{ path: 'transcript.md', source: transcript, bytes: 0 }], folder)
  await copyWithinLimits(outputs, path.join(folder, 'outputs'))
}
