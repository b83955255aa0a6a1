/** Reads zip archives. */
import { kMaxLength } from 'node:buffer'
import zlib from 'node:zlib'
import { unpackBody } from '../http/unpack_body.ts'

/** What reads each entry of a zip archive, by name. Entries of Inspect's logs are of zstd, which libraries for zip do not know. Throws for what is not an archive. */
export function readZip(bytes: Buffer): Map<string, () => Buffer> {
  const end = bytes.lastIndexOf('PK\x05\x06')
  if (end < 0) throw new Error('it has no end of an archive')
  const entries = new Map<string, () => Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size, local] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 42),
    ]
    const [name, extra, comment] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place))
    entries.set(bytes.toString('utf8', at + 46, at + 46 + Number(name)), () => {
      const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
      return unpackEntry(bytes.subarray(start, start + size), method)
    })
    at += 46 + Number(name) + Number(extra) + Number(comment)
  }
  return entries
}

function unpackEntry(packed: Buffer, method: number): Buffer {
  if (method === 0) return packed
  if (method === 8) return zlib.inflateRawSync(packed)
  if (method === 93) return unpackBody(packed, 'zstd', kMaxLength)
  throw new Error(`method ${method}`)
}
