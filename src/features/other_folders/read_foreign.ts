/** Reads a folder without Whetstone's plan.json: cases, arms, results, and all that was skipped. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { plainName } from '../../../schemas/arm_names.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { parseJson, readText } from '../../base/json/json.ts'
import { suggestChoice } from '../../base/text/did_you_mean.ts'
import { comparedFile } from '../../flows/page/data/benchmark_extras.ts'
import { pageWorkspace } from '../../flows/page/data/workspace.ts'
import { benchmarkFolderName } from '../../flows/page/workspace_page.ts'
import type { ArmsAsked } from '../../flows/report/folder_reader.ts'
import { findBenchmarkWorkspace, isTimestampName } from '../../store/paths.ts'
import { type ArmsFound, chooseArms, isConfiguration } from './arms.ts'
import { type CaseFound, groupCases } from './cases.ts'
import { type CommittedBenchmark, readCommitted } from './committed.ts'
import { toForeignFields } from './pick_values.ts'
import { findRuns, type RunFound, readJsonFile, type TreeProblem, walkTree } from './tree.ts'

export interface ForeignBenchmark {
  cases: CaseFound[]
  arms: ArmsFound
  /** null: benchmark.json is missing. */
  committed: CommittedBenchmark | null
  /** Repeated gradings, counted once. */
  copies: number
  problems: TreeProblem[]
}

const unknownLayoutText = 'skipped: the name looks like a grading, but path and name match no known layout'

/** Throws UserError for a file, no graded run, several benchmarks, one of Whetstone's below, or a missing requested configuration. */
export async function readForeign(folder: string, asked: ArmsAsked): Promise<ForeignBenchmark> {
  await refuseFile(folder)
  const tree = await walkTree(folder)
  await assertThirdParty(folder, tree.names)
  const { runs, problems, passedOver } = await findRuns(tree)
  const graded = runs.filter((run) => run.result?.grading)
  if (graded.length === 0) {
    const first = problems[0]
    const skipped = passedOver.length === 0 ? '' : `skipped: ${listPlaces(passedOver, 3)}`
    const some = first ? `${first.file}: ${first.message}` : skipped
    throw new UserError(
      `${folder}: no graded runs found${some === '' ? '' : ` (${some})`}`,
      'pass a Whetstone benchmark folder (contains plan.json), or one with <case>/<configuration>/grading.json',
    )
  }
  refuseSeveral(folder, graded)
  const found = groupCases(unifySpelling(runs), benchmarkFolderName(folder))
  const names = [...new Set(found.cases.flatMap((one) => one.runs.map((run) => run.configuration)))].sort()
  const committed = await readCommitted(folder, problems)
  const history = path.relative(folder, path.join(pageWorkspace(folder), 'history.json'))
  const beside = [...tree.names].filter((file) => comparedFile.test(file) && !`/${file}`.includes('/outputs/'))
  for (const file of new Set([...beside, history]))
    if (await pathExists(path.join(folder, file))) await readJsonFile(folder, file, problems)
  const arms = chooseAskedArms(names, asked)
  const unread = passedOver.map((file) => ({ file, message: unknownLayoutText }))
  return {
    cases: found.cases,
    arms,
    committed,
    copies: found.copies,
    problems: [...problems, ...found.problems, ...unread],
  }
}

/** One spelling for each known configuration, lower case first: With-Skill and with_skill are the same. */
function unifySpelling(runs: readonly RunFound[]): RunFound[] {
  const names = [...new Set(runs.flatMap((run) => run.configuration ?? []))].filter(isConfiguration).sort()
  const spelling = new Map(names.map((name) => [plainName(name), name]))
  return runs.map((run) => {
    const name = run.configuration
    return name === null ? run : { ...run, configuration: spelling.get(plainName(name)) ?? name }
  })
}

async function refuseFile(place: string): Promise<void> {
  const found = await stat(place).catch(() => null)
  if (found === null || found.isDirectory()) return
  const fix =
    'pass a Whetstone benchmark (contains plan.json), or the folder that contains <case>/<configuration>/grading.json'
  throw new UserError(`${place}: expected a folder, found a file`, fix)
}

function refuseSeveral(folder: string, runs: readonly RunFound[]): void {
  const iterations = [...new Set(runs.map((run) => run.iteration ?? '.'))].sort()
  if (iterations.length < 2) return
  const one = runs.find((run) => run.iteration === iterations.at(-1))
  throw new UserError(
    `${folder}: several benchmarks: ${iterations.join(', ')}`,
    `pass one, such as ${path.join(folder, one === undefined ? '' : iterationPath(one))}`,
  )
}

/** Path of a run's iteration below the folder, possibly several levels deep. */
function iterationPath({ folder, iteration }: RunFound): string {
  const names = folder.split('/')
  return names.slice(0, names.lastIndexOf(iteration ?? '') + 1).join('/')
}

function chooseAskedArms(names: readonly string[], { candidate, baseline }: ArmsAsked): ArmsFound {
  for (const [flag, name] of Object.entries({ candidate, baseline })) {
    if (name !== null && !names.includes(name)) {
      throw new UserError(`--${flag}: unknown configuration "${name}"`, suggestChoice(name, names))
    }
  }
  if (candidate !== null && candidate === baseline) {
    throw new UserError(`--candidate and --baseline are both "${candidate}"`, `choose two of ${names.join(', ')}`)
  }
  const rest = names.filter((name) => name !== candidate && name !== baseline)
  const chosen = chooseArms(rest)
  if (candidate === null && baseline === null) return chosen
  const own = candidate ?? chosen.candidate
  const other = baseline ?? (rest.length > 0 ? (chosen.baseline ?? chosen.candidate) : null)
  return { candidate: own, baseline: other, note: null, others: rest.filter((name) => name !== own && name !== other) }
}

/** `names`: files below the folder, relative, with /. Throws UserError that names the workspaces, else the benchmarks. */
async function assertThirdParty(folder: string, names: Iterable<string>): Promise<void> {
  const own: string[] = []
  for (const file of names) {
    if (isPlanFile(file) && (await isOurs(path.join(folder, file)))) own.push(path.posix.dirname(file))
  }
  const [first, ...others] = own.sort() // a disk lists names in any order
  if (first === undefined) return
  const workspaces = [...new Set(own.map((one) => findNamedFolder(folder, one)))]
  const [what, places] = workspaces.length > 1 ? ['workspaces', workspaces] : ['benchmarks', own]
  const said =
    others.length === 0
      ? `is not a benchmark, and contains one: ${first}`
      : `contains several ${what}: ${listPlaces(places, 6)}`
  throw new UserError(`${folder}: ${said}`, `pass one, such as ${path.join(folder, places.at(-1) ?? first)}`)
}

/** The folder to name for a benchmark: its workspace below the folder, else its own. */
function findNamedFolder(folder: string, benchmark: string): string {
  const workspace = findBenchmarkWorkspace(path.resolve(folder, benchmark))
  return (workspace !== null && path.relative(folder, workspace)) || benchmark
}

/** Ignores outputs of agents, and sets of trigger queries, which contain no gradings. */
function isPlanFile(file: string): boolean {
  return path.posix.basename(file) === 'plan.json' && !/(?:^|\/)(?:outputs|triggers|descriptions)\//.test(file)
}

/** A damaged plan counts when its folder has a name like Whetstone's own. */
async function isOurs(file: string): Promise<boolean> {
  if (isTimestampName(path.basename(path.dirname(file)))) return true
  const plan = await readText(file).then(
    (text) => toForeignFields(parseJson(text, file)),
    () => null,
  )
  return Array.isArray(plan?.runs) && typeof plan.candidate_configuration === 'string'
}

function listPlaces(places: readonly string[], most: number): string {
  const more = places.length > most ? ` and ${places.length - most} more` : ''
  return `${places.slice(0, most).join(', ')}${more}`
}
