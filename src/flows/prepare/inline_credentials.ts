/** Refuses credentials in command lines and suite environments: plan.json would store them permanently. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { getRedactor } from '../../base/secrets/redact.ts'

export interface CredentialSources {
  choices: readonly (EngineChoice | null)[]
  suite: Pick<Suite, 'path' | 'cases'>
  env: Readonly<Record<string, string | undefined>>
}

/** Throws UserError if the command of an engine, a hook or a server contains a credential. */
export function refuseInlineCredentials({ choices, suite, env }: CredentialSources): void {
  for (const choice of choices) {
    const found = findCredential(choice?.command ?? '', env)
    if (found === null) continue
    throw new UserError(
      `--engine ${choice?.name}: the command line contains a credential (${found}), which plan.json would keep`,
      'let the program read it from its environment: --pass-env NAME',
    )
  }
  for (const { eval_id, environment } of suite.cases) {
    if (environment === undefined) continue
    const { hooks, mcp_servers, env: set } = environment
    const found = findCredential(JSON.stringify({ hooks, mcp_servers, set }), env)
    if (found === null) continue
    throw new UserError(
      `${suite.path}: the environment of case ${eval_id} contains a credential (${found}), which plan.json would keep`,
      'let the program that needs it read it from its environment: --pass-env NAME',
    )
  }
}

function findCredential(text: string, env: CredentialSources['env']): string | null {
  return /\[redacted:([^\]]+)\]/.exec(getRedactor(env).text(text))?.[1] ?? null
}
