// Looking up quotes in a transcript of 5 MB, beyond normalising it once per run.
import path from 'node:path'
import { fresh, median, report, root, timed, write } from './shared.mjs'

const { evidenceFiles } = await import(path.join(root, 'dist/src/phases/3-judge/evidence/files.js'))
const { verifyEvidence } = await import(path.join(root, 'dist/src/phases/3-judge/evidence/verify.js'))

let seed = 1
const random = (below) => {
  seed = (seed * 48271) % 2147483647
  return seed % below
}
const words =
  'the report total amount ocean desert table row file wrote read found checked sum of and in for with not'.split(' ')
const line = (number) =>
  `     ${number}\u2192${Array.from({ length: 12 }, () => words[random(words.length)]).join(' ')} ${random(100_000)} \u201cdone\u201d\n`

let text = ''
for (let number = 1; text.length < 5 * 2 ** 20; number += 1) text += line(number)
const lines = text.split('\n')
const plain = (at) => lines[at].replace(/^\s*\d+\u2192/, '')
const places = Array.from({ length: 10 }, () => random(lines.length - 10))
const slip = (quote) => quote.replace('report', 'reprot').replace('the ', 'a ')
const quotes = {
  'exact, one line': places.map((at) => plain(at)),
  'exact, upper case, over three lines': places.map((at) =>
    `${plain(at)}\n${plain(at + 1)}\n${plain(at + 2)}`.toUpperCase(),
  ),
  'with an ellipsis': places.map((at) => `${plain(at).slice(0, 40)} \u2026 ${plain(at + 3).slice(-30)}`),
  'with slips': places.map((at) => slip(`${plain(at)} ${plain(at + 1)}`)),
  'nowhere, a line': places.map((at) => plain(at).split(' ').reverse().join(' ')),
  'nowhere, 2,000 characters': places.map((at) =>
    lines
      .slice(at, at + 25)
      .reverse()
      .join(' ')
      .slice(0, 2000),
  ),
}

const folder = write(fresh(), { 'transcript.md': text })
const files = evidenceFiles({ runFolder: folder, prompt: '', outputs: [], inputs: [] })
const look = (quote) => verifyEvidence(`transcript.md:\n\`\`\`\n${quote}\n\`\`\``, files, [])
const first = await timed(async () =>
  look('a quote that makes it be read and normalised, both ways, and stands nowhere'),
)
for (const [name, list] of Object.entries(quotes)) {
  const took = []
  const before = process.cpuUsage()
  const found = {}
  for (const quote of list) {
    const { ms, result } = await timed(async () => look(quote))
    took.push(ms)
    found[result.verified] = (found[result.verified] ?? 0) + 1
  }
  const { user, system } = process.cpuUsage(before)
  const cpu = (user + system) / 1000 / list.length
  report({
    name: `evidence in 5 MB: ${name}`,
    value: median(took),
    limit: 100,
    unit: 'ms',
    detail: `at most ${Math.max(...took).toFixed(0)} ms; ${cpu.toFixed(0)} ms of CPU on average; ${JSON.stringify(found)}`,
  })
}
console.log(`      reading and normalising the 5 MB once, and the first quote: ${first.ms.toFixed(0)} ms`)
