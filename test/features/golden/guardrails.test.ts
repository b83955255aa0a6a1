/** cost_guardrails of model.md: each field changed alone, what is off or nowhere, and mistakes with their place. */
import { expect, test } from 'vitest'
import { readGuardrails } from '../../../src/features/golden/vault.ts'

const block = `cost_guardrails:
  enabled: true                     # on
  daily_cap_usd: 5.00
  monthly_cap_usd: 100
  daily_cap_action: skip
  monthly_cap_action: alert
  warning_thresholds: [0.80, 0.50]
  alert_channel: telegram
`
const read = (yaml: string, before = '# Model\n\n```\nnot: yaml\n```\n') =>
  readGuardrails(`${before}\n\`\`\`yaml\n${yaml}\`\`\`\n`, 'model.md')
const whole = {
  caps: [
    { period: 'day', usd: 5, action: 'skip' },
    { period: 'month', usd: 100, action: 'alert' },
  ],
  warn_at: [0.5, 0.8],
}

test('the block of the documents', () => expect(read(block)).toEqual({ guardrails: whole, warnings: [] }))
test.each([
  ['daily_cap_usd: 5.00', 'daily_cap_usd: 7', { caps: [{ ...whole.caps[0], usd: 7 }, whole.caps[1]] }],
  ['monthly_cap_usd: 100', 'monthly_cap_usd: 0', { caps: [whole.caps[0]] }],
  [
    'daily_cap_action: skip',
    'daily_cap_action: fallback',
    { caps: [{ ...whole.caps[0], action: 'fallback' }, whole.caps[1]] },
  ],
  [
    'monthly_cap_action: alert',
    'monthly_cap_action: skip',
    { caps: [whole.caps[0], { ...whole.caps[1], action: 'skip' }] },
  ],
  ['[0.80, 0.50]', '[0.9]', { warn_at: [0.9] }],
  ['  daily_cap_action: skip\n  monthly_cap_action: alert\n', '', {}],
  ['  warning_thresholds: [0.80, 0.50]\n', '', {}],
])('%j → %j', (old, text, change) => {
  expect(block).toContain(old)
  expect(read(block.replace(old, text)).guardrails).toEqual({ ...whole, ...change })
})
test.each([
  ['off', block.replace('enabled: true', 'enabled: false')],
  ['not said to be on', block.replace(/ {2}enabled.*\n/, '')],
  ['another block', 'research_integrity: { enabled: true }\n'],
  ['a block that is no YAML and has none', 'a: [\n'],
  ['a block of a comment alone', '# later\n'],
])('%s: none, and nothing is told', (_, yaml) => expect(read(yaml)).toEqual({ guardrails: null, warnings: [] }))
test('where there is no block, the heading alone is told', () => {
  expect(readGuardrails('# Model\n\n## Cost guardrails\n\n- $1\n', 'model.md').warnings).toHaveLength(1)
  expect(readGuardrails('# Model\n', 'model.md').warnings).toEqual([])
})
test('a field nobody knows, and no amount, are told', () => {
  expect(read('cost_guardrails:\n  enabled: true\n  per_call_usd: 1\n').warnings).toEqual([
    'model.md:10: cost_guardrails.per_call_usd is not known and not read',
    expect.stringContaining('without an amount'),
  ])
})
test.each([
  ['enabled: true', 'enabled: maybe', 'model.md:9:3: enabled must be'],
  ['5.00', 'five', 'model.md:10:3: cost_guardrails.daily_cap_usd must be an amount'],
  ['5.00', '-1', 'daily_cap_usd must be an amount'],
  ['action: skip', 'action: halt', 'model.md:12:3: cost_guardrails.daily_cap_action must be skip, fallback or alert'],
  ['[0.80', '[80', 'model.md:14:3: cost_guardrails.warning_thresholds must be shares'],
  ['[0.80', '[0, 0.80', 'cost_guardrails.warning_thresholds must be shares'],
  ['[0.80', '[[0.80', 'model.md:15:3: the block cost_guardrails is not valid YAML'],
])('%j → %j is refused with its place', (old, text, message) => {
  expect(() => read(block.replace(old, text))).toThrow(message)
})
test('CRLF and a byte order mark change nothing', () => {
  const text = `\uFEFF# M\r\n\r\n\`\`\`yaml\r\n${block.replaceAll('\n', '\r\n')}\`\`\`\r\n`
  expect(readGuardrails(text, 'model.md').guardrails).toEqual(whole)
})
