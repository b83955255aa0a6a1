// The tables of the simulated improve sessions, as markdown.
import { formatTable } from '../table.mjs'
import { certifiedShare } from './cheaper.mjs'
import { cheaperLosses, cheaperSkills, extraWorlds, proposers, tokensSaved, worlds } from './parameters.mjs'

const points = (share) => (100 * share).toFixed(1).replace('-', '−')
const percent = (share) => `${(100 * share).toFixed(1)}%`

const columns = ['true gain', 'worse than v0', 'no better', 'nothing', 'runs', 'proposals', 'edits']

function cellsOf({ gain, error, worse, noBetter, nothing, runs, most, proposals, edits }) {
  return [
    `${points(gain)} ± ${points(error)}`,
    percent(worse),
    percent(noBetter),
    percent(nothing),
    `${Math.round(runs)} (${most})`,
    proposals.toFixed(1),
    edits.toFixed(1),
  ]
}

/** The mean over worlds of equal numbers of sessions. */
function average(results) {
  const mean = (of) => results.reduce((sum, one) => sum + of(one), 0) / results.length
  return {
    gain: mean((one) => one.gain),
    error: Math.sqrt(mean((one) => one.error ** 2) / results.length),
    worse: mean((one) => one.worse),
    noBetter: mean((one) => one.noBetter),
    nothing: mean((one) => one.nothing),
    runs: mean((one) => one.runs),
    most: Math.max(...results.map((one) => one.most)),
    proposals: mean((one) => one.proposals),
    edits: mean((one) => one.edits),
  }
}

/** Every pair of world and proposer that is played. */
export const settings = Object.keys(worlds).flatMap((name) =>
  Object.keys(proposers).map((proposer) => ({ name, proposer })),
)

/** `results`: by contestant, one summary per setting in the order of `settings`. */
export function reportSummary({ budget, cases }, results) {
  const counted = (all) => all.filter((_, at) => !extraWorlds.includes(settings[at].name))
  const averages = Object.entries(results).map(([label, all]) => [label, average(counted(all)), all])
  const best = Math.max(...averages.filter(([label]) => !isOurs(label)).map(([, { gain }]) => gain))
  const control = (all) => average(all.filter((_, at) => settings[at].name === 'nothing helps')).noBetter
  const head = [`${budget} runs, ${cases} cases`, ...columns, 'of the best opponent', 'ships where nothing helps']
  const rows = averages.map(([label, found, all]) => [
    label,
    ...cellsOf(found),
    best > 0 ? (found.gain / best).toFixed(2) : '–',
    percent(control(all)),
  ])
  return formatTable(head, rows)
}

/** Whetstone is not its own opponent. */
const isOurs = (label) => label === 'Whetstone'

/** One row for each world, proposer and contestant. */
export function reportWorlds({ budget, cases }, results) {
  const head = [`${budget} runs, ${cases} cases`, 'world', 'proposer', ...columns]
  const rows = settings.flatMap(({ name, proposer }, at) =>
    Object.entries(results).map(([label, all]) => [label, name, proposer, ...cellsOf(all[at])]),
  )
  return formatTable(head, rows)
}

/** With `--goal cheaper`: one row for each kind of skill and true loss. */
export function reportCheaper({ budget, cases }, sessions, from) {
  const rows = Object.entries(cheaperSkills).flatMap(([label, skill]) =>
    cheaperLosses.map((loss) => [
      label,
      `${loss === 0 ? '' : '−'}${(100 * loss).toFixed(1)}`,
      ...tokensSaved.map((saved) => percent(certifiedShare({ budget, cases, skill, loss, saved }, sessions, from))),
    ]),
  )
  const saved = tokensSaved.map((one) => `certified, tokens ${one === 0 ? 'the same' : `−${100 * one}%`}`)
  return formatTable([`${budget} runs, ${cases} cases: v0`, 'true loss, points', ...saved], rows)
}
