/** trend: reads every benchmark below some folders, oldest first; reports an unreadable one and continues. */
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { history as historySchema } from '../../../../schemas/history.ts'
import { plan as planSchema } from '../../../../schemas/plan.ts'
import type { Trend } from '../../../../schemas/trend.ts'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import { missingPathError } from '../../../base/fs/nearest_path.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { readWrittenBenchmark } from '../diff.ts'
import type { ImproveCost, TrendBenchmark } from './build_trend.ts'
import { buildTrend } from './build_trend.ts'

/** Throws UserError where there is nothing, or nothing readable. */
export async function readTrend(names: readonly string[], context: FlowContext): Promise<Trend> {
  const left_out: Trend['left_out'] = []
  const tell = (file: string, message: string) => left_out.push({ file: displayTrendPath(file), message })
  const files = new Set<string>()
  for (const name of names) for (const file of await listTrendArtefacts(name, tell)) files.add(file)
  const found: TrendBenchmark[] = []
  for (const file of files) if (!isHistory(file)) found.push(...(await readTrendBenchmark(file, tell, context)))
  const improved = [...files].flatMap((file) => (isHistory(file) ? readImprovements(file, tell) : []))
  // it contains the agents' command lines
  if (found.some(({ benchmark }) => benchmark.observational !== true))
    return getRedactor(context.env).value(buildTrend(found, improved, left_out))
  const why = left_out.map(({ message }) => `: ${message}`)[0] ?? ''
  throw new UserError(
    `${names.join(', ')}: ${found.length > 0 ? 'only recorded sessions, which are not benchmarks' : `no readable benchmark.json${why}`}`,
    'run bench first (for a package: eval --report), or pass another folder',
  )
}

type ReportUnreadable = (file: string, message: string) => void

const artefactNames: ReadonlySet<string> = new Set(['benchmark.json', 'history.json'])

async function listTrendArtefacts(name: string, tell: ReportUnreadable): Promise<string[]> {
  const place = path.resolve(name)
  const info = await stat(place).catch(() => null)
  if (info === null) throw missingPathError(name, 'file or folder', 'pass a workspace, or a folder that contains some')
  if (!info.isDirectory()) return [place]
  const found = await findArtefacts(place, artefactNames, (folder, error) => tell(folder, errorMessage(error)))
  return found.length > 0 ? found : [benchmarkPaths(place).benchmark]
}

function isHistory(file: string): boolean {
  return path.basename(file) === 'history.json'
}

function displayTrendPath(file: string): string {
  return path.relative(process.cwd(), file) || file
}

const planFacts = planSchema.pick({ skill: true, suite: true, options: true, watch: true })

/** Dated by its file if it has no date. Empty, and told, where it can't be read. */
async function readTrendBenchmark(
  file: string,
  tell: ReportUnreadable,
  context: FlowContext,
): Promise<TrendBenchmark[]> {
  const { mtime } = await stat(file).catch(() => stat(path.dirname(file)))
  const benchmark = await readWrittenBenchmark(file, { ...context, now: () => mtime }).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    tell(file, error.message)
  })
  if (!benchmark) return []
  const at = new Date(benchmark.metadata.timestamp)
  if (Number.isNaN(at.getTime())) {
    tell(file, `metadata.timestamp is not a date: ${benchmark.metadata.timestamp}`)
    return []
  }
  const folder = path.dirname(file)
  const { plan: planFile } = benchmarkPaths(folder)
  const plan = tryReadArtefact(planFacts, planFile, ({ message }) => tell(planFile, message))
  return [{ folder: displayTrendPath(folder), at, benchmark, plan }]
}

/** The costs of all proposals, at the end of their round; of failed ones, at the end of the session. */
function readImprovements(file: string, tell: ReportUnreadable): ImproveCost[] {
  const history = tryReadArtefact(historySchema, file, ({ message }) => tell(file, message))
  if (history === null) return []
  const { rounds = [], failed_proposals = [], started_at, ended_at: end = started_at } = history
  const paid = [
    ...rounds.flatMap(({ proposals, ended_at }) => proposals.map(({ cost_usd }) => ({ usd: cost_usd, ended_at }))),
    ...failed_proposals.map(({ cost_usd }) => ({ usd: cost_usd, ended_at: end })),
  ]
  return paid.flatMap(({ usd, ended_at }) => {
    const at = new Date(ended_at)
    return Number.isNaN(at.getTime()) ? [] : { at, usd }
  })
}

/** Files from agents may have any name, so folders of runs and hidden folders are skipped. */
const ignoredFolderPattern = /^(?:\.|node_modules$|outputs$|eval-|run-\d)/

/** Absolute paths, in order. Does not follow links; reports folders that can't be read. */
async function findArtefacts(
  root: string,
  names: ReadonlySet<string>,
  onUnreadable: (folder: string, error: unknown) => void,
): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    onUnreadable(root, error)
    return []
  })
  const found: string[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const place = path.join(root, entry.name)
    if (entry.isFile() && names.has(entry.name)) found.push(place)
    if (entry.isDirectory() && !ignoredFolderPattern.test(entry.name)) {
      found.push(...(await findArtefacts(place, names, onUnreadable)))
    }
  }
  return found
}
