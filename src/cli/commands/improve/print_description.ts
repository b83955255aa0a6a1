/** Prints the result of a description search; returns the exit code. */
import path from 'node:path'
import type { Description, DescriptionScore } from '../../../../schemas/description.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import type { DescriptionResult } from '../../../flows/triggers/description/improve_description.ts'
import { exitCodes } from '../../exit_codes.ts'
import { colours, percentText, textWidth, toSafeLine, wrapText } from '../../terminal/style.ts'

/** Exit code 0, whether it was accepted or not; 130 after Ctrl-C. */
export function showDescription(
  { folder, file, description }: DescriptionResult,
  { json, interrupted, apply }: { json: boolean; interrupted: boolean; apply: boolean },
): number {
  const code = interrupted ? exitCodes.interrupted : exitCodes.done
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
