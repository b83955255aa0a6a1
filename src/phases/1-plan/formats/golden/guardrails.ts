/** Reads the cost_guardrails block of model.md: cost caps per day and per month, and the action at a cap. */
import {
  type CapAction,
  type CostCap,
  type CostGuardrails,
  capActions,
  capPeriods,
} from '../../../../../schemas/golden.ts'
import { UserError } from '../../../../base/errors/error.ts'
import { readYaml, type YamlPlace } from '../../../../base/text/yaml.ts'
import { isJsonObject } from '../evals_json/fields.ts'
import { normalizeLineEnds } from '../markdown/lines.ts'

const fields = new Set([
  'enabled',
  ...['daily_cap_usd', 'monthly_cap_usd', 'daily_cap_action', 'monthly_cap_action'],
  ...['warning_thresholds', 'alert_channel'],
])

/** The format's defaults. */
const defaultCapActions = { day: 'skip', month: 'alert' } as const satisfies Record<CostCap['period'], CapAction>

const capNames = { day: 'daily', month: 'monthly' } as const satisfies Record<CostCap['period'], string>

export interface GuardrailsReading {
  /** null: missing or not enabled. */
  guardrails: CostGuardrails | null
  warnings: string[]
}

/** Throws UserError with file, line and column for enabled guardrails that are invalid. */
export function readGuardrails(source: string, file: string): GuardrailsReading {
  for (const { text, line } of yamlBlocks(normalizeLineEnds(source))) {
    const yaml = readYaml(text, line)
    if (!yaml.ok) {
      if (!/^\s*cost_guardrails\s*:/m.test(text)) continue
      throw mistake(file, yaml.at, `the block cost_guardrails is not valid YAML: ${yaml.message}`)
    }
    const block = isJsonObject(yaml.value) ? yaml.value.cost_guardrails : undefined
    if (block === undefined || block === null) continue
    const at = (name?: string) => yaml.at(name === undefined ? ['cost_guardrails'] : ['cost_guardrails', name])
    if (!isJsonObject(block)) throw mistake(file, at(), 'cost_guardrails must be fields')
    return readGuardrailBlock(block, file, at)
  }
  const isNamed = /^#+[^\n]*\bcost (?:guardrail|cap|limit|budget)/im.test(source)
  const message =
    'model.md has cost guardrails, but no YAML block cost_guardrails, so they have no effect; use --budget instead'
  return { guardrails: null, warnings: isNamed ? [message] : [] }
}

function readGuardrailBlock(
  block: Readonly<Record<string, unknown>>,
  file: string,
  at: (name?: string) => YamlPlace,
): GuardrailsReading {
  const { enabled = false } = block
  if (typeof enabled !== 'boolean') throw mistake(file, at('enabled'), 'enabled must be true or false')
  if (!enabled) return { guardrails: null, warnings: [] }
  const wrong = (name: string, must: string) => mistake(file, at(name), `cost_guardrails.${name} must be ${must}`)
  const caps = capPeriods.flatMap((period): CostCap[] => {
    const [capName, actionName] = [`${capNames[period]}_cap_usd`, `${capNames[period]}_cap_action`]
    const usd = block[capName] ?? 0
    const action = capActions.find((one) => one === (block[actionName] ?? defaultCapActions[period]))
    if (typeof usd !== 'number' || !(usd >= 0)) throw wrong(capName, 'an amount of dollars')
    if (action === undefined) throw wrong(actionName, capActions.join(', ').replace(/, (\w+)$/, ' or $1'))
    return usd === 0 ? [] : [{ period, usd, action }]
  })
  const shares = [block.warning_thresholds ?? [0.5, 0.8]].flat()
  const warn_at = shares.filter((one): one is number => typeof one === 'number' && one > 0 && one <= 1)
  if (warn_at.length < shares.length) throw wrong('warning_thresholds', 'shares from 0 to 1, such as [0.5, 0.8]')
  const unknown = Object.keys(block).filter((name) => !fields.has(name))
  return {
    guardrails: { caps, warn_at: warn_at.sort((a, b) => a - b) },
    warnings: [
      ...unknown.map((name) => `model.md:${at(name).line}: cost_guardrails.${name} is not known and not read`),
      ...(caps.length > 0
        ? []
        : ['model.md: cost_guardrails is enabled without an amount in daily_cap_usd or monthly_cap_usd']),
    ],
  }
}

function mistake(file: string, { line, column }: YamlPlace, message: string): UserError {
  return new UserError(`${file}:${line}:${column}: ${message}`, 'fix it, or set enabled: false')
}

/** Fenced YAML blocks with the line in which each begins. */
function yamlBlocks(text: string): { text: string; line: number }[] {
  return [...text.matchAll(/^ {0,3}```ya?ml\b[^\n]*\n([\s\S]*?)^ {0,3}```/gim)].map(({ index, 1: inner = '' }) => ({
    text: inner,
    line: text.slice(0, index).split('\n').length + 1,
  }))
}
