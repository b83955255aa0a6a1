/** Shows a run's HTML as source; on request in a frame without script, origin or network. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { nonce } from '../../data/load_on_demand.ts'
import { sealedDocument } from '../../data/seal_html.ts'
import { Code } from './code.tsx'

export function SealedHtml({ html }: { html: string }) {
  const [drawn, setDrawn] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    if (frame.current === null || !drawn) return
    frame.current.setAttribute('sandbox', '')
    frame.current.srcdoc = sealedDocument(html, nonce)
  }, [html, drawn])
  return (
    <>
      <p>
        <button type="button" aria-pressed={drawn} onClick={() => setDrawn(!drawn)}>
          {drawn ? 'Show the source' : 'Draw it in a sealed frame'}
        </button>
      </p>
      {drawn ? (
        <iframe ref={frame} sandbox="" title="The page, sealed: no script, no network" />
      ) : (
        <Code text={html} language="html" />
      )}
    </>
  )
}
