/** One of several by a list that folds out. */
import type { ComponentChildren } from 'preact'

interface Props {
  /** What stands before it. */
  children: ComponentChildren
  /** For who does not see it; what stands before it, if not given. */
  label?: string
  /** Names with what is shown of each. */
  options: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  value: string
  choose(value: string): void
}

export function Choice({ children, label, options, value, choose }: Props) {
  const all = Array.isArray(options) ? options : Object.entries(options)
  return (
    <label class="choose">
      {children}
      <select aria-label={label} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {all.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
