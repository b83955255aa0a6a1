/** triggers --generate: has a model draft queries for a skill, in a file of their own, marked for review. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { writeAtomic } from '../../base/durable.ts'
import { IncompleteError, UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { reapRooms } from '../../base/room.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { draftMark } from '../../phases/1-plan/formats/evals_json/case.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { type Drafts, draftPrompt, draftsAnswer, draftsProblem } from '../../phases/1-plan/triggers/generate.ts'
import { ask } from '../../phases/3-judge/ask.ts'
import { questionTo } from '../../phases/3-judge/compare/asking.ts'
import { fenceFor } from '../../phases/3-judge/fence.ts'
import type { FlowContext } from '../context.ts'
import { judgeOpener } from '../judge_opener.ts'
import { openPace } from '../pace.ts'
import { preflight } from '../preflight.ts'
import { skillFolder } from '../prepare.ts'
import { skillsAmong } from './among.ts'
import { type AskingWish, chooseEngine } from './prepare_triggers.ts'

export interface GenerateRequest
  extends Pick<AskingWish, 'engine' | 'model' | 'baseUrl' | 'among' | 'passEnv' | 'pace'> {
  /** The skill's folder. */
  skill: string
  count: number
  /** null: evals/trigger-eval.draft.json in the skill. */
  output: string | null
  sandbox: SandboxWish | null
}

export interface Generated {
  /** Absolute. */
  file: string
  drafts: Drafts
  /** What is still wrong with them; null: nothing. */
  problem: string | null
  costUsd: number | null
}

/** A file that is there is never written over. Throws UserError, or IncompleteError where the model gave no usable answer. */
export async function generateQueries(request: GenerateRequest, context: FlowContext): Promise<Generated> {
  await reapRooms()
  const { skill } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const file = path.resolve(request.output ?? path.join(skill.path, 'evals', 'trigger-eval.draft.json'))
  if (await exists(file))
    throw new UserError(`${file}: it is there already`, 'rename it once it is reviewed, or give --output FILE')
  const { skills: others } = await skillsAmong(request.among, skill)
  const choice = await chooseEngine(request, { context, lenient: false, choices: [] })
  const { passEnv, sandbox, count } = request
  await preflight({ '--model': choice }, passEnv, context)
  using pace = openPace(request.pace, context)
  const openModel = await judgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  await using opened = await openModel()
  const { name } = skill
  const text = await readFile(path.join(skill.path, 'SKILL.md'), 'utf8')
  const prompt = draftPrompt({ count, name, skill: text, others }, fenceFor)
  const question = questionTo(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' })
  const review = ({ queries }: { queries: Drafts }) => draftsProblem(queries, { count, name })
  const asked = await ask({ ...question, schema: draftsAnswer, review })
  if (asked.status === 'error') throw new IncompleteError(`no queries were drafted: ${asked.error}`)
  const drafts = asked.value.queries
  const marked = drafts.map((one) => ({ ...one, review: draftMark }))
  await writeAtomic(file, `${JSON.stringify(marked, null, 2)}\n`)
  return { file, drafts, problem: draftsProblem(drafts, { count, name }), costUsd: asked.spent.costUsd }
}
