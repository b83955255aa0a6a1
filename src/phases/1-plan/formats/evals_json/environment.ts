/** Resolves the `environment` of a case: finds and hashes its files, reads its hooks and servers. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { type EnvironmentSource, type Hooks, hooks, mcpServers } from '../../../../../schemas/environment.ts'
import type { EvalCase } from '../../../../../schemas/evals.ts'
import { mcpRecording } from '../../../../../schemas/mcp_recording.ts'
import type { Environment, InputFile, SuitePrograms } from '../../../../../schemas/suite.ts'
import { errorMessage } from '../../../../base/errors/error.ts'
import { hashFile, pathExists } from '../../../../base/fs/files.ts'
import { findOwnFile } from '../../../../base/fs/inside_folder.ts'
import { checkAs, readJson } from '../../../../base/json/json.ts'
import { type InputPlace, placeInputs, resolveInnerFile } from '../../suite/input_files.ts'
import { readBackslashPath } from '../backslash_paths.ts'
import { unknownEvent } from '../hook_events.ts'

export interface PlacedEnvironment {
  /** null: not given, or it cannot be installed for the given reasons. */
  environment: Environment | null
  reasons: string[]
}

interface EnvironmentReading {
  source: EnvironmentSource
  /** JSON path of the environment. */
  at: string
  place: InputPlace
  reasons: string[]
}

/** Never throws: missing or broken parts become reasons why the case cannot run. */
export async function placeEnvironment(
  source: EnvironmentSource | undefined,
  at: string,
  place: InputPlace,
): Promise<PlacedEnvironment> {
  if (source === undefined) return { environment: null, reasons: [] }
  const reading: EnvironmentReading = { source, at: `${at}.environment`, place, reasons: [] }
  const mcp_servers = (await readEnvironmentSetting('mcp_servers', serversFile, reading)) ?? {}
  const recordings = await findRecordings(Object.keys(mcp_servers), reading)
  const environment = {
    files: await placeEnvironmentFiles('files', reading),
    hooks: withKnownEvents((await readEnvironmentSetting('hooks', hooksFile, reading)) ?? {}, reading),
    rules: await placeFlatFiles('rules', reading),
    agents: await placeFlatFiles('agents', reading),
    mcp_servers,
    ...(recordings && { recordings }),
  }
  const { reasons } = reading
  return { environment: reasons.length === 0 ? environment : null, reasons }
}

export const emptyEnvironment: Environment = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }

/** The environment with what a case or its suite sets outside of "environment"; null: nothing at all. */
export function extendEnvironment(
  placed: Environment | null,
  { env, programs }: { env: EvalCase['env']; programs: SuitePrograms | null },
): Environment | null {
  if (env === undefined && programs === null) return placed
  const texts = Object.entries(env ?? {}).map(([name, value]) => [name, String(value)] as const)
  return {
    ...(placed ?? emptyEnvironment),
    ...(env && { env: Object.fromEntries(texts) }),
    ...(programs && { programs }),
  }
}

/** A settings.json with hooks, a hooks.json, or the hooks alone. */
const hooksFile = z.union([z.looseObject({ hooks }).transform((file) => file.hooks), hooks])

/** A .mcp.json, or the servers alone. */
const serversFile = z.union([z.looseObject({ mcpServers }).transform((file) => file.mcpServers), mcpServers])

/** Returns the hooks unchanged; a misspelt event keeps the case from running, because nothing would start its hooks. */
function withKnownEvents(given: Hooks, { at, place, reasons }: EnvironmentReading): Hooks {
  for (const event of Object.keys(given)) {
    const unknown = unknownEvent(event)
    if (unknown?.isMistake) reasons.push(`environment.hooks: ${unknown.message}`)
    else if (unknown) place.warn(`${at}.hooks.${event}`, `${unknown.message}; its hooks may never run`)
  }
  return given
}

async function placeEnvironmentFiles(
  field: 'files' | 'rules' | 'agents',
  { source, at, place, reasons }: EnvironmentReading,
) {
  const named = (source[field] ?? []).map((one, index) => ({ path: one, at: `${at}.${field}[${index}]` }))
  const placed = await placeInputs(named, place)
  reasons.push(...placed.reasons.map((reason) => `environment.${field}: ${reason}`))
  return placed.files
}

/** Installed under their base names. */
async function placeFlatFiles(field: 'rules' | 'agents', reading: EnvironmentReading): Promise<InputFile[]> {
  const files = (await placeEnvironmentFiles(field, reading)).map((file) => ({
    ...file,
    path: path.basename(file.path),
  }))
  for (const [index, file] of files.entries()) {
    const same = files.findIndex((other) => other.path === file.path)
    if (same < index) reading.reasons.push(`environment.${field}: two files are named ${file.path}`)
  }
  return files
}

/** The recordings of these servers in evals/mcp/; null: none. A broken one keeps the case from running. */
async function findRecordings(names: readonly string[], { place, reasons }: EnvironmentReading) {
  const found: Record<string, InputFile> = {}
  for (const name of names) {
    const file = `evals/mcp/${name}.json`
    if (!(await pathExists(path.join(place.root, file)))) continue
    try {
      const source = findOwnFile(place.root, file)
      if (source === null) throw new Error(`${file}: it is not a file of the skill's folder`)
      const { server } = await readJson(mcpRecording, source)
      if (server !== name) throw new Error(`${file}: it is a recording of the server ${server}`)
      const { size } = await stat(source)
      found[name] = { path: file, source, kind: 'file', sha256: await hashFile(source), bytes: size }
    } catch (error) {
      const fix = `record it again (whetstone record-mcp), or delete it to use the real server`
      reasons.push(`environment.mcp_servers: ${errorMessage(error)}; ${fix}`)
    }
  }
  return Object.keys(found).length === 0 ? null : found
}

/** Returns a field's value, or that of the file it names; undefined: absent, or broken with a reported reason. */
async function readEnvironmentSetting<S extends z.ZodType>(
  field: 'hooks' | 'mcp_servers',
  schema: S,
  reading: EnvironmentReading,
) {
  const given = reading.source[field]
  if (given === undefined) return undefined
  try {
    if (typeof given !== 'string') return checkAs(schema, given, `environment.${field}`)
    const { root, warn } = reading.place
    const named = await readBackslashPath({ path: given, at: `${reading.at}.${field}` }, [root], warn)
    const found = await resolveInnerFile(named, reading.place)
    if ('reason' in found) throw new Error(`${given}: ${found.reason}`)
    return await readJson(schema, found.file)
  } catch (error) {
    reading.reasons.push(`environment.${field}: ${errorMessage(error)}`)
    return undefined
  }
}
