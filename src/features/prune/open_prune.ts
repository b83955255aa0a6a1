/** Everything that may refuse a prune before anything is written or paid: the skill's units, the split of the suite, and the numbers of runs. */
import path from 'node:path'
import type { Split } from '../../../schemas/history/session.ts'
import type { PrunePlan, SkillUnit } from '../../../schemas/prune.ts'
import type { Skill, Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { type CommandReview, reviewSkillCommands } from '../../flows/authorize/suite_commands.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { ImproveSession } from '../../flows/improve/session/session.ts'
import { noLimits, SharedBudgets } from '../../flows/limits/limits.ts'
import { requirePricing } from '../../flows/limits/require_prices.ts'
import { preflight } from '../../flows/prepare/preflight.ts'
import { type PreparedBench, resolveSkillFolder, resolveSkillWorkspace } from '../../flows/prepare/prepare_bench.ts'
import type { BenchTemplate } from '../../flows/versions/bench_versions.ts'
import { loadVersionsSuite, planEveryCase, refuseStrayFiles } from '../../flows/versions/check_versions_start.ts'
import { readSkillTexts } from '../../flows/versions/replace_skill.ts'
import { splitSuite } from '../../flows/versions/split_suite.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { prunesFolder } from '../../store/paths.ts'
import { dropPower, leaveOneOutRuns, nonInferiorityRuns, screeningRuns } from './stats/screening_power.ts'
import { countRows } from './units/draw_masks.ts'
import { listUnits } from './units/list_units.ts'

export interface PruneSession extends Pick<ImproveSession, 'skill' | 'suite' | 'workspace' | 'split' | 'budgets'> {
  request: PruneRequest
  paths: ReturnType<typeof prunePaths>
  units: SkillUnit[]
  /** Those that runs leave out. */
  free: SkillUnit[]
  plan: PrunePlan
}

/** Two to screen on, and four to decide on. */
const fewestCases = 6

/** Throws UserError. */
export async function openPrune(
  request: PruneRequest,
  context: FlowContext,
): Promise<{ session: PruneSession; review: CommandReview }> {
  const { bench } = request
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)), bench.links)
  const workspace = resolveSkillWorkspace(bench, skill)
  const texts = await readSkillTexts(skill.path)
  await refuseUnits(request, texts, skill.path)
  const units = await listUnits(texts, request.protect)
  const free = units.filter((one) => !one.protected)
  const suite = await loadPruneSuite(request, skill, context)
  const split = await splitSuite(request, suite)
  const plan = planPrune(request, { units: free.length, split })
  const key = { skill: skill.sha256, suite: split.suite_sha256, ...pickSettings(request), plan, split }
  const paths = prunePaths(workspace, sha256(canonicalJson(key)).slice(0, 12))
  const budgets = new SharedBudgets(bench.limits ?? noLimits)
  const session = { request, skill, suite, workspace, paths, split, units, free, plan, budgets }
  return { session, review: await reviewSkillCommands({ suite, skill, wish: bench.sandbox }, context) }
}

/** Every case with the skill and without it, once. Throws UserError or IncompleteError. */
export async function checkPruneStart(
  { request: { bench }, skill }: PruneSession,
  context: FlowContext,
): Promise<PreparedBench> {
  const prepared = await planEveryCase(bench, skill, context)
  const { engine, judge } = prepared.plan.options
  await refuseStrayFiles([engine])
  await requirePricing(prepared.plan.options, bench.limits ?? noLimits, context)
  await preflight({ '--model': engine, '--judge': judge }, bench.passEnv, context)
  await bench.remote?.reach(context)
  return prepared
}

/** What makes it another prune. */
function pickSettings({ bench, seed, detect, margin, protect }: PruneRequest) {
  const { engine, model, judge, timeoutSeconds, maxTurns, activation, effort = null } = bench
  return { engine, model, judge, timeoutSeconds, maxTurns, activation, effort, seed, detect, margin, protect }
}

/** Throws UserError. */
async function refuseUnits({ protect }: PruneRequest, texts: Parameters<typeof listUnits>[0], folder: string) {
  for (const text of protect) {
    const units = await listUnits(texts, [text])
    if (units.length === 0 || units.some((one) => one.protected)) continue
    throw new UserError(
      `--protect "${text}": no unit of the skill has this text`,
      'copy a part of the text from SKILL.md; --dry-run lists the units',
    )
  }
  const units = await listUnits(texts, protect)
  if (units.some((one) => !one.protected)) return
  const why = units.length === 0 ? 'SKILL.md has no text below its frontmatter' : 'every unit is protected'
  throw new UserError(
    `${folder}: nothing can be left out (${why})`,
    units.length === 0 ? 'one section or list item is the least that can be left out' : 'remove a --protect',
  )
}

async function loadPruneSuite({ bench }: PruneRequest, skill: Skill, context: FlowContext): Promise<Suite> {
  const suite = await loadVersionsSuite(bench, skill, context)
  const count = suite.cases.filter((one) => one.cannot_run === null && one.quarantine === undefined).length
  if (count >= fewestCases) return suite
  throw new UserError(
    `prune needs at least ${fewestCases} cases that can run and count, got ${count} (a third to screen units, the rest to decide)`,
    `add ${formatPlural(fewestCases - count, 'case')}; with 12 or more the result may hold for similar cases`,
  )
}

/** Throws UserError for numbers of runs that can't decide anything. */
function planPrune(
  { detect, margin, screeningRuns: asked, certificationRuns: most }: PruneRequest,
  { units, split }: { units: number; split: Split },
): PrunePlan {
  const [variants, held] = [2 * countRows(units), split.held_out.length]
  const fewest = 4 * held
  if (asked !== null && asked < variants) {
    throw new UserError(
      `--screening-runs ${asked}: too few to tell ${formatPlural(units, 'unit')} apart`,
      `use ${variants} or more; ${roundUp(screeningRuns(units, detect), variants)} find units worth ${Math.round(100 * detect)} points`,
    )
  }
  if (most !== null && most < fewest) {
    throw new UserError(
      `--certify-runs ${most}: too few for ${formatPlural(held, 'held-out case')}`,
      `use ${fewest} or more: two runs of both skills on each; ${nonInferiorityRuns(margin)} show that nothing is lost`,
    )
  }
  const runs = roundUp(asked ?? screeningRuns(units, detect), variants)
  return {
    ...{ units, detect, margin, screening_runs: runs, variants },
    drop_power: Number(dropPower(runs, { units, detect }).toFixed(3)),
    leave_one_out_runs: leaveOneOutRuns(units, detect),
    certification_runs: roundUp(Math.max(fewest, most ?? nonInferiorityRuns(margin)), 2 * held),
  }
}

/** The next multiple: each row of the design, and each held-out case, gets as many runs as the others. */
export function roundUp(runs: number, step: number): number {
  return step * Math.ceil(runs / step)
}

export interface PruneRequest {
  /** The skill's folder; only --apply changes it, afterwards. */
  skill: string
  bench: BenchTemplate
  /** The shorter skill is to replace it: an earlier prune that no longer fits is then an error. */
  applies: boolean
  /** Parts of the text of units that no run leaves out. */
  protect: readonly string[]
  /** The smallest loss of a unit that counts, as a share of the pass rate. */
  detect: number
  /** The loss of the whole diet that counts as none. */
  margin: number
  seed: number
  /** null: as many as units worth `detect` take. */
  screeningRuns: number | null
  /** The most; null: as many as the margin takes. */
  certificationRuns: number | null
  /** Also use unreviewed drafts by a model as cases. */
  useDrafts: boolean
}

/** The paths of one prune in a workspace, absolute. `key`: of its skill, suite and settings. */
export function prunePaths(workspace: string, key: string) {
  const folder = path.join(prunesFolder(workspace), key)
  return {
    folder,
    result: path.join(folder, 'prune.json'),
    /** The skill as it was at the start. */
    full: path.join(folder, 'full'),
    /** Versions without half of the units, by number. */
    variant: (number: number) => path.join(folder, 'variants', String(number)),
    /** The skill without the units that the screening drops. */
    pruned: path.join(folder, 'pruned'),
    diff: path.join(folder, 'prune.diff'),
  }
}
