/** Reads the text of a Jupyter notebook: the source of its cells and their text outputs. */
import * as z from 'zod'
import { errorMessage } from '../../../base/errors/error.ts'
import { checkAs, parseJson } from '../../../base/json/json.ts'

const lines = z.union([z.string(), z.array(z.string()).transform((list) => list.join(''))])

const output = z.object({
  text: lines.optional(),
  data: z.object({ 'text/plain': lines.optional(), 'text/html': lines.optional() }).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
})

const cell = z.object({ cell_type: z.string(), source: lines.default(''), outputs: z.array(output).default([]) })

/** nbformat 4, as https://nbformat.readthedocs.io describes it. */
const notebook = z.object({ cells: z.array(cell) })

/** `unreadable`: it is not the JSON of a notebook. */
export function readNotebookText(json: string, name: string): { text: string } | { unreadable: string } {
  try {
    const { cells } = checkAs(notebook, parseJson(json, name), name)
    return { text: cells.map(writeCell).join('\n\n') }
  } catch (error) {
    return { unreadable: `it is not a notebook: ${errorMessage(error)}` }
  }
}

function writeCell({ cell_type, source, outputs }: z.infer<typeof cell>, index: number): string {
  const results = outputs.flatMap(({ text, data, ename, evalue }) => [
    ...(text === undefined ? [] : [text]),
    ...(data === undefined ? [] : [data['text/plain'] ?? data['text/html'] ?? '']),
    ...(ename === undefined ? [] : [`${ename}: ${evalue ?? ''}`]),
  ])
  const written = results.filter((result) => result.trim() !== '').map((result) => `# Output\n${result}`)
  return [`# Cell ${index + 1} (${cell_type})`, source, ...written].join('\n')
}
