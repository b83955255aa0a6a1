/** Asks a model why the winner of a comparison won; it reads both skills and both transcripts, unblinded. */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { copyWalk, pathExists, type WalkedFile } from '../../../base/fs/files.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import type { CallUsage } from '../../../engines/ask/cost_meter.ts'
import { buildJudgeTask, type JudgeContext } from '../compare/ask_outside_grading.ts'
import { copyWithinLimits } from '../judge/judge_folder.ts'

export const analyzePromptSource = readFileSync(new URL('./analyze_prompt.md', import.meta.url), 'utf8')
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

export interface PairAnalysisRequest {
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
export async function analyzePair(request: PairAnalysisRequest, asking: JudgeContext): Promise<PairAnalysis> {
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
