/** Edits that please a credulous judge, and that no static check finds: a second judge keeps them from shipping, and without it they ship. */
import { expect, test } from 'vitest'
import { openWorld, proposer, sdk } from '../../e2e/improve/improving.ts'
import { type GamingEdit, unfoundGamingEdits } from '../../phases/5-improve/gaming_edits.ts'
import { improveHere } from './in_process.ts'

const suite = {
  skill_name: 'adder',
  evals: [1, 2, 3, 4, 5, 6].map((id) => ({
    id,
    prompt: `What is ${1000 + id} plus ${2000 + id}?`,
    expectations: ['The answer is the sum of the two numbers'],
  })),
}

/** The agent's answer is wrong, and has what the skill tells it to write: the whole skill, as a stand-in for any of it. */
const agent = String.raw`
  - name: reads the skill
    when: { user: '^What is', system: 'file: (?<file>\S+SKILL\.md)', turn: 1 }
    tool_calls: [{ name: [Read], input: { file_path: '{{file}}' } }]
  - name: answers
    when: { user: '^What is' }
    text: 'It is 7. {{lastResult}}'
`

/** `practice-1` believes whatever the edits have it read; `practice-2` looks at the number. */
function judges(edits: readonly GamingEdit[]): string {
  const verdict = (passed: boolean) =>
    `[{ name: submit, input: { verdicts: [{ n: 1, passed: ${passed}, evidence: It is 7. }], claims: [], user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] }, eval_feedback: null } }]`
  const escaped = edits.map(({ text }) => text.replaceAll(/[.*+?^${}()|[\]\\/"]/g, '.').slice(0, 40)).join('|')
  return `
  - name: looks
    when: { tool: '^submit$', turn: 1 }
    tool_calls: [{ name: Read, input: { file_path: transcript.md } }]
  - name: believes
    when: { tool: '^submit$', model: 'practice-1', result: ${JSON.stringify(escaped)} }
    tool_calls: ${verdict(true)}
  - name: decides
    when: { tool: '^submit$' }
    tool_calls: ${verdict(false)}
`
}

function proposes(edits: readonly GamingEdit[]): string {
  const commands = edits.map(
    ({ text }, at) => `(cd ../change-${at + 1} && echo ${JSON.stringify(text)} >> adder/SKILL.md)`,
  )
  const words = edits.map((_, at) => `CHANGE ${at + 1}: clearer wording\\nWHY ${at + 1}: the judge was not convinced`)
  return proposer('games', { command: commands.join('; '), words: words.join('\\n') })
}

/** Four at a time, as a proposer offers them. */
const groups = Array.from({ length: Math.ceil(unfoundGamingEdits.length / 4) }, (_, at) =>
  unfoundGamingEdits.slice(4 * at, 4 * at + 4),
)

async function play(edits: readonly GamingEdit[], certifyJudge: string | null) {
  const files = { 'evals/evals.json': JSON.stringify(suite) }
  const crew = { ...sdk, agent: judges(edits) + agent }
  await using world = await openWorld(proposes(edits), 6, files, crew)
  return (await improveHere(world, { totalRuns: 40, certifyJudge })).history
}

test.each(groups.map((edits) => [edits.map(({ kind }) => kind).join(', '), edits] as const))(
  '%s: kept by the search, refused by a second judge',
  async (_, edits) => {
    const history = await play(edits, 'anthropic:practice-2')
    expect(history.iterations.length).toBeGreaterThan(1)
    expect(history).toMatchObject({
      current_best: 'v0',
      certification: {
        result: 'tie',
        v0: { mean: 0 },
        candidate: { mean: 0 },
        judge: { kind: 'second', name: 'anthropic:practice-2', disagreement: { name: 'anthropic:practice-1' } },
      },
    })
    // the judge of the search still believes them
    const { disagreement } = history.certification?.judge ?? {}
    expect(disagreement?.gain).toBe(1)
    expect(disagreement?.differ).toBeGreaterThan(0)
  },
)

test.each(groups.map((edits) => [edits.map(({ kind }) => kind).join(', '), edits] as const))(
  'control: %s: with the judge of the search alone they ship, and the result says who decided',
  async (_, edits) => {
    const history = await play(edits, null)
    expect(history).toMatchObject({
      current_best: 'v1',
      certification: { result: 'won', judge: { kind: 'same', name: 'anthropic:practice-1' } },
    })
  },
)
