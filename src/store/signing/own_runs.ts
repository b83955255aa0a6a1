/** Signatures of runs and of their gradings: a changed run counts no more, nor does a copy under another id. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'
import { writeWhole } from '../../base/fs/durable_files.ts'
import { hashFile, walk } from '../../base/fs/files.ts'
import { sha256 } from '../../base/json/json.ts'
import { runPaths } from '../paths.ts'
import type { ResultSigner, SignedAs } from './signer.ts'
import { isSignedFile, signaturePath, tryRead } from './signer.ts'

/** What a grading reads of a run besides run.json and the outputs that it lists; false: written again from the others. */
const evidence: Readonly<Record<string, boolean>> = {
  'transcript.jsonl': true,
  'programs.jsonl': true,
  verifier: true,
  'transcript.md': false,
  'outputs/metrics.json': false,
}

/** Evidence files with their sha256, relative to the run's folder. */
export type EvidenceHashes = readonly (readonly [file: string, sha256: string])[]

export function isEvidence(file: string): boolean {
  return evidence[file] !== undefined || file.startsWith('verifier/')
}

/** The text of run.json's signature: the HMAC, then the hash of each evidence file, a line each. */
export function signRunText(runId: string, record: string, files: EvidenceHashes, signer: ResultSigner): string {
  const listed = files.map(([file, hash]) => `${hash}  ${file}\n`).join('')
  return `${signer.sign(['run', runId, sha256(listed)], sha256(record))}\n${listed}`
}

/** Signs a complete run in its folder, or in the one from which it is moved into place. Not synced. */
export async function signRun(folder: string, runId: string, signer: ResultSigner): Promise<void> {
  const record = path.join(folder, 'run.json')
  const text = signRunText(runId, String(tryRead(record) ?? ''), await hashEvidence(folder), signer)
  writeWhole(signaturePath(record), text)
}

/** Whether this user's run wrote run.json. Reads no evidence. */
export function isOwnRun(benchmark: string, runId: string, signer: ResultSigner): boolean {
  return readSignedEvidence(benchmark, runId, signer) !== null
}

export function signedAsGrading(benchmark: string, runId: string): SignedAs {
  return ['grading', runId, sha256(tryRead(runPaths(benchmark, runId).record) ?? '')]
}

/** Whether this user's grader wrote grading.json for the run as it is. */
export function isOwnGrading(benchmark: string, runId: string, signer: ResultSigner): boolean {
  return isSignedFile(runPaths(benchmark, runId).grading, signer, signedAsGrading(benchmark, runId))
}

/** Whether this user's run wrote run.json, and its grader the grading, if there is one. Reads no evidence. */
export function isOwnResult(benchmark: string, runId: string, signer: ResultSigner): boolean {
  const { grading } = runPaths(benchmark, runId)
  return isOwnRun(benchmark, runId, signer) && (!existsSync(grading) || isOwnGrading(benchmark, runId, signer))
}

/** whole: as it was signed. text: only what is written again from the rest differs. foreign: anything else differs. */
export async function compareWithSignature(
  benchmark: string,
  { runId, record, signer }: { runId: string; record: RunRecord; signer: ResultSigner },
): Promise<'whole' | 'text' | 'foreign'> {
  const { folder, outputs } = runPaths(benchmark, runId)
  const signed = readSignedEvidence(benchmark, runId, signer)
  if (signed === null) return 'foreign'
  const now = new Map(await hashEvidence(folder))
  const differs = [...new Set([...signed.keys(), ...now.keys()])].filter((file) => signed.get(file) !== now.get(file))
  if (differs.some((file) => evidence[file] !== false)) return 'foreign'
  if (!(await hasOutputs(outputs, record))) return 'foreign'
  return differs.length === 0 ? 'whole' : 'text'
}

/** The evidence files of a run that this user signed, by hash; null: it did not. */
function readSignedEvidence(benchmark: string, runId: string, signer: ResultSigner): Map<string, string> | null {
  const { record } = runPaths(benchmark, runId)
  const [content, signature] = [tryRead(record), tryRead(signaturePath(record))?.toString('utf8')]
  if (content === null || signature === undefined) return null
  const end = signature.indexOf('\n')
  const listed = signature.slice(end + 1)
  if (!signer.isSigned(['run', runId, sha256(listed)], sha256(content), signature.slice(0, end))) return null
  const lines = listed.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

async function hashEvidence(folder: string): Promise<[string, string][]> {
  const found: string[] = Object.keys(evidence).filter(
    (file) => file !== 'verifier' && existsSync(path.join(folder, file)),
  )
  const kept = path.join(folder, 'verifier')
  if (existsSync(kept)) found.push(...(await walk(kept)).files.map((file) => `verifier/${file.path}`))
  return await Promise.all(
    // a link, a folder or a pipe in place of a file has no hash
    found.map(async (file) => [file, await hashFile(path.join(folder, file)).catch(() => '')] as [string, string]),
  )
}

/** Whether outputs/ has exactly the recorded files. */
async function hasOutputs(folder: string, { outputs }: RunRecord): Promise<boolean> {
  const { files, leftOut } = await walk(folder, {
    links: 'never',
    unreadable: 'leave_out',
    skip: (name) => name === 'metrics.json',
  })
  const recorded = new Map(outputs.files.map((file) => [file.path, file.sha256]))
  if (leftOut.length > 0 || files.length !== recorded.size) return false
  for (const file of files) if ((await hashFile(file.source)) !== recorded.get(file.path)) return false
  return true
}
