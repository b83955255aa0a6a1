/**
 * Ends background processes of commands that have ended. Gemini CLI waits until no process has a command's output open, so a
 * `sleep 300 &` would hold it until its own limit of five minutes, after which it ends such processes itself.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { findMarkedProcesses, killNow } from '../../base/process/marked_processes.ts'

/** Polls (half seconds) that a command's background processes get, once the command is over. */
const patience = 6

export class HeldCommands {
  readonly #temp: string
  readonly #mark: string
  /** Number of polls by folder. */
  readonly #seen = new Map<string, number>()

  /** `temp`: where the CLI notes the background processes of each command as the command ends. */
  constructor(temp: string, mark: string) {
    this.#temp = temp
    this.#mark = mark
  }

  /** Call at every poll while a command's result is awaited. */
  async poll(): Promise<void> {
    for (const [folder, pids] of this.#endedCommands()) {
      const count = (this.#seen.get(folder) ?? 0) + 1
      this.#seen.set(folder, count)
      if (count < patience || pids.length === 0) continue
      for (const pid of await findMarkedProcesses(this.#mark)) if (pids.includes(innerNumber(pid))) killNow(pid)
    }
  }

  /** The commands that are over, with the numbers of their background processes. */
  #endedCommands(): [string, number[]][] {
    try {
      const folders = readdirSync(this.#temp).filter((name) => name.startsWith('gemini-shell-'))
      return folders.flatMap((name): [string, number[]][] => {
        const pids = readNumbers(path.join(this.#temp, name, 'bgpids.tmp'))
        return pids === null ? [] : [[name, pids]]
      })
    } catch {
      return [] // no such folder yet
    }
  }
}

function readNumbers(file: string): number[] | null {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return null // the command runs
  }
}

/** The process's number as it sees it itself: a sandbox numbers its own processes. */
function innerNumber(pid: number): number {
  try {
    const [, numbers = ''] = /^NSpid:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(numbers.trim().split(/\s+/).at(-1)) || pid
  } catch {
    return pid // it is gone, or this is not Linux
  }
}
