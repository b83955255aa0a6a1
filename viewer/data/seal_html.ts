/** Turns a run's HTML into a document for a sealed frame: removes whatever can run, load, navigate or connect. */
import DOMPurify from 'dompurify'
import { trustedPolicy } from './trusted_content.ts'

/** Allowed addresses: data in the document itself, or a place in it. */
const inside = /^(data:|#)/i
const addresses = [
  'href',
  'xlink:href',
  'src',
  'srcset',
  'poster',
  'background',
  'action',
  'formaction',
  'ping',
  'cite',
]

/**
 * The document for `srcdoc` of a frame with an empty `sandbox`. The policy alone is not enough: Chromium connects for a nested frame before
 * the policy refuses to load it. Styles are kept; the nonce of the page allows them.
 */
export function sealedDocument(html: string, nonce: string): string {
  const made = DOMPurify.sanitize(html, {
    WHOLE_DOCUMENT: true,
    RETURN_DOM: true,
    FORBID_TAGS: ['form', 'template'],
  })
  if (!(made instanceof HTMLElement)) throw new TypeError('no document was created')
  const ownStyles: string[] = []
  for (const element of made.querySelectorAll('*')) {
    for (const name of addresses) {
      if (!inside.test(element.getAttribute(name)?.trim() ?? '#')) element.removeAttribute(name)
    }
    const style = element.getAttribute('style')
    if (style !== null) {
      element.removeAttribute('style')
      element.setAttribute('data-style', `${ownStyles.length}`)
      ownStyles.push(`[data-style="${ownStyles.length}"]{${style}}`)
    }
  }
  const sheet = document.createElement('style')
  sheet.textContent = ownStyles.join('\n')
  made.querySelector('body')?.append(sheet)
  for (const one of made.querySelectorAll('style')) one.setAttribute('nonce', nonce)
  return trustedPolicy.createHTML(`<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy(nonce)}">
${made.outerHTML}`)
}

function policy(nonce: string): string {
  return `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`
}
