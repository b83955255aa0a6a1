/** Refuses to resume with settings other than those of the start, and names the flags that differ. */
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson } from '../../base/json/json.ts'

/** What users call settings whose flag is not their name with hyphens. */
const names: Readonly<Record<string, string>> = {
  timeoutSeconds: '--timeout',
  skill: 'the skill',
  queries: 'the queries',
  margins: '--max-cost-increase, --max-time-increase or --max-loss',
}

/** `what`: the session or the search. Throws UserError. */
export function refuseChangedSettings(
  what: string,
  then: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): void {
  const changed = Object.keys(now).filter((key) => canonicalJson(now[key] ?? null) !== canonicalJson(then[key] ?? null))
  if (changed.length === 0) return
  const shown = changed.map((key) => names[key] ?? `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter}`)}`)
  throw new UserError(
    `--resume: ${shown.join(', ').toLowerCase()} ${changed.length === 1 ? 'is' : 'are'} different from the start of the ${what}`,
    'use the flags of its start; only --budget and --deadline may differ',
  )
}
