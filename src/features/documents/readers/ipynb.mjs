// Reads a Jupyter notebook (nbformat 4, https://nbformat.readthedocs.io): the source of its cells and their text outputs.
export async function readDocument(bytes) {
  return { text: parseCells(bytes).map(writeCell).join('\n\n') }
}

function parseCells(bytes) {
  try {
    const { cells } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (!Array.isArray(cells) || !cells.every(isCell)) throw new Error('"cells" is not a list of cells')
    return cells
  } catch (error) {
    throw new Error(`it is not a notebook: ${error.message}`)
  }
}

function isCell(cell) {
  return typeof cell?.cell_type === 'string' && (cell.outputs === undefined || Array.isArray(cell.outputs))
}

function writeCell({ cell_type, source, outputs = [] }, index) {
  const results = outputs.flatMap((output) => [
    joinLines(output?.text),
    joinLines(output?.data?.['text/plain'] ?? output?.data?.['text/html']),
    output?.ename === undefined ? '' : `${output.ename}: ${output.evalue ?? ''}`,
  ])
  const written = results.filter((result) => result.trim() !== '').map((result) => `# Output\n${result}`)
  return [`# Cell ${index + 1} (${cell_type})`, joinLines(source), ...written].join('\n')
}

/** A text, or a list of its lines. */
function joinLines(lines) {
  return [lines ?? ''].flat().join('')
}
