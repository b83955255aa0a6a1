/** The program at a real terminal, and somebody who answers its questions. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { needs } from '../require.ts'

export const needsTerminal = needs('the program script', existsSync('/usr/bin/script'), 'apt-get install bsdutils')

export interface Ended {
  said: string
  code: number | null
}

export interface Session {
  args: readonly string[]
  /** What it says when it waits for an answer. */
  question: string
  /** The keys of the next answer, whatever has to be done before they are typed. */
  answer: () => string
  env?: Record<string, string>
  cwd?: string
}

/** Runs the built program in a pseudo-terminal; after each question the next answer is typed. */
export function atTerminal({ args, question, answer, env = {}, cwd }: Session): Promise<Ended> {
  const bin = path.join(import.meta.dirname, '../../dist/program/bin.js')
  const line = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, CI: '', TERM: 'xterm', NO_COLOR: '1', ...env },
  })
  let [said, asked] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    const questions = said.split(question).length - 1
    for (; asked < questions; asked += 1) child.stdin.write(answer())
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ said, code }))
  })
}
