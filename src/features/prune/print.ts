/** Prints the result of `prune`; returns the exit code. */
import path from 'node:path'
import type { Prune } from '../../../schemas/prune.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { typedCommand } from '../../base/package_root.ts'
import { estimateSource } from '../../cli/commands/bench/print_plans.ts'
import { chooseExitCode } from '../../cli/exit_codes.ts'
import { commandLines } from '../../cli/terminal/command_lines.ts'
import {
  alignColumns,
  colours,
  dollarsText,
  durationText,
  oneLine,
  percentText,
  textWidth,
  toSafeLine,
  wrapText,
} from '../../cli/terminal/style.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import type { PruneForecast } from './dry_run.ts'
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

export function showPruneForecast(forecast: PruneForecast, { json }: { json: boolean }): void {
  const lines = json ? [jsonText({ dry_run: true, ...forecast })] : forecastLines(forecast).map(toSafeLine)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function forecastLines(forecast: PruneForecast): string[] {
  const width = textWidth(process.stdout)
  const { skill, suite, split, engine, judge, workspace, plan, estimate, concurrency, ended } = forecast
  if (ended !== null) return wrapText(`Nothing is left to run: this prune has ended. ${ended}`, width)
  const { units, screening_runs, variants, drop_power, leave_one_out_runs, certification_runs, margin } = plan
  const shown = (place: string) => path.relative(process.cwd(), place) || '.'
  const time = estimate.seconds === null ? 'unknown time' : durationText(estimate.seconds * 1000)
  const rows: [string, string][] = [
    ['skill', `${skill.name} (${shown(skill.path)})`],
    ['suite', shown(suite)],
    ['split', split.scope],
    [
      'engine',
      `${[engine.name, engine.model].filter((one) => one !== null).join(':')}; judge: ${judge === null ? 'none needed' : judgeName(judge)}`,
    ],
    ['results', shown(workspace)],
    [
      'screening',
      `${formatPlural(screening_runs, 'run')} of ${variants} versions without half of ${formatPlural(units, 'unit')}: a unit without an effect is dropped in ${percentText(drop_power)} of sessions (one at a time: ${leave_one_out_runs} runs)`,
    ],
    [
      'decision',
      `at most ${formatPlural(certification_runs, 'run')} on held-out cases: a loss of ${Math.round(100 * margin)} points must be ruled out, and the cost be lower; fewer if the screening shows that fewer do`,
    ],
    [
      'estimate',
      `${dollarsText(estimate.usd)}, ${time} with ${concurrency} at once (${estimateSource(estimate)}); the screening alone ${dollarsText(estimate.screening_usd)}`,
    ],
  ]
  return [
    ...rows.flatMap(([label, text]) => wrapText(`${label.padEnd(10)}${text}`, width)),
    ...commandLines(forecast.commands, forecast.confined),
    '',
    ...priceLines(forecast),
    '',
    ...unitLines(forecast),
  ]
}

/** What smaller units and other margins would take. */
function priceLines({ prices, margins, plan }: PruneForecast): string[] {
  const detects = prices.map((one) => [
    `--detect ${Math.round(100 * one.detect)}`,
    String(one.screening_runs),
    dollarsText(one.usd),
    one.detect > plan.detect ? '' : percentText(one.dropped_wrongly),
  ])
  const sizes = margins.map((one) => [
    `--margin ${Math.round(100 * one.margin)}`,
    String(one.certification_runs),
    dollarsText(one.usd),
    '',
  ])
  return alignColumns([['size', 'runs', 'dollars', 'of these dropped'], ...detects, ...sizes], [1, 2, 3])
}

function unitLines({ units }: PruneForecast): string[] {
  const rows = units.map(({ kind, label, lines, characters, protected: isProtected }) => [
    isProtected ? 'protected' : kind,
    lines.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`)).join(', '),
    String(characters),
    oneLine(label, 60),
  ])
  return alignColumns([['unit', 'lines', 'characters', ''], ...rows], [2])
}
