/** init: a suite of drafts that `check` passes and the plain schema reads; whatever a model answers, nothing else is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { runMain } from '../../cli/run_main.ts'
import { skillWith, write } from '../../features/triggers/triggers_stage.ts'
import { jsonLines } from '../bench/benched.ts'
import { fresh } from '../program.ts'
import { again, draft, drafted, drafts } from './drafting.ts'

/** evals.json as skill-creator documents it. */
const plain = z.object({
  skill_name: z.string(),
  evals: z.array(
    z.object({ id: z.number().int(), prompt: z.string().min(1), expectations: z.array(z.string().min(1)) }),
  ),
})

const three = [{ cases: drafts(3) }]
const args = ['--cases', '3']

describe('what is written', () => {
  test('is a suite that check passes, marked case by case, with the files it names', async () => {
    const { end, made, skill, asked } = await drafted(three, { args })
    expect(end.code, end.stderr).toBe(0)
    expect(plain.parse(made).evals.map(({ id }) => id)).toEqual([1, 2, 3])
    expect(made.evals.map((one: { review: string }) => one.review)).toEqual(['draft', 'draft', 'draft'])
    expect(made.evals[0].checks).toEqual([
      { type: 'file_exists', path: 'page-1.md' },
      { type: 'regex', pattern: '^# Monday', path: 'page-1.md', text: 'Monday has a heading' },
    ])
    expect(readFileSync(path.join(skill, 'evals/files/page-2.txt'), 'utf8')).toContain('monday 2 milk')
    expect(asked[0]).toContain('Tidies up messy notes')
    const checked = await runMain(['check', skill])
    expect(checked.code, checked.stdout).toBe(0)
    expect(checked.stdout).toContain('[unreviewed-draft]')
    expect((await runMain(['check', skill, '--fail-on', 'warning'])).code).toBe(1)
  })
  test('--json ends with one line on it all', async () => {
    const { end, file, skill } = await drafted(three, { args: [...args, '--json'] })
    const lines = jsonLines(end.stdout)
    expect(lines.map(({ type }) => type)).toEqual(['drafting', 'drafting', 'result'])
    expect(lines.at(-1)).toMatchObject({ exit_code: 0, file, missing: null, left_out: [], problems: [], calls: 1 })
    expect(lines.at(-1).cost_usd).toBeGreaterThan(0)
    expect(lines.at(-1).files).toContain(path.join(skill, 'evals/files/page-1.txt'))
  })
})

describe('nothing is written over', () => {
  test('a suite that is there: told before anybody is asked, with the way out', async () => {
    const skill = skillWith(undefined)
    const file = write(skill, 'evals/evals.json', '{"mine": true}')
    const { end, asked } = await drafted(three, { args, skill })
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('--output evals/drafts.json')
    expect([asked.length, readFileSync(file, 'utf8')]).toEqual([0, '{"mine": true}'])
  })
  test('--output puts others beside it: no id and no prompt of theirs', async () => {
    const skill = skillWith(undefined)
    const one = { id: 7, prompt: draft(1).prompt, expectations: ['e'] }
    write(skill, 'evals/evals.json', JSON.stringify({ skill_name: 'tidy', evals: [one] }))
    const output = path.join(skill, 'evals/more.json')
    const { end, asked } = await drafted([{ cases: drafts(3) }], {
      args: [...args, '--output', output, '--json'],
      skill,
    })
    expect(asked[0]).toContain('Cases that there are already')
    const made = JSON.parse(readFileSync(output, 'utf8'))
    expect(made.evals.map(({ id }: { id: number }) => id)).toEqual([8, 9])
    expect(end.stdout).toContain('its prompt is that of another case')
  })
  test('a suite of another format', async () => {
    const skill = skillWith(undefined)
    write(skill, 'EVAL.md', '## One\n\n### Prompt\n\nTidy.\n\n### Expect\n\nTidied.\n')
    expect((await drafted(three, { args, skill })).end.code).toBe(2)
  })
  test('an input file that is there: the case is left out, the file stays', async () => {
    const skill = skillWith(undefined)
    const mine = write(skill, 'evals/files/page-1.txt', 'mine')
    const { made, asked, end } = await drafted(three, { args, skill })
    expect(readFileSync(mine, 'utf8')).toBe('mine')
    expect(asked[0]).toContain('are taken')
    expect(made.evals.map(({ name }: { name: string }) => name)).toEqual(['page 2', 'page 3'])
    expect([end.code, end.stdout.includes('there is a page-1.txt already')]).toEqual([3, true])
  })
})

describe('what a model may answer', () => {
  const outside = path.join(fresh(), 'outside.txt')
  const file = (name: string) => draft(1, { files: [{ path: name, content: 'escaped' }] })
  test.each([
    ['above', 'evals/files/../../../outside.txt'],
    ['absolute', outside],
    ['with a back slash', 'evals\\files\\..\\x'],
    ['the skill itself', 'SKILL.md'],
    ['the suite itself', 'evals/evals.json'],
    ['hidden', 'evals/files/.git/hooks/pre-commit'],
    ['the folder', 'evals/files'],
  ])('a file whose path is %s is never written', async (_, name) => {
    const { end, made, skill } = await drafted([{ cases: [file(name), draft(2)] }], { args: ['--cases', '2'] })
    expect(end.stdout).toContain('is not a plain path below evals/files/')
    expect(made.evals).toHaveLength(1)
    expect(existsSync(outside)).toBe(false)
    expect(readFileSync(path.join(skill, 'SKILL.md'), 'utf8')).not.toContain('escaped')
    expect(readdirSync(path.join(skill, 'evals/files'))).toEqual(['page-2.txt'])
  })
  test('a link in evals/files leads nowhere', async () => {
    const skill = skillWith(undefined)
    const away = fresh()
    mkdirSync(path.join(skill, 'evals/files'), { recursive: true })
    symlinkSync(away, path.join(skill, 'evals/files/link'))
    const { end } = await drafted([{ cases: [file('evals/files/link/x.txt')] }], { args: ['--cases', '1'], skill })
    expect(end.code).toBe(3)
    expect(readdirSync(away)).toEqual([])
  })
  test('mistakes are told once, and the mended answer is taken', async () => {
    const broken = draft(1, { checks: [{ type: 'regex', value: '(' }, { type: 'file_exists' }] })
    const { end, made, asked } = await drafted([{ to: again, cases: drafts(2) }, { cases: [broken, draft(2)] }], {
      args: ['--cases', '2'],
    })
    expect(end.code, end.stderr).toBe(0)
    expect([made.evals.length, asked.length]).toEqual([2, 2])
    expect(asked[1]).toContain('regex check')
    expect(asked[1]).toContain('file_exists check')
  })
  test.each([
    ['text that is no JSON', 'I would rather not.'],
    ['no case', []],
  ])('%s, twice: a clear error, and nothing written', async (_, cases) => {
    const { end, asked, skill } = await drafted([{ cases }], { args })
    expect(end.code).toBe(3)
    expect(end.stderr).toContain('no case was drafted')
    expect(end.stderr).toContain('nothing was written')
    expect(asked.some((one) => one.includes(again))).toBe(true)
    expect(existsSync(path.join(skill, 'evals'))).toBe(false)
  })
  test('cases that are the same count once; more than asked for are left out', async () => {
    const { end, made } = await drafted([{ cases: [draft(1), draft(1), ...drafts(3, 2)] }], { args })
    expect(made.evals.map(({ name }: { name: string }) => name)).toEqual(['page 1', 'page 2', 'page 3'])
    expect(end.stdout).toContain('its prompt is that of another case')
    expect(end.stdout).toContain('more than requested')
  })
  test('what check calls an error keeps its case out, though its form is right; what it would warn of is said', async () => {
    const checks = [{ type: 'file_modified', path: 'notes.md' }]
    const weak = draft(3, { checks: [{ type: 'contains', value: 'save it as page-3.md' }] })
    const { end, made } = await drafted([{ cases: [draft(2, { files: [], checks }), weak] }], {
      args: ['--cases', '2'],
    })
    expect([end.code, made.evals.length]).toEqual([3, 1])
    expect(end.stdout, 'a warning keeps none out').toContain('[check-value-in-prompt]')
    expect(end.stdout).toContain('1 of 2 cases were drafted')
    expect(end.stdout).toContain('[check-cannot-pass]')
  })
  test('a model that stops half way: what was made is kept, exit code 3', async () => {
    const answers = [{ to: 'page 10"', cases: 'enough' }, { cases: drafts(10) }]
    const { end, made } = await drafted(answers, { args: ['--cases', '20'] })
    expect([end.code, made.evals.length]).toEqual([3, 10])
    expect(end.stdout).toContain('INCOMPLETE')
  })
})

describe('what a user may ask', () => {
  test('--dry-run asks nobody and writes nothing', async () => {
    const { end, asked, made } = await drafted(three, { args: ['--cases', '25', '--dry-run'] })
    expect(end.stdout).toMatch(/25 cases for tidy, drafted by anthropic:\S+ in 3 questions/)
    expect(end.stdout).toMatch(/^estimate {2}\$[\d.]+, about 1[5-9],\d{3} tokens/m)
    expect([end.code, asked.length, made]).toEqual([0, 0, null])
  })
  test('a skill without a description is refused', async () => {
    const skill = skillWith(undefined)
    write(skill, 'SKILL.md', '---\nname: tidy\n---\n')
    const { end, asked } = await drafted(three, { args, skill })
    expect([end.code, asked.length, end.stderr]).toEqual([2, 0, expect.stringContaining('description')])
  })
  test('a SKILL.md of 1 MB: the model sees its beginning, and that is said', async () => {
    const skill = skillWith(undefined)
    const body = `${'Tidy up. '.repeat(120_000)}END-OF-SKILL`
    write(skill, 'SKILL.md', `---\nname: tidy\ndescription: Tidies up.\n---\n\n${body}`)
    const { end, asked } = await drafted(three, { args, skill })
    expect(end.stdout).toContain('the model sees its first 40000 characters')
    expect(asked[0]?.length).toBeLessThan(60_000)
    expect(asked[0]).not.toContain('END-OF-SKILL')
  })
  test.each([
    ['drafts.txt', 'expected a .json file'],
    ['drafts.json', 'agents would see this suite'],
  ])('--output %s in the folder of the skill is refused', async (name, message) => {
    const skill = skillWith(undefined)
    const { end } = await drafted(three, { args: ['--output', path.join(skill, name)], skill })
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
  test('outside of the skill its files lie beside the suite', async () => {
    const output = path.join(fresh(), 'evals/drafts.json')
    const { end } = await drafted(three, { args: [...args, '--output', output] })
    expect(end.code, end.stderr).toBe(0)
    expect(existsSync(path.join(path.dirname(output), 'files/page-1.txt'))).toBe(true)
    expect((await runMain(['check', output])).stdout).not.toContain('input-missing')
  })
})
