/** Builds the environment of a run: an allow-list of the user's, a home and config folders of its own, no credentials. */
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { runMark } from '../../../base/process/process_marks.ts'

/** Names that pass unchanged from the user's environment. */
const allowedNames =
  /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|SHELL|SYSTEMROOT|HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/

export interface EnvironmentRequest {
  user: Readonly<Record<string, string | undefined>>
  /** The run's own home folder, absolute. */
  home: string
  /** Marks every process of the run. */
  mark: string
  /** Further variable names to pass from the user's environment. */
  passEnv: readonly string[]
  /** Folders that PATH must not contain: the suite, the results. */
  hidden: readonly string[]
}

/** Pure. Config, cache and temporary folders are below the home. Throws UserError for a variable that is hidden from every run. */
export function buildRunEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { home } = request
  const below = `${home}${path.sep}`
  return {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: `${below}.config`,
    XDG_CACHE_HOME: `${below}.cache`,
    XDG_DATA_HOME: `${below}${localData}`,
    XDG_STATE_HOME: `${below}${localState}`,
    TMPDIR: `${below}tmp`,
    [runMark]: request.mark,
    ...selectPassedVariables(request),
  }
}

/** The run sets these itself, so the user's values never pass. */
const runOwnedNames = new Set([
  ...['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'TMPDIR'],
  runMark,
])

const localData = path.join('.local', 'share')
const localState = path.join('.local', 'state')

/** With these values a run could sign results, jobs or cached runs, or access the queue or the shared cache. */
const signingVariable = /^WHETSTONE_(SIGNING|QUEUE|CACHE|SHARED_CACHE)/i

/** The first of these names that is hidden from every run. */
export function findHiddenName(names: readonly string[]): string | undefined {
  return names.find((name) => signingVariable.test(name))
}

function selectPassedVariables({ user, passEnv, hidden }: EnvironmentRequest): Record<string, string> {
  const unseen = findHiddenName(passEnv)
  if (unseen !== undefined) {
    throw new UserError(
      `--pass-env ${unseen}: runs may not see the secrets of the queue, the shared cache and the signatures`,
      'remove it, or give the variable another name',
    )
  }
  const entries = Object.entries(user).flatMap(([name, value]) =>
    value !== undefined && !runOwnedNames.has(name) && (allowedNames.test(name) || passEnv.includes(name))
      ? [[name, value] as const]
      : [],
  )
  const environment = Object.fromEntries(entries)
  environment.PATH = visiblePath(environment.PATH ?? '/usr/local/bin:/usr/bin:/bin', hidden)
  return environment
}

function visiblePath(given: string, hidden: readonly string[]): string {
  const folders = given.split(path.delimiter)
  return folders.filter((folder) => !hidden.some((root) => isBelow(folder, root))).join(path.delimiter)
}

/** The user's non-empty values of these variables. */
export function pickVariables(
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
