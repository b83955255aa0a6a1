/** What the path of a run says: its case, its configuration, its run number. */
import { configurationAmong, isConfiguration } from './arms.ts'
import { passedOver } from './names.ts'

export interface Place {
  /** Folders that name the case, joined with /; empty: the path names none. */
  case: string
  /** Null: the path names none. */
  configuration: string | null
  /** Null: there is no run folder. A text: a run folder that ends in no number. */
  run: number | string | null
  /** iteration-1 and the like; null: none on the path. */
  iteration: string | null
  /** How many folders of the path say nothing new (a copy inside a copy). */
  repeats: number
}

const runFolder = /^(?:run|trial|attempt|repeat|sample)[-_ ]?(\d{1,9})$/i
const namedRunFolder = /^run[-_ ](.+)$/i
const iterationFolder = /^(?:iteration|iter|round)[-_ ]?\d+$/i
const caseFolder = /^(?:evals?|case|test)(?:[-_ ]|\d|$)/i

/**
 * Of a run's folder relative to the tree, with /. Null: it lies among the outputs of an agent. The configuration is the
 * folder whose name is known the surest; else the last one that does not look like a case.
 */
export function placeOf(folder: string): Place | null {
  const all = folder.split('/').filter((name) => name !== '' && name !== '.')
  if (all.at(-1) === 'outputs') all.pop()
  if (all.includes('outputs')) return null
  const iteration = all.findLast((name) => iterationFolder.test(name)) ?? null
  const names = all.filter((name) => !iterationFolder.test(name) && !passedOver.includes(name.toLowerCase()))
  const { run, rest } = takeRun(names)
  const configuration = configurationOf(rest, run !== null)
  const others = rest.filter((name) => name !== configuration)
  const repeats = configuration === null ? 0 : rest.length - others.length - 1
  return { case: others.join('/'), configuration, run, iteration, repeats }
}

const caseFile = /^(.*\/)?([^/]+?)(?:[-_.]run[-_.]?(\d{1,9}))?-(?:grading|timing)\.json$/

/**
 * The folder that a file of a case in its configuration's folder stands for: `<configuration>/eval-1` for `eval-1-grading.json`,
 * `<configuration>/eval-1/run-2` for `eval-1-run-2-timing.json`. Null: no such file.
 */
export function folderOfCaseFile(file: string): string | null {
  const [, folder = '', name = '', run] = caseFile.exec(file) ?? []
  const place = placeOf(folder)
  const isAlone = place?.case === '' && place.run === null && isConfiguration(place.configuration ?? '')
  if (!isAlone || !caseFolder.test(name)) return null
  return run === undefined ? `${folder}${name}` : `${folder}${name}/run-${run}`
}

function takeRun(names: readonly string[]): { run: Place['run']; rest: string[] } {
  const at = names.findLastIndex((name) => runFolder.test(name))
  if (at >= 0) return { run: Number(runFolder.exec(names[at] ?? '')?.[1]), rest: names.filter((_, i) => i !== at) }
  const label = namedRunFolder.exec(names.at(-1) ?? '')?.[1]
  if (label !== undefined && names.slice(0, -1).some(isConfiguration)) return { run: label, rest: names.slice(0, -1) }
  return { run: null, rest: [...names] }
}

function configurationOf(names: readonly string[], hasRun: boolean): string | null {
  const known = configurationAmong(names)
  if (known !== null) return known
  const last = names.at(-1)
  if (last === undefined || caseFolder.test(last)) return null
  return names.length > 1 || hasRun ? last : null
}
