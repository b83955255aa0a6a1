/** Parses ages and sizes from the command line. */
import { UserError } from '../../../base/errors/error.ts'

const ages: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const sizes: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
}

/** Milliseconds of 90m, 12h, 30d or 2w. Throws UserError that names the flag. */
export function parseAge(flag: string, text: string): number {
  return parseAmount(flag, text, { units: ages, what: 'an age such as 12h, 30d or 2w' })
}

/** Bytes in words: 1.2 MB. */
export function sizeText(bytes: number): string {
  const unit = bytes >= 1e9 ? 'GB' : bytes >= 1e6 ? 'MB' : bytes >= 1e3 ? 'kB' : 'B'
  const value = bytes / (sizes[unit] ?? 1)
  return `${value >= 100 || unit === 'B' ? Math.round(value) : value.toFixed(1)} ${unit}`
}

function parseAmount(
  flag: string,
  text: string,
  { units, what }: { units: Readonly<Record<string, number>>; what: string },
): number {
  const [, number = '', word = ''] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(text.trim()) ?? []
  const unit = Object.keys(units).find((name) => name.toLowerCase() === word.toLowerCase())
  if (unit === undefined) throw new UserError(`--${flag}: expected ${what}, got "${text}"`, `use ${what}`)
  return Number(number) * (units[unit] ?? Number.NaN)
}
