/** Loads a value asynchronously; the result is dropped if its view is gone. */
import { useEffect, useState } from 'preact/hooks'

/** undefined: still loading. */
export type AsyncValue<T> = { value: T } | { problem: string } | undefined

/** Loads again whenever an entry of `of` changes. */
export function useAsync<T>(load: () => Promise<T>, of: readonly unknown[]): AsyncValue<T> {
  const [found, setFound] = useState<{ of: readonly unknown[]; is: AsyncValue<T> }>()
  useEffect(() => {
    let gone = false
    const arrived = (is: AsyncValue<T>) => gone || setFound({ of, is })
    load().then(
      (value) => arrived({ value }),
      (error: unknown) => arrived({ problem: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      gone = true
    }
  }, of)
  // a result for earlier inputs does not count
  return found?.of.every((one, at) => one === of[at]) ? found.is : undefined
}
