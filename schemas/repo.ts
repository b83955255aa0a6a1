/** The repository that a case starts from: as its author names it, and as the loader finds it. */
import * as z from 'zod'

const at = {
  ref: z.string().min(1).optional().describe("branch, tag or commit; absent: the repository's HEAD"),
  subdir: z
    .string()
    .min(1)
    .optional()
    .describe('only this folder of the repository, as the working folder with a single commit'),
}

/** docs/reference/evals-json.md explains each form. */
export const repoStart = z.union(
  [
    z.string().min(1).describe('a URL, or a path relative to the skill folder'),
    z.strictObject({ url: z.string().min(1).describe('https, http, ssh or file URL, or user@host:path'), ...at }),
    z.strictObject({ path: z.string().min(1).describe('a repository, relative to the skill folder'), ...at }),
    z.strictObject({ bundle: z.string().min(1).describe('a git bundle, relative to the skill folder'), ...at }),
  ],
  { error: 'must be a URL, a path, or an object with one of "url", "path", "bundle", and optional "ref", "subdir"' },
)

/** What a case asks for, checked but not fetched yet. */
export const repoSource = z.object({
  source: z.string().min(1).describe('a URL, or the absolute path of a repository or bundle'),
  kind: z.enum(['url', 'path']),
  ref: z.string().nullable().describe("null: the repository's HEAD"),
  subdir: z.string().nullable().describe('null: the whole repository'),
  outside: z
    .literal(true)
    .optional()
    .describe("true: a place on the user's machine outside of the skill's folder and repository"),
  given: repoStart.describe('as the suite has it'),
})

const commitId = z.string().regex(/^[0-9a-f]{40,64}$/, 'must be the full hash of a commit')

/** The commit in the bundle of a git state that comes from a `repo`. */
export const repoState = z.object({
  commit: commitId.describe('the commit that the run starts from; it identifies the content'),
  branch: z
    .string()
    .regex(/^[^-\s]\S*$/, 'must be the name of a branch')
    .describe('the branch that is checked out'),
  shallow: z.array(commitId).optional().describe('commits whose parents are missing; absent: the history is complete'),
  origin: z.string().optional().describe('URL of the remote origin; absent: no remote'),
  settings: z.array(z.string()).optional().describe('its files that agent programs may start programs from'),
})

export type RepoStart = z.infer<typeof repoStart>
export type RepoSource = z.infer<typeof repoSource>
export type RepoState = z.infer<typeof repoState>
