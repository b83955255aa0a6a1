/**
 * The event stream of AWS, in which Bedrock sends a streamed answer: binary messages with a length, headers and two checksums
 * (https://smithy.io/2.0/aws/amazon-eventstream.html).
 */
import { crc32 } from 'node:zlib'

const headers = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' }

export const eventStreamType = 'application/vnd.amazon.eventstream'

/** One server-sent event as a message of the event stream; empty for a frame without data. */
export function packEventStream(frame: string): Buffer {
  const [, data] = /^data: (.*)$/m.exec(frame) ?? []
  if (data === undefined) return Buffer.alloc(0)
  const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(data).toString('base64') }))
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => packHeader(name, value)))
  const lengths = Buffer.concat([word(12 + head.length + payload.length + 4), word(head.length)])
  const message = Buffer.concat([lengths, word(crc32(lengths)), head, payload])
  return Buffer.concat([message, word(crc32(message))])
}

/** A header with a text: the name and its length, the type 7, the value and its length. */
function packHeader(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7, 0, value.length]),
    Buffer.from(value),
  ])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
