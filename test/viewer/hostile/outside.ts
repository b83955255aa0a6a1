/** An expression for a page: the texts of its tables of which a part lies outside of the table, where nobody sees it. */
export const outside = `[...document.querySelectorAll('.summary :is(th, td)')].flatMap((cell) => {
  const table = cell.closest('table').getBoundingClientRect()
  const section = cell.closest('section').getBoundingClientRect()
  const range = document.createRange()
  range.selectNodeContents(cell)
  const right = Math.max(0, ...[...range.getClientRects()].map((one) => one.right))
  return right > Math.min(table.right, section.right) + 1 ? [cell.textContent] : []
})`
