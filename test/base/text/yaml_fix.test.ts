/** Invalid YAML comes with an action for what the parser met. */
import { expect, test } from 'vitest'
import { readYaml } from '../../../src/base/text/yaml.ts'
import { yamlFix } from '../../../src/base/text/yaml_fix.ts'

test.each([
  ['runs: [\n', 'close the bracket, or quote the value'],
  ['runs: {a\n', 'close the bracket, or quote the value'],
  ['a: "b\n', 'close the quote'],
  ['a: b: c\n', 'quote values that contain ": ", and write each key: value on its own line'],
  ['a: 1\n\tb: 2\n', 'indent with spaces'],
  ['a: 1\na: 2\n', 'remove one of the lines with this key'],
  ['a: @x\n', 'quote the value'],
  ['a:\n  - b\n c: 3\n', 'give keys of one level the same indent, or quote values that contain ": "'],
  ['% x\n', 'fix the syntax there, or quote the value'],
])('%j: %s', (text, fix) => {
  const yaml = readYaml(text)
  expect(yaml.ok ? null : yamlFix(yaml.message)).toBe(fix)
})
