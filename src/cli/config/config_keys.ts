/** Lists the flags that whetstone.config.yaml can set: a key is the flag's long name, and its value is checked like the flag's. */
import * as z from 'zod'
import { errorMessage } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { featureCommands } from '../../features/table.ts'
import { benchFlags } from '../commands/bench/options.ts'
import { evalFlags } from '../commands/eval/options.ts'
import { gradeFlags } from '../commands/grade/options.ts'
import { improveFlags } from '../commands/improve/options.ts'
import { initFlags } from '../commands/init/options.ts'
import type { Flag, Flags } from '../commands/options/flag.ts'
import { modeFlags } from '../commands/options/modes.ts'
import { listRemoteFlags } from '../commands/options/remote_flags.ts'

const ownFlags: Readonly<Record<string, Flags>> = {
  bench: benchFlags,
  grade: gradeFlags,
  improve: improveFlags,
  eval: evalFlags,
  init: initFlags,
  ...Object.fromEntries(Object.entries(featureCommands).flatMap(([name, { flags }]) => (flags ? [[name, flags]] : []))),
}

/** Commands that read the file. The first command with a flag defines the top-level key. */
export const configuredCommands: readonly string[] = Object.keys(ownFlags)

/** Commands whose runs other machines may execute. */
const remoteCommands: ReadonlySet<string> = new Set([
  ...['bench', 'improve', 'eval'],
  ...Object.entries(featureCommands).flatMap(([name, { canBeRemote }]) => (canBeRemote ? [name] : [])),
])

export function listFlags(command: string): Flags {
  const remote = remoteCommands.has(command) ? listRemoteFlags() : {}
  return { ...ownFlags[command], ...modeFlags(command), ...remote }
}

/** At the top of the file they apply to bench: other commands have other gates, and would overwrite its reports. */
const benchTopKeys: ReadonlySet<string> = new Set(['gate', 'fail-on', 'reporter'])

/** The flags of a command that a file can set. */
export function configurableSettings(command: string): Flags {
  return Object.fromEntries(Object.entries(listFlags(command)).filter(([, { trust }]) => trust !== undefined))
}

/** The file's top-level keys that apply to a command. */
export function topLevelKeys(command: string): Set<string> {
  const keys = Object.keys(configurableSettings(command))
  return new Set(command === 'bench' ? keys : keys.filter((name) => !benchTopKeys.has(name)))
}

/** The file's schema: settings for all commands, and overriding sections for each. Built on demand: it has hundreds of fields. */
export function configFileSchema() {
  cachedSchema ??= makeSchema()
  return cachedSchema
}

let cachedSchema: ReturnType<typeof makeSchema> | null = null

function makeSchema() {
  return z
    .strictObject({
      $schema: z.string().optional().describe('for editors'),
      ...toFieldSchemas(Object.assign({}, ...[...configuredCommands].reverse().map(configurableSettings))),
      ...sections(),
    })
    .describe('whetstone.config.yaml or .json: settings of the command line, kept in a file')
}

function sections() {
  const of = (command: string) =>
    z
      .strictObject(toFieldSchemas(configurableSettings(command)))
      .optional()
      .describe(`for ${command} only`)
  return Object.fromEntries(configuredCommands.map((command) => [command, of(command)]))
}

/** The keys at the top of the file or in a section. */
export function sectionKeys(section: string | null): string[] {
  const command = configuredCommands.find((name) => name === section)
  if (command !== undefined) return Object.keys(configurableSettings(command))
  return section === null ? Object.keys(configFileSchema().shape) : []
}

/** Whether no file can set this flag: for the section's command, else for any. */
export function isOneTime(key: string, section: string | null): boolean {
  const own = configuredCommands.filter((name) => section === null || name === section)
  return own.length > 0 && (key === 'json' || own.some((name) => Object.hasOwn(listFlags(name), key)))
}

function toFieldSchemas(flags: Flags): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(flags).map(([name, option]) => [name, toFieldSchema(name, option)]))
}

function toFieldSchema(name: string, option: Flag): z.ZodType {
  const one = option.choices === undefined ? basic(option) : z.enum(option.choices.map(String))
  const type = option.array ? z.union([one, z.array(one)], { error: 'neither a text nor a list of texts' }) : one
  return type
    .superRefine((value, context) => {
      const mistake = findFlagMistake(name, option, value)
      if (mistake !== null) context.addIssue({ code: 'custom', message: mistake })
    })
    .optional()
    .describe(option.describe ?? '')
}

function basic({ type, array }: Flag): z.ZodType {
  if (type === 'number') return z.number()
  if (type === 'boolean') return z.boolean()
  // no flag of a command line can have it
  const text = z
    .string()
    .min(1)
    .refine((value) => !value.includes('\0'), 'has a NUL character')
  return array ? z.union([text, z.number()]) : text
}

/** This command's objection to a value that another command may accept; null: none. */
export function findValueMistake(command: string, key: string, value: unknown): string | null {
  const option = configurableSettings(command)[key]
  if (option === undefined) return null
  const found = [value].flat().map((one) => findFlagMistake(key, option, one))
  return found.find((one) => one !== null) ?? null
}

/** The flag's own objection to the value; null: none. */
function findFlagMistake(name: string, { coerce }: Flag, value: unknown): string | null {
  try {
    coerce?.(value)
    return null
  } catch (error) {
    const message = errorMessage(error).replace(`--${name}: `, '')
    return message.startsWith('expected ') ? `${message}, got ${jsonText(value)}` : message
  }
}
