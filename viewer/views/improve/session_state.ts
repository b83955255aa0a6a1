/** What is known of an improve session: certified, nothing to certify, ended before that, or still running. */
import type { History } from '../../../schemas/history.ts'
import { displayPlural } from '../../format.ts'

export type SessionState = 'certified' | 'nothing' | 'ended' | 'running' | 'unknown'

/** unknown: another tool wrote the history. */
export function sessionState({ certification, rounds, plan, stopped, ended_at }: History): SessionState {
  if (certification != null) return 'certified'
  if (certification === null) return 'nothing'
  if (rounds === undefined && plan === undefined) return 'unknown'
  return stopped === undefined && ended_at === undefined ? 'running' : 'ended'
}

/** The result in one sentence; of a certification it is the terminal's. */
export function improveHeadline(history: History): string {
  const { certification, rounds = [], plan, ending, iterations, current_best } = history
  switch (sessionState(history)) {
    case 'certified':
      return certification?.sentence ?? ''
    case 'nothing':
      return 'Nothing to certify: no version has a higher estimate than v0'
    case 'ended':
      return `Not certified: the session ended first; the best so far is ${current_best}`
    case 'running': {
      if (ending !== undefined) return `Still running: ${current_best} is being certified against v0`
      const round = `round ${rounds.length + 1}${plan === undefined ? '' : ` of ${plan.rounds}`}`
      return `Still running: ${round}; the best so far is ${current_best}`
    }
    case 'unknown':
      return `${displayPlural(Math.max(0, iterations.length - 1), 'version')} tried; the best is ${current_best}`
  }
}
