/** Rounding as the reference tool rounds: to the nearest, exact ties to the even digit, never a negative zero. */

/** The number rounded to so many decimals. */
export function round(value: number, digits: number): number {
  if (Number.isInteger(value)) return value + 0 // never -0
  return Number(fixed(value, digits))
}

/** The number with exactly so many decimals, as text: "0.50"; never "-0.00". */
export function fixed(value: number, digits: number): string {
  const text = isTie(value, digits) ? tieToEven(value, digits) : value.toFixed(digits)
  return Number(text) === 0 ? (0).toFixed(digits) : text
}

/** The same with its sign: "+0.50", "-13.0", "+0.00". */
export function signed(value: number, digits: number): string {
  const text = fixed(value, digits)
  return text.startsWith('-') ? text : `+${text}`
}

/** A binary number lies exactly between two decimals only when it is an odd multiple of 2^-(digits+1). */
function isTie(value: number, digits: number): boolean {
  const halves = value * 2 ** (digits + 1)
  return Number.isSafeInteger(halves) && halves % 2 !== 0
}

function tieToEven(value: number, digits: number): string {
  const below = Math.floor(value * 10 ** digits)
  const even = below % 2 === 0 ? below : below + 1
  return (even / 10 ** digits).toFixed(digits)
}
