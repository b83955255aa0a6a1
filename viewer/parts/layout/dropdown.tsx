/** Chooses one of several options from a list. */
import type { ComponentChildren } from 'preact'

interface Props {
  /** The text before the list. */
  children: ComponentChildren
  /** For screen readers; by default the text before the list. */
  label?: string
  /** Names with their displayed texts. */
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
