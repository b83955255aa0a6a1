/** Fills the prompt template of judge.md with the parts of one test. */
import type { ExpectedFact, Golden } from '../../../../schemas/golden.ts'

const variables = [
  'rubric',
  'test_input',
  'expected_behavior',
  'pass_criteria',
  'agent_response',
  'trajectory',
] as const

type Variable = (typeof variables)[number]

export interface RenderedPrompt {
  prompt: string
  /** Variables that the template lacks: their parts are appended. */
  appended: Variable[]
}

/**
 * Fills each variable once, at its last place that is not code in a sentence. Inserted text is never searched again, and
 * other braces stay unchanged.
 */
export function renderJudgePrompt(golden: Golden, said: { response: string; trajectory: string }): RenderedPrompt {
  const { template } = golden.judge
  const values: Record<Variable, string> = {
    rubric: golden.rubric.body,
    test_input: golden.input,
    expected_behavior: golden.expected_behavior,
    pass_criteria: golden.pass_criteria,
    agent_response: said.response,
    trajectory: said.trajectory,
  }
  const places = variables.flatMap((name) => {
    const at = findVariablePlace(name, template)
    return at === null ? [] : [{ name, at }]
  })
  places.sort((a, b) => a.at - b.at)
  let text = ''
  let from = 0
  for (const { name, at } of places) {
    text += template.slice(from, at) + values[name]
    from = at + name.length + 2
  }
  text += template.slice(from)
  const appended = variables.filter((name) => !places.some((place) => place.name === name))
  const parts = [
    text,
    ...appended.map((name) => `## ${titles[name]}\n\n${values[name]}`),
    ...factPart(golden.expected_facts),
  ]
  return { prompt: parts.join('\n\n'), appended }
}

const titles: Record<Variable, string> = {
  rubric: 'Rubric',
  test_input: 'Test input',
  expected_behavior: 'Expected behavior',
  pass_criteria: 'Pass criteria',
  agent_response: "Agent's response",
  trajectory: 'Trajectory',
}

/** Prefers a place on its own line, then one outside code spans; among equals the last. */
function findVariablePlace(name: Variable, template: string): number | null {
  const found = [...template.matchAll(new RegExp(`\\{${name}\\}`, 'g'))].map(({ index }) => index)
  const isCode = (at: number) => template[at - 1] === '`' && template[at + name.length + 2] === '`'
  const isAlone = (at: number) => {
    const start = template.lastIndexOf('\n', at) + 1
    const end = template.indexOf('\n', at)
    return template.slice(start, end < 0 ? undefined : end).trim() === `{${name}}`
  }
  const plain = found.filter((at) => !isCode(at))
  return plain.findLast(isAlone) ?? plain.at(-1) ?? found.at(-1) ?? null
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
