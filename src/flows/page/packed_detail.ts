/** What the page shows of a run, packed, and the state of the run's files that it was read from. */
import type { Redactor } from '../../base/redact.ts'
import { packedText } from '../../phases/4-report/page/pack.ts'
import { readDetail } from './read_detail.ts'
import { stampOf } from './sidecars.ts'

export interface PackedDetail {
  text: string
  /** Of the run's files when they were read: they may have changed since. */
  stamp: string
}

/** Characters from which on it is packed for speed, not for size. */
const long = 50_000

/** `folder`: of the run, absolute. Beside it the run's record as it was read, null where there is none. */
export function packedDetail(folder: string, redactor: Redactor): { detail: PackedDetail; record: unknown } {
  const stamp = stampOf(folder)
  const read = readDetail(folder)
  const text = JSON.stringify(redactor.value(read))
  return { detail: { text: packedText(text, text.length > long ? 1 : 6), stamp }, record: read?.record ?? null }
}
