// Plays whole improve sessions on a simulated world and prints what each loop gains and what it ships by mistake, as markdown:
// `npm run evidence:improve -- [--sessions N] [--from N] [--budget 60,250] [--cases 8,18] [--worlds] [--gepa PYTHON] [--goal cheaper]`. The parameters
// of the world are in scripts/evidence/improve/parameters.mjs. --from: the number of the first session. --worlds: also a table for each world.
// --gepa: GEPA plays too, by its own Python package. --goal cheaper: only how often versions of known loss and saving are certified.
import { parseArgs } from 'node:util'
import { usualMargins } from '../dist/src/phases/4-report/acceptance/guards.js'
import { changesPerProposal } from '../dist/src/phases/5-improve/propose_prompt.js'
import { startGepa } from './evidence/improve/gepa.mjs'
import { hillclimb, skillOpt, strictGreater } from './evidence/improve/opponents.mjs'
import { budgets, defaultSessions, editsAtOnce, suiteSizes } from './evidence/improve/parameters.mjs'
import { reportCheaper, reportSummary, reportWorlds, settings } from './evidence/improve/report.mjs'
import { playCell } from './evidence/improve/tournament.mjs'
import { playWhetstone } from './evidence/improve/whetstone.mjs'
import { InputError } from './evidence/rows.mjs'

function readNumbers(flag, text) {
  const numbers = text.split(',').map(Number)
  if (numbers.every((one) => Number.isInteger(one) && one > 0)) return numbers
  console.error(`error: --${flag}: expected whole numbers above 0, separated by commas, got "${text}"`)
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: String(defaultSessions) },
    from: { type: 'string', default: '1' },
    budget: { type: 'string', default: budgets.join() },
    cases: { type: 'string', default: suiteSizes.join() },
    worlds: { type: 'boolean', default: false },
    gepa: { type: 'string' },
    goal: { type: 'string', default: 'better' },
  },
})
if (values.goal !== 'better' && values.goal !== 'cheaper') {
  console.error(`error: --goal: expected "better" or "cheaper", got "${values.goal}"`)
  process.exit(2)
}
const [sessions] = readNumbers('sessions', values.sessions)
const from = readNumbers('from', values.from)[0] - 1
const cells = readNumbers('budget', values.budget).flatMap((budget) =>
  readNumbers('cases', values.cases).map((cases) => ({ budget, cases })),
)
const gepa = values.gepa === undefined ? null : startGepa(values.gepa)

/** Each loop of single proposals plays twice: with one edit a proposal, and with several that are taken or refused as one. */
const loops = {
  'strict greater': strictGreater,
  'keep or revert': hillclimb,
  "SkillOpt's gate": skillOpt,
  ...(gepa !== null && { GEPA: gepa.play }),
}
const contestants = [
  { label: 'Whetstone', play: (session) => playWhetstone(session), lane: 20, atOnce: changesPerProposal },
  ...Object.entries(loops).map(([label, play], lane) => ({ label, play, lane: lane + 1, atOnce: 1 })),
  ...Object.entries(loops).map(([label, play], at) => ({
    label: `${label}, ${editsAtOnce} edits a proposal`,
    ...{ play, lane: 11 + at, atOnce: editsAtOnce },
  })),
]

/** A table for each budget and size: what every loop gains. */
async function printGains() {
  console.log(`# Simulated improve sessions\n
Sessions ${from + 1} to ${from + sessions} of each world and proposer. True gain: points on unseen cases, over all sessions, ± standard error. Worse than v0,
no better (which includes worse) and nothing: shares of the sessions by what shipped. Runs: mean (most). The rows are means over five worlds and two proposers.`)
  for (const cell of cells) {
    const results = {}
    for (const { label, ...contestant } of contestants) {
      results[label] = []
      for (const setting of settings)
        results[label].push(await playCell({ ...setting, ...cell }, contestant, sessions, from))
    }
    console.log(`\n${reportSummary(cell, results)}`)
    if (values.worlds) console.log(`\n${reportWorlds(cell, results)}`)
  }
}

function printCheaper() {
  console.log(`# Simulated certifications with --goal cheaper\n
${sessions} sessions a row. A version is certified if its pass rate is shown to be lower by less than ${100 * usualMargins.loss} points, and its tokens to be fewer.`)
  for (const cell of cells) console.log(`\n${reportCheaper(cell, sessions, from)}`)
}

try {
  if (values.goal === 'cheaper') printCheaper()
  else await printGains()
} catch (error) {
  if (!(error instanceof InputError)) throw error
  console.error(`error: ${error.message}`)
  process.exitCode = 2
} finally {
  gepa?.close()
}
