/** Reads task.toml, the settings of a Harbor task. Format: https://www.harborframework.com/docs/tasks */
import { parse } from 'smol-toml'
import * as z from 'zod'
import { errorMessage } from '../../base/errors/error.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'

const seconds = z.number().positive()
const variables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))

const settings = z.looseObject({
  metadata: z.looseObject({ category: z.string().optional().catch(undefined) }).default({}),
  agent: z.looseObject({ timeout_sec: seconds.default(600) }).default({ timeout_sec: 600 }),
  verifier: z
    .looseObject({ timeout_sec: seconds.default(600), env: variables.default({}) })
    .default({ timeout_sec: 600, env: {} }),
  solution: z.looseObject({ env: variables.default({}) }).default({ env: {} }),
  environment: z
    .looseObject({
      build_timeout_sec: seconds.default(600),
      docker_image: z.string().optional(),
      cpus: z.number().positive().optional(),
      memory_mb: z.number().positive().optional(),
      allow_internet: z.boolean().optional(),
      env: variables.default({}),
    })
    .default({ build_timeout_sec: 600, env: {} }),
})

export type HarborSettings = z.infer<typeof settings>

/** Fields of each table that are read, or that only describe the task. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': ['version', 'schema_version', 'task', 'source', 'metadata', 'agent', 'verifier', 'solution', 'environment'],
  agent: ['timeout_sec'],
  verifier: ['timeout_sec', 'env', 'environment_mode'],
  solution: ['env'],
  environment: ['build_timeout_sec', 'docker_image', 'cpus', 'memory_mb', 'allow_internet', 'env'],
}

/** Fields of today's Harbor that shape a run or its verdict, and why a task with one is refused. */
const refused: Readonly<Record<string, string>> = {
  steps: 'tasks in several steps are not run here',
  'verifier.environment_mode': 'a verifier with an environment of its own is not run here',
  'verifier.environment': 'a verifier with an environment of its own is not run here',
  'environment.gpus': 'tasks get no GPU here',
  'environment.mcp_servers': 'MCP servers of a task are not started here',
  'environment.network_mode': 'write "allow_internet"',
  'environment.workdir': 'write WORKDIR in its Dockerfile',
  'agent.user': 'the agent has the user of the image',
  'verifier.user': 'the verifier has the user of the image',
  'verifier.type': 'a task is verified by its tests/test.sh',
}

/** `unread`: fields that Whetstone does not use, such as environment.storage_mb. */
type HarborSettingsRead = { settings: HarborSettings; unread: string[] } | { mistake: string }

/** Returns the settings with Harbor's defaults, or what is wrong with the text. */
export function parseHarborSettings(text: string): HarborSettingsRead {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    const [first = ''] = errorMessage(error).split('\n')
    return { mistake: first }
  }
  const read = settings.safeParse(value)
  if (read.success) return listUnread(read.data)
  const [issue] = read.error.issues
  return { mistake: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not readable'}` }
}

/** A misspelt field is a mistake: its content would be lost. */
function listUnread(data: HarborSettings): HarborSettingsRead {
  const unread: string[] = []
  for (const [table, names] of Object.entries(known)) {
    const fields: Record<string, unknown> = table === '' ? data : Object(Reflect.get(data, table))
    for (const [name, value] of Object.entries(fields)) {
      const place = table === '' ? name : `${table}.${name}`
      const isUsual = ['shared', 'public', 'root', 'script'].some((usual) => usual === value)
      const why = isUsual ? undefined : refused[place]
      if (why !== undefined && !isEmpty(value)) return { mistake: `${place}: ${why}` }
      if (names.includes(name) || isEmpty(value)) continue
      const meant = findMisspelling(name, names)
      if (meant !== null) return { mistake: `${place} is not read (did you mean "${meant}"?)` }
      unread.push(place)
    }
  }
  return { settings: data, unread }
}

function isEmpty(value: unknown): boolean {
  return value === 0 || value === false || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Variables with a literal value, and the names of those that take theirs from the user's environment, such as ${API_KEY}. */
export function splitVariables(env: Readonly<Record<string, string>>): {
  literal: Record<string, string>
  fromUser: string[]
} {
  const entries = Object.entries(env)
  const isReference = ([, value]: readonly [string, string]) => /^\$\{[^}]*\}$/.test(value)
  return {
    literal: Object.fromEntries(entries.filter((one) => !isReference(one))),
    fromUser: entries.filter(isReference).map(([name]) => name),
  }
}
