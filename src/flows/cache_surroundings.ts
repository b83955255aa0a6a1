/** What shapes a run besides its plan: the engine's version and files, the server it talks to, the environment it gets. */
import type { KeyParts } from '../../schemas/cache.ts'
import type { EngineChoice } from '../../schemas/plan.ts'
import { hashFile, type WalkedFile } from '../base/files.ts'
import { sha256 } from '../base/json.ts'
import { engineNamed } from '../engines/table.ts'
import { pick } from '../phases/2-run/environment.ts'
import type { FlowContext } from './context.ts'
import type { ReadyProbe } from './preflight.ts'

export interface EngineAsked {
  choice: EngineChoice
  /** null: it could not be asked. */
  probe: ReadyProbe | null
  passEnv: readonly string[]
}

/** The parts of a key that say with what engine and environment a run is made. Holds no secret and nothing that gives one away. */
export function engineParts({ choice, probe, passEnv }: EngineAsked, { env }: Pick<FlowContext, 'env'>): KeyParts {
  const parts: KeyParts = { 'engine version': probe?.version ?? 'unknown', ...probe?.identity }
  const { credentials } = engineNamed(choice.name)
  for (const [name, value] of Object.entries(
    pick(
      env,
      credentials.filter((one) => !secret.test(one)),
    ),
  )) {
    parts[`endpoint ${name}`] = placeOf(value)
  }
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (shaping.test(name) || passEnv.includes(name))) {
      parts[`environment ${name}`] = shaping.test(name) ? value : `#${sha256(value).slice(0, 12)}`
    }
  }
  return parts
}

const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/

/** What a run always gets of the user's environment and an agent's answer may follow: language and time zone. */
const shaping = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/

/** An address without user, password and query; what is none as it is. */
function placeOf(value: string): string {
  if (!URL.canParse(value)) return value
  const url = new URL(value)
  const rest = url.username + url.password + url.search
  return `${url.origin}${url.pathname}${rest === '' ? '' : ` #${sha256(rest).slice(0, 12)}`}`
}

/** The sha256 of each file of each skill version, by the version's sha256. */
export async function skillHashes(
  versions: ReadonlyMap<string, readonly WalkedFile[]>,
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const hashes = new Map<string, Record<string, string>>()
  for (const [version, files] of versions) {
    const all: Record<string, string> = {}
    for (const file of files) all[file.path] = await hashFile(file.source)
    hashes.set(version, all)
  }
  return hashes
}
