/** A whole benchmark in the sandbox: an agent beside the suite finds neither it, its verifiers nor the results, and the verifiers grade. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { makeSkill } from '../program.ts'

const secret = 'HIDDEN-TEST-7f3a'
const answer = 'THE-ANSWER-IS-42'
const works = (await probeSandbox(process.env.PATH ?? '')).ok
const withSandbox = needs('bubblewrap that works', works, 'apt-get install bubblewrap')

/** The one benchmark below the workspace: its folder, and the JSON files of its runs. */
function madeIn(workspace: string) {
  const made = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const slug = readdirSync(made).find((name) => name.startsWith('eval-')) ?? ''
  const read = (arm: string, name: string) =>
    JSON.parse(readFileSync(path.join(made, slug, arm, 'run-1', name), 'utf8'))
  return { made, read, said: (arm: string) => String(read(arm, 'run.json').final_response) }
}

/** The agent prints every file that it finds in its folder and in the suite, and writes hello.txt with the skill. */
async function verified(mode: string, more: readonly string[] = []) {
  const checks = [
    { type: 'command', run: 'sh evals/verify.sh' },
    {
      type: 'command',
      run: 'sh tests/half.sh',
      files: [{ from: 'evals/half.sh', to: 'tests/half.sh' }],
      result: 'score_line',
      pass_at: 0.5,
    },
    { type: 'script', script: 'evals/grade.ts' },
    {
      type: 'command',
      run: 'sh tests/broken.sh',
      files: [{ from: 'evals/broken.sh', to: 'tests/broken.sh' }],
      result: 'junit',
    },
  ]
  const skill = makeSkill([{ id: 1, prompt: 'task', files: ['evals/data.txt'], checks }])
  const top = path.dirname(skill)
  const files = {
    'data.txt': 'AN-INPUT-FILE\n',
    'verify.sh': `# ${secret}\ngrep -q hello hello.txt\n`,
    'half.sh': `# ${secret}\ntest -f hello.txt && echo score: 0.5 || echo score: 0\n`,
    'broken.sh': `# ${secret}\nfrobnicate-42 --junit junit.xml\n`,
    'grade.ts': `// ${secret}\nimport { readFileSync, existsSync } from 'node:fs'\nconst run: { run_folder: string; final_response: string } = JSON.parse(readFileSync(0, 'utf8'))\nconsole.log(JSON.stringify({ passed: existsSync(run.run_folder + '/hello.txt'), evidence: String(run.final_response.length > 0) }))\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(skill, 'evals', name), text)
  const agent = path.join(top, 'agent.sh')
  writeFileSync(
    agent,
    `cat $(find . ${top} -type f ! -name agent.sh) </dev/null\nif find . -name SKILL.md | grep -q .; then echo hello > hello.txt; fi\n`,
  )
  const workspace = path.join(top, 'results')
  mkdirSync(workspace)
  const args = ['bench', skill, '--engine', `command:sh ${agent}`, '--runs', '1', '--workspace', workspace]
  const end = await runMain([...args, '--sandbox', mode, ...more])
  return { end, skill, ...madeIn(workspace) }
}

withSandbox('hidden verifiers', () => {
  test('grade both arms; the agent reads its input and none of them', async () => {
    const { end, read, said, made, skill } = await verified('required')
    expect(end.code, end.stderr).toBe(3) // the broken verifier leaves one check undecided
    for (const arm of ['with_skill', 'without_skill']) {
      expect(said(arm)).toContain('AN-INPUT-FILE')
      expect(said(arm)).not.toContain(secret)
      expect(read(arm, 'grading.json').judge_errors).toMatchObject([
        { reason: expect.stringContaining('frobnicate-42 is not installed') },
      ])
    }
    const verdicts = (arm: string) =>
      read(arm, 'grading.json').expectations.map((one: { passed: boolean; score?: number }) => [one.passed, one.score])
    const half = [
      [true, undefined],
      [true, 0.5],
      [true, undefined],
    ]
    expect(verdicts('with_skill')).toEqual(half)
    expect(verdicts('without_skill')).toEqual([
      [false, undefined],
      [false, 0],
      [false, undefined],
    ])
    expect(read('with_skill', 'grading.json').summary.pass_rate).toBeCloseTo(2.5 / 3)

    writeFileSync(
      path.join(skill, 'evals/broken.sh'),
      'echo "<testsuite><testcase name=\'a\'/></testsuite>" > junit.xml\n',
    )
    const again = await runMain(['grade', made])
    expect(again.code, again.stderr).toBe(0)
    expect(read('with_skill', 'grading.json').expectations).toHaveLength(4)
    expect(read('with_skill', 'grading.json').expectations[3]).toMatchObject({
      passed: true,
      tests: [{ name: 'a', passed: true }],
    })
  })
  test('control: without the sandbox the agent finds them', async () => {
    const { said } = await verified('off', ['--trust-suite'])
    expect(said('without_skill')).toContain(secret)
  })
})

/** The agent's folder holds skill, suite and results; the agent prints every file below that it can read. */
async function benched(mode: string) {
  const checks = [
    { type: 'contains', value: answer },
    { type: 'command', run: 'cat "$KEY_FILE"' },
  ]
  const skill = makeSkill([{ id: 1, prompt: 'task', expected_output: answer, checks }])
  const top = path.dirname(skill)
  const workspace = path.join(top, 'results')
  mkdirSync(workspace)
  writeFileSync(path.join(workspace, 'old.json'), answer)
  writeFileSync(path.join(top, 'agent.sh'), `echo I see; find ${top} -type f; cat $(find ${top} -type f) </dev/null\n`)
  const args = ['bench', skill, '--engine', `command:sh ${top}/agent.sh`, '--runs', '1', '--workspace', workspace]
  const flags = ['--sandbox', mode, '--pass-env', 'KEY_FILE']
  const end = await runMain([...args, ...flags], { env: { KEY_FILE: path.join(workspace, 'old.json') } })
  expect(end.code, end.stderr).toBe(0)
  const { read, said } = madeIn(workspace)
  const passed = read('without_skill', 'grading.json').expectations.map((one: { passed: boolean }) => one.passed)
  return { said: said('without_skill'), passed, skill, workspace }
}

withSandbox('an agent beside the suite', () => {
  test('finds its own script, and neither suite nor results; a command check does not either', async () => {
    const { said, passed, skill, workspace } = await benched('required')
    expect(said).toContain('agent.sh')
    expect(said).not.toContain(answer)
    expect(said).not.toContain(path.join(skill, 'evals'))
    expect(said).not.toContain(path.join(workspace, 'old.json'))
    expect(passed).toEqual([false, false])
  })
  test('negative control: without the sandbox it finds both', async () => {
    const { said, passed } = await benched('off')
    expect(said).toContain(answer)
    expect(passed).toEqual([true, true])
  })
})
