/** Turns a loaded suite into a plan with one configuration: reads skills, chooses engine and judge. Starts nothing. */

import path from 'node:path'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { sharesServer, withBaseUrl } from '../../engines/models/base_url.ts'
import { withEffort } from '../../engines/models/effort.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { withSkillsFolder } from '../../engines/skills_folders.ts'
import { makeEvalPlan } from '../../phases/1-plan/plan/eval_plan.ts'
import { leaveOutVariables } from '../../phases/1-plan/plan/leave_out_variables.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { readSkillBodies } from '../../phases/1-plan/skill/skill_body.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { findSkillRoot, hashSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import { applyTimeout, usualTimeout } from '../../phases/1-plan/suite/timeouts.ts'
import { chooseWorkspace } from '../../store/choose_workspace.ts'
import { useLiveServers } from '../environment/unsupported_environment.ts'
import type { FlowContext } from '../flow_context.ts'
import { withoutFallbackJudges } from '../judge/fallback_judges.ts'
import { type BenchEngines, chooseUserModel } from '../prepare/bench_engines.ts'
import { type AutoEngine, createAutoEngine } from '../prepare/choose_engine.ts'
import { skipUnrunnableCases } from '../prepare/engine_support.ts'
import { refuseInlineCredentials } from '../prepare/inline_credentials.ts'
import { resolveJudgingOptions } from '../prepare/judge_settings.ts'
import type { OnRefusal } from '../prepare/refusals.ts'
import { allowSuiteJudge, keepSuiteModel, refuseProgram, resolveSuiteModel } from '../prepare/suite_model.ts'
import { placeRepos } from '../repos/place_repos.ts'
import { listTaskSkills, placeTasks } from '../sandbox/harbor_tasks.ts'
import type { EvalRequest, PreparedEval } from './eval_request.ts'
import { describeCaps } from './golden/cost_caps.ts'
import { isolateVaults } from './golden/vault_snapshot.ts'

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
  const suite = isFrozen ? await isolateVaults(seen, resolveEvalWorkspace(request, given.skill_name)) : seen
  const root = suite.root ?? (await findSkillRoot(path.dirname(suite.path)))
  const workspace = resolveEvalWorkspace(request, suite.skill_name)
  const wish = request.sandbox
  const placed = await placeRepos(suite, { workspace, skill: root, wish }, context)
  const withTasks = await placeTasks(
    { ...suite, cases: placed.cases },
    { otherSkill: false, compares: false, isQueued: Boolean(request.queue) },
    { backend: request.backend, sandbox: wish, env: context.env, signal: context.signal },
  )
  const read = await readSkills(withTasks.suite, root, request.links)
  const { engine, judge, user, choices } = await chooseEngines(request, read.suite, createAutoEngine(context, refuse))
  const honoured = await skipUnrunnableCases(
    engine,
    request.liveMcp ? useLiveServers(read.suite) : read.suite,
    context.prices,
  )
  refuseInlineCredentials({ choices: [engine, judge, user ?? null], suite: honoured, env: context.env })
  const suiteSha256 = await hashSuite(suite)
  const under = read.skills.get(root)
  const subject = under ?? { name: suite.skill_name, description: '', path: root, sha256: suiteSha256 }
  const activation = request.activation ?? suite.defaults?.activation ?? 'natural'
  const versions = [...read.skills].map(([folder, { sha256 }]) => [sha256, folder] as const)
  const folders = new Map([
    ...versions,
    ...listTaskSkills(honoured.cases).map((one) => [one.sha256, one.path] as const),
  ])
  const plan = makeEvalPlan({
    suite: request.judge === null ? honoured : withoutFallbackJudges(honoured),
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
    ...(activation === 'loaded' && { bodies: await readSkillBodies(folders) }),
    createdAt: context.now().toISOString(),
    suiteSha256,
    warnings: [...placed.warnings, ...read.warnings],
  })
  const { version = null, guardrails = null } = suite
  choices.push(...withTasks.choices, ...placed.notes, ...describeCaps(guardrails))
  return {
    plan,
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

/** A flag overrides the suite, and the suite overrides the defaults. */
async function chooseEngines(
  request: EvalRequest,
  { defaults = {}, cases, path: file }: Suite,
  auto: AutoEngine,
): Promise<BenchEngines> {
  if (request.engine === null && defaults.unsupported_engine !== undefined) {
    const message = `${file}: unsupported-engine: ${defaults.unsupported_engine}`
    throw new UserError(message, 'choose a supported engine with --engine', 'unsupported-engine')
  }
  if (request.engine === null && defaults.engine !== undefined)
    refuseProgram(defaults.engine, { file, field: 'engine' })
  const choices: string[] = []
  const asked = request.engine ?? defaults.engine ?? 'auto'
  const ofSuite = request.model === null ? (defaults.model ?? null) : null
  const named =
    asked === 'auto' && ofSuite !== null
      ? resolveSuiteModel(ofSuite, defaults.model_file ?? file)
      : resolveEngineChoice({ engine: asked, model: request.model ?? keepSuiteModel(asked, ofSuite, choices) })
  const url = request.baseUrl ?? null
  const placed = withBaseUrl(named, url)
  const chosen = placed.name === 'auto' ? await auto.choose(placed, 'engine', choices) : placed
  const reached = withEffort(chosen, request.effort ?? null, '--effort')
  const engine = withSkillsFolder(reached, request.skillsFolder ?? null)
  const needsJudge = cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
  const atServer = (choice: EngineChoice) => (sharesServer(choice, engine) ? withBaseUrl(choice, url) : choice)
  const asJudge = async () => {
    const text = request.judge ?? allowSuiteJudge(defaults.judge, file)
    const chosen = atServer(await auto.judge(text, engine, choices))
    return withEffort(chosen, request.judging?.effort ?? null, '--judge-effort')
  }
  const judge = needsJudge ? await asJudge() : null
  const user = await chooseUserModel(request, { cases }, (text) => auto.user(text, engine, choices), judge)
  return { engine, judge, ...(user && { user: atServer(user) }), choices }
}
