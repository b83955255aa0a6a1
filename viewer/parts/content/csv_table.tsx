/** Shows CSV and TSV as a table. */
import { useMemo, useState } from 'preact/hooks'
import { revealHidden } from '../../format.ts'

const step = 100
const mostColumns = 60

export function Table({ text, separator }: { text: string; separator: ',' | '\t' }) {
  const rows = useMemo(() => parseCells(text, separator), [text, separator])
  const [shown, setShown] = useState(step)
  const [head = [], ...body] = rows
  return (
    <div class="scroll sheet">
      <table>
        <thead>
          <tr>
            {head.slice(0, mostColumns).map((cell, index) => (
              <th key={`${index}`} scope="col">
                {revealHidden(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.slice(0, shown).map((cells, row) => (
            <tr key={`${row}`}>
              {cells.slice(0, mostColumns).map((cell, index) => (
                <td key={`${index}`}>{revealHidden(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {head.length > mostColumns && <p class="hint">{head.length - mostColumns} more columns</p>}
      {body.length > shown && (
        <button type="button" onClick={() => setShown(shown + step)}>
          {body.length - shown} more rows
        </button>
      )}
    </div>
  )
}

/** RFC 4180: a quoted cell may contain separators, line ends and doubled quotes. */
function parseCells(text: string, separator: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let quoted = false
  for (let index = 0; index < text.length; index += 1) {
    const sign = text.charAt(index)
    if (quoted) {
      if (sign !== '"') cell += sign
      else if (text.charAt(index + 1) === '"') {
        cell += '"'
        index += 1
      } else quoted = false
    } else if (sign === '"' && cell === '') quoted = true
    else if (sign === separator || sign === '\n') {
      rows.at(-1)?.push(cell.replace(/\r$/, ''))
      cell = ''
      if (sign === '\n') rows.push([])
    } else cell += sign
  }
  rows.at(-1)?.push(cell)
  return rows.filter((row) => row.length > 1 || row[0] !== '')
}
