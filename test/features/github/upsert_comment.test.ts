/** One comment of ours on a pull request: written once, updated in place, whatever else is there and whoever runs at the same time. */
import { describe, expect, test } from 'vitest'
import { upsertComment } from '../../../src/features/github/comment.ts'
import { bot, type GithubServer, startGithub } from '../../action/github_server.ts'

const marker = '<!-- whetstone-comment: whetstone -->'
const signal = new AbortController().signal

function comment(
  github: GithubServer,
  text: string,
  changes: { isUpdateOnly?: boolean; pullRequest?: number; marker?: string } = {},
) {
  const api = { url: github.url, token: 'secret-token', signal, baseMs: 1 }
  const body = `${changes.marker ?? marker}\n${text}`
  return upsertComment(api, { repository: 'ada/skills', pullRequest: 7, marker, isUpdateOnly: false, ...changes, body })
}

const person = { login: 'mallory', type: 'User' } as const
const others = (count: number) => Array.from({ length: count }, (_, at) => ({ body: `talk ${at}`, user: person }))

describe('upsertComment', () => {
  test('creates one, then updates it in place, also behind 250 others', async () => {
    await using github = await startGithub({ comments: others(250) })
    expect(await comment(github, 'one')).toMatchObject({ status: 'created', url: expect.stringContaining('/comment/') })
    expect(await comment(github, 'two')).toMatchObject({ status: 'updated' })
    expect(github.ours()).toEqual([`${marker}\ntwo`])
    expect(github.store).toHaveLength(251)
  })
  test("leaves a person's comment with the marker alone, and one of a bot that quotes it", async () => {
    const planted = { body: `${marker}\nmine`, user: person }
    const quoting = { body: `> ${marker}\nquoted`, user: bot }
    await using github = await startGithub({ comments: [planted, quoting] })
    expect(await comment(github, 'ours')).toMatchObject({ status: 'created' })
    expect(github.store.map(({ body }) => body)).toEqual([planted.body, quoting.body, `${marker}\nours`])
  })
  test("a person's token: their own comment counts, not that of a bot", async () => {
    const comments = [
      { body: `${marker}\nof a bot`, user: bot },
      { body: `${marker}\nold`, user: { login: 'ada', type: 'User' as const } },
    ]
    await using github = await startGithub({ comments, login: 'ada' })
    expect(await comment(github, 'new')).toMatchObject({ status: 'updated' })
    expect(github.ours()).toEqual([`${marker}\nof a bot`, `${marker}\nnew`])
  })
  test('two that exist become one: the oldest', async () => {
    const comments = ['first', 'second'].map((text) => ({ body: `${marker}\n${text}`, user: bot }))
    await using github = await startGithub({ comments })
    const [{ id } = { id: 0 }] = github.store
    await comment(github, 'now')
    expect(github.store.map((one) => [one.id, one.body])).toEqual([[id, `${marker}\nnow`]])
  })
  test('another job that creates it at the same moment leaves one', async () => {
    const onCreated = (store: GithubServer['store']) => {
      if (store.length === 1) store.unshift({ id: 1, body: `${marker}\nof the other job`, html_url: 'x', user: bot })
    }
    await using github = await startGithub({ onCreated })
    await comment(github, 'ours')
    expect(github.store.map(({ id, body }) => [id, body])).toEqual([[1, `${marker}\nours`]])
  })
  test('with nothing to say it only updates', async () => {
    await using github = await startGithub()
    expect(await comment(github, 'nothing', { isUpdateOnly: true })).toEqual({ status: 'none' })
    expect(github.store).toEqual([])
  })
  test('a server error, a rate limit and a lost connection are repeated', async () => {
    const first = [{ status: 502 }, { status: 403, headers: { 'retry-after': '0' } }, { status: 429 }]
    await using github = await startGithub({ first })
    expect(await comment(github, 'one')).toMatchObject({ status: 'created' })
    expect(github.ours()).toHaveLength(1)
  })
  test('a limit that lasts too long is an answer, not a wait', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.round(Date.now() / 1000) + 3000) }
    await using github = await startGithub({ first: [null, { status: 403, headers }] })
    expect(await comment(github, 'one')).toMatchObject({ status: 'refused', code: 403 })
    expect(github.requests).toHaveLength(2)
  })
  test.each([
    ['a token that only reads', { readOnly: true }, {}, 403],
    ['a pull request that it does not see', {}, { pullRequest: 8 }, 404],
    ['a body that is too long', {}, { marker: `${marker}${'x'.repeat(66_000)}` }, 422],
  ])('%s: refused, without a second try', async (_, options, changes, code) => {
    await using github = await startGithub(options)
    expect(await comment(github, 'one', changes)).toMatchObject({ status: 'refused', code })
    expect(github.store).toEqual([])
  })
  test('a server that is not there: refused with code 0, and the token is in no message', async () => {
    const github = await startGithub()
    await github[Symbol.asyncDispose]()
    const end = await comment(github, 'one')
    expect(end).toMatchObject({ status: 'refused', code: 0 })
    expect(JSON.stringify(end)).not.toContain('secret-token')
  })
})
