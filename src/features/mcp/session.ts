/** What the tools of one server share: where it may read and write, its jobs, and what it allows. */
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { attempt } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { isSubpath } from '../../base/fs/inside_folder.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'
import type { Jobs } from './jobs.ts'

/** What the person who configures the server allows, in its arguments. */
export interface McpOptions {
  /** The sum of the upper bounds of plans that start without a question, in dollars; null: every plan needs a person. */
  approveUpTo: number | null
  /** Whether plans may name engines that start any program, and configuration files may set everything. */
  allowPrograms: boolean
}

export interface McpSession {
  server: McpServer
  options: McpOptions
  /** Absolute, links resolved. */
  cwd: string
  env: FlowContext['env']
  roots: Roots
  jobs: Jobs
  /** The upper bounds of the plans that started without a question, by id. */
  allowed: Map<string, number>
}

export const skillFiles = ['SKILL.md', 'evals/evals.json'] as const
export const benchmarkFiles = ['plan.json', 'benchmark.json'] as const

export class Roots {
  readonly #cwd: string
  readonly #list: () => Promise<readonly string[]>

  /** `cwd`: absolute, links resolved. `list`: the URIs of the client's roots. */
  constructor(cwd: string, list: () => Promise<readonly string[]>) {
    this.#cwd = cwd
    this.#list = list
  }

  async folders(): Promise<string[]> {
    const uris = (await this.#list()).filter((uri) => uri.startsWith('file://'))
    const named = uris.flatMap((uri) => attempt(() => realpathSync.native(fileURLToPath(uri)), [])) // existing folders
    return [this.#cwd, ...named]
  }

  /** The place, absolute with links resolved, which need not exist. Throws UserError if it is outside of all roots. */
  async resolve(given: string): Promise<string> {
    return (await this.locate(given)).place
  }

  /** The same for a folder whose files are read: links out of the roots in their place are refused too. */
  async resolveWith(given: string, files: readonly string[]): Promise<string> {
    const folder = await this.resolve(given)
    for (const file of files) await this.resolve(path.join(folder, file))
    return folder
  }

  async locate(given: string): Promise<{ place: string; root: string }> {
    if (given.includes('\0')) throw new UserError(`${jsonText(given)}: a path without NUL was expected`, 'remove it')
    const place = realPlace(path.resolve(this.#cwd, given))
    const root = (await this.folders()).find((one) => isSubpath(place, one))
    if (root === undefined) {
      throw new UserError(
        `${jsonText(given)}: outside of the folders of this server`,
        `use a path below ${this.#cwd}, or start the server in another folder`,
      )
    }
    return { place, root }
  }
}

/** With links resolved as far as the path exists. */
function realPlace(place: string): string {
  const above = path.dirname(place)
  const real = attempt(() => realpathSync.native(place), above === place ? place : null)
  return real ?? path.join(realPlace(above), path.basename(place))
}

/** The benchmark folder that a place means: itself, or the newest of a workspace. Throws UserError. */
export async function resolveBenchmark(given: string, roots: Roots): Promise<string> {
  return await roots.resolveWith(await findBenchmark(await roots.resolve(given)), benchmarkFiles)
}

async function findBenchmark(place: string): Promise<string> {
  const { plan, benchmark } = benchmarkPaths(place)
  if (existsSync(plan) || existsSync(benchmark)) return place
  const [newest] = await listBenchmarks(place).catch(() => [])
  if (newest !== undefined) return newest
  throw new UserError(`${jsonText(place)}: no benchmark in it`, 'pass a benchmark folder, or a workspace')
}
