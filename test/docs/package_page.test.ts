/** README on the package's page at npm, which has the repository's files and nothing else: npm leads relative links and pictures to them. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { linksIn, readPage, root } from './pages.ts'

const committed = new Set(
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\0'),
)

/** Links and pictures that the page could not follow; HTML, since its addresses stay as they are. */
function faultsOnPage(text: string): string[] {
  const dead = linksIn('README.md', text).filter(
    ({ file }) => !committed.has(file) && ![...committed].some((one) => one.startsWith(`${file.replace(/\/$/, '')}/`)),
  )
  const html = text.match(/<(?:img|a)\b[^>]*>/g) ?? []
  return [...dead.map(({ written }) => written), ...html]
}

describe('README on the page of the package', () => {
  test('has links and pictures to files of the repository only', () =>
    expect(faultsOnPage(readPage('README.md'))).toEqual([]))
  test('control: a file that only a build has, one above the repository, a picture in HTML', () => {
    const text =
      '[a](dist/page.js) [b](../other/README.md) <img src="docs/images/a.png"> [c](docs/README.md) ![d](docs/images) [e](https://x.io)'
    expect(faultsOnPage(text)).toEqual(['dist/page.js', '../other/README.md', '<img src="docs/images/a.png">'])
  })
  test('package.json names a repository on GitHub, where npm looks for them', () => {
    const { repository, homepage, bugs } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    const [, address = ''] = /^git\+(https:\/\/github\.com\/[\w.-]+\/[\w.-]+)\.git$/.exec(repository.url) ?? []
    expect({ homepage, bugs: bugs.url }).toEqual({ homepage: `${address}#readme`, bugs: `${address}/issues` })
  })
})
