/** Checks of files: absent, modified, hash, count, size; what was not collected fails. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import type { InputFile } from '../../../schemas/suite.ts'
import { sha256 } from '../../../src/base/json/json.ts'
import { checkDeciders, decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { failed, passed, sceneWith, undecided, unreadable, workOf } from './scene.ts'

const files = {
  'report.md': 'Ocean: 42\n',
  'out/a.csv': 'a',
  'out/b.csv': 'bb',
  'a[1].txt': 'x',
  'metrics.agent.json': '{}',
}
const given = (name: string, kind: InputFile['kind'] = 'file'): InputFile => ({
  ...{ path: name, source: `/nowhere/${name}`, kind, sha256: sha256(`given ${name}`), bytes: 3 },
})
const big = { path: 'huge.csv', reason: 'larger than 20 MiB (30000000 bytes)' }
const link = { path: 'latest.md', reason: 'a link' }
const closed = { path: 'closed', reason: "can't be read: EACCES" }
const start = { files: [given('in.csv'), given('old.csv'), given('report.md')], git: null, setup: null }
const work = workOf(Object.keys(files))
const record: CheckContext['record'] = {
  ...work,
  outputs: {
    ...work.outputs,
    files: work.outputs.files.map((one) => (one.path === 'report.md' ? { ...one, change: 'modified' } : one)),
    deleted: ['old.csv'],
  },
}
const decide = async (check: object, changes: Partial<CheckContext> = {}) =>
  decideCheck(checkSchema.parse(check), await sceneWith(files, { start, record, ...changes }))
const left = { leftOut: [big, link] }

describe('names that macOS writes in NFD are the same names', () => {
  const [composed, decomposed] = ['r\u00e9sum\u00e9', 're\u0301sume\u0301']
  const decideHere = async (check: object, stored: string) =>
    decideCheck(
      checkSchema.parse(check),
      await sceneWith({ [`${stored}.md`]: 'Ocean: 42\n', [`${stored}/a.csv`]: 'a' }),
    )
  test.each([
    [composed, decomposed],
    [decomposed, composed],
  ])('%j asked for, %j left', async (asked, stored) => {
    const checks = [
      { type: 'file_exists', path: `${asked}.md` },
      { type: 'file_exists', path: asked },
      { type: 'file_exists', path: `${asked}*.md` },
      { type: 'file_count', path: `${asked}/*.csv`, count: { equals: 1 } },
      { type: 'file_hash', path: `${asked}.md`, sha256: sha256('Ocean: 42\n') },
      { type: 'contains', path: `${asked}.md`, value: '42' },
    ]
    for (const check of checks) expect(await decideHere(check, stored), JSON.stringify(check)).toEqual(passed(''))
    expect(await decideHere({ type: 'file_absent', path: `${asked}.md` }, stored)).toEqual(failed('is there'))
  })
  test('control: a name with another letter is another name', async () => {
    expect(await decideHere({ type: 'file_exists', path: 'resume.md' }, decomposed)).toEqual(
      failed('No output file resume.md'),
    )
  })
})

describe('file_absent', () => {
  const rows: [string, Partial<CheckContext>, object][] = [
    ['none.md', {}, passed('The working folder contains nothing that matches none.md')],
    ['report.md', {}, failed('report.md is there')],
    ['out', {}, failed('out/a.csv is there')],
    ['in.csv', {}, failed('in.csv exists, unchanged from before the agent started')],
    ['i?.csv', {}, failed('in.csv exists, unchanged')],
    ['old.csv', {}, passed('contains nothing')],
    ['a[1].txt', {}, failed('a[1].txt is there')],
    ['huge.csv', left, failed('huge.csv (larger than 20 MiB')],
    ['latest.md', left, failed('latest.md (a link) is there')],
    ['late*.md', left, failed('latest.md (a link) is there')],
    ['links', { leftOut: [{ path: 'links/a', reason: 'a link' }] }, failed('links/a (a link) is there')],
    ['pip*', { leftOut: [{ path: 'pipe', reason: 'neither a file nor a folder' }] }, failed('pipe (neither')],
    ['late*.txt', left, passed('contains nothing')],
    ['closed/a.md', { leftOut: [closed] }, unreadable('closed was not collected')],
    ['**/*.pdf', { leftOut: [closed] }, unreadable('closed was not collected')],
    ['other.pdf', { leftOut: [closed] }, passed('contains nothing')],
    ['node_modules/x', {}, undecided('not collected')],
  ]
  test.each(rows)('%s %j', async (wanted, changes, verdict) => {
    expect(await decide({ type: 'file_absent', path: wanted }, changes)).toEqual(verdict)
  })
  test('where the case does not name all that lay there, the folder is rebuilt', async () => {
    const restore = async (target: string) => {
      await mkdir(path.join(target, 'data'))
      for (const name of ['data/x.csv', 'report.md', 'old.csv']) await writeFile(path.join(target, name), 'given')
    }
    for (const more of [
      { files: [given('data', 'directory')] },
      { setup: 'make' },
      { git: { bundle: 'b', sha256: '' } },
    ]) {
      const rebuilt = { start: { ...start, files: [], ...more }, restore }
      expect(await decide({ type: 'file_absent', path: 'data/x.csv' }, rebuilt)).toEqual(
        failed('data/x.csv exists, unchanged'),
      )
      expect(await decide({ type: 'file_absent', path: 'data/y.csv' }, rebuilt)).toEqual(passed('contains nothing'))
      expect(await decide({ type: 'file_absent', path: 'old.csv' }, rebuilt)).toEqual(passed('contains nothing'))
    }
    const broken = { start: { ...start, setup: 'make' }, restore: () => Promise.reject(new Error('setup failed')) }
    expect(await decide({ type: 'file_absent', path: 'y' }, broken)).toEqual(
      undecided('could not be rebuilt: setup failed'),
    )
  })
})

describe('file_modified', () => {
  const rows: [string, Partial<CheckContext>, object][] = [
    ['report.md', {}, passed('report.md was changed (1 bytes)')],
    ['out/a.csv', {}, failed('out/a.csv was created, so it did not exist before')],
    ['in.csv', {}, failed('in.csv was not changed; the agent left report.md')],
    ['old.csv', {}, failed('old.csv was deleted')],
    ['huge.csv', left, unreadable('it may be a new file')],
  ]
  test.each(rows)('%s %j', async (wanted, changes, verdict) => {
    expect(await decide({ type: 'file_modified', path: wanted }, changes)).toEqual(verdict)
  })
})

describe('file_hash', () => {
  const rows: [string, string, Partial<CheckContext>, object][] = [
    ['report.md', sha256('Ocean: 42\n'), {}, passed('report.md has sha256')],
    ['report.md', sha256('Ocean: 42\n').toUpperCase(), {}, passed('report.md has sha256')],
    ['report.md', sha256('given report.md'), {}, failed(`not ${sha256('given report.md')}`)],
    ['in.csv', sha256('given in.csv'), {}, passed('in.csv has sha256')],
    ['old.csv', sha256('given old.csv'), {}, failed('No output file old.csv')],
    ['latest.md', sha256(''), left, failed('is a link')],
  ]
  test.each(rows)('%s %s %j', async (wanted, hash, changes, verdict) => {
    expect(await decide({ type: 'file_hash', path: wanted, sha256: hash }, changes)).toEqual(verdict)
  })
  test('an input that became a link is not the input', async () => {
    const changes = { leftOut: [{ path: 'in.csv', reason: 'a link' }] }
    const check = { type: 'file_hash', path: 'in.csv', sha256: sha256('given in.csv') }
    expect(await decide(check, changes)).toEqual(failed('is a link'))
  })
  test('of a file in an input folder', async () => {
    const restore = (target: string) => writeFile(path.join(target, 'x.csv'), 'x')
    const rebuilt = { start: { ...start, setup: 'make' }, restore }
    expect(await decide({ type: 'file_hash', path: 'x.csv', sha256: sha256('x') }, rebuilt)).toEqual(passed('x.csv'))
  })
})

describe('file_count', () => {
  const rows: [object, Partial<CheckContext>, object][] = [
    [{ path: 'out/*.csv', count: { equals: 2 } }, {}, passed('out/*.csv: 2 files (out/a.csv, out/b.csv)')],
    [{ path: '*.csv', count: { min: 1 } }, {}, failed('*.csv: 0 files (nothing), not at least 1')],
    [{ path: '*.csv', count: { equals: 1 } }, left, passed('1 files (huge.csv)')],
    [{ path: 'out/*.csv', count: { max: 5 } }, { leftOut: [closed] }, unreadable('closed was not collected')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'file_count', ...check }, changes)).toEqual(verdict)
  })
})

describe('file_size', () => {
  const rows: [object, Partial<CheckContext>, object][] = [
    [{ path: 'report.md', bytes: { equals: 10 } }, {}, passed('report.md: 10 bytes')],
    [{ path: 'report.md', bytes: { max: 9 } }, {}, failed('report.md: 10 bytes, not at most 9')],
    [{ path: 'huge.csv', bytes: { min: 29_000_000 } }, left, passed('huge.csv: 30000000 bytes')],
    [{ path: 'huge.csv', bytes: { max: 29_000_000 } }, left, failed('30000000 bytes, not at most')],
  ]
  test.each(rows)('%j %j', async (check, changes, verdict) => {
    expect(await decide({ type: 'file_size', ...check }, changes)).toEqual(verdict)
  })
})

describe('no path leaves the outputs', () => {
  const hostile = ['../secret.txt', 'out/../../secret.txt', '/etc/passwd', '..', '../*', 'x/../../outputs2/a']
  const rest: Partial<Record<keyof typeof checkDeciders, object>> = {
    contains: { value: 's' },
    not_contains: { value: 's' },
    regex: { pattern: '.' },
    equals: { value: 'secret' },
    similarity: { value: 'secret', at_least: 0.1 },
    json_path: { query: '$' },
    json_schema: { schema: true },
    csv: { rows: { min: 0 } },
    cell: { cell: 'A1', equals: 'secret' },
    file_exists: {},
    file_absent: {},
    file_modified: {},
    file_hash: { sha256: sha256('secret') },
    file_count: { count: { min: 0 } },
    file_size: { bytes: { min: 0 } },
  }
  test('every check that takes a path is among them', () => {
    const withPath = checkSchema.options.filter((option) => 'path' in option.shape)
    expect(withPath.map((option) => option.shape.type.value)).toEqual(Object.keys(rest))
    expect(checkSchema.options.map((option) => option.shape.type.value)).toEqual(Object.keys(checkDeciders))
  })
  test.each(hostile)('%s', async (at) => {
    for (const [type, parameters] of Object.entries(rest)) {
      const shown = await sceneWith(files)
      await writeFile(path.join(shown.outputsFolder, '../secret.txt'), 'secret')
      const verdict = await decideCheck(checkSchema.parse({ type, path: at, ...parameters }), shown)
      expect(verdict, type).toEqual(undecided('leads out of the working folder'))
    }
  })
})
