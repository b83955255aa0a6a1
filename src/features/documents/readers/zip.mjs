// Opens the zip archive of an office document, after its unpacked size has been measured: a small archive can unpack to gigabytes.
import JSZip from 'jszip'

const limits = { bytes: 100 * 2 ** 20, entries: 10_000 }

/** `main`: the entry that makes it a document of the format. Throws when it is not one, is encrypted, or unpacks to too much. */
export async function openZip(bytes, main) {
  if (bytes.subarray(0, 4).toString('hex') === 'd0cf11e0')
    throw new Error('it is encrypted, or in a format from before 2007')
  const zip = await JSZip.loadAsync(bytes).catch((error) => {
    throw new Error(/encrypted/i.test(error.message) ? 'it is encrypted' : 'it is not a complete zip archive')
  })
  const entries = Object.values(zip.files)
  if (entries.length > limits.entries) throw new Error(`it has more than ${limits.entries} parts`)
  let left = limits.bytes
  for (const entry of entries) left -= await unpackedSize(entry, left)
  if (zip.file(main) === null) throw new Error(`it is a zip archive without ${main}`)
  return zip
}

/** Unpacks without keeping anything, because the sizes that an archive states can be wrong. */
function unpackedSize(entry, limit) {
  return new Promise((resolve, reject) => {
    let size = 0
    const stream = entry.internalStream('uint8array')
    stream.on('data', (part) => {
      size += part.length
      if (size <= limit) return
      stream.pause()
      reject(new Error(`it unpacks to more than ${limits.bytes / 2 ** 20} MiB`))
    })
    stream.on('error', () => reject(new Error(`its part ${entry.name} is damaged`)))
    stream.on('end', () => resolve(size))
    stream.resume()
  })
}
