/** JavaScript checks: expressions, bodies of functions and functions in files that get the answer. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../../schemas/check.ts'
import { hashFile } from '../../../../src/base/fs/files.ts'
import { toFunctionBody } from '../../../../src/base/text/function_body.ts'
import { decideCheck } from '../../../../src/phases/3-judge/checks/decide_check.ts'
import { sceneWith, temporary, undecided, write } from '../scene.ts'

const answer = 'The total is 42'

async function decide(parameters: object, files: Record<string, string> = {}) {
  const root = await temporary()
  await write(root, files)
  const gradingFiles = await Promise.all(
    Object.keys(files).map(async (name) => {
      const source = path.join(root, name)
      return { path: name, source, kind: 'file' as const, sha256: await hashFile(source), bytes: 1 }
    }),
  )
  const all = Object.keys(files).map((name) => ({ from: name, to: name }))
  const check = checkSchema.parse({ type: 'javascript', ...(all.length > 0 && { files: all }), ...parameters })
  return decideCheck(check, await sceneWith({ 'sum.txt': '42\n' }, { finalResponse: answer, gradingFiles }))
}

describe('code', () => {
  test.each<[string, object]>([
    ["output.includes('42') &&\n  output.includes('total')", { passed: true }],
    ["const words = output.split(' '); words.length === 4", { passed: true }],
    ["const end = output.split(';').at(-1); end.endsWith('42')", { passed: true }],
    ["if (output.includes('43')) {\n  return false;\n}\nreturn true;", { passed: true }],
    ['return { pass: false, score: 0.5, reason: "half" }', { passed: false, score: 0.5, evidence: 'half (Score 0.5)' }],
    ["(await import('node:fs')).readFileSync('sum.txt', 'utf8') === '42\\n'", { passed: true }],
  ])('%s', async (code, verdict) => {
    expect(await decide({ code })).toMatchObject(verdict)
  })
  test.each<[object, object]>([
    [{ code: '0.5' }, { passed: true, score: 0.5 }],
    [{ code: '7' }, { passed: true, evidence: 'Returned 7 (Passed)' }],
    [
      { code: '0.5', pass_at: 0.6 },
      { passed: false, score: 0.5 },
    ],
    [
      { code: '0.5', pass_at: 0.5 },
      { passed: true, score: 0.5 },
    ],
  ])('a number: %j', async (parameters, verdict) => expect(await decide(parameters)).toMatchObject(verdict))
  test('gets the variables, the settings and the prompt', async () => {
    const code = 'context.vars.word === "a" && context.config.n === 2 && "prompt" in context'
    expect(await decide({ code, vars: { word: 'a' }, config: { n: 2 } })).toMatchObject({ passed: true })
    expect(await decide({ code, vars: { word: 'b' }, config: { n: 2 } })).toMatchObject({ passed: false })
  })
  test.each(['output.missing', 'output.match(/1989/)', '({ ok: "no" })'])(
    '%s returns no verdict: a fail',
    async (code) => {
      expect(await decide({ code })).toEqual({
        passed: false,
        evidence: expect.stringMatching(/^It returned .*, not true, false/),
      })
    },
  )
  test('what it throws is a fail', async () => {
    expect(await decide({ code: 'JSON.parse(output).x' })).toEqual({
      passed: false,
      evidence: expect.stringMatching(/^Threw SyntaxError: .*JSON/),
    })
  })
  test.each([[{ code: 'process.exit(0)' }, 'no JSON']])('%j decides nothing', async (parameters, why) =>
    expect(await decide(parameters)).toEqual(undecided(why)),
  )
  test('one that takes too long is a fail', async () => {
    const verdict = await decide({ code: 'while (true);', timeout: 0.5 })
    expect(verdict).toEqual({ error: 'timed out: the script did not end within 0.5 s' })
  })
})

describe('a file', () => {
  const passes = 'output.includes(context.vars.word)'
  test.each<[string, string, object]>([
    ['a.js', `module.exports = (output, context) => ${passes}`, {}],
    ['a.cjs', `module.exports = { other: (output, context) => ${passes} }`, { function: 'other' }],
    ['a.mjs', `export function has(output, context) { return ${passes} }`, { function: 'has' }],
    ['a.ts', `export default (output: string, context: any): boolean => ${passes}`, {}],
    ['lib/a.js', `const { has } = require('./b.js')\nmodule.exports = has`, {}],
  ])('%s: %s', async (script, text, more) => {
    const files = {
      [script]: text,
      ...(script.startsWith('lib/') && { 'lib/b.js': `exports.has = (output, context) => ${passes}` }),
    }
    expect(await decide({ script, vars: { word: '42' }, ...more }, files)).toMatchObject({ passed: true })
    expect(await decide({ script, vars: { word: '43' }, ...more }, files)).toMatchObject({ passed: false })
  })
  test.each<[string, string, string, object]>([
    ['without such an export', 'export const x = 1', 'it exports no function has', { function: 'has' }],
    ['with a mistake', 'export default (', 'the code cannot be loaded', {}],
  ])('%s decides nothing', async (_, text, why, more) => {
    expect(await decide({ script: 'a.mjs', ...more }, { 'a.mjs': text })).toEqual(undecided(why))
  })
})

test('text that is not JavaScript has no body, and nothing of it runs', () => {
  expect(toFunctionBody('output includes 42')).toBeNull()
  expect(toFunctionBody('}); globalThis.ran = true; (() => {')).toBeNull()
  expect('ran' in globalThis).toBe(false)
})

test.each([
  [{ code: 'true', script: 'a.js' }, 'needs either'],
  [{}, 'needs either'],
  [{ code: 'true', function: 'has' }, 'names an export'],
  [{ script: 'a.py' }, 'must end in .ts'],
])('%j is refused', (parameters, why) => {
  const { error } = checkSchema.safeParse({ type: 'javascript', ...parameters })
  expect(JSON.stringify(error?.issues)).toContain(why)
})
