/** How a judge is chosen and asked, as a user sees it: a list, votes, evidence that is required, and what is printed and kept. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { judgeCommand } from '../../phases/3-judge/scene.ts'
import { fresh, makeSkill } from '../program.ts'

const skill = makeSkill([{ id: 1, prompt: 'task', expectations: ['It says TIDY'] }])
// the practice judge notes what it was asked, outside of its room
const noSandbox = ['--sandbox', 'off']
const keys = { ANTHROPIC_API_KEY: 'k' }

async function bench(evidence: string, more: readonly string[] = []) {
  const judge = `command:${judgeCommand('quoter', fresh(), evidence)}`
  const args = ['bench', skill, '--engine', tidyAgent, '--judge', judge, '--runs', '1', ...noSandbox]
  const end = await runMain([...args, '--workspace', path.join(fresh(), 'ws'), '--json', ...more])
  const { folder } = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  const read = (name: string) => JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
  return {
    end,
    folder,
    benchmark: benchmarkSchema.parse(read('benchmark.json')),
    plan: planSchema.parse(read('plan.json')),
  }
}

describe('the judge', () => {
  test('of a list is the first of another family that can be asked, or the fallback with a warning', async () => {
    const plan = (judge: string, env: Record<string, string>) =>
      runMain(['bench', skill, '--engine', 'anthropic:sonnet', '--judge', judge, '--dry-run'], { env })
    const both = await plan('anthropic:opus,openai:gpt-5.4', { ...keys, OPENAI_API_KEY: 'k' })
    expect(both.stdout, both.stderr).toMatch(/^judge +openai \(gpt-5\.4\)/m)
    expect(both.stdout).not.toContain('warning')
    const one = await plan('anthropic:opus,openai:gpt-5.4', keys)
    expect(one.stdout).toMatch(/^judge +anthropic \(claude-opus-5-5\)/m)
    expect(one.stdout).toMatch(/warning: the judge .* model family \(anthropic\)/)
    const judge = ['--judge', 'anthropic:opus,openai:gpt-5.4']
    const none = await runMain(['bench', skill, '--engine', tidyAgent, ...judge, '--dry-run'])
    expect(none.code).toBe(2)
    expect(none.stderr).toMatch(/no judge available: .*OPENAI_API_KEY is not set/)
  })
  test('that is not named is the engine of the runs, with a warning and a way out', async () => {
    const env = { ...keys, OPENAI_API_KEY: 'k' }
    const end = await runMain(['bench', skill, '--engine', 'anthropic:sonnet', '--dry-run'], { env })
    expect(end.stdout).toMatch(/judge: anthropic:claude-sonnet-5-5 \(the engine of the runs/)
    expect(end.stdout).toContain('--judge openai is from another family and is available here')
  })
})

describe('evidence that is not there', () => {
  const invented = "'nobody ever said such a thing'"
  test('is counted in the notes, and flagged', async () => {
    const { end, benchmark } = await bench(invented)
    expect(end.code, end.stderr).toBe(0)
    const notes = benchmark.notes.filter((note) => note.includes('a quote that was not found'))
    expect(notes).toEqual([expect.stringMatching(/^2 passes .*with_skill run 1/)])
  })
  test('is a judge error with --require-evidence, and grade can take that back', async () => {
    const { end, folder, plan } = await bench(invented, ['--require-evidence'])
    expect(end.code).toBe(3)
    expect(plan.options.require_evidence).toBe(true)
    const again = await runMain(['grade', folder, '--no-require-evidence', '--json', ...noSandbox])
    expect(again.code, again.stderr).toBe(0)
  })
})

test('--judge-samples is planned, counted and kept', async () => {
  const { plan, benchmark } = await bench('fail: no', ['--judge-samples', '3'])
  expect(plan.options.judge_samples).toBe(3)
  expect(plan.calls.judge_calls).toBe(6)
  expect(benchmark.runs[0]?.expectations).toMatchObject([{ votes: { passed: 0, failed: 3, agreement: 1 } }])
})
