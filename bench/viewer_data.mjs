// The data of bench/viewer.mjs: a benchmark of many runs with 6 expectations each and evidence of realistic length.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const words =
  'the report names every region and its total as line of output says with sum of north south east west'.split(' ')
let state = 7
const random = () => {
  state = (state * 48271) % 2147483647
  return state / 2147483647
}
const sentence = (length) => {
  let text = ''
  while (text.length < length) text += `${words[Math.floor(random() * words.length)]} ${Math.floor(random() * 999)} `
  return text.slice(0, length)
}

const perCase = 100

/** `runs` runs, half of them in each arm. */
export function manyRuns(runs) {
  const cases = Array.from({ length: runs / perCase }, (_, index) => ({
    eval_id: index + 1,
    name: `case ${index + 1} ${sentence(20)}`,
  }))
  const statements = cases.map(() => Array.from({ length: 6 }, () => sentence(60)))
  const all = cases.flatMap(({ eval_id, name }, at) =>
    ['with_skill', 'without_skill'].flatMap((configuration) =>
      Array.from({ length: perCase / 2 }, (_, index) => {
        const expectations = statements[at].map((text) => ({
          text,
          passed: random() < (configuration === 'with_skill' ? 0.8 : 0.5),
          evidence: sentence(130),
          decided_by: 'judge',
        }))
        const passed = expectations.filter((one) => one.passed).length
        return {
          eval_id,
          eval_name: name,
          configuration,
          run_number: index + 1,
          result: {
            pass_rate: passed / 6,
            passed,
            failed: 6 - passed,
            total: 6,
            time_seconds: Math.round(random() * 9000) / 100,
            tokens: Math.floor(random() * 90_000),
            tool_calls: Math.floor(random() * 30),
            errors: 0,
            cost_usd: Math.round(random() * 1e6) / 1e6,
            skill_read: configuration === 'with_skill',
          },
          expectations,
          notes: [],
        }
      }),
    ),
  )
  const stats = { mean: 0.7, stddev: 0.1, min: 0, max: 1 }
  return {
    metadata: {
      skill_name: 'sales-report',
      skill_path: '/skills/sales-report',
      executor_model: 'practice-1',
      analyzer_model: 'rules',
      timestamp: '2026-01-15T10:30:00Z',
      evals_run: cases.map(({ eval_id }) => eval_id),
      runs_per_configuration: perCase / 2,
    },
    runs: all,
    run_summary: {
      with_skill: { pass_rate: stats },
      without_skill: { pass_rate: stats },
      delta: { pass_rate: '+0.30' },
    },
    notes: [],
  }
}

/** The same as folders of runs, as skill-creator's tools leave them. */
export function writeFolders(folder, { runs }) {
  for (const { eval_id, configuration, run_number, expectations, result } of runs) {
    const own = path.join(folder, `eval-${eval_id}`, configuration, `run-${run_number}`)
    mkdirSync(path.join(own, 'outputs'), { recursive: true })
    writeFileSync(
      path.join(own, 'eval_metadata.json'),
      JSON.stringify({ eval_id, prompt: `the task of case ${eval_id}` }),
    )
    const { passed, failed, total, pass_rate } = result
    writeFileSync(
      path.join(own, 'grading.json'),
      JSON.stringify({ expectations, summary: { passed, failed, total, pass_rate } }),
    )
  }
}
