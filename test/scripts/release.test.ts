/** A release starts only where tag, version, changelog and repository agree, and says all that is wrong. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = path.join(import.meta.dirname, '../..')
const { notesOf, outputsOf, releaseErrors, sectionsOf } = await import(path.join(root, 'scripts/release.mjs'))

const address = 'https://github.com/owner/whetstone'
const manifest = {
  name: 'whetstone',
  version: '1.2.3',
  repository: { type: 'git', url: `git+${address}.git` },
  homepage: `${address}#readme`,
  bugs: { url: `${address}/issues` },
}
const changelog =
  '# Changelog\n\n## Unreleased\n\n## 1.2.3 – 2026-01-02\n\n### Added\n\n- A thing.\n\n## 1.2.2 – 2026-01-01\n\n- Old.\n'
const waiting = changelog.replace('## Unreleased\n', '## Unreleased\n\n- Later.\n')
const of = (change: object) => ({ manifest: { ...manifest, ...change } })
const good = { tag: 'v1.2.3', repository: 'owner/whetstone', manifest, changelog }

describe('a release', () => {
  test('of tag, version, changelog and repository that agree', () => expect(releaseErrors(good)).toEqual([]))
  test('under a scope, from an address of another form', () => {
    const other = { ...manifest, name: '@scope/whetstone', repository: { url: 'git@github.com:owner/whetstone.git' } }
    expect(releaseErrors({ ...good, manifest: other })).toEqual([])
  })
  test.each([
    ['another version', { tag: 'v1.2.4' }, 'the tag is v1.2.4, but package.json has version 1.2.3'],
    ['no version', { tag: 'nightly' }, 'the tag "nightly" is not of the form v1.2.3 or v1.2.3-next.0'],
    ['no section', { changelog: '# Changelog\n' }, 'CHANGELOG.md has no section "## 1.2.3 – YYYY-MM-DD"'],
    ['Unreleased only', { changelog: '## Unreleased\n\n- A.\n' }, 'move the entries of "## Unreleased" into it'],
    ['an empty section', { changelog: '## 1.2.3 – 2026-01-02\n\n### Added\n\n## 1.2.2\n\n- Old.\n' }, 'has no entry'],
    ['a section without date', { changelog: '## 1.2.3\n\n- A.\n' }, 'has no date: "## 1.2.3 – YYYY-MM-DD"'],
    [
      'entries that are left',
      { changelog: waiting },
      'CHANGELOG.md still has entries under Unreleased: move them to 1.2.3',
    ],
    [
      'a fork',
      { repository: 'somebody/whetstone' },
      'but the repository of package.json is owner/whetstone: npm refuses',
    ],
    ['bugs elsewhere', of({ bugs: { url: 'https://example.com' } }), '"bugs" of package.json is not in its repository'],
    ['another name', of({ name: 'grindstone' }), 'the name "grindstone" is not whetstone or @scope/whetstone, which'],
    ['a private package', of({ private: true }), 'package.json is private'],
  ])('is refused for %s', (_, change, error) =>
    expect(releaseErrors({ ...good, ...change })).toEqual([expect.stringContaining(error)]),
  )
  test('says all that is wrong at once', () => {
    expect(releaseErrors({ ...good, tag: 'v2.0.0', repository: 'a/b', changelog: '' })).toHaveLength(3)
  })
})

describe('a prerelease', () => {
  const version = '1.3.0-next.0'
  const pre = { ...good, tag: `v${version}`, manifest: { ...manifest, version } }
  test('goes to next, a release to latest', () => {
    expect([version, '1.3.0'].map(outputsOf)).toEqual([
      'dist_tag=next\nprerelease=true',
      'dist_tag=latest\nprerelease=false',
    ])
  })
  test('takes what is under Unreleased as notes, and needs some', () => {
    expect(releaseErrors({ ...pre, changelog: waiting })).toEqual([])
    expect(notesOf(version, waiting).text).toBe('- Later.')
    expect(releaseErrors(pre)).toEqual(['the section Unreleased of CHANGELOG.md has no entry'])
  })
})

test('the script prints each error on a line and exits with 1', () => {
  const args = [path.join(root, 'scripts/release.mjs'), 'check', 'v0.0.0', 'nobody/nothing']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^error: the tag is v0\.0\.0, .*\n(error: .*\n)*error: this workflow runs in nobody\/nothing/)
})
test.each([
  [0, ['PATCH git/refs/tags/v1']],
  [1, ['PATCH git/refs/tags/v1', 'POST git/refs ref=refs/tags/v1']],
])('the tag of the major version moves, or is new (PATCH ends with %i)', (code, asked) => {
  const { jobs } = parse(readFileSync(path.join(root, '.github/workflows/release.yml'), 'utf8'))
  const [step] = jobs.release.steps.slice(-1)
  const folder = mkdtempSync(path.join(tmpdir(), 'gh-'))
  const script = `#!/bin/sh\necho "$@" >> ${folder}/asked\ntest "$3" = POST || exit ${code}\n`
  writeFileSync(path.join(folder, 'gh'), script, { mode: 0o755 })
  const place = { GH_REPO: 'owner/whetstone', GITHUB_REF_NAME: 'v1.2.3', GITHUB_SHA: 'abc' }
  const env = { ...place, PATH: `${folder}:${process.env.PATH}` }
  expect(spawnSync('bash', ['-e', '-c', step.run], { env }).status).toBe(0)
  const lines = readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n')
  expect(
    lines.map((line) =>
      line
        .replace(/^api --method (\S+) repos.owner.whetstone./, '$1 ')
        .replace(/ ?-[fF] (sha=abc|force=true|(?=ref))/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
    ),
  ).toEqual(asked)
  expect(lines.every((line) => line.includes('sha=abc'))).toBe(true)
})
test('notes are the section of the version alone', () => {
  expect(notesOf('1.2.3', changelog).text).toBe('### Added\n\n- A thing.')
})
test('every section of our changelog is read: a version and a date, or Unreleased', () => {
  const sections: { version: string; date: string | null; entries: number }[] = sectionsOf(
    readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'),
  )
  expect(sections.length).toBeGreaterThan(0)
  for (const { version, date, entries } of sections) {
    if (version === 'Unreleased') continue
    expect({ version, date }).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    expect(entries).toBeGreaterThan(0)
  }
})
