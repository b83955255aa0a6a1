// 1,000 gradings by a judge that answers at once: what is left is ours (room, transcript, prompt, evidence, rules, grading.json on disk).
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { fresh, report, root, timed, wide, write } from './shared.mjs'

const count = Number(process.argv[2] ?? 1000)
const from = (name) => import(path.join(root, 'dist/src', name))
const { gradeRun } = await from('phases/3-judge/grade.js')
const { emptyReport } = await from('engines/engine.js')
const { transcriptMarkdown } = await from('phases/2-run/transcript.js')
const { writeGrading } = await from('store/store.js')

const statements = ['The total is 42', 'Every row has a place', 'The report names the ocean']
const verdicts = statements.map((_, at) => ({
  n: at + 1,
  passed: true,
  evidence: `outputs/report.md: "Ocean: ${at + 40}"`,
}))
const engine = {
  name: 'instant',
  credentials: [],
  skillsFolder: '.skills',
  run: async () => ({ status: 'completed', report: { ...emptyReport, answer: { verdicts } } }),
}

const at = '2026-01-15T10:30:00.000Z'
const prompt = 'Add up the amounts.'
const events = Array.from({ length: 40 }, (_, index) => [
  { type: 'assistant', at, step: index + 1, text: `I look at part ${index} of the amounts. `.repeat(5) },
  { type: 'tool_call', at, step: index + 1, id: `${index}`, name: 'Read', input: { file_path: `part-${index}.csv` } },
  {
    type: 'tool_result',
    at,
    step: index + 1,
    id: `${index}`,
    name: 'Read',
    output: 'place,amount\nOcean,42\n'.repeat(10),
    is_error: false,
  },
]).flat()
const files = {
  'transcript.jsonl': events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  'transcript.md': transcriptMarkdown(prompt, events),
  'outputs/report.md': Array.from({ length: 200 }, (_, row) => `Ocean: ${row}`).join('\n'),
  'outputs/data.csv': 'place,amount\n'.repeat(200),
  'timing.json': JSON.stringify({ total_tokens: 1, duration_ms: 1, total_duration_seconds: 1 }),
}
const benchmark = fresh()
const idOf = (place) => `eval-1/with_skill/run-${place + 1}`
const home = fresh()
mkdirSync(home, { recursive: true })
const one = {
  eval_id: 1,
  eval_key: null,
  eval_name: 'totals',
  prompt,
  expected_output: null,
  expectations: statements.map((text) => ({ text })),
  checks: [],
  files: [],
  reference: null,
  cannot_run: null,
}
const record = {
  key: 'k',
  status: 'completed',
  final_response: 'done',
  duration_ms: 1,
  loaded: null,
  outputs: { files: [], deleted: [], left_out: [] },
}
const { signal } = new AbortController()

async function grade(place) {
  const runFolder = path.join(benchmark, idOf(place))
  const graded = await gradeRun({
    case: one,
    record,
    runFolder,
    judge: { engine, model: null, command: null },
    onTimeout: 'fail',
    restore: async () => {},
    env: { PATH: process.env.PATH, HOME: home },
    credentials: {},
    signal,
  })
  if (graded?.grading.summary.passed !== 3) throw new Error(JSON.stringify(graded))
  await writeGrading(benchmark, idOf(place), graded.grading, graded)
}

const width = 8
for (let place = 0; place < width; place += 1) write(path.join(benchmark, idOf(place)), files)
await wide(16, width, (number) => grade(number % width))
const before = process.cpuUsage()
let next = 0
const { ms } = await timed(() =>
  Promise.all(
    Array.from({ length: width }, async (_, place) => {
      while (next < count) {
        next += 1
        await grade(place)
      }
    }),
  ),
)
const { user, system } = process.cpuUsage(before)
report({
  name: `a grading beyond the judge's own time, ${count} of them, ${width} at once`,
  value: ms / count,
  limit: 10,
  unit: 'ms',
  detail: `${((user + system) / 1000 / count).toFixed(1)} ms of CPU`,
})
