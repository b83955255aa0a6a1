/** Counts the model calls of a run where they pass, and adds to the agent's report those that it does not have. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import type { ForwardedExchange } from '../../base/credential_proxy/exchange_record.ts'
import { unpackBody } from '../../base/http/unpack_body.ts'
import { type ResponseUsage, readResponseUsage } from '../answers/response_usage.ts'
import { readSkillOffers } from '../answers/skill_offer.ts'
import type { EngineError, EngineReport, EngineTask } from '../engine.ts'
import { kindOfStatus } from '../limits/error_text.ts'
import { isOutageKind } from '../limits/execute_within_limits.ts'
import { isStillStreaming } from '../limits/rate_limiter.ts'
import { addUsage, countTokens, estimateCost, noUsage } from '../models/cost.ts'

/** One call. `usage`: as the server counts it, else estimated (`isCounted` false). */
interface ModelCall {
  model: string | null
  provider: string
  usage: Usage
  isCounted: boolean
}

/** A request that counts the tokens of another and spends none. */
const countsOnly = /^[^?]*count[-_]?tokens(?:\?|$)/i
/** Bytes of an unpacked response. */
const unpackedLimit = 256 * 1024 * 1024
/** Of an estimate. */
const bytesPerToken = 4
/** Milliseconds: no agent gives up on a server before. */
const patienceMs = 30_000
/** Different refused requests that a run's record names. */
const mostNamed = 5
/** Characters of each. */
const nameLength = 120

/** Follows all credential proxies of one run. */
export class ModelCalls {
  readonly #calls: ModelCall[] = []
  /** Calls that the agent broke off; they count if it goes on, but not if its end broke them off. */
  #dropped: ModelCall[] = []
  readonly #open = new Set<Promise<void>>()
  readonly #refused = new Map<string, number>()
  #forwarded = 0
  /** The last exchange if the agent broke it off; null: it did not, or goes on. */
  #brokenOff: ForwardedExchange | null = null
  #hasEndpointFailed = false
  /** What the agent's first request says of the skills; null: it has not come, or was not known as such. */
  #offers: EngineReport['offers'] | null = null
  readonly #task: Pick<EngineTask, 'prompt' | 'skills'>
  /** Model responses that the agent's own events show. */
  steps = 0
  /** Whether its requests pass here; false: it asks with a login or a signature of its own. */
  isProxied = false
  /** False: it may ask other servers too, like any program. */
  readonly #asksOneServer: boolean

  constructor(asksOneServer: boolean, task: Pick<EngineTask, 'prompt' | 'skills'>) {
    this.#asksOneServer = asksOneServer
    this.#task = task
  }

  refuse(request: string): void {
    const name = request.length > nameLength ? `${request.slice(0, nameLength)}…` : request
    this.#refused.set(name, (this.#refused.get(name) ?? 0) + 1)
  }

  /** A request has begun; call what it returns when it is over. */
  follow(request: string, provider: string): (exchange: ForwardedExchange) => void {
    this.#calls.push(...this.#dropped)
    this.#dropped = []
    this.#brokenOff = null
    this.#forwarded += 1
    let close = () => {}
    const open = new Promise<void>((resolve) => {
      close = resolve
    })
    this.#open.add(open)
    return (exchange) => {
      const isAsked = request.startsWith('POST ') && !countsOnly.test(request)
      if (hasEndpointFailed(exchange, { isAsked, hasAnswered: this.#calls.length > 0 })) this.#hasEndpointFailed = true
      else if (isAsked && isAnswer(exchange)) this.#hasEndpointFailed = false
      if (isAsked) this.#take(provider, exchange)
      if (isAsked && this.#task.skills.length > 0)
        this.#offers ??= readSkillOffers(Buffer.concat(exchange.request).toString(), this.#task)
      if (isAsked && exchange.end === 'dropped') this.#brokenOff = exchange
      this.#open.delete(open)
      close()
    }
  }

  #take(provider: string, exchange: ForwardedExchange): void {
    if (exchange.status === null || exchange.status >= 300) return
    const { model, usage, end, events } = readExchange(exchange)
    const isCounted = usage !== null
    const call = { model, provider, usage: usage ?? estimate(exchange.sent, events), isCounted }
    if (end === 'failed' || events === 0) return
    if (end !== 'open' || exchange.end === 'whole') this.#calls.push(call)
    else if (exchange.end === 'dropped') this.#dropped.push(call)
  }

  /**
   * A failure that the agent blames on the model's server is the agent's own if that server answered its last requests, or is said to
   * have refused requests that it never got: a program of the agent can end the way there, or answer in its place. Call it after complete.
   */
  correctBlame(error: EngineError): EngineError {
    const isFalse = isOutageKind(error.kind) && (this.#isEndpointFine || this.#isUnasked(error.kind))
    if (!isFalse) return error
    const truth = this.#forwarded > 0 ? "the model's server answered its last requests" : 'that server got no request'
    return { ...error, kind: 'crash', message: `${error.message} (the agent says ${error.kind}, but ${truth})` }
  }

  get #isEndpointFine(): boolean {
    return this.#forwarded > 0 && !this.#hasEndpointFailed
  }

  /**
   * Whether the agent says that the model's server is busy, and that server got no request. An agent that can't reach the proxy says
   * something else: that it got no answer.
   */
  #isUnasked(kind: FailureKind): boolean {
    const gotNone = this.isProxied && this.#asksOneServer && this.#forwarded === 0
    return gotNone && (kind === 'rate_limited' || kind === 'overloaded')
  }

  /** The report of a run that was ended from outside: a response that was arriving counts, and a server silent for `idleMs` has failed. */
  async completeCut(reported: EngineReport, idleMs: number): Promise<EngineReport> {
    await Promise.all(this.#open)
    const last = this.#brokenOff
    if (last === null) return await this.complete(reported)
    if (isStillStreaming(last) && readExchange(last).events > 0) {
      this.#calls.push(...this.#dropped)
      this.#dropped = []
      return await this.complete({ ...reported, answered: true, retrying: null })
    }
    const message = `the server sent nothing for ${Math.round(last.silentMs / 1000)} s`
    const silence = last.silentMs < idleMs ? null : ({ kind: 'server_error', message } as const)
    return await this.complete({ ...reported, retrying: reported.retrying ?? silence })
  }

  /** The report with the calls that it lacks: their tokens and their cost are the run's. Waits for the last responses. */
  async complete(reported: EngineReport): Promise<EngineReport> {
    await Promise.all(this.#open)
    const { retrying } = reported
    const isFalse = this.#isEndpointFine || (retrying !== null && this.#isUnasked(retrying.kind))
    const offers = this.#offers ?? undefined
    const report = { ...reported, ...(isFalse && { retrying: null }), ...(offers && { offers }) }
    const refusedRequests = [...this.#refused].map(([name, times]) => (times === 1 ? name : `${name} (${times} times)`))
    const named = refusedRequests.slice(0, mostNamed)
    if (refusedRequests.length > mostNamed) named.push(`${refusedRequests.length - mostNamed} others`)
    const withRefused = named.length === 0 ? report : { ...report, refusedRequests: named }
    // a server that counts no tokens tells nothing
    if (report.usage === null && !this.#calls.some(({ isCounted }) => isCounted)) return withRefused
    const usage = this.#calls.map((call) => call.usage).reduce(addUsage, noUsage)
    if (report.usage !== null && isUnsplit(report.usage, usage)) {
      const cost = report.cost?.source === 'agent' ? report.cost : await this.#priceCalls(report)
      return { ...withRefused, usage, cost }
    }
    const tokens = countTokens(usage) - countTokens(report.usage ?? noUsage)
    // less than a call: some agents leave out a part of their tokens, such as those that they think with
    if (tokens <= 0 || this.#calls.every((call) => countTokens(call.usage) > tokens)) return withRefused
    const furtherCalls = this.#countFurther(tokens, report)
    const cost = await this.#price(report, tokens)
    return { ...withRefused, usage, cost, ...(furtherCalls && { furtherCalls }) }
  }

  /** null: the agent's own responses have these tokens, and it reports too few. */
  #countFurther(tokens: number, { usage }: EngineReport): EngineReport['furtherCalls'] | null {
    if (usage === null) return { calls: this.#calls.length, tokens }
    const sizes = this.#calls.map((call) => countTokens(call.usage)).sort((a, b) => a - b)
    const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0)
    const most = sizes.filter((_, at) => sum(sizes.slice(0, at + 1)) <= tokens).length
    const calls = Math.min(most, sizes.length - this.steps)
    return calls > 0 ? { calls, tokens: Math.min(tokens, sum(sizes.slice(-calls))) } : null
  }

  /** Each call at the list price of its model, else of the run's. null: one is not listed. */
  async #priceCalls({ model, provider }: EngineReport): Promise<Cost | null> {
    let all = 0
    for (const call of this.#calls) {
      const by = provider ?? call.provider
      const usd = (await price(call.usage, call.model, by)) ?? (await price(call.usage, model, by))
      if (usd === null) return null
      all += usd
    }
    return { usd: all, source: 'estimated' }
  }

  /** Where a call has no list price, its tokens cost what the agent's own cost on average. */
  async #price(report: EngineReport, tokens: number): Promise<Cost | null> {
    const { usage, cost, model, provider } = report
    const calls = await this.#priceCalls(report)
    const all = calls?.usd ?? null
    if (cost === null) return usage === null ? calls : null
    const listed = (usage && (await price(usage, model, provider ?? ''))) ?? cost.usd
    const further =
      all !== null
        ? Math.max(0, all - Math.min(cost.usd, listed))
        : usage === null
          ? 0
          : (cost.usd * tokens) / countTokens(usage)
    return { ...cost, usd: cost.usd + further }
  }
}

/**
 * Whether the model's server failed in this exchange. What an agent can bring about at will proves nothing: it drops an exchange before a
 * long silence, does not send its request whole, sends another key after answered calls, sends a request that the server does not know, or
 * so many that spend no tokens that they are refused.
 */
function hasEndpointFailed(
  exchange: ForwardedExchange,
  { isAsked, hasAnswered }: { isAsked: boolean; hasAnswered: boolean },
): boolean {
  if (exchange.end === 'cut') return false
  if (exchange.end === 'broken') return true
  if (exchange.status !== null && exchange.status >= 400) {
    const kind = kindOfStatus(exchange.status)
    if (kind === 'rate_limited') return isAsked
    return isOutageKind(kind) || (kind === 'credentials' && !hasAnswered)
  }
  if (exchange.end === 'dropped') return exchange.silentMs >= patienceMs
  return readExchange(exchange).isFailed || (isAsked && isNoAnswer(exchange))
}

async function price(spent: Usage, id: string | null, provider: string): Promise<number | null> {
  return id === null ? null : ((await estimateCost(spent, id, provider))?.usd ?? null)
}

/** Whether the agent counts tokens that came from a cache as input, and otherwise what the server counts. */
function isUnsplit(own: Usage, counted: Usage): boolean {
  const [all, same] = [own, counted].map((one) => one.input_tokens + one.cache_read_tokens + one.cache_write_tokens)
  return own.cache_read_tokens === 0 && counted.cache_read_tokens > 0 && all === same
}

function isAnswer(exchange: ForwardedExchange): boolean {
  const { status, end } = exchange
  return status !== null && status < 300 && end === 'whole' && !readExchange(exchange).isFailed
}

/** Whether it is a page, such as that of a captive portal, or a stream without events. */
function isNoAnswer(exchange: ForwardedExchange): boolean {
  return /html|event-?stream/.test(exchange.headers['content-type'] ?? '') && readExchange(exchange).events === 0
}

function readExchange({ headers, body }: ForwardedExchange): ResponseUsage {
  const nothing: ResponseUsage = { model: null, usage: null, end: 'open', isFailed: false, events: 1 }
  if (body === null) return nothing
  try {
    const unpacked = unpackBody(body, headers['content-encoding'] ?? '', unpackedLimit)
    return readResponseUsage(headers['content-type'] ?? '', unpacked)
  } catch {
    return nothing // compressed in another way, or cut
  }
}

/** For a response without counts: a token for every four bytes of the request, and one for each event of the response. */
function estimate(sent: number, events: number): Usage {
  return { ...noUsage, input_tokens: Math.ceil(sent / bytesPerToken), output_tokens: events }
}
