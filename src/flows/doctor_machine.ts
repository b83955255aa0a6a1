/** What doctor finds on the machine: Node, git, sandbox, room on disk, what lies around the temporary folder. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { messageOf, UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { openScratch, staleRooms } from '../base/room.ts'
import { roomsFolder } from '../base/sandbox/programs.ts'
import { runProcess } from '../base/spawn.ts'
import { timeLimit } from '../base/time_limit.ts'
import { findProgram } from '../engines/find_program.ts'
import type { FlowContext } from './context.ts'
import type { Finding } from './doctor.ts'
import { sandboxFindings } from './doctor_sandbox.ts'
import { refuseStrayInstructions } from './surroundings.ts'

export interface Machine {
  /** null: ./workspaces */
  workspace: string | null
}

/** `before` and `after` those of the engines. */
export async function machineFindings(
  machine: Machine,
  context: FlowContext,
): Promise<{ before: Finding[]; after: Finding[] }> {
  return {
    before: [nodeFinding(process.versions.node)],
    after: [
      ...(await sandboxFindings(context)),
      await gitFinding(context),
      await diskFinding('workspace', path.resolve(machine.workspace ?? 'workspaces'), '--workspace'),
      await temporaryFinding(),
      await surroundingsFinding(),
      await roomsFinding(),
    ],
  }
}

/** As package.json says. */
export const leastNode = '20.19'

export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = leastNode.split('.').map(Number)
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  const detail = `${version}; ${leastNode} or later is needed`
  if (isEnough) return { name: 'node', state: 'ok', detail, fix: null }
  return { name: 'node', state: 'missing', detail, fix: `install Node ${leastNode} or later (nodejs.org)` }
}

async function gitFinding({ env, signal }: FlowContext): Promise<Finding> {
  const found = await findProgram('git', env.PATH ?? '')
  const fix = 'install git (apt-get install git, brew install git)'
  const lacking = 'without it no --baseline git:<ref> and no case with git'
  if (found === null) return { name: 'git', state: 'warning', detail: `not on PATH: ${lacking}`, fix }
  using limit = timeLimit(10_000, [signal])
  const spec = { command: found, args: ['--version'], cwd: '/', env: { PATH: env.PATH ?? '' }, signal: limit.signal }
  const said = await runProcess(spec).catch((error: unknown) => {
    signal.throwIfAborted()
    return messageOf(error)
  })
  if (typeof said !== 'string' && said.exitCode === 0) {
    return { name: 'git', state: 'ok', detail: `${said.stdout.trim()} at ${found}`, fix: null }
  }
  const why = typeof said === 'string' ? ` (${said})` : ''
  return { name: 'git', state: 'warning', detail: `${found} does not work${why}: ${lacking}`, fix }
}

const GiB = 1024 ** 3

async function diskFinding(name: string, folder: string, setting: string): Promise<Finding> {
  const there = await nearestThere(folder)
  try {
    await access(there, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(there)
    const free = bavail * bsize
    const detail = `${folder}: ${(free / GiB).toFixed(1)} GiB free`
    if (free >= GiB) return { name, state: 'ok', detail, fix: null }
    return { name, state: 'warning', detail, fix: `free some space, or choose another place with ${setting}` }
  } catch (error) {
    const detail = `${folder}: ${messageOf(error)}`
    return { name, state: 'missing', detail, fix: `choose a folder that can be written to with ${setting}` }
  }
}

/** Whether a run's folder can be made there, by making one. */
async function temporaryFinding(): Promise<Finding> {
  const name = 'temporary folder'
  try {
    await (await openScratch())[Symbol.asyncDispose]()
    return await diskFinding(name, tmpdir(), 'TMPDIR')
  } catch (error) {
    const fix = error instanceof UserError ? error.fix : 'choose a folder that can be written to with TMPDIR'
    return { name, state: 'missing', detail: messageOf(error), fix }
  }
}

/** The folder itself, or the nearest above it that is there. */
async function nearestThere(folder: string): Promise<string> {
  const parent = path.dirname(folder)
  return parent === folder || (await exists(folder)) ? folder : nearestThere(parent)
}

async function surroundingsFinding(): Promise<Finding> {
  const name = 'surroundings'
  const rooms = roomsFolder()[0] ?? path.resolve(tmpdir())
  try {
    await refuseStrayInstructions(path.join(rooms, 'room'))
    const detail = `no instructions or skills above ${rooms}`
    return { name, state: 'ok', detail, fix: null }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { name, state: 'warning', detail: error.message, fix: error.fix }
  }
}

async function roomsFinding(): Promise<Finding> {
  const name = 'leftovers'
  const stale = await staleRooms()
  if (stale.length === 0) return { name, state: 'ok', detail: 'none of killed benchmarks', fix: null }
  const detail = `${stale.length} temporary folders of killed benchmarks, such as ${stale[0]?.folder}`
  return { name, state: 'warning', detail, fix: 'the next bench clears them and ends what still runs there' }
}
