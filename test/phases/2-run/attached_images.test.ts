/** Images that are shown with the prompt: the requests have them in both configurations, as they are when the agent starts. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { RunSpec } from '../../../schemas/plan.ts'
import { sha256 } from '../../../src/base/json/json.ts'
import { keysFor, practice } from '../../engines/stage.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { folderOf } from '../1-plan/folder.ts'
import { performIn } from './surroundings.ts'

const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const png = Buffer.from(data, 'base64')
const line = 'Attached files: files/chart.png, files/a.csv'

async function run(engine: string, changes: Partial<RunSpec> = {}) {
  const root = folderOf({ 'files/chart.png': png, 'files/a.csv': '1', 'SKILL.md': 'Add up.' })
  const files = ['files/chart.png', 'files/a.csv'].map((name) => {
    const source = path.join(root, name)
    const content = readFileSync(source)
    return { path: name, source, kind: 'file' as const, sha256: sha256(content), bytes: content.length }
  })
  const attach = files.map(({ path: name }, index) => ({ path: name, image: index === 0 }))
  await using server = await practice('rules: [{ name: end, text: done }]')
  const model = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-5.4-mini' }[engine] ?? null
  const spec = specOf({ engine: { name: engine, model }, prompt: `Read it\n\n${line}`, files, attach, ...changes })
  const skillFiles = [{ path: 'SKILL.md', source: path.join(root, 'SKILL.md'), bytes: 7 }]
  const record = await performIn(path.join(root, 'run'), spec, { skillFiles }, keysFor(server))
  return { record, root, asked: server.requests.map((request) => JSON.stringify(request)) }
}

const skill = { name: 'sums', description: 'Adds up.', path: '/skills/sums', sha256: 's' }
const arms = { with_skill: { skill }, without_skill: { skill: null, absent_skill: 'sums' } } as const
const blocks = {
  anthropic: `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}`,
  openai: `{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,${data}"}`,
}

test.each(
  Object.entries(blocks).flatMap(([engine, block]) =>
    Object.entries(arms).map(([configuration, arm]) => ({ engine, block, configuration, arm })),
  ),
)('$engine shows the image $configuration; negative control: without attach it does not', async (row) => {
  const { engine, block, arm } = row
  const { record, asked } = await run(engine, arm)
  expect(record.status).toBe('completed')
  expect(asked.at(-1)).toContain(block)
  expect(asked.at(-1)).toContain(line)
  const without = await run(engine, { ...arm, attach: undefined, prompt: 'Read it' })
  expect(without.record.status).toBe('completed')
  expect(without.asked.at(-1)).not.toContain(data)
  expect(without.asked.at(-1)).not.toContain('Attached')
})

test('further messages of a conversation do not show it again', async () => {
  const { asked } = await run('anthropic', { turns: [{ prompt: 'And now?' }] })
  expect(asked).toHaveLength(2)
  expect(asked.map((request) => request.split(data).length - 1)).toEqual([1, 1])
})

test.each([
  ['removed', 'rm files/chart.png', 'after setup it is not an image'],
  ['replaced by a link out of the folder', 'ln -sf /etc/passwd files/chart.png', 'leads out of the working folder'],
])('an image that setup has %s ends the run before the model is asked', async (_what, setup, message) => {
  const { record, asked } = await run('anthropic', { setup })
  expect(record).toMatchObject({
    status: 'failed',
    error: { kind: 'setup', message: expect.stringContaining(message) },
  })
  expect(asked).toEqual([])
})

test('an image that setup has changed is shown as it is now', async () => {
  const { asked } = await run('anthropic', { setup: 'printf more >> files/chart.png' })
  expect(asked.at(-1)).toContain(Buffer.concat([png, Buffer.from('more')]).toString('base64'))
})

test('an engine that shows no images has the file in its folder', async () => {
  const command = 'sh -c "cp files/chart.png seen.png; echo done"'
  const { record, root } = await run('command', { engine: { name: 'command', model: null, command } })
  expect(record.status).toBe('completed')
  expect(existsSync(path.join(root, 'run/outputs/seen.png'))).toBe(true)
})
