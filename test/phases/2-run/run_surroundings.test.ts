/** What surrounds the agent in a run without a sandbox; in one: suite_variables.system.test.ts. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderOf } from '../1-plan/folder.ts'
import { answers, environmentOf, ran, testSurroundings } from './surroundings.ts'

testSurroundings('off')

describe('programs of evals/bin', () => {
  test('that changed since the plan fail the run', async () => {
    const { environment, root } = await environmentOf({ 'gh.yaml': answers, 'data/prs.json': '[7]\n' })
    writeFileSync(path.join(root, 'evals/bin/data/prs.json'), '[8]\n')
    const { record } = await ran('true', { environment })
    expect(record).toMatchObject({ status: 'failed', error: { kind: 'setup' } })
    expect(JSON.stringify(record)).toContain('has changed since the plan was written')
  })
  test('that would start in place of the agent fail the run', async () => {
    const { environment } = await environmentOf({ 'agent.yaml': '- args: "*"\n' })
    const engine = { name: 'command', model: null, command: 'agent --now' }
    const { record } = await ran('true', { environment, engine })
    expect(record).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('in place of the agent') },
    })
  })
  test('control: a run without them has no record of calls', async () => {
    expect(existsSync(path.join((await ran('true')).run, 'programs.jsonl'))).toBe(false)
  })
})

describe('files outside the working folder', () => {
  test('links are never followed, and hidden folders are never collected', async () => {
    const secret = path.join(folderOf({ 'secret.md': 'secret' }), 'secret.md')
    const agent = `ln -s ${secret} ~/link.md; ln -s ${path.dirname(secret)} ~/linked; mkdir ~/.h; echo h > ~/.h/a.md; echo a > ~/a.md`
    const { record } = await ran(agent, { collect: ['~/link.md', '~/**/*.md', '~/linked'] })
    expect(record.outputs.files.map((file) => file.path)).toEqual(['home/a.md'])
  })
  test('of the same path as a file of the working folder are left out', async () => {
    const agent = 'mkdir home; echo work > home/a.md; echo outside > ~/a.md'
    const { record, output } = await ran(agent, { collect: ['~/a.md'] })
    expect(output('home/a.md')).toBe('work\n')
    expect(record.outputs.left_out).toMatchObject([{ path: 'home/a.md' }])
  })
  test('are redacted and limited as all outputs', async () => {
    const user = { ANTHROPIC_API_KEY: 'sk-ant-api03-practice-key-0123456789' }
    const agent = 'echo "$ANTHROPIC_API_KEY" > ~/a.md; dd if=/dev/zero of=$HOME/big.md bs=1048576 count=21 2>/dev/null'
    const { record, output } = await ran(agent, { collect: ['~/*.md'] }, 'off', user)
    expect(output('home/a.md')).not.toContain('sk-ant')
    expect(record.outputs.left_out).toEqual([
      { path: 'home/big.md', reason: expect.stringContaining('larger than 20 MiB') },
    ])
  })
})
