/** The environment of a run: an allow-list of the user's, its own home and config folders, no credential. */
import path from 'node:path'
import { runMark } from '../../base/processes.ts'

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

/** Builds the environment, pure. Config, cache and temporary folders lie below the home. */
export function runEnvironment(request: EnvironmentRequest): Record<string, string> {
  const { user, home, hidden } = request
  const passed = Object.entries(user).flatMap(([name, value]) =>
    value !== undefined && (allowed.test(name) || request.passEnv.includes(name)) ? [[name, value] as const] : [],
  )
  const environment = Object.fromEntries(passed)
  return {
    ...environment,
    PATH: visiblePath(environment.PATH ?? '/usr/local/bin:/usr/bin:/bin', hidden),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    XDG_STATE_HOME: path.join(home, '.local/state'),
    TMPDIR: path.join(home, 'tmp'),
    [runMark]: request.mark,
  }
}

let lastPath = { asked: '', visible: '' }

/** Every run of a benchmark asks for the same: the last answer is kept. */
function visiblePath(given: string, hidden: readonly string[]): string {
  const asked = JSON.stringify([given, hidden])
  if (lastPath.asked !== asked) {
    const folders = given.split(path.delimiter)
    const visible = folders.filter((folder) => !hidden.some((root) => isBelow(folder, root))).join(path.delimiter)
    lastPath = { asked, visible }
  }
  return lastPath.visible
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
