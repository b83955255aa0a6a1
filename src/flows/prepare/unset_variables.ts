/** Reports variables of --pass-env that are not set: a pipeline may pass optional ones, so nothing is refused. */
import type { FlowContext } from '../flow_context.ts'

/** Adds a line to `choices` for each. */
export function reportUnsetVariables(
  { passEnv }: { passEnv: readonly string[] },
  { choices }: { choices: string[] },
  { env }: Pick<FlowContext, 'env'>,
): void {
  for (const name of new Set(passEnv))
    if (env[name] === undefined)
      choices.push(`--pass-env ${name}: not set here, so runs on this machine start without it`)
}
