/** plan.json is written run by run, and has the bytes of any other artefact. */
import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { plan as planSchema } from '../../schemas/plan.ts'
import { isPlanned, writePlanFile } from '../../src/store/plan_file.ts'
import { readPlan, writeArtefact } from '../../src/store/store.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'plan-test-'))
const skill = { name: 'tidy', description: 'Tidies\n  "runs": [] up.', path: '/skills/tidy', sha256: 'a'.repeat(64) }
const engine = { name: 'command', model: null, command: 'true' }

function planOf(count: number) {
  const run = (number: number) => ({
    ...{ run_id: `eval-1/with_skill/run-${number}`, eval_id: 1, eval_name: 'one', run_number: number },
    ...{ configuration: 'with_skill' as const, prompt: 'a\nb\n  "runs": [],\n', files: [], setup: null, git: null },
    ...{ skill, absent_skill: null, engine, max_turns: null, timeout_seconds: 60, activation: 'natural' as const },
    key: 'k',
  })
  return planSchema.parse({
    ...{ schema_version: 1, plan_id: 'p', created_at: '2026-01-01T00:00:00Z' },
    suite: { path: '/suite', format: 'skill-creator', sha256: 'b' },
    ...{ skill, baseline: null, candidate_configuration: 'with_skill', baseline_configuration: 'without_skill' },
    options: {
      ...{ engine, judge: null, runs: 1, timeout_seconds: 60, max_turns: null },
      ...{ activation: 'natural', on_timeout: 'fail', retries: 0 },
    },
    ...{ cases: [], warnings: [], calls: { agent_runs: count, judge_calls: 0 } },
    runs: Array.from({ length: count }, (_, at) => run(at + 1)),
  })
}

describe('a plan', () => {
  test.each([0, 1, 200, 201])('of %i runs is written like every artefact', async (count) => {
    const [ours, usual] = [fresh(), fresh()]
    await writePlanFile(ours, planOf(count))
    await writeArtefact(planSchema, path.join(usual, 'plan.json'), planOf(count))
    const text = (folder: string) => readFileSync(path.join(folder, 'plan.json'), 'utf8')
    expect(text(ours)).toBe(text(usual))
    expect((await readPlan(ours)).runs).toHaveLength(count)
  })
  test('is known by its beginning, whatever comes after it', async () => {
    const folder = fresh()
    const made = planOf(3)
    expect(isPlanned(folder, made.plan_id)).toBe(false)
    await writePlanFile(folder, made)
    expect([made.plan_id, `${made.plan_id}0`, made.plan_id.slice(1), ''].map((id) => isPlanned(folder, id))).toEqual([
      ...[true, false, false, false],
    ])
    const file = path.join(folder, 'plan.json')
    truncateSync(file, 300)
    expect(isPlanned(folder, made.plan_id)).toBe(true)
    writeFileSync(file, JSON.stringify({ suite: `\n  "plan_id": "${made.plan_id}"` }))
    expect(isPlanned(folder, made.plan_id)).toBe(false)
  })
  test('with an unfit run is not written, and the run is named', async () => {
    const folder = fresh()
    const made = planOf(3)
    const [, second] = made.runs
    const runs = made.runs.map((run) => (run === second ? { ...run, run_number: 0 } : run))
    await expect(writePlanFile(folder, { ...made, runs })).rejects.toThrow(/run-2: \$\.run_number/)
    expect(readdirSync(folder)).toEqual([])
  })
})
