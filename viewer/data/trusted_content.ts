/** The only access to content that a browser runs or parses: files next to the page by name, and HTML for a sealed frame. */

interface TrustedPolicy {
  createScriptURL(url: string): string
  createHTML(html: string): string
}

interface PolicyFactory {
  createPolicy(name: string, rules: TrustedPolicy): TrustedPolicy
}

const rules: TrustedPolicy = {
  createScriptURL(url) {
    if (!/^report\.data\/[A-Za-z0-9._%-]+\.js\?[A-Za-z0-9_-]*$/.test(url)) throw new TypeError(`not ours: ${url}`)
    return url
  },
  /** Only for `srcdoc` of a frame with an empty `sandbox`. */
  createHTML: (html) => html,
}

const { trustedTypes } = window as unknown as { trustedTypes?: PolicyFactory }

export const trustedPolicy: TrustedPolicy = trustedTypes?.createPolicy('whetstone', rules) ?? rules
