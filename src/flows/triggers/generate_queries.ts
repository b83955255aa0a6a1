/** triggers --generate: has a model draft queries for a skill into a separate file, marked for review. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { buildCodeFence } from '../../base/text/fence.ts'
import { askEngine } from '../../engines/ask/ask.ts'
import { draftMark } from '../../phases/1-plan/formats/evals_json/case.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import {
  draftsAnswer,
  draftsProblem,
  type TriggerDrafts,
  triggerDraftPrompt,
} from '../../phases/1-plan/triggers/draft_queries.ts'
import { buildJudgeTask } from '../../phases/3-judge/compare/ask_outside_grading.ts'
import type { FlowContext } from '../flow_context.ts'
import { createJudgeOpener } from '../judge/open_judge.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { preflight } from '../prepare/preflight.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { clearLeftovers } from '../workspace/clear_leftovers.ts'
import { readDistractors } from './competing_skills.ts'
import { chooseTriggerEngine, type TriggerSettings } from './prepare_triggers.ts'

export interface GenerateRequest
  extends Pick<TriggerSettings, 'engine' | 'model' | 'baseUrl' | 'among' | 'passEnv' | 'pace' | 'links'> {
  /** The skill's folder. */
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
