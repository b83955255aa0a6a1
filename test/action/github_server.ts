/** GitHub's API on loopback, as far as comments need it: stored, in pages, with authors and permissions. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StoredComment {
  id: number
  body: string
  html_url: string
  user: { login: string; type: 'Bot' | 'User' }
}

interface ServerOptions {
  comments?: readonly { body: string; user: StoredComment['user'] }[]
  /** The token only reads, as that of a fork's pull request. */
  readOnly?: boolean
  /** Answers of the first requests instead of the usual ones; null: the usual one. */
  first?: readonly ({ status: number; headers?: Record<string, string>; body?: string } | null)[]
  /** Whose token it is; absent: that of a workflow, which may not ask. */
  login?: string
  /** Called after a comment is stored, before the answer. */
  onCreated?: (store: StoredComment[]) => void
}

export const bot = { login: 'github-actions[bot]', type: 'Bot' } as const

export type GithubServer = Awaited<ReturnType<typeof startGithub>>

export async function startGithub({
  comments = [],
  readOnly = false,
  first = [],
  login,
  onCreated,
}: ServerOptions = {}) {
  const store: StoredComment[] = []
  const requests: { method: string; url: string; token: string; body: string }[] = []
  const faults = [...first]
  const add = (body: string, user: StoredComment['user']) => {
    const id = 1000 + requests.length + store.length * 100
    const one = { id, body, html_url: `https://github.example/comment/${id}`, user }
    store.push(one)
    return one
  }
  for (const { body, user } of comments) add(body, user)

  function answer(method: string, url: URL, body: string): { status: number; value: unknown } {
    if (url.pathname === '/user')
      return login === undefined
        ? { status: 403, value: { message: 'Resource not accessible by integration' } }
        : { status: 200, value: { login } }
    const refused = { status: 403, value: { message: 'Resource not accessible by integration' } }
    if (method !== 'GET' && readOnly) return refused
    const text = body === '' ? '' : String(JSON.parse(body).body)
    if (text.length > 65_536)
      return { status: 422, value: { message: 'Body is too long (maximum is 65536 characters)' } }
    const [, id] = /^\/repos\/ada\/skills\/issues\/comments\/(\d+)$/.exec(url.pathname) ?? []
    const known = store.find((one) => one.id === Number(id))
    if (id !== undefined && known === undefined) return { status: 404, value: { message: 'Not Found' } }
    if (known !== undefined && method === 'DELETE') return { status: 204, value: store.splice(store.indexOf(known), 1) }
    if (known !== undefined) return { status: 200, value: Object.assign(known, { body: text }) }
    if (!/^\/repos\/ada\/skills\/issues\/7\/comments$/.test(url.pathname))
      return { status: 404, value: { message: 'Not Found' } }
    if (method === 'GET') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(url.searchParams.get(name)))
      const from = ((page || 1) - 1) * (size || 30)
      return { status: 200, value: store.slice(from, from + (size || 30)) }
    }
    const created = add(text, login === undefined ? bot : { login, type: 'User' })
    onCreated?.(store)
    return { status: 201, value: created }
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [body, url] = [Buffer.concat(chunks).toString(), new URL(request.url ?? '', 'http://127.0.0.1')]
    const { method = 'GET', headers } = request
    requests.push({ method, url: request.url ?? '', token: headers.authorization ?? '', body })
    const fault = faults.shift()
    const { status, value } = fault ? { status: fault.status, value: { message: 'later' } } : answer(method, url, body)
    response.writeHead(status, { 'content-type': 'application/json', ...fault?.headers })
    response.end(status === 204 ? undefined : (fault?.body ?? JSON.stringify(value)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ url, store, requests },
    /** Bodies of the comments that are ours. */
    ours: () => store.filter(({ body }) => body.startsWith('<!-- whetstone-comment')).map(({ body }) => body),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
