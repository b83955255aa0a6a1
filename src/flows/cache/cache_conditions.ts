/** What shapes a run besides its plan: the engine's version and files, the server it uses, and its environment. */
import type { KeyParts } from '../../../schemas/cache.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import { hashFile, type WalkedFile } from '../../base/fs/files.ts'
import { sha256 } from '../../base/json/json.ts'
import { listCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import { pickVariables } from '../../phases/2-run/workspace/run_environment.ts'
import type { FlowContext } from '../flow_context.ts'
import type { ReadyProbe } from '../prepare/preflight.ts'

export interface EngineKeyRequest {
  choice: EngineChoice
  /** null: the probe failed. */
  probe: ReadyProbe | null
  passEnv: readonly string[]
}

/** The parts of a cache key for engine and environment. They contain no secret and nothing that reveals one. */
export function buildEngineKeyParts(
  { choice, probe, passEnv }: EngineKeyRequest,
  { env }: Pick<FlowContext, 'env'>,
): KeyParts {
  const parts: KeyParts = { 'engine version': probe?.version ?? 'unknown', ...probe?.identity }
  const credentials = listCredentials(findEngine(choice.name), choice)
  for (const [name, value] of Object.entries(
    pickVariables(
      env,
      credentials.filter((one) => !secret.test(one)),
    ),
  )) {
    parts[`endpoint ${name}`] = redactAddress(value)
  }
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (localeVariable.test(name) || passEnv.includes(name))) {
      parts[`environment ${name}`] = localeVariable.test(name) ? value : `#${sha256(value).slice(0, 12)}`
    }
  }
  return parts
}

const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/

/** User variables that every run gets and that can change an agent's answer: language and time zone. */
const localeVariable = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ)$/

/** A URL without user, password and query; any other text unchanged. */
function redactAddress(value: string): string {
  if (!URL.canParse(value)) return value
  const url = new URL(value)
  const rest = url.username + url.password + url.search
  return `${url.origin}${url.pathname}${rest === '' ? '' : ` #${sha256(rest).slice(0, 12)}`}`
}

/** The sha256 of each file in each skill version, keyed by the version's sha256. */
export async function hashSkillVersions(
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
