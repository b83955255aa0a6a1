/** Links to the previous and the next case or run, also with the keys [ and ]. */
import { navigate } from '../../route.ts'
import { useKeys } from './keys.ts'

interface Props {
  what: 'case' | 'run'
  /** Addresses; null: there is none. */
  previous: string | null
  next: string | null
}

export function Steps({ what, previous, next }: Props) {
  useKeys(
    ({ key }) => {
      if (key === '[' && previous !== null) navigate(previous)
      if (key === ']' && next !== null) navigate(next)
    },
    [previous, next],
  )
  return (
    <nav class="chips" aria-label={`Other ${what}s`}>
      {previous !== null && (
        <a class="button" href={previous}>
          ← Previous {what}
        </a>
      )}
      {next !== null && (
        <a class="button" href={next}>
          Next {what} →
        </a>
      )}
    </nav>
  )
}
