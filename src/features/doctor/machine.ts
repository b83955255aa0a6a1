/** What doctor finds on the machine: Node, git, sandbox, disk space, and what is around the temp directory. */
import { constants } from 'node:fs'
import { access, readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { findStaleTempDirs, openScratch } from '../../base/fs/temp_dir.ts'
import { findMarkedProcesses } from '../../base/process/marked_processes.ts'
import { runProcess } from '../../base/process/spawn.ts'
import { probeSandbox } from '../../base/sandbox/choose.ts'
import { detectProcessLimit, findStaleGroupProcesses, type ProcessLimit } from '../../base/sandbox/process_limit.ts'
import { tempDirRoots } from '../../base/sandbox/programs.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { findProgram } from '../../engines/cli/find_program.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { refuseStrayInstructions } from '../../flows/prepare/check_start.ts'

/** ok: nothing to do; warning: something will not work or may mislead; missing: it is needed and absent. */
export interface DoctorFinding {
  name: string
  state: 'ok' | 'warning' | 'missing'
  detail: string
  /** How to fix it; null: nothing to fix. */
  fix: string | null
}

/** `workspace`: null for ./workspaces. `before` and `after`: printed around the engines' findings. */
export async function checkMachine(
  workspace: string | null,
  context: FlowContext,
): Promise<{ before: DoctorFinding[]; after: DoctorFinding[] }> {
  return {
    before: [checkNodeVersion(process.versions.node)],
    after: [
      ...(await checkSandbox(context)),
      await gitFinding(context),
      await diskFinding('workspace', path.resolve(workspace ?? 'workspaces'), '--workspace'),
      await temporaryFinding(),
      await hostEnvironmentFinding(),
      await findLeftovers(),
    ],
  }
}

/** As in package.json. */
export const minNodeVersion = '20.19'

export function checkNodeVersion(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = minNodeVersion.split('.').map(Number)
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  const detail = `${version}; ${minNodeVersion} or later is needed`
  if (isEnough) return { name: 'node', state: 'ok', detail, fix: null }
  return { name: 'node', state: 'missing', detail, fix: `install Node ${minNodeVersion} or later (nodejs.org)` }
}

async function gitFinding({ env, signal }: FlowContext): Promise<DoctorFinding> {
  const found = await findProgram('git', env.PATH ?? '')
  const fix = 'install git (apt-get install git, brew install git)'
  const lacking = 'without it no --baseline git:<ref> and no case with git'
  if (found === null) return { name: 'git', state: 'warning', detail: `not on PATH: ${lacking}`, fix }
  using limit = startTimeLimit(10_000, [signal])
  const spec = { command: found, args: ['--version'], cwd: '/', env: { PATH: env.PATH ?? '' }, signal: limit.signal }
  const said = await runProcess(spec).catch((error: unknown) => {
    signal.throwIfAborted()
    return errorMessage(error)
  })
  if (typeof said !== 'string' && said.exitCode === 0) {
    return { name: 'git', state: 'ok', detail: `${said.stdout.trim()} at ${found}`, fix: null }
  }
  const why = typeof said === 'string' ? ` (${said})` : ''
  return { name: 'git', state: 'warning', detail: `${found} does not work${why}: ${lacking}`, fix }
}

const GiB = 1024 ** 3

async function diskFinding(name: string, folder: string, setting: string): Promise<DoctorFinding> {
  const there = await findNearestExisting(folder)
  try {
    await access(there, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(there)
    const free = bavail * bsize
    const detail = `${folder}: ${(free / GiB).toFixed(1)} GiB free`
    if (free >= GiB) return { name, state: 'ok', detail, fix: null }
    return { name, state: 'warning', detail, fix: `free some space, or choose another place with ${setting}` }
  } catch (error) {
    const detail = `${folder}: ${errorMessage(error)}`
    return { name, state: 'missing', detail, fix: `choose a folder that can be written to with ${setting}` }
  }
}

/** Creates a temp directory to test whether a run's folder can exist there. */
async function temporaryFinding(): Promise<DoctorFinding> {
  const name = 'temporary folder'
  try {
    await (await openScratch())[Symbol.asyncDispose]()
    return await diskFinding(name, tmpdir(), 'TMPDIR')
  } catch (error) {
    const fix = error instanceof UserError ? error.fix : 'choose a folder that can be written to with TMPDIR'
    return { name, state: 'missing', detail: errorMessage(error), fix }
  }
}

async function findNearestExisting(folder: string): Promise<string> {
  const parent = path.dirname(folder)
  return parent === folder || (await pathExists(folder)) ? folder : findNearestExisting(parent)
}

async function hostEnvironmentFinding(): Promise<DoctorFinding> {
  const name = 'surroundings'
  const rooms = tempDirRoots()[0] ?? path.resolve(tmpdir())
  try {
    await refuseStrayInstructions(path.join(rooms, 'room'))
    const detail = `no instructions or skills above ${rooms}`
    return { name, state: 'ok', detail, fix: null }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { name, state: 'warning', detail: error.message, fix: error.fix }
  }
}

/** What doctor finds about isolation: whether a sandbox works, and whether it can limit processes. */
async function checkSandbox({ env }: Pick<FlowContext, 'env'>): Promise<DoctorFinding[]> {
  const found = await probeSandbox(env.PATH ?? '')
  if (found.ok)
    return [{ name: 'sandbox', state: 'ok', detail: found.detail, fix: null }, limitFinding(detectProcessLimit())]
  const detail = `none: agents run as you, and can read and change what you can (${found.message})`
  const fix = `${found.fix}; until then bench what you do not trust in a container or a virtual machine`
  return [{ name: 'sandbox', state: 'warning', detail, fix }]
}

function limitFinding(limit: ProcessLimit): DoctorFinding {
  const name = 'process limit'
  switch (limit.kind) {
    case 'cgroup':
      return { name, state: 'ok', detail: `a pids cgroup for each sandbox, below ${limit.folder}`, fix: null }
    case 'user':
      return { name, state: 'ok', detail: 'by user, in the namespace of each sandbox', fix: null }
    case 'none':
      return { name, state: 'warning', detail: `none, so a fork bomb is not stopped: ${limit.why}`, fix: limit.fix }
  }
}

/** What doctor finds from killed benchmarks: processes that still run, and temp directories. */
async function findLeftovers(): Promise<DoctorFinding> {
  const name = 'leftovers'
  const rooms = await findStaleTempDirs()
  const marked = await Promise.all(rooms.map(({ mark }) => findMarkedProcesses(mark)))
  const pids = [...new Set([...marked.flat(), ...(await findStaleGroupProcesses())])].sort((a, b) => a - b)
  if (rooms.length === 0 && pids.length === 0) {
    return { name, state: 'ok', detail: 'no processes or folders of killed benchmarks', fix: null }
  }
  const details = [...(await describeProcesses(pids)), ...describeFolders(rooms.map(({ folder }) => folder))]
  const fix =
    pids.length === 0 ? 'the next bench removes them' : `run "kill -9 ${pids.join(' ')}"; the next bench ends them too`
  return { name, state: 'warning', detail: details.join('; '), fix }
}

const maxListedProcesses = 5

async function describeProcesses(pids: readonly number[]): Promise<string[]> {
  if (pids.length === 0) return []
  const named = await Promise.all(
    pids.slice(0, maxListedProcesses).map(async (pid) => `pid ${pid} (${await commandLine(pid)})`),
  )
  const rest = pids.length > maxListedProcesses ? [`${pids.length - maxListedProcesses} more`] : []
  const count = pids.length === 1 ? '1 process' : `${pids.length} processes`
  return [`${count} of killed benchmarks still running: ${[...named, ...rest].join(', ')}`]
}

function describeFolders(folders: readonly string[]): string[] {
  if (folders.length === 0) return []
  const count = folders.length === 1 ? '1 temporary folder' : `${folders.length} temporary folders`
  return [`${count} of killed benchmarks, such as ${folders[0]}`]
}

async function commandLine(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
  const words = text.replaceAll(/[^\x21-\x7e]+/g, ' ').trim()
  return words === '' ? 'no command line' : words.length > 60 ? `${words.slice(0, 59)}…` : words
}
