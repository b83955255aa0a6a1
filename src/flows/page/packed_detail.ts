/** What the page shows of a run, packed, and the state of the run's files that it was read from. */
import type { Redactor } from '../../base/redact.ts'
import { packed } from '../../phases/4-report/page/pack.ts'
import { readDetail } from './read_detail.ts'
import { stampOf } from './sidecars.ts'

export interface PackedDetail {
  text: string
  /** Of the run's files when they were read: they may have changed since. */
  stamp: string
}

/** `folder`: of the run, absolute; `level`: of gzip. */
export function packedDetail(folder: string, redactor: Redactor, level?: number): PackedDetail {
  const stamp = stampOf(folder)
  return { text: packed(redactor.value(readDetail(folder)), level), stamp }
}
