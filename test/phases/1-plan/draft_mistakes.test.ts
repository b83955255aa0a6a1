/** Files of drafted cases that would be one file on a system where case does not count, or a file and a folder. */
import { expect, test } from 'vitest'
import { findDraftMistakes } from '../../../src/phases/1-plan/draft/draft_answer.ts'

type Files = Record<string, string>

const caseWith = (prompt: string, files: Files) => ({
  ...{ name: prompt, kind: 'typical' as const, prompt, expected_output: '', expectations: ['it is done'], checks: [] },
  files: Object.entries(files).map(([name, content]) => ({ path: `evals/files/${name}`, content })),
})

test.each<[string, Files[], number[]]>([
  ['one case, names alike but for case', [{ 'a.csv': '1', 'A.csv': '2' }], [0]],
  ['one case, a file and a folder', [{ a: '1', 'A/b': '2' }], [0]],
  ['two cases, names alike but for case', [{ 'a.csv': '1' }, { 'A.csv': '2' }], [1]],
  ['two cases with the same file', [{ 'a.csv': '1' }, { 'a.csv': '1' }], []],
  ['one case of two files', [{ 'a.csv': '1', 'b.csv': '1' }], []],
])('%s', (_, files, wrong) => {
  const cases = files.map((one, at) => caseWith(`prompt ${at}`, one))
  expect([...findDraftMistakes(cases, { prompts: [], taken: [] }).keys()]).toEqual(wrong)
})
