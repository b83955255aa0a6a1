/** The prompt for a golden test's judge: the body of judge.md, filled as Python's `str.format` fills it. */
import type { ExpectedFact, Golden } from '../../../schemas/golden.ts'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import type { CutPart } from '../../phases/3-judge/judge/ask_plain_text.ts'
import { omitMiddle } from '../../phases/3-judge/judge/transcript_view.ts'

const titles = {
  rubric: 'Rubric',
  test_input: 'Test input',
  expected_behavior: 'Expected behavior',
  pass_criteria: 'Pass criteria',
  agent_response: "Agent's response",
  trajectory: 'Trajectory',
}

type Values = Record<keyof typeof titles, string>

export function renderJudgePrompt(golden: Golden, said: { response: string; trajectory: string }): string {
  const values: Values = {
    rubric: golden.rubric.body,
    test_input: golden.input,
    expected_behavior: golden.expected_behavior,
    pass_criteria: golden.pass_criteria,
    agent_response: said.response,
    trajectory: said.trajectory,
  }
  const { template } = golden.judge
  const formatted = fillJudgePrompt(template, values)
  const parts = 'text' in formatted ? [formatted.text] : fillLooseTemplate(template, values)
  return [...parts, ...factPart(golden.expected_facts)].join('\n\n')
}

const isVariable = (name: string): name is keyof Values => Object.hasOwn(titles, name)

/** Fills a template as Python's `str.format` does, or says at which place that fails. Of a format only fill, width and length are read. */
export function fillJudgePrompt(template: string, values: Values): { text: string } | { wrongAt: number } {
  let wrongAt: number | null = null
  const text = template.replaceAll(
    /\{\{|\}\}|\{(\w+)(?:!s)?(?::([^{}]*))?\}|[{}]/g,
    (all, name: string | undefined, format: string | undefined, at: number) => {
      const filled = name === undefined || !isVariable(name) ? null : formatText(values[name], format ?? '')
      if (all === '{{' || all === '}}') return all.charAt(0)
      if (filled === null) wrongAt ??= at
      return filled ?? all
    },
  )
  return wrongAt === null ? { text } : { wrongAt }
}

/** As Python formats a text: `*^20.8` is its first 8 characters in the middle of 20; null: a format that texts do not have. */
function formatText(text: string, format: string): string | null {
  const read = /^(?:(.)?([<>^]))?(0)?(\d+)?(?:\.(\d+))?s?$/su.exec(format)
  if (read === null) return null
  const [, fill, side = '<', zero, width = '0', most] = read
  const shown = [...text].slice(0, most === undefined ? undefined : Number(most))
  const room = Math.max(0, Number(width) - shown.length)
  const before = side === '<' ? 0 : side === '>' ? room : Math.floor(room / 2)
  const pad = fill ?? zero ?? ' '
  return `${pad.repeat(before)}${shown.join('')}${pad.repeat(room - before)}`
}

/** For a template on which `str.format` fails: braces stay, a name in backticks too, and what is not named stands below. */
function fillLooseTemplate(template: string, values: Values): string[] {
  const named = new Set<string>()
  const text = template.replaceAll(/(?<!`)\{(\w+)\}(?!`)/g, (all, name: string) => {
    if (!isVariable(name)) return all
    named.add(name)
    return values[name]
  })
  const lacking = Object.entries(titles).filter(([name]) => !named.has(name))
  return [text, ...lacking.map(([name, title]) => `## ${title}\n\n${isVariable(name) ? values[name] : ''}`)]
}

/** Characters of a text of the trajectory, where all of it is too long. */
const longestText = 2000

/** JSON, also where `cut` shortens: then texts first, and then the events in the middle are left out. */
export function trajectoryText(events: readonly TranscriptEvent[], cut: CutPart): string {
  const json = (shown: readonly object[], most = Number.POSITIVE_INFINITY) =>
    JSON.stringify({ events: shown }, (_, value) => (typeof value === 'string' ? omitMiddle(value, most) : value), 2)
  const fits = (text: string) => cut(text) === text
  let text = json(events)
  for (let half = events.length; !fits(text) && half > 0; half = Math.floor(half / 2)) {
    const omitted = events.length - 2 * half
    const shown =
      omitted <= 0 ? events : [...events.slice(0, half), { omitted_events: omitted }, ...events.slice(-half)]
    text = json(shown, longestText)
  }
  return text
}

function factPart(facts: readonly ExpectedFact[]): string[] {
  if (facts.length === 0) return []
  return [
    [
      '## Factual accuracy check',
      'Besides scoring the dimensions, check these facts in the response. Add to your JSON a list `factual_checks` with one entry for each:',
      '`{"claim": "…", "stated_in_response": true|false, "value_correct": true|false|null, "cited": true|false|null}`',
      'null where the response does not state the claim.',
      JSON.stringify(facts, null, 2),
    ].join('\n\n'),
  ]
}
