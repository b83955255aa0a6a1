/** schemas/json/skill_frontmatter.schema.json refuses what `check` calls an error or a warning in a frontmatter, and nothing else. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkSkill } from '../../src/phases/1-plan/check/check_skill.ts'
import { folderOf } from '../phases/1-plan/folder.ts'

const top = new URL('../../', import.meta.url).pathname
const written = readFileSync(path.join(top, 'schemas/json/skill_frontmatter.schema.json'), 'utf8')
const fits = new Ajv2020({ strict: false }).compile(JSON.parse(written))

async function rulesBroken(front: string): Promise<string[]> {
  const { problems } = await checkSkill(folderOf({ 'SKILL.md': `---\n${front}\n---\n\nAdd up.\n` }))
  const told = problems.filter(
    ({ severity, rule }) => severity !== 'info' && !/^(suite-missing|name-folder)$/.test(rule),
  )
  return told.map(({ rule }) => rule)
}

const sums = 'name: sums\ndescription: d'
const name = (text: string) => `name: ${text}\ndescription: d`
const description = (text: string) => `name: sums\ndescription: ${text}`
const more = (text: string) => `${sums}\n${text}`

test.each<[string, string, string]>([
  ['name-missing', 'description: d', sums],
  ['name-missing', name(''), name('a')],
  ['name-missing', name('12'), name('"12"')],
  ['name-form', name('Sums'), name('sums-2')],
  ['name-form', name('sums-'), name('a-b-c')],
  ['name-form', name('a--b'), name('a-b')],
  ['name-form', name('a'.repeat(65)), name('a'.repeat(64))],
  ['description-missing', 'name: sums', sums],
  ['description-missing', description('" "'), description('" d "')],
  ['description-missing', description('[d]'), description('"[d]"')],
  ['description-length', description('d'.repeat(1025)), description('d'.repeat(1024))],
  ['description-length', description('😀'.repeat(1025)), description(`|\n  ${'😀'.repeat(1024)}`)],
  ['compatibility-form', more(`compatibility: ${'c'.repeat(501)}`), more(`compatibility: ${'c'.repeat(500)}`)],
  ['compatibility-form', more('compatibility: [c]'), more('compatibility:')],
  ['license-form', more('license: 2'), more('license: MIT')],
  ['metadata-form', more('metadata: { version: 1.0 }'), more('metadata: { version: "1.0" }')],
  ['metadata-form', more('metadata: [a]'), more('metadata:')],
  ['allowed-tools-form', more('allowed-tools: { a: b }'), more('allowed-tools: Bash(git:*) Read')],
  ['allowed-tools-form', more('allowed-tools: [1]'), more('allowed-tools: [Read]')],
  ['unknown-key', more('describtion: d'), more('argument-hint: "[file]"')],
])('%s: %j', async (rule, wrong, right) => {
  expect([await rulesBroken(wrong), fits(parse(wrong))]).toEqual([[rule], false])
  expect([await rulesBroken(right), fits(parse(right)), fits.errors]).toEqual([[], true, null])
})

test.each([
  ...[
    'workspaces/example/invoice-totals',
    'workspaces/example-eval-md/greeter',
    'workspaces/example-aam/skills/csv-sum',
  ],
  'skills/eval',
  'skills/whetstone',
])('a skill that is right: %s', (folder) => {
  const [, front = ''] = /^---\n([\s\S]*?)\n---/.exec(readFileSync(path.join(top, folder, 'SKILL.md'), 'utf8')) ?? []
  expect([fits(parse(front)), fits.errors]).toEqual([true, null])
})
