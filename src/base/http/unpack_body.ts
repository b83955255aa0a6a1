/** Decompresses the body of a request or a response. */
import zlib from 'node:zlib'

/** `encoding`: of the header content-encoding; unchanged for one that is not known. Throws for invalid data, and for zstd before Node 22.15. */
export function unpackBody(body: Buffer, encoding: string, maxBytes: number): Buffer {
  const limit = { maxOutputLength: maxBytes }
  switch (encoding) {
    case 'gzip':
    case 'deflate':
      return zlib.unzipSync(body, limit)
    case 'br':
      return zlib.brotliDecompressSync(body, limit)
    case 'zstd':
      return unzstd(body, limit)
    default:
      return body
  }
}

/** Since Node 22.15; the types are of an older version. */
function unzstd(body: Buffer, limit: zlib.ZlibOptions): Buffer {
  const { zstdDecompressSync: unpackZstd } = zlib as { zstdDecompressSync?: typeof zlib.unzipSync }
  if (unpackZstd === undefined) throw new Error(`zstd needs Node 22.15 or later, this is ${process.version}`)
  return unpackZstd(body, limit)
}
