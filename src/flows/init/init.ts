/** init: has a model draft a skill's suite into a new file, with each case marked as a draft. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type EvalsFile, evalsFile } from '../../../schemas/evals.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'
import { checkAs } from '../../base/json/json.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { longestSkill } from '../../phases/1-plan/draft/draft_prompt.ts'
import { isHiddenFromAgents, readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { findSkillRoot, hasSuite, loadSuite } from '../../phases/1-plan/suite/load_suite.ts'
import {
  buildFirstPrompt,
  countAnswers,
  type DraftedCases,
  type DraftRequest,
  draftCases,
} from '../draft/draft_cases.ts'
import { type DraftEstimate, estimateDrafts, refuseOverBudget } from '../draft/estimate_drafts.ts'
import { writeDrafts } from '../draft/write_drafts.ts'
import type { FlowContext } from '../flow_context.ts'
import { createJudgeOpener } from '../judge/open_judge.ts'
import type { Limits } from '../limits/limits.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { requirePricing } from '../limits/require_prices.ts'
import { reportUnsetVariables } from '../prepare/check_start.ts'
import { createAutoEngine } from '../prepare/choose_engine.ts'
import { ignoreRefusals, preflight, throwRefusal } from '../prepare/preflight.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { clearLeftovers } from '../workspace/benchmark_lock.ts'

export interface InitRequest {
  /** The skill's folder, or its SKILL.md. */
  skill: string
  cases: number
  /** null: evals/evals.json in the skill. */
  output: string | null
  /** engine[:model] or auto. */
  engine: string
  model: string | null
  /** The drafting model, in --judge syntax; null: the engine. */
  judge: string | null
  baseUrl: string | null
  passEnv: readonly string[]
  /** The deadline does not apply. */
  limits: Limits
  sandbox: SandboxWish | null
}

export interface InitPlan {
  skill: Skill
  /** The suite file to write, absolute. */
  file: string
  /** Input files are relative to this folder; absolute. */
  root: string
  choice: EngineChoice
  choices: string[]
  cases: number
  /** The skill's existing cases. */
  known: DraftRequest['known']
  /** Answers needed, without repeats. */
  answers: number
  /** Length of the first prompt, in characters. */
  characters: number
  estimate: DraftEstimate
  warnings: string[]
}

export type InitResult = DraftedCases & Pick<InitPlan, 'file' | 'root' | 'choice' | 'warnings'>

/** What would be asked, and where it goes. Throws UserError for an unreadable skill and an existing file. */
export async function planInit(request: InitRequest, context: FlowContext, lenient = true): Promise<InitPlan> {
  const { skill, warnings } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)))
  const { file, root } = await resolveOutputFile(request.output, skill)
  const choices: string[] = []
  reportUnsetVariables(request, { choices }, context)
  const choice = await chooseDrafter(request, { context, lenient, choices })
  const cases = request.cases
  const known = await knownCases(skill)
  const prompt = await buildFirstPrompt({ skill, count: cases, root, known })
  const { size } = await stat(path.join(skill.path, 'SKILL.md'))
  const said = [
    ...warnings.map(({ message }) => message),
    ...(size > longestSkill ? [`SKILL.md has ${size} bytes; the model sees its first ${longestSkill} characters`] : []),
  ]
  return {
    skill,
    file,
    root,
    choice,
    choices,
    cases,
    known,
    answers: countAnswers(cases),
    characters: prompt.length,
    estimate: await estimateDrafts(
      choice,
      { cases, answers: countAnswers(cases), characters: prompt.length },
      context.prices,
    ),
    warnings: said,
  }
}

/** Never overwrites a file. Throws as planInit does, and IncompleteError if no case was drafted. */
export async function init(request: InitRequest, context: FlowContext): Promise<InitResult> {
  await clearLeftovers(context)
  const planned = await planInit(request, context, false)
  const { skill, file, root, choice, choices, cases: count, known, warnings } = planned
  const { passEnv, sandbox, limits } = request
  await requirePricing({ engine: choice, judge: null }, limits, context)
  refuseOverBudget(planned.estimate, limits)
  await preflight({ '--model': choice }, passEnv, context)
  using pace = openAccountLimiters(undefined, context)
  const openModel = await createJudgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  const made = await draftCases({ skill, count, root, known, by: judgeName(choice), limits, openModel }, context)
  assertDrafted(made)
  const suite: EvalsFile = checkAs(evalsFile, { skill_name: skill.name, evals: made.evals }, file)
  await writeDrafts({ file, root, suite }, made.files)
  return { ...made, file, root, choice, warnings: [...choices, ...warnings] }
}

/** Throws IncompleteError if no case was drafted. */
export function assertDrafted({ evals, leftOut, missing }: DraftedCases): void {
  if (evals.length > 0) return
  const reasons = leftOut.map(({ name, reason }) => `${name}: ${reason}`).slice(0, 3)
  const why = [missing ?? '', ...reasons].filter(Boolean).join('; ')
  throw new IncompleteError(`no case was drafted: ${why}`, 'try again, or use another model (nothing was written)')
}

/** The cases of the skill's suite; empty without a readable one. */
export async function knownCases(skill: Skill): Promise<DraftRequest['known']> {
  if (!(await hasSuite(skill.path))) return []
  const suite = await loadSuite(skill.path).catch((error: unknown) => {
    if (error instanceof UserError) return null
    throw error
  })
  return (suite?.cases ?? []).map(({ eval_id: id, eval_name: name, prompt }) => ({ id, name, prompt }))
}

/** The suite file to write, and the folder of its input files. Throws UserError if it exists, or agents would see it. */
export async function resolveOutputFile(output: string | null, skill: Skill): Promise<{ file: string; root: string }> {
  const fix = 'write to another file, such as --output evals/drafts.json'
  const file = path.resolve(output ?? path.join(skill.path, 'evals', 'evals.json'))
  if (await pathExists(file)) throw new UserError(`${file}: this suite already exists and is not overwritten`, fix)
  if (output === null && (await hasSuite(skill.path)))
    throw new UserError(`${skill.path}: the skill already has a suite of another format`, fix)
  if (!file.endsWith('.json'))
    throw new UserError(`--output: expected a .json file, got "${output}"`, 'choose a name that ends in .json')
  const inside = path.relative(skill.path, file).split(path.sep).join('/')
  if (!inside.startsWith('../') && !path.isAbsolute(inside) && !isHiddenFromAgents(inside)) {
    throw new UserError(`--output ${output}: agents would see this suite`, `put it below ${skill.path}/evals/`)
  }
  const root = await findSkillRoot(path.dirname(file))
  const files = path.join(root, 'evals', 'files')
  const places = [{ place: file, kind: 'file' } as const, { place: files, kind: 'folder' } as const]
  const refused = places.flatMap((one) => whyNotWritable(one) ?? [])[0]
  if (refused !== undefined) throw new UserError(`${file} can't be written: ${refused}`, 'make the folder writable')
  return { file, root }
}

async function chooseDrafter(
  { engine, model, judge, baseUrl }: InitRequest,
  { context, lenient, choices }: { context: FlowContext; lenient: boolean; choices: string[] },
): Promise<EngineChoice> {
  const auto = createAutoEngine(context, lenient ? ignoreRefusals : throwRefusal)
  if (judge !== null) {
    if (engine !== 'auto' || model !== null) {
      throw new UserError('--judge with --engine or --model', 'use one of them for drafting')
    }
    return withBaseUrl(await auto.judge(judge, { name: 'auto', model: null }, choices), baseUrl)
  }
  const placed = withBaseUrl(resolveEngineChoice({ engine, model }), baseUrl)
  return placed.name === 'auto' ? await auto.choose(placed, 'engine', choices) : placed
}
