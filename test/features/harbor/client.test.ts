/** The command lines that start a container. Neither Docker nor Podman has run them: no engine was available. */
import { describe, expect, test } from 'vitest'
import { ownWords, startWords } from '../../../src/features/harbor/client.ts'

const request = {
  engine: 'docker' as const,
  name: 'whetstone-m',
  mark: 'm',
  image: 'task',
  mounts: [
    { from: '/t/world/app', at: '/app' },
    { from: '/t/a,b', at: '/x', readOnly: true },
  ],
  workdir: '/app',
  network: 'none' as const,
  processes: 9,
  fileBytes: 512,
}

describe('the start of a container', () => {
  test('confines it, and waits for programs', () => {
    expect(startWords(request).join(' ')).toBe(
      'run --detach --init --pull never --name whetstone-m --label whetstone=m --user 0:0 --workdir /app --network none ' +
        '--pids-limit 9 --ulimit fsize=512:512 --mount type=bind,source=/t/world/app,target=/app ' +
        '--mount type=bind,"source=/t/a,b",target=/x,readonly --entrypoint sleep task infinity',
    )
  })
  test.each([
    ['an open network is the usual one', { network: 'bridge' as const }, /^(?!.*--network)/],
    ['that of this machine is named', { network: 'host' as const }, /--network host/],
    ['limits of the task', { cpus: 1.5, memoryMb: 2048 }, /--cpus 1\.5 --memory 2048m/],
    ['Podman on SELinux', { engine: 'podman' as const }, /--security-opt label=disable/],
  ])('%s', (_what, change, words) => expect(startWords({ ...request, ...change }).join(' ')).toMatch(words))
})

test('files get the owner of the folders', () => {
  expect(ownWords('c', '1000:100', ['/app']).join(' ')).toBe(
    'exec c find /app -xdev ! -user 1000 -exec chown -h 1000:100 {} +',
  )
})
