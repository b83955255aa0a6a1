/** A record or a plan from elsewhere names nothing outside of the folders that it is about. */
import { describe, expect, test } from 'vitest'
import { sandboxSettings } from '../../schemas/evals.ts'
import { runSpec } from '../../schemas/plan.ts'
import { runRecord } from '../../schemas/run.ts'
import { environment, inputFile, installedSkill } from '../../schemas/suite.ts'
import { checkAs } from '../../src/base/json/json.ts'
import { record } from '../fixtures/record.ts'

const outside = [
  ...['../x', '../../../etc/passwd', 'a/../../x', 'a/..', '..', '../', '/etc/passwd', '/', '', '.', './'],
  ...['a\0b', 'a\n/../../x', '\n/../x', '../\n'],
]
const inside = [
  ...['a.txt', 'a/b/c.txt', '..a', 'a..', '...', 'a/...', '.env', '.claude/x', 'a..b/c', ' ', 'a b'],
  ...['a\\b', '..\\x', 'C:\\x', 'a\nb', '\n', 'ü/\uFFFD', 'a/./b', 'x/'],
]

const input = (path: string) => ({ path, source: '/in/x', kind: 'file' as const, sha256: 'x', bytes: 1 })
const around = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {} }
const outputs = (some: object) => ({ ...record(), outputs: { files: [], deleted: [], left_out: [], ...some } })
const fields: Record<string, (path: string) => [Parameters<typeof checkAs>[0], unknown]> = {
  'outputs.files[0].path': (path) => {
    const file = { path, bytes: 1, sha256: 'x', change: 'created' as const }
    return [runRecord, outputs({ files: [file] })]
  },
  'outputs.deleted[0]': (path) => [runRecord, outputs({ deleted: [path] })],
  path: (path) => [inputFile, input(path)],
  'rules[0].path': (path) => [environment, { ...around, rules: [input(path)] }],
  'texts.…': (path) => [environment, { ...around, texts: { [path]: '' } }],
  'agent_texts.…': (path) => [environment, { ...around, agent_texts: { [path]: '' } }],
  name: (path) => [installedSkill, { name: path, description: '', path: '/s', sha256: 'x' }],
}

describe.each(Object.entries(fields))('%s', (field, made) => {
  test('what leads out is refused, and the field is named', () => {
    for (const path of outside)
      expect(() => checkAs(...made(path), 'run.json')).toThrow(`run.json: $.${field.replace('…', path)}: `)
  })
  test('what lies below it is taken', () => {
    for (const path of inside) expect(checkAs(...made(path), 'run.json')).toEqual(made(path)[1])
  })
})

const folderToo = {
  'outputs.left_out': (path: string) => runRecord.safeParse(outputs({ left_out: [{ path, reason: 'r' }] })),
  only_writable: (path: string) => sandboxSettings.safeParse({ only_writable: [path] }),
}
describe.each(Object.entries(folderToo))('%s may be the folder itself', (_, parsed) => {
  test.each(outside.filter((one) => !one.startsWith('.') || one.includes('..')))('%j: no', (path) =>
    expect(parsed(path).success).toBe(false),
  )
  test.each([...inside, '.', './'])('%j: yes', (path) => expect(parsed(path).success).toBe(true))
})

test.each<[string, boolean]>([
  ['eval-1-überblick/with_skill/run-12', true],
  ...['../eval-1/with_skill/run-1', 'eval-1/../../run-1', 'eval-1/..', '/etc/run-1', 'eval-1//run-1'].map(refused),
  ...['..\\run-1', '.', '', 'a\n/../../run-1', 'a/\n/../run-1', 'a\0b'].map(refused),
])('run_id %j: %s', (id, fits) => expect(runSpec.shape.run_id.safeParse(id).success).toBe(fits))

function refused(id: string): [string, boolean] {
  return [id, false]
}
