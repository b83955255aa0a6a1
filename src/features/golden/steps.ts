/** What golden tests need of an eval besides: snapshots of vaults, fallback judges, cost caps, a log and a summary of their own. */
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { EvalResult } from '../../../schemas/eval_result.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { InputFile, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { tempSiblingName } from '../../base/fs/durable_files.ts'
import { copyWalk, pathExists, walk } from '../../base/fs/files.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { sharesServer, withBaseUrl } from '../../engines/models/base_url.ts'
import { findMissingRequirement } from '../../engines/models/first_available.ts'
import { resolveJudge } from '../../engines/models/judge_choice.ts'
import { guessJudgeEngine } from '../../engines/models/model_family.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { FormatSteps } from '../../flows/format_steps.ts'
import { applyCapAsBudget, applyCostCaps, describeCaps } from './cost_caps.ts'
import { agentError, writeGoldenLog } from './log.ts'
import { openGoldenRuns, refuseUnloggable } from './run_files.ts'
import { calibrationLines, goldenSummary } from './summary.ts'
import { readVault } from './vault.ts'

/**
 * Copies the suite's vaults below the workspace by content, so the same vault is copied once. A test with a folder
 * evals/snapshots/<test_id>/ starts from that; its persona/, if any, replaces the agent's.
 */
export async function isolateVaults(suite: Suite, workspace: string): Promise<Suite> {
  if (suite.root === undefined) return suite
  const { root } = suite
  const copies = new Map<string, Promise<InputFile[]>>()
  const frozen = (files: readonly InputFile[]) => {
    const name = sha256(canonicalJson(files.map(({ path: at, sha256: content }) => ({ at, content }))))
    const copy = copies.get(name) ?? freeze(files, path.join(workspace, '.cache/vaults', name))
    copies.set(name, copy)
    return copy
  }
  const cases: SuiteCase[] = []
  for (const one of suite.cases) {
    const place = path.join(root, 'evals/snapshots', one.eval_key ?? one.eval_name)
    const own = (await pathExists(place)) ? await readVault(place) : null
    const hasPersona = own !== null && (await pathExists(path.join(place, 'persona')))
    const identity = hasPersona ? { environment: own.environment } : {}
    cases.push({ ...one, ...identity, files: await frozen(own?.files ?? one.files) })
  }
  return { ...suite, cases }
}

/** Copies to a temporary sibling, then renames, so that a partial copy is never used. */
async function freeze(files: readonly InputFile[], folder: string): Promise<InputFile[]> {
  if (!(await pathExists(folder))) {
    const partial = tempSiblingName(folder)
    await mkdir(partial, { recursive: true })
    for (const { path: name, source } of files) {
      const target = path.join(partial, name)
      if ((await stat(source)).isFile()) await copyFile(source, target)
      else await copyWalk((await walk(source, { unreadable: 'leave_out' })).files, target)
    }
    await rename(partial, folder).catch(() => rm(partial, { recursive: true, force: true }))
  }
  return files.map((file) => ({ ...file, source: path.join(folder, file.path) }))
}

/** The suite without fallback judges: a judge that the user named by a flag is never replaced. */
function withoutFallbackJudges(suite: Suite): Suite {
  const cases = suite.cases.map((one) => {
    if (one.judging?.kind !== 'golden') return one
    const { golden } = one.judging
    const judge = { ...golden.judge, cross_family: [], same_family_fallback: [] }
    return { ...one, judging: { ...one.judging, golden: { ...golden, judge } } }
  })
  return { ...suite, cases }
}

/** The next ones that judge.md recommends: in list order, other model families first; never the agent's own model. */
async function listFallbackJudges(
  cases: readonly SuiteCase[],
  { agent, chosen }: { agent: EngineChoice; chosen: EngineChoice | null },
  env: FlowContext['env'],
): Promise<EngineChoice[]> {
  const judge = cases.flatMap(({ judging }) => (judging?.kind === 'golden' ? [judging.golden.judge] : []))[0]
  if (judge === undefined) return []
  const all = [...judge.cross_family, ...judge.same_family_fallback]
  const listed = all.filter((model) => guessJudgeEngine(model) !== null)
  const choices: EngineChoice[] = []
  for (const model of listed) choices.push(await resolveJudge(model, agent, env))
  const at = choices.findIndex((one) => isSame(one, chosen))
  if (chosen === null || at < 0) return []
  const able: EngineChoice[] = []
  for (const [index, one] of choices.entries()) {
    if (index === at || isSame(one, agent) || (await findMissingRequirement(one, env)) !== null) continue
    able.push(sharesServer(one, chosen) ? withBaseUrl(one, chosen.base_url ?? null) : one)
  }
  return able
}

function isSame(one: EngineChoice, other: EngineChoice | null): boolean {
  return one.name === other?.name && one.model === other.model
}

function mergeLogs({ golden: before }: EvalResult, { golden: now }: EvalResult): Partial<EvalResult> {
  if (now === undefined) return {}
  const decisions = (before?.decisions ?? 0) + now.decisions
  return { golden: { ...now, decisions, lines: [...(before?.lines ?? []), ...now.lines] } }
}

const resultLines: FormatSteps['resultLines'] = ({ golden, ...result }, { onlyTotals, showPath }) =>
  golden === undefined
    ? null
    : goldenSummary({ ...result, ...golden, log: showPath(golden.log) }, { totals: onlyTotals })

export const goldenSteps: FormatSteps = {
  isolate: isolateVaults,
  withoutFallbackJudges,
  listFallbackJudges,
  describeCaps,
  applyCapAsBudget,
  applyCostCaps,
  refuseUnloggable,
  writeLog: writeGoldenLog,
  mergeLogs,
  resultLines,
  auditLines: (root) => calibrationLines(path.basename(root), openGoldenRuns(path.join(root, 'evals')).samples()),
  crashName: agentError,
}
