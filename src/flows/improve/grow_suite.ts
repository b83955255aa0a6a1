/** improve --grow-suite: has a model draft missing cases into a separate file that nothing uses until the author reviews it. */
import path from 'node:path'
import * as z from 'zod'
import { evalsFile } from '../../../schemas/evals.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { checkAs, readJson } from '../../base/json/json.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { findSkillRoot, loadSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { leastForSimilarCases } from '../../phases/1-plan/suite/split_suite.ts'
import { buildFirstPrompt, countAnswers, draftCases } from '../draft/draft_cases.ts'
import { estimateDrafts, refuseOverBudget } from '../draft/estimate_drafts.ts'
import { writeDrafts } from '../draft/write_drafts.ts'
import type { FlowContext } from '../flow_context.ts'
import { assertDrafted, type InitResult } from '../init/init.ts'
import { createJudgeOpener } from '../judge/open_judge.ts'
import { noLimits } from '../limits/limits.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { ignoreRefusals, preflight } from '../prepare/preflight.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { planEveryCase } from '../versions/check_versions_start.ts'
import { clearLeftovers } from '../workspace/benchmark_lock.ts'
import type { ImproveRequest } from './improve_request.ts'
import { chooseProposer } from './propose/proposer.ts'

/** Validates only the needed fields; everything else stays as its author wrote it. */
const suiteFileSchema = z.looseObject({ skill_name: z.string(), evals: z.array(z.looseObject({})) })

/** Throws UserError, or IncompleteError if the model gave no usable case. Overwrites nothing. */
export async function growSuite(request: ImproveRequest, context: FlowContext): Promise<InitResult> {
  await clearLeftovers(context)
  const { skill, warnings } = await readSkill(
    await resolveSkillFolder(path.resolve(request.skill)),
    request.bench.links,
  )
  const { bench } = request
  const suite = await loadSuite(bench.suite ?? skill.path, skill.path)
  const before = await readJson(suiteFileSchema, resolveSourceFile(suite))
  const file = await resolveGrownFile(suite)
  const count = countMissingCases(suite)
  const { plan, choices } = await planEveryCase({ ...bench, allowInvalid: true }, skill, context, ignoreRefusals)
  const choice = await chooseProposer(request.proposer, plan.options.engine, { context, choices })
  const { passEnv, sandbox = null, limits = noLimits } = bench
  const root = await findSkillRoot(path.dirname(file))
  const known = suite.cases.map(({ eval_id: id, eval_name: name, prompt }) => ({ id, name, prompt }))
  const characters = (await buildFirstPrompt({ skill, count, root, known })).length
  await requirePricing({ engine: choice, judge: null }, limits, context)
  const needs = { cases: count, answers: countAnswers(count), characters }
  refuseOverBudget(await estimateDrafts(choice, needs, context.prices), limits)
  await preflight({ '--proposer': choice }, passEnv, context)
  using pace = openAccountLimiters(bench.pace, context)
  const openModel = await createJudgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  const made = await draftCases({ skill, count, root, known, by: judgeName(choice), limits, openModel }, context)
  assertDrafted(made)
  const { evals } = checkAs(evalsFile, { skill_name: skill.name, evals: made.evals }, file)
  await writeDrafts({ file, root, suite: { ...before, evals: [...before.evals, ...evals] } }, made.files)
  return { ...made, file, root, choice, warnings: [...choices, ...warnings.map(({ message }) => message)] }
}

function resolveSourceFile({ path: place }: Suite): string {
  if (place.endsWith('.json')) return place
  throw new UserError(
    `${place}: --grow-suite adds to suites that are evals.json`,
    'write this one as evals.json with whetstone convert, then pass that file with --suite',
  )
}

async function resolveGrownFile({ path: place }: Suite): Promise<string> {
  const file = place.replace(/(\.grown)?\.json$/, '.grown.json')
  if (file !== place && !(await pathExists(file))) return file
  throw new UserError(`${file}: it already exists`, 'review its drafts and pass it with --suite, or move it away')
}

/** The number that a claim about similar cases needs. */
function countMissingCases({ cases, path: place }: Suite): number {
  const usable = cases.filter((one) => one.cannot_run === null && one.draft !== true).length
  if (usable < leastForSimilarCases) return leastForSimilarCases - usable
  throw new UserError(
    `${place}: it has ${usable} cases, enough to hold out eight`,
    'whetstone init --output FILE --cases N drafts more',
  )
}
