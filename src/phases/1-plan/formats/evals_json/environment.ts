/** The `environment` of a case: its files found and hashed, its hooks and servers read. */
import path from 'node:path'
import { z } from 'zod'
import { type EnvironmentSource, hooks, mcpServers } from '../../../../../schemas/environment.ts'
import type { Environment, InputFile } from '../../../../../schemas/suite.ts'
import { messageOf } from '../../../../base/error.ts'
import { checkAs, readJson } from '../../../../base/json.ts'
import { fileInside, type InputPlace, placeInputs } from '../../inputs.ts'

export interface PlacedEnvironment {
  /** null: the case has none, or it can't be laid out for the reasons given. */
  environment: Environment | null
  reasons: string[]
}

interface Reading {
  source: EnvironmentSource
  /** JSON path of the environment. */
  at: string
  place: InputPlace
  reasons: string[]
}

/** Never throws: what is missing or broken is a reason why the case cannot run. */
export async function placeEnvironment(
  source: EnvironmentSource | undefined,
  at: string,
  place: InputPlace,
): Promise<PlacedEnvironment> {
  if (source === undefined) return { environment: null, reasons: [] }
  const reading: Reading = { source, at: `${at}.environment`, place, reasons: [] }
  const environment = {
    files: await filesOf('files', reading),
    hooks: (await settingOf('hooks', hooksFile, reading)) ?? {},
    rules: await flatFilesOf('rules', reading),
    agents: await flatFilesOf('agents', reading),
    mcp_servers: (await settingOf('mcp_servers', serversFile, reading)) ?? {},
  }
  const { reasons } = reading
  return { environment: reasons.length === 0 ? environment : null, reasons }
}

/** A settings.json with hooks among other things, a hooks.json, or the hooks alone. */
const hooksFile = z.union([z.looseObject({ hooks }).transform((file) => file.hooks), hooks])

/** A .mcp.json, or the servers alone. */
const serversFile = z.union([z.looseObject({ mcpServers }).transform((file) => file.mcpServers), mcpServers])

async function filesOf(field: 'files' | 'rules' | 'agents', { source, at, place, reasons }: Reading) {
  const named = (source[field] ?? []).map((one, index) => ({ path: one, at: `${at}.${field}[${index}]` }))
  const placed = await placeInputs(named, place)
  reasons.push(...placed.reasons.map((reason) => `environment.${field}: ${reason}`))
  return placed.files
}

/** Under their last names. */
async function flatFilesOf(field: 'rules' | 'agents', reading: Reading): Promise<InputFile[]> {
  const files = (await filesOf(field, reading)).map((file) => ({ ...file, path: path.basename(file.path) }))
  for (const [index, file] of files.entries()) {
    const same = files.findIndex((other) => other.path === file.path)
    if (same < index) reading.reasons.push(`environment.${field}: two files are named ${file.path}`)
  }
  return files
}

/** What a field holds itself, or in the file that it names; undefined: absent, or broken for a reason that is told. */
async function settingOf<S extends z.ZodType>(field: 'hooks' | 'mcp_servers', schema: S, reading: Reading) {
  const given = reading.source[field]
  if (given === undefined) return undefined
  try {
    if (typeof given !== 'string') return checkAs(schema, given, `environment.${field}`)
    const found = await fileInside(given, reading.place.root)
    if ('reason' in found) throw new Error(`${given}: ${found.reason}`)
    return await readJson(schema, found.file)
  } catch (error) {
    reading.reasons.push(`environment.${field}: ${messageOf(error)}`)
    return undefined
  }
}
