/** Decides which proposed edits may run: static checks of each, and whether it can be combined with the edits before it. */
import path from 'node:path'
import type { ProposedEdit } from '../../../../schemas/history/round.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { hashWalk } from '../../../base/fs/files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { listSkillFiles, readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { mergeFiles, type VersionFiles } from '../../../phases/5-improve/edits/merge_files.ts'
import { changedFiles, type SkillEdit } from '../../../phases/5-improve/skill_edit.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readFileTexts, readSkillTexts, readVersionFiles, writeVersionFiles } from '../../versions/skill_texts.ts'
import { diffSkillFiles } from '../../versions/text_diff.ts'
import type { EditCandidate } from '../propose/candidate.ts'
import { findBrokenScript, findStaticRefusal } from '../propose/static_checks.ts'
import { emitImproveStep, type ImproveSession } from '../session/session.ts'
import type { AcceptedEdit } from './run_mixes.ts'

/** An edit before it ran. */
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
  { suite, split, skill }: ImproveSession,
  one: Pick<Parameters<typeof findStaticRefusal>[0], 'edit' | 'files' | 'tried'>,
  context: FlowContext,
): Promise<Refusal | null> {
  return await findStaticRefusal({
    ...one,
    name: skill.name,
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
