/** Reads the cases that a model drafts and converts them to cases of evals.json. Pure. */
import * as z from 'zod'
import { check } from '../../../../schemas/check.ts'
import type { EvalCase } from '../../../../schemas/evals.ts'
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
export function parseDraftedCheck(drafted: DraftedCheck): { check: z.infer<typeof check> } | { mistake: string } {
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
