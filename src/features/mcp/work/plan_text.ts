/** The facts of a plan as lines for a person. Every value is quoted on one line: a name can't add a line or look like an answer. */
import type { EngineChoice } from '../../../../schemas/plan.ts'
import type { SuiteCommand } from '../../../../schemas/suite_command.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import type { Limits } from '../../../flows/limits/limits.ts'
import { formatDollars, formatPlural, formatSeconds } from '../../../phases/4-report/text/format.ts'

const longest = 300
/** A person has to see what a command does, not only how it begins. */
const longestCommand = 4000

/** A value from outside, as JSON, cut after some hundred characters. */
export function quoteValue(text: string, most = longest): string {
  const cut = text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
  return makeVisible(jsonText(cut))
}

export function engineText({ name, model, command, base_url, effort }: EngineChoice): string {
  return [
    quoteValue([name, model].filter(Boolean).join(':')),
    ...(command ? [`which is the program ${quoteValue(command)}`] : []),
    ...(base_url ? [`at ${quoteValue(base_url)}`] : []),
    ...(effort ? [`effort ${quoteValue(effort)}`] : []),
  ].join(', ')
}

/** One line for each command, none left out. */
export function commandTexts(commands: readonly SuiteCommand[]): string[] {
  return commands.map(({ kind, command, source }) => {
    return `${kind}: ${quoteValue(command, longestCommand)}${source === undefined ? '' : ` of ${quoteValue(source)}`}`
  })
}

export function commandsHeading(commands: readonly unknown[], confined: boolean): string {
  if (commands.length === 0) return 'The suite and the skill run no commands of their own.'
  const where = confined ? 'in the sandbox' : 'AS YOU AND WITHOUT A SANDBOX'
  return `${formatPlural(commands.length, 'command')} of the suite or the skill would run ${where}:`
}

export function budgetText({ budget, budgetTokens, costPerRun }: Limits): string {
  const amounts = [
    ...(budget === null ? [] : [formatDollars(budget)]),
    ...(budgetTokens === null ? [] : [`${budgetTokens} tokens`]),
  ]
  const each = costPerRun === null ? '' : `, counting ${formatDollars(costPerRun)} for a run of unknown cost`
  return `Budget: no run starts after ${amounts.join(' or ')}${each}.`
}

export function estimateText({ usd, seconds }: { usd: number | null; seconds: number | null }, from: number): string {
  if (from === 0) return 'unknown: there is no earlier run to estimate from'
  const money = usd === null ? 'unknown cost' : formatDollars(usd)
  const time = seconds === null ? 'unknown time' : `${formatSeconds(seconds)}`
  return `${money}, ${time} (from ${formatPlural(from, 'earlier run')})`
}

/** Whether engine:model names the practice model on an engine that asks no other one. */
export function isPracticeName(name: string): boolean {
  return /^(?:anthropic|openai):practice-\d+$/.test(name)
}

/** The practice model costs nothing. */
export function isFree(choices: readonly (EngineChoice | null)[]): boolean {
  return choices.every((one) => one === null || isPracticeName([one.name, one.model].join(':')))
}
