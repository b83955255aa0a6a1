/** A skill, a practice model that drafts cases for it, and `init` run on both. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { envOf, skillWith } from '../../features/triggers/triggers_stage.ts'

/** A drafted case that is sound. */
export function draft(number: number, more: object = {}) {
  return {
    name: `page ${number}`,
    kind: number % 3 === 0 ? 'edge' : 'typical',
    prompt: `Bring evals/files/page-${number}.txt into an order that I can read and save it as page-${number}.md`,
    expected_output: `One list a topic, ${number} topics, Monday first`,
    files: [{ path: `evals/files/page-${number}.txt`, content: `monday ${number} milk\ntuesday bread\n` }],
    expectations: [`The list of Monday holds milk ${number}`, 'Bread stands under Tuesday'],
    checks: [
      { type: 'file_exists', path: `page-${number}.md`, value: null, query: null, text: null },
      { type: 'regex', path: `page-${number}.md`, value: '^# Monday', query: null, text: 'Monday has a heading' },
    ],
    ...more,
  }
}

export const drafts = (count: number, from = 1) => Array.from({ length: count }, (_, index) => draft(from + index))

/** One answer of the model: the cases, or a whole value or text of another form. `to`: where the question holds this. */
export interface Answer {
  to?: string
  cases: unknown
}

/** The question when it is asked the second time. */
export const again = 'You were asked this before'

/** The first answer whose question fits is given. `start`: in this process unless given. */
export async function drafted(
  answers: readonly Answer[],
  {
    args = [],
    skill = skillWith(undefined),
    start = runMain,
  }: { args?: readonly string[]; skill?: string; start?: typeof runMain } = {},
) {
  const rules = answers.map(({ to, cases }, index) => ({
    name: `answer ${index}`,
    when: { tool: '^submit$', ...(to !== undefined && { user: to }) },
    ...(typeof cases === 'string'
      ? { text: cases }
      : { tool_calls: { name: 'submit', input: Array.isArray(cases) ? { cases } : cases } }),
  }))
  await using server = await startPractice({ scenario: parseScenario(JSON.stringify({ rules }), 'drafts.yaml') })
  const who = ['--engine', 'anthropic', '--model', 'sonnet']
  const end = await start(['init', skill, ...who, ...args], { env: envOf('anthropic', server) })
  const file = path.join(skill, 'evals/evals.json')
  const made = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  const asked = server.requests.filter(({ tools }) => tools.includes('submit'))
  return { end, skill, file, made, asked: asked.map(({ messages }) => JSON.stringify(messages)) }
}
