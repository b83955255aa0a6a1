/** The environment of a run: an allow-list of the user's, its own home and config folders, no credential. */
import path from 'node:path'
import { UserError } from '../../base/error.ts'
import { runMark } from '../../base/process_marks.ts'

/** Names passed on from the user's environment as they are. */
const allowed =
  /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|SHELL|SYSTEMROOT|HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/

export interface EnvironmentRequest {
  user: Readonly<Record<string, string | undefined>>
  /** The run's own home folder, absolute. */
  home: string
  /** The mark that every process of the run carries. */
  mark: string
  /** Further names of the user's environment to pass on. */
  passEnv: readonly string[]
  /** Folders of which PATH may name nothing: the suite, the results. */
  hidden: readonly string[]
}

/** Builds the environment, pure. Config, cache and temporary folders lie below the home. Throws UserError for a name that no run gets to see. */
export function runEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { home } = request
  const below = `${home}${path.sep}`
  // a spread comes last: V8 adds to what was copied thirty times slower than it copies to the end of a literal
  return {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: `${below}.config`,
    XDG_CACHE_HOME: `${below}.cache`,
    XDG_DATA_HOME: `${below}${localData}`,
    XDG_STATE_HOME: `${below}${localState}`,
    TMPDIR: `${below}tmp`,
    [runMark]: request.mark,
    ...passed(request),
  }
}

/** The run has its own, whatever is to be passed on. */
const own = new Set([
  ...['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'TMPDIR'],
  runMark,
])

const localData = path.join('.local', 'share')
const localState = path.join('.local', 'state')

/** With what these hold a run could sign jobs itself, or reach into the queue. */
const ofQueue = /^WHETSTONE_QUEUE/i

/** The first of these names that no run gets to see. */
export function unseenAmong(names: readonly string[]): string | undefined {
  return names.find((name) => ofQueue.test(name))
}

interface Passed {
  user: EnvironmentRequest['user']
  asked: string
  environment: Record<string, string>
}

let last: Passed | null = null

/** What of the user's environment is passed on. Every run of a benchmark asks for the same: the last answer is kept, but for an environment that lives. */
function passed({ user, passEnv, hidden }: EnvironmentRequest): Record<string, string> {
  const asked = [...passEnv, '', ...hidden].join('\0')
  if (last !== null && last.user === user && last.asked === asked && user !== process.env) return last.environment
  const unseen = unseenAmong(passEnv)
  if (unseen !== undefined) {
    throw new UserError(
      `--pass-env ${unseen}: no run gets to see what leads to the queue`,
      'leave it out, or give what the run needs another name',
    )
  }
  const entries = Object.entries(user).flatMap(([name, value]) =>
    value !== undefined && !own.has(name) && (allowed.test(name) || passEnv.includes(name))
      ? [[name, value] as const]
      : [],
  )
  const environment = Object.fromEntries(entries)
  environment.PATH = visiblePath(environment.PATH ?? '/usr/local/bin:/usr/bin:/bin', hidden)
  last = { user, asked, environment }
  return environment
}

function visiblePath(given: string, hidden: readonly string[]): string {
  const folders = given.split(path.delimiter)
  return folders.filter((folder) => !hidden.some((root) => isBelow(folder, root))).join(path.delimiter)
}

/** The values of these names that the user has set and that are not empty. */
export function pick(
  user: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = user[name]
      return value ? [[name, value] as const] : []
    }),
  )
}

function isBelow(folder: string, root: string): boolean {
  const relative = path.relative(root, folder)
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative))
}
