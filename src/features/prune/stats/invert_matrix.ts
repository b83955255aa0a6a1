/** The inverse of a small symmetric matrix, by Gauss and Jordan with row exchanges. */

const near = 1e-9

/** null: it has none. */
export function invertMatrix(matrix: readonly (readonly number[])[]): number[][] | null {
  const size = matrix.length
  const rows = matrix.map((row, at) => [...row, ...row.map((_, column) => (column === at ? 1 : 0))])
  for (let column = 0; column < size; column += 1) {
    const best = rows
      .map((row, at) => ({ at, size: Math.abs(row[column] ?? 0) }))
      .slice(column)
      .reduce((one, other) => (other.size > one.size ? other : one))
    const pivot = rows[best.at]
    const other = rows[column]
    if (best.size < near || pivot === undefined || other === undefined) return null
    rows[best.at] = other
    const scale = pivot[column] ?? 1
    const scaled = pivot.map((value) => value / scale)
    rows[column] = scaled
    for (const [at, row] of rows.entries()) {
      const factor = row[column] ?? 0
      if (at !== column && factor !== 0) rows[at] = row.map((value, place) => value - factor * (scaled[place] ?? 0))
    }
  }
  return rows.map((row) => row.slice(size))
}
