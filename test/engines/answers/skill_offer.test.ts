/** Whether a skill's description is in the agent's first request, as each agent lists skills: whole, cut, or by its name alone. */
import { expect, test } from 'vitest'
import { readSkillOffers } from '../../../src/engines/answers/skill_offer.ts'

const description = 'Totals "invoices" & receipts by the house rules.\nUse it for any sum.'
const skills = [{ name: 'totals', description, path: '/w/totals' }]
const prompt = 'What does  it come to?\nSay "why".'
const tools = [{ name: 'shell' }]
const asked = { tools, messages: [{ role: 'user', content: `<task>\n${prompt}\n</task>` }] }
const read = (request: object) => readSkillOffers(JSON.stringify(request), { prompt, skills })
const xml = 'Totals &quot;invoices&quot; &amp; receipts by the house rules. Use it for any sum.'

test.each<[string, string, string]>([
  ['claude: whole', `- totals: ${description}\n- other: x`, 'full'],
  ['claude: beyond its limit', '- other: x\n- totals\n- last', 'left_out'],
  ['codex: cut', '- totals: Totals "invoices" & rece (file: r1/totals/SKILL.md)', 'cut'],
  ['opencode: XML', `<skill>\n <name>totals</name>\n <description>${xml}</description>\n</skill>`, 'full'],
  ['qwen: a line each', `<name>\ntotals\n</name>\n<description>\n${xml} (project)\n</description>`, 'full'],
  ['copilot: names at the end', '<available_skills>other, totals</available_skills>', 'left_out'],
  ['control: the start of it for another skill', '- receipts: Totals "invoices"', 'left_out'],
])('%s', (_agent, system, expected) => {
  expect(read({ ...asked, system })).toEqual({ totals: expected })
  expect(read({ ...asked, system: [{ type: 'text', text: system }] })).toEqual({ totals: expected })
  // JSON may write any character by its number
  const numbered = JSON.stringify({ ...asked, system }).replaceAll('&', '\\u0026')
  expect(readSkillOffers(numbered, { prompt, skills })).toEqual({ totals: expected })
})

test.each<[string, object]>([
  ['has no tools', { ...asked, tools: [] }],
  ['is for a title', { messages: asked.messages }],
  ['warms up a sub-agent', { ...asked, messages: [{ role: 'user', content: 'Warmup' }] }],
])("a request that %s is not the agent's first", (_what, request) => expect(read(request)).toBeNull())
