/** Notes on passes that rest on a quote that was not found, or on the agent's own claim, and on passes that a check overruled. */
import { shortenText } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

/** One note, with the first place. */
export function evidenceNotes({ runs }: NoteParts): string[] {
  const doubtful = runs.flatMap(({ eval_id, configuration, run_number, expectations }) =>
    expectations.flatMap(({ text, evidence_flag, evidence_verified }) =>
      evidence_flag === undefined
        ? []
        : [
            {
              text,
              isClaim: evidence_verified === 'claim',
              place: `case ${eval_id}, ${configuration} run ${run_number}`,
            },
          ],
    ),
  )
  const [first] = doubtful
  if (first === undefined) return []
  const claims = doubtful.filter(({ isClaim }) => isClaim).length
  const reasons = [
    ...(doubtful.length > claims ? [`${doubtful.length - claims} on a quote that was not found`] : []),
    ...(claims > 0 ? [`${claims} on the agent's claim about its own work`] : []),
  ]
  const [passes, such, them] = doubtful.length === 1 ? ['pass', '', 'it'] : ['passes', 'such as ', 'them']
  const example = `${such}'${shortenText(first.text, 80)}' (${first.place})`
  return [
    `${doubtful.length} ${passes} without evidence: ${reasons.join(', ')}, ${example}. Review ${them} with "whetstone audit".`,
  ]
}

/** One note, with the first place. */
export function overruledNotes({ runs }: NoteParts): string[] {
  const found = runs.flatMap(({ eval_id, configuration, run_number, expectations }) =>
    expectations.flatMap(({ text, overruled }) =>
      overruled ? `'${shortenText(text, 80)}' (case ${eval_id}, ${configuration} run ${run_number})` : [],
    ),
  )
  const [first] = found
  if (first === undefined) return []
  const [passes, such, them] =
    found.length === 1 ? ['1 pass', '', 'it'] : [`${found.length} passes`, 'such as ', 'them']
  return [
    `A failed check contradicts ${passes} of the judge, also when it was asked again, ${such}${first}: the check decided, so ${them === 'it' ? 'it counts' : 'they count'} as failed. Review ${them} with "whetstone audit".`,
  ]
}
