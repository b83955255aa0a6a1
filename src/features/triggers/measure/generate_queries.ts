/** triggers --generate: has a model draft queries for a skill into a separate file, marked for review. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import Handlebars from 'handlebars'
import * as z from 'zod'
import { IncompleteError, UserError } from '../../../base/errors/error.ts'
import { writeAtomic } from '../../../base/fs/durable_files.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { SandboxWish } from '../../../base/sandbox/choose.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { createJudgeOpener } from '../../../flows/judge/open_judge.ts'
import { openAccountLimiters } from '../../../flows/limits/rate_limiters.ts'
import { preflight } from '../../../flows/prepare/preflight.ts'
import { resolveSkillFolder } from '../../../flows/prepare/prepare_bench.ts'
import { clearLeftovers } from '../../../flows/workspace/benchmark_lock.ts'
import { draftMark } from '../../../phases/1-plan/formats/evals_json/case.ts'
import { readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { buildJudgeTask } from '../../../phases/3-judge/judge_request.ts'
import { chooseTriggerEngine, readDistractors, type TriggerSettings } from './prepare_triggers.ts'

export interface GenerateRequest
  extends Pick<TriggerSettings, 'engine' | 'model' | 'baseUrl' | 'among' | 'passEnv' | 'pace' | 'links'> {
  skill: string
  count: number
  /** null: evals/trigger-eval.draft.json in the skill. */
  output: string | null
  sandbox: SandboxWish | null
}

export interface GeneratedQueries {
  /** Absolute. */
  file: string
  drafts: TriggerDrafts
  /** A remaining problem with the drafts; null: none. */
  problem: string | null
  costUsd: number | null
}

/** Never overwrites a file. Throws UserError, or IncompleteError if the model gave no usable answer. */
export async function generateQueries(request: GenerateRequest, context: FlowContext): Promise<GeneratedQueries> {
  await clearLeftovers(context)
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)), request.links)
  const file = path.resolve(request.output ?? path.join(skill.path, 'evals', 'trigger-eval.draft.json'))
  if (await pathExists(file))
    throw new UserError(`${file}: it already exists`, 'rename it after your review, or add --output FILE')
  const { skills: others } = await readDistractors(request, skill)
  const choice = await chooseTriggerEngine(request, { context, lenient: false, choices: [] })
  const { passEnv, sandbox, count } = request
  await preflight({ '--model': choice }, passEnv, context)
  using pace = openAccountLimiters(request.pace, context)
  const openModel = await createJudgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  await using opened = await openModel()
  const { name } = skill
  const text = await readFile(path.join(skill.path, 'SKILL.md'), 'utf8')
  const prompt = triggerDraftPrompt({ count, name, skill: text, others }, buildCodeFence)
  const question = buildJudgeTask(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' })
  const review = ({ queries }: { queries: TriggerDrafts }) => draftsProblem(queries, { count, name })
  const asked = await askEngine({ ...question, schema: draftsAnswer, review })
  if (asked.status === 'error') throw new IncompleteError(`no queries were drafted: ${asked.error}`)
  const drafts = asked.value.queries
  const marked = drafts.map((one) => ({ ...one, review: draftMark }))
  await writeAtomic(file, `${jsonText(marked, 2)}\n`)
  return { file, drafts, problem: draftsProblem(drafts, { count, name }), costUsd: asked.spent.costUsd }
}

const source = readFileSync(new URL('./generate_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

const draftsAnswer = z.object({
  queries: z.array(
    z.object({
      query: z.string().min(1),
      should_trigger: z.boolean(),
      kind: z.enum(['typical', 'indirect', 'near_miss', 'unrelated']),
      reason: z.string(),
    }),
  ),
})

type TriggerDrafts = z.infer<typeof draftsAnswer>['queries']

interface TriggerDraftWords {
  count: number
  name: string
  skill: string
  others: readonly { name: string; description: string }[]
}

const longestSkill = 12_000

/** `fenceFor` returns a fence that these texts cannot close. */
function triggerDraftPrompt(
  { count, name, skill, others }: TriggerDraftWords,
  fenceFor: (text: string) => string,
): string {
  const shown = skill.length > longestSkill ? `${skill.slice(0, longestSkill)}\n…` : skill
  const listed = others.map((one) => JSON.stringify({ name: one.name, description: one.description })).join('\n')
  const positive = Math.ceil(count / 2)
  const fence = fenceFor(`${shown}\n${listed}`)
  return template({ count, positive, negative: count - positive, name, skill: shown, others: listed, fence })
}

/** Describes the first problem of an answer; null: none. */
function draftsProblem(drafts: TriggerDrafts, { count, name }: { count: number; name: string }): string | null {
  const positive = drafts.filter(({ should_trigger }) => should_trigger).length
  const negative = drafts.length - positive
  const near = drafts.filter((one) => !one.should_trigger && one.kind === 'near_miss').length
  const texts = new Set(drafts.map(({ query }) => query.trim().toLowerCase()))
  const named = drafts.find(({ query }) => query.toLowerCase().includes(name.toLowerCase()))
  if (drafts.length !== count) return `there are ${drafts.length} queries; ${count} were asked for`
  if (positive !== Math.ceil(count / 2))
    return `${positive} queries should trigger; ${Math.ceil(count / 2)} were asked for`
  if (near * 2 < negative) return `only ${near} of ${negative} queries that should not trigger are near misses`
  if (texts.size < drafts.length) return 'some queries are the same'
  return named === undefined ? null : `a query names the skill: ${named.query.slice(0, 80)}`
}
