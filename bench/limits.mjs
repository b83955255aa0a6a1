// A provider whose limit nobody tells and that moves: how much of it is used, and how much is refused; a fixed number beside it.
import { readFileSync } from 'node:fs'
import { context, library, makeSkill, report, request, startPractice } from './shared.mjs'

const { bench } = await library()
const latencyMs = 700
const stepSeconds = 25
const settleSeconds = 10
const bears = [24, 8, 32]
const limits = bears.map((concurrent, at) => ({ from_s: at * stepSeconds, concurrent }))
const turns = 6
const scenario = {
  limits,
  latency: latencyMs,
  rules: [
    { name: 'end', when: { turn: turns }, answer: { text: 'done' } },
    { name: 'look', answer: { tool_calls: { name: 'Glob', input: { pattern: '*' } } } },
  ],
}
const cases = Array.from({ length: 10 }, (_, at) => ({
  id: at + 1,
  prompt: `task ${at}`,
  checks: [{ type: 'contains', value: 'done' }],
}))

/** Benches until the last step is over, and gives the requests by their seconds since the first. */
async function played(changes) {
  const practice = await startPractice(scenario)
  const drain = new AbortController()
  const over = setTimeout(() => drain.abort(), bears.length * stepSeconds * 1000)
  const skill = makeSkill(cases)
  const asked = request({ skill, engine: 'anthropic:practice-1', runs: 60, retries: 2, ...changes })
  const { benchmark } = await bench(asked, { ...context(practice.env), drain: drain.signal })
  clearTimeout(over)
  await practice.end()
  const sent = readFileSync(practice.log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((one) => one.path === '/v1/messages')
  const first = Math.min(...sent.map(({ at }) => Date.parse(at)))
  const requests = sent.map(({ at, status }) => ({ at: (Date.parse(at) - first) / 1000, status }))
  const failed = Object.entries(benchmark.counts.excluded).filter(([why]) => why.startsWith('failed'))
  return { requests, failed: failed.reduce((sum, [, count]) => sum + count, 0), used: benchmark.counts.used }
}

/** Between two times: the share of what the server bore that was used, and the share of answers that were refusals. */
function figures(requests, spans) {
  const within = (at) => spans.some(([from, to]) => at >= from && at < to)
  const all = requests.filter(({ at }) => within(at))
  const refused = all.filter(({ status }) => status === 429).length
  let busy = 0
  let borne = 0
  for (const [from, to] of spans) {
    for (const { at, status } of requests) {
      if (status === 200) busy += Math.max(0, Math.min(to, at + latencyMs / 1000) - Math.max(from, at))
    }
    for (const [step, count] of bears.entries()) {
      borne += count * Math.max(0, Math.min(to, (step + 1) * stepSeconds) - Math.max(from, step * stepSeconds))
    }
  }
  return { goodput: busy / borne, refusals: refused / all.length }
}

const steady = bears.map((_, at) => [at * stepSeconds + settleSeconds, (at + 1) * stepSeconds])
const whole = [[0, bears.length * stepSeconds]]
const percent = (share) => `${(share * 100).toFixed(1)} %`

const ours = await played({ concurrency: 64 })
const found = figures(ours.requests, steady)
const inAll = figures(ours.requests, whole)
const told = [`${percent(found.goodput)} used, ${percent(inAll.goodput)} with the ${settleSeconds} s after each move`]
const steps = bears.map((count, at) => `${count}: ${percent(figures(ours.requests, [steady[at]]).goodput)}`)
const name = `a hidden limit of ${bears.join(', ')} at once, ${stepSeconds} s each`
report({
  name: `${name}: unused`,
  value: (1 - found.goodput) * 100,
  limit: 10,
  unit: '%',
  detail: [...told, ...steps].join('; '),
})
report({
  name: `${name}: refused`,
  value: found.refusals * 100,
  limit: 5,
  unit: '%',
  detail: `${percent(inAll.refusals)} with the moves`,
})
report({ name: `${name}: failed runs`, value: ours.failed, limit: 0, unit: 'runs', detail: `${ours.used} graded` })
for (const concurrency of [8, 32]) {
  const fixed = await played({ concurrency, pace: { rateControl: false } })
  const { goodput, refusals } = figures(fixed.requests, steady)
  console.log(
    `      beside it ${concurrency} at once, fixed: ${percent(goodput)} used, ${percent(refusals)} refused, ${fixed.failed} failed runs, ${fixed.used} graded`,
  )
}
