/** From a loaded suite to the plan of its one arm: skills read, engine and judge chosen. Starts nothing. */
import path from 'node:path'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { messageOf, UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { withBaseUrl } from '../../engines/base_url.ts'
import { resolveEngineChoice } from '../../engines/models.ts'
import { makeEvalPlan } from '../../phases/1-plan/eval_plan.ts'
import { hashSuite, rootAbove } from '../../phases/1-plan/load.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'
import { slug } from '../../phases/1-plan/slug.ts'
import { timedBy, usualTimeout } from '../../phases/1-plan/timeouts.ts'
import { type AutoEngine, autoEngine } from '../auto_engine.ts'
import type { FlowContext } from '../context.ts'
import { withDecidable, withShownBlocks } from '../decidable.ts'
import { withHonoured } from '../honoured.ts'
import { withJudging } from '../judging.ts'
import { refuseSpokenKeys } from '../spoken_keys.ts'
import { judgeOfSuite, modelKeptOn, modelOfSuite, refuseProgram } from '../suite_model.ts'
import { capWords } from './cost_caps.ts'
import { isolated } from './isolate.ts'
import type { EvalRequest, PreparedEval } from './request.ts'

/** `lenient` plans even where no engine can work. Throws UserError. */
export async function prepareEval(
  given: Suite,
  request: EvalRequest,
  { context, lenient }: { context: FlowContext; lenient: boolean },
): Promise<PreparedEval> {
  const isFrozen = request.isolate && !lenient
  const seen = withoutResults(timedBy(request.timeoutSeconds, given), workspaceOf(request, given.skill_name))
  const suite = isFrozen ? await isolated(seen, workspaceOf(request, given.skill_name)) : seen
  const root = suite.root ?? (await rootAbove(path.dirname(suite.path)))
  const read = await readSkills(suite, root)
  const { engine, judge, choices } = await chooseEngines(request, read.suite, autoEngine(context, lenient))
  const shown = withShownBlocks(read.suite, engine)
  const honoured = await withDecidable(withHonoured(shown, engine), engine)
  refuseSpokenKeys({ choices: [engine, judge], suite: honoured, env: context.env })
  const suiteSha256 = await hashSuite(suite)
  const under = read.skills.get(root)
  const subject = under ?? { name: suite.skill_name, description: '', path: root, sha256: suiteSha256 }
  const plan = makeEvalPlan({
    suite: honoured,
    subject,
    skillOf: (one) => read.skills.get(skillPathOf(one, read.own) ?? '') ?? null,
    options: {
      engine,
      judge,
      runs: 1,
      timeout_seconds: request.timeoutSeconds ?? suite.defaults?.timeout_seconds ?? usualTimeout,
      max_turns: request.maxTurns,
      activation: 'natural',
      on_timeout: 'fail',
      retries: request.retries,
      ...(suite.fast_fail && { fast_fail: true as const }),
      ...withJudging(request.judging),
    },
    createdAt: context.now().toISOString(),
    suiteSha256,
    warnings: read.warnings,
  })
  const folders = new Map([...read.skills].map(([folder, { sha256 }]) => [sha256, folder]))
  const workspace = workspaceOf(request, subject.name)
  const { version = null, guardrails = null } = suite
  choices.push(...capWords(guardrails))
  return { plan, folders, workspace, choices, root, name: subject.name, version, guardrails }
}

function workspaceOf({ workspace }: EvalRequest, name: string): string {
  return path.resolve(workspace ?? path.join('workspaces', slug(name) || 'suite'))
}

/** No agent finds the results of those before it in its working folder. Throws UserError where they would lie deep in it. */
function withoutResults(suite: Suite, workspace: string): Suite {
  const cases = suite.cases.map((one) => {
    const files = one.files.filter(({ source }) => source !== workspace)
    const around = files.find(
      ({ source, kind }) => kind === 'directory' && workspace.startsWith(`${source}${path.sep}`),
    )
    if (around === undefined) return { ...one, files }
    const message = `--workspace ${workspace} lies in ${around.source}, which agents get to see`
    throw new UserError(message, 'choose a folder outside of it')
  })
  return { ...suite, cases }
}

interface ReadSkills {
  /** Cases whose skill can't be read can't run. */
  suite: Suite
  /** By their folder. */
  skills: Map<string, Skill>
  /** Of cases that name none; null: none. */
  own: string | null
  warnings: LoadWarning[]
}

async function readSkills(suite: Suite, root: string): Promise<ReadSkills> {
  const own = (await exists(path.join(root, 'SKILL.md'))) ? root : null
  const skills = new Map<string, Skill>()
  const reasons = new Map<string, string>()
  const warnings: LoadWarning[] = []
  for (const folder of new Set(suite.cases.map((one) => skillPathOf(one, own)))) {
    if (folder === null) continue
    try {
      const read = await readSkill(folder)
      skills.set(folder, read.skill)
      warnings.push(...read.warnings)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      reasons.set(folder, messageOf(error))
    }
  }
  const cases = suite.cases.map((one) => {
    const reason = reasons.get(skillPathOf(one, own) ?? '')
    return reason === undefined ? one : { ...one, cannot_run: one.cannot_run ?? reason }
  })
  return { suite: { ...suite, cases }, skills, own, warnings }
}

function skillPathOf({ skill_path }: SuiteCase, own: string | null): string | null {
  return skill_path === undefined ? own : skill_path
}

/** A flag wins over the suite, the suite over ours. */
async function chooseEngines(
  request: EvalRequest,
  { defaults = {}, cases, path: file }: Suite,
  auto: AutoEngine,
): Promise<{ engine: EngineChoice; judge: EngineChoice | null; choices: string[] }> {
  if (request.engine === null && defaults.unsupported_engine !== undefined) {
    const message = `${file}: unsupported-engine: ${defaults.unsupported_engine}`
    throw new UserError(message, 'name one that can be run with --engine', 'unsupported-engine')
  }
  if (request.engine === null && defaults.engine !== undefined)
    refuseProgram(defaults.engine, { file, field: 'engine' })
  const choices: string[] = []
  const asked = request.engine ?? defaults.engine ?? 'auto'
  const ofSuite = request.model === null ? (defaults.model ?? null) : null
  const named =
    asked === 'auto' && ofSuite !== null
      ? modelOfSuite(ofSuite, defaults.model_file ?? file)
      : resolveEngineChoice({ engine: asked, model: request.model ?? modelKeptOn(asked, ofSuite, choices) })
  const url = request.baseUrl ?? null
  const placed = withBaseUrl(named, url)
  const engine = placed.name === 'auto' ? await auto.choose(placed, 'engine', choices) : placed
  const needsJudge = cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
  if (!needsJudge) return { engine, judge: null, choices }
  const judge = await auto.judge(request.judge ?? judgeOfSuite(defaults.judge, file, engine), engine, choices)
  return { engine, judge: judge.name === engine.name ? withBaseUrl(judge, url) : judge, choices }
}
