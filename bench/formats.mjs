// Suites of all formats found and read, and what `test` takes for a case beyond the script that the case starts.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { context, fresh, paired, report, root, write } from './shared.mjs'

const { findSuites, loadSuites } = await import(path.join(root, 'dist/src/phases/1-plan/find_suites.js'))
const { testPackage } = await import(path.join(root, 'dist/src/flows/test_package.js'))

const skill = '---\nname: s\ndescription: Does things.\n---\n\nDo it.\n'
const suites = {
  evals: (at) => ({
    [`${at}/SKILL.md`]: skill,
    [`${at}/evals/evals.json`]: JSON.stringify({
      skill_name: 's',
      evals: [1, 2, 3].map((id) => ({ id, prompt: `do ${id}`, expectations: ['it is done'] })),
    }),
  }),
  aam: (at) => ({
    [`${at}/package.agent.json`]: '{"name":"p","version":"1.0.0"}',
    [`${at}/skills/s/SKILL.md`]: skill,
    [`${at}/hooks/hooks.json`]: '{"version":1,"hooks":{"stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    [`${at}/evals/eval-config.json`]: '{"version":1,"engine":"claude-code"}',
    [`${at}/evals/cases/a.yaml`]:
      'name: a\ntarget: skill:s\ninput: { prompt: do it }\nexpected: { contains: [x] }\njudge: { criteria: it is done }\n',
  }),
  eval_md: (at) => ({
    [`${at}/SKILL.md`]: skill,
    [`${at}/EVAL.md`]: '## one\n\n### Prompt\n\nDo it.\n\n### Expect\n\nIt is done.\n',
  }),
  plugin: (at) => ({
    [`${at}/SKILL.md`]: skill,
    [`${at}/evals/one/prompt.md`]: 'Do it.',
    [`${at}/evals/one/graders/g.md`]: '---\ntype: llm\n---\n\nIt is done.\n',
  }),
}

const tree = fresh()
const kinds = Object.values(suites)
for (let n = 0; n < 2000; n += 1) write(tree, kinds[n % kinds.length](`d${n % 40}/s${n}`))
const times = []
for (let round = 0; round < 3; round += 1) {
  const start = performance.now()
  const found = await findSuites(tree, null)
  const read = await loadSuites(found)
  const whole = read.filter(({ read: { value } }) => value?.cases.every((one) => one.cannot_run === null))
  if (whole.length !== 2000) throw new Error(`${whole.length} suites`)
  times.push((performance.now() - start) / 1000)
}
const seconds = times.sort((a, b) => a - b)[1]
report({ name: '2,000 suites found and loaded', value: seconds, limit: 2, unit: 's', detail: 'four formats' })

const cases = 20
const command = 'node scripts/say.mjs'
const tested = write(fresh(), {
  'package.agent.json': '{"name":"p"}',
  'skills/s/SKILL.md': skill,
  'skills/s/scripts/say.mjs': 'console.log("hello")',
  'skills/s/tests/test-config.json': '{"version":1}',
})
for (let n = 0; n < cases; n += 1) {
  write(tested, {
    [`skills/s/tests/cases/${n}.yaml`]: `name: c${n}\ninput: { command: "${command}" }\nexpected: { stdout-contains: [hello] }\n`,
  })
}
const wish = { package: tested, skill: null, hooks: false, event: null, case: null }
const floor = () => {
  const start = performance.now()
  for (let n = 0; n < cases; n += 1) spawnSync('/bin/sh', ['-c', command], { cwd: path.join(tested, 'skills/s') })
  return performance.now() - start
}
const ours = async () => {
  const start = performance.now()
  const { summary } = await testPackage(wish, context({ PATH: process.env.PATH }))
  if (summary.passed !== cases) throw new Error(`${summary.passed} of ${cases} passed`)
  return performance.now() - start
}
const { ratio, floor: bare, ours: took } = await paired({ rounds: 5, floor, ours })
report({
  name: 'test, a case',
  value: ratio,
  limit: 1.3,
  detail: `${(took / cases).toFixed(0)} ms, its script alone ${(bare / cases).toFixed(0)} ms`,
})
