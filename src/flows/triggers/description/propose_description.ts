/** Has a model write the next description from the best one's results on the training queries. */
import * as z from 'zod'
import type { Triggers } from '../../../../schemas/triggers.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import type { CallUsage } from '../../../engines/ask/cost_meter.ts'
import { buildJudgeTask } from '../../../phases/3-judge/compare/ask_outside_grading.ts'
import { descriptionProblem, normalizeDescription } from '../../../phases/5-improve/description/edit.ts'
import { descriptionPrompt } from '../../../phases/5-improve/description/prompt.ts'
import type { FlowContext } from '../../flow_context.ts'
import type { OpenJudge } from '../../judge/open_judge.ts'
import type { PreparedTriggers } from '../prepare_triggers.ts'
import { type MeasuredAttempt, meanBehaveRate } from './search.ts'

const proposal = z.object({ description: z.string(), why: z.string() })

/** The model to ask, and the skill. */
export interface DescriptionProposer {
  openJudge: OpenJudge
  /** The text of SKILL.md. */
  skill: string
  prepared: PreparedTriggers
}

/** A description with its results on the training queries. */
export type TriedDescription = MeasuredAttempt<Triggers['results'][number]>

/** Never rejects because of the model: an unusable proposal comes with its problem. */
export async function proposeDescription(
  { openJudge, skill, prepared }: DescriptionProposer,
  { best, attempts }: { best: TriedDescription; attempts: readonly TriedDescription[] },
  context: FlowContext,
): Promise<{ description: string; problem: string | null; spent: CallUsage }> {
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
        return { description, behaves: train === null ? null : meanBehaveRate(train), note: refused ?? '' }
      }),
    },
    buildCodeFence,
  )
  await using opened = await openJudge()
  const question = buildJudgeTask(opened.asking, { prompt, cwd: opened.cwd, mark: null, tools: 'none' })
  const review = (value: z.infer<typeof proposal>) => descriptionProblem(value.description, queries)
  const answer = await askEngine({ ...question, schema: proposal, review })
  const { spent } = answer
  const round = attempts.length
  if (answer.status === 'error') {
    const refused = `the proposer gave no answer: ${answer.error}`
    emitDescriptionMeasured(context, { round, description: '', train: null, refused })
    return { description: '', problem: refused, spent }
  }
  const description = normalizeDescription(answer.value.description)
  const problem = descriptionProblem(description, queries)
  if (problem !== null) emitDescriptionMeasured(context, { round, description, train: null, refused: problem })
  return { description, problem, spent }
}

/** Emits the results of a description. */
export function emitDescriptionMeasured(
  context: FlowContext,
  { round, description, train, refused }: TriedDescription,
): void {
  const behaves = train === null ? null : meanBehaveRate(train)
  context.emit({ type: 'description_measured', round, description, behaves, refused })
}
