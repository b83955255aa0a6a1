// Formats tables and numbers of the evidence as markdown.

/** A markdown table; the first column is text, the others are numbers. */
export function formatTable(head, rows) {
  const all = [head.map(String), ...rows.map((row) => row.map(String))]
  const widths = head.map((_, at) => Math.max(3, ...all.map((row) => [...(row[at] ?? '')].length)))
  const line = (cells) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(' | ')} |`
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(all[0]), `| ${rule.join(' | ')} |`, ...all.slice(1).map(line)].join('\n')
}

/** +.125, with the sign and three digits. */
export function formatDifference(value) {
  return value === null ? '–' : `${value < 0 ? '−' : '+'}${formatShare(Math.abs(value))}`
}

/** .125, three digits. */
export function formatShare(value) {
  return value === null
    ? '–'
    : value
        .toFixed(3)
        .replace(/^(-?)0\./, '$1.')
        .replace('-', '−')
}

/** [.018, .231] */
export function formatInterval(low, high) {
  return low === null || high === null ? '–' : `[${formatShare(low)}, ${formatShare(high)}]`
}

/** 47%, or 0.4% below 10. */
export function formatPercent(share) {
  return `${(100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0)}%`
}
