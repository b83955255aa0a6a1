/** Remembers the file of --prices of this command line, from the flag or a configuration file, for every flow that it starts. */
import type { UserPrices } from '../../schemas/prices.ts'

const chosen: { file: string | null } = { file: null }

/** Call with null before each command line. */
export function choosePricesFile(file: unknown): void {
  chosen.file = typeof file === 'string' ? file : null
}

/** undefined: no file was given. Throws UserError for a mistake in it. */
export async function readChosenPrices(): Promise<UserPrices | undefined> {
  if (chosen.file === null) return undefined
  const { readUserPrices } = await import('../flows/limits/read_prices.ts')
  return await readUserPrices(chosen.file)
}
