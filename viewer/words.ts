/** Numbers and texts as a person reads them, in the words of the terminal. */

/** A rate that is not quite all or nothing never reads as 100% or 0%. */
export function percent(rate: number): string {
  const whole = Math.round(rate * 100)
  if (whole === 100 && rate < 1) return '>99%'
  return whole === 0 && rate > 0 ? '<1%' : `${whole}%`
}

/** A difference of rates in points, with its sign. */
export function points(difference: number): string {
  const whole = Math.round(difference * 100)
  return whole > 0 ? `+${whole}` : whole < 0 ? `−${-whole}` : '0'
}

/** "= 0.12", "= 0.034", "< 0.001": as the terminal says it. */
export function probability(p: number): string {
  return p < 0.001 ? '< 0.001' : `= ${p.toFixed(p < 0.1 ? 3 : 2)}`
}

export function seconds(value: number): string {
  if (value < 600) return `${value.toFixed(1)}s`
  const whole = Math.round(value)
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`
}

export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`
}

export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** with_skill as "with skill". */
export function armLabel(configuration: string): string {
  return configuration.replaceAll('_', ' ')
}

const hidden = /(?![\n\t\r])\p{Cc}|[\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF]/gu
const someHidden = new RegExp(hidden.source, 'u')

/** Characters that change how the text around them is read as their code, such as ⟨U+202E⟩. */
export function visible(text: string): string {
  if (!someHidden.test(text)) return text
  return text.replaceAll(
    hidden,
    (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
