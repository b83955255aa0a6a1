/** What eval-config.json says of the sandbox and the environment holds in the run. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { fresh } from '../program.ts'
import { copyOfExample, evaluated } from './aam.ts'

/** Tries to write in two places, and says what came of it and of EVAL_MODE. */
const agent = `
import { existsSync, writeFileSync } from 'node:fs'
const said = ['open/a.txt', 'elsewhere.txt'].map((file) => {
  try {
    writeFileSync(file, 'x')
    return file + ' written'
  } catch (error) {
    return file + ' refused'
  }
})
console.log([...said, 'mode ' + process.env.EVAL_MODE, 'in ' + process.cwd()].join(', '))
`

async function runAgent(flags: readonly string[], folder = copyOfExample()) {
  const program = path.join(fresh(), 'agent.mjs')
  writeFileSync(program, agent)
  const engine = ['--engine', `command:${process.execPath} ${program}`, '--judge', 'command:echo no']
  return await evaluated(folder, ['audit', ...engine, ...flags])
}

async function said(...asked: Parameters<typeof runAgent>) {
  const ran = await runAgent(...asked)
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
test('the temporary folder is gone at the end; --keep keeps the working folder with the results', async () => {
  for (const keep of [[], ['--keep']]) {
    const ran = await runAgent(['--sandbox', 'off', ...keep])
    const [, place = ''] = /in (\/\S+)/.exec(ran.result().cases[0]?.output_snippet ?? '') ?? []
    expect(place).toMatch(/\/work$/)
    expect(existsSync(path.dirname(place))).toBe(false)
    const kept = () => ran.read('audit', 'work/elsewhere.txt')
    if (keep.length > 0) expect(kept()).toBe('x')
    else expect(kept).toThrow('ENOENT')
  }
})
