/** Which flags can be set in whetstone.config.yaml: a key is the flag's long name, its value is checked as the flag's is. */
import type { Options } from 'yargs'
import { z } from 'zod'
import { messageOf } from '../../base/error.ts'
import { analyzeFlags } from '../commands/analyze_flags.ts'
import { auditFlags } from '../commands/audit_flags.ts'
import { benchFlags } from '../commands/bench_flags.ts'
import { compareFlags } from '../commands/compare_flags.ts'
import { evalFlags } from '../commands/eval_flags.ts'
import { gradeFlags } from '../commands/grade_flags.ts'
import { improveFlags } from '../commands/improve_flags.ts'
import { initFlags } from '../commands/init_flags.ts'
import { testFlags } from '../commands/test_flags.ts'
import { triggersFlags } from '../commands/triggers_flags.ts'

/** Commands that read the file, each with its flags. */
const configured = {
  bench: benchFlags,
  grade: gradeFlags,
  compare: compareFlags,
  analyze: analyzeFlags,
  audit: auditFlags,
  improve: improveFlags,
  triggers: triggersFlags,
  eval: evalFlags,
  test: testFlags,
  init: initFlags,
} satisfies Record<string, Record<string, Options>>

export type ConfiguredCommand = keyof typeof configured

/** The first has the last word on what a key at the top is called. */
const commands = [
  'bench',
  'grade',
  'compare',
  'analyze',
  'audit',
  'improve',
  'triggers',
  'eval',
  'test',
  'init',
] as const satisfies readonly ConfiguredCommand[]

/** What one start of the program is asked to do, rather than how things are done here. */
const oneTime: ReadonlySet<string> = new Set([
  'rerun',
  'last-failed',
  'calibrate',
  'fresh',
  'dry-run',
  'detect',
  'power',
  'explain',
  'print-config',
  'again',
  'anew',
  'yes',
  ...['a', 'b', 'output', 'prompt', 'only', 'label', 'import'],
  ...['apply', 'resume', 'review', 'description', 'grow-suite', 'use-drafts'],
  ...['generate', 'target', 'category', 'test', 'all', 'skill', 'hooks', 'event'],
])

/** Likewise, of one command: elsewhere a flag of that name is a setting. */
const oneTimeIn: Partial<Record<ConfiguredCommand, ReadonlySet<string>>> = {
  improve: new Set(['set']),
  test: new Set(['case']),
  // who judges runs is not meant to draft them
  init: new Set(['judge']),
}

/** At the top of the file they are those of bench: another command has other gates, and would write over its reports. */
const ofBenchAtTop: ReadonlySet<string> = new Set(['gate', 'fail-on', 'reporter'])

/** Whose value is a path; it is meant relative to the file. */
export const pathKeys: ReadonlySet<string> = new Set([
  ...['workspace', 'suite', 'baseline', 'allow-read', 'set', 'among', 'shared'],
])

/** May be set in a file that comes with the skill. Any other flag may open the user's machine to whoever wrote the skill. */
export const harmless: ReadonlySet<string> = new Set([
  ...[
    'runs',
    'until',
    'max-runs',
    'case',
    'cases',
    'baseline',
    'suite',
    'concurrency',
    'timeout',
    'idle-timeout',
    'on-timeout',
    'max-turns',
    'retries',
    'judge-samples',
    'require-evidence',
  ],
  ...['pairs', 'seed', 'sample'],
  ...[
    'iterations',
    'train-runs',
    'test-runs',
    'propose-timeout',
    'max-cost-increase',
    'max-time-increase',
    'threshold',
  ],
  ...['activation', 'workspace', 'cache', 'budget', 'budget-tokens', 'cost-per-run', 'deadline'],
  ...['ask-above-cost', 'ask-above-minutes', 'idle-timeout', 'gate', 'fail-on'],
  ...['set', 'among', 'threshold', 'stop-early', 'format', 'isolate', 'report', 'keep', 'summary-only'],
])

/** Likewise, as long as the value names no command. */
export const harmlessNames: ReadonlySet<string> = new Set(['engine', 'model', 'judge', 'matrix', 'proposer'])

/** One for all skills of a command. */
export const sharedKeys: ReadonlySet<string> = new Set([
  'matrix',
  'workspace',
  'concurrency',
  'budget',
  'budget-tokens',
  'cost-per-run',
  'deadline',
  'ask-above-cost',
  'ask-above-minutes',
  'gate',
  'fail-on',
  'reporter',
])

/** The flags of a command that can be set. */
export function settingsOf(command: ConfiguredCommand): Record<string, Options> {
  const flags: Record<string, Options> = configured[command]
  return Object.fromEntries(
    Object.entries(flags).filter(([name]) => !oneTime.has(name) && oneTimeIn[command]?.has(name) !== true),
  )
}

/** The keys at the top of the file that hold for a command. */
export function topKeysOf(command: ConfiguredCommand): Set<string> {
  const keys = Object.keys(settingsOf(command))
  return new Set(command === 'bench' ? keys : keys.filter((name) => !ofBenchAtTop.has(name)))
}

/** The file's schema: the settings of all commands, and a section for each command, which wins for that command. Made when it is needed: it has hundreds of fields. */
export function configFile() {
  made ??= makeSchema()
  return made
}

let made: ReturnType<typeof makeSchema> | null = null

function makeSchema() {
  return z
    .strictObject({
      $schema: z.string().optional().describe('for editors'),
      ...fieldsOf(Object.assign({}, ...[...commands].reverse().map(settingsOf))),
      ...sections(),
    })
    .describe('whetstone.config.yaml or .json: settings of the command line, kept in a file')
}

function sections() {
  const of = (command: ConfiguredCommand) =>
    z
      .strictObject(fieldsOf(settingsOf(command)))
      .optional()
      .describe(`for ${command} only`)
  return {
    bench: of('bench'),
    grade: of('grade'),
    compare: of('compare'),
    analyze: of('analyze'),
    audit: of('audit'),
    improve: of('improve'),
    triggers: of('triggers'),
    eval: of('eval'),
    test: of('test'),
    init: of('init'),
  } satisfies Record<ConfiguredCommand, z.ZodType>
}

/** The keys at the top of the file or in a section. */
export function keysOf(section: string | null): string[] {
  const command = commands.find((name) => name === section)
  if (command !== undefined) return Object.keys(settingsOf(command))
  return section === null ? Object.keys(configFile().shape) : []
}

/** Whether it is a flag that no file sets: of the command of the section, else of any. */
export function isOneTime(key: string, section: string | null): boolean {
  const own = commands.filter((name) => section === null || name === section)
  return own.length > 0 && (key === 'json' || own.some((name) => Object.hasOwn(configured[name], key)))
}

function fieldsOf(flags: Record<string, Options>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(flags).map(([name, option]) => [name, fieldOf(name, option)]))
}

function fieldOf(name: string, option: Options): z.ZodType {
  const one = option.choices === undefined ? basic(option) : z.enum(option.choices.map(String))
  const type = option.array ? z.union([one, z.array(one)], { error: 'neither a text nor a list of texts' }) : one
  return type
    .superRefine((value, context) => {
      const mistake = mistakeOf(name, option, value)
      if (mistake !== null) context.addIssue({ code: 'custom', message: mistake })
    })
    .optional()
    .describe(option.describe ?? '')
}

function basic({ type, array }: Options): z.ZodType {
  if (type === 'number') return z.number()
  if (type === 'boolean') return z.boolean()
  return array ? z.union([z.string().min(1), z.number()]) : z.string().min(1)
}

/** What a command says of a value that another command may take; null: nothing. */
export function mistakeFor(command: ConfiguredCommand, key: string, value: unknown): string | null {
  const option = settingsOf(command)[key]
  if (option === undefined) return null
  const found = [value].flat().map((one) => mistakeOf(key, option, one))
  return found.find((one) => one !== null) ?? null
}

/** What the flag itself says of the value; null: nothing. */
function mistakeOf(name: string, { coerce }: Options, value: unknown): string | null {
  try {
    coerce?.(value)
    return null
  } catch (error) {
    return messageOf(error).replace(`--${name}: `, '')
  }
}
