/** Proposers that cheat, break, delete, escape or never end: each edit is refused with its reason, and the one that mends is kept. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh } from '../program.ts'
import { broken, openWorld, proposer } from './improving.ts'

/** By the rule that refuses it. */
const attacks: { rule: string; reason: RegExp; command: string }[][] = [
  [
    {
      rule: 'skill_invalid',
      reason: /renames the skill/,
      command: "sed -i 's/^name: adder/name: other/' adder/SKILL.md",
    },
    {
      rule: 'script_broken',
      reason: /tool does not parse/,
      command: "printf '#!/usr/bin/env bash\\nif then (' > adder/scripts/tool",
    },
    { rule: 'script_broken', reason: /more\.mjs does not parse/, command: "echo 'const = (' > adder/scripts/more.mjs" },
  ],
  [
    { rule: 'touches_suite', reason: /evals/, command: 'mkdir adder/evals; echo "[]" > adder/evals/evals.json' },
    { rule: 'unfit_file', reason: /a link/, command: 'ln -s /etc/passwd adder/passwd' },
    {
      rule: 'leakage',
      reason: /only held-out case \d+ expects/,
      command: 'for i in $(seq 0 17); do echo "sum: $((1210+38*i))"; done >> adder/SKILL.md',
    },
  ],
]

const mend = "sed -i 's/a - b/a + b/' adder/scripts/add.sh"

test.each(attacks.map((group) => [group.map(({ rule }) => rule).join(', '), group] as const))(
  '%s: each is refused, nothing runs on it, and the one that mends wins',
  async (_, group) => {
    const commands = [...group.map(({ command }) => command), mend]
    const all = commands.map((command, at) => `(cd ../change-${at + 1} && ${command})`).join('; ')
    await using world = await openWorld(proposer('attacks', { command: all }))
    const end = await world.improveInProcess(['--total-runs', '20'])
    expect(end.code, end.stderr.slice(-3000)).toBe(0)
    const { rounds = [], current_best } = world.history()
    const edits = rounds[0]?.proposals[0]?.edits ?? []
    expect(edits.map(({ refused }) => refused?.rule)).toEqual([...group.map(({ rule }) => rule), undefined])
    for (const [at, { reason }] of group.entries()) expect(edits[at]?.refused?.reason).toMatch(reason)
    expect(edits.map(({ runs_with }) => runs_with > 0)).toEqual([...group.map(() => false), true])
    expect(current_best).toBe('v1')
    expect(readFileSync(path.join(world.skill, 'scripts/add.sh'), 'utf8')).toBe(broken)
  },
)

test.each([
  ['no_change', /changed nothing/, 'echo x > ../../../../escaped.txt; echo x > "$HOME/../escaped.txt"; true'],
  ['no_end', /not ended after 4 s/, 'sleep 60'],
])('a proposal without an end or a change: %s', async (rule, reason, command) => {
  await using world = await openWorld(proposer('does nothing', { command }), 6)
  const end = await world.improveInProcess(['--total-runs', '12', '--propose-timeout', '4', '--sandbox', 'auto'])
  expect(end.code, end.stderr.slice(-3000)).toBe(0)
  const { rounds = [], stopped } = world.history()
  expect(rounds[0]?.proposals.map(({ refused }) => refused)).toEqual(
    [1, 2, 3].map(() => ({ rule, reason: expect.stringMatching(reason) })),
  )
  expect(stopped?.reason).toBe('no_edit')
})

test('without a sandbox a proposer that writes into the skill itself is refused, the skill is as before, and what was written is kept aside', async () => {
  const where = path.join(fresh(), 'escape')
  const escapes = proposer('escapes', { command: `echo "# mine now" >> "$(cat ${where})/SKILL.md"` })
  await using world = await openWorld(escapes, 6)
  writeFileSync(where, world.skill)
  const before = readFileSync(path.join(world.skill, 'SKILL.md'), 'utf8')
  const end = await world.improveInProcess(['--total-runs', '12'])
  expect(end.code, end.stderr).toBe(0)
  expect(world.history().rounds?.[0]?.proposals[0]?.refused).toMatchObject({
    rule: 'wrote_outside',
    reason: expect.stringContaining(world.skill),
  })
  expect(readFileSync(path.join(world.skill, 'SKILL.md'), 'utf8')).toBe(before)
  const aside = path.join(world.workspace, 'backups/outside-1-1/adder/SKILL.md')
  expect(existsSync(aside) && readFileSync(aside, 'utf8')).toContain('# mine now')
})
