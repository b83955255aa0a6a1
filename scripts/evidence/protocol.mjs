// The file of a protocol: markdown with one YAML block that fixes what is run, and a part for the results that only the script writes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { InputError } from './rows.mjs'

const resultsPart = /(<!-- results -->\n)([\s\S]*?)(<!-- end of results -->)/

/** What the YAML block says, and the `text` around the results. Refuses a file that has results: a protocol is run once. */
export function readProtocol(file) {
  if (!existsSync(file)) throw new InputError(`${file}: no such file`)
  const whole = readFileSync(file, 'utf8')
  const block = /```yaml\n([\s\S]*?)```/.exec(whole)
  const results = resultsPart.exec(whole)
  if (block === null || results === null) throw new InputError(`${file}: it needs a YAML block and a part for results`)
  if (!['', 'Not run yet.'].includes(results[2].trim()))
    throw new InputError(`${file}: it has results already; a protocol is run once`)
  const protocol = parse(block[1])
  const missing = ['skills', 'models', 'runs', 'alpha'].filter((name) => protocol?.[name] === undefined)
  if (missing.length > 0) throw new InputError(`${file}: the YAML block does not say ${missing.join(', ')}`)
  return { ...protocol, text: whole }
}

export function writeResults(file, results) {
  const whole = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    whole.replace(resultsPart, (_, start, __, end) => `${start}\n${results}\n\n${end}`),
  )
}
