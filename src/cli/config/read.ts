/** Reads a configuration file: every mistake with its line, and a suggestion for a key that is not known. */
import path from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { UserError } from '../../base/error.ts'
import { readText } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { offsetOf } from '../../base/yaml.ts'
import { commandWords } from '../../engines/command_line.ts'
import { type ConfiguredCommand, configFile, keysOf, mistakeFor, pathKeys, topKeysOf } from './keys.ts'

/** A setting of the file as it holds for one command. */
export interface Setting {
  key: string
  /** As on the command line; of a list each once. Paths are absolute. */
  values: readonly string[]
  /** From 1. */
  line: number
  /** What this command says of the value, which another one takes; null: nothing. */
  mistake: string | null
}

/** The settings for a command. Throws UserError that names file, line, key and fix of every mistake. */
export async function readConfig(file: string, command: ConfiguredCommand): Promise<Setting[]> {
  const lines = new LineCounter()
  const document = parseDocument(await readText(file), { lineCounter: lines })
  const [broken] = document.errors
  if (broken !== undefined) {
    const at = lines.linePos(broken.pos[0]).line
    throw new UserError(`${file}:${at}: ${broken.message.split('\n')[0]}`, 'mend the syntax there')
  }
  const lineOf = (place: readonly PropertyKey[]) => {
    const offset = offsetOf(document.contents, place)
    return offset === null ? 1 : lines.linePos(offset).line
  }
  const parsed = configFile().safeParse(document.toJS() ?? {})
  if (!parsed.success) throw mistakes(file, parsed.error.issues, lineOf)
  const own: Readonly<Record<string, unknown>> = parsed.data[command] ?? {}
  const known = topKeysOf(command)
  const top = Object.entries(parsed.data).filter(([key]) => known.has(key) && !Object.hasOwn(own, key))
  const settings = [
    ...top.map(([key, value]) => ({ key, value, line: lineOf([key]) })),
    ...Object.entries(own).map(([key, value]) => ({ key, value, line: lineOf([command, key]) })),
  ]
  const folder = path.dirname(file)
  return settings.map(({ key, value, line }) => ({
    key,
    line,
    mistake: mistakeFor(command, key, value),
    values: [value].flat().map((one) => placed(key, String(one), folder)),
  }))
}

function mistakes(
  file: string,
  issues: readonly z.core.$ZodIssue[],
  lineOf: (place: readonly PropertyKey[]) => number,
): UserError {
  const found = issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') {
      return [{ line: lineOf(issue.path), text: `${issue.path.join('.') || 'the file'}: ${issue.message}`, fix: null }]
    }
    const section = issue.path.length === 0 ? null : String(issue.path[0])
    return issue.keys.map((key) => unknownKey(key, section, lineOf([...issue.path, key])))
  })
  const sorted = found.sort((a, b) => a.line - b.line)
  const message = sorted.map(({ line, text }) => `${file}:${line}: ${text}`).join('\n')
  const fixes = sorted.flatMap(({ fix }) => fix ?? [])
  return new UserError(message, fixes.length > 0 ? fixes.join('; ') : 'docs/config.md lists all keys')
}

function unknownKey(key: string, section: string | null, line: number) {
  const known = keysOf(section)
  const [near] = nearest(key.replaceAll(/_|(?<=[a-z])(?=[A-Z])/g, '-'), known, 1)
  const where = section === null ? '' : ` in ${section}`
  const fix = near === undefined ? null : `did you mean ${near}${key === near ? '' : ` instead of ${key}`}?`
  return { line, text: `no setting is named ${key}${where}`, fix }
}

/** Relative to the file, where it is a path: also the files of a command line. */
function placed(key: string, value: string, folder: string): string {
  if (value.startsWith('command:')) return `command:${anchored(value.slice('command:'.length), folder)}`
  if (key === 'reporter')
    return value
      .split(',')
      .map((one) => reportIn(one, folder))
      .join(',')
  if (!pathKeys.has(key) || value.startsWith('git:')) return value
  return path.resolve(folder, value)
}

/** junit:<path>: the path is relative to the file, too. */
function reportIn(report: string, folder: string): string {
  const [, kind, place] = /^\s*(\w+):(.+)$/s.exec(report) ?? []
  return kind === undefined || place === undefined ? report : `${kind}:${path.resolve(folder, place)}`
}

/** Words that begin with ./ or ../ are files beside the configuration. */
function anchored(line: string, folder: string): string {
  const parsed = commandWords(line)
  if ('mistake' in parsed || !parsed.words.some(isRelative)) return line
  return parsed.words.map((word) => quoted(isRelative(word) ? path.resolve(folder, word) : word)).join(' ')
}

function isRelative(word: string): boolean {
  return /^\.\.?\//.test(word)
}

function quoted(word: string): string {
  if (!/[\s"']/.test(word) && word !== '') return word
  return word.includes('"') ? `'${word}'` : `"${word}"`
}
