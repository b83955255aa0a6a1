/** What doctor finds from killed benchmarks: processes that still run, and temp directories. */
import { readFile } from 'node:fs/promises'
import { findStaleTempDirs } from '../../base/fs/temp_dir.ts'
import { findMarkedProcesses } from '../../base/process/marked_processes.ts'
import { findStaleGroupProcesses } from '../../base/sandbox/process_limit.ts'
import type { DoctorFinding } from './finding.ts'

export async function findLeftovers(): Promise<DoctorFinding> {
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
