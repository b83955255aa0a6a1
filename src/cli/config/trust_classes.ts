/** What each setting of a configuration file can widen. A repository brings such files, so what widens counts only once the user confirmed it. */
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { escapesFolder } from '../../base/fs/inside_folder.ts'
import { cloudNames } from '../../engines/clouds/table.ts'
import { mentionsCommand } from '../../engines/table.ts'
import { type Flags, power } from '../commands/options/flag.ts'
import type { Setting } from './read_config.ts'

export interface TrustContext {
  /** The configuration file, absolute, the links of its folder resolved. */
  file: string
  /** The values of the user's own file, by key. */
  own: ReadonlyMap<string, readonly string[]>
  flags: Flags
}

/** What this setting of a repository's file would widen; null: nothing. A key without a class widens. */
export function describeWidening({ key, values }: Pick<Setting, 'key' | 'values'>, context: TrustContext) {
  const found = values.map((value) => describeValue(key, value, context))
  return found.find((one) => one !== null) ?? null
}

function describeValue(key: string, value: string, { file, own, flags }: TrustContext): string | null {
  const trust = flags[key]?.trust ?? power('is not known to be harmless')
  const usual: unknown = own.get(key)?.at(-1) ?? flags[key]?.default
  switch (trust.kind) {
    case 'free':
      return null
    case 'name':
      if (mentionsCommand(value)) return 'starts this program with your keys'
      if (value.includes('://')) return 'sends your key to this server'
      return cloudNames.some((cloud) => value.includes(`${cloud}:`)) ? 'uses your account of this cloud' : null
    case 'path':
      return writtenPlaces(key, value).every((one) => isInside(one, path.dirname(file)))
        ? null
        : 'leads out of the folder of the file'
    case 'limit':
      return usual === undefined || value === String(usual) || Number(value) <= Number(usual) ? null : trust.effect
    case 'level':
      return trust.levels.indexOf(value) <= Math.max(0, trust.levels.indexOf(String(usual))) ? null : trust.effect
    case 'power':
      return trust.effect
  }
}

/** The places that a value names; relative ones are those of the current folder, as for the flag. */
function writtenPlaces(key: string, value: string): string[] {
  if (key === 'baseline' && value.startsWith('git:')) return []
  if (key !== 'reporter') return [path.resolve(value)]
  return value.split(',').flatMap((one) => {
    const [, written] = /^[^:]*:(.+)$/s.exec(one.trim()) ?? []
    return written === undefined ? [] : [path.resolve(written.trim())]
  })
}

/** Files of git decide what it runs, so they are not inside, also behind a link and where a disk does not tell .GIT from .git. */
function isInside(target: string, folder: string): boolean {
  const isOfGit = (place: string) => path.relative(folder, place).toLowerCase().split(path.sep).includes('.git')
  return !escapesFolder(folder, target) && !isOfGit(target) && !isOfGit(resolveExisting(target))
}

/** Where the place, or the nearest folder above it that exists, really is. */
function resolveExisting(place: string): string {
  return existsSync(place) ? realpathSync.native(place) : resolveExisting(path.dirname(place))
}
