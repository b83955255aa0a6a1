/** Authorizes programs and servers named by a plan.json: they get the user's keys, and someone else may have written the plan. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { sha256 } from '../../base/json/json.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { shortenText } from '../../phases/4-report/text/format.ts'
import { isTrusted, rememberTrust } from '../../store/cache/trusted_suites.ts'
import type { FlowContext } from '../flow_context.ts'

interface PlannedChoice {
  /** The plan's file or folder, absolute. */
  file: string
  role: 'agent' | 'judge'
  choice: EngineChoice | null
  /** What a flag sets instead of the plan. */
  named: { choice: boolean; baseUrl: boolean }
  wish: Pick<SandboxWish, 'trusted'> | null | undefined
}

/** Throws UserError unless the user named it earlier on this machine, passes --trust-suite or answers yes. */
export async function authorizePlannedEngine(planned: PlannedChoice, context: FlowContext): Promise<void> {
  const { file, role, choice, named, wish } = planned
  if (choice === null || named.choice || wish?.trusted === true) return
  const { base_url, ...rest } = choice
  const asked = named.baseUrl || base_url === undefined ? rest : { ...rest, base_url }
  const hashes = powerHashes(asked)
  if (hashes.length === 0 || isTrusted(hashes, context.env)) return
  const what = `${role} ${shortenText(asked.command ?? `${asked.name} at ${base_url}`, 200)}`
  const refusal = new UserError(
    `${file}: its plan names the ${what}, which would get your keys and was not named on this machine before`,
    role === 'judge'
      ? 'name the judge yourself with --judge, or add --trust-suite if you trust this benchmark'
      : 'add --trust-suite if you trust this benchmark, or run bench on the skill yourself',
  )
  if (context.confirm === undefined) throw refusal
  if (!(await context.confirm(`The plan names the ${what}, which would get your keys. Start it?`))) throw refusal
  rememberTrust(hashes, context.env)
}

/** Remembers what the user named in a flag or their own configuration file, so that later commands on the benchmark need not ask. */
export function rememberNamedEngines(
  choices: readonly (EngineChoice | null)[],
  { env }: Pick<FlowContext, 'env'>,
): void {
  const hashes = choices.flatMap((choice) => (choice === null ? [] : powerHashes(choice)))
  if (hashes.length > 0 && !isTrusted(hashes, env)) rememberTrust(hashes, env)
}

function powerHashes({ command, base_url }: EngineChoice): string[] {
  return [
    ...(command === undefined ? [] : [sha256(`program ${command}`)]),
    ...(base_url === undefined ? [] : [sha256(`server ${base_url}`)]),
  ]
}
