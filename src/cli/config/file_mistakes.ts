/** Combines a configuration file's mistakes in one error: each with its line, then their fixes. */
import { UserError } from '../../base/errors/error.ts'

export interface FileMistake {
  /** From 1. */
  line: number
  text: string
  /** null: the fix is to look up the valid keys and values. */
  fix: string | null
}

/** `command`: its flags are the valid keys. */
export function fileError(file: string, mistakes: readonly FileMistake[], command: string): UserError {
  const sorted = [...mistakes].sort((a, b) => a.line - b.line)
  const message = sorted.map(({ line, text }) => `${file}:${line}: ${text}`).join('\n')
  const lookUp = `keys and values are those of the flags: whetstone ${command} --help, or docs/reference/cli.md`
  const fixes = new Set(sorted.map(({ fix }) => fix ?? lookUp))
  return new UserError(message, [...fixes].join('; '))
}
