/** The command that starts a session like this one, for its pull request. */
import path from 'node:path'
import { usualMargins } from '../../../phases/4-report/acceptance/guards.ts'
import type { ImproveRequest } from '../improve_request.ts'

/** Names the settings that shape the result. An absolute path is shortened to its last part: it names the author's machine. */
export function buildReproduceCommand(request: ImproveRequest): string {
  const { bench, goal, margins } = request
  const flags: [flag: string, value: string | number | null | undefined][] = [
    ['suite', bench.suite === null ? null : showPath(bench.suite)],
    ['total-runs', request.totalRuns],
    ['seed', request.seed],
    ['goal', goal === 'better' ? null : goal],
    ['engine', bench.engine],
    ['model', bench.model],
    ['judge', bench.judge],
    ['proposer', request.proposer],
    ['certify-judge', request.certifyJudge],
    ...request.confirmOn.map((engine): [string, string] => ['confirm-on', engine]),
    ['timeout', bench.timeoutSeconds],
    ['max-turns', bench.maxTurns],
    ['activation', bench.activation === 'natural' ? null : bench.activation],
    ['max-cost-increase', margins.cost === usualMargins.cost ? null : Math.round(1e4 * margins.cost) / 100],
    ['max-time-increase', margins.time === usualMargins.time ? null : Math.round(1e4 * margins.time) / 100],
  ]
  const given = flags.flatMap(([flag, value]) =>
    value === null || value === undefined ? [] : [`--${flag}`, toShellWord(String(value))],
  )
  const drafts = request.useDrafts ? ['--use-drafts'] : []
  return ['whetstone', 'improve', toShellWord(showPath(request.skill)), ...given, ...drafts].join(' ')
}

function showPath(given: string): string {
  return path.isAbsolute(given) ? path.basename(given) : given
}

function toShellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
