/** A command line is kept in plan.json: a credential in it would lie there for good. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { redactorFor } from '../base/redact.ts'

/** Throws UserError where the command of an engine holds a credential. */
export function refuseSpokenKeys(
  choices: readonly (EngineChoice | null)[],
  env: Readonly<Record<string, string | undefined>>,
): void {
  for (const choice of choices) {
    const found = /\[redacted:([^\]]+)\]/.exec(redactorFor(env).text(choice?.command ?? ''))?.[1]
    if (found === undefined) continue
    throw new UserError(
      `--engine command: the command line holds a credential (${found}), and plan.json keeps it`,
      'let the program read it from its environment: --pass-env NAME',
    )
  }
}
