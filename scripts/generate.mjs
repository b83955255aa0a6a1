// Writes schemas/json/*.schema.json and the CLI reference from the built code, and the name of the package into texts; --check only says what is stale.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { filesRenamed } from './package_name.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const check = process.argv.includes('--check')
const { artefacts } = await import(path.join(root, 'dist/schemas/artefacts.js'))

const { configFileSchema } = await import(path.join(root, 'dist/src/cli/config/config_keys.js'))
const { addFeatures } = await import(path.join(root, 'dist/src/features/table.js'))

addFeatures()

const wanted = new Map()
addFeatures()
for (const [name, schema] of Object.entries({ ...artefacts, config: configFileSchema() })) {
  const body = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
  // without indentation, which would be a third of the package's schemas
  const text = JSON.stringify({ title: name, ...body }, null, 2).replaceAll(/^ +/gm, '')
  wanted.set(`schemas/json/${name}.schema.json`, `${text}\n`)
}

const cli = path.join(root, 'dist/program/bin.js')
const run = (...args) =>
  execFileSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '100' },
  }).trimEnd()
const commands = [
  'bench',
  'eval',
  'test',
  'grade',
  'aggregate',
  'compare',
  'audit',
  'clean',
  'costs',
  'init',
  'check',
  'triggers',
  'rank',
  'watch',
  'improve',
  'prune',
  'view',
  'explain',
  'diff',
  'demo',
  'doctor',
  'queue',
  'mcp',
  'record-mcp',
  'github',
  'practice',
  'convert',
]
const sections = [
  ['', run('--help')],
  ['help advanced', run('help', 'advanced')],
  ['help settings', run('help', 'settings')],
  ...commands.map((name) => [name, run(name, '--help-all')]),
]
const reference = sections.map(
  ([name, text]) => `## whetstone${name ? ` ${name}` : ''}\n\n\`\`\`text\n${text}\n\`\`\`\n`,
)
wanted.set(
  'docs/reference/cli.md',
  `# Command line reference\n\nGenerated from the program's own help by \`npm run generate\`.\n\n${reference.join('\n')}`,
)

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
for (const { file, wanted: text } of filesRenamed(root, manifest)) wanted.set(file, text)

const stale = []
for (const [file, text] of wanted) {
  const full = path.join(root, file)
  if (existsSync(full) && readFileSync(full, 'utf8') === text) continue
  stale.push(file)
  if (!check) {
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, text)
  }
}
for (const name of existsSync(path.join(root, 'schemas/json')) ? readdirSync(path.join(root, 'schemas/json')) : []) {
  if (wanted.has(`schemas/json/${name}`)) continue
  stale.push(`schemas/json/${name} (no longer generated)`)
  if (!check) rmSync(path.join(root, 'schemas/json', name))
}
if (check && stale.length > 0) {
  console.error(`stale, run \`npm run generate\`:\n${stale.map((file) => `  ${file}`).join('\n')}`)
  process.exitCode = 1
} else console.log(check ? 'generated files are clean' : `${stale.length} written`)
