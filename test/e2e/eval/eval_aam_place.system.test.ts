/** What eval-config.json says of the sandbox and the environment holds in the run. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { fresh } from '../program.ts'
import { copyOfExample, evaluated } from './aam.ts'

/** Tries to write in two places, and says what came of it and of EVAL_MODE. */
const agent = `
import { writeFileSync } from 'node:fs'
const said = ['open/a.txt', 'elsewhere.txt'].map((file) => {
  try {
    writeFileSync(file, 'x')
    return file + ' written'
  } catch (error) {
    return file + ' refused'
  }
})
console.log([...said, 'mode ' + process.env.EVAL_MODE].join(', '))
`

const said = async (flags: readonly string[], folder = copyOfExample()) => {
  const program = path.join(fresh(), 'agent.mjs')
  writeFileSync(program, agent)
  const engine = ['--engine', `command:${process.execPath} ${program}`, '--judge', 'command:echo no']
  const ran = await evaluated(folder, ['audit', ...engine, ...flags])
  return `${ran.result().cases[0]?.output_snippet}\n${ran.end.stderr}`
}

needs(
  'a sandbox',
  (await probeSandbox(process.env.PATH ?? '')).ok,
  'apt-get install bubblewrap',
)('writable-paths', () => {
  test('are the only folders that the agent may change', async () => {
    expect(await said(['--sandbox', 'required'])).toContain('open/a.txt written, elsewhere.txt refused, mode true')
  })
  test('negative control: without them all of the workspace is', async () => {
    const folder = copyOfExample((replace) => {
      replace('evals/eval-config.json', ', "writable-paths": ["open/", "closed/", "output/"]', '')
    })
    expect(await said(['--sandbox', 'required'], folder)).toContain('elsewhere.txt written')
  })
})
test('without a sandbox it is said that nothing keeps the agent to them', async () => {
  const text = await said(['--sandbox', 'off'])
  expect(text).toContain('elsewhere.txt written')
  expect(text).toContain('without a sandbox nothing enforces this')
})
