// A judge that repeats recorded decisions: a local server that speaks the Messages API. It reads which response it is shown first, and
// answers with what was recorded for that order.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createMessage } from '../../dist/src/features/practice/message.js'
import { anthropicWire } from '../../dist/src/features/practice/wires/anthropic.js'

const winners = { 'A>B': 'D1', 'B>A': 'D2', 'A=B': 'TIE' }
const scores = { D1: [4, 2], D2: [2, 4], TIE: [3, 3] }
const criterion = (name) => ({ name, meaning: `It is ${name}.` })
const criteria = {
  content: [criterion('correct'), criterion('complete')],
  structure: [criterion('clear'), criterion('ordered')],
}

/**
 * `findPair(index)` gives `first` and `second`, both responses as a judge sees them, and `decisions`: for the order first–second, then for
 * second–first, each as A>B (the one shown first wins), B>A or A=B; null: no decision. Pair 3 is judged at <url>/3.
 */
export async function startReplayingJudge(findPair) {
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    if (asked.stream !== true) return response.end('{"input_tokens":1}') // the probe before a comparison
    const content = [decideContent(asked, findPair(Number(request.url.split('/')[1])))]
    const frames = anthropicWire.frames(createMessage(asked, content), asked.tools ?? [])
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end(frames.join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function decideContent({ messages, tools }, pair) {
  const call = (name, input) => ({ type: 'tool_use', id: `toolu_${messages.length}`, name, input })
  if (!tools.some(({ name }) => name === 'Read')) return call('submit', criteria)
  const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const shown = results.find(({ type }) => type === 'tool_result')
  if (shown === undefined) return call('Read', { file_path: 'D1/response.md' })
  const decision = pair.decisions[isFirstShown(shown.content[0].text, pair) ? 0 : 1]
  const winner = winners[decision]
  if (winner === undefined) return { type: 'text', text: 'No decision was recorded.' }
  const side = (label) => ({
    scores: [...criteria.content, ...criteria.structure].map(({ name }) => ({
      criterion: name,
      score: scores[winner][label === 'D1' ? 0 : 1],
    })),
    strengths: [],
    weaknesses: [],
    expectations: [],
  })
  return call('submit', { winner, reasoning: `Recorded: ${decision}.`, D1: side('D1'), D2: side('D2') })
}

/** Whether D1 is the pair's first response: the one that agrees with the numbered lines longer. */
function isFirstShown(numbered, { first, second }) {
  const text = numbered.replaceAll(/^\d+\t/gm, '')
  const [one, two] = [first, second].map((response) => countSharedStart(text, response))
  if (one === two) throw new Error('both responses fit what the judge read')
  return one > two
}

function countSharedStart(a, b) {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return at
}
