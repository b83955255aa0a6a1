/** The inputs of a run on another machine. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { packInputs, unpackInputs } from '../../../../src/features/queue/coordinator/pack_inputs.ts'
import { specOf } from '../../../fixtures/run_spec.ts'
import { folderOf } from '../../../phases/1-plan/folder.ts'
import { answers, environmentOf, ran } from '../../../phases/2-run/surroundings.ts'

test('programs of evals/bin travel to another machine', async () => {
  const { environment } = await environmentOf({ 'gh.yaml': answers, 'data/prs.json': '[7]\n' })
  const packed = await packInputs(specOf({ environment }))
  const elsewhere = folderOf({})
  for (const file of packed.files) {
    mkdirSync(path.dirname(path.join(elsewhere, file.path)), { recursive: true })
    writeFileSync(path.join(elsewhere, file.path), readFileSync(file.source))
  }
  const spec = await unpackInputs(packed.spec, elsewhere)
  expect(spec.environment?.programs?.folder.source.startsWith(elsewhere)).toBe(true)
  const { record } = await ran('gh pr list', { ...(spec.environment && { environment: spec.environment }) })
  expect(record.final_response).toBe('[7]')
})
