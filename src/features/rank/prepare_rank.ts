/** Turns a request for a ranking into a plan. Starts and costs nothing. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { isEngineName } from '../../engines/table.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import {
  type BenchRequest,
  type PreparedBench,
  type PrepareOptions,
  prepareBench,
} from '../../flows/prepare/prepare_bench.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { formatCount, formatPercent, formatPlural, formatWholePoints } from '../../phases/4-report/text/format.ts'
import { chooseWorkspace } from '../../store/choose_workspace.ts'
import { makeRankPlan } from './rank_plan.ts'
import type { RaceDesign } from './stats/race.ts'
import { neededBlocks, neededCases, raceLooks } from './stats/race_design.ts'

export interface RankRequest
  extends Omit<BenchRequest, 'skill' | 'baseline' | 'runs' | 'until' | 'cache' | 'remote' | 'calibrate' | 'workspace'> {
  /** Folders of skills; with `skill` engines as engine:model. */
  contenders: readonly string[]
  /** The skill that all engines have; null: skills are ranked. */
  skill: string | null
  /** Most runs per case and contender; null: as many as are needed. */
  maxRuns: number | null
  /** The lead that is to be found, from 0 to 1, and the chance to find it. */
  detect: number
  power: number
  /** null: ./workspaces/<skill>, or ./workspaces/rank for several skills. */
  workspace: string | null
}

interface Contender {
  /** For people; unique. */
  name: string
  /** The folder of its runs within each case. */
  folder: string
  source: string
  sha256: string | null
  engine: EngineChoice
}

export interface PreparedRank extends PreparedBench {
  of: 'skills' | 'engines'
  contenders: Contender[]
  design: RaceDesign
  cases: number
}

/** Throws UserError for contenders that can't be told apart, and for a suite that can't find the lead. */
export async function prepareRank(
  request: RankRequest,
  context: FlowContext,
  where: PrepareOptions,
): Promise<PreparedRank> {
  assertContenders(request)
  const prepared: (PreparedBench & { given: string })[] = []
  for (const [at, given] of request.contenders.entries()) {
    const judge = request.judge ?? judgeText(prepared[0]?.plan ?? null)
    const own = { ...benchRequest(request, given), judge }
    const scratch = path.join(where.scratch, `contender-${at}`)
    prepared.push({ ...(await prepareBench(own, context, { ...where, scratch })), given })
  }
  const contenders = nameContenders(prepared, request.skill)
  refuseOtherSuites(prepared)
  const [first] = prepared
  if (first === undefined) throw new Error('no contender')
  const cases = countCases(first.plan)
  const blocks = chooseBlocks(request, { contenders: contenders.length, cases })
  const plan = makeRankPlan(
    prepared.map((one, at) => ({ folder: contenders[at]?.folder ?? '', plan: one.plan })),
    blocks,
  )
  const workspace = chooseWorkspace(request.workspace, request.skill === null ? 'rank' : first.plan.skill.name)
  return {
    // a suite that several skills share names one of them at most
    plan:
      request.skill === null
        ? { ...plan, warnings: plan.warnings.filter(({ message }) => !message.includes('[skill-name-differs]')) }
        : plan,
    of: request.skill === null ? 'skills' : 'engines',
    contenders,
    design: {
      contenders: contenders.length,
      alpha: usualOptions.alpha,
      gap: request.detect,
      looks: raceLooks(blocks),
    },
    cases,
    folders: new Map(prepared.flatMap(({ folders }) => [...folders])),
    workspace,
    choices: [...new Set(prepared.flatMap(({ choices }) => choices))],
  }
}

/** What can be refused before anything is read. */
function assertContenders({ contenders, skill, suite, engine, model }: RankRequest): void {
  const [only] = contenders
  if (contenders.length < 2)
    throw new UserError(
      `rank with one contender (${only ?? 'none'})`,
      'name two or more; whetstone bench tests one skill against none',
    )
  if (skill !== null && (engine !== 'auto' || model !== null))
    throw new UserError('rank --skill with --engine or --model', 'name the engines as contenders, as engine:model')
  if (skill !== null) return
  const looksLikeEngine = contenders.find((one) => isEngineName(one.split(':')[0] ?? '') && !existsSync(one))
  if (looksLikeEngine !== undefined)
    throw new UserError(`${looksLikeEngine}: an engine, not a skill`, 'to rank engines, name their skill with --skill')
  if (suite === null)
    throw new UserError('rank without --suite', 'all skills run one suite: --suite <skill>/evals/evals.json')
}

function benchRequest(request: RankRequest, given: string): BenchRequest {
  const { contenders: _, skill, maxRuns: __, detect: ___, power: ____, ...shared } = request
  const own = { ...shared, baseline: null, runs: 1, cache: false, fresh: true }
  if (skill !== null) return { ...own, skill, engine: given }
  const suiteRoot = request.suite === null ? undefined : findSuiteRoot(path.resolve(request.suite))
  return { ...own, skill: given, ...(suiteRoot !== undefined && { suiteRoot }) }
}

/** Input files are the same for all: below the nearest folder with SKILL.md, else below the suite's own folder. */
function findSuiteRoot(suite: string): string {
  for (let folder = path.dirname(suite); folder !== path.dirname(folder); folder = path.dirname(folder))
    if (existsSync(path.join(folder, 'SKILL.md'))) return folder
  return path.dirname(suite)
}

/** The first contender's judge grades all. */
function judgeText(plan: Plan | null): string | null {
  const judge = plan?.options.judge ?? null
  return judge === null ? null : [judge.name, judge.model].filter(Boolean).join(':')
}

function nameContenders(prepared: readonly (PreparedBench & { given: string })[], skill: string | null): Contender[] {
  const contenders = prepared.map(({ plan, given }): Contender => {
    const { engine } = plan.options
    if (skill !== null) return { name: given, folder: slug(given, 60), source: given, sha256: null, engine }
    const { name, sha256, path: source } = plan.skill
    return { name, folder: name, source, sha256, engine }
  })
  for (const [at, one] of contenders.entries()) {
    const others = contenders.slice(0, at)
    const same = others.find((other) => isSame(one, other))
    if (same !== undefined)
      throw new UserError(`${same.source} and ${one.source} are the same`, 'name each contender once')
    const alike = others.find(({ name, folder }) => name === one.name || folder === one.folder)
    if (alike !== undefined)
      throw new UserError(
        `${alike.source} and ${one.source}: both are called ${one.name}`,
        'give one another name; two versions of a skill: whetstone bench <skill> --baseline <older>',
      )
  }
  return contenders
}

function isSame(a: Contender, b: Contender): boolean {
  return a.sha256 === null ? canonicalJson(a.engine) === canonicalJson(b.engine) : a.sha256 === b.sha256
}

/** The suite may name different cases for different skills, as with cases that only one can run. */
function refuseOtherSuites(prepared: readonly PreparedBench[]): void {
  const casesOf = ({ plan }: PreparedBench) =>
    canonicalJson([plan.suite.sha256, [...new Set(plan.runs.map(({ eval_id }) => eval_id))]])
  const [first] = prepared
  const other = prepared.find((one) => first !== undefined && casesOf(one) !== casesOf(first))
  if (first !== undefined && other !== undefined)
    throw new UserError(
      `${first.plan.skill.path} and ${other.plan.skill.path} don't run the same cases of ${first.plan.suite.path}`,
      'choose cases that all contenders can run with --case',
    )
}

function countCases({ cases, runs }: Plan): number {
  const planned = new Set(runs.map(({ eval_id }) => eval_id))
  return cases.filter(({ eval_id, quarantine }) => planned.has(eval_id) && quarantine === undefined).length
}

/** More per case than this is a suite that is too small. */
const mostBlocks = 200

/** The most runs per case and contender, enough to find the lead. Throws UserError, which says how many would be, if so many can't find it. */
function chooseBlocks(
  { maxRuns, detect, power }: Pick<RankRequest, 'maxRuns' | 'detect' | 'power'>,
  { contenders, cases }: { contenders: number; cases: number },
): number {
  const size = { contenders, gap: detect, power }
  const needed = neededBlocks({ ...size, cases })
  const most = maxRuns ?? mostBlocks
  if (needed <= most) return maxRuns ?? needed
  const lead = `a lead of ${formatWholePoints(detect, false)} points`
  const wanted = neededCases(size, most)
  const runs = needed <= mostBlocks ? `--max-runs ${needed}, or ` : ''
  throw new UserError(
    `${formatPlural(contenders, 'contender')} on ${formatPlural(cases, 'case')}: ${formatPlural(most, 'run')} per case can't find ${lead} with power ${formatPercent(power)}; it takes ${formatCount(needed)}`,
    `use ${runs}${formatPlural(wanted, 'case')}, or look for a larger lead with --detect`,
  )
}
