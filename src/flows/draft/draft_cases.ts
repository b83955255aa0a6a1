/** Has a model draft cases for a skill in batches; asks once more for an answer that is not fully usable. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EvalCase, EvalsFile } from '../../../schemas/evals.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { openScratch } from '../../base/fs/temp_dir.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { buildCodeFence } from '../../base/text/fence.ts'
import { askEngine } from '../../engines/ask/ask.ts'
import { type CallUsage, sumCallUsage } from '../../engines/ask/cost_meter.ts'
import { checkSkill } from '../../phases/1-plan/check/check_skill.ts'
import type { DraftContext, MistakesByCase } from '../../phases/1-plan/draft/draft_answer.ts'
import {
  casesAnswer,
  type DraftedCase,
  type DraftFile,
  draftFiles,
  draftShortfalls,
  findDraftMistakes,
  toDraftedEvalCase,
} from '../../phases/1-plan/draft/draft_answer.ts'
import { caseDraftPrompt } from '../../phases/1-plan/draft/draft_prompt.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { buildJudgeTask } from '../../phases/3-judge/judge_request.ts'
import type { FlowContext } from '../flow_context.ts'
import type { OpenJudge } from '../judge/open_judge.ts'
import type { Limits } from '../limits/limits.ts'
import { explainOverBudget } from './estimate_drafts.ts'

export interface DraftRequest {
  skill: Skill
  count: number
  /** The folder for drafted files, absolute: the skill's, or that of a suite outside it. */
  root: string
  /** Existing cases: drafts must differ, with ids after theirs. */
  known: readonly { id: number; name: string; prompt: string }[]
  /** The drafting model's name in events. */
  by: string
  /** Most dollars and tokens to spend. */
  limits: Limits
  openModel: OpenJudge
}

export interface DraftedCases {
  /** How many were requested. */
  wanted: number
  evals: EvalCase[]
  files: DraftFile[]
  leftOut: ReviewedDrafts['leftOut']
  /** What an author should check first. */
  problems: string[]
  /** Why there are fewer than requested; null: all were drafted. */
  missing: string | null
  spent: CallUsage
}

/** Per answer: many models truncate a longer one. */
const mostAtOnce = 10

/** The first prompt, to inspect before paying. */
export async function buildFirstPrompt(request: Omit<DraftRequest, 'openModel' | 'by' | 'limits'>): Promise<string> {
  return buildCasesPrompt(request, { count: Math.min(mostAtOnce, request.count), known: request.known, files: [] })
}

/** How many answers the cases need without repeats. */
export function countAnswers(count: number): number {
  return Math.ceil(count / mostAtOnce)
}

/** Rejects only with the abort reason; `missing` explains it if a model gives nothing usable. */
export async function draftCases(request: DraftRequest, context: FlowContext): Promise<DraftedCases> {
  const kept: ReviewedDrafts['kept'] = []
  const leftOut: ReviewedDrafts['leftOut'] = []
  const problems: string[] = []
  const spent: CallUsage[] = []
  let missing: string | null = null
  // one extra answer replaces cases that were left out
  for (let round = 0; round <= countAnswers(request.count) && kept.length < request.count; round += 1) {
    context.emit(draftingEvent(request, kept.length, leftOut.length))
    if (context.drain.aborted) missing = 'interrupted'
    else missing = explainOverBudget(spent, request.limits)
    const made = missing === null ? await requestDrafts(request, kept) : null
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
  context.emit(draftingEvent(request, kept.length, leftOut.length))
  const short = kept.length < request.count ? 'the others could not be used' : null
  return {
    wanted: request.count,
    evals: kept.map((one) => one.case),
    files: collectDraftFiles(kept.map(({ drafted }) => drafted)),
    leftOut,
    problems,
    missing: missing ?? short,
    spent: sumCallUsage(spent),
  }
}

type Answer = { spent: CallUsage } & (ReviewedDrafts | { error: string })

async function requestDrafts(request: DraftRequest, before: ReviewedDrafts['kept']): Promise<Answer> {
  const { skill, openModel } = request
  const count = Math.min(mostAtOnce, request.count - before.length)
  const own = before.map(({ drafted, case: one }) => ({ id: one.id ?? 0, ...drafted }))
  const known = [...request.known, ...own]
  const files = collectDraftFiles(own)
  const taken = [...(await listTakenNames(request.root)), ...files.map((file) => topFolderName(file.path))]
  const around = { prompts: known.map(({ prompt }) => prompt), taken }
  const firstId = Math.max(0, ...known.map(({ id }) => id)) + 1
  const review = (cases: readonly DraftedCase[]) => reviewDrafts({ cases, count, firstId, skill, around })
  await using opened = await openModel()
  const prompt = await buildCasesPrompt(request, { count, known, files })
  const asked = await askEngine({
    ...buildJudgeTask(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' }),
    schema: casesAnswer,
    review: async ({ cases }) => complaint(await review(cases)),
  })
  if (asked.status === 'error') return { error: asked.error, spent: asked.spent }
  return { ...(await review(asked.value.cases)), spent: asked.spent }
}

const maxComplaints = 12

/** The feedback on the model's answer; null: the answer is fully usable. */
function complaint({ leftOut, problems }: ReviewedDrafts): string | null {
  const all = [...leftOut.map(({ name, reason }) => `${name.slice(0, 60)}: ${reason}`), ...problems]
  if (all.length === 0) return null
  return [
    ...all.slice(0, maxComplaints),
    ...(all.length > maxComplaints ? [`and ${all.length - maxComplaints} more`] : []),
  ].join('\n- ')
}

async function buildCasesPrompt(
  { skill, root }: Pick<DraftRequest, 'skill' | 'root'>,
  { count, known, files }: { count: number; known: readonly { name: string; prompt: string }[]; files: DraftFile[] },
): Promise<string> {
  const text = await readFile(path.join(skill.path, 'SKILL.md'), 'utf8')
  const others = (await listSkillFiles(skill.path)).files.map((file) => file.path).filter((name) => name !== 'SKILL.md')
  const taken = [...(await listTakenNames(root)), ...files.map((file) => topFolderName(file.path))]
  return caseDraftPrompt({ count, name: skill.name, skill: text, files: others, known, taken }, buildCodeFence)
}

function topFolderName(file: string): string {
  return file.slice(draftFiles.length + 1).split('/')[0] ?? ''
}

async function listTakenNames(root: string): Promise<string[]> {
  return (await readdir(path.join(root, draftFiles)).catch(() => [])).sort()
}

function draftingEvent({ skill, by, count }: DraftRequest, made: number, left_out: number) {
  return { type: 'drafting', skill_name: skill.name, by, wanted: count, made, left_out } as const
}

/** Checks drafted cases with the rules of `check` on a copy; cases with errors are not written. */
interface ReviewedDrafts {
  /** Cases that can be written, with their files. */
  kept: { drafted: DraftedCase; case: EvalCase }[]
  leftOut: { name: string; reason: string }[]
  /** What an author should check first; none of it prevents writing a case. */
  problems: string[]
}

interface ReviewRequest {
  cases: readonly DraftedCase[]
  count: number
  /** The id of the first case. */
  firstId: number
  skill: Skill
  around: DraftContext
}

/** Every case is either kept or left out with a reason. Kept cases get ids in order. */
async function reviewDrafts({ cases, count, firstId, skill, around }: ReviewRequest): Promise<ReviewedDrafts> {
  const own = findDraftMistakes(cases, around)
  const sound = cases.filter((_, index) => !own.has(index))
  const { errors, problems } = await checkDrafts(sound, skill)
  const kept = sound.filter((_, index) => !errors.has(index)).slice(0, count)
  const spare = sound.filter((_, index) => !errors.has(index)).slice(count)
  return {
    kept: kept.map((drafted, index) => ({ drafted, case: toDraftedEvalCase(drafted, firstId + index) })),
    leftOut: [
      ...toLeftOut(cases, own),
      ...toLeftOut(sound, errors),
      ...spare.map(({ name }) => ({ name, reason: 'more than requested' })),
    ],
    problems: [...draftShortfalls(cases, { count, name: skill.name }), ...problems],
  }
}

function collectDraftFiles(cases: readonly DraftedCase[]): DraftFile[] {
  return [...new Map(cases.flatMap(({ files }) => files).map((file) => [file.path, file])).values()]
}

function toLeftOut(cases: readonly DraftedCase[], mistakes: MistakesByCase): ReviewedDrafts['leftOut'] {
  return [...mistakes].map(([index, reasons]) => ({ name: cases[index]?.name ?? '', reason: reasons.join('; ') }))
}

/** Rules that every draft breaks: it is a draft, and the requested suite may be small. */
const ignoredRules: ReadonlySet<string> = new Set(['unreviewed-draft', 'suite-small'])

async function checkDrafts(
  cases: readonly DraftedCase[],
  skill: Skill,
): Promise<{ errors: MistakesByCase; problems: string[] }> {
  if (cases.length === 0) return { errors: new Map(), problems: [] }
  await using scratch = await openScratch()
  const root = path.join(scratch.path, skill.name)
  const file = path.join(root, 'evals', 'evals.json')
  await mkdir(path.dirname(file), { recursive: true })
  for (const { path: name, content } of collectDraftFiles(cases)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), content)
  }
  const frontmatter = `name: ${JSON.stringify(skill.name)}\ndescription: ${JSON.stringify(skill.description)}`
  await writeFile(path.join(root, 'SKILL.md'), `---\n${frontmatter}\n---\n\nSkill.\n`)
  const evals = cases.map((one, index) => toDraftedEvalCase(one, index + 1))
  await writeFile(file, jsonText({ skill_name: skill.name, evals } satisfies EvalsFile))
  const { problems } = await checkSkill(file)
  const errors = new Map<number, string[]>()
  const rest: string[] = []
  for (const { file: place, rule, severity, at, message } of problems) {
    const [, index] = /^\$\.evals\[(\d+)\]/.exec(at ?? '') ?? []
    if (place !== file || ignoredRules.has(rule) || severity === 'info') continue
    // rules number the cases by position here, which differs from their final ids
    const said = `${message.replace(/^case \d+ \(.*?\): /, '')} [${rule}]`
    if (index !== undefined && severity === 'error') {
      errors.set(Number(index), [...(errors.get(Number(index)) ?? []), said])
    } else rest.push(index === undefined ? said : `${cases[Number(index)]?.name}: ${said}`)
  }
  return { errors, problems: rest }
}
