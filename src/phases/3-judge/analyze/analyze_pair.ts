/** Why the winner of a comparison won: a model reads both skills and both transcripts, unsealed. */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import Handlebars from 'handlebars'
import { z } from 'zod'
import { copyWalk, exists, type WalkedFile } from '../../../base/files.ts'
import { ask } from '../ask.ts'
import { type Asking, questionTo } from '../compare/asking.ts'
import { fenceFor } from '../fence.ts'
import { copyWithin } from '../judge_room.ts'
import type { Spent } from '../meter.ts'

export const analyzePromptSource = readFileSync(new URL('./analyze_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(analyzePromptSource, { strict: true, noEscape: true })

const text = z.string().min(1)
const following = z.object({ score: z.number().min(1).max(10), issues: z.array(z.string()) })

const analysisAnswer = z.object({
  comparator_reasoning: text,
  winner_strengths: z.array(text),
  loser_weaknesses: z.array(text),
  instruction_following: z.object({ winner: following, loser: following }),
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

/** One agent's side, opened. `skill` null: it had none. */
export interface OpenSide {
  skill: { files: readonly WalkedFile[]; changed: boolean } | null
  transcript: string
  outputs: readonly WalkedFile[]
}

export interface AnalyzeRequest {
  prompt: string
  winner: 'A' | 'B'
  /** The judge's reasons and scores, as JSON. */
  verdict: string
  sides: { winner: OpenSide; loser: OpenSide }
  /** An empty folder. */
  cwd: string
}

export type Analyzed =
  | { status: 'answered'; value: z.infer<typeof analysisAnswer>; spent: Spent }
  | { status: 'error'; error: string; spent: Spent }

/** Rejects only when aborted, or when the files can't be copied. */
export async function analyzePair(request: AnalyzeRequest, asking: Asking): Promise<Analyzed> {
  const { prompt, winner, verdict, sides, cwd } = request
  await fill(path.join(cwd, 'winner'), sides.winner)
  await fill(path.join(cwd, 'loser'), sides.loser)
  const look = (label: 'winner' | 'loser') => {
    const { skill } = sides[label]
    return { label, hasSkill: skill !== null, skillChanged: skill?.changed === true }
  }
  const filled = template({
    prompt,
    promptFence: fenceFor(prompt),
    winner,
    verdict,
    verdictFence: fenceFor(verdict),
    sides: [look('winner'), look('loser')],
    loserHasSkill: sides.loser.skill !== null,
  })
  return await ask({
    ...questionTo(asking, { prompt: filled, cwd, mark: null, tools: 'read_only' }),
    schema: analysisAnswer,
  })
}

async function fill(folder: string, { skill, transcript, outputs }: OpenSide): Promise<void> {
  await mkdir(folder, { recursive: true })
  if (skill !== null) await copyWithin(skill.files, path.join(folder, 'skill'))
  if (await exists(transcript)) await copyWalk([{ path: 'transcript.md', source: transcript, bytes: 0 }], folder)
  await copyWithin(outputs, path.join(folder, 'outputs'))
}
