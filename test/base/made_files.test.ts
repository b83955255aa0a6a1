/** Files made durable through the descriptors that wrote them: all are told of, and none stays open. */
import { mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { MadeFiles } from '../../src/base/made_files.ts'

/** Names of files below a folder that this process has open. */
function openIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((one) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${one}`)
      return file.startsWith(`${folder}/`) ? [path.basename(file)] : []
    } catch {
      return [] // the look itself
    }
  })
}

test.runIf(process.platform === 'linux')(
  'files written and taken over are told of, and closed at the end',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'made-test-'))
    const [a, b] = [path.join(folder, 'a'), path.join(folder, 'b')]
    {
      using made = new MadeFiles()
      made.write(a, 'first')
      made.write(a, 'again')
      const descriptor = openSync(b, 'w')
      writeSync(descriptor, 'taken')
      made.take(b, descriptor)
      expect(openIn(folder).sort()).toEqual(['a', 'b'])
      expect([...(await made.sync(folder))].sort()).toEqual([folder, a, b])
    }
    expect(openIn(folder)).toEqual([])
    expect([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')]).toEqual(['again', 'taken'])
  },
)

test('what the file system refuses is thrown', async () => {
  using made = new MadeFiles()
  expect(() => made.write('/nowhere/a', '')).toThrow('ENOENT')
  expect(await made.sync(tmpdir())).toEqual(new Set([tmpdir()]))
  await expect(made.sync('/nowhere')).rejects.toThrow('ENOENT')
})
