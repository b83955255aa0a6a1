/** Messages name pages of the documentation. A clone has them as files; the npm package leaves them out, so there they become addresses. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { packageRoot, readOwnPackage } from '../../base/package_root.ts'

const page = /(?<![\w/.])docs\/(?:reference|how-to|explanation|tutorial)\/[\w/-]+\.md/g

/** The web page of the documentation of this version. */
export function docsAddress(): string {
  const { homepage, version } = readOwnPackage()
  return `${homepage.replace(/#.*$/, '')}/blob/v${version}`
}

/** "see docs/reference/checks.md" with the address of that page, if Whetstone is installed without its documentation. */
export function linkDocs(text: string): string {
  if (existsSync(path.join(packageRoot(), 'docs'))) return text
  return text.replaceAll(page, (file) => `${docsAddress()}/${file}`)
}
