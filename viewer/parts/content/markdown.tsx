/** Renders a run's Markdown: HTML in it stays text, links and pictures are named but not followed, the rest is sanitised. */
import DOMPurify from 'dompurify'
import MarkdownIt from 'markdown-it'
import { useEffect, useRef } from 'preact/hooks'
import { revealHidden } from '../../format.ts'
import { Text } from './text.tsx'

const longest = 200_000
const reader = new MarkdownIt({ html: false, linkify: false, breaks: true })
const tags = 'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s u table thead tbody tr th td'.split(
  ' ',
)

reader.renderer.rules.link_open = () => '<u>'
reader.renderer.rules.link_close = (all, index) => {
  let open = index
  while (open > 0 && all[open]?.type !== 'link_open') open -= 1
  return `</u> <code>${escapeHtml(all[open]?.attrGet('href'))}</code>`
}
reader.renderer.rules.image = (all, index) => {
  const { content = '' } = all[index] ?? {}
  return `<em>picture: ${escapeHtml(content)}</em> <code>${escapeHtml(all[index]?.attrGet('src'))}</code>`
}

function escapeHtml(value: string | number | null | undefined): string {
  return reader.utils.escapeHtml(`${value ?? ''}`)
}

export function Markdown({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const made = DOMPurify.sanitize(reader.render(revealHidden(text)), {
      ALLOWED_TAGS: tags,
      ALLOWED_ATTR: [],
      RETURN_DOM_FRAGMENT: true,
    })
    box.current?.replaceChildren(made)
  }, [text])
  return text.length > longest ? <Text text={text} /> : <div class="markdown" ref={box} />
}
