/** action.yml: valid by GitHub's own schema, every input described, used, documented and passed by the environment, never pasted into a script. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { JSONObjectReader } from '@actions/workflow-parser/templates/json-object-reader'
import { TemplateSchema } from '@actions/workflow-parser/templates/schema/template-schema'
import { TemplateContext, TemplateValidationErrors } from '@actions/workflow-parser/templates/template-context'
import { readTemplate } from '@actions/workflow-parser/templates/template-reader'
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer'
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Step } from './run_job.ts'

const root = path.join(import.meta.dirname, '../..')
const text = readFileSync(path.join(root, 'action.yml'), 'utf8')

interface Action {
  inputs: Record<string, { description?: string; default?: string }>
  outputs: Record<string, { description?: string; value: string }>
  runs: { using: string; steps: (Step & { name?: string })[] }
}
const action: Action = parse(text)

/** What GitHub's schema of action.yml finds, as messages. */
function findMistakes(source: string): string[] {
  const place = 'node_modules/@actions/workflow-parser/dist/action-v1.0.min.json'
  const schema = readFileSync(path.join(root, place), 'utf8')
  const rules = TemplateSchema.load(new JSONObjectReader(undefined, schema))
  const context = new TemplateContext(new TemplateValidationErrors(), rules, new NoOperationTraceWriter())
  const file = context.getFileId('action.yml')
  const reader = new YamlObjectReader(file, source)
  readTemplate(context, 'action-root-strict', reader, file)
  return context.errors.getErrors().map(({ message }) => message)
}

/** Scripts with an expression in them: whoever writes its value writes shell. */
const pasted = ({ runs }: Action) => runs.steps.filter(({ run = '' }) => run.includes('${{'))

describe('action.yml', () => {
  test("is valid by GitHub's schema", () => expect(findMistakes(text)).toEqual([]))
  test.each([
    ['a key that does not exist', text.replace('continue-on-error: true', 'go-on: true'), /go-on/],
    ['a script without a shell', text.replace('      shell: bash\n', ''), /shell/],
    ['an unknown context', text.replace('steps.install.outputs.program', 'secrets.KEY'), /secrets/],
  ])('negative control: the schema finds %s', (_, source, message) => {
    expect(source).not.toBe(text)
    expect(findMistakes(source).join('\n')).toMatch(message)
  })
  test('every input and output is described, every input has a default and is used', () => {
    for (const [name, one] of Object.entries({ ...action.inputs, ...action.outputs }))
      expect(one.description, name).toMatch(/^[A-Z]/)
    for (const [name, one] of Object.entries(action.inputs)) {
      expect(one.default, name).toBeDefined()
      expect(text, name).toContain(`inputs.${name}`)
    }
    const used = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(used))
  })
  test('every step that an output or a condition names is there', () => {
    const named = [...text.matchAll(/steps\.([\w-]+)\./g)].map(([, name]) => name)
    expect(action.runs.steps.map(({ id }) => id)).toEqual(expect.arrayContaining(named))
  })
  test('no script has an expression in it, and only the step that comments gets the token', () => {
    expect(pasted(action)).toEqual([])
    expect(pasted({ ...action, runs: { using: '', steps: [{ run: `echo "\${{ inputs.skills }}"` }] } })).toHaveLength(1)
    const holders = action.runs.steps.filter((step) => JSON.stringify(step).includes('inputs.token'))
    expect(holders.map(({ id }) => id)).toEqual(['comment'])
  })
})

describe('docs/how-to/github-action.md', () => {
  const page = readFileSync(path.join(root, 'docs/how-to/github-action.md'), 'utf8')
  const rows = (heading: string) => {
    const [, section = ''] = page.split(`## ${heading}\n`)
    return [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([\w-]+)` +\|(?: (.*?) +\|)?/gm)]
  }
  test('lists every input with its default, and every output', () => {
    const documented = rows('Inputs').map(([, name, value = '']) => [name, value.replaceAll('`', '')])
    const defaults = Object.entries(action.inputs).map(([name, { default: value = '' }]) => [
      name,
      name === 'token' ? "the job's token" : value,
    ])
    expect(documented.sort()).toEqual(defaults.sort())
    expect(
      rows('Outputs')
        .map(([, name]) => name)
        .sort(),
    ).toEqual(Object.keys(action.outputs).sort())
  })
})
