/** improve --description on a practice model that goes by the words of a description: a better one is kept, and what was begun goes on. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { description as descriptionSchema } from '../../../../schemas/description.ts'
import { parseScenario } from '../../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../../src/features/practice/server.ts'
import { runMain } from '../../../cli/run_main.ts'
import { jsonLines } from '../../../e2e/bench/benched.ts'
import { fresh, whetstone } from '../../../e2e/program.ts'
import { envOf, skillWith } from '../triggers_stage.ts'

/** The words by which training and test queries are told apart: alpha stands in training queries only. */
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
function scenarioWith(proposal: string) {
  const proposes = {
    name: 'proposes',
    when: { tool: '^submit$' },
    tool_calls: { name: 'submit', input: { description: proposal, why: 'words' } },
  }
  const takes = {
    name: 'takes',
    when: {
      turn: 1,
      user: 'jottings',
      system: ['description: [^\\n]*jottings', String.raw`name: tidy[\s\S]*?file: (?<file>\S+SKILL\.md)`],
    },
    tool_calls: { name: 'Read', input: { file_path: '{{file}}' } },
  }
  return parseScenario(
    JSON.stringify({ rules: [proposes, takes, { name: 'answers', text: 'Done.' }] }),
    'describe.yaml',
  )
}

const better = 'Sorts notes, jottings and scribbles: all of them.'
const original = 'description: Tidies up messy notes. # for all'
const place = () => ({ skill: skillWith(set, 'Tidies up messy notes. # for all'), workspace: fresh() })
const commandOf = ({ skill, workspace }: ReturnType<typeof place>, flags: readonly string[] = []) => [
  ...['improve', skill, '--description', '--workspace', workspace, '--engine', 'anthropic', '--model', 'sonnet'],
  ...['--runs', '3', '--iterations', '2', '--json', '--sandbox', 'off', ...flags],
]
const proposalsOf = ({ requests }: PracticeServer) => requests.filter(({ tools }) => tools.includes('submit'))

async function improved(proposal: string, flags: readonly string[] = []) {
  await using server = await startPractice({ scenario: scenarioWith(proposal) })
  const at = place()
  const end = await runMain(commandOf(at, flags), { env: envOf('anthropic', server) })
  expect(end.code, end.stderr).toBe(0)
  const file = readFileSync(path.join(at.skill, 'SKILL.md'), 'utf8')
  const proposals = proposalsOf(server).map(({ messages }) => JSON.stringify(messages))
  return { last: jsonLines(end.stdout).at(-1), file, proposals }
}

test('a planted better description is found and kept, and written where that is asked for', async () => {
  const { last, file, proposals } = await improved(better, ['--apply'])
  const made = descriptionSchema.parse(JSON.parse(readFileSync(last.file, 'utf8')))
  expect(made).toMatchObject({ accepted: true, applied: true, best_round: 1, split: { by: 'set' } })
  expect(made.attempts.map(({ train }) => train?.behaves)).toEqual([0.5, 1])
  expect(made.test).toMatchObject({
    before: { recall: 0 },
    after: { recall: 1, false_trigger_rate: 0 },
    difference: 0.5,
  })
  expect(made.test?.p_value).toBeLessThan(0.01)
  expect(file).toContain(`description: "${better}"`)
  expect(file).toContain('Say TIDY.')
  // whoever proposed has seen training queries, and none of those kept for the end
  expect(proposals).toHaveLength(1)
  expect(proposals[0]).toContain('alpha')
  expect(proposals[0]).not.toContain('omega')
})

test('a proposal with a training query is refused and not measured', async () => {
  const { last, file } = await improved('For: sort my jottings, alpha 0.', ['--apply'])
  expect(last.attempts.slice(1)).toMatchObject([{ train: null }, { train: null }])
  expect(last.attempts[1].refused).toContain('word for word')
  expect(last).toMatchObject({ accepted: false, test: null })
  expect(file).toContain(original)
})

test('too few queries of a kind are refused before anything is asked', async () => {
  const end = await runMain(commandOf({ skill: skillWith(set.slice(0, 5)), workspace: fresh() }), {
    env: { ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  })
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('too few queries')])
})

describe('ended before its end', () => {
  const lasting = (stdout: string) => {
    const { folder: _, file: _file, created_at: _at, set: _set, ...made } = jsonLines(stdout).at(-1)
    return made
  }
  const undisturbed = async () => {
    await using server = await startPractice({ scenario: scenarioWith(better) })
    const { code, stdout, stderr } = await runMain(commandOf(place()), { env: envOf('anthropic', server) })
    expect(code, stderr).toBe(0)
    return { lasting: lasting(stdout), proposals: proposalsOf(server).length }
  }
  let whole: ReturnType<typeof undisturbed> | undefined

  test.each<[string, RegExp, NodeJS.Signals, number | null]>([
    ['after a proposal, killed', /"description_measured","round":0[\s\S]*"run_finished"/, 'SIGKILL', null],
    ['in the comparison, Ctrl-C', /"description_measured","round":1[\s\S]*"run_finished"/, 'SIGINT', 130],
  ])('%s: --resume goes on to the same result, and asks for no proposal twice', async (_, line, signal, code) => {
    await using server = await startPractice({ scenario: scenarioWith(better) })
    const env = envOf('anthropic', server)
    whole ??= undisturbed()
    const before = await whole
    const at = place()
    let said = ''
    const end = await whetstone(commandOf(at, ['--concurrency', '1']), {
      env,
      started: (child) => {
        child.stdout?.on('data', (text: string) => {
          const isThere = line.test(said)
          said += text
          if (!isThere && line.test(said)) child.kill(signal)
        })
      },
    })
    expect(end.code, end.stderr).toBe(code)
    if (code !== null) expect(end.stderr).toContain('continue with the same command and --resume')
    const others = await runMain(commandOf(at, ['--resume', '--seed', '9']), { env })
    const message = expect.stringContaining('--seed is different from the start of the search')
    expect([others.code, others.stderr]).toEqual([2, message])
    const more = await runMain(commandOf(at, ['--resume']), { env })
    expect(more.code, more.stderr).toBe(0)
    expect(lasting(more.stdout)).toEqual(before.lasting)
    expect(proposalsOf(server)).toHaveLength(before.proposals)
  })

  test('an ended one is not made again; --resume --apply puts what it found into SKILL.md, and nothing else did', async () => {
    await using server = await startPractice({ scenario: scenarioWith(better) })
    const env = envOf('anthropic', server)
    const at = place()
    const skillText = () => readFileSync(path.join(at.skill, 'SKILL.md'), 'utf8')
    expect((await runMain(commandOf(at, ['--resume']), { env })).stderr).toContain('no search to resume')
    const first = await runMain(commandOf(at), { env })
    expect(lasting(first.stdout)).toMatchObject({ exit_code: 0, accepted: true, applied: false })
    expect(skillText()).toContain(original)
    const asked = server.requests.length
    for (const _ of [1, 2]) {
      const later = await runMain(commandOf(at, ['--resume', '--apply']), { env })
      expect(later.code, later.stderr).toBe(0)
      expect(lasting(later.stdout)).toMatchObject({ accepted: true, applied: true })
      expect(skillText()).toContain(better)
    }
    expect(server.requests.length).toBe(asked)
  })
})
