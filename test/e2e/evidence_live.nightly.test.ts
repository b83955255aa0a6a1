/** `npm run evidence:live`: a small protocol on the practice model, through the CLI, into the protocol's file. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { fresh } from './program.ts'

const script = path.join(import.meta.dirname, '../../scripts/evidence_live.mjs')

/** The agent writes what the skill says, if it has one; else a guess. */
const scenario = `
rules:
  - { name: reads, when: { system: 'file: (?<file>\\S+SKILL\\.md)', turn: 1 }, tool_calls: { name: Read, input: { file_path: '{{file}}' } } }
  - { name: knows, when: { result: 'colour (?<colour>#\\w+)', not_called: '^Write' }, tool_calls: { name: Write, input: { file_path: a.txt, content: '{{colour}}' } } }
  - { name: guesses, when: { turn: 1 }, tool_calls: { name: Write, input: { file_path: a.txt, content: blue } } }
  - { name: ends, when: {}, text: Done. }
`

const skill = '---\nname: colours\ndescription: House colours.\n---\n\nThe colour #123456 is ours.\n'
const cases = [1, 2, 3].map((id) => ({
  id,
  prompt: `Write our colour into a.txt, ${id}.`,
  checks: [{ type: 'contains', path: 'a.txt', value: '#123456' }],
}))
const protocol = `# A protocol

\`\`\`yaml
skills:
  - { name: colours, path: colours, suite: colours.json }
models: ["anthropic:claude-haiku-4-5"]
runs: 3
alpha: 0.05
\`\`\`

<!-- results -->

Not run yet.

<!-- end of results -->

The end.
`

function stage(text = protocol): string {
  const folder = fresh()
  mkdirSync(path.join(folder, 'colours'))
  writeFileSync(path.join(folder, 'colours/SKILL.md'), skill)
  writeFileSync(path.join(folder, 'colours.json'), JSON.stringify({ skill_name: 'colours', evals: cases }))
  writeFileSync(path.join(folder, 'protocol.md'), text)
  return folder
}

async function live(folder: string, budget = '20') {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'live.yaml') })
  const places = ['--protocol', path.join(folder, 'protocol.md'), '--workspace', path.join(folder, 'ws')]
  const args = [script, '--budget', budget, '--skills', folder, ...places]
  const { PATH = '', TMPDIR = '' } = process.env
  const env = { PATH, TMPDIR, HOME: folder, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, said, calls: server.requests.length, text: readFileSync(path.join(folder, 'protocol.md'), 'utf8') }
}

test('benches what the protocol says and writes the results into its file, once', async () => {
  const folder = stage()
  const first = await live(folder)
  expect(first.said).toContain('wrote ')
  expect(first.code).toBe(0)
  const [before, after] = protocol.split('Not run yet.')
  expect(first.text.startsWith(before ?? '-')).toBe(true)
  expect(first.text.endsWith(after ?? '-')).toBe(true)
  expect(first.text).toMatch(
    /^Run on \d{4}-\d\d-\d\d; protocol [0-9a-f]{12}; \$0\.\d\d spent\. All planned runs were graded\.$/m,
  )
  expect(first.text).toMatch(
    /^\| colours, anthropic:claude-haiku-4-5 \| +18 of 18 \| +9 of 9 \| +\+1\.000 \| +\[\.\d{3}, 1\.000\] \| .* helps \| +\$0\.\d\d \|$/m,
  )
  expect(first.text).toContain('Models: anthropic:claude-haiku-4-5 was claude-haiku-4-5.')
  expect(first.text).toContain('The skill helps in 1 of 1 combinations after Holm.')
  const again = await live(folder)
  expect(again).toMatchObject({ code: 2, calls: 0, text: first.text })
  expect(again.said).toContain('it has results already; a protocol is run once')
})

test('a budget that ends it early leaves results that say so', async () => {
  const { code, text } = await live(stage(), '0.01')
  expect(code).toBe(0)
  expect(text).toMatch(/Incomplete: 1 of 1 benchmarks lack runs\./)
})

test('a protocol that does not say what to run, or names another commit: no call', async () => {
  const open = await live(stage(protocol.replace('runs: 3\n', '')))
  expect(open).toMatchObject({ code: 2, calls: 0 })
  expect(open.said).toContain('the YAML block does not say runs')
  const other = await live(stage(protocol.replace('skills:', 'commit: abc\nskills:')))
  expect(other).toMatchObject({ code: 2, calls: 0 })
  expect(other.said).toContain('the protocol names abc')
})
