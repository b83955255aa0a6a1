/** One view that can't be drawn says so, and takes none of the others with it. */
import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { visible } from '../words.ts'

/** Give it a key that changes with the view: what failed stays failed. */
export function Guard({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  const message = error instanceof Error ? error.message : String(error)
  return (
    <p class="banner" role="alert">
      This view can’t be drawn: {visible(message)}. <a href="#/">To the overview</a>
    </p>
  )
}
