/** Removes a folder whatever an agent did to it: paths beyond the length limit, missing permissions, names that are not UTF-8. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'

/** For what Node's own removal leaves: `rm` walks by descriptors, so the length of a path does not matter. */
const script = 'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwx -- "$1"; rm -rf -- "$1"; } 2>/dev/null'

/** Never rejects: the folder still exists when it can't be removed. Runs in its own process group, so Ctrl-C does not end it. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {})
  if (!existsSync(folder)) return
  try {
    const child = spawn('/bin/sh', ['-c', script, 'sh', folder], {
      detached: true,
      env: { PATH: `${process.env.PATH ?? ''}:/usr/bin:/bin` },
      stdio: 'ignore',
    })
    await once(child, 'exit')
  } catch {} // no process can start: the machine is low on resources
}
