/** Rounds like the reference tool: to the nearest, exact ties to the even digit, never a negative zero. */

export function round(value: number, digits: number): number {
  if (Number.isInteger(value)) return value + 0 // never -0
  return Number(formatFixed(value, digits))
}

/** Text with exactly this many decimals: "0.50"; never "-0.00". */
export function formatFixed(value: number, digits: number): string {
  const text = isTie(value, digits) ? tieToEven(value, digits) : value.toFixed(digits)
  return Number(text) === 0 ? (0).toFixed(digits) : text
}

/** The same text with its sign: "+0.50", "-13.0", "+0.00". */
export function formatSigned(value: number, digits: number): string {
  const text = formatFixed(value, digits)
  return text.startsWith('-') ? text : `+${text}`
}

/** A binary number is exactly halfway between two decimals only if it is an odd multiple of 2^-(digits+1). */
function isTie(value: number, digits: number): boolean {
  const halves = value * 2 ** (digits + 1)
  return Number.isSafeInteger(halves) && halves % 2 !== 0
}

function tieToEven(value: number, digits: number): string {
  const below = Math.floor(value * 10 ** digits)
  const even = below % 2 === 0 ? below : below + 1
  return (even / 10 ** digits).toFixed(digits)
}

/** To six significant digits: a small p-value keeps its size. Never 0, also where the true value is below the smallest number. */
export function roundPValue(value: number): number {
  return Math.max(Number.MIN_VALUE, Number(value.toPrecision(6)))
}
