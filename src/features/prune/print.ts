/** Prints the result of `prune`; returns the exit code. */
import path from 'node:path'
import type { Prune } from '../../../schemas/prune.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { typedCommand } from '../../base/typed_command.ts'
import { chooseExitCode } from '../../cli/exit_codes.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  oneLine,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import type { PruneResult } from './prune.ts'

export interface HowToShowPrune {
  json: boolean
  interrupted: boolean
  toBeApplied: boolean
}

/** 0 if it has ended, whatever it found; 3 if a limit stopped it, 130 after Ctrl-C. */
export function showPrune(result: PruneResult, how: HowToShowPrune): number {
  const isOver = result.prune.ended_at !== null
  const code = chooseExitCode({ interrupted: how.interrupted && !isOver, incomplete: !isOver })
  const lines = how.json
    ? [jsonText({ type: 'result', exit_code: code, ...result })]
    : resultLines(result, how).map(toSafeLine)
  process.stdout.write(`${lines.join('\n')}\n`)
  return code
}

function resultLines({ prune, folder, workspace }: PruneResult, { toBeApplied }: HowToShowPrune): string[] {
  const { bold, dim, yellow } = colours(process.stdout)
  const width = textWidth(process.stdout)
  const place = (...parts: string[]) => path.relative(process.cwd(), path.join(folder, ...parts)) || '.'
  const isShorter = prune.certification?.result === 'kept_shorter'
  const howToApply = toBeApplied ? '' : '; the same command with --apply puts it in place of the skill'
  const places: [string, string, boolean][] = [
    ['wrote', place('prune.json'), true],
    ['diff', place('prune.diff'), prune.pruned_sha256 !== null],
    ['short', `${place('pruned')}${isShorter ? howToApply : ''}`, prune.pruned_sha256 !== null],
    ['page', `${typedCommand()} view ${path.relative(process.cwd(), workspace) || '.'}`, prune.ended_at !== null],
  ]
  return [
    '',
    ...(prune.ended_at === null ? [yellow(bold('NOT ENDED: continue with the same command'))] : []),
    ...wrapText(prune.sentence, width).map((line) => bold(line)),
    ...wrapText(`scope: ${prune.split.scope}`, width).map((line) => dim(line)),
    '',
    ...unitTable(prune).map((line, at) => (at === 0 ? dim(line) : line)),
    ...(prune.usd === null ? [] : [`cost: ${dollarsText(prune.usd)}`]),
    ...places.flatMap(([name, text, isShown]) => (isShown ? [`${dim(name.padEnd(5))} ${text}`] : [])),
  ]
}

const verdicts = { helps: 'helps', open: 'not ruled out', none: 'no effect', harms: 'harms' } as const

/** The units by their effect, the most useful first; then an empty line. Empty before the screening has ended. */
function unitTable({ screening, units, dropped }: Prune): string[] {
  if (screening === null) return []
  const rows = [...screening.units]
    .sort((a, b) => b.effect.mean - a.effect.mean)
    .map(({ id, verdict, effect, tokens, seconds, usd }) => {
      const unit = units.find((one) => one.id === id)
      return [
        dropped.includes(id) ? 'drop' : 'keep',
        signed(100 * effect.mean, 0),
        `[${signed(100 * effect.ci_low, 0)}, ${signed(100 * effect.ci_high, 0)}]`,
        effect.p_adjusted < 0.001 ? '<0.001' : effect.p_adjusted.toFixed(3),
        tokens === null ? '' : signed(tokens.mean, 0),
        seconds === null ? '' : signed(seconds.mean, 1),
        usd === null ? '' : signed(usd.mean, 4),
        verdicts[verdict],
        oneLine(unit?.label ?? id, 50),
      ]
    })
  const head = ['', 'points', '95% CI', 'p (FDR)', 'tokens', 'seconds', 'dollars', 'effect', 'unit']
  return [...alignColumns([head, ...rows], [1, 2, 3, 4, 5, 6]), '']
}

function signed(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) > 0 ? `+${text}` : Number(text) === 0 ? (0).toFixed(digits) : text
}
