/** Files that checks need: found in the suite, hidden from agents, part of what is trusted and graded. */
import { describe, expect, test } from 'vitest'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { checkSkill } from '../../../../src/phases/1-plan/check/check_skill.ts'
import { noSkills } from '../../../../src/phases/1-plan/skill/skill_commands.ts'
import { commandHashes, listCommands } from '../../../../src/phases/1-plan/suite/suite_commands.ts'
import { hashGradingInputs } from '../../../../src/phases/3-judge/grade/grade_run.ts'
import { loadCase, loadEvals, skillWith } from '../folder.ts'

const verify = { 'evals/verify.sh': 'exit 0\n', 'evals/t/a.sh': 'exit 0\n', 'evals/t/b.txt': 'b\n' }
const command = (run: string, more: object = {}) => ({
  id: 1,
  prompt: 'p',
  checks: [{ type: 'command', run, ...more }],
})

async function load(one: object, files: Record<string, string> = verify) {
  const { case: read, warnings } = await loadCase(one, files)
  const [check] = read.checks
  const placed = check !== undefined && 'files' in check ? check.files : undefined
  return { read, warnings, placed, named: read.grading_files?.map(({ path: name, kind }) => `${kind} ${name}`) }
}

describe('files of a command check', () => {
  const [sh, folder] = ['evals/verify.sh', 'evals/t']
  const listed = (from: string, to: string) => ({ files: [{ from, to }] })
  const input = { ...command('cat evals/t/b.txt'), files: [folder] }
  test.each<[string, object, string | undefined, string | undefined]>([
    ['a word of the command', command(`sh ${sh}`), `${sh} > ${sh}`, `file ${sh}`],
    ['a folder in the command', command('pytest ./evals/t/ -q'), `${folder} > ${folder}`, `directory ${folder}`],
    ['a list', command('sh v.sh', listed(sh, 'v.sh')), `${sh} > v.sh`, `file ${sh}`],
    ['both name it', command(`sh ${sh}`, { files: [sh] }), `${sh} > ${sh}`, `file ${sh}`],
    [
      'below a listed folder',
      command('sh evals/t/a.sh', { files: [folder] }),
      `${folder} > ${folder}`,
      `directory ${folder}`,
    ],
    ['a filled place', command('sh evals/t/a.sh', listed(sh, 'evals/t/a.sh')), `${sh} > evals/t/a.sh`, `file ${sh}`],
    ['next to the suite', command('sh verify.sh', { files: ['verify.sh'] }), 'verify.sh > verify.sh', 'file verify.sh'],
    ['an input, which the agent may change', input, undefined, undefined],
    ['the suite itself', command('test -s evals/evals.json'), undefined, undefined],
    ['no file of the suite', command('test -f evals/out.txt'), undefined, undefined],
  ])('%s', async (_, one, placed, named) => {
    const found = await load(one)
    expect(found.read.cannot_run).toBeNull()
    const places = found.placed?.map((file) => (typeof file === 'string' ? file : `${file.from} > ${file.to}`))
    expect([places?.join(), found.named?.join()]).toEqual([placed, named])
  })

  test.each<[string, object, string]>([
    ['a missing file', command('true', { files: ['evals/gone.sh'] }), 'file of a check evals/gone.sh: no such file'],
    ['a missing script in the command', command('sh evals/gone.sh'), 'file of a check evals/gone.sh: no such file'],
    ['a script', { id: 1, prompt: 'p', checks: [{ type: 'script', script: 'gone.py' }] }, 'gone.py: no such file'],
    ['outside', command('true', { files: ['../x'] }), 'leads out of the skill folder'],
    ['the suite', command('true', { files: ['evals'] }), 'it contains the suite itself'],
    ['two at one place', command('true', { files: [sh, folder].map((from) => ({ from, to: 'x' })) }), 'would be at x'],
  ])('%s keeps the case from running', async (_, one, reason) =>
    expect((await load(one)).read.cannot_run).toContain(reason),
  )
  test('a script that the agent is asked to write is not missing', async () => {
    expect((await load({ ...command('sh evals/new.sh'), prompt: 'Write evals/new.sh' })).read.cannot_run).toBeNull()
  })
  test('what agents see is reported', async () => {
    const visible = { ...verify, 'scripts/v.sh': 'x' }
    const seen = await load(command('true', { files: ['scripts/v.sh'] }), visible)
    expect(seen.warnings.join()).toContain('move it to evals/')
    const given = { ...command('true', { files: ['evals/verify.sh'] }), files: ['evals/verify.sh'] }
    expect((await load(given)).warnings.join()).toContain('is also an input file')
    expect((await load(command('sh evals/verify.sh'))).warnings).toEqual([])
  })
  test('check reports a missing file once, as an error', async () => {
    const found = async (one: object) =>
      (await checkSkill(skillWith({ skill_name: 'sums', evals: [one] }, verify))).problems
        .filter(({ message }) => /evals\/\w+\.sh/.test(message))
        .map(({ severity, rule }) => `${severity} ${rule}`)
    expect(await found(command('sh evals/gone.sh'))).toEqual(['error input-missing'])
    expect(await found(command('sh evals/verify.sh'))).toEqual([])
  })
})

describe('what they are part of', () => {
  const suite = async (text: string, checks: object[] = [{ type: 'command', run: 'sh evals/verify.sh' }]) =>
    (
      await loadEvals(
        { skill_name: 'sums', evals: [{ id: 1, prompt: 'p', checks }] },
        { 'evals/verify.sh': text, 'evals/g.py': text },
      )
    ).cases
  const script = [{ type: 'script', script: 'evals/g.py', args: ['-v'] }]
  const trusted = (cases: readonly SuiteCase[]) => commandHashes(cases, () => noSkills)
  const graded = (cases: readonly SuiteCase[]) =>
    cases.map((one) => hashGradingInputs({ runKey: 'k', case: one, judge: null, onTimeout: 'fail' }))

  test.each([[undefined], [script]])('the trust and the grading change with their content: %j', async (checks) => {
    for (const hash of [trusted, graded]) {
      expect(hash(await suite('exit 0\n', checks))).toEqual(hash(await suite('exit 0\n', checks)))
      expect(hash(await suite('exit 0\n', checks))).not.toEqual(hash(await suite('exit 1\n', checks)))
    }
  })
  test('a script is listed among the commands', async () => {
    const listed = listCommands(await suite('', script), () => noSkills)
    expect(listed).toMatchObject([{ kind: 'check', command: 'evals/g.py -v' }])
  })
})
