/** The action's first step: a built checkout runs as it is, else the package is installed; no script of a package runs; an old Node is named. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const fresh = () => mkdtempSync(path.join(tmpdir(), 'install-'))
const own = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))

/** The action as GitHub downloads it; `isBuilt`: with the program. */
function actionFolder(isBuilt: boolean, changes: object = {}): string {
  const folder = fresh()
  cpSync(path.join(root, 'action'), path.join(folder, 'action'), { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...own, ...changes }))
  const program = path.join(folder, own.bin.whetstone)
  mkdirSync(path.dirname(program), { recursive: true })
  if (isBuilt) writeFileSync(program, '')
  return folder
}

async function install(action: string, env: Record<string, string> = {}) {
  const temp = fresh()
  const output = path.join(temp, 'output')
  const base = { PATH: process.env.PATH ?? '', HOME: temp, RUNNER_TEMP: temp, GITHUB_OUTPUT: output }
  const script = path.join(action, 'action/install.mjs')
  const child = spawn(process.execPath, [script], { env: { ...base, ...env }, cwd: temp })
  const chunks: Buffer[] = []
  child.stderr.on('data', (chunk) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  const program = existsSync(output)
    ? readFileSync(output, 'utf8')
        .replace(/^program=/, '')
        .trim()
    : null
  return { code, log: Buffer.concat(chunks).toString(), program, temp }
}

test('a built checkout is used as it is', async () => {
  const action = actionFolder(true)
  expect(await install(action)).toMatchObject({ code: 0, program: path.join(action, own.bin.whetstone) })
})

test('a folder or a tarball is installed, without its scripts and without the keys of the job', async () => {
  const place = fresh()
  const proof = path.join(place, 'proof')
  const scripts = { postinstall: `touch ${proof}`, preinstall: `touch ${proof}` }
  writeFileSync(
    path.join(place, 'package.json'),
    JSON.stringify({ ...{ name: own.name, version: '9.9.9' }, bin: own.bin, scripts }),
  )
  mkdirSync(path.join(place, path.dirname(own.bin.whetstone)), { recursive: true })
  writeFileSync(path.join(place, own.bin.whetstone), '#!/usr/bin/env node\n')
  const end = await install(actionFolder(true), { INPUT_WHETSTONE_VERSION: place, ANTHROPIC_API_KEY: 'sk-1' })
  expect(end, end.log).toMatchObject({ code: 0 })
  expect(end.program?.startsWith(end.temp)).toBe(true)
  expect(existsSync(end.program ?? '')).toBe(true)
  expect(existsSync(proof)).toBe(false)
})

test('without either, the package of the same version is asked for, at a private registry with its token and no other key', async () => {
  const asked: unknown[] = []
  const server = createServer(({ url, headers }, response) => {
    asked.push([url, headers.authorization])
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const userconfig = path.join(fresh(), '.npmrc') // as actions/setup-node writes it
  writeFileSync(
    userconfig,
    `registry=http://${host}/\n//${host}/:_authToken=\${NODE_AUTH_TOKEN}-\${ANTHROPIC_API_KEY?}\n`,
  )
  const env = {
    NPM_CONFIG_USERCONFIG: userconfig,
    NODE_AUTH_TOKEN: 'secret',
    ANTHROPIC_API_KEY: 'sk-1',
    npm_config_fetch_retries: '0',
  }
  const end = await install(actionFolder(false), env)
  server.close()
  expect(end.code).not.toBe(0)
  expect(asked).toContainEqual([`/${own.name}`, 'Bearer secret-'])
})

test('a Node that is too old is named, with what to do', async () => {
  const end = await install(actionFolder(true, { engines: { node: '>=99.1' } }))
  expect(end).toMatchObject({ code: 2, program: null })
  expect(end.log).toMatch(/^::error title=Whetstone::Node .* is too old: .* needs >=99\.1\. Put actions\/setup-node/)
})
