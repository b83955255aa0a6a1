/** The plan of a session of improve: a better version of the skill, certified on held-out cases. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { UserError } from '../../../base/errors/error.ts'
import { hashWalk, walk } from '../../../base/fs/files.ts'
import { readJson } from '../../../base/json/json.ts'
import { forecastSession, type SessionForecast } from '../../../flows/improve/dry_run.ts'
import { type ImproveResult, improve } from '../../../flows/improve/improve.ts'
import { resolveSkillFolder } from '../../../flows/prepare/prepare_bench.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { WorkEnd } from '../jobs.ts'
import type { McpSession } from '../session.ts'
import {
  budgetText,
  commandsHeading,
  commandTexts,
  engineText,
  estimateText,
  isFree,
  isPracticeName,
  quoteValue,
} from './plan_text.ts'
import { type PlannedWork, planningContext } from './planned_work.ts'
import { refuseReach, requireBudget } from './refuse_reach.ts'

/** `startedIn`: the workspace in which this plan has started; null: it has not. Throws UserError. */
export async function planImproveWork(
  words: readonly string[],
  startedIn: string | null,
  session: McpSession,
): Promise<PlannedWork> {
  const read = await session.requests.improve(words)
  const { prices } = read
  const request = { ...read.request, resume: read.request.resume || (await isUnfinished(startedIn)) }
  const { skill, bench, proposer, certifyJudge, confirmOn } = request
  await refuseReach(
    {
      places: [skill, bench.suite, bench.workspace],
      engines: [bench.engine, bench.model, bench.judge, proposer, certifyJudge, ...confirmOn],
    },
    session,
  )
  const limits = requireBudget(bench.limits)
  const forecast = await forecastSession(request, planningContext(session.env, prices))
  if ('ended' in forecast) throw new UserError(`the session has ended: ${forecast.ended}`, 'read it with result')
  const { plan, estimate, workspace, left } = forecast
  const commands = commandTexts(forecast.commands)
  const judges = [forecast.engine, forecast.judge, forecast.proposer]
  const { judge: certifier } = forecast.certification
  const isFreeSession = isFree(judges) && (certifier === null || isPracticeName(certifier)) && confirmOn.length === 0
  return {
    kind: 'improve',
    lines: sessionLines(forecast, limits, commands),
    content: [
      await hashWalk((await walk(await resolveSkillFolder(path.resolve(skill)))).files),
      ...[forecast.split, plan, forecast.certification, confirmOn],
    ],
    estimate: { usd: estimate.usd, seconds: estimate.seconds, text: estimateText(estimate, estimate.from_runs) },
    runs: { agent_runs: left.search_runs + left.certification_runs, judge_calls: 0 },
    upperUsd: isFreeSession ? 0 : limits.budget,
    refusals: [],
    commands,
    needsPerson: (commands.length > 0 && !forecast.confined) || limits.costPerRun !== null,
    assumedUsd: limits.costPerRun,
    ...{ prices, limits, folder: workspace },
    async run(context, { seen, earlier }) {
      const hasSpent = earlier !== null && (earlier.spent.usd > 0 || earlier.spent.tokens > 0)
      if (hasSpent && !request.resume)
        throw new UserError(`${workspace}: the session that this plan started is gone`, 'call plan again')
      const { sandbox } = bench
      const trusted = seen && sandbox ? { ...bench, sandbox: { ...sandbox, trusted: true } } : bench
      return describeSession(await improve({ ...request, bench: trusted }, context))
    },
  }
}

function sessionLines(
  forecast: SessionForecast,
  limits: Parameters<typeof budgetText>[0],
  commands: readonly string[],
): string[] {
  const { skill, suite, engine, judge, proposer, certification, plan, workspace } = forecast
  return [
    `Session of improve for the skill ${quoteValue(skill.name)} in ${quoteValue(skill.path)}`,
    `Suite: ${quoteValue(suite)}`,
    `Runs: at most ${plan.search_runs} to search in ${plan.rounds} rounds, ${plan.certification_runs} to certify`,
    `Engine: ${engineText(engine)}; judge: ${judge === null ? 'none needed' : engineText(judge)}`,
    `Proposer: ${engineText(proposer)}; certification: ${quoteValue(certification.text)}`,
    `Results: ${quoteValue(workspace)}; the skill itself does not change`,
    budgetText(limits),
    commandsHeading(commands, forecast.confined),
    ...commands.map((one) => `  ${one}`),
  ]
}

const openHistorySchema = z.looseObject({ ended_at: z.string().optional() })

async function isUnfinished(workspace: string | null): Promise<boolean> {
  if (workspace === null) return false
  const file = improvePaths(workspace).history
  return existsSync(file) && (await readJson(openHistorySchema, file)).ended_at === undefined
}

/** The result of a session, ended or not. */
export function describeSession({ history, best, workspace }: ImproveResult): Extract<WorkEnd, { sentence: string }> {
  const { certification, stopped, current_best } = history
  const isOver = history.ended_at !== undefined
  return {
    status: isOver ? 'done' : 'incomplete',
    sentence: certification?.sentence ?? stopped?.message ?? 'No better version was found.',
    result: { best_version: current_best, best_folder: best, workspace, certified: certification?.result ?? null },
  }
}
