// Reads one document in a process of its own, which a hostile file can block, crash or fill without harm. Prints { value }, { error } or { missing }.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'

const { file, format, packages, limits } = JSON.parse(process.argv[2])

/** Each returns `text`, and a workbook its `sheets`. */
const readers = {
  xlsx: () => import('./xlsx.mjs'),
  docx: () => import('./docx.mjs'),
  pptx: () => import('./pptx.mjs'),
  pdf: () => import('./pdf.mjs'),
  ipynb: () => import('./ipynb.mjs'),
}

/**
 * Ends this process from a thread of its own, because a busy reader runs no timer: SIGTERM for time, SIGKILL for memory. Time is processor
 * time, so that a busy machine is not the document's fault; memory is all of the process, because buffers are outside of the heap.
 */
const watch = `
const { parentPort, workerData: { seconds, bytes } } = require('node:worker_threads')
const begun = process.cpuUsage()
setInterval(() => {
  const { user, system } = process.cpuUsage(begun)
  if (process.memoryUsage.rss() > bytes) process.kill(process.pid, 'SIGKILL')
  if ((user + system) / 1e6 > seconds) process.kill(process.pid, 'SIGTERM')
}, 10)
parentPort.postMessage('watching')
`

function explain(error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND') {
    const name = /Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? packages
    return {
      missing: `the package ${name} is not installed; run: npm install ${packages} where whetstone is installed`,
    }
  }
  return { error: String(error.message).split('\n')[0] }
}

async function read() {
  try {
    const { readDocument } = await readers[format]()
    const watcher = new Worker(watch, { eval: true, workerData: limits })
    await once(watcher, 'message')
    watcher.unref()
    return { value: await readDocument(await readFile(file)) }
  } catch (error) {
    return explain(error)
  }
}

// what a library prints is not the answer
const print = process.stdout.write.bind(process.stdout)
process.stdout.write = () => true
print(JSON.stringify(await read()))
