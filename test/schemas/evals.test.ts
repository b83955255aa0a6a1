/** schemas/json/evals.schema.json: an editor that holds a suite against it sees what the loader refuses. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { evalsFile } from '../../schemas/evals.ts'
import { loadEvals, userError } from '../phases/1-plan/folder.ts'

const written = new URL('../../schemas/json/evals.schema.json', import.meta.url)
const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(written, 'utf8')))

test('a suite has at least one case, by the loader and by the schema', async () => {
  const none = { skill_name: 'sums', evals: [] }
  expect((await userError(loadEvals(none))).message).toContain('$.evals is an empty list')
  expect([fits(none), evalsFile.safeParse(none).success]).toEqual([false, false])
})

test('one case is enough for both', async () => {
  const one = { skill_name: 'sums', evals: [{ id: 1, prompt: 'p' }] }
  expect((await loadEvals(one)).cases).toHaveLength(1)
  expect([fits(one), evalsFile.safeParse(one).success]).toEqual([true, true])
})
