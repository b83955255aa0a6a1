/** Has a model draft cases for a skill, some at a time; each answer that can't be used whole is asked for once more. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { EvalCase } from '../../../schemas/evals.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { casesAnswer, type DraftedCase, type DraftFile } from '../../phases/1-plan/draft/answer.ts'
import { draftFiles } from '../../phases/1-plan/draft/mistakes.ts'
import { caseDraftPrompt } from '../../phases/1-plan/draft/prompt.ts'
import { skillFiles } from '../../phases/1-plan/skill.ts'
import { ask } from '../../phases/3-judge/ask.ts'
import { questionTo } from '../../phases/3-judge/compare/asking.ts'
import { fenceFor } from '../../phases/3-judge/fence.ts'
import { addSpent, type Spent } from '../../phases/3-judge/meter.ts'
import type { FlowContext } from '../context.ts'
import type { OpenJudge } from '../judge_opener.ts'
import type { Limits } from '../limits.ts'
import { overBudget } from './estimate_drafts.ts'
import { filesIn, type Reviewed, reviewDrafts } from './review_drafts.ts'

export interface DraftRequest {
  skill: Skill
  count: number
  /** The folder that drafted files lie in, absolute: the skill's, or that of a suite beside it. */
  root: string
  /** Cases that there are: others are drafted, with ids after theirs. */
  known: readonly { id: number; name: string; prompt: string }[]
  /** Who drafts, as events name them. */
  by: string
  /** Dollars and tokens that it may take. */
  limits: Limits
  openModel: OpenJudge
}

export interface DraftedCases {
  /** How many were asked for. */
  wanted: number
  evals: EvalCase[]
  files: DraftFile[]
  leftOut: Reviewed['leftOut']
  /** What an author should look at first. */
  problems: string[]
  /** Why there are fewer than were asked for; null: all were drafted. */
  missing: string | null
  spent: Spent
}

/** Of one answer: a longer one is cut off by many models. */
const mostAtOnce = 10

/** What the model is asked first, for a look at it before it is paid for. */
export async function firstPrompt(request: Omit<DraftRequest, 'openModel' | 'by' | 'limits'>): Promise<string> {
  return promptFor(request, { count: Math.min(mostAtOnce, request.count), known: request.known, files: [] })
}

/** How many answers the cases take, none of them asked for again. */
export function answersFor(count: number): number {
  return Math.ceil(count / mostAtOnce)
}

/** Rejects only with the abort reason; a model that gives nothing usable is told of in `missing`. */
export async function draftCases(request: DraftRequest, context: FlowContext): Promise<DraftedCases> {
  const kept: Reviewed['kept'] = []
  const leftOut: Reviewed['leftOut'] = []
  const problems: string[] = []
  const spent: Spent[] = []
  let missing: string | null = null
  // one answer more than needed makes up for cases that were left out
  for (let round = 0; round <= answersFor(request.count) && kept.length < request.count; round += 1) {
    context.emit(eventOf(request, kept.length, leftOut.length))
    if (context.drain.aborted) missing = 'interrupted'
    else missing = overBudget(spent, request.limits)
    const made = missing === null ? await oneAnswer(request, kept) : null
    if (made === null) break
    spent.push(made.spent)
    if ('error' in made) {
      missing = made.error
      break
    }
    kept.push(...made.kept)
    leftOut.push(...made.leftOut)
    if (made.kept.length === 0) break
    problems.push(...made.problems)
  }
  context.emit(eventOf(request, kept.length, leftOut.length))
  const short = kept.length < request.count ? 'the others could not be used' : null
  return {
    wanted: request.count,
    evals: kept.map((one) => one.case),
    files: filesIn(kept.map(({ drafted }) => drafted)),
    leftOut,
    problems,
    missing: missing ?? short,
    spent: addSpent(spent),
  }
}

type Answer = { spent: Spent } & (Reviewed | { error: string })

async function oneAnswer(request: DraftRequest, before: Reviewed['kept']): Promise<Answer> {
  const { skill, openModel } = request
  const count = Math.min(mostAtOnce, request.count - before.length)
  const own = before.map(({ drafted, case: one }) => ({ id: one.id ?? 0, ...drafted }))
  const known = [...request.known, ...own]
  const files = filesIn(own)
  const taken = [...(await takenIn(request.root)), ...files.map((file) => topOf(file.path))]
  const around = { prompts: known.map(({ prompt }) => prompt), taken }
  const firstId = Math.max(0, ...known.map(({ id }) => id)) + 1
  const review = (cases: readonly DraftedCase[]) => reviewDrafts({ cases, count, firstId, skill, around })
  await using opened = await openModel()
  const prompt = await promptFor(request, { count, known, files })
  const asked = await ask({
    ...questionTo(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' }),
    schema: casesAnswer,
    review: async ({ cases }) => complaint(await review(cases)),
  })
  if (asked.status === 'error') return { error: asked.error, spent: asked.spent }
  return { ...(await review(asked.value.cases)), spent: asked.spent }
}

const mostSaid = 12

/** What the model is told of its answer; null: it can be taken whole. */
function complaint({ leftOut, problems }: Reviewed): string | null {
  const all = [...leftOut.map(({ name, reason }) => `${name.slice(0, 60)}: ${reason}`), ...problems]
  if (all.length === 0) return null
  return [...all.slice(0, mostSaid), ...(all.length > mostSaid ? [`and ${all.length - mostSaid} more`] : [])].join(
    '\n- ',
  )
}

async function promptFor(
  { skill, root }: Pick<DraftRequest, 'skill' | 'root'>,
  { count, known, files }: { count: number; known: readonly { name: string; prompt: string }[]; files: DraftFile[] },
): Promise<string> {
  const text = await readFile(path.join(skill.path, 'SKILL.md'), 'utf8')
  const others = (await skillFiles(skill.path)).files.map((file) => file.path).filter((name) => name !== 'SKILL.md')
  const taken = [...(await takenIn(root)), ...files.map((file) => topOf(file.path))]
  return caseDraftPrompt({ count, name: skill.name, skill: text, files: others, known, taken }, fenceFor)
}

function topOf(file: string): string {
  return file.slice(draftFiles.length + 1).split('/')[0] ?? ''
}

async function takenIn(root: string): Promise<string[]> {
  return (await readdir(path.join(root, draftFiles)).catch(() => [])).sort()
}

function eventOf({ skill, by, count }: DraftRequest, made: number, left_out: number) {
  return { type: 'drafting', skill_name: skill.name, by, wanted: count, made, left_out } as const
}
