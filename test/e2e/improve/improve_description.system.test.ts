/** improve --description on a practice model that goes by the words of a description: a better one is kept, one that fits the training queries alone is not. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { description as descriptionSchema } from '../../../schemas/description.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, whetstone } from '../program.ts'
import { envOf, skillWith } from '../triggers/triggers_stage.ts'

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

const takes = (name: string, words: string, user: string) => ({
  name,
  when: {
    turn: 1,
    user,
    system: [`description: [^\\n]*${words}`, String.raw`name: tidy[\s\S]*?file: (?<file>\S+SKILL\.md)`],
  },
  tool_calls: { name: 'Read', input: { file_path: '{{file}}' } },
})

/** It uses the skill where its description says "jottings"; one that says "trick" works for training queries only. */
function scenarioWith(proposal: string) {
  const proposes = {
    name: 'proposes',
    when: { tool: '^submit$' },
    tool_calls: { name: 'submit', input: { description: proposal, why: 'words' } },
  }
  const rules = [
    proposes,
    takes('better', 'jottings', 'jottings'),
    takes('trick', 'trick', 'jottings, alpha'),
    { name: 'answers', text: 'Done.' },
  ]
  return parseScenario(JSON.stringify({ rules }), 'describe.yaml')
}

async function improved(proposal: string, args: readonly string[] = [], queries: unknown = set) {
  await using server = await startPractice({ scenario: scenarioWith(proposal) })
  const skill = skillWith(queries, 'Tidies up messy notes. # for all')
  const place = ['--workspace', fresh(), '--engine', 'anthropic', '--model', 'sonnet']
  const command = ['improve', skill, '--description', ...place, '--runs', '3', '--iterations', '2', '--json', ...args]
  const end = await runMain([...command, '--sandbox', 'off'], { env: envOf('anthropic', server) })
  const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '{}')
  const file = readFileSync(path.join(skill, 'SKILL.md'), 'utf8')
  const asked = server.requests.map(({ messages, tools }) => ({ text: JSON.stringify(messages), tools }))
  return { end, last, file, asked, proposals: asked.filter(({ tools }) => tools.includes('submit')) }
}

const original = 'description: Tidies up messy notes. # for all'

describe('a planted better description', () => {
  test('is found and kept, and written where that is asked for', async () => {
    const { end, last, file, proposals } = await improved('Sorts notes, jottings and scribbles: all of them.', [
      '--apply',
    ])
    expect(end.code, end.stderr).toBe(0)
    const made = descriptionSchema.parse(JSON.parse(readFileSync(last.file, 'utf8')))
    expect(made).toMatchObject({ accepted: true, applied: true, best_round: 1, split: { by: 'set' } })
    expect(made.attempts.map(({ train }) => train?.behaves)).toEqual([0.5, 1])
    expect(made.test).toMatchObject({
      before: { recall: 0 },
      after: { recall: 1, false_trigger_rate: 0 },
      difference: 0.5,
    })
    expect(made.test?.p_value).toBeLessThan(0.01)
    expect(file).toContain('description: "Sorts notes, jottings and scribbles: all of them."')
    expect(file).toContain('Say TIDY.')
    // whoever proposed has seen training queries, and none of those kept for the end
    expect(proposals).toHaveLength(1)
    expect(proposals[0]?.text).toContain('alpha')
    expect(proposals[0]?.text).not.toContain('omega')
  })
  test('is written nowhere without --apply', async () => {
    const { last, file } = await improved('Sorts notes, jottings and scribbles: all of them.')
    expect(last).toMatchObject({ accepted: true, applied: false })
    expect(file).toContain(original)
  })
})

test('one that fits the training queries alone is not kept, though it was the best of them', async () => {
  const { end, last, file } = await improved('A trick for notes.', ['--apply'])
  expect(end.code, end.stderr).toBe(0)
  // the negative control: by the training queries alone it would have been taken
  expect(last.attempts.map(({ train }: { train: { behaves: number } | null }) => train?.behaves)).toEqual([0.5, 1])
  expect(last).toMatchObject({ accepted: false, applied: false, test: { difference: 0 } })
  expect(file).toContain(original)
})

test('a proposal with a training query is refused and not measured', async () => {
  const { last, file } = await improved('For: sort my jottings, alpha 0.', ['--apply'])
  expect(last.attempts.slice(1)).toMatchObject([{ train: null }, { train: null }])
  expect(last.attempts[1].refused).toContain('word for word')
  expect(last).toMatchObject({ accepted: false, test: null })
  expect(file).toContain(original)
})

test('too few queries of a kind are refused before anything is asked', async () => {
  const { end, asked } = await improved('x', [], set.slice(0, 5))
  expect(end.code).toBe(2)
  expect(end.stderr).toContain('too few queries')
  expect(asked).toEqual([])
})

describe('ended before its end', () => {
  const better = 'Sorts notes, jottings and scribbles: all of them.'
  const place = () => ({ skill: skillWith(set, 'Tidies up messy notes. # for all'), workspace: fresh() })
  const commandOf = ({ skill, workspace }: ReturnType<typeof place>, flags: readonly string[] = []) => [
    ...['improve', skill, '--description', '--workspace', workspace, '--engine', 'anthropic', '--model', 'sonnet'],
    ...['--runs', '3', '--iterations', '2', '--json', '--sandbox', 'off', ...flags],
  ]
  const lasting = (stdout: string) => {
    const {
      folder: _,
      file: _file,
      created_at: _at,
      set: _set,
      exit_code,
      ...made
    } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
    return { exit_code, ...made }
  }

  const proposalsOf = ({ requests }: PracticeServer) => requests.filter(({ tools }) => tools.includes('submit')).length
  const undisturbed = async () => {
    await using server = await startPractice({ scenario: scenarioWith(better) })
    const { code, stdout, stderr } = await runMain(commandOf(place()), { env: envOf('anthropic', server) })
    expect(code, stderr).toBe(0)
    return { lasting: lasting(stdout), proposals: proposalsOf(server) }
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
    expect(others).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--seed is different from the start of the search'),
    })
    const more = await runMain(commandOf(at, ['--resume']), { env })
    expect(more.code, more.stderr).toBe(0)
    expect(lasting(more.stdout)).toEqual(before.lasting)
    expect(proposalsOf(server)).toBe(before.proposals)
  })

  test('an ended one is not made again; --resume --apply puts what it found into SKILL.md', async () => {
    await using server = await startPractice({ scenario: scenarioWith(better) })
    const env = envOf('anthropic', server)
    const at = place()
    const skillFile = path.join(at.skill, 'SKILL.md')
    expect((await runMain(commandOf(at, ['--resume']), { env })).stderr).toContain('no search to resume')
    expect((await runMain(commandOf(at), { env })).code).toBe(0)
    const asked = server.requests.length
    const later = await runMain(commandOf(at, ['--resume', '--apply']), { env })
    expect(later.code, later.stderr).toBe(0)
    expect(server.requests.length).toBe(asked)
    expect(lasting(later.stdout)).toMatchObject({ accepted: true, applied: true })
    expect(readFileSync(skillFile, 'utf8')).toContain(better)
    const again = await runMain(commandOf(at, ['--resume', '--apply']), { env })
    expect([again.code, lasting(again.stdout).applied]).toEqual([0, true])
  })
})
