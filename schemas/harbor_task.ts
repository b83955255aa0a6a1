/** What a case needs that came from a Harbor task: the world of its Dockerfile, its verifier and its skills. */
import * as z from 'zod'

const inside = z.string().regex(/^\/[^\0]*$/, 'must be an absolute path')

const harborCopy = z.object({
  kind: z.literal('copy'),
  from: z.string().min(1).describe('a file or folder, relative to environment/'),
  to: inside.describe('its place in the world'),
  mode: z.string().optional().describe('octal permissions from --chmod; absent: those of the source'),
})

/** One step that prepares the world, in the order of the Dockerfile. */
const harborStep = z.discriminatedUnion('kind', [
  harborCopy,
  z.object({
    kind: z.literal('run'),
    command: z.string().min(1).describe('a shell command'),
    workdir: inside,
    line: z.number().int().positive().describe('line of the Dockerfile'),
  }),
])

const harborSkill = z.object({
  name: z.string().min(1),
  description: z.string(),
  path: z.string().describe('absolute path of the folder; never part of a key'),
  sha256: z.string(),
})

/** plain: bubblewrap with the packages of this machine; docker and podman: the image of the task. */
export const harborBackend = z.enum(['plain', 'docker', 'podman'])

export const harborTask = z.object({
  folder: z.string().min(1).describe('absolute path of the task; never part of a key'),
  sha256: z.string().describe('hash of environment/ without its skills, and of tests/'),
  backend: harborBackend.optional().describe('where its runs execute; chosen when a benchmark is planned'),
  workdir: inside.describe('where the agent and the verifier start'),
  env: z.record(z.string(), z.string()).describe('variables of the agent and the verifier'),
  set_env: z
    .record(z.string(), z.string())
    .optional()
    .describe('the variables of task.toml alone, which a container adds to those of its image'),
  places: z.array(inside).describe('folders of the world that the agent can write to'),
  steps: z.array(harborStep),
  not_plain: z
    .string()
    .nullable()
    .describe('why the plain backend cannot build this world, such as a copy from another image; null: it can'),
  build_network: z
    .string()
    .optional()
    .describe('what in its Dockerfile uses the network although its commands get none; absent: nothing'),
  unsupported: z.string().optional().describe('why no backend can build this world; absent: one can'),
  image: z.string().nullable().describe('image to use instead of building environment/Dockerfile; null: build it'),
  build_seconds: z.number().positive(),
  verifier: z.object({
    seconds: z.number().positive().describe('time limit'),
    env: z.record(z.string(), z.string()),
    expects_tests: z.boolean().describe('whether its script writes ctrf.json'),
  }),
  solution: z
    .object({ env: z.record(z.string(), z.string()), sha256: z.string().describe('hash of solution/') })
    .nullable()
    .describe('null: no solution/solve.sh'),
  limits: z.object({ cpus: z.number().positive().optional(), memory_mb: z.number().positive().optional() }),
  skill_copies: z
    .array(harborCopy)
    .describe("the Dockerfile's copies of environment/skills, which only the task's own solution gets"),
  skills: z.array(harborSkill).describe('skills of environment/skills'),
})

export type HarborTask = z.infer<typeof harborTask>
export type HarborCopy = z.infer<typeof harborCopy>
export type HarborStep = HarborTask['steps'][number]
export type HarborBackend = z.infer<typeof harborBackend>
