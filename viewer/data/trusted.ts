/** The only door to what a browser would run or parse: files beside the page by name, and HTML for a sealed frame. */

interface Door {
  createScriptURL(url: string): string
  createHTML(html: string): string
}

interface PolicyFactory {
  createPolicy(name: string, rules: Door): Door
}

const rules: Door = {
  createScriptURL(url) {
    if (!/^report\.data\/[A-Za-z0-9._%-]+\.js\?[A-Za-z0-9_-]*$/.test(url)) throw new TypeError(`not ours: ${url}`)
    return url
  },
  /** Used for `srcdoc` of a frame with an empty `sandbox` alone. */
  createHTML: (html) => html,
}

const { trustedTypes } = window as unknown as { trustedTypes?: PolicyFactory }

export const trusted: Door = trustedTypes?.createPolicy('whetstone', rules) ?? rules
