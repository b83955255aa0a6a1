/** Builds the prompt that asks a model to draft trigger queries, and checks its answer. Pure. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'

const source = readFileSync(new URL('./generate_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(source, { strict: true, noEscape: true })

export const draftsAnswer = z.object({
  queries: z.array(
    z.object({
      query: z.string().min(1),
      should_trigger: z.boolean(),
      kind: z.enum(['typical', 'indirect', 'near_miss', 'unrelated']),
      reason: z.string(),
    }),
  ),
})

export type TriggerDrafts = z.infer<typeof draftsAnswer>['queries']

export interface TriggerDraftWords {
  count: number
  name: string
  /** Text of SKILL.md. */
  skill: string
  others: readonly { name: string; description: string }[]
}

const longestSkill = 12_000

/** `fenceFor` returns a fence that these texts cannot close. */
export function triggerDraftPrompt(
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
export function draftsProblem(drafts: TriggerDrafts, { count, name }: { count: number; name: string }): string | null {
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
