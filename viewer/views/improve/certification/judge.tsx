/** Which judge decided the certification, and how far the judge of the search disagrees. */
import type { Certification } from '../../../../schemas/history/certification.ts'
import { displayCount, displayPercent, displayPoints } from '../../../format.ts'

export function Judge({ judge }: Pick<Certification, 'judge'>) {
  return (
    <>
      <p class={judge.kind === 'same' ? 'banner' : ''}>
        <Who judge={judge} />
      </p>
      {judge.disagreement !== undefined && <Disagreement {...judge.disagreement} />}
    </>
  )
}

function Who({ judge: { kind, name } }: Pick<Certification, 'judge'>) {
  const named = name === null ? null : <bdi class="name">{name}</bdi>
  switch (kind) {
    case 'code':
      return <>Decided by checks alone: no judge graded these runs.</>
    case 'second':
      return <>Decided by a second judge: {named ?? 'its name is not recorded'}. The search did not use it.</>
    case 'same':
      return (
        <>
          Decided by the judge of the search{named === null ? '' : ': '}
          {named}. The edits may have learned to please it: the gain can be too high. A second judge would not have this
          bias.
        </>
      )
  }
}

function Disagreement({ name, decisions, differ, gain }: NonNullable<Certification['judge']['disagreement']>) {
  const share = decisions === 0 ? '' : ` (${displayPercent(differ / decisions)})`
  return (
    <p>
      The judge of the search, <bdi class="name">{name}</bdi>, disagrees on {displayCount(differ)} of{' '}
      {displayCount(decisions)} decisions{share}.
      {gain !== null && ` By its verdicts on the same runs the gain is ${displayPoints(gain)} points.`}
    </p>
  )
}
