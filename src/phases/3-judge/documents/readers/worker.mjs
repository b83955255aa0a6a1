// Reads one document in a worker thread, where a hostile file can neither block nor crash the grader. Posts { value } or { error }.
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { file, format, packages, want } = workerData

/** Each returns the texts of the document, or what `want` asks for. */
const readers = {
  xlsx: () => import('./xlsx.mjs'),
  docx: () => import('./docx.mjs'),
  pptx: () => import('./pptx.mjs'),
  pdf: () => import('./pdf.mjs'),
}

function explain(error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND') {
    const name = /Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? packages
    return `the package ${name} is not installed; run: npm install ${packages} where whetstone is installed`
  }
  return String(error.message).split('\n')[0]
}

try {
  const { readDocument } = await readers[format]()
  parentPort.postMessage({ value: await readDocument(await readFile(file), want) })
} catch (error) {
  parentPort.postMessage({ error: explain(error) })
}
