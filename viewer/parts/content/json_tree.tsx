/** Shows JSON as a tree that opens branch by branch; other text is shown as text. */
import { useMemo, useState } from 'preact/hooks'
import { revealHidden } from '../../format.ts'
import { Text } from './text.tsx'

const most = 100

export function JsonTree({ text }: { text: string }) {
  const parsed = useMemo(() => read(text), [text])
  const exact = useMemo(() => parsed === null || keepsNumbers(text), [text, parsed])
  if (!exact) {
    return (
      <>
        <p class="hint">Shown as its source: it has numbers with more digits than a browser counts with.</p>
        <Text text={text} />
      </>
    )
  }
  return parsed === null ? <Text text={text} /> : <JsonValueTree value={parsed.value} />
}

/** Whether parsing keeps every number of a JSON text. */
function keepsNumbers(text: string): boolean {
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g)) {
    const suspicious = !token.startsWith('"') && (token.length > 15 || /e/i.test(token))
    if (suspicious && significantDigits(token) !== significantDigits(`${Number(token)}`)) return false
  }
  return true
}

/** The significant digits: no sign, point or exponent, and no zeros at either end. */
function significantDigits(number: string): string {
  const [digits = ''] = number.toLowerCase().split('e')
  return digits.replaceAll(/[-.]/g, '').replaceAll(/^0+|0+$/g, '')
}

function read(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

export function JsonValueTree({ value }: { value: unknown }) {
  return (
    <div class="tree">
      <Branch name={null} value={value} depth={0} />
    </div>
  )
}

function Branch({ name, value, depth }: { name: string | null; value: unknown; depth: number }) {
  const [open, setOpen] = useState(depth < 2)
  const [shown, setShown] = useState(most)
  const label = name === null ? null : <span class="c-word">{revealHidden(name)}: </span>
  if (value === null || typeof value !== 'object') {
    return (
      <div>
        {label}
        <span class={typeof value === 'string' ? 'c-text text' : 'c-number'}>
          {revealHidden(JSON.stringify(value) ?? '')}
        </span>
      </div>
    )
  }
  const entries = Object.entries(value)
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0 || depth > 60) {
    return (
      <div>
        {label}
        {left}
        {right}
      </div>
    )
  }
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span class="quiet">
          {left} {entries.length} {right}
        </span>
      </summary>
      {open &&
        entries.slice(0, shown).map(([key, one]) => <Branch key={key} name={key} value={one} depth={depth + 1} />)}
      {open && entries.length > shown && (
        <button type="button" onClick={() => setShown(shown + 10 * most)}>
          {entries.length - shown} more
        </button>
      )}
    </details>
  )
}
