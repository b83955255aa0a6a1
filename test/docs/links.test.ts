/** The pages lead to each other: no link is dead, also of README at npm, which has the repository's files alone; programs name pages that exist. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorsIn, linksIn, pages, readPage, root } from './pages.ts'

function deadLinks(page: string, text: string): string[] {
  return linksIn(page, text)
    .filter(({ file, anchor }) => {
      if (!existsSync(path.join(root, file))) return true
      return anchor !== null && !anchorsIn(file === page ? text : readPage(file)).includes(anchor)
    })
    .map(({ written }) => written)
}

describe('no link is dead', () => {
  test.each(pages)('%s', (page) => expect(deadLinks(page, readPage(page))).toEqual([]))
  test('control: a page, an image and an anchor that do not exist', () => {
    const text =
      '# A b\n[a](gone.md) ![b](images/gone.png) [c](#gone) [d](#a-b) [e](../../README.md#gone) [f](https://x.io)\n'
    expect(deadLinks('docs/reference/cli.md', text)).toEqual([
      'gone.md',
      'images/gone.png',
      '#gone',
      '../../README.md#gone',
    ])
  })
})

const places = ['src', 'schemas', 'scripts', 'bench', 'docker', 'viewer', 'skills', 'workspaces/example', '.ci']
const files = execFileSync('git', ['ls-files', ...places, 'package.json'], { cwd: root, encoding: 'utf8' })

function missingPages(text: string): string[] {
  const named = [...text.matchAll(/(?<![\w./-])docs\/[\w/-]+\.md\b/g)].map(([page]) => page)
  return named.filter((page) => !existsSync(path.join(root, page)))
}

describe('programs name pages that exist', () => {
  test('in messages, help, schemas and comments', () => {
    const found = files
      .trim()
      .split('\n')
      .filter((file) => existsSync(path.join(root, file)))
      .flatMap((file) => missingPages(readFileSync(path.join(root, file), 'utf8')).map((page) => `${file}: ${page}`))
    expect(found).toEqual([])
  })
  test('control', () => expect(missingPages("'write it as docs/formats.md shows'")).toEqual(['docs/formats.md']))
})

const committed = new Set(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n'),
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
