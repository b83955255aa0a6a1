/** Runs versions with random halves of a round's edits on the training cases, and estimates what each edit changes. */
import path from 'node:path'
import type { Skill } from '../../../../schemas/suite.ts'
import { listSkillFiles, readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { mergeFiles, type VersionFiles } from '../../../phases/5-improve/edits/merge_files.ts'
import { drawMixes, type MixPair } from '../../../phases/5-improve/search/draw_mixes.ts'
import type { MixedRun } from '../../../phases/5-improve/search/estimate_effects.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readVersionFiles, writeVersionFiles } from '../../versions/skill_texts.ts'
import { runBenchStep } from '../bench_step.ts'
import { emitImproveStep, type ImproveSession } from '../session/session.ts'
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
  /** Pairs of runs. */
  pairs: number
  random: () => number
}

/** A graded run of a mix. */
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
  const byRun = new Map(drawn.map((pair) => [`${pair.evalId} ${pair.number}`, pair]))
  const halfOf = (evalId: number, number: number, configuration: string) =>
    byRun.get(`${evalId} ${number}`)?.halves[configuration === 'new_skill' ? 0 : 1]
  const { folder, benchmark } = await runBenchStep(
    session,
    {
      ...{ candidate: parent, against: parent, isSearch: true },
      cases: [...new Set(drawn.map(({ evalId }) => evalId))],
      runs: Math.max(1, ...drawn.map(({ number }) => number)),
      folders: new Map([...versions.values()].map(({ sha256, path: place }) => [sha256, place])),
      choose: ({ eval_id, run_number, configuration }) => {
        const half = halfOf(eval_id, run_number, configuration)
        return half === undefined ? null : (versions.get(half.join()) ?? null)
      },
    },
    context,
  )
  const runs = listScoredRuns(benchmark).flatMap(({ evalId, run: { run, share } }) => {
    const half = halfOf(evalId, run.run_number, run.configuration)
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
