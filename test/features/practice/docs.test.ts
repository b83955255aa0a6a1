/** The scenarios of docs/how-to/offline.md and docs/reference/practice.md are read; the built-in one drives an engine. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { anthropic } from '../../../src/engines/anthropic/anthropic.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { keysFor, openStage, perform, practice } from '../../engines/stage.ts'

const docs = path.join(import.meta.dirname, '../../../docs')
const pages = ['how-to/offline.md', 'reference/practice.md'].map((page) => readFile(path.join(docs, page), 'utf8'))
const blocks = [...(await Promise.all(pages)).join('\n').matchAll(/^```yaml\n(.*?)^```/gms)].map(
  ([, text = '']) => text,
)
const example = await readFile(path.join(docs, '../src/features/practice/any_skill.yaml'), 'utf8')

test('every scenario on the pages is read', () => {
  expect(blocks).toHaveLength(3)
  for (const block of blocks) expect(parseScenario(block, 'docs').rules.length).toBeGreaterThan(0)
})

const prompt = `Grade the run.
1. Read it.
<expectations>
1. out.md says \`Total: 5\` and \`VAT: 1\`
2. out.md says \`Total: 6\`
</expectations>`

const verdict = {
  type: 'object',
  properties: { n: { type: 'number' }, passed: { type: 'boolean' }, evidence: { type: 'string' } },
}
const answerSchema = {
  type: 'object',
  properties: { verdicts: { type: 'array', items: verdict } },
  required: ['verdicts'],
}

const verdicts = [
  { n: 1, passed: true, evidence: expect.stringMatching(/outputs\/deep\/out\.md: "Total: 5"$/) },
  { n: 2, passed: false, evidence: 'nothing that was read contains Total: 6' },
]

describe('the example', () => {
  test('its judge decides by what it read: a transcript and two outputs', async () => {
    await using stage = await openStage()
    await using server = await practice(example)
    await mkdir(path.join(stage.cwd, 'outputs/deep'), { recursive: true })
    await writeFile(path.join(stage.cwd, 'transcript.md'), '## Eval Prompt\n\nsum up\n')
    await writeFile(path.join(stage.cwd, 'outputs/deep/out.md'), 'Result\nTotal: 5\n')
    await writeFile(path.join(stage.cwd, 'outputs/b.csv'), 'VAT: 1\n')
    const task = stage.task({ prompt, tools: 'read_only', answerSchema, credentials: keysFor(server) })
    const { outcome } = await perform(anthropic, task)
    expect(outcome).toMatchObject({ status: 'completed', report: { answer: { verdicts } } })
  })
  test.each([
    ['with the skill', true, /BODY-CANARY/],
    ['without', false, /^I have no skill for this\.$/],
  ])('its agent answers from the skill: %s', async (_, isInstalled, expected) => {
    await using stage = await openStage()
    await using server = await practice(example)
    const skills = isInstalled ? await stage.skill() : []
    const { outcome } = await perform(anthropic, stage.task({ skills, credentials: keysFor(server) }))
    expect(outcome.report.finalResponse).toMatch(expected)
  })
})
