/** A benchmark with hidden verifiers: they grade, and the agent that looks for them finds only its input files. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { makeSkill, whetstone } from '../program.ts'

const secret = 'HIDDEN-TEST-7f3a'
const works = (await probeSandbox(process.env.PATH ?? '')).ok

/** The agent prints every file that it finds in its folder and in the suite, and writes hello.txt with the skill. */
async function benched(mode: string, more: readonly string[] = []) {
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
  const end = await whetstone([...args, '--sandbox', mode, ...more])
  const made = path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const slug = readdirSync(made).find((name) => name.startsWith('eval-')) ?? ''
  const read = (arm: string, name: string) =>
    JSON.parse(readFileSync(path.join(made, slug, arm, 'run-1', name), 'utf8'))
  return { end, made, skill, read, said: (arm: string) => String(read(arm, 'run.json').final_response) }
}

needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('hidden verifiers', () => {
  test('grade both arms; the agent reads its input and none of them', async () => {
    const { end, read, said, made, skill } = await benched('required')
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
    const again = await whetstone(['grade', made])
    expect(again.code, again.stderr).toBe(0)
    expect(read('with_skill', 'grading.json').expectations).toHaveLength(4)
    expect(read('with_skill', 'grading.json').expectations[3]).toMatchObject({
      passed: true,
      tests: [{ name: 'a', passed: true }],
    })
  })
  test('control: without the sandbox the agent finds them', async () => {
    const { said } = await benched('off', ['--trust-suite'])
    expect(said('without_skill')).toContain(secret)
  })
})
