// Five ways to compare two configurations on fixed cases, tried on trials whose truth is known: what the product does, and what it could do.
import path from 'node:path'
import { isTooSmall } from '../../dist/src/base/smallest_design.js'
import { normalCdf, tCdf } from '../../dist/src/phases/4-report/stats/distributions/quantiles.js'
import { createSeededRandom } from '../../dist/src/phases/4-report/stats/distributions/seeded_random.js'
import { theseCases } from '../../dist/src/phases/4-report/stats/scopes/these_cases.js'
import { usualOptions } from '../../dist/src/phases/4-report/stats/statistics_options.js'
import { buildCase, listPairs, listSharedTasks, mean, scoreAgents, shuffle } from './agents.mjs'
import { groupRows, readRows } from './rows.mjs'
import { formatPercent, formatTable } from './table.mjs'

const seed = 20261130
const suites = 1000
const { alpha } = usualOptions
const draws = 200

/** Each returns the difference and its two-sided p-value. */
const procedures = {
  'the product': (cases) => {
    const { difference } = theseCases(cases, usualOptions)
    return { difference: difference.mean, p: difference.p_value }
  },
  'a prior for each cell': (cases) => {
    const cells = cases.flatMap(({ candidate, baseline }) => [candidate, baseline])
    const parts = cells.map((scores) => {
      const rate = (mean(scores) * scores.length + 1) / (scores.length + 2)
      const df = scores.length + 1
      return { part: (2 * rate * (1 - rate) + (scores.length - 1) * variance(scores)) / df / scores.length, df }
    })
    const whole = parts.reduce((sum, { part }) => sum + part, 0)
    const df = whole ** 2 / parts.reduce((sum, one) => sum + one.part ** 2 / one.df, 0)
    return testT(cases, Math.sqrt(whole) / cases.length, df)
  },
  'permutation, mid-p': (cases, random) => {
    const observed = Math.abs(meanDifference(cases))
    let far = 0
    for (let draw = 0; draw < draws; draw += 1) {
      const other = Math.abs(meanDifference(cases.map((one) => relabel(one, random))))
      far += other > observed + 1e-9 ? 1 : other > observed - 1e-9 ? 1 / 2 : 0
    }
    return { difference: meanDifference(cases), p: far / draws }
  },
  'paired t over cases': (cases) =>
    testT(cases, Math.sqrt(variance(cases.map((one) => meanDifference([one]))) / cases.length), cases.length - 1),
  'as if the variance were known': (cases) => {
    const known = cases.reduce((sum, { candidate, known: [own, other] }) => sum + (own + other) / candidate.length, 0)
    const z = (meanDifference(cases) * cases.length) / Math.sqrt(known)
    return { difference: meanDifference(cases), p: known === 0 ? 1 : 2 * normalCdf(-Math.abs(z)) }
  },
}

/** Share of suites with a right and with a wrong verdict, by procedure. */
export function reportProcedures(folder) {
  const columns = { agent: 'text', task: 'text', resolved: 'number', tests_passed: 'number', tests_total: 'number' }
  const trials = readRows(path.join(folder, 'terminal_bench_trials.csv'), columns)
  const known = { version: 'number', configuration: 'text', case: 'number', passed: 'number', total: 'number' }
  const skill = readRows(path.join(folder, 'skill_trials_gke.csv'), known)
  const worlds = [...listAgentWorlds(trials), ...listSkillWorlds(skill)]
  const names = Object.keys(procedures)
  const rows = worlds.map(({ name, draw }) => [
    name,
    ...names.map((procedure) => {
      const random = createSeededRandom(seed)
      const seen = Array.from({ length: suites }, () => judge(procedures[procedure], draw(random), random))
      const share = (kind) => formatPercent(seen.filter((one) => one === kind).length / suites)
      return `${share('right')} / ${share('wrong')}`
    }),
  ])
  return [
    '## Procedures: right / wrong verdicts',
    `${suites} suites a row, drawn with seed ${seed}. In a row of one agent or one baseline against itself every verdict is wrong.`,
    formatTable(['suites', ...names], rows),
  ].join('\n\n')
}

function judge(procedure, { cases, truth }, random) {
  const { difference, p } = procedure(cases, random)
  if (isTooSmall(cases, alpha) || !(p <= alpha)) return 'open'
  return truth !== 0 && Math.sign(difference) === truth ? 'right' : 'wrong'
}

function listAgentWorlds(rows) {
  const measures = [
    [
      'share',
      {
        scoreOf: (row) => (row.tests_total ? row.tests_passed / row.tests_total : 0),
        countTests: (row) => Math.max(1, row.tests_total ?? 1),
      },
    ],
    ['all or nothing', { scoreOf: (row) => row.resolved, countTests: () => 1 }],
  ]
  return measures.flatMap(([measure, how]) => {
    const agents = scoreAgents(rows, how)
    const pairs = listPairs(agents).filter(([a, b]) => Math.abs(a.rate - b.rate) >= 0.1)
    const differing = [
      [4, 3],
      [8, 3],
      [20, 3],
      [20, 1],
      [40, 1],
      [75, 1],
    ].map(([size, runs]) => ({
      name: `agents, ${measure}, ${size} × ${runs}`,
      draw(random) {
        const [a, b] = pairs[Math.floor(random() * pairs.length)]
        const tasks = shuffle(listSharedTasks(a, b, runs), random).slice(0, size)
        const take = (agent, task) => shuffle(agent.tasks.get(task).scores, random).slice(0, runs)
        return {
          truth: Math.sign(a.rate - b.rate),
          cases: tasks.map((task) =>
            withVariance(
              buildCase(task, a, take(a, task), take(b, task)),
              [a, b].map((one) => one.tasks.get(task).scores),
            ),
          ),
        }
      },
    }))
    const same = [
      [4, 2],
      [8, 2],
      [20, 2],
      [75, 2],
      [8, 1],
      [20, 1],
      [75, 1],
    ].map(([size, runs]) => ({
      name: `one agent, ${measure}, ${size} × ${runs}`,
      draw(random) {
        const agent = agents[Math.floor(random() * agents.length)]
        const tasks = shuffle(listSharedTasks(agent, agent, 2 * runs), random).slice(0, size)
        return {
          truth: 0,
          cases: tasks.map((task) => {
            const all = agent.tasks.get(task).scores
            const drawn = shuffle(all, random)
            return withVariance(buildCase(task, agent, drawn.slice(0, runs), drawn.slice(runs, 2 * runs)), [all, all])
          }),
        }
      },
    }))
    return [...differing, ...same]
  })
}

/** Versions of one skill: each is one run a case with it and one without it. */
function listSkillWorlds(rows) {
  const byRun = new Map(rows.map((row) => [`${row.version} ${row.configuration} ${row.case}`, row]))
  const cases = [...groupRows(rows, (row) => row.case).keys()]
  const versions = [...groupRows(rows, (row) => row.version).keys()]
  const [early, late] = [versions.filter((one) => one <= 15), versions.filter((one) => one >= 17)]
  const pick = (candidates, baselines, [own, other], { size, random, truth }) => {
    const row = (version, arm, id) => byRun.get(`${version} ${arm}_skill ${id}`)
    const whole = cases.filter(
      (id) => candidates.every((one) => row(one, own, id)) && baselines.every((one) => row(one, other, id)),
    )
    const score = (version, arm, id) => row(version, arm, id).passed / row(version, arm, id).total
    const all = (arm, id) => versions.filter((one) => row(one, arm, id)).map((one) => score(one, arm, id))
    const drawn = shuffle(whole, random).slice(0, size)
    return {
      truth,
      cases: drawn.map((id) => ({
        candidate: candidates.map((one) => score(one, own, id)),
        baseline: baselines.map((one) => score(one, other, id)),
        expectations: row(candidates[0], own, id).total,
        known: [variance(all(own, id)), variance(all(other, id))],
      })),
    }
  }
  const same = [
    [8, 1],
    [8, 3],
    [20, 1],
    [20, 2],
    [36, 1],
    [36, 5],
  ].map(([size, runs]) => ({
    name: `one baseline, ${size} × ${runs}`,
    draw(random) {
      const drawn = shuffle(versions, random)
      return pick(drawn.slice(0, runs), drawn.slice(runs, 2 * runs), ['without', 'without'], { size, random, truth: 0 })
    },
  }))
  const withSkill = {
    name: 'skill, +34 points, 8 × 1',
    draw(random) {
      const version = versions[Math.floor(random() * versions.length)]
      return pick([version], [version], ['with', 'without'], { size: 8, random, truth: 1 })
    },
  }
  const newer = [
    [20, 1],
    [20, 2],
  ].map(([size, runs]) => ({
    name: `versions, +6 points, ${size} × ${runs}`,
    draw: (random) =>
      pick(shuffle(late, random).slice(0, runs), shuffle(early, random).slice(0, runs), ['with', 'with'], {
        size,
        random,
        truth: 1,
      }),
  }))
  return [withSkill, ...newer, ...same]
}

const withVariance = (one, scores) => ({ ...one, known: scores.map(variance) })

function relabel({ candidate, baseline }, random) {
  const all = shuffle([...candidate, ...baseline], random)
  return { candidate: all.slice(0, candidate.length), baseline: all.slice(candidate.length) }
}

function testT(cases, error, df) {
  const difference = meanDifference(cases)
  if (!(error > 0) || df < 1) return { difference, p: 1 }
  return { difference, p: 2 * tCdf(-Math.abs(difference) / error, df) }
}

function meanDifference(cases) {
  return mean(cases.map(({ candidate, baseline }) => mean(candidate) - mean(baseline)))
}

function variance(values) {
  const center = mean(values)
  return values.length < 2 ? 0 : values.reduce((sum, one) => sum + (one - center) ** 2, 0) / (values.length - 1)
}
