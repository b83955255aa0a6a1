/** Shows more rows of a long list; nothing if all are shown. */
import { displayCount } from '../../format.ts'

interface Props {
  /** How many are shown. */
  shown: number
  of: number
  /** How many come with a press. */
  step: number
  /** What they are; '': rows. */
  noun?: string
  show(shown: number): void
}

export function MoreButton({ shown, of, step, noun = '', show }: Props) {
  if (shown >= of) return null
  const more = displayCount(Math.min(step, of - shown))
  return (
    <p>
      <button type="button" onClick={() => show(shown + step)}>
        Show {more} more{noun === '' ? '' : ` ${noun}`}
      </button>
    </p>
  )
}
