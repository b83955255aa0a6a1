/** The demo's difference comes from what the skill's files say and do: change them, and it changes. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Benchmark, benchmark } from '../../schemas/benchmark.ts'
import { runMain } from '../cli/run_main.ts'
import { fresh } from './program.ts'

const example = path.join(import.meta.dirname, '../../workspaces/example')

interface Demo {
  code: number | null
  stdout: string
  folder: string
  result: Benchmark
}

/** Runs the demo on a copy of the example skill, changed first. */
async function demo(
  change: (edit: (file: string, by: (text: string) => string) => void) => void = () => {},
): Promise<Demo> {
  const folder = fresh()
  const skill = path.join(folder, 'invoice-totals')
  cpSync(path.join(example, 'invoice-totals'), skill, { recursive: true })
  change((file, by) => {
    const full = path.join(skill, file)
    const before = readFileSync(full, 'utf8')
    const after = by(before)
    expect(after).not.toBe(before)
    writeFileSync(full, after)
  })
  const end = await runMain(['demo', '--skill', skill, '--workspace', path.join(folder, 'ws'), '--concurrency', '2'])
  const benchmarks = path.join(folder, 'ws/benchmarks')
  const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const result = benchmark.parse(JSON.parse(readFileSync(path.join(made, 'benchmark.json'), 'utf8')))
  return { ...end, folder: made, result }
}

const rate = ({ result }: Demo, arm: string) => result.run_summary[arm]?.pass_rate.mean
const runsOf = ({ result }: Demo, evalId: number, arm: string) =>
  result.runs.filter((run) => run.eval_id === evalId && run.configuration === arm)

describe('the demo', () => {
  let shipped: Demo
  beforeAll(async () => {
    shipped = await demo()
  })

  test('ends well, with 24 runs of 24 graded, and shows a large difference', () => {
    expect(shipped.code).toBe(0)
    expect(shipped.stdout).toMatch(/\nnext:\n {2}whetstone view \S+\/ws\/benchmarks\/\S+ +open the report\n/)
    expect(shipped.result).toMatchObject({ complete: true, counts: { planned: 24, used: 24 } })
    expect(Number(shipped.result.run_summary.delta?.pass_rate)).toBeGreaterThan(0.5)
  })
  test('has one flaky case, in the arm with the skill', () => {
    const rates = runsOf(shipped, 4, 'with_skill').map((run) => run.result.pass_rate)
    expect(new Set(rates).size).toBeGreaterThan(1)
    const { statistics } = JSON.parse(readFileSync(path.join(shipped.folder, 'benchmark.json'), 'utf8'))
    const flaky = statistics.cases.filter((one: { flaky: boolean }) => one.flaky)
    expect(flaky).toMatchObject([{ eval_id: 4 }])
  })
  test('the agent read the skill and ran its script, in one arm only', () => {
    const transcript = (arm: string) =>
      readFileSync(path.join(shipped.folder, `eval-1-march-summary/${arm}/run-1/transcript.md`), 'utf8')
    expect(transcript('with_skill')).toContain('**Skill read** `invoice-totals`')
    expect(transcript('with_skill')).toMatch(/scripts\/total\.mjs evals\/files\/march\.csv/)
    expect(transcript('without_skill')).not.toMatch(/invoice-totals|total\.mjs/)
  })
  test('no rule of the scenario names the skill, an arm or a folder', () => {
    const scenario = readFileSync(path.join(example, 'practice.yaml'), 'utf8').replaceAll(/#.*$/gm, '')
    expect(scenario).not.toMatch(
      /invoice-totals|invoice|with_skill|without_skill|\.claude|workspaces|total\.mjs|1088|2517|954/,
    )
  })
  test('another constant in the script: other answers, failed expectations', async () => {
    const changed = await demo((edit) =>
      edit('scripts/total.mjs', (text) => text.replace('STANDARD = 0.19', 'STANDARD = 0.2')),
    )
    expect(rate(changed, 'with_skill')).toBeLessThan((rate(shipped, 'with_skill') ?? 0) - 0.2)
    const vat = runsOf(changed, 1, 'with_skill')[0]?.expectations.find((one) => one.text.includes('VAT'))
    expect(vat?.passed).toBe(false)
  })
})
