/** The mistakes of a configuration file in one error: each with its line, their fixes behind each other. */
import { UserError } from '../../base/error.ts'

export interface FileMistake {
  /** From 1. */
  line: number
  text: string
  /** Null: what keys and values there are is to be looked up. */
  fix: string | null
}

/** `command`: whose flags the keys are. */
export function fileError(file: string, mistakes: readonly FileMistake[], command: string): UserError {
  const sorted = [...mistakes].sort((a, b) => a.line - b.line)
  const message = sorted.map(({ line, text }) => `${file}:${line}: ${text}`).join('\n')
  const lookUp = `keys and values are those of the flags: whetstone ${command} --help, or docs/cli.md`
  const fixes = new Set(sorted.map(({ fix }) => fix ?? lookUp))
  return new UserError(message, [...fixes].join('; '))
}
