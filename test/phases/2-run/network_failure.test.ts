/** What programs say without a network is recognised; what they say about anything else is not. */
import { describe, expect, test } from 'vitest'
import { isNetworkFailure } from '../../../src/phases/2-run/workspace/shell_step.ts'

const failure = (said: string, exitCode = 1, command = '') => ({ said, exitCode, command })

describe('a network failure', () => {
  test.each([
    ['curl', 'curl: (6) Could not resolve host: registry.example'],
    ['curl, refused', 'curl: (7) Failed to connect to registry.example port 443 after 3 ms: Could not connect'],
    ['wget', "wget: unable to resolve host address 'registry.example'"],
    ['pip', 'WARNING: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution'],
    ['npm', 'npm error code EAI_AGAIN\nnpm error request failed, reason: getaddrinfo EAI_AGAIN registry.example'],
    ['requests', "NameResolutionError: Failed to resolve 'packages.example'"],
    ['npm, other code', 'npm ERR! code ENOTFOUND'],
    ['apt', "Err:1 http://mirror.example/debian stable InRelease\n  Temporary failure resolving 'mirror.example'"],
    ['go', 'dial tcp: lookup modules.example on 127.0.0.53:53: no such host'],
    ['an address', 'connect: Network is unreachable'],
  ])('in the words of %s', (_, said) => expect(isNetworkFailure(failure(said))).toBe(true))
  test.each([
    ['curl -s', 6, 'curl -s http://x/y'],
    ['curl -fs in a script', 7, 'cd app && curl -fs http://x'],
    ['wget -q', 4, 'wget -q http://x'],
  ])('without a word: %s', (_, exitCode, command) =>
    expect(isNetworkFailure(failure('', exitCode, command))).toBe(true),
  )
})

describe('control: another failure', () => {
  test.each([
    ['curl, not found there', 'curl: (22) The requested URL returned error: 404', 22, 'curl -fsS http://x'],
    ['pip', 'ERROR: No matching distribution found for nosuch', 1, 'pip install nosuch'],
    ['npm', 'npm error code ENOENT\nnpm error enoent Could not read package.json', 254, 'npm ci'],
    ['apt', 'E: Unable to locate package nosuch', 100, 'apt-get install nosuch'],
    ['git', 'fatal: not a git repository (or any of the parent directories): .git', 128, 'git status'],
    ['a script that ends with 7 and is silent', '', 7, './prepare.sh'],
    ['curl that ends with 3 and is silent', '', 3, 'curl -s ::'],
    ['a word about networks', 'AssertionError: network.json has 3 nodes', 1, 'python3 check.py'],
  ])('%s', (_, said, exitCode, command) => expect(isNetworkFailure({ said, exitCode, command })).toBe(false))
})
