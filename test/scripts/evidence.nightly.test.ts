/** `npm run evidence`: its tables of small data whose values are known, and that a missed reference value fails. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../phases/1-plan/folder.ts'
import { needs } from '../require.ts'

const script = path.join(import.meta.dirname, '../../scripts/evidence.mjs')

/** 18 tasks graded in both configurations: 12 are won, 6 are lost in both. The run of a 19th without skills has no reward. */
const runs = Array.from({ length: 19 }, (_, at) => [
  `g,m,task-${at},1,2,${at < 12 ? 2 : 1},${at < 12 ? 1 : 0}`,
  `g,m,task-${at},0,2,1,${at === 18 ? '' : 0}`,
]).flat()

/** One agent passes four of five trials, the other one of five. */
const trials = Array.from({ length: 8 }, (_, task) =>
  Array.from({ length: 5 }, (_, at) => [
    `good,${task},${at > 0 ? '1,2,2' : '0,1,2'}`,
    `poor,${task},${at > 0 ? '0,1,2' : '1,2,2'}`,
  ]),
).flat(2)

const data = {
  'skillsbench_runs.csv': ['agent,model,task,skills_enabled,tests_total,tests_passed,reward', ...runs].join('\n'),
  'terminal_bench_trials.csv': ['agent,task,resolved,tests_passed,tests_total', ...trials].join('\n'),
}

/** By hand: a standard error of .1143 with 17 degrees of freedom; of .1571 with 72, and a correction of .0278. */
const lift = { agent: 'g', model: 'm', similar: [0.667, 0.425, 0.908], these: [0.667, 0.326, 1] }
const reference = {
  lifts: [lift],
  agents: {
    different: { least_difference: 0.1, trials: 3, suites: { 8: 40 }, least_right: { 8: 0.8 }, most_wrong: 0.01 },
    same: { trials: 2, suites: { 8: 40 }, most_false: 0.05 },
    pairs: 1,
  },
}

function evidence(files: Record<string, string>, { values = reference as object, checkout = '' } = {}) {
  const folder = folderOf({ ...files, 'reference.json': JSON.stringify(values) })
  const args = [
    script,
    folder,
    ...(checkout === '' ? [] : [checkout]),
    '--reference',
    path.join(folder, 'reference.json'),
  ]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

test('prints the lifts by measure, the verdicts on known agents, and that the reference values are met', () => {
  const { status, stdout, stderr } = evidence(data)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(stdout).toContain('Runs without a reward: g, m 0 with skills, 1 without.')
  for (const row of [
    /^\| g, m +\| +18 \| \+\.667 \| +\[\.425, \.908\] .* helps \| +\[\.326, 1\.000\] .* helps \|$/m,
    /^\| g, m +\| +reward, missing runs count 0 \| +19 \| \+\.632 /m,
    /^\| g, m +\| +share of hidden tests \| +19 \| \+\.316 /m,
    /^\| 1 +\| +18 \| +0 \| +0 \| +6 \| +12 \|$/m,
    /^\| share of tests +\| +1 \| +8 \| +40 \| +\d+% \| +0% /m,
    /^\| all tests or nothing +\| +these cases \| +1 \| +1 \| +1 \|$/m,
  ])
    expect(stdout).toMatch(row)
  expect(stdout).toMatch(/7 of 7 reference values are met/)
})

test.each([
  [
    { ...reference, lifts: [{ ...lift, similar: [0.667, 0.425, 0.909] }] },
    'lift of g, m, similar cases: .667 .425 .908, wanted .667 .425 .909',
  ],
  [{ ...reference, lifts: [{ ...lift, model: 'n' }] }, 'lift of g, n, these cases: – – –, wanted'],
  [{ ...reference, agents: { ...reference.agents, pairs: 2 } }, 'pairs of agents: 1, wanted 2'],
])('a reference value that is missed: exit 1 (%#)', (values, miss) => {
  const { status, stderr } = evidence(data, { values })
  expect(status).toBe(1)
  expect(stderr).toContain(`missed: ${miss}`)
})

/** Decisions for A–B and for B–A; A is better. Right twice, right and a tie, a flip, wrong twice, no decision, equal responses. */
const decisions = [
  ['A>B', 'B>A'],
  ['A>B', 'A=B'],
  ['A>B', 'A>B'],
  ['B>A', 'A>B'],
  ['A>B', null],
  ['A>B', 'B>A'],
] as const
const recorded = decisions.map((both, at) =>
  JSON.stringify({
    pair_id: `${at}`,
    question: `What is ${at} + 1?`,
    response_A: `It is ${at + 1}, as the skill says.\nChecked.`,
    response_B:
      at === 5 ? 'It is 6, as the skill says.\nChecked.' : `It is ${at + 2}, as the skill says.\nNot checked.`,
    label: 'A>B',
    judgments: both.map((decision) => (decision === null ? null : { decision })),
  }),
)
/** The rule of JudgeBench, as its paper gives it. */
const metrics = (right = 'lead > 0') => `
def flip_judgment(decision):
    return {"A>B": "B>A", "B>A": "A>B"}.get(decision, decision)

def compute_final_metrics(pairs, reverse_order):
    points = lambda said, label: 0 if said not in ("A>B", "B>A") else 1 if said == label else -1
    def lead(pair):
        first, second = [(one or {}).get("decision") for one in pair["judgments"]]
        return points(first, pair["label"]) + points(flip_judgment(second), pair["label"])
    return 100 * sum(1 for lead in map(lead, pairs) if ${right}) / len(pairs)
`
const checkoutOf = (code: string) =>
  folderOf({
    'utils/metrics.py': code,
    'outputs/response_model=r,judge_name=vanilla,judge_model=j.jsonl': `${recorded.join('\n')}\n`,
  })

needs(
  'python3',
  spawnSync('python3', ['--version']).status === 0,
  'install python3',
)('recorded judgements', () => {
  test('are replayed in both orders, with the accuracy and the flips of their own metrics', () => {
    const { status, stdout, stderr } = evidence(data, { checkout: checkoutOf(metrics()) })
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^\| j \(vanilla\) +\| +r \| +4 of 6 \| +\.500 \/ \.500 \| +\.667 \| +2 \/ 2 \| +\.250 \| +\.250 \|$/m,
    )
  })

  test('that give another accuracy: exit 1', () => {
    const { status, stderr } = evidence(data, { checkout: checkoutOf(metrics('lead > 1')) })
    expect(status).toBe(1)
    expect(stderr).toContain('missed: accuracy of j (vanilla): .500, wanted .250')
  })
})
