/** Has a model write the next description from the best one's results on the training queries. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'
import type { Triggers } from '../../../../schemas/triggers.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { askEngine } from '../../../engines/ask/ask.ts'
import type { CallUsage } from '../../../engines/ask/cost_meter.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { OpenJudge } from '../../../flows/judge/open_judge.ts'
import { buildJudgeTask } from '../../../phases/3-judge/judge_request.ts'
import type { PreparedTriggers } from '../measure/prepare_triggers.ts'
import { descriptionProblem, normalizeDescription } from './edit.ts'
import { type MeasuredAttempt, meanBehaveRate } from './search.ts'

const proposal = z.object({ description: z.string(), why: z.string() })

/** The model to ask, and the skill. */
export interface DescriptionProposer {
  openJudge: OpenJudge
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

export function emitDescriptionMeasured(
  context: FlowContext,
  { round, description, train, refused }: TriedDescription,
): void {
  const behaves = train === null ? null : meanBehaveRate(train)
  context.emit({ type: 'description_measured', round, description, behaves, refused })
}

const source = readFileSync(new URL('./description_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

/** A query as the proposer sees it; test queries are never shown. */
interface ObservedQuery {
  query: string
  should_trigger: boolean
  trigger_rate: number | null
  /** Other skills that its runs read. */
  instead: readonly string[]
}

export interface DescriptionWords {
  name: string
  skill: string
  description: string
  observed: readonly ObservedQuery[]
  /** Installed with the skill: name and description. */
  others: readonly { name: string; description: string }[]
  /** Each with its result on the training queries. */
  attempts: readonly { description: string; behaves: number | null; note: string }[]
}

const longestSkill = 12_000

/** `fenceFor` returns a fence that these texts can't close. */
export function descriptionPrompt(words: DescriptionWords, fenceFor: (text: string) => string): string {
  const skill = words.skill.length > longestSkill ? `${words.skill.slice(0, longestSkill)}\n…` : words.skill
  const observed = words.observed.map((one) => JSON.stringify(one)).join('\n')
  const others = words.others.map(({ name, description }) => JSON.stringify({ name, description })).join('\n')
  const attempts = words.attempts.map((one) => JSON.stringify(one)).join('\n')
  const { name, description } = words
  const fence = fenceFor([skill, observed, others, attempts, description].join('\n'))
  return template({ name, description, skill, observed, others, attempts, fence })
}
