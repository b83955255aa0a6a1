/** Reads the cases that a model drafts, finds what is wrong with them, and converts them to cases of evals.json. Pure. */
import { posix } from 'node:path'
import * as z from 'zod'
import { check } from '../../../../schemas/check.ts'
import type { EvalCase } from '../../../../schemas/evals.ts'
import { findPlainMistakes } from '../formats/check_mistakes.ts'
import { draftMark } from '../formats/evals_json/case.ts'

/** Flat, because every provider's structured output supports that. No commands, because a model's shell lines are not reviewed. */
const draftedCheck = z.object({
  type: z.enum([
    ...(['contains', 'not_contains', 'regex', 'equals', 'file_exists', 'file_absent', 'file_modified'] as const),
    ...(['json_path', 'csv_columns'] as const),
  ]),
  path: z.string().nullish(),
  value: z.union([z.string(), z.number(), z.boolean()]).nullish(),
  query: z.string().nullish(),
  text: z.string().nullish(),
})

const draftedCase = z.object({
  name: z.string().min(1),
  kind: z.enum(['typical', 'edge']),
  prompt: z.string().min(1),
  expected_output: z.string(),
  files: z.array(z.object({ path: z.string().min(1), content: z.string() })),
  expectations: z.array(z.string().min(1)),
  checks: z.array(draftedCheck),
})

export const casesAnswer = z.object({ cases: z.array(draftedCase) })

type DraftedCheck = z.infer<typeof draftedCheck>
export type DraftedCase = z.infer<typeof draftedCase>

export interface DraftFile {
  /** Relative to the skill's folder, with /. */
  path: string
  content: string
}

type Draft = Readonly<Pick<DraftedCheck, 'path' | 'value' | 'query'>>

const words = ({ value }: Draft) => (value === null || value === undefined ? undefined : String(value))
const fileParameter = ({ path }: Draft) => (path ? { path } : {})

/** The parameters of each type as `checks[]` has them; the schema of checks reports missing ones. */
const parameters: Readonly<Record<DraftedCheck['type'], (draft: Draft) => Record<string, unknown>>> = {
  contains: (draft) => ({ value: words(draft), ...fileParameter(draft) }),
  not_contains: (draft) => ({ value: words(draft), ...fileParameter(draft) }),
  regex: (draft) => ({ pattern: words(draft), ...fileParameter(draft) }),
  equals: (draft) => ({ value: draft.value ?? undefined, ...fileParameter(draft) }),
  file_exists: ({ path }) => ({ path: path ?? undefined }),
  file_absent: ({ path }) => ({ path: path ?? undefined }),
  file_modified: ({ path }) => ({ path: path ?? undefined }),
  json_path: (draft) => ({
    query: draft.query ?? undefined,
    ...fileParameter(draft),
    ...(draft.value !== null && draft.value !== undefined && { equals: draft.value }),
  }),
  csv_columns: (draft) => ({
    columns: words(draft)
      ?.split(',')
      .map((column) => column.trim()),
    ...fileParameter(draft),
  }),
}

/** Returns a check as the suite has it, or one line on what is wrong with it. */
function parseDraftedCheck(drafted: DraftedCheck): { check: z.infer<typeof check> } | { mistake: string } {
  const type = drafted.type === 'csv_columns' ? 'csv' : drafted.type
  const text = drafted.text ? { text: drafted.text } : {}
  const parsed = check.safeParse({ type, ...parameters[drafted.type](drafted), ...text })
  if (parsed.success) return { check: parsed.data }
  const [issue] = parsed.error.issues
  return { mistake: `${drafted.type} check: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'unfit'}`.trim() }
}

/** Returns the case as the file gets it. Drops invalid checks, which the rules for drafts report. */
export function toDraftedEvalCase(drafted: DraftedCase, id: number): EvalCase {
  const checks = drafted.checks.flatMap((one) => {
    const made = parseDraftedCheck(one)
    return 'check' in made ? [made.check] : []
  })
  const expectations = drafted.expectations.filter((text) => text.trim() !== '')
  return {
    id,
    name: drafted.name,
    prompt: drafted.prompt,
    ...(drafted.expected_output.trim() !== '' && { expected_output: drafted.expected_output }),
    files: drafted.files.map(({ path }) => path),
    expectations,
    ...(checks.length > 0 && { checks }),
    review: draftMark,
  }
}

/** Where drafted files go, relative to the skill's folder. */
export const draftFiles = 'evals/files'

const mostFiles = 6
const mostBytes = 64 * 1024

export interface DraftContext {
  prompts: readonly string[]
  taken: readonly string[]
}

/** Index of the case in the list → why it cannot be used. */
export type MistakesByCase = ReadonlyMap<number, readonly string[]>

/** Finds everything that keeps a case from being written. */
export function findDraftMistakes(cases: readonly DraftedCase[], around: DraftContext): MistakesByCase {
  const prompts = new Set(around.prompts.map(plain))
  const files = new Map<string, string>()
  const found = new Map<number, string[]>()
  for (const [index, one] of cases.entries()) {
    const mistakes = [
      ...(prompts.has(plain(one.prompt)) ? ['its prompt is that of another case'] : []),
      ...(one.files.length > mostFiles ? [`${one.files.length} files; ${mostFiles} at most`] : []),
      ...filesMistakes(one.files, around.taken, files),
      ...one.checks.flatMap((drafted) => {
        const made = parseDraftedCheck(drafted)
        if ('mistake' in made) return made.mistake
        return findPlainMistakes(made.check).map(({ message }) => `${drafted.type} check: ${message}`)
      }),
      ...(one.checks.length + one.expectations.filter((text) => text.trim() !== '').length === 0
        ? ['it has neither expectations nor checks']
        : []),
    ]
    if (mistakes.length > 0) {
      found.set(index, mistakes)
      continue
    }
    prompts.add(plain(one.prompt))
    for (const file of one.files) files.set(file.path.toLowerCase(), file.content)
  }
  return found
}

/** Files of one case can conflict with each other, as those of two cases can. */
function filesMistakes(
  own: readonly DraftFile[],
  taken: readonly string[],
  others: ReadonlyMap<string, string>,
): string[] {
  const known = new Map(others)
  return own.flatMap((file) => {
    const mistake = fileMistake(file, taken, known)
    known.set(file.path.toLowerCase(), file.content)
    return mistake ?? []
  })
}

/** Two cases may share a file if its content is the same. */
function fileMistake(file: DraftFile, taken: readonly string[], others: ReadonlyMap<string, string>): string | null {
  const { path, content } = file
  const shown = JSON.stringify(path.slice(0, 80))
  const inside = posix.relative(draftFiles, path)
  const parts = path.split('/')
  const isPlain = posix.normalize(path) === path && /^[\w .()+@=,-]+$/.test(parts.join('')) && path.length <= 200
  if (!isPlain || parts.some((part) => /^\.|[. ]$/.test(part)) || inside.startsWith('..') || inside === '')
    return `file ${shown} is not a plain path below ${draftFiles}/`
  if (Buffer.byteLength(content) > mostBytes) return `file ${shown} has more than ${mostBytes / 1024} KiB`
  if (content.includes('\0')) return `file ${shown} is not text`
  const first = inside.split('/')[0]?.toLowerCase()
  if (taken.some((name) => name.toLowerCase() === first)) return `file ${shown}: there is a ${first} already`
  const key = path.toLowerCase()
  const other = others.get(key)
  if (other !== undefined && other !== content)
    return `file ${shown} is there twice, with other content (in upper or lower case)`
  const isAbove = [...others.keys()].some((name) => name.startsWith(`${key}/`) || key.startsWith(`${name}/`))
  return isAbove ? `file ${shown} would be a file and a folder` : null
}

/** Lists what was asked for and is missing; the cases can still be used. */
export function draftShortfalls(
  cases: readonly DraftedCase[],
  { count, name }: { count: number; name: string },
): string[] {
  const edges = cases.filter(({ kind }) => kind === 'edge').length
  const wanted = Math.floor(count / 3)
  const named = cases.filter(({ prompt }) => prompt.toLowerCase().includes(name.toLowerCase()) && name.includes('-'))
  const unnamed = cases.filter(({ prompt, files }) => files.some(({ path }) => !prompt.includes(posix.basename(path))))
  const listed = (some: readonly DraftedCase[]) => some.map((one) => one.name.slice(0, 60)).join(', ')
  return [
    ...(cases.length === count ? [] : [`there are ${cases.length} cases; ${count} were asked for`]),
    ...(edges >= wanted ? [] : [`${edges} edge cases; at least ${wanted} were asked for`]),
    ...(named.length === 0 ? [] : [`the prompt names the skill: ${listed(named)}`]),
    ...(unnamed.length === 0 ? [] : [`the prompt does not name its file: ${listed(unnamed)}`]),
  ]
}

function plain(prompt: string): string {
  return prompt.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
