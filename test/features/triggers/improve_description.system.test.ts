/** improve --description: a session in which only the description changes, on a practice model that goes by the words of a description. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type History, history } from '../../../schemas/history.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { envOf, skillWith } from './triggers_stage.ts'

/** The words by which training and test queries are told apart: alpha is in training queries only. */
const set = [...Array(12).keys()].map((at) => {
  const split = at < 6 ? 'train' : 'test'
  const marked = split === 'train' ? 'alpha' : 'omega'
  const should_trigger = at % 2 === 0
  return {
    query: should_trigger ? `sort my jottings, ${marked} ${at}` : `what is ${at} plus ${marked}?`,
    should_trigger,
    split,
  }
})

/** It uses the skill where its description says "jottings". */
function scenarioWith(command: string) {
  const user = '^You improve an agent skill'
  const file = String.raw`name: tidy[\s\S]*?file: (?<file>\S+SKILL\.md)`
  return parseScenario(
    JSON.stringify({
      rules: [
        { name: 'edits', when: { user, turn: 1 }, tool_calls: { name: 'Bash', input: { command } } },
        { name: 'speaks', when: { user }, text: 'CHANGE 1: says jottings\nWHY 1: it was not read' },
        {
          name: 'takes',
          when: { turn: 1, user: 'jottings', system: ['description: [^\\n]*jottings', file] },
          tool_calls: { name: 'Read', input: { file_path: '{{file}}' } },
        },
        { name: 'answers', text: 'Done.' },
      ],
    }),
    'describe.yaml',
  )
}

const replaces = (more = '') => `cd change-1/tidy; sed -i 's/messy notes/notes and jottings${more}/' SKILL.md`

async function improved(command: string, flags: readonly string[] = [], skill = skillWith(set)) {
  await using server = await startPractice({ scenario: scenarioWith(command) })
  const workspace = fresh()
  const fixed = ['--workspace', workspace, '--engine', 'anthropic:practice-1', '--total-runs', '48', '--sandbox', 'off']
  const run = (more: readonly string[]) =>
    runMain(['improve', skill, '--description', ...fixed, ...more], { env: envOf('anthropic', server) })
  const end = await run(flags)
  const file = path.join(workspace, 'history.json')
  return {
    ...{ end, workspace, requests: server.requests.length, again: await run([...flags, '--resume']) },
    made: existsSync(file) ? history.parse(JSON.parse(readFileSync(file, 'utf8'))) : null,
    text: readFileSync(path.join(skill, 'SKILL.md'), 'utf8'),
    proposals: server.requests.map(({ messages }) => JSON.stringify(messages)).filter((one) => /You improve/.test(one)),
    requestsInAll: server.requests.length,
  }
}

const editsOf = (made: History | null) =>
  (made?.rounds ?? []).flatMap(({ proposals }) => proposals.flatMap(({ edits }) => edits))

test('a better description is found, certified on test queries, and written with --apply; --resume runs nothing more', async () => {
  const { end, again, made, text, proposals, workspace, requests, requestsInAll } = await improved(replaces(), [
    ...['--apply', '--yes'],
  ])
  expect(end.code, end.stderr).toBe(0)
  expect(made?.certification).toMatchObject({ result: 'won', v0: { mean: 0.5 }, candidate: { mean: 1 } })
  expect(made?.split).toMatchObject({ train: [1, 2, 3, 4, 5, 6], held_out: [7, 8, 9, 10, 11, 12] })
  expect(text).toBe('---\nname: tidy\ndescription: Tidies up notes and jottings.\n---\n\nSay TIDY.\n')
  expect(proposals.join()).toContain('Change nothing but the `description`')
  expect([again.code, requestsInAll - requests]).toEqual([0, 0])
  // a run ends as soon as the skill is read
  const runs = readFileSync(path.join(workspace, made?.certification?.benchmark ?? '', 'plan.json'), 'utf8')
  expect(JSON.parse(runs).runs[0]).toMatchObject({ stop_at: 'skill_read', max_turns: 10 })
})

test.each([
  ['more than the description', `${replaces()}; echo More. >> SKILL.md`, /more of SKILL\.md than the description/],
  ['another file', `${replaces()}; echo a > notes.md`, /changes notes\.md/],
  ['what agents reject', replaces(' <all>'), /contains < or >/],
])('an edit of %s is refused and not run', async (_, command, reason) => {
  const { made, text } = await improved(command, ['--apply', '--yes'])
  expect(editsOf(made)[0]?.refused).toMatchObject({ rule: 'description', reason: expect.stringMatching(reason) })
  expect(made?.certification).toBeNull()
  expect(text).toContain('description: Tidies up messy notes.')
})

test('--dry-run writes nothing; too few queries of a kind, and flags of the search before, are refused', async () => {
  const dry = await improved(replaces(), ['--dry-run'])
  expect([dry.end.code, dry.made, readdirSync(dry.workspace)]).toEqual([0, null, []])
  expect(dry.end.stdout).toContain('6 training cases, 6 held-out cases')
  const few = await improved(replaces(), [], skillWith(set.slice(0, 2)))
  expect([few.end.code, few.end.stderr]).toEqual([2, expect.stringContaining('too few queries')])
  const old = await improved(replaces(), ['--runs', '5'])
  expect([old.end.code, old.end.stderr]).toEqual([2, expect.stringContaining('--total-runs limits the runs')])
})
