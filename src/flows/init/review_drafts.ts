/** Holds drafted cases against the rules of `check`, on a copy aside: what it would call an error is not written. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EvalCase, EvalsFile } from '../../../schemas/evals.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { openScratch } from '../../base/room.ts'
import { checkSkill } from '../../phases/1-plan/check/check_skill.ts'
import { type DraftedCase, type DraftFile, evalCaseOf } from '../../phases/1-plan/draft/answer.ts'
import {
  type DraftSurroundings,
  draftMistakes,
  draftShortfalls,
  type Mistakes,
} from '../../phases/1-plan/draft/mistakes.ts'

export interface Reviewed {
  /** Cases that can be written, with the files they bring. */
  kept: { drafted: DraftedCase; case: EvalCase }[]
  leftOut: { name: string; reason: string }[]
  /** What an author should look at first; nothing of it keeps a case from being written. */
  problems: string[]
}

export interface ReviewRequest {
  cases: readonly DraftedCase[]
  count: number
  /** The id of the first. */
  firstId: number
  skill: Skill
  around: DraftSurroundings
}

/** Every case is either kept or left out with the reason. Ids are given to what is kept, in order. */
export async function reviewDrafts({ cases, count, firstId, skill, around }: ReviewRequest): Promise<Reviewed> {
  const own = draftMistakes(cases, around)
  const sound = cases.filter((_, index) => !own.has(index))
  const { errors, problems } = await ruled(sound, skill)
  const kept = sound.filter((_, index) => !errors.has(index)).slice(0, count)
  const spare = sound.filter((_, index) => !errors.has(index)).slice(count)
  return {
    kept: kept.map((drafted, index) => ({ drafted, case: evalCaseOf(drafted, firstId + index) })),
    leftOut: [
      ...named(cases, own),
      ...named(sound, errors),
      ...spare.map(({ name }) => ({ name, reason: 'more than were asked for' })),
    ],
    problems: [...draftShortfalls(cases, { count, name: skill.name }), ...problems],
  }
}

/** The files of cases, each once. */
export function filesIn(cases: readonly DraftedCase[]): DraftFile[] {
  return [...new Map(cases.flatMap(({ files }) => files).map((file) => [file.path, file])).values()]
}

function named(cases: readonly DraftedCase[], mistakes: Mistakes): Reviewed['leftOut'] {
  return [...mistakes].map(([index, reasons]) => ({ name: cases[index]?.name ?? '', reason: reasons.join('; ') }))
}

/** Rules that say nothing of a draft: that it is one, and that the suite is small, which is the count that was asked for. */
const notOfDrafts: ReadonlySet<string> = new Set(['unreviewed-draft', 'suite-small'])

async function ruled(cases: readonly DraftedCase[], skill: Skill): Promise<{ errors: Mistakes; problems: string[] }> {
  if (cases.length === 0) return { errors: new Map(), problems: [] }
  await using scratch = await openScratch()
  const root = path.join(scratch.path, skill.name)
  const file = path.join(root, 'evals', 'evals.json')
  await mkdir(path.dirname(file), { recursive: true })
  for (const { path: name, content } of filesIn(cases)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), content)
  }
  const frontmatter = `name: ${JSON.stringify(skill.name)}\ndescription: ${JSON.stringify(skill.description)}`
  await writeFile(path.join(root, 'SKILL.md'), `---\n${frontmatter}\n---\n\nSkill.\n`)
  const evals = cases.map((one, index) => evalCaseOf(one, index + 1))
  await writeFile(file, JSON.stringify({ skill_name: skill.name, evals } satisfies EvalsFile))
  const { problems } = await checkSkill(file)
  const errors = new Map<number, string[]>()
  const rest: string[] = []
  for (const { file: place, rule, severity, at, message } of problems) {
    const [, index] = /^\$\.evals\[(\d+)\]/.exec(at ?? '') ?? []
    if (place !== file || notOfDrafts.has(rule) || severity === 'info') continue
    // the rules name a case by its number here, which is not the one it gets
    const said = `${message.replace(/^case \d+ \(.*?\): /, '')} [${rule}]`
    if (index !== undefined && severity === 'error') {
      errors.set(Number(index), [...(errors.get(Number(index)) ?? []), said])
    } else rest.push(index === undefined ? said : `${cases[Number(index)]?.name}: ${said}`)
  }
  return { errors, problems: rest }
}
