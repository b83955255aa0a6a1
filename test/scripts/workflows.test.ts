/** Every GitHub workflow of ours passes actionlint: the files in .github/workflows and those shown in the documentation. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { lintWorkflow } from './lint_workflow.ts'

const root = path.join(import.meta.dirname, '../..')
const folder = '.github/workflows'
const files = existsSync(path.join(root, folder)) ? readdirSync(path.join(root, folder)) : []
const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((one) =>
  one.endsWith('.md'),
)

/** The fenced blocks of YAML that have jobs and a trigger. */
function shownWorkflows(text: string): string[] {
  const blocks = [...text.matchAll(/```ya?ml\n([\s\S]*?)\n```/g)].map(([, yaml = '']) => yaml)
  return blocks.filter((yaml) => /^on:/m.test(yaml) && /^jobs:/m.test(yaml))
}

test('every workflow of the repository passes actionlint', async () => {
  for (const file of files) {
    const findings = await lintWorkflow(readFileSync(path.join(root, folder, file), 'utf8'), `${folder}/${file}`)
    expect({ file, findings }).toEqual({ file, findings: [] })
  }
})

test('every workflow shown in the documentation passes actionlint', async () => {
  const shown = pages.flatMap((page) => {
    const yamls = shownWorkflows(readFileSync(path.join(root, 'docs', page), 'utf8'))
    return yamls.map((yaml) => ({ page, yaml }))
  })
  expect(shown.length).toBeGreaterThan(0)
  for (const { page, yaml } of shown) {
    const findings = await lintWorkflow(yaml, `${folder}/shown.yml`)
    expect({ page, findings }).toEqual({ page, findings: [] })
  }
})

test('actionlint finds a runner that does not exist, an unknown input and a title pasted into a script', async () => {
  const findings = await lintWorkflow(
    `on: pull_request
jobs:
  a:
    runs-on: ubuntu-1804
    steps:
      - uses: actions/checkout@v4
        with: { nothing: 1 }
      - run: echo "\${{ github.event.pull_request.title }}"
`,
    `${folder}/wrong.yml`,
  )
  expect(findings.map((one) => one.replace(/ .*\[/s, ' ['))).toEqual([
    '4:14 [runner-label]',
    '7:17 [action]',
    '8:24 [expression]',
  ])
})
