/** The reference's own example of each artefact fits our schemas, loses nothing, and fits the JSON Schema made from them. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type ArtefactName, artefacts } from '../../schemas/artefacts.ts'

const folder = path.join(import.meta.dirname, 'fixtures')
const examples = readdirSync(folder).map((file) => path.basename(file, '.json'))
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8'))
const isArtefact = (name: string): name is ArtefactName => name in artefacts
const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** The artefact of an example. */
function schemaOf(name: string) {
  if (!isArtefact(name)) throw new Error(`no artefact is called ${name}`)
  return artefacts[name]
}

test('every artefact that the reference documents has an example here', () => {
  expect(examples.sort()).toEqual(
    'analysis benchmark comparison eval_metadata evals feedback grading history metrics timing'.split(' '),
  )
})

describe.each(examples)('%s', (name) => {
  test('parses and loses nothing', () => expect(schemaOf(name).parse(read(name))).toEqual(read(name)))
  test('keeps a field it does not know', () => {
    const value = { ...Object(read(name)), field_of_another_tool: { kept: true } }
    expect(schemaOf(name).parse(value)).toEqual(value)
  })
  test('fits the generated JSON Schema, and a wrong type does not', () => {
    const fits = ajv.compile(z.toJSONSchema(schemaOf(name), { target: 'draft-2020-12', io: 'input' }))
    expect([fits(read(name)), fits.errors]).toEqual([true, null])
    expect(fits([read(name)])).toBe(false)
  })
})

test.each([
  ['with_skill', 'without_skill'],
  ['new_skill', 'old_skill'],
])('a benchmark of %s and %s keeps arms and delta apart', (candidate, baseline) => {
  const example = artefacts.benchmark.parse(read('benchmark'))
  const { with_skill, without_skill, delta } = example.run_summary
  const renamed = { ...example, run_summary: { [candidate]: with_skill, [baseline]: without_skill, delta } }
  expect(artefacts.benchmark.parse(renamed)).toEqual(renamed)
})
