/** Decides which proposed edits of a round may run, runs versions with random halves of them on the training cases, and estimates what each edit changes. */
import path from 'node:path'
import type { ProposedEdit } from '../../../../schemas/history/round.ts'
import type { Skill } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { hashWalk } from '../../../base/fs/files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { listSkillFiles, readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { mergeFiles, type VersionFiles } from '../../../phases/5-improve/edits/merge_files.ts'
import { drawMixes, type MixPair } from '../../../phases/5-improve/search/draw_mixes.ts'
import type { MixedRun } from '../../../phases/5-improve/search/estimate_effects.ts'
import { changedFiles, type SkillEdit } from '../../../phases/5-improve/skill_edit.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { planHalves } from '../../versions/bench_versions.ts'
import {
  diffSkillFiles,
  readFileTexts,
  readSkillTexts,
  readVersionFiles,
  writeVersionFiles,
} from '../../versions/replace_skill.ts'
import type { EditCandidate } from '../propose/candidate.ts'
import { findBrokenScript, findStaticRefusal } from '../propose/static_checks.ts'
import { emitImproveStep, type ImproveSession, runBenchStep } from '../session/session.ts'
import { listScoredRuns } from './show_parent.ts'

/** An edit that may run: the whole skill with it. */
export interface AcceptedEdit {
  id: string
  files: VersionFiles
}

export interface MixRequest {
  round: number
  parent: string
  edits: readonly AcceptedEdit[]
  pairs: number
  random: () => number
}

interface MixRun extends MixedRun {
  tokens: number | null
}

export interface MixResult {
  /** Relative to the workspace. */
  folder: string
  runs: MixRun[]
  /** Why the budget ended it before all of its runs; null: it did not. */
  stopped: string | null
}

export async function runMixes(
  session: ImproveSession,
  { round, parent, edits, pairs, random }: MixRequest,
  context: FlowContext,
): Promise<MixResult> {
  const { train } = session.split
  const drawn = drawMixes(
    edits.map(({ id }) => id),
    { cases: train, pairs, random },
  )
  const how =
    edits.length === 1 ? '1 edit in half of' : `${edits.length} edits, each run with a random half of them, in`
  const message = `trying ${how} ${2 * drawn.length} runs on training cases`
  emitImproveStep(context, { round, step: 'mix', version: null, message })
  const versions = await writeMixes(session, { round, parent, edits }, drawn)
  const { step, halfOf } = planHalves(drawn, versions)
  const asked = { candidate: parent, against: parent, ...step }
  const { folder, benchmark } = await runBenchStep(session, asked, context)
  const runs = listScoredRuns(benchmark).flatMap(({ evalId, run: { run, share } }) => {
    const half = halfOf(run)
    if (half === undefined) return []
    return [{ evalId, edits: new Set(half), score: share, tokens: run.result.tokens ?? null }]
  })
  return { folder, runs, stopped: benchmark.metadata.stopped?.reason ?? null }
}

/** The parent with some of the edits. Throws for edits that cannot be combined: those were refused before. */
export async function combineEdits(parent: string, edits: readonly AcceptedEdit[]): Promise<VersionFiles> {
  const base = await readVersionFiles((await listSkillFiles(parent)).files)
  const merge = mergeFiles(
    base,
    edits.map(({ files }) => files),
  )
  if (merge.status === 'conflict') throw new Error(`${parent}: edits conflict in ${merge.path}`)
  return merge.files
}

/** The version of each half, by the ids of its edits; an empty half is the parent itself. */
async function writeMixes(
  { workspace }: ImproveSession,
  { round, parent, edits }: Pick<MixRequest, 'round' | 'parent' | 'edits'>,
  drawn: readonly MixPair[],
): Promise<Map<string, Skill>> {
  const { mixes, version } = improvePaths(workspace)
  const halves = new Map(drawn.flatMap(({ halves: both }) => both.map((half) => [half.join(), half] as const)))
  const found = new Map<string, Skill>()
  for (const [at, [key, ids]] of [...halves].entries()) {
    const folder = ids.length === 0 ? version(parent) : path.join(mixes, `round-${round}`, `mix-${at + 1}`)
    if (ids.length > 0) {
      const own = edits.filter(({ id }) => ids.includes(id))
      await writeVersionFiles(await combineEdits(version(parent), own), folder)
    }
    found.set(key, (await readSkill(folder)).skill)
  }
  return found
}

export type CheckedEdit = Pick<ProposedEdit, 'id' | 'summary' | 'why' | 'files' | 'diff' | 'refused'>

const diffChars = 20_000

/** In the order of the proposals: an edit that touches the lines of an earlier one is refused. */
export async function acceptEdits(
  session: ImproveSession,
  { round, parent, candidates }: { round: number; parent: string; candidates: readonly EditCandidate[] },
  context: FlowContext,
): Promise<{ checked: CheckedEdit[]; accepted: AcceptedEdit[] }> {
  const folder = improvePaths(session.workspace).version(parent)
  const before = await readSkillTexts(folder)
  const base = await readVersionFiles((await listSkillFiles(folder)).files)
  const tried = listTried(session)
  const accepted: AcceptedEdit[] = []
  const checked: CheckedEdit[] = []
  for (const one of candidates) {
    const edit = { before, after: one.status === 'made' ? await readFileTexts(one.files) : before }
    const shown = { id: one.id, summary: one.summary, why: one.why, ...describeChange(edit) }
    const files = one.status === 'made' ? await readVersionFiles(one.files) : new Map()
    const refused =
      one.status === 'refused'
        ? { rule: one.rule, reason: one.reason }
        : ((await checkEdit(session, { edit, files: one.files, tried }, context)) ??
          (await findConflict({ base, edits: [...accepted.map((other) => other.files), files] }, session, context)))
    checked.push({ ...shown, ...(refused && { refused }) })
    if (refused !== null) {
      const message = `edit ${one.id} refused (${refused.rule}): ${refused.reason}`
      emitImproveStep(context, { round, step: 'refused', version: null, message })
      continue
    }
    if (one.status === 'made') tried.set(await hashWalk(one.files), `edit ${one.id}`)
    accepted.push({ id: one.id, files })
  }
  return { checked, accepted }
}

function describeChange(edit: SkillEdit): Pick<CheckedEdit, 'files' | 'diff'> {
  const files = diffSkillFiles(edit.before, edit.after)
  const diff = files.map(({ path, lines }) => `${path}\n${lines.join('\n')}`).join('\n\n')
  return { files: changedFiles(edit), diff: diff.slice(0, diffChars) }
}

type Refusal = NonNullable<CheckedEdit['refused']>

async function checkEdit(
  { suite, split, skill, request }: ImproveSession,
  one: Pick<Parameters<typeof findStaticRefusal>[0], 'edit' | 'files' | 'tried'>,
  context: FlowContext,
): Promise<Refusal | null> {
  return await findStaticRefusal({
    ...one,
    name: skill.name,
    isDescriptionOnly: request.descriptionBy !== undefined,
    seen: suite.cases.filter(({ eval_id }) => split.train.includes(eval_id)),
    held: suite.cases.filter(({ eval_id }) => !split.train.includes(eval_id)),
    context,
  })
}

/** All edits of a round must fit into one valid version, since any of them may be kept. */
async function findConflict(
  { base, edits }: { base: VersionFiles; edits: readonly VersionFiles[] },
  { skill: { name } }: Pick<ImproveSession, 'skill'>,
  context: FlowContext,
): Promise<Refusal | null> {
  const merge = mergeFiles(base, edits)
  if (merge.status === 'conflict') {
    const { path: file } = merge
    const isText = [base, ...edits].every((files) => files.get(file)?.content.includes(0) !== true)
    const what = isText && base.has(file) ? `the same lines of ${file} as` : `${file}, as does`
    return { rule: 'overlap', reason: `it changes ${what} an earlier edit of this round` }
  }
  await using temp = await openTempDir()
  const folder = path.join(temp.path, name)
  await writeVersionFiles(merge.files, folder)
  const found = await readSkill(folder).catch((error: unknown) => errorMessage(error).replaceAll(`${temp.path}/`, ''))
  const broken = await findBrokenScript([...merge.files.keys()], folder, context)
  const reason =
    typeof found === 'string'
      ? found
      : found.skill.name === name
        ? broken
        : `the skill has the name ${found.skill.name}`
  return reason === null ? null : { rule: 'overlap', reason: `with the earlier edits of this round: ${reason}` }
}

/** The versions so far, by their sha256: an edit that makes one of them again is refused. */
function listTried({ history: { iterations } }: ImproveSession): Map<string, string> {
  return new Map(iterations.map(({ version, skill_sha256 = '' }) => [skill_sha256, version]))
}
