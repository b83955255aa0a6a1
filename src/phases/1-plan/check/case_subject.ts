/** What a rule for cases looks at: the case, and where it is. */
import type { SuiteCase } from '../../../../schemas/suite.ts'
import type { CasePlaceInFile } from '../inspected.ts'
import type { Finding } from './rule.ts'

export interface CaseSubject {
  case: SuiteCase
  place: CasePlaceInFile
  skillName: string
  /** Its fields of our own have mistakes, so what they say of criteria is not known. */
  isPartial: boolean
}

/** A finding at a field of the case (or the case itself), which is named in the message. */
export function inCase(
  subject: Pick<CaseSubject, 'case' | 'place'>,
  field: string | null,
  words: { message: string; fix: string },
): Finding {
  const { file, at } = subject.place
  const { eval_id, eval_name } = subject.case
  const place = at === null ? {} : { at: field === null ? at : `${at}.${field}` }
  return { ...place, file, message: `case ${eval_id} (${eval_name}): ${words.message}`, fix: words.fix }
}

/** A text as it is quoted in a message. */
export function quoted(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return JSON.stringify(flat.length > 80 ? `${flat.slice(0, 79)}…` : flat)
}
