// How often verdicts are right and wrong on terminal_bench_trials.csv, where the truth is known from all trials of an agent: agents that
// differ, one agent against itself, and all pairs of agents.
import path from 'node:path'
import { createSeededRandom } from '../../dist/src/phases/4-report/stats/distributions/seeded_random.js'
import { casesLikeThese } from '../../dist/src/phases/4-report/stats/scopes/similar_cases.js'
import { theseCases } from '../../dist/src/phases/4-report/stats/scopes/these_cases.js'
import { usualOptions } from '../../dist/src/phases/4-report/stats/statistics_options.js'
import { holm } from '../../dist/src/phases/4-report/stats/tests/adjusted_p_values.js'
import { groupRows, readRows } from './rows.mjs'
import { formatPercent, formatTable } from './table.mjs'

const columns = { agent: 'text', task: 'text', resolved: 'number', tests_passed: 'number', tests_total: 'number' }
const seed = 20260101

/** What a trial is scored by. The first is a benchmark's own rate, and has reference values. */
const measures = [
  { name: 'share of tests', scoreOf: shareTests, countTests: ({ tests_total: total }) => Math.max(1, total ?? 1) },
  { name: 'all tests or nothing', scoreOf: ({ resolved }) => resolved, countTests: () => 1 },
]

/** A trial whose tests never ran passes none. */
function shareTests({ tests_passed: passed, tests_total: total }) {
  return total ? passed / total : 0
}

/** `check({ what, found, wanted, isMet })` is called for each reference value. */
export function reportAgents(folder, reference, check) {
  const rows = readRows(path.join(folder, 'terminal_bench_trials.csv'), columns)
  const worlds = measures.map((measure, at) => ({
    ...measure,
    agents: scoreAgents(rows, measure),
    random: createSeededRandom(seed + at),
    check: at === 0 ? check : () => {},
  }))
  const { different, same } = reference
  return [
    '## Agents whose trials are known: Terminal-Bench',
    `${rows.length} trials, ${worlds[0].agents.length} agents. Suites, agents and trials are drawn with seed ${seed}.`,
    `### Agents that differ by 10 points or more, ${different.trials} trials each`,
    formatTable(
      ['score', 'pairs', 'tasks', 'suites', 'right', 'wrong', 'similar cases: right', 'similar cases: wrong'],
      worlds.flatMap((world) => judgeDifferentAgents(world, different)),
    ),
    `### One agent against itself, ${same.trials} trials each`,
    formatTable(
      ['score', 'tasks', 'suites', 'false verdicts', 'similar cases: false', '10 points or more'],
      worlds.flatMap((world) => judgeSameAgent(world, same)),
    ),
    '### All pairs of agents, all trials',
    formatTable(
      ['score', 'scope', 'pairs', 'p ≤ .05', 'p ≤ .05 after Holm'],
      worlds.flatMap((world) => compareAllPairs(world, reference.pairs)),
    ),
  ].join('\n\n')
}

/** The scores of each agent by task, the number of tests behind a score, and the agent's mean over its tasks. */
export function scoreAgents(rows, { scoreOf, countTests }) {
  return [...groupRows(rows, ({ agent }) => agent)].map(([name, own]) => {
    const tasks = new Map(
      [...groupRows(own, ({ task }) => task)].map(([task, ones]) => [
        task,
        { scores: ones.map(scoreOf), tests: mean(ones.map(countTests)) },
      ]),
    )
    return { name, tasks, rate: mean([...tasks.values()].map(({ scores }) => mean(scores))) }
  })
}

function judgeDifferentAgents({ name, agents, random, check }, reference) {
  const { trials, suites: counts, least_difference: least, least_right: sizes, most_wrong: most } = reference
  const pairs = listPairs(agents).filter(([a, b]) => Math.abs(a.rate - b.rate) >= least)
  return Object.entries(sizes).map(([size, wanted]) => {
    const suites = counts[size]
    const seen = repeat(suites, () => {
      const [first, second] = shuffle(shuffle(pairs, random)[0], random)
      const tasks = shuffle(listSharedTasks(first, second, trials), random).slice(0, Number(size))
      const draw = (agent, task) => shuffle(agent.tasks.get(task).scores, random).slice(0, trials)
      const cases = tasks.map((task) => buildCase(task, first, draw(first, task), draw(second, task)))
      return judgeCases(cases, first.rate > second.rate ? 'helps' : 'hurts')
    })
    const [right, wrong] = ['right', 'wrong'].map((end) => share(seen, ({ these }) => these === end))
    check(atLeast(`right verdicts, ${size} tasks`, right, wanted))
    check(atMost(`wrong verdicts, ${size} tasks`, wrong, most))
    const similar = ['right', 'wrong'].map((end) => share(seen, (one) => one.similar === end))
    return [name, pairs.length, size, suites, ...[right, wrong, ...similar].map(formatPercent)]
  })
}

function judgeSameAgent({ name, agents, random, check }, { trials, suites: counts, most_false: size }) {
  return Object.entries(counts).map(([count, suites]) => {
    const most = size + 2 * Math.sqrt((size * (1 - size)) / suites)
    const seen = repeat(suites, () => {
      const agent = shuffle(agents, random)[0]
      const tasks = shuffle(listSharedTasks(agent, agent, 2 * trials), random).slice(0, Number(count))
      const cases = tasks.map((task) => {
        const drawn = shuffle(agent.tasks.get(task).scores, random)
        return buildCase(task, agent, drawn.slice(0, trials), drawn.slice(trials, 2 * trials))
      })
      return judgeCases(cases, 'neither')
    })
    const found = ['these', 'similar'].map((scope) => share(seen, (one) => one[scope] === 'wrong'))
    check(atMost(`false verdicts, ${count} tasks`, found[0], most))
    const large = share(seen, ({ difference }) => Math.abs(difference) >= 0.1 - 1e-9)
    return [name, count, suites, ...[...found, large].map(formatPercent)]
  })
}

function compareAllPairs({ name, agents, check }, wanted) {
  const pairs = listPairs(agents)
  check({ what: 'pairs of agents', found: pairs.length, wanted })
  const compared = pairs.map(([a, b]) => {
    const scores = (agent, task) => agent.tasks.get(task).scores
    const cases = listSharedTasks(a, b, 1).map((task) => buildCase(task, a, scores(a, task), scores(b, task)))
    return { these: theseCases(cases, usualOptions), similar: casesLikeThese(cases, usualOptions) }
  })
  return ['these', 'similar'].map((scope) => {
    const values = compared.map((one) => one[scope].difference.p_value ?? 1)
    const countSmall = (ps) => ps.filter((p) => p <= usualOptions.alpha).length
    return [name, `${scope} cases`, pairs.length, countSmall(values), countSmall(holm(values))]
  })
}

/** Both scopes' verdicts against the truth: helps, hurts or neither. */
function judgeCases(cases, truth) {
  const [these, similar] = [theseCases(cases, usualOptions), casesLikeThese(cases, usualOptions)]
  const grade = (verdict) => (['helps', 'hurts'].includes(verdict) ? (verdict === truth ? 'right' : 'wrong') : 'open')
  return { these: grade(these.verdict), similar: grade(similar.verdict), difference: these.difference.mean }
}

export function buildCase(task, agent, candidate, baseline) {
  return { candidate, baseline, expectations: agent.tasks.get(task).tests }
}

export function listSharedTasks(a, b, least) {
  const has = (agent, task) => (agent.tasks.get(task)?.scores.length ?? 0) >= least
  return [...a.tasks.keys()].filter((task) => has(a, task) && has(b, task))
}

export function listPairs(agents) {
  return agents.flatMap((a, at) => agents.slice(at + 1).map((b) => [a, b]))
}

export function shuffle(values, random) {
  const left = [...values]
  return values.map(() => left.splice(Math.floor(random() * left.length), 1)[0])
}

const atLeast = (what, found, least) => ({
  what,
  found: formatPercent(found),
  wanted: `at least ${formatPercent(least)}`,
  isMet: found >= least,
})
const atMost = (what, found, most) => ({
  what,
  found: formatPercent(found),
  wanted: `at most ${formatPercent(most)}`,
  isMet: found <= most,
})

const repeat = (times, make) => Array.from({ length: times }, make)
export const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length
const share = (seen, is) => seen.filter(is).length / seen.length
