/** The strict schema of a SKILL.md's frontmatter, for editors and `check`. The loader accepts any skill that has a name and a description. */
import * as z from 'zod'

/** Keys that some agents read, beyond the specification. */
export const agentKeys: readonly string[] = [
  ...['when_to_use', 'argument-hint', 'arguments', 'disable-model-invocation', 'user-invocable', 'model', 'effort'],
  ...['context', 'agent', 'hooks', 'paths', 'shell', 'disallowed-tools', 'version'],
]

/** Text that is not blank, with at most `longest` characters; white space around it, such as the line break of a block, does not count. */
const text = (longest: number) => z.string().regex(new RegExp(`^\\s*\\S(?:[\\s\\S]{0,${longest - 2}}\\S)?\\s*$`, 'u'))

/** The fields of the Agent Skills specification (agentskills.io/specification). */
const specification = {
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .describe("the folder's name: a-z, 0-9 and single hyphens between them"),
  description: text(1024).describe('what the skill does and when to use it; at most 1,024 characters'),
  license: z.string().nullish().describe('name of the license, or a file in the skill folder'),
  compatibility: z
    .union([z.string().regex(/^\s*$/), text(500)])
    .nullish()
    .describe('requirements of the skill; at most 500 characters'),
  metadata: z.record(z.string(), z.string()).nullish().describe('keys and values are text, so put numbers in quotes'),
  'allowed-tools': z
    .union([z.string(), z.array(z.string())])
    .nullish()
    .describe('such as Bash(git:*) Read'),
}

export const specKeys: readonly string[] = Object.keys(specification)

export const skillFrontmatter = z.strictObject({
  ...specification,
  ...Object.fromEntries(agentKeys.map((key) => [key, z.unknown().optional()])),
})
