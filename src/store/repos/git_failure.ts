/** Explains why git could not read a repository, with the fix. */
import { stripVTControlCharacters } from 'node:util'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { GitError } from '../../base/process/git.ts'

const causes: readonly [RegExp, (source: string) => [what: string, fix: string]][] = [
  [
    /dubious ownership/,
    (source) => [
      'it belongs to another user, so git refuses to read it',
      `if you trust its owner: git config --global --add safe.directory '${source}'`,
    ],
  ],
  [
    /(not|does not) appear to be a git repository|not a git repository|repository '.*' not found|not a bundle|unrecognized header/i,
    () => ['not a git repository', 'name the top of a repository, its URL or a git bundle'],
  ],
  [
    /authentication failed|could not read (username|password)|terminal prompts disabled|permission denied|access denied|host key verification/i,
    (source) => ['access is denied', `make this work first: git ls-remote ${source}`],
  ],
  [
    /transport '.*' not allowed/,
    () => ['it needs a transport other than https, http, ssh or file', 'name another URL of the repository'],
  ],
  [
    /could not resolve|unable to access|failed to connect|connection (refused|timed out|reset)|network is unreachable|could not read from remote/i,
    (source) => ["it can't be reached", `check the URL and the network: git ls-remote ${source}`],
  ],
]

/** `error`: what a git command of this repository was rejected with. */
export function explainGitFailure(source: string, error: unknown): UserError {
  if (errnoCode(error) === 'ENOENT') return new UserError(`repo ${source}: git can't be started`, 'install git')
  const said = readStderr(error)
  const lines = said.split('\n').filter((line) => /^(fatal|error|remote): |: /.test(line))
  const last = (lines.at(-1) ?? said.split('\n').at(-1) ?? '').replace(/^(fatal|error): /, '').slice(0, 300)
  const [, explain] = causes.find(([pattern]) => pattern.test(said)) ?? []
  const [what, fix] = explain?.(source) ?? ['git failed', `see what this says: git ls-remote ${source}`]
  return new UserError(`repo ${source}: ${what}${last === '' ? '' : ` (${last})`}`, fix)
}

function readStderr(error: unknown): string {
  return stripVTControlCharacters(error instanceof GitError ? error.stderr : errorMessage(error)).trim()
}
