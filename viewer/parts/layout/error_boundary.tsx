/** Shows an error in place of a view that can't be drawn; the other views still work. */
import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { revealHidden } from '../../format.ts'

/** Needs a key that changes with the view, because a failed view stays failed. */
export function Guard({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  const message = error instanceof Error ? error.message : String(error)
  return (
    <p class="banner" role="alert">
      This view can’t be drawn: {revealHidden(message)}. <a href="#/">To the overview</a>
    </p>
  )
}
