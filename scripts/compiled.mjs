// node scripts/compiled.mjs DIST FOLDER: runs a small benchmark twice, the second from the cache, and keeps what V8 compiled of the program beside it.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [dist, folder] = process.argv.slice(2)
const load = (file) => import(pathToFileURL(path.join(dist, file)).href)
const { setForSeconds } = await load('src/cli/v8_flags.js')
setForSeconds() // V8 takes only what was compiled under the same flags
const { compiledBy } = await load('program/main.js')

const skill = path.join(folder, 'small')
mkdirSync(path.join(skill, 'evals'), { recursive: true })
writeFileSync(
  path.join(skill, 'SKILL.md'),
  '---\nname: small\ndescription: Answers in one word.\n---\n\nAnswer in one word.\n',
)
const evals = [{ id: 1, prompt: 'What is it?', checks: [{ type: 'contains', value: 'it' }] }]
writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'small', evals }))
const engine = `command:"${process.execPath}" -e "process.stdout.write('it')"`
const flags = ['--engine', engine, '--runs', '1', '--workspace', path.join(folder, 'workspace'), '--sandbox', 'off']
const kept = await compiledBy(async (main) => {
  for (const more of [['--dry-run'], [], ['--fresh']]) {
    const code = await main(['bench', skill, ...flags, ...more])
    if (code !== 0) throw new Error(`exit code ${code}`)
  }
})
writeFileSync(path.join(dist, 'program/program.cache'), kept)
