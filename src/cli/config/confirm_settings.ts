/** Asks before settings of a repository's configuration file count that widen something, and remembers the answer by content hash. */
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { escapesFolder, isSubpath } from '../../base/fs/inside_folder.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { runGit } from '../../base/process/git.ts'
import { listCloudNames } from '../../engines/clouds/table.ts'
import { mentionsCommand } from '../../engines/table.ts'
import { isTrusted, rememberTrust } from '../../store/cache/trusted_suites.ts'
import { type Flags, power } from '../commands/options/flag.ts'
import { alignColumns, toSafeLine } from '../terminal/style.ts'
import { fileError, type Setting } from './read_config.ts'

export interface WideningSetting extends Pick<Setting, 'key' | 'line'> {
  /** For a person. */
  value: string
  effect: string
  /** The configuration file and the files that the value names, absolute. */
  files: string[]
  /** Over the file's path, the key, its values and the content of the files that they name. */
  hash: string
}

interface ConfirmContext extends TrustContext {
  command: string
  /** Settings of a file that is as at this commit, and names files that are, are confirmed; null: none. */
  commit: string | null
  env: NodeJS.ProcessEnv
}

/** The settings that widen something and that the user has not confirmed. */
export async function listUnconfirmed(
  settings: readonly Setting[],
  context: Omit<ConfirmContext, 'command'>,
): Promise<WideningSetting[]> {
  const found: WideningSetting[] = []
  for (const setting of settings) {
    const effect = describeWidening(setting, context)
    if (effect === null) continue
    const one = await describeSetting(setting, effect, context)
    const isSame = context.commit !== null && (await isSameAtCommit(one.files, context.file, context.commit))
    if (!isSame && !isTrusted([one.hash], context.env)) found.push(one)
  }
  return found
}

const usualFix =
  'read these lines, then add --trust-config (in a terminal you are asked once), or put them into ~/.config/whetstone/whetstone.config.yaml'

/** `ask`: null where nobody can answer. Throws UserError unless the user confirms all of them. */
export async function confirmSettings(
  open: readonly WideningSetting[],
  {
    file,
    command,
    env,
    fix = usualFix,
  }: Pick<ConfirmContext, 'file' | 'command' | 'env'> & { fix?: string | undefined },
  ask: ((question: string) => Promise<boolean>) | null,
): Promise<void> {
  if (open.length === 0) return
  const refuse = () => {
    const mistakes = open.map(({ key, line, value, effect }) => ({
      line,
      text: toSafeLine(`${key}: ${value} is not confirmed: it ${effect}`),
      fix,
    }))
    return fileError(file, mistakes, command)
  }
  if (ask === null) throw refuse()
  const rows = open.map(({ line, key, value, effect }) => [`  ${line}:`, toSafeLine(`${key}: ${value}`), effect])
  process.stderr.write(`${[`${toSafeLine(file)} sets:`, ...alignColumns(rows)].join('\n')}\n`)
  if (!(await ask('Do you trust these settings?')))
    throw new UserError(`${file}: its settings were not confirmed`, 'remove them, or give other values as flags')
  rememberTrust(
    open.map(({ hash }) => hash),
    env,
  )
}

async function describeSetting(
  { key, values, line }: Setting,
  effect: string,
  { file, env, flags }: Pick<ConfirmContext, 'file' | 'env' | 'flags'>,
): Promise<WideningSetting> {
  const isName = flags[key]?.trust?.kind === 'name'
  const named = key === 'allow-read' ? [] : await listNamedFiles(values, { file, env, isName })
  const contents: [string, string][] = []
  for (const one of named) contents.push([one, await hashFile(one).catch(() => 'not readable')])
  const value = values.map((one) => flags[key]?.shown?.(one) ?? one).join(', ')
  const hash = sha256(canonicalJson({ kind: 'config', file, key, values, contents }))
  return { key, line, value, effect, files: [file, ...named], hash }
}

/** The files that words of the values name, and all files of folders that a command line names, such as node ./agent. */
async function listNamedFiles(
  values: readonly string[],
  { file, env, isName }: { file: string; env: NodeJS.ProcessEnv; isName: boolean },
): Promise<string[]> {
  const folder = path.dirname(file)
  const system = (env.PATH ?? '').split(path.delimiter)
  const found = new Set<string>()
  for (const word of values.flatMap((value) => [value, ...value.split(/[\s"'`=,;:&|<>()]+/)])) {
    const place = path.resolve(folder, word)
    const info = word === '' ? undefined : readInfo(place)
    if (info?.isFile() === true && !system.includes(path.dirname(place))) found.add(place)
    if (info?.isDirectory() !== true || !isName) continue
    if (isSubpath(folder, place)) {
      const message = `${file}: ${values.join(', ')}: "${word}" is the folder of this file, so a change of the program would not be noticed`
      throw new UserError(message, 'name the file that is started, or give the setting on the command line')
    }
    const { files } = await walk(place, { skip: (inside) => inside === '.git', unreadable: 'leave_out' })
    for (const one of files) found.add(path.join(place, one.path))
  }
  return [...found]
}

function readInfo(place: string): Stats | undefined {
  try {
    return statSync(place)
  } catch {
    return undefined
  }
}

/** Whether a commit has all of these files with the same content. A link on the way to one, or a file elsewhere, is not the same. */
async function isSameAtCommit(files: readonly string[], file: string, commit: string): Promise<boolean> {
  const folder = path.dirname(file)
  for (const one of files) {
    const inside = path.relative(folder, one).split(path.sep).join('/')
    const ids = Promise.all([
      runGit(folder, ['rev-parse', '--verify', `${commit}:./${inside}`]),
      runGit(folder, ['hash-object', '--no-filters', '--', one]),
    ])
    const [before, now] = await ids.catch(() => ['', null])
    if (before !== now) return false
  }
  return true
}

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
      return listCloudNames().some((cloud) => value.includes(`${cloud}:`)) ? 'uses your account of this cloud' : null
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
