/** benchmark.json is written run by run, and has the bytes of any other artefact. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Benchmark, benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import { writeBenchmark } from '../../src/store/benchmark_file.ts'
import { writeArtefact } from '../../src/store/store.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'benchmark-test-'))

function benchmarkOf(count: number): Benchmark {
  const run = (number: number) => ({
    ...{ more: 'of another tool', run_number: number, eval_id: 1, eval_name: 'one', configuration: 'with_skill' },
    result: { pass_rate: 1, passed: 1, failed: 0, total: 1, errors: 0 },
    expectations: [{ text: 'a\n  "runs": []', passed: true, evidence: 'b' }],
    notes: [],
  })
  const metadata = { skill_name: 'a\n  "runs": [],', skill_path: '/a', executor_model: 'm', analyzer_model: 'rules' }
  return benchmarkSchema.parse({
    notes: ['  "runs": []'],
    runs: Array.from({ length: count }, (_, at) => run(at + 1)),
    run_summary: {},
    metadata: {
      ...metadata,
      timestamp: '2026-01-01T00:00:00Z',
      evals_run: [1],
      runs_per_configuration: count,
      runs: [],
    },
  })
}

describe('a benchmark', () => {
  test.each([0, 1, 200, 201])('of %i runs is written like every artefact', async (count) => {
    const folder = fresh()
    const [ours, usual] = ['ours.json', 'usual.json'].map((name) => path.join(folder, name))
    await writeBenchmark(ours ?? '', benchmarkOf(count))
    await writeArtefact(benchmarkSchema, usual ?? '', benchmarkOf(count))
    expect(readFileSync(ours ?? '', 'utf8')).toBe(readFileSync(usual ?? '', 'utf8'))
  })
  test('with an unfit run is not written, and the run is named', async () => {
    const folder = fresh()
    const made = benchmarkOf(201)
    const runs = made.runs.map((run, at) => (at === 200 ? { ...run, run_number: 0.5 } : run))
    const file = path.join(folder, 'benchmark.json')
    await expect(writeBenchmark(file, { ...made, runs })).rejects.toThrow(/runs\[200\]: \$\.run_number/)
    expect(readdirSync(folder)).toEqual([])
  })
})
