/** Proposers without tools: they answer with edits of SKILL.md as JSON; what can't be applied says why, and costs what it cost. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { replaceOnce } from '../../../src/flows/improve/propose/candidate.ts'
import { openWorld, sdk } from '../../e2e/improve/improving.ts'

const names = ['Ann', 'Ben', 'Cleo', 'Dora', 'Emil', 'Finn', 'Gita', 'Hans']
const evals = names.map((name, at) => ({
  id: at + 1,
  prompt: `Greet ${name}.`,
  checks: [{ type: 'contains', value: `Dear ${name}` }],
}))
const skillText = '---\nname: adder\ndescription: Greets people.\n---\n\nSay Hello before the name.\n'
const files = { 'SKILL.md': skillText, 'evals/evals.json': JSON.stringify({ skill_name: 'adder', evals }) }

/** The model follows the skill in its prompt, and `answer` is each proposal. */
async function improved(answer: string) {
  const agent = String.raw`
  - { name: follows, when: { user: 'Say (?<word>Hello|Dear) before[\s\S]*Greet (?<name>\w+)' }, text: '{{word}} {{name}}' }
  - { name: guesses, when: { user: '^Greet' }, text: Hi }
`
  const proposer = `
  - { name: proposes, when: { user: '^You improve an agent skill' }, text: ${JSON.stringify(answer)} }`
  await using world = await openWorld(proposer, 8, files, { ...sdk, agent })
  const end = await world.improveInProcess(['--activation', 'answer', '--total-runs', '24'])
  const [round] = world.history().rounds ?? []
  return { ...end, world, round, history: world.history() }
}

const edit = (search: string, replace: string) => ({ why: 'Hello fails', summary: 'says Dear', search, replace })

test('edits in an answer are measured, kept and certified like those of a proposer with tools', async () => {
  const edits = [edit('Say Hello', 'Say Dear'), edit('Say nothing', 'x'), edit('', 'Be polite.'), edit('e', 'E')]
  const { code, stderr, world, round, history } = await improved(
    `Here:\n\`\`\`json\n${JSON.stringify({ edits })}\n\`\`\``,
  )
  expect([code, stderr]).toMatchObject([0, expect.any(String)])
  const asked = world.asked.find((one) => one.includes('You improve an agent skill')) ?? ''
  expect(asked).toMatch(/Say Hello before the name[\s\S]*Answer:\\n\\nHello [A-Z][\s\S]*failed: [\s\S]*Dear/)
  expect(round?.proposals[0]?.edits).toMatchObject([
    { summary: 'says Dear', why: 'Hello fails', kept: true, files: [{ path: 'SKILL.md', change: 'modified' }] },
    { kept: false, refused: { rule: 'no_match', reason: 'SKILL.md does not contain "Say nothing"' } },
    { diff: expect.stringContaining('+Be polite.') },
    { kept: false, refused: { rule: 'no_match', reason: expect.stringMatching(/^SKILL.md contains "e" \d+ times$/) } },
  ])
  expect(history.certification).toMatchObject({ result: 'won' })
  expect(readFileSync(path.join(world.workspace, 'versions', history.current_best, 'SKILL.md'), 'utf8')).toContain(
    'Say Dear before',
  )
})

test.each([
  ['I would say Dear.', /^its answer is not the JSON of edits: no JSON answer was found in it/],
  ['{"edits": [{"search": "Say"}]}', /^its answer is not the JSON of edits: .*edits\[0\]\.replace/s],
])('the answer %j is refused, and its tokens count', async (answer, reason) => {
  const { round, history } = await improved(answer)
  expect(round?.proposals[0]).toMatchObject({
    refused: { rule: 'no_edits', reason: expect.stringMatching(reason) },
    tokens: expect.any(Number),
    edits: [],
  })
  expect(history.current_best).toBe('v0')
})

test.each([
  ['a b a', { search: 'b', replace: '$&c' }, { text: 'a $&c a' }],
  ['a\n', { search: ' ', replace: 'b' }, { text: 'a\n\nb\n' }],
  ['a', { search: '', replace: ' ' }, { reason: 'it is empty' }],
  ['a', { search: 'a', replace: 'a' }, { reason: 'it replaces text by the same text' }],
])('%j with %j is %j', (text, change, result) => expect(replaceOnce(text, change)).toEqual(result))
