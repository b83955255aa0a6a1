/** `improve --description`: its own flags, and how it uses the other ones. */
import path from 'node:path'
import type { ArgumentsCamelCase, InferredOptionTypes } from 'yargs'
import type { Description, DescriptionScore } from '../../../../schemas/description.ts'
import { UserError } from '../../../base/errors/error.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { agentFlags } from '../../../cli/commands/bench/options.ts'
import { withFlow } from '../../../cli/commands/options/run_flow.ts'
import { chooseExitCode } from '../../../cli/exit_codes.ts'
import { InterruptedError, resumeWays, stoppedLine } from '../../../cli/terminal/interrupt.ts'
import { colours, percentText, textWidth, toSafeLine, wrapText } from '../../../cli/terminal/style.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { usualTimeout } from '../../../phases/1-plan/suite/adapt_for_bench.ts'
import { askingWish } from '../command.ts'
import { askingFlags } from '../options.ts'
import type { DescriptionRequest, DescriptionResult } from './improve_description.ts'
import { type descriptionFlags, usualDescriptionRuns } from './improve_mode.ts'

/** The flags of `improve` that it reads. */
type DescriptionArguments = ArgumentsCamelCase<
  InferredOptionTypes<typeof agentFlags & Omit<typeof descriptionFlags, 'description'>>
> & {
  skill: string
  json: boolean
  engine: string
  proposer?: string | undefined
  seed: number
  apply: boolean
  resume: boolean
  dryRun: boolean
  branch?: string | undefined
}

/** Significance level of the single deciding comparison. */
const alpha = 0.05

function buildDescriptionRequest(parsed: DescriptionArguments): DescriptionRequest {
  const { skill, seed, apply, resume, iterations, runs = usualDescriptionRuns, set = null, workspace = null } = parsed
  const { timeout = usualTimeout, maxTurns = askingFlags['max-turns'].default, proposer = null } = parsed
  return {
    ...askingWish({ ...parsed, runs, timeout, maxTurns, stopEarly: true }),
    ...{ skill, seed, apply, resume, alpha, set, workspace, proposer },
    rounds: iterations,
    testRuns: parsed.testRuns ?? runs,
  }
}

/** Returns the exit code. */
export async function startDescription(parsed: DescriptionArguments): Promise<number> {
  const unused = [...(parsed.dryRun ? ['--dry-run'] : []), ...(parsed.branch === undefined ? [] : ['--branch'])]
  if (unused.length > 0) throw new UserError(`--description with ${unused.join(', ')}`, 'remove one of them')
  const { improveDescription } = await import('./improve_description.ts')
  const request = buildDescriptionRequest(parsed)
  const { json, concurrency, apply } = parsed
  const flow = (context: FlowContext) => improveDescription(request, context)
  const waits = { maxWait: parsed.maxWait, limits: request.limits }
  const { result, interrupted } = await withFlow(
    { json, concurrency, goesOn: resumeWays.withResume, waits },
    flow,
  ).catch((error: unknown) => {
    throw error instanceof InterruptedError ? new InterruptedError(stoppedLine(resumeWays.withResume)) : error
  })
  return showDescription(result, { json, interrupted, apply })
}

/** Exit code 0, whether it was accepted or not; 130 after Ctrl-C. */
function showDescription(
  { folder, file, description }: DescriptionResult,
  { json, interrupted, apply }: { json: boolean; interrupted: boolean; apply: boolean },
): number {
  const code = chooseExitCode({ interrupted })
  if (json) {
    process.stdout.write(`${jsonText({ type: 'result', exit_code: code, folder, file, ...description })}\n`)
    return code
  }
  const { bold, dim } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const { original, best, best_round, accepted, applied } = description
  const lines = [
    '',
    bold(`${accepted ? 'ACCEPTED' : 'NOT ACCEPTED'}: ${description.reason}`),
    '',
    ...scores(description),
    ...(description.warnings ?? []).flatMap((one) => wrapText(`- ${toSafeLine(one)}`, width)),
    '',
    ...wrapText(`now: ${original}`, width),
    ...(best_round === 0 ? [] : wrapText(`proposal ${best_round}: ${best}`, width)),
    '',
    ...next({ accepted, applied, apply }),
    `${dim('wrote')} ${toSafeLine(path.relative(process.cwd(), file) || file)}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return code
}

function scores({ attempts, best_round, split, test }: Description): string[] {
  const [first, chosen] = [
    attempts[0]?.train ?? null,
    attempts.find(({ round }) => round === best_round)?.train ?? null,
  ]
  const held =
    test === null ? [] : [`test (${test.queries} queries, ${test.runs} runs each): ${pair(test.before, test.after)}`]
  return [`training (${split.train.length} queries): ${pair(first, chosen)}`, ...held]
}

function pair(before: DescriptionScore | null, after: DescriptionScore | null): string {
  const text = (score: DescriptionScore | null) => {
    if (score === null) return 'not measured'
    const rates = [score.recall, score.false_trigger_rate].map((rate) => (rate === null ? '–' : percentText(rate)))
    return `${percentText(score.behaves)} of runs behave (recall ${rates[0]}, false triggers ${rates[1]})`
  }
  return `${text(before)} → ${text(after)}`
}

function next({ accepted, applied, apply }: { accepted: boolean; applied: boolean; apply: boolean }): string[] {
  if (applied) return ['SKILL.md has the new description.']
  if (accepted) return ['SKILL.md is unchanged; copy the new description by hand, or search with --apply.']
  return apply ? ['SKILL.md is unchanged.'] : []
}
