/** Checks drafted cases with the rules of `check` on a copy; cases with errors are not written. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EvalCase, EvalsFile } from '../../../schemas/evals.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { openScratch } from '../../base/fs/temp_dir.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { checkSkill } from '../../phases/1-plan/check/check_skill.ts'
import { type DraftedCase, type DraftFile, toDraftedEvalCase } from '../../phases/1-plan/draft/draft_answer.ts'
import {
  type DraftContext,
  draftShortfalls,
  findDraftMistakes,
  type MistakesByCase,
} from '../../phases/1-plan/draft/draft_mistakes.ts'

export interface ReviewedDrafts {
  /** Cases that can be written, with their files. */
  kept: { drafted: DraftedCase; case: EvalCase }[]
  leftOut: { name: string; reason: string }[]
  /** What an author should check first; none of it prevents writing a case. */
  problems: string[]
}

export interface ReviewRequest {
  cases: readonly DraftedCase[]
  count: number
  /** The id of the first case. */
  firstId: number
  skill: Skill
  around: DraftContext
}

/** Every case is either kept or left out with a reason. Kept cases get ids in order. */
export async function reviewDrafts({ cases, count, firstId, skill, around }: ReviewRequest): Promise<ReviewedDrafts> {
  const own = findDraftMistakes(cases, around)
  const sound = cases.filter((_, index) => !own.has(index))
  const { errors, problems } = await checkDrafts(sound, skill)
  const kept = sound.filter((_, index) => !errors.has(index)).slice(0, count)
  const spare = sound.filter((_, index) => !errors.has(index)).slice(count)
  return {
    kept: kept.map((drafted, index) => ({ drafted, case: toDraftedEvalCase(drafted, firstId + index) })),
    leftOut: [
      ...toLeftOut(cases, own),
      ...toLeftOut(sound, errors),
      ...spare.map(({ name }) => ({ name, reason: 'more than requested' })),
    ],
    problems: [...draftShortfalls(cases, { count, name: skill.name }), ...problems],
  }
}

/** The files of the cases, each once. */
export function collectDraftFiles(cases: readonly DraftedCase[]): DraftFile[] {
  return [...new Map(cases.flatMap(({ files }) => files).map((file) => [file.path, file])).values()]
}

function toLeftOut(cases: readonly DraftedCase[], mistakes: MistakesByCase): ReviewedDrafts['leftOut'] {
  return [...mistakes].map(([index, reasons]) => ({ name: cases[index]?.name ?? '', reason: reasons.join('; ') }))
}

/** Rules that every draft breaks: it is a draft, and the requested suite may be small. */
const ignoredRules: ReadonlySet<string> = new Set(['unreviewed-draft', 'suite-small'])

async function checkDrafts(
  cases: readonly DraftedCase[],
  skill: Skill,
): Promise<{ errors: MistakesByCase; problems: string[] }> {
  if (cases.length === 0) return { errors: new Map(), problems: [] }
  await using scratch = await openScratch()
  const root = path.join(scratch.path, skill.name)
  const file = path.join(root, 'evals', 'evals.json')
  await mkdir(path.dirname(file), { recursive: true })
  for (const { path: name, content } of collectDraftFiles(cases)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), content)
  }
  const frontmatter = `name: ${JSON.stringify(skill.name)}\ndescription: ${JSON.stringify(skill.description)}`
  await writeFile(path.join(root, 'SKILL.md'), `---\n${frontmatter}\n---\n\nSkill.\n`)
  const evals = cases.map((one, index) => toDraftedEvalCase(one, index + 1))
  await writeFile(file, jsonText({ skill_name: skill.name, evals } satisfies EvalsFile))
  const { problems } = await checkSkill(file)
  const errors = new Map<number, string[]>()
  const rest: string[] = []
  for (const { file: place, rule, severity, at, message } of problems) {
    const [, index] = /^\$\.evals\[(\d+)\]/.exec(at ?? '') ?? []
    if (place !== file || ignoredRules.has(rule) || severity === 'info') continue
    // rules number the cases by position here, which differs from their final ids
    const said = `${message.replace(/^case \d+ \(.*?\): /, '')} [${rule}]`
    if (index !== undefined && severity === 'error') {
      errors.set(Number(index), [...(errors.get(Number(index)) ?? []), said])
    } else rest.push(index === undefined ? said : `${cases[Number(index)]?.name}: ${said}`)
  }
  return { errors, problems: rest }
}
