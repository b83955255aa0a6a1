/** Refuses a folder with Whetstone's own benchmarks below it: their runs belong to different plans and are never counted together. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { parseJson, readText } from '../../base/json/json.ts'
import { findBenchmarkWorkspace, isTimestampName } from '../paths.ts'
import { toForeignFields } from './pick_values.ts'

/** `names`: files below the folder, relative, with /. Throws UserError that names the workspaces, else the benchmarks. */
export async function assertThirdParty(folder: string, names: Iterable<string>): Promise<void> {
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
      : `contains several ${what}: ${listPlaces(places)}`
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

const mostNamed = 6

function listPlaces(places: readonly string[]): string {
  const more = places.length > mostNamed ? ` and ${places.length - mostNamed} more` : ''
  return `${places.slice(0, mostNamed).join(', ')}${more}`
}
