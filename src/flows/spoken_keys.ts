/** A command line and a suite's environment are kept in plan.json: a credential in one would lie there for good. */
import type { EngineChoice } from '../../schemas/plan.ts'
import type { Suite } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { redactorFor } from '../base/redact.ts'

export interface Spoken {
  choices: readonly (EngineChoice | null)[]
  suite: Pick<Suite, 'path' | 'cases'>
  env: Readonly<Record<string, string | undefined>>
}

/** Throws UserError where the command of an engine, a hook or a server holds a credential. */
export function refuseSpokenKeys({ choices, suite, env }: Spoken): void {
  for (const choice of choices) {
    const found = credentialIn(choice?.command ?? '', env)
    if (found === null) continue
    throw new UserError(
      `--engine command: the command line holds a credential (${found}), and plan.json keeps it`,
      'let the program read it from its environment: --pass-env NAME',
    )
  }
  for (const { eval_id, environment } of suite.cases) {
    if (environment === undefined) continue
    const { hooks, mcp_servers } = environment
    const found = credentialIn(JSON.stringify({ hooks, mcp_servers }), env)
    if (found === null) continue
    throw new UserError(
      `${suite.path}: the environment of case ${eval_id} holds a credential (${found}), and plan.json keeps it`,
      'let the hook or server read it from its environment: --pass-env NAME',
    )
  }
}

function credentialIn(text: string, env: Spoken['env']): string | null {
  return /\[redacted:([^\]]+)\]/.exec(redactorFor(env).text(text))?.[1] ?? null
}
