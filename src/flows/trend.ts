/** trend: reads every benchmark below some folders, oldest first; one that can't be read is named and stops no other. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import { history as historySchema } from '../../schemas/history.ts'
import { plan as planSchema } from '../../schemas/plan.ts'
import type { Trend } from '../../schemas/trend.ts'
import { messageOf, UserError } from '../base/error.ts'
import { redactorFor } from '../base/redact.ts'
import { type Found, trendOf } from '../phases/4-report/trend.ts'
import type { Improved } from '../phases/4-report/trend_costs.ts'
import { readIf } from '../store/damage.ts'
import { findArtefacts } from '../store/find_artefacts.ts'
import { benchmarkPaths } from '../store/paths.ts'
import type { FlowContext } from './context.ts'

/** Throws UserError where nothing is, or nothing of it can be read. */
export async function readTrend(names: readonly string[], env: FlowContext['env']): Promise<Trend> {
  const left_out: Trend['left_out'] = []
  const tell = (file: string, message: string) => left_out.push({ file: shown(file), message })
  const files = new Set<string>()
  for (const name of names) for (const file of await artefactsIn(name, tell)) files.add(file)
  const found = [...files].flatMap((file) => (isHistory(file) ? [] : (benchmarkIn(file, tell) ?? [])))
  const improved = [...files].flatMap((file) => (isHistory(file) ? improvedIn(file, tell) : []))
  // the command lines of agents are in it
  if (found.length > 0) return redactorFor(env).value(trendOf(found, improved, left_out))
  const why = left_out.map(({ message }) => `: ${message}`)[0] ?? ''
  throw new UserError(
    `${names.join(', ')}: no benchmark.json that can be read${why}`,
    'bench first (of a package: eval --report), or name another folder',
  )
}

type Tell = (file: string, message: string) => void

const searched: ReadonlySet<string> = new Set(['benchmark.json', 'history.json'])

async function artefactsIn(name: string, tell: Tell): Promise<string[]> {
  const place = path.resolve(name)
  const info = await stat(place).catch(() => null)
  if (info === null) throw new UserError(`${name}: no such file or folder`)
  if (!info.isDirectory()) return [place]
  return findArtefacts(place, searched, (folder, error) => tell(folder, messageOf(error)))
}

function isHistory(file: string): boolean {
  return path.basename(file) === 'history.json'
}

function shown(file: string): string {
  return path.relative(process.cwd(), file) || file
}

const planFacts = planSchema.pick({ skill: true, suite: true, options: true })

function benchmarkIn(file: string, tell: Tell): Found | null {
  const benchmark = readIf(benchmarkSchema, file, ({ message }) => tell(file, message))
  if (benchmark === null) return null
  const at = new Date(benchmark.metadata.timestamp)
  if (Number.isNaN(at.getTime())) {
    tell(file, `metadata.timestamp is no date: ${benchmark.metadata.timestamp}`)
    return null
  }
  const folder = path.dirname(file)
  const { plan: planFile } = benchmarkPaths(folder)
  const plan = readIf(planFacts, planFile, ({ message }) => tell(planFile, message))
  return { folder: shown(folder), at, benchmark, plan }
}

/** What the iterations and the refused proposals say they cost; those that say nothing are not there. */
function improvedIn(file: string, tell: Tell): Improved[] {
  const history = readIf(historySchema, file, ({ message }) => tell(file, message))
  return [...(history?.iterations ?? []), ...(history?.refused ?? [])].flatMap(({ cost_usd, ended_at }) => {
    const at = new Date(ended_at ?? history?.started_at ?? '')
    return cost_usd === undefined || Number.isNaN(at.getTime()) ? [] : { at, usd: cost_usd }
  })
}
