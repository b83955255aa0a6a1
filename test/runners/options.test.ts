/** The options of evalSuite: each has its own kind of value, every slip is told, and nothing that is known is refused. */
import { describe, expect, test } from 'vitest'
import { noLimits } from '../../src/flows/limits/limits.ts'
import { toEvalRequest } from '../../src/runners/vitest.ts'

/** As a JavaScript file gives them. */
const given = (text: string) => toEvalRequest('skills', JSON.parse(text))

describe('refused', () => {
  test.each([
    ['{"timeoutSeconds":"x"}', 'timeoutSeconds must be a number of seconds above 0 and up to 604800 (a week), not "x"'],
    ['{"timeoutSeconds":0}', 'not 0'],
    ['{"timeoutSeconds":1e9}', 'not 1000000000'],
    ['{"retries":1.5}', 'retries must be a whole number from 0 to 100, not 1.5'],
    ['{"retries":null}', 'retries must be a whole number from 0 to 100, not null'],
    ['{"cases":"good"}', 'cases must be a list of texts, not "good"'],
    ['{"keep":"yes"}', 'keep must be true or false'],
    ['{"limits":5}', 'limits must be an object, not 5'],
    ['{"timeout":60}', 'unknown option "timeout" (did you mean "timeoutSeconds"?)'],
    ['{"engin":"x"}', 'unknown option "engin" (did you mean "engine"?)'],
    ['[]', 'the options must be an object'],
    ['{"a":1,"keep":0}', 'unknown option "a"; keep must be true or false, not 0'],
  ])('%s', (text, said) => expect(() => given(text)).toThrow(said))
  test.each(['', '  ', 7, null, undefined])('%j as a place', (place) => {
    expect(() => toEvalRequest(place, {})).toThrow('the first argument must be a path')
  })
})

describe('taken', () => {
  test('nothing, and null where that is what holds without', () => {
    expect(given('{}')).toMatchObject({ path: 'skills', timeoutSeconds: null, retries: 2, fresh: true })
    expect(given('{"timeoutSeconds":null,"remote":null,"engine":null}')).toMatchObject({ timeoutSeconds: null })
  })
  test('each value, and limits with what they leave out', () => {
    const options = { timeoutSeconds: 0.5, retries: 0, cases: ['a'], keep: true, engine: 'codex' }
    expect(toEvalRequest('skills', options)).toMatchObject(options)
    expect(given('{"limits":{"budget":5}}').limits).toEqual({ ...noLimits, budget: 5 })
  })
})
