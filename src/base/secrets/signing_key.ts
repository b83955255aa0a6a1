/** Reads the key of a signature from a file or the environment. */
import { existsSync, readFileSync } from 'node:fs'
import { errorMessage, UserError } from '../errors/error.ts'

const leastBytes = 32

export interface SigningKeyRequest {
  /** Name of the flag, such as --key-file, and the file that it names; null: not given. */
  flag: string
  file: string | null
  variable: string
  env: Readonly<Record<string, string | undefined>>
}

/** From the file, else from the environment; null: no key. Throws UserError for an unusable key, without showing it. */
export function readSigningKey({ flag, file, variable, env }: SigningKeyRequest): Uint8Array | null {
  const given = env[variable]?.trim() ?? ''
  if (file === null) return given === '' ? null : checkKeyLength(given, variable, 'signing.key')
  const where = `${flag} ${file}`
  if (!existsSync(file)) throw new UserError(`${where}: no such file`, makeOne(file))
  return checkKeyLength(readKeyFile(file, where).trim(), where, file)
}

function readKeyFile(file: string, where: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`${where}: ${errorMessage(error)}`)
  }
}

function checkKeyLength(key: string, where: string, file: string): Uint8Array {
  const bytes = Buffer.from(key)
  if (bytes.length >= leastBytes) return bytes
  throw new UserError(`${where}: a key of ${bytes.length} bytes is too short (at least ${leastBytes})`, makeOne(file))
}

function makeOne(file: string): string {
  return `create one with: openssl rand -hex 32 > ${file}`
}
