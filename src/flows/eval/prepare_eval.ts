/** Turns a loaded suite into a plan with one configuration: reads skills, chooses engine and judge. Starts nothing. */
import path from 'node:path'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { computePlanId } from '../../phases/1-plan/keys/plan_keys.ts'
import { leaveOutVariables } from '../../phases/1-plan/plan/leave_out_variables.ts'
import { buildRunSpec, countCalls, type PlanRequest } from '../../phases/1-plan/plan/plan.ts'
import { loadSkills } from '../../phases/1-plan/skill/frontmatter.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { applyTimeout, usualTimeout } from '../../phases/1-plan/suite/adapt_for_bench.ts'
import { findSkillRoot, hashSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import { chooseWorkspace } from '../../store/choose_workspace.ts'
import { useLiveServers } from '../environment/unsupported_environment.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadFormatSteps } from '../format_steps.ts'
import {
  allowSuiteJudge,
  type BenchEnginesRequest,
  chooseBenchEngines,
  needsJudge,
  refuseProgram,
} from '../prepare/bench_engines.ts'
import { createAutoEngine, resolveJudgingOptions } from '../prepare/choose_engine.ts'
import { skipUnrunnableCases } from '../prepare/engine_support.ts'
import { refuseInlineCredentials } from '../prepare/inline_credentials.ts'
import { placeCases } from '../prepare/place_cases.ts'
import type { OnRefusal } from '../prepare/preflight.ts'
import { listTaskSkills } from '../sandbox/task_steps.ts'
import type { EvalRequest, PreparedEval } from './eval_request.ts'

/** How to prepare an eval: for a real start, or for --dry-run, which copies nothing. */
export interface EvalPreparation {
  context: FlowContext
  /** Called where no engine or judge is available. */
  refuse: OnRefusal
  isDryRun: boolean
}

/** Throws UserError. */
export async function prepareEval(
  given: Suite,
  request: EvalRequest,
  { context, refuse, isDryRun }: EvalPreparation,
): Promise<PreparedEval> {
  assertNoOpenNetwork(given.path, given.sandbox, request.sandbox)
  const isFrozen = request.isolate && !isDryRun
  const seen = withoutResults(
    leaveOutVariables(applyTimeout(request.timeoutSeconds, given), request.sandbox),
    resolveEvalWorkspace(request, given.skill_name),
  )
  const steps = await loadFormatSteps(given.format)
  const copied = isFrozen ? await steps.isolate?.(seen, resolveEvalWorkspace(request, given.skill_name)) : undefined
  const suite = copied ?? seen
  const root = suite.root ?? (await findSkillRoot(path.dirname(suite.path)))
  const workspace = resolveEvalWorkspace(request, suite.skill_name)
  const draft = { suite, root, workspace, otherSkill: false, compares: false, request }
  const placed = await placeCases({ ...draft, warnings: [], notes: [] }, context)
  const read = await readSkills(placed.suite, root, request.links)
  const { engine, judge, user, activation, choices } = await chooseBenchEngines(
    readWish(request, read.suite),
    read.suite,
    createAutoEngine(context, refuse),
  )
  const honoured = await skipUnrunnableCases(
    engine,
    request.liveMcp ? useLiveServers(read.suite) : read.suite,
    context.prices,
  )
  refuseInlineCredentials({ choices: [engine, judge, user ?? null], suite: honoured, env: context.env })
  const suiteSha256 = await hashSuite(suite)
  const under = read.skills.get(root)
  const subject = under ?? { name: suite.skill_name, description: '', path: root, sha256: suiteSha256 }
  const versions = [...read.skills].map(([folder, { sha256 }]) => [sha256, folder] as const)
  const folders = new Map([
    ...versions,
    ...listTaskSkills(honoured.cases).map((one) => [one.sha256, one.path] as const),
  ])
  const plan = makeEvalPlan({
    suite: request.judge === null ? honoured : (steps.withoutFallbackJudges?.(honoured) ?? honoured),
    subject,
    skillOf: (one) => one.harbor?.skills[0] ?? read.skills.get(resolveSkillPath(one, read.own) ?? '') ?? null,
    options: {
      engine,
      judge,
      ...(user && { user }),
      runs: 1,
      timeout_seconds: request.timeoutSeconds ?? suite.defaults?.timeout_seconds ?? usualTimeout,
      max_turns: request.maxTurns,
      activation,
      on_timeout: 'fail',
      retries: request.retries,
      ...(suite.fast_fail && { fast_fail: true as const }),
      ...resolveJudgingOptions(request.judging),
    },
    createdAt: context.now().toISOString(),
    suiteSha256,
    warnings: [...placed.warnings, ...read.warnings],
  })
  const { version = null, guardrails = null } = suite
  choices.push(...placed.notes, ...(steps.describeCaps?.(guardrails) ?? []))
  return {
    plan: await loadSkills(plan, folders),
    folders,
    workspace: resolveEvalWorkspace(request, subject.name),
    choices,
    root,
    name: subject.name,
    version,
    guardrails,
  }
}

function resolveEvalWorkspace({ workspace }: EvalRequest, name: string): string {
  return chooseWorkspace(workspace, slug(name) || 'suite')
}

/** Keeps earlier results out of the agents' working folders. Throws UserError if they would be deep inside one. */
function withoutResults(suite: Suite, workspace: string): Suite {
  const cases = suite.cases.map((one) => {
    const files = one.files.filter(({ source }) => source !== workspace)
    const around = files.find(
      ({ source, kind }) => kind === 'directory' && workspace.startsWith(`${source}${path.sep}`),
    )
    if (around === undefined) return { ...one, files }
    const message = `--workspace ${workspace} is inside ${around.source}, which agents can read`
    throw new UserError(message, 'choose a folder outside it')
  })
  return { ...suite, cases }
}

interface ReadSkills {
  /** Cases with an unreadable skill are marked as unable to run. */
  suite: Suite
  /** By their folder. */
  skills: Map<string, Skill>
  /** For cases that name no skill; null: none. */
  own: string | null
  warnings: LoadWarning[]
}

async function readSkills(suite: Suite, root: string, links: SkillLinks | undefined): Promise<ReadSkills> {
  const own = (await pathExists(path.join(root, 'SKILL.md'))) ? root : null
  const skills = new Map<string, Skill>()
  const reasons = new Map<string, string>()
  const warnings: LoadWarning[] = []
  for (const folder of new Set(suite.cases.map((one) => resolveSkillPath(one, own)))) {
    if (folder === null) continue
    try {
      const read = await readSkill(folder, links)
      skills.set(folder, read.skill)
      warnings.push(...read.warnings)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      reasons.set(folder, errorMessage(error))
    }
  }
  const cases = suite.cases.map((one) => {
    const reason = reasons.get(resolveSkillPath(one, own) ?? '')
    return reason === undefined ? one : { ...one, cannot_run: one.cannot_run ?? reason }
  })
  return { suite: { ...suite, cases }, skills, own, warnings }
}

function resolveSkillPath({ skill_path }: SuiteCase, own: string | null): string | null {
  return skill_path === undefined ? own : skill_path
}

/** A flag overrides the suite, and the suite overrides the defaults. Throws UserError for a program that the suite names. */
function readWish(request: EvalRequest, suite: Suite): BenchEnginesRequest {
  const { defaults = {}, path: file } = suite
  if (request.engine === null && defaults.unsupported_engine !== undefined) {
    const message = `${file}: unsupported-engine: ${defaults.unsupported_engine}`
    throw new UserError(message, 'choose a supported engine with --engine', 'unsupported-engine')
  }
  if (request.engine === null && defaults.engine !== undefined)
    refuseProgram(defaults.engine, { file, field: 'engine' })
  const judge = request.judge ?? (needsJudge(suite) ? allowSuiteJudge(defaults.judge, file) : null)
  const activation = request.activation ?? defaults.activation ?? null
  return { ...request, engine: request.engine ?? defaults.engine ?? 'auto', judge, activation }
}

interface EvalPlanRequest extends Pick<PlanRequest, 'suite' | 'options' | 'createdAt' | 'suiteSha256' | 'warnings'> {
  /** The subject under test: a skill, or a stand-in for a package or an agent. */
  subject: Skill
  /** The skill that a case installs for the test; null: none. */
  skillOf: (one: SuiteCase) => Skill | null
}

/** Cases that cannot run stay in the plan without a run; possibly none can run. */
function makeEvalPlan(request: EvalPlanRequest): Plan {
  const { suite, subject, options } = request
  const runs = suite.cases.flatMap((one) => (one.cannot_run === null ? [buildEvalRun(one, request)] : []))
  return {
    schema_version: 1,
    plan_id: computePlanId(runs, options),
    created_at: request.createdAt,
    suite: { path: suite.path, format: suite.format, sha256: request.suiteSha256 },
    skill: subject,
    baseline: null,
    candidate_configuration: 'subject',
    baseline_configuration: 'subject',
    options,
    cases: suite.cases,
    runs,
    warnings: [...suite.warnings, ...(request.warnings ?? [])],
    calls: countCalls(runs, suite.cases, options),
  }
}

function buildEvalRun(one: SuiteCase, { suite, skillOf, options }: EvalPlanRequest): RunSpec {
  const arm = { configuration: 'subject' as const, skill: skillOf(one) }
  return buildRunSpec({ one, arm, number: 1, absent: null }, suite, options)
}
