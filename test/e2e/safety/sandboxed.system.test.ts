/** A whole benchmark in the sandbox: an agent beside the suite finds neither it, its verifiers nor the results, and the verifiers grade. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { needsSandbox } from '../../sandbox/needs_sandbox.ts'
import { makeSkill } from '../program.ts'

const secret = 'HIDDEN-TEST-7f3a'
const answer = 'THE-ANSWER-IS-42'

/** The agent names and prints every file in its folder and in that which holds skill, suite and results, and writes hello.txt with the skill. */
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
    { type: 'command', run: 'cat "$KEY_FILE"' },
  ]
  const skill = makeSkill([{ id: 1, prompt: 'task', files: ['evals/data.txt'], expected_output: answer, checks }])
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
  const found = `$(find . ${top} -type f ! -name agent.sh)`
  const work = 'if find . -name SKILL.md | grep -q .; then echo hello > hello.txt; fi'
  writeFileSync(agent, `find ${top} -type f; cat ${found} </dev/null\n${work}\n`)
  const workspace = path.join(top, 'results')
  mkdirSync(workspace)
  const earlier = path.join(workspace, 'old.json')
  writeFileSync(earlier, answer)
  const args = ['bench', skill, '--engine', `command:sh ${agent}`, '--runs', '1', '--workspace', workspace]
  const end = await runMain([...args, '--sandbox', mode, '--pass-env', 'KEY_FILE', ...more], {
    env: { KEY_FILE: earlier },
  })
  const made = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const slug = readdirSync(made).find((name) => name.startsWith('eval-')) ?? ''
  const read = (arm: string, name: string) =>
    JSON.parse(readFileSync(path.join(made, slug, arm, 'run-1', name), 'utf8'))
  const verdicts = (arm: string) =>
    read(arm, 'grading.json').expectations.map((one: { passed: boolean; score?: number }) => [one.passed, one.score])
  return {
    end,
    skill,
    made,
    earlier,
    read,
    verdicts,
    said: (arm: string) => String(read(arm, 'run.json').final_response),
  }
}

needsSandbox('an agent beside suite, verifiers and results', () => {
  test('reads its input and none of them; the verifiers grade both arms, and see no results either', async () => {
    const { end, read, said, made, skill, earlier, verdicts } = await verified('required')
    expect(end.code, end.stderr).toBe(3) // the broken verifier leaves one check undecided
    for (const arm of ['with_skill', 'without_skill']) {
      for (const seen of ['AN-INPUT-FILE', 'agent.sh']) expect(said(arm)).toContain(seen)
      for (const hidden of [secret, answer, path.join(skill, 'evals'), earlier]) expect(said(arm)).not.toContain(hidden)
      expect(read(arm, 'grading.json').judge_errors).toMatchObject([
        { reason: expect.stringContaining('frobnicate-42 is not installed') },
      ])
    }
    expect(verdicts('with_skill')).toEqual([
      [true, undefined],
      [true, 0.5],
      [true, undefined],
      [false, undefined],
    ])
    expect(verdicts('without_skill')).toEqual([
      [false, undefined],
      [false, 0],
      [false, undefined],
      [false, undefined],
    ])
    expect(read('with_skill', 'grading.json').summary.pass_rate).toBeCloseTo(2.5 / 4)

    writeFileSync(
      path.join(skill, 'evals/broken.sh'),
      'echo "<testsuite><testcase name=\'a\'/></testsuite>" > junit.xml\n',
    )
    const again = await runMain(['grade', made])
    expect(again.code, again.stderr).toBe(0)
    expect(read('with_skill', 'grading.json').expectations).toHaveLength(5)
    expect(read('with_skill', 'grading.json').expectations[3]).toMatchObject({
      passed: true,
      tests: [{ name: 'a', passed: true }],
    })
  })
  test('control: without the sandbox it finds them, and so do the verifiers', async () => {
    const { said, verdicts } = await verified('off', ['--trust-suite'])
    for (const found of [secret, answer]) expect(said('without_skill')).toContain(found)
    expect(verdicts('without_skill').at(-1)).toEqual([true, undefined])
  })
})
