/** Has a model write the next description, from what the best so far led to on the training queries. */
import { z } from 'zod'
import type { Triggers } from '../../../schemas/triggers.ts'
import { ask } from '../../phases/3-judge/ask.ts'
import { questionTo } from '../../phases/3-judge/compare/asking.ts'
import { fenceFor } from '../../phases/3-judge/fence.ts'
import type { Spent } from '../../phases/3-judge/meter.ts'
import { descriptionProblem, tidied } from '../../phases/5-improve/description/edit.ts'
import { descriptionPrompt } from '../../phases/5-improve/description/prompt.ts'
import type { FlowContext } from '../context.ts'
import type { OpenJudge } from '../judge_opener.ts'
import type { PreparedTriggers } from './prepare_triggers.ts'
import { type Attempt, meanBehaves } from './search.ts'

const proposal = z.object({ description: z.string(), why: z.string() })

/** Who is asked, and of what skill. */
export interface Asker {
  openJudge: OpenJudge
  /** SKILL.md. */
  skill: string
  prepared: PreparedTriggers
}

/** A description with what it led to on the training queries. */
export type Tried = Attempt<Triggers['results'][number]>

/** Never rejects for what the model does: a proposal that can't be used comes with its problem. */
export async function proposeDescription(
  { openJudge, skill, prepared }: Asker,
  { best, attempts }: { best: Tried; attempts: readonly Tried[] },
  context: FlowContext,
): Promise<{ description: string; problem: string | null; spent: Spent }> {
  const results = best.train ?? []
  const queries = results.map(({ query }) => query)
  const { plan } = prepared
  const prompt = descriptionPrompt(
    {
      name: plan.skill.name,
      skill,
      description: best.description,
      observed: results.map(({ query, should_trigger, trigger_rate, query_runs }) => {
        return {
          query,
          should_trigger,
          trigger_rate,
          instead: [...new Set(query_runs.flatMap(({ others }) => others))],
        }
      }),
      others: plan.runs[0]?.among ?? [],
      attempts: attempts.map(({ description, train, refused }) => {
        return { description, behaves: train === null ? null : meanBehaves(train), note: refused ?? '' }
      }),
    },
    fenceFor,
  )
  await using opened = await openJudge()
  const question = questionTo(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' })
  const review = (value: z.infer<typeof proposal>) => descriptionProblem(value.description, queries)
  const answer = await ask({ ...question, schema: proposal, review })
  const { spent } = answer
  const round = attempts.length
  if (answer.status === 'error') {
    const refused = `the proposer gave no answer: ${answer.error}`
    tell(context, { round, description: '', train: null, refused })
    return { description: '', problem: refused, spent }
  }
  const description = tidied(answer.value.description)
  const problem = descriptionProblem(description, queries)
  if (problem !== null) tell(context, { round, description, train: null, refused: problem })
  return { description, problem, spent }
}

/** Says what a description reached. */
export function tell(context: FlowContext, { round, description, train, refused }: Tried): void {
  const behaves = train === null ? null : meanBehaves(train)
  context.emit({ type: 'description_measured', round, description, behaves, refused })
}
