/** --isolate: every golden test starts from the snapshot of its vault, or from one of its own; without it from the vault as it is. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isolateVaults } from '../../../src/features/golden/steps.ts'
import { readVault } from '../../../src/features/golden/vault.ts'
import { findSuites } from '../../../src/phases/1-plan/suite/find_suites.ts'
import { folderOf } from '../../phases/1-plan/folder.ts'

const golden = (id: string) => `---\ntest_id: ${id}\ncategory: happy\n---\n## Input\nRent?\n`
const files = {
  'a/persona/IDENTITY.md': 'You are A.',
  'a/memory/rent.md': '1,240.50',
  'a/evals/rubric.md': '---\nweights: { care: 100 }\n---\nBe exact.\n',
  'a/evals/judge.md': '---\nstrict_mode: true\n---\n{agent_response}\n',
  'a/evals/golden/happy/001.md': golden('001_a'),
  'a/evals/golden/happy/002.md': golden('002_b'),
  'a/evals/snapshots/002_b/memory/rent.md': '990.00',
  'a/evals/snapshots/002_b/persona/IDENTITY.md': 'You were B.',
}

test('the snapshot stays what the vault was; a test with one of its own has that, and its persona', async () => {
  const folder = folderOf(files)
  const [found] = await findSuites(path.join(folder, 'a'), 'golden')
  if (found === undefined) throw new Error('no suite')
  const plain = await found.load()
  const frozen = await isolateVaults(plain, path.join(folder, 'ws'))
  writeFileSync(path.join(folder, 'a/memory/rent.md'), '2,000.00')
  const rentOf = (suite: typeof plain) =>
    suite.cases.map(({ files: vault }) => {
      const memory = vault.find((file) => file.path === 'memory')
      return readFileSync(path.join(memory?.source ?? '', 'rent.md'), 'utf8')
    })
  expect(rentOf(plain)).toEqual(['2,000.00', '2,000.00'])
  expect(rentOf(frozen)).toEqual(['1,240.50', '990.00'])
  const persona = frozen.cases.map(({ environment }) => /You \w+ \w/.exec(environment?.system_prompt ?? '')?.[0])
  expect(persona).toEqual(['You are A', 'You were B'])
  const sources = (suite: typeof plain) => suite.cases.map((one) => one.files.map(({ source }) => source))
  expect(sources(await isolateVaults(await found.load(), path.join(folder, 'ws')))).not.toEqual(sources(frozen))
  writeFileSync(path.join(folder, 'a/memory/rent.md'), '1,240.50')
  expect(sources(await isolateVaults(await found.load(), path.join(folder, 'ws')))).toEqual(sources(frozen))
})

test.each<[string, string, string | null, string[]]>([
  ['its frontmatter', '---\nmodel: m-1\n---\n# Model\n', 'm-1', []],
  ['what is below Default model', '# Model\n\n## Default model\n\n**`m-2`**\n', 'm-2', []],
  ['both alike', '---\nmodel: m-1\n---\n## Default model\n`m-1`\n', 'm-1', []],
  ['both unlike', '---\nmodel: m-1\n---\n## Default model\n`m-2`\n', 'm-1', ['model.md:2: model is m-1, not m-2']],
  ['no name', '---\nx: 1\nmodel: [a]\n---\n## Default model\n`m-2`\n', 'm-2', ['model.md:3: model is not a name']],
  ['a frontmatter that is never closed', '---\nmodel: m-1\n', null, ['model.md:1: the frontmatter']],
])('the model of model.md: %s', async (_, text, model, warnings) => {
  const vault = await readVault(path.join(folderOf({ ...files, 'a/model.md': text }), 'a'))
  expect(vault.model).toBe(model)
  expect(vault.warnings).toEqual(warnings.map((one) => expect.stringContaining(one)))
})
