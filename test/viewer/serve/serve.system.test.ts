/** `view --serve` in a real browser: live while runs come in, notes saved at once, nothing for foreign pages, no way out of its files. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { takeLease } from '../../../src/store/lease/lease.ts'
import { agent, fresh, makeSkill, whetstone } from '../../e2e/program.ts'
import { withChromium } from '../browser.ts'
import { type Asked, ask, serveForAll } from './served.ts'

withChromium('view --serve', () => {
  const { it, opened } = serveForAll(async () => {
    const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
    const flags = ['--engine', agent('verbose.mjs'), '--workspace', path.join(fresh(), 'ws'), '--runs', '2', '--json']
    const end = await whetstone(['bench', skill, ...flags])
    return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
  })

  test('a note is saved at once, in the form of skill-creator', async () => {
    const { page, errors } = await opened('#/run/1/with_skill/1')
    await page.locator('textarea').fill('too long')
    await page.getByText('Saved.').waitFor()
    expect(JSON.parse(readFileSync(path.join(it.folder, 'feedback.json'), 'utf8'))).toMatchObject({
      reviews: [{ run_id: expect.stringMatching(/^eval-1-.*with_skill-run-1$/), feedback: 'too long' }],
      status: 'complete',
    })
    expect(errors).toEqual([])
  })
  test('two pages lose no note of each other, and an emptied one goes', async () => {
    const saved = () => JSON.parse(readFileSync(path.join(it.folder, 'feedback.json'), 'utf8')).reviews
    const texts = () => saved().map(({ feedback }: { feedback: string }) => feedback)
    const [one, other] = [await opened('#/run/1/with_skill/1'), await opened('#/run/1/without_skill/1')]
    await one.page.locator('textarea').fill('of the one')
    await one.page.getByText('Saved.').waitFor()
    await other.page.locator('textarea').fill('of the other')
    await other.page.getByText('Saved.').waitFor()
    expect(texts().sort()).toEqual(['of the one', 'of the other'])
    await one.page.locator('textarea').fill('')
    await expect.poll(texts, { timeout: 10_000 }).toEqual(['of the other'])
    await other.page.locator('textarea').fill('')
    await expect.poll(texts, { timeout: 10_000 }).toEqual([])
  })
  test('a run that comes in is seen without a key being pressed, under an open dialog', async () => {
    const run = path.join(it.folder, 'eval-1-task', 'with_skill', 'run-2')
    const away = path.join(fresh(), 'run-2')
    cpSync(run, away, { recursive: true })
    rmSync(run, { recursive: true })
    const { page } = await opened('#/runs')
    await page.getByText('missing').first().waitFor()
    await page.evaluate('window.untouched = true')
    await page.keyboard.press('?')
    mkdirSync(path.dirname(run), { recursive: true })
    cpSync(away, run, { recursive: true })
    await page.getByText('missing').first().waitFor({ state: 'detached', timeout: 20_000 })
    await expect.poll(() => page.locator('dialog').isVisible()).toBe(true)
    await expect.poll(() => page.evaluate('window.untouched')).toBe(true)
  })
  test('while a process works on it, it runs and is not incomplete', async () => {
    const away = path.join(fresh(), 'run-2')
    const run = path.join(it.folder, 'eval-1-task', 'with_skill', 'run-2')
    cpSync(run, away, { recursive: true })
    rmSync(run, { recursive: true })
    const { page } = await opened('')
    const heading = page.locator('#missing')
    await expect.poll(() => heading.textContent()).toBe('Incomplete')
    const lease = await takeLease(it.folder)
    if ('heldBy' in lease) throw new Error('held by another')
    await page.getByText('Running', { exact: true }).waitFor({ timeout: 20_000 })
    await expect.poll(() => page.locator('.banner').textContent()).toContain('1 run pending')
    await lease[Symbol.asyncDispose]()
    await page.getByText('Incomplete', { exact: true }).waitFor({ timeout: 20_000 })
    cpSync(away, run, { recursive: true })
  })
  test('what changes before the page listens is seen as well', async () => {
    if (it.browser === undefined) throw new Error('no browser')
    const page = await it.browser.newPage()
    const line = { open: () => {} }
    const held = new Promise<void>((resolve) => {
      line.open = resolve
    })
    await page.route('**/events', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(it.url)
    await page.locator('h1').waitFor()
    const lease = await takeLease(it.folder)
    if ('heldBy' in lease) throw new Error('held by another')
    const other = await opened('')
    await other.page.getByText('Running', { exact: true }).waitFor({ timeout: 20_000 })
    await expect.poll(() => page.getByText('Running', { exact: true }).count()).toBe(0)
    line.open()
    await page.getByText('Running', { exact: true }).waitFor({ timeout: 20_000 })
    await lease[Symbol.asyncDispose]()
    await page.getByText('Running', { exact: true }).waitFor({ state: 'detached', timeout: 20_000 })
    await page.close()
  })
  const own = () => ({ host: new URL(it.url).host })
  const json = { 'content-type': 'application/json' }
  const note = JSON.stringify({ reviews: [], status: 'complete' })
  test.each<[string, number, () => Asked]>([
    ['the page', 200, () => ({ path: '/', headers: own() })],
    ['another name for this machine', 403, () => ({ path: '/', headers: { host: 'evil.example' } })],
    ['a foreign origin', 403, () => ({ path: '/', headers: { ...own(), origin: 'http://evil.example' } })],
    ['another site', 403, () => ({ path: '/', headers: { ...own(), 'sec-fetch-site': 'cross-site' } })],
    [
      'notes from a foreign origin',
      403,
      () => ({ path: '/feedback', method: 'POST', headers: { ...own(), ...json, origin: 'null' }, body: note }),
    ],
    [
      'notes as a form',
      415,
      () => ({ path: '/feedback', method: 'POST', headers: { ...own(), 'content-type': 'text/plain' }, body: note }),
    ],
    [
      'notes of no form',
      400,
      () => ({ path: '/feedback', method: 'POST', headers: { ...own(), ...json }, body: '{"a":1}' }),
    ],
    ['out of the folder', 404, () => ({ path: '/report.data/../plan.json', headers: own() })],
    ['out of it, encoded', 404, () => ({ path: '/report.data/%2e%2e%2fplan.json', headers: own() })],
    ['an absolute path', 404, () => ({ path: '//etc/passwd', headers: own() })],
    ['a file of the benchmark', 404, () => ({ path: '/plan.json', headers: own() })],
  ])('%s: %i', async (_what, status, asked) => expect(await ask(it.url, asked())).toBe(status))
  test.each<[string, () => Asked]>([
    ['the page', () => ({ path: '/', headers: own() })],
    ['the page, without the slash', () => ({ path: new URL(it.url).pathname.slice(0, -1), headers: own() })],
    ['a wrong token', () => ({ path: `${new URL(it.url).pathname.slice(0, -2)}/`, headers: own() })],
    ['the next part of the path', () => ({ path: `/x${new URL(it.url).pathname}`, headers: own() })],
    ['what tells of changes', () => ({ path: '/events', headers: own() })],
    ['data of a run', () => ({ path: '/report.data/eval-1-task_with_skill_run-1.js', headers: own() })],
    ['notes', () => ({ path: '/feedback', method: 'POST', headers: { ...own(), ...json }, body: note })],
    ['an address that leads in once, guessed', () => ({ path: '/once/', headers: own() })],
  ])('without the token of the address: %s', async (_what, asked) => {
    expect(await ask(new URL('/', it.url).href, asked())).toBe(403)
  })
  test('negative control: with it they are given', async () => {
    const [, token = ''] = /^\/([\w-]{43})\/$/.exec(new URL(it.url).pathname) ?? []
    expect(token).not.toBe('')
    expect(await ask(it.url, { path: '/', headers: own() })).toBe(200)
    const saved = { path: '/feedback', method: 'POST', headers: { ...own(), ...json }, body: note }
    expect(await ask(it.url, saved)).toBe(200)
  })
  test('negative control: the files that it refuses are there', () => {
    expect(existsSync(path.join(it.folder, 'plan.json'))).toBe(true)
  })
})
