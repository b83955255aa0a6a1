/** Something that comes later: what is shown of it goes with the view that asked. */
import { useEffect, useState } from 'preact/hooks'

/** undefined: on its way. */
export type Later<T> = { value: T } | { problem: string } | undefined

/** Asked anew whenever one of `of` is another. */
export function useLater<T>(load: () => Promise<T>, of: readonly unknown[]): Later<T> {
  const [found, setFound] = useState<{ of: readonly unknown[]; is: Later<T> }>()
  useEffect(() => {
    let gone = false
    const arrived = (is: Later<T>) => gone || setFound({ of, is })
    load().then(
      (value) => arrived({ value }),
      (error: unknown) => arrived({ problem: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      gone = true
    }
  }, of)
  // what was asked for before is nothing of this
  return found?.of.every((one, at) => one === of[at]) ? found.is : undefined
}
