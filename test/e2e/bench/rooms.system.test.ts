/** Runs one after another: none finds what another left in its home, its temporary folder or its working folder. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { fresh, makeSkill } from '../program.ts'

const works = (await probeSandbox(process.env.PATH ?? '')).ok

/** Folders further down are mount points of the sandbox in /tmp. Says where its home is, what is in it and in its working folder; leaves something in each where its prompt asks for it. */
const script = `echo "$HOME: $(cd "$HOME" && { find . -maxdepth 1; find . -mindepth 2 -type f; } | sort | tr '\\n' ' ')and $(find . -type f | tr '\\n' ' ')"
if grep -q leave; then for left in "$HOME" "$TMPDIR" .; do echo x >"$left/left"; done; fi
`

async function said(mode: string): Promise<{ arm: string; home: string; found: string }[]> {
  const checks = [{ type: 'contains', value: 'home' }]
  const skill = makeSkill(['look', 'leave'].map((prompt, at) => ({ id: at + 1, prompt, checks })))
  const [place, workspace] = [fresh(), path.join(fresh(), 'ws')]
  writeFileSync(path.join(place, 'agent.sh'), script)
  const args = ['bench', skill, '--engine', `command:sh ${place}/agent.sh`, '--runs', '3', '--concurrency', '1']
  const end = await runMain([...args, '--workspace', workspace, '--sandbox', mode])
  expect(end.code, end.stderr).toBe(0)
  const files = readdirSync(workspace, { recursive: true }).map(String)
  const records = files.filter((name) => path.basename(name) === 'run.json')
  return records.map((name) => {
    const { final_response, configuration } = JSON.parse(readFileSync(path.join(workspace, name), 'utf8'))
    const [home = '', found = ''] = String(final_response).split(': ')
    return { arm: configuration, home, found }
  })
}

async function expectNothingFound(mode: string) {
  const runs = await said(mode)
  expect(runs).toHaveLength(12)
  expect(new Set(runs.map(({ home }) => home)).size).toBe(12)
  const skills = ['.agents', '.claude', '.gemini', '.github', '.pi', '.qwen'].map(
    (top) => `./${top}/skills/tidy/SKILL.md`,
  )
  for (const { arm, found } of runs) {
    const [before, after = ''] = found.split(' and')
    expect([before, after.trim().split(' ').sort()]).toEqual(['. ./tmp', arm === 'with_skill' ? skills : ['']])
  }
}

test('without a sandbox', () => expectNothingFound('off'))
needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('rooms', () => {
  test('in the sandbox', () => expectNothingFound('required'))
})
