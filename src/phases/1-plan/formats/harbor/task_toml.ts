/** Reads task.toml, the settings of a Harbor task. Format: https://www.harborframework.com/docs/tasks */
import { parse } from 'smol-toml'
import * as z from 'zod'
import { errorMessage } from '../../../../base/errors/error.ts'

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

/** Returns the settings with Harbor's defaults, or what is wrong with the text. */
export function parseHarborSettings(text: string): { settings: HarborSettings } | { mistake: string } {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    const [first = ''] = errorMessage(error).split('\n')
    return { mistake: first }
  }
  const read = settings.safeParse(value)
  if (read.success) return { settings: read.data }
  const [issue] = read.error.issues
  return { mistake: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not readable'}` }
}

/** Variables with a literal value, and the names of those that take theirs from the user's environment, such as ${API_KEY}. */
export function splitVariables(env: Readonly<Record<string, string>>): {
  literal: Record<string, string>
  fromUser: string[]
} {
  const entries = Object.entries(env)
  return {
    literal: Object.fromEntries(entries.filter(([, value]) => !isReference(value))),
    fromUser: entries.filter(([, value]) => isReference(value)).map(([name]) => name),
  }
}

function isReference(value: string): boolean {
  return /^\$\{[^}]*\}$/.test(value)
}
