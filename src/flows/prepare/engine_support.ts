/** Finds before any paid call what an engine can run of a suite, and which checks are decidable on it. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Check, CheckType } from '../../../schemas/check.ts'
import type { Problem } from '../../../schemas/check_report.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { Environment, LoadWarning, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { walk } from '../../base/fs/files.ts'
import { describeShadowingProgram } from '../../engines/command_line.ts'
import type { Engine } from '../../engines/engine.ts'
import { readSubAgent } from '../../engines/environment/sub_agents.ts'
import { withUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine } from '../../engines/table.ts'
import { markInvalidCases, markSkippedCases } from '../../phases/1-plan/check/invalid_suite.ts'
import { planRules } from '../../phases/1-plan/check/rules/plan_rules.ts'
import { type LintFinding, nameCase, type RuleFacts, toProblem } from '../../phases/1-plan/check/rules/rule.ts'
import { toolChecks } from '../../phases/3-judge/checks/inputs/events.ts'
import { applyConversationSupport, applyEngineSupport } from '../environment/unsupported_environment.ts'

interface Knowledge {
  engine: Engine
  reports: { cost: boolean; tokens: boolean }
}

/** The suite for `bench` on this engine. Throws UserError for cases whose runs could not count, unless `allowInvalid`. */
export async function requireValidSuite(
  choice: EngineChoice,
  suite: Suite,
  { allowInvalid, prices }: { allowInvalid: boolean; prices?: UserPrices | undefined },
): Promise<Suite> {
  if (choice.name === 'auto') return suite // no engine is available, which is already reported
  const { honoured, problems } = await findEngineProblems(choice, suite, prices)
  return markInvalidCases(honoured, problems, allowInvalid)
}

/** The suite for `eval` on this engine: skips cases that could not be judged. */
export async function skipUnrunnableCases(choice: EngineChoice, suite: Suite, prices?: UserPrices): Promise<Suite> {
  if (choice.name === 'auto') return suite
  const { honoured, problems } = await findEngineProblems(choice, withShownBlocks(suite, choice), prices)
  return markSkippedCases(honoured, problems)
}

async function findEngineProblems(
  choice: EngineChoice,
  suite: Suite,
  prices: UserPrices | undefined,
): Promise<{ honoured: Suite; problems: Problem[] }> {
  refuseShadowingProgram(choice, suite)
  const honoured = applyConversationSupport(applyEngineSupport(suite, choice), choice)
  const engine = findEngine(choice.name)
  const asks = suite.cases.some(({ checks }) => checks.some(({ type }) => spendingChecks.has(type)))
  const reports = (asks ? await withUserPrices(engine, prices).reports?.(choice.model) : null) ?? {
    cost: false,
    tokens: false,
  }
  const problems = honoured.cases.flatMap((one, index) =>
    one.cannot_run === null
      ? undecidable(one, { engine, reports })
      : suite.cases[index]?.cannot_run === null
        ? [problem(planRules.engineLacks, one, one.cannot_run)]
        : [],
  )
  const warnings = [
    ...unmetBlocks(honoured),
    ...unattachedImages(honoured, engine),
    ...(await warnOfAgentFields(honoured, engine)),
  ]
  return {
    honoured: warnings.length === 0 ? honoured : { ...honoured, warnings: [...honoured.warnings, ...warnings] },
    problems: problems.map((one) => toProblem(one.rule, one.finding, suite.path)),
  }
}

function refuseShadowingProgram(choice: EngineChoice, suite: Suite): void {
  for (const { environment } of suite.cases) {
    const found = environment?.programs === undefined ? null : describeShadowingProgram(choice, environment.programs)
    if (found !== null) throw new UserError(`${suite.path}: ${found.message}`, found.fix)
  }
}

function undecidable(one: SuiteCase, knowledge: Knowledge): RuleFinding[] {
  const hindered = one.checks.flatMap((check) => {
    const reason = hindrance(check, knowledge)
    return reason === null ? [] : [`${check.type}: ${reason}`]
  })
  if (hindered.length === 0) return []
  const isWhole = hindered.length === one.checks.length && one.expectations.length === 0
  const rule = isWhole ? planRules.caseUndecidable : planRules.checkUndecidable
  return [...new Set(hindered)].map((message) => problem(rule, one, message))
}

interface RuleFinding {
  rule: RuleFacts
  finding: LintFinding
}

function problem(rule: RuleFacts, one: SuiteCase, message: string): RuleFinding {
  const fix = 'choose another engine with --engine'
  return { rule, finding: { eval_id: one.eval_id, message: `${nameCase(one)}: ${message}`, fix } }
}

/** Skips cases about a block that the engine can't show, before they cost anything. */
function withShownBlocks(suite: Suite, choice: EngineChoice): Suite {
  if (findEngine(choice.name).hidesWork !== true) return suite
  const reason = `the engine ${choice.name} does not show whether a hook blocked a call; another can (--engine)`
  const asksIt = ({ checks }: SuiteCase) => checks.some(({ type }) => type === 'agent_blocked')
  const cases = suite.cases.map((one) => (asksIt(one) ? { ...one, cannot_run: one.cannot_run ?? reason } : one))
  return { ...suite, cases }
}

const needTools: ReadonlySet<CheckType> = new Set(toolChecks)

/** Whether an engine reports these requires a lookup in the price table. */
const spendingChecks: ReadonlySet<CheckType> = new Set(['tokens_at_most', 'cost_at_most'] satisfies CheckType[])

/** Why a check can't be decided; null: it can. */
function hindrance({ type }: Check, { engine, reports }: Knowledge): string | null {
  const undecided = (what: string) => `the engine ${engine.name} does not show ${what}, so this can't be decided`
  if (engine.hidesWork === true && needTools.has(type)) return undecided('how the agent works')
  if (type === 'tokens_at_most' && !reports.tokens) return undecided('tokens')
  if (type === 'cost_at_most' && !reports.cost) return undecided('what this model costs')
  return null
}

/** Warns of cases without a blocking hook, since only the skill could supply one. */
function unmetBlocks(suite: Suite): LoadWarning[] {
  const cases = suite.cases.filter(({ checks, environment, cannot_run }) => {
    const blocks = Object.keys(environment?.hooks ?? {}).some((event) => beforeCalls.has(event))
    return cannot_run === null && !blocks && checks.some(({ type }) => type === 'agent_blocked')
  })
  if (cases.length === 0) return []
  const at = `case ${cases.map(({ eval_id }) => eval_id).join(', ')}`
  const message =
    'agent_blocked: the case has no hook of PreToolUse or PermissionRequest, so this fails unless the skill has one'
  return [{ file: suite.path, at, message }]
}

const beforeCalls: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest'])

/** One warning for all images that the model is not shown with the prompt. */
function unattachedImages({ path, cases }: Suite, { name, seesImages }: Engine): LoadWarning[] {
  if (seesImages === 'attached') return []
  const shown = cases.flatMap(({ eval_id, cannot_run, attach = [] }) =>
    cannot_run === null ? attach.filter(({ image }) => image).map((one) => ({ eval_id, file: one.path })) : [],
  )
  const [first, ...others] = new Set(shown.map(({ file }) => file))
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const message = `the engine ${name} does not attach images: the agent must open ${first}${more} itself`
  return [{ file: path, at: `case ${[...new Set(shown.map(({ eval_id }) => eval_id))].join(', ')}`, message }]
}

/** What Claude Code reads and the work depends on (code.claude.com/docs/en/sub-agents); `color` and the like are not. */
const settings = [
  ...['tools', 'disallowedTools', 'model', 'permissionMode', 'maxTurns', 'skills', 'mcpServers', 'hooks', 'memory'],
  ...['effort', 'isolation', 'background', 'initialPrompt'],
]

/** A warning for each sub-agent with such settings. */
async function warnOfAgentFields({ path: file, cases }: Suite, { name, supports }: Engine): Promise<LoadWarning[]> {
  if (supports === undefined || supports === 'unknown' || !supports.agents) return []
  const { agent_fields: followed = [] } = supports
  if (followed === 'all') return []
  const messages = new Set<string>()
  for (const { environment, cannot_run } of cases) {
    if (environment === undefined || cannot_run !== null) continue
    for (const [own, text] of await readAgentTexts(environment)) {
      const { agent, fields } = readSubAgent(text, own)
      const dropped = settings.filter((field) => fields.includes(field) && !followed.includes(field))
      if (dropped.length === 0) continue
      messages.add(`the engine ${name} does not follow ${dropped.join(', ')} of the sub-agent ${agent.name}`)
    }
  }
  return [...messages].map((message) => ({ file, at: '$.environment.agents', message }))
}

/** The sub-agents of a case, by the names of their files. */
async function readAgentTexts({ agents, agent_texts = {} }: Environment): Promise<[string, string][]> {
  const listed = agents.map(async ({ path: name, source, kind }): Promise<[string, string][]> => {
    const inside =
      kind === 'directory' ? (await walk(source)).files.map((one) => path.join(source, one.path)) : [source]
    const files = inside.filter((one) => one.endsWith('.md'))
    return Promise.all(
      files.map(async (one) => [path.basename(kind === 'directory' ? one : name, '.md'), await readFile(one, 'utf8')]),
    )
  })
  return [...(await Promise.all(listed)).flat(), ...Object.entries(agent_texts)]
}
