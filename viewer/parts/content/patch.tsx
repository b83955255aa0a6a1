/** Shows a patch as text: lines that begin with + or - in their colours, the others as they are. */
import { useMemo } from 'preact/hooks'
import { revealHidden } from '../../format.ts'
import { scrollable } from '../layout/focusable_scroll.ts'

type Kind = 'new' | 'gone' | 'same'

export function Patch({ text }: { text: string }) {
  const pieces = useMemo(() => splitPatch(revealHidden(text)), [text])
  return (
    <pre class="text diff" {...scrollable}>
      {pieces.map(({ kind, lines }, index) => (
        <span key={`${index}`} class={kind}>
          {`${lines.join('\n')}\n`}
        </span>
      ))}
    </pre>
  )
}

function lineKind(line: string): Kind {
  if (/^(\+\+\+|---)( |$)/.test(line)) return 'same'
  return line.startsWith('+') ? 'new' : line.startsWith('-') ? 'gone' : 'same'
}

/** Neighbouring lines of one kind are one piece. */
function splitPatch(text: string): { kind: Kind; lines: string[] }[] {
  const pieces: { kind: Kind; lines: string[] }[] = []
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const kind = lineKind(line)
    const last = pieces.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else pieces.push({ kind, lines: [line] })
  }
  return pieces
}
