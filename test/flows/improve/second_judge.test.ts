/** A second judge decides the certification, and the judge of the search grades the same runs again. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { mends, openWorld } from '../../e2e/improve/improving.ts'
import { improveHere } from './in_process.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Both pass what the transcript holds. */
const judges = String.raw`
  - name: the judge reads
    when: { tool: '^(submit|StructuredOutput)$', turn: 1 }
    tool_calls: [{ name: [Read], input: { file_path: transcript.md } }]
  - name: the judge decides
    when: { tool: '^(submit|StructuredOutput)$' }
    tool_calls:
      - name: [submit, StructuredOutput]
        input:
          verdicts:
            $each:
              in: '{{find "<expectations>\n([\s\S]*?)</expectations>" user}}'
              match: '^(?<n>\d+)\. (?<statement>.+)$'
              as:
                n: { $number: '{{n}}' }
                passed: { $found: { needles: '"([^"]+)"', of: '{{statement}}' } }
                evidence: { $line: { needles: '"([^"]+)"', of: '{{statement}}', as: '{{this.line}}', otherwise: 'nothing' } }
          claims: []
          user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] }
          eval_feedback: null
`

const suite = (count: number) => ({
  skill_name: 'adder',
  evals: Array.from({ length: count }, (_, at) => {
    const [a, b] = [1000 + 37 * at, 210 + at]
    return { id: at + 1, prompt: `What is ${a} plus ${b}?`, expectations: [`The answer says "sum: ${a + b}"`] }
  }),
})

test('both gradings count in the cost of the session', async () => {
  await using world = await openWorld(judges + mends, 6, { 'evals/evals.json': JSON.stringify(suite(6)) })
  const { history, told } = await improveHere(world, { totalRuns: 24, certifyJudge: 'anthropic:practice-2' })
  expect(told).toContain('certification: decided by a second judge, anthropic:practice-2')
  expect(history.certification).toMatchObject({
    ...{ result: 'won', gain: { n_runs: 12 } },
    judge: { kind: 'second', name: 'anthropic:practice-2', disagreement: { decisions: 12, differ: 0, gain: 1 } },
  })
  const spent = path.join(world.workspace, history.certification?.benchmark ?? '', 'spent.jsonl')
  const lines = existsSync(spent) ? readFileSync(spent, 'utf8').trim().split('\n') : []
  expect(lines.map((line) => JSON.parse(line).part)).toEqual(Array.from({ length: 12 }, () => 'grading'))
  // no part has a known cost: runs and gradings of the search, then runs and both gradings
  const searched = (history.rounds ?? []).reduce((sum, one) => sum + one.runs, 0)
  expect(history.benchmarks_unknown).toBe(2 * searched + 3 * 12)
})

test('checks alone decide nothing where no held-out case has one: refused before anything runs', async () => {
  await using world = await openWorld(judges + mends, 6, { 'evals/evals.json': JSON.stringify(suite(6)) })
  await expect(improveHere(world, { totalRuns: 24, certifyJudge: 'none' })).rejects.toMatchObject({
    message: '--certify-judge none: no held-out case has a check, so nothing could decide',
    fix: 'add checks to the cases, or name another judge',
  })
  expect([world.asked.length, existsSync(world.workspace)]).toEqual([0, false])
})

test('a resumed session says again who decides', async () => {
  await using world = await openWorld(judges + mends, 6, { 'evals/evals.json': JSON.stringify(suite(6)) })
  const wish = { totalRuns: 80, certifyJudge: 'anthropic:practice-2' }
  const { history } = await improveHere(world, { ...wish, drainAfter: 1 })
  expect(history.stopped?.reason).toBe('interrupted')
  const { told } = await improveHere(world, { ...wish, resume: true })
  expect(told).toContain('certification: decided by a second judge, anthropic:practice-2')
})
