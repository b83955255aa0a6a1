/** Reads the case, the configuration and the run number from the path of a run. */
import { findConfigurationName, isConfiguration } from './arms.ts'
import { unnamedFolders } from './names.ts'

export interface ForeignRunPlace {
  /** Folders that name the case, joined with /; empty: none. */
  case: string
  /** null: the path has none. */
  configuration: string | null
  /** null: without a run folder. A text: a run folder without a number at its end. */
  run: number | string | null
  /** Such as iteration-1; null: none on the path. */
  iteration: string | null
  /** Number of folders on the path that repeat the configuration (a copy inside a copy). */
  repeats: number
}

const runFolder = /^(?:run|trial|attempt|repeat|sample)[-_ ]?(\d{1,9})$/i
const namedRunFolder = /^run[-_ ](.+)$/i
const iterationFolder = /^(?:iteration|iter|round)[-_ ]?\d+$/i
const caseFolder = /^(?:evals?|case|test)(?:[-_ ]|\d|$)/i

/**
 * Parses a run's folder, relative to the tree, with /. null: it is among the outputs of an agent. The configuration is the
 * folder with the most certain name; else the last one that does not look like a case.
 */
export function parseRunPlace(folder: string): ForeignRunPlace | null {
  const all = folder.split('/').filter((name) => name !== '' && name !== '.')
  if (all.at(-1) === 'outputs') all.pop()
  if (all.includes('outputs')) return null
  const iteration = all.findLast((name) => iterationFolder.test(name)) ?? null
  const names = all.filter((name) => !iterationFolder.test(name) && !unnamedFolders.includes(name.toLowerCase()))
  const { run, rest } = takeRun(names)
  const configuration = pickConfiguration(rest, run !== null)
  const others = rest.filter((name) => name !== configuration)
  const repeats = configuration === null ? 0 : rest.length - others.length - 1
  return { case: others.join('/'), configuration, run, iteration, repeats }
}

const caseFile = /^(.*\/)?([^/]+?)(?:[-_.]run[-_.]?(\d{1,9}))?-(?:grading|timing)\.json$/

/**
 * The run folder for a case's file in its configuration's folder: `<configuration>/eval-1` for `eval-1-grading.json`,
 * `<configuration>/eval-1/run-2` for `eval-1-run-2-timing.json`. null: not such a file.
 */
export function folderOfCaseFile(file: string): string | null {
  const [, folder = '', name = '', run] = caseFile.exec(file) ?? []
  const place = parseRunPlace(folder)
  const isAlone = place?.case === '' && place.run === null && isConfiguration(place.configuration ?? '')
  if (!isAlone || !caseFolder.test(name)) return null
  return run === undefined ? `${folder}${name}` : `${folder}${name}/run-${run}`
}

function takeRun(names: readonly string[]): { run: ForeignRunPlace['run']; rest: string[] } {
  const at = names.findLastIndex((name) => runFolder.test(name))
  if (at >= 0) return { run: Number(runFolder.exec(names[at] ?? '')?.[1]), rest: names.filter((_, i) => i !== at) }
  const label = namedRunFolder.exec(names.at(-1) ?? '')?.[1]
  if (label !== undefined && names.slice(0, -1).some(isConfiguration)) return { run: label, rest: names.slice(0, -1) }
  return { run: null, rest: [...names] }
}

function pickConfiguration(names: readonly string[], hasRun: boolean): string | null {
  const known = findConfigurationName(names)
  if (known !== null) return known
  const last = names.at(-1)
  if (last === undefined || caseFolder.test(last)) return null
  return names.length > 1 || hasRun ? last : null
}
