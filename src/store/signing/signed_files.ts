/** Signatures of files that later decisions read: in a file next to each, named after it. It moves with its folder. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import type * as z from 'zod'
import { writeAllAtomic } from '../../base/fs/durable_files.ts'
import { readRegularFile } from '../../base/fs/special_files.ts'
import { checkAs, sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { ResultSigner, SignedAs } from './signer.ts'

/** The file with the signature of a file. */
export function signaturePath(file: string): string {
  return `${file}.hmac`
}

interface SignedFile {
  /** Absolute. */
  file: string
  /** What it is besides its file name; absent: nothing. */
  as?: SignedAs | undefined
}

/** Checks and writes an artefact with its signature. */
export async function writeSigned<S extends z.ZodType>(
  schema: S,
  { file, as }: SignedFile,
  { value, signer }: { value: z.infer<S>; signer: ResultSigner },
): Promise<void> {
  const text = `${jsonText(checkAs(schema, value, file), 2)}\n`
  await writeAllAtomic(path.dirname(file), listSignedParts({ file, as }, text, signer))
}

/**
 * The signature and the file, [name, text], in the order in which they must appear. The signature of the present content stays until the
 * new content is there, so that a killed process leaves a signed file.
 */
export function listSignedParts({ file, as = [] }: SignedFile, text: string, signer: ResultSigner): [string, string][] {
  const name = path.basename(file)
  const present = findSignature({ file, as }, signer)
  const lines = [signer.sign([name, ...as], sha256(text)), ...(present === null ? [] : [present])]
  return [
    [signaturePath(name), `${lines.join('\n')}\n`],
    [name, text],
  ]
}

/** Whether this user signed the file as it is now. */
export function isSignedFile(file: string, signer: ResultSigner, as: SignedAs = []): boolean {
  return findSignature({ file, as }, signer) !== null
}

function findSignature({ file, as = [] }: SignedFile, signer: ResultSigner): string | null {
  const [content, signatures] = [tryRead(file), tryRead(signaturePath(file))]
  if (content === null || signatures === null) return null
  const hash = sha256(content)
  const lines = signatures.toString('latin1').trim().split('\n')
  return lines.find((one) => signer.isSigned([path.basename(file), ...as], hash, one)) ?? null
}

/** Removes a file that this user did not sign as it is; returns whether there was one. */
export function removeUnsigned(file: string, signer: ResultSigner, as: SignedAs = []): boolean {
  if (tryRead(file) === null || isSignedFile(file, signer, as)) return false
  rmSync(file, { force: true })
  return true
}

/** null: missing, or not a readable file. */
export function tryRead(file: string): Buffer | null {
  try {
    return readRegularFile(file)
  } catch {
    return null
  }
}
