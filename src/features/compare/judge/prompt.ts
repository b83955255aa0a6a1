/** The prompts of a comparison and what they ask for. Their types keep it blind: they accept only blind text, and no name or path. */
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import * as z from 'zod'
import {
  type ComparedResults,
  type ComparedSide,
  type Comparison,
  type Criteria,
  criterion,
} from '../../../../schemas/comparison.ts'
import { foldLines } from '../../../base/text/fence.ts'
import { fenceTask } from '../../../phases/3-judge/judge/judge_prompt.ts'
import type { BlindText, ShownDelivery } from './blind.ts'

/** The template on disk, which is part of a comparison's key. */
export const comparePromptSource = readFileSync(new URL('./compare_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(comparePromptSource, { strict: true, noEscape: true })

/** The task that both agents got. */
export interface BlindTask {
  prompt: BlindText
  expectedOutput: BlindText | null
  /** Numbered from 1, in order. */
  expectations: readonly BlindText[]
}

export interface ComparePromptRequest {
  task: BlindTask
  criteria: Criteria
  shown: readonly [ShownDelivery, ShownDelivery]
  hasInputs: boolean
}

export function comparePrompt({ task, criteria, shown, hasInputs }: ComparePromptRequest): string {
  const { prompt, expectedOutput, expectations } = task
  return template({
    sides: shown.map((side, index) => ({ label: shownLabels[index], ...side })),
    hasInputs,
    ...fenceTask({ prompt, expectedOutput }),
    content: criteria.content,
    structure: criteria.structure,
    expectations:
      expectations.length > 0 && expectations.map((text, index) => ({ n: index + 1, text: foldLines(text) })),
  })
}

export const criteriaPromptSource = readFileSync(new URL('./criteria_prompt.md', import.meta.url), 'utf8')
const criteriaTemplate = Handlebars.compile(criteriaPromptSource, { strict: true, noEscape: true })

const criterionList = z.array(criterion).min(2).max(5)

export const criteriaAnswer = z.object({ content: criterionList, structure: criterionList })

export function criteriaPrompt(task: BlindTask): string {
  return criteriaTemplate(fenceTask(task))
}

/** Normalises the names and removes duplicates. null: too few remain. */
export function chosenCriteria(answer: z.infer<typeof criteriaAnswer>): Criteria | null {
  const taken = new Set<string>()
  const tidy = (list: z.infer<typeof criterionList>) =>
    list.flatMap(({ name, meaning }) => {
      const plain = name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replaceAll(/^_+|_+$/g, '')
      if (plain === '' || taken.has(plain)) return []
      taken.add(plain)
      return [{ name: plain, meaning: foldLines(meaning) }]
    })
  const chosen = { chosen_by: 'judge' as const, content: tidy(answer.content), structure: tidy(answer.structure) }
  return chosen.content.length < 2 || chosen.structure.length < 2 ? null : chosen
}

export const usualCriteria: Criteria = {
  chosen_by: 'usual',
  content: [
    { name: 'correctness', meaning: 'What is delivered is right.' },
    { name: 'completeness', meaning: 'Nothing that the task asks for is missing.' },
    { name: 'accuracy', meaning: 'Details, figures and names are exact.' },
  ],
  structure: [
    { name: 'organization', meaning: 'Parts stand where one looks for them.' },
    { name: 'formatting', meaning: 'It looks consistent and finished.' },
    { name: 'usability', meaning: 'Its user can use it as it is.' },
  ],
}

const list = z.array(z.string()).default([]).catch([])

const side = z.object({
  scores: z.array(z.object({ criterion: z.string(), score: z.number().int().min(1).max(5) })),
  strengths: list,
  weaknesses: list,
  expectations: z
    .array(z.object({ n: z.number(), passed: z.boolean() }))
    .default([])
    .catch([]),
})

export const compareAnswer = z.object({
  winner: z.enum(['D1', 'D2', 'TIE']),
  reasoning: z.string().min(1),
  D1: side,
  D2: side,
})

/** Labels of the deliveries by their place; names that prose does not contain by chance. */
const shownLabels = ['D1', 'D2'] as const

export type CompareAnswer = z.infer<typeof compareAnswer>

export type SideLabel = 'A' | 'B'
type PerSide<T> = Record<SideLabel, T>

/** The answer to one order, in the labels of the pair. */
export interface OrderJudgement {
  first: SideLabel
  winner: Comparison['winner']
  reasoning: string
  rubric: PerSide<ComparedSide>
  strengths: PerSide<string[]>
  weaknesses: PerSide<string[]>
  /** One per expectation, in order. */
  passed: PerSide<boolean[]>
  contradicts: boolean
}

export interface ComparisonQuestion {
  criteria: Criteria
  expectations: number
}

/** What the judge has to fix, in one line; null: nothing is missing. */
export function findMissingInComparison(answer: CompareAnswer, asks: ComparisonQuestion): string | null {
  const names = [...asks.criteria.content, ...asks.criteria.structure].map(({ name }) => name)
  const wrong = shownLabels.flatMap((label) => {
    const { scores, expectations } = answer[label]
    const given = (name: string) => scores.filter(({ criterion }) => plain(criterion) === name)
    const unscored = names.filter((name) => given(name).length === 0)
    const doubled = names.filter((name) => new Set(given(name).map(({ score }) => score)).size > 1)
    const undecided = Array.from({ length: asks.expectations }, (_, index) => index + 1).filter(
      (n) => new Set(expectations.filter((one) => one.n === n).map(({ passed }) => passed)).size !== 1,
    )
    return [
      ...unscored.map((name) => `${label}: no score for ${name}`),
      ...doubled.map((name) => `${label}: scores for ${name} that contradict`),
      ...undecided.map((n) => `${label}: expectation ${n} needs one verdict`),
    ]
  })
  return wrong.length === 0 ? null : wrong.join('; ')
}

/** Converts a complete answer to the order in which `first` was shown first, from D1 and D2 to A and B. */
export function toOrderJudgement(answer: CompareAnswer, asks: ComparisonQuestion, first: SideLabel): OrderJudgement {
  const labels = { D1: first, D2: first === 'A' ? ('B' as const) : ('A' as const), TIE: 'TIE' as const }
  const words = (text: string) => text.replaceAll(/\bD1\b/g, labels.D1).replaceAll(/\bD2\b/g, labels.D2)
  const [one, two] = first === 'A' ? [answer.D1, answer.D2] : [answer.D2, answer.D1]
  const both = <T>(of: (side: CompareAnswer['D1']) => T): PerSide<T> => ({ A: of(one), B: of(two) })
  const winner = labels[answer.winner]
  const rubric = both((side) => scoreAnswer(side, asks.criteria))
  return {
    first,
    winner,
    reasoning: words(answer.reasoning),
    rubric,
    strengths: both(({ strengths }) => strengths.map(words)),
    weaknesses: both(({ weaknesses }) => weaknesses.map(words)),
    passed: both(({ expectations }) =>
      Array.from({ length: asks.expectations }, (_, at) => expectations.find(({ n }) => n === at + 1)?.passed === true),
    ),
    contradicts: contradicts(winner, rubric),
  }
}

export function contradicts(winner: Comparison['winner'], { A, B }: OrderJudgement['rubric']): boolean {
  if (winner === 'TIE') return false
  const lead = A.overall_score - B.overall_score
  return winner === 'A' ? lead < 0 : lead > 0
}

function scoreAnswer({ scores }: CompareAnswer['D1'], { content, structure }: Criteria): ComparedSide {
  const of = (names: Criteria['content']) =>
    Object.fromEntries(
      names.map(({ name }) => [name, scores.find(({ criterion }) => plain(criterion) === name)?.score ?? 1] as const),
    )
  return scoreSide(of(content), of(structure))
}

/** Means to one decimal, and their sum. */
export function scoreSide(content: Record<string, number>, structure: Record<string, number>): ComparedSide {
  const [content_score, structure_score] = [meanScore(content), meanScore(structure)]
  return { content, structure, content_score, structure_score, overall_score: tenths(content_score + structure_score) }
}

/** Computed from the verdicts. */
export function toComparedResults(texts: readonly string[], passed: readonly boolean[]): ComparedResults {
  const details = texts.map((text, index) => ({ text, passed: passed[index] === true }))
  const met = details.filter((one) => one.passed).length
  return { passed: met, total: details.length, pass_rate: met / Math.max(1, details.length), details }
}

function meanScore(scores: Record<string, number>): number {
  const values = Object.values(scores)
  return tenths(values.reduce((sum, one) => sum + one, 0) / values.length)
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
}
