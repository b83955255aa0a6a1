/** Reads a configuration file: reports every mistake with its line, and suggests keys for unknown ones. */
import path from 'node:path'
import type * as z from 'zod'
import { UserError } from '../../base/errors/error.ts'
import { readText } from '../../base/json/json.ts'
import { quoteWord } from '../../base/package_root.ts'
import { findNearest } from '../../base/text/did_you_mean.ts'
import { parseYamlFile } from '../../base/text/yaml.ts'
import { splitCommandLine } from '../../engines/command_line.ts'
import { isCommandText } from '../../engines/table.ts'
import {
  configFileSchema,
  configurableSettings,
  findValueMistake,
  isOneTime,
  sectionKeys,
  topLevelKeys,
} from './config_keys.ts'

export interface Setting {
  key: string
  /** As on the command line; one for each list item. Paths are absolute. */
  values: readonly string[]
  /** From 1. */
  line: number
  /** This command's objection to a value that another command accepts; null: none. */
  mistake: string | null
}

export interface ReadConfig {
  settings: Setting[]
  mistakes: FileMistake[]
}

/** The settings for a command. Throws UserError for invalid YAML. */
export async function readConfigFile(file: string, command: string): Promise<ReadConfig> {
  const yaml = parseYamlFile(await readText(file), file)
  const lineOf = (place: readonly PropertyKey[]) => yaml.at(place).line
  const raw = yaml.value ?? {}
  const parsed = configFileSchema().safeParse(raw)
  const issues = parsed.success ? [] : parsed.error.issues
  const rest = parsed.success ? parsed : configFileSchema().safeParse(withoutMistakes(raw, issues))
  const data: Readonly<Record<string, unknown>> = rest.data ?? {}
  const own: Readonly<Record<string, unknown>> = { ...(data[command] ?? {}) }
  const known = topLevelKeys(command)
  const top = Object.entries(data).filter(([key]) => known.has(key) && !Object.hasOwn(own, key))
  const settings = [
    ...top.map(([key, value]) => ({ key, value, line: lineOf([key]) })),
    ...Object.entries(own).map(([key, value]) => ({ key, value, line: lineOf([command, key]) })),
  ]
  const folder = path.dirname(file)
  return {
    settings: settings.map(({ key, value, line }) => ({
      key,
      line,
      mistake: findValueMistake(command, key, value),
      values: [value].flat().map((one) => resolveSettingValue(key, String(one), { command, folder })),
    })),
    mistakes: issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') {
        return [
          { line: lineOf(issue.path), text: `${issue.path.join('.') || 'the file'}: ${issue.message}`, fix: null },
        ]
      }
      const section = issue.path.length === 0 ? null : String(issue.path[0])
      return issue.keys.map((key) => unknownKey(key, section, lineOf([...issue.path, key])))
    }),
  }
}

/** The file without invalid keys: the others may have mistakes too. */
function withoutMistakes(raw: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const rest = structuredClone(raw)
  for (const issue of issues) {
    const [first, second] = issue.path
    const places =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [[first, second]]
    for (const [key, inner] of places) {
      const section: unknown = Reflect.get(Object(rest), key ?? '')
      if (inner !== undefined && typeof section === 'object' && section !== null && !Array.isArray(section)) {
        Reflect.deleteProperty(section, inner)
      } else Reflect.deleteProperty(Object(rest), key ?? '')
    }
  }
  return rest
}

function unknownKey(key: string, section: string | null, line: number): FileMistake {
  if (isOneTime(key, section)) {
    const text = `"${key}" is a flag of the command line, not a setting${section === null ? '' : ` of ${section}`}`
    return { line, text, fix: `remove it, and pass --${key} on the command line` }
  }
  const known = sectionKeys(section)
  const [near] = findNearest(key.replaceAll(/_|(?<=[a-z])(?=[A-Z])/g, '-'), known, 1)
  const where = section === null ? '' : ` in ${section}`
  const fix = near === undefined ? null : `did you mean "${near}"?`
  return { line, text: `unknown setting "${key}"${where}`, fix }
}

/** Resolves paths relative to the file, also those in a command line. */
function resolveSettingValue(
  key: string,
  value: string,
  { command, folder }: { command: string; folder: string },
): string {
  if (isCommandText(value)) {
    const line = value.indexOf(':') + 1
    return `${value.slice(0, line)}${anchorLine(value.slice(line), folder)}`
  }
  if (key === 'reporter')
    return value
      .split(',')
      .map((one) => resolveReport(one, folder))
      .join(',')
  if (!configurableSettings(command)[key]?.trust?.isPath || /^(git:|https?:\/\/)/.test(value)) return value
  return path.resolve(folder, value)
}

/** junit:<path>: the path is relative to the file too. */
function resolveReport(report: string, folder: string): string {
  const [, kind, place] = /^\s*(\w+):(.+)$/s.exec(report) ?? []
  return kind === undefined || place === undefined ? report : `${kind}:${path.resolve(folder, place)}`
}

/** Words that start with ./ or ../ are relative to the configuration file. */
function anchorLine(line: string, folder: string): string {
  const parsed = splitCommandLine(line)
  if ('mistake' in parsed || !parsed.words.some(isRelative)) return line
  const words = parsed.words.map((word) => (isRelative(word) ? path.resolve(folder, word) : word))
  return words.map((word) => (/^[^\s"']+$/.test(word) ? word : quoteWord(word))).join(' ')
}

function isRelative(word: string): boolean {
  return /^\.\.?\//.test(word)
}

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
