/** Both arms see the same world but for the skill; the answer key is nowhere the agent can read; no run finds what another left in its home, its temporary folder or its working folder. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'
import { agent, fresh, makeSkill } from '../program.ts'
import { bench, newestIn } from './benched.ts'

const key = 'THE-ANSWER-IS-42'
const evals = [
  {
    id: 1,
    prompt: 'find it',
    expected_output: `the outcome holds ${key}`,
    files: ['data/in.txt'],
    checks: [{ type: 'contains', value: key, text: `says ${key}` }],
  },
]

/** What an agent finds that searches its folders, environment and arguments. */
async function searched(skillFiles: Record<string, string> = {}) {
  const skill = makeSkill(evals, { 'data/in.txt': 'input', 'evals/more/key.txt': key, ...skillFiles })
  const { workspace } = await bench({ skill, engine: agent('searcher.mjs') }, '--runs', '1')
  const { records } = newestIn(workspace)
  const said = (arm: string) => records.find(({ configuration }) => configuration === arm)?.final_response ?? ''
  return { skill, workspace, said }
}

describe('an agent that searches its working folder, HOME, environment and arguments', () => {
  let plain: Awaited<ReturnType<typeof searched>>
  beforeAll(async () => {
    plain = await searched()
  })
  test.each(['with_skill', 'without_skill'])(
    'finds no answer key, no path of suite or results, and not which arm it is in: %s',
    (arm) => {
      const said = plain.said(arm)
      expect(said).toContain('data/in.txt')
      expect(said).not.toContain(key)
      expect(said).not.toContain(path.dirname(plain.skill))
      expect(said).not.toContain(path.dirname(plain.workspace))
      expect(said).not.toMatch(/with_skill|without_skill/)
    },
  )
  test('finds the skill in one', () => {
    expect(plain.said('with_skill')).toContain('Say TIDY.')
    expect(plain.said('without_skill')).not.toContain('TIDY')
  })
  test('negative control: a key outside evals/ is found', async () => {
    expect((await searched({ 'references/key.txt': key })).said('with_skill')).toContain(key)
  })
})

/** In the sandbox the working folder is below its home; other folders further down are mount points. Says where its home is, what is in it and in its working folder; leaves something in each where its prompt asks for it. */
const script = `echo "$HOME: $(cd "$HOME" && { find . -maxdepth 1 ! -name project; find . -mindepth 2 -type f ! -path './project/*'; } | sort | tr '\\n' ' ')and $(find . -type f | tr '\\n' ' ')"
if grep -q leave; then for left in "$HOME" "$TMPDIR" .; do echo x >"$left/left"; done; fi
`
const skills = ['.agents', '.claude', '.gemini', '.github', '.pi', '.qwen'].map(
  (top) => `./${top}/skills/tidy/SKILL.md`,
)

async function expectNothingFound(mode: string, paths: number) {
  const checks = [{ type: 'contains', value: 'home' }]
  const skill = makeSkill(['look', 'leave'].map((prompt, at) => ({ id: at + 1, prompt, checks })))
  const program = path.join(fresh(), 'agent.sh')
  writeFileSync(program, script)
  const flags = ['--runs', '3', '--concurrency', '1', '--sandbox', mode]
  const end = await bench({ skill, engine: `command:sh ${program}` }, ...flags)
  expect(end.code, end.stderr).toBe(0)
  const homes = newestIn(end.workspace).records.map(({ final_response, configuration }) => {
    const [home, before, after = ''] = final_response.split(/: | and/)
    const found = configuration === 'with_skill' ? skills : ['']
    expect([before, after.trim().split(' ').sort()]).toEqual(['. ./tmp', found])
    return home
  })
  expect(homes).toHaveLength(12)
  expect(new Set(homes).size).toBe(paths)
}

test('without a sandbox', () => expectNothingFound('off', 12))
needsSandbox('rooms', () => {
  test('in the sandbox, where each home has the same path', () => expectNothingFound('required', 1))
})
