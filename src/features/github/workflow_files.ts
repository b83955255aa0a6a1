/** Writes to the files through which a step talks to GitHub's runner: outputs and the job's summary. */
import { randomUUID } from 'node:crypto'
import { appendFile } from 'node:fs/promises'

/** Several lines are kept; no value can name another output, because its end is random. */
export async function writeStepOutputs(outputs: Readonly<Record<string, string>>): Promise<void> {
  const end = `end-${randomUUID()}`
  const text = Object.entries(outputs).map(([name, value]) => `${name}<<${end}\n${value}\n${end}\n`)
  await appendTo(process.env.GITHUB_OUTPUT, text.join(''))
}

export async function writeJobSummary(markdown: string): Promise<void> {
  await appendTo(process.env.GITHUB_STEP_SUMMARY, `${markdown}\n`)
}

async function appendTo(file: string | undefined, text: string): Promise<void> {
  if (file !== undefined && file !== '') await appendFile(file, text)
}
