/** What `bench` does for each skill: its command line, and the configuration file that is nearest to that skill's suite. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { ArgumentsCamelCase, Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import { type Configured, configure } from '../config/configure.ts'
import { sharedKeys } from '../config/keys.ts'
import { packageAbove } from '../config/package_above.ts'

export interface OfSkill<T> {
  /** As given. */
  skill: string
  configured: Configured<T>
}

export interface SettingsRequest<T> {
  argv: readonly string[]
  options: (args: Argv) => Argv<T>
  args: ArgumentsCamelCase<T>
}

interface Given {
  skill: string[]
  suite?: string | undefined
}

/** Throws UserError for a mistake in a file, and where two skills' files say different things that are one for all of them. */
export async function settingsOfSkills<T extends Given>(request: SettingsRequest<T>): Promise<OfSkill<T>[]> {
  const all: OfSkill<T>[] = []
  for (const skill of request.args.skill) {
    const where = await whereOf(skill, request.args.suite)
    const configured = await configure({ ...request, command: 'bench', usage: 'bench <skill..>', ...where })
    all.push({ skill, configured })
  }
  for (const key of sharedKeys) refuseDifferent(key, all)
  return all
}

function refuseDifferent<T extends Given>(key: string, all: readonly OfSkill<T>[]): void {
  const [first, ...others] = all
  const text = ({ configured }: OfSkill<T>) => JSON.stringify(configured.args[key] ?? null)
  const other = others.find((one) => first !== undefined && text(one) !== text(first))
  if (first === undefined || other === undefined) return
  const said = [first, other].map((one) => `${text(one)} for ${one.skill} (${one.configured.file ?? 'no file'})`)
  throw new UserError(`${key}: ${said.join(', ')}`, `it is one for all skills: give --${key}, or bench them apart`)
}

/** Where the file of a skill is looked for, and the folder that files come with it in. */
export async function whereOf(given: string, suite: string | undefined): Promise<{ start: string; skill: string }> {
  const folder = await folderOf(path.resolve(given))
  const start = suite === undefined ? path.join(folder, 'evals') : path.dirname(path.resolve(suite))
  return { start, skill: (await packageAbove(folder)) ?? folder }
}

async function folderOf(place: string): Promise<string> {
  const info = await stat(place).catch(() => null)
  return info?.isFile() ? path.dirname(place) : place
}
