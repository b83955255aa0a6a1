/** Folders that agents made so that they are hard to remove, by root and by an ordinary user. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTempDir } from '../../../src/base/fs/temp_dir.ts'

/** Makes 4,000 folders, each in the one before: no path reaches the last. */
function nest(folder: string): void {
  const script =
    "for (let at = 0; at < 4000; at += 1) { fs.mkdirSync('deep'); process.chdir('deep') } fs.writeFileSync('end', '')"
  execFileSync(process.execPath, ['-e', script], { cwd: folder })
}

const nameBytes = (folder: string) =>
  execFileSync('sh', ['-c', 'mkdir "$(printf \'a\\377b\')"; touch "$(printf \'a\\377b\')/c"'], { cwd: folder })

describe('what an agent can make of a folder', () => {
  const hostile: [string, (folder: string) => void][] = [
    ['nested 4,000 levels deep', nest],
    ['with names that are not UTF-8', nameBytes],
    ['with a line end in a name', (folder) => mkdirSync(path.join(folder, 'one\ntwo'))],
    [
      'with folders that nobody may enter',
      (folder) => {
        mkdirSync(path.join(folder, 'a/b/c'), { recursive: true })
        execFileSync('chmod', ['000', path.join(folder, 'a/b'), path.join(folder, 'a')])
      },
    ],
  ]
  test('nested 4,000 levels deep: the room is removed at its end', async () => {
    const room = await openTempDir()
    nest(room.path)
    await room[Symbol.asyncDispose]()
    expect(existsSync(room.path)).toBe(false)
  })
  test.runIf(process.getuid?.() === 0).each(hostile)('%s: an ordinary user removes it', async (_what, make) => {
    const parent = mkdtempSync('/tmp/room-user-')
    try {
      const folder = path.join(parent, 'room')
      mkdirSync(folder)
      make(folder)
      execFileSync('chown', ['-R', '65534:65534', parent])
      const script = `import { removeTree } from '${path.resolve('dist/src/base/fs/temp_dir.js')}'; await removeTree('${folder}')`
      const env = { PATH: process.env.PATH ?? '' }
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        uid: 65534,
        gid: 65534,
        env,
        stdio: 'inherit',
      })
      expect(existsSync(folder)).toBe(false)
    } finally {
      rmSync(parent, { recursive: true, force: true })
    }
  })
  test("control: Node's own removal leaves a folder that is nested so deep", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'control-'))
    nest(folder)
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    expect(existsSync(folder)).toBe(true)
    execFileSync('rm', ['-rf', folder])
  })
})
