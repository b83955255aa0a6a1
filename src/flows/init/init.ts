/** init: has a model draft the suite of a skill, marked as drafts, in a file that was not there. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type EvalsFile, evalsFile } from '../../../schemas/evals.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { IncompleteError, UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { checkAs } from '../../base/json.ts'
import { reapRooms } from '../../base/room.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../engines/base_url.ts'
import { judgeName } from '../../engines/judge_choice.ts'
import { resolveEngineChoice } from '../../engines/models.ts'
import { longestSkill } from '../../phases/1-plan/draft/prompt.ts'
import { hasSuite, loadSuite, rootAbove } from '../../phases/1-plan/load.ts'
import { isHiddenFromAgents, readSkill } from '../../phases/1-plan/skill.ts'
import { autoEngine } from '../auto_engine.ts'
import type { FlowContext } from '../context.ts'
import { judgeOpener } from '../judge_opener.ts'
import type { Limits } from '../limits.ts'
import { openPace } from '../pace.ts'
import { preflight } from '../preflight.ts'
import { skillFolder } from '../prepare.ts'
import { refuseUnpriced } from '../unpriced.ts'
import { answersFor, type DraftedCases, type DraftRequest, draftCases, firstPrompt } from './draft_cases.ts'
import { type DraftEstimate, estimateDrafts, refuseTooDear } from './estimate_drafts.ts'
import { writeDrafts } from './write_drafts.ts'

export interface InitRequest {
  /** The skill's folder, or its SKILL.md. */
  skill: string
  cases: number
  /** null: evals/evals.json in the skill. */
  output: string | null
  /** engine[:model] or auto. */
  engine: string
  model: string | null
  /** Who drafts, in the words of --judge; null: the engine. */
  judge: string | null
  baseUrl: string | null
  passEnv: readonly string[]
  /** Of them no deadline. */
  limits: Limits
  sandbox: SandboxWish | null
}

export interface InitPlan {
  skill: Skill
  /** The suite file to be written, absolute. */
  file: string
  /** The folder that its input files are relative to, absolute. */
  root: string
  choice: EngineChoice
  choices: string[]
  cases: number
  /** Those that the skill has. */
  known: DraftRequest['known']
  /** Answers that it takes, none of them asked for again. */
  answers: number
  /** Characters of the first question. */
  characters: number
  estimate: DraftEstimate
  warnings: string[]
}

export interface Initialized extends DraftedCases {
  file: string
  root: string
  choice: EngineChoice
  warnings: string[]
}

/** What would be asked, and where it would go. Throws UserError for a skill that can't be read and a file that is there. */
export async function planInit(request: InitRequest, context: FlowContext, lenient = true): Promise<InitPlan> {
  const { skill, warnings } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const { file, root } = await placeOf(request.output, skill)
  const choices: string[] = []
  const choice = await chooseDrafter(request, { context, lenient, choices })
  const cases = request.cases
  const known = await knownCases(skill)
  const prompt = await firstPrompt({ skill, count: cases, root, known })
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
    answers: answersFor(cases),
    characters: prompt.length,
    estimate: await estimateDrafts(choice, { cases, answers: answersFor(cases), characters: prompt.length }),
    warnings: said,
  }
}

/** A file that is there is never written over. Throws as planInit does, and IncompleteError where no case was drafted. */
export async function init(request: InitRequest, context: FlowContext): Promise<Initialized> {
  await reapRooms()
  const planned = await planInit(request, context, false)
  const { skill, file, root, choice, choices, cases: count, known, warnings } = planned
  const { passEnv, sandbox, limits } = request
  await refuseUnpriced({ engine: choice, judge: null }, limits)
  refuseTooDear(planned.estimate, limits)
  await preflight({ '--model': choice }, passEnv, context)
  using pace = openPace(undefined, context)
  const openModel = await judgeOpener({ choice, passEnv, hidden: [], sandbox, pace }, context)
  const made = await draftCases({ skill, count, root, known, by: judgeName(choice), limits, openModel }, context)
  refuseNone(made)
  const suite: EvalsFile = checkAs(evalsFile, { skill_name: skill.name, evals: made.evals }, file)
  await writeDrafts({ file, root, suite }, made.files)
  return { ...made, file, root, choice, warnings: [...choices, ...warnings] }
}

/** Throws IncompleteError where no case was drafted. */
export function refuseNone({ evals, leftOut, missing }: DraftedCases): void {
  if (evals.length > 0) return
  const reasons = leftOut.map(({ name, reason }) => `${name}: ${reason}`).slice(0, 3)
  const why = [missing ?? '', ...reasons].filter(Boolean).join('; ')
  throw new IncompleteError(`no case was drafted: ${why}`, 'nothing was written; try again, or another model')
}

/** The cases of the skill's suite; none where there is none that can be read. */
async function knownCases(skill: Skill): Promise<DraftRequest['known']> {
  if (!(await hasSuite(skill.path))) return []
  const suite = await loadSuite(skill.path).catch((error: unknown) => {
    if (error instanceof UserError) return null
    throw error
  })
  return (suite?.cases ?? []).map(({ eval_id: id, eval_name: name, prompt }) => ({ id, name, prompt }))
}

async function placeOf(output: string | null, skill: Skill): Promise<{ file: string; root: string }> {
  const fix =
    'give another file: --output FILE, such as --output evals/drafts.json in the skill; nothing is written over'
  const file = path.resolve(output ?? path.join(skill.path, 'evals', 'evals.json'))
  if (await exists(file)) throw new UserError(`${file}: it is there already`, fix)
  if (output === null && (await hasSuite(skill.path)))
    throw new UserError(`${skill.path}: it has a suite already, of another format`, fix)
  if (!file.endsWith('.json'))
    throw new UserError(`--output ${output}: not a .json file`, 'suites are read by that name')
  const inside = path.relative(skill.path, file).split(path.sep).join('/')
  if (!inside.startsWith('../') && !path.isAbsolute(inside) && !isHiddenFromAgents(inside)) {
    throw new UserError(`--output ${output}: agents would find the suite there`, `put it below ${skill.path}/evals/`)
  }
  return { file, root: await rootAbove(path.dirname(file)) }
}

async function chooseDrafter(
  { engine, model, judge, baseUrl }: InitRequest,
  { context, lenient, choices }: { context: FlowContext; lenient: boolean; choices: string[] },
): Promise<EngineChoice> {
  const auto = autoEngine(context, lenient)
  if (judge !== null) {
    if (engine !== 'auto' || model !== null) {
      throw new UserError('--judge with --engine or --model: one of them drafts', 'give one of them')
    }
    return withBaseUrl(await auto.judge(judge, { name: 'auto', model: null }, choices), baseUrl)
  }
  const placed = withBaseUrl(resolveEngineChoice({ engine, model }), baseUrl)
  return placed.name === 'auto' ? await auto.choose(placed, 'engine', choices) : placed
}
