// What skills did in skillsbench_runs.csv: the lift of each agent and model, by the measure and by how missing runs count.
import path from 'node:path'
import { casesLikeThese } from '../../dist/src/phases/4-report/stats/scopes/similar_cases.js'
import { theseCases } from '../../dist/src/phases/4-report/stats/scopes/these_cases.js'
import { usualOptions } from '../../dist/src/phases/4-report/stats/statistics_options.js'
import { groupRows, readRows } from './rows.mjs'
import { formatDifference, formatInterval, formatShare, formatTable } from './table.mjs'

const columns = {
  agent: 'text',
  model: 'text',
  task: 'text',
  skills_enabled: 'number',
  tests_total: 'number',
  tests_passed: 'number',
  reward: 'number',
}

const rewardOf = ({ reward }) => reward
const zeroIfMissing = ({ reward }) => reward ?? 0
const testShareOf = ({ tests_total: total, tests_passed: passed }) => (total ? passed / total : null)
const rewardWithTests = (row) => (testShareOf(row) === null ? null : row.reward)

/** How a run is scored; null: the run is left out. */
const measures = [
  ['reward, graded runs', rewardOf],
  ['reward, missing runs count 0', zeroIfMissing],
  ['reward, where tests are counted', rewardWithTests],
  ['share of hidden tests', testShareOf],
]

/** `check({ what, found, wanted })` is called for each reference value. */
export function reportLifts(folder, reference, check) {
  const rows = readRows(path.join(folder, 'skillsbench_runs.csv'), columns)
  const groups = [...groupRows(rows, ({ agent, model }) => `${agent}, ${model}`)]
  const lifts = groups.map(([name, own]) => ({ name, ...measureLift(own, rewardOf) }))
  check({ what: 'agents and models', found: lifts.length, wanted: reference.length })
  for (const wanted of reference) checkLift(wanted, lifts, check)
  return [
    '## Skills in the wild: lifts of SkillsBench',
    describe(rows, groups),
    formatTable(
      ['agent, model', 'tasks', 'lift', 'similar cases', 'p', 'verdict', 'these cases', 'p', 'verdict'],
      lifts.map(({ name, similar, these }) => [name, these.difference.n_cases, ...liftCells(similar, these)]),
    ),
    '### The measure, and missing runs',
    formatTable(
      ['agent, model', 'measure', 'tasks', 'lift', 'similar cases', 'verdict'],
      groups.flatMap(([name, own]) => measures.map(([label, scoreOf]) => measureRow(name, label, own, scoreOf))),
    ),
    '### Single tasks',
    reportSingleTasks(rows, groups),
  ].join('\n\n')
}

function describe(rows, groups) {
  const missing = groups.map(([name, own]) => {
    const count = (enabled) => own.filter((row) => row.skills_enabled === enabled && row.reward === null).length
    return `${name} ${count(1)} with skills, ${count(0)} without`
  })
  const tasks = groupRows(rows, ({ task }) => task).size
  return `${rows.length} runs, ${tasks} tasks, one run per task and configuration. Runs without a reward: ${missing.join('; ')}.`
}

/** Each task is a case with the runs that have a score. */
function buildCases(rows, scoreOf) {
  return [...groupRows(rows, ({ task }) => task).values()].map((own) => {
    const scores = (enabled) => own.filter((row) => row.skills_enabled === enabled).flatMap((row) => scoreOf(row) ?? [])
    return { candidate: scores(1), baseline: scores(0), expectations: 1 }
  })
}

function measureLift(rows, scoreOf) {
  const cases = buildCases(rows, scoreOf)
  return { these: theseCases(cases, usualOptions), similar: casesLikeThese(cases, usualOptions) }
}

function checkLift(wanted, lifts, check) {
  const name = `${wanted.agent}, ${wanted.model}`
  const lift = lifts.find((one) => one.name === name)
  for (const scope of ['similar', 'these']) {
    const difference = lift?.[scope].difference
    const numbers = [difference?.mean, difference?.ci_low, difference?.ci_high]
    const found = numbers.map((value) => formatShare(value ?? null)).join(' ')
    check({ what: `lift of ${name}, ${scope} cases`, found, wanted: wanted[scope].map(formatShare).join(' ') })
  }
}

function liftCells(similar, these) {
  const scope = ({ difference: { ci_low, ci_high, p_value }, verdict }) => [
    formatInterval(ci_low, ci_high),
    formatShare(p_value),
    verdict,
  ]
  return [formatDifference(these.difference.mean), ...scope(similar), ...scope(these)]
}

function measureRow(name, label, rows, scoreOf) {
  const { difference, verdict } = measureLift(rows, scoreOf).similar
  const { n_cases: tasks, mean, ci_low, ci_high } = difference
  return [name, label, tasks, formatDifference(mean), formatInterval(ci_low, ci_high), verdict]
}

/** Each task by itself: one run per configuration, then the four agents and models as four runs of one benchmark. */
function reportSingleTasks(rows, groups) {
  const single = groups.flatMap(([, own]) => buildCases(own, rewardOf))
  const pooled = buildCases(rows, rewardOf)
  return formatTable(
    [
      'runs per configuration',
      'tasks graded in both',
      'helps or hurts',
      'no difference',
      'too easy or too hard',
      'open',
    ],
    [
      ['1', ...countVerdicts(single)],
      ['up to 4, agents and models pooled', ...countVerdicts(pooled)],
    ],
  )
}

function countVerdicts(cases) {
  const verdicts = cases.map((one) => theseCases([one], usualOptions).verdict)
  const count = (...kinds) => verdicts.filter((verdict) => kinds.includes(verdict)).length
  return [
    verdicts.length - count('not_comparable'),
    count('helps', 'hurts'),
    count('no_difference'),
    count('too_easy', 'too_hard'),
    count('inconclusive'),
  ]
}
