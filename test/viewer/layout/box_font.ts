/** A font made here, in which every sign is a bar of one width: a picture of a page is then the same whatever fonts a machine has. */

const unitsPerEm = 1000
const advance = 540
/** What it has signs for; the first of each range that is blank. */
const ranges = [
  { from: 0x20, to: 0x20, glyph: 2 },
  { from: 0x21, to: 0x2ff, glyph: 1 },
  { from: 0x2000, to: 0x200a, glyph: 2 },
  { from: 0x200b, to: 0x2bff, glyph: 1 },
] as const

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2)
  return bytes
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4)
  return bytes
}

/** A box from the line to two thirds of the em. */
const [left, bottom, right, top] = [30, 0, advance - 30, 660]
const box = Buffer.concat([
  u16(1, left, bottom, right, top, 3, 0),
  Buffer.from([1, 1, 1, 1]),
  u16(left, 0, right - left, 0),
  u16(bottom, top - bottom, 0, bottom - top),
])

/** Format 4: what lies in no range is left to another font. */
function characters(): Buffer {
  const segments = [...ranges, { from: 0xffff, to: 0xffff, glyph: 0 }]
  const count = segments.length
  const power = 2 ** Math.floor(Math.log2(count))
  const lists = ranges.map(({ from, to, glyph }) => Array<number>(to - from + 1).fill(glyph))
  let before = 0
  const offsets = segments.map((_one, at) => {
    const list = lists[at]
    if (list === undefined) return 0
    const offset = (count - at) * 2 + before * 2
    before += list.length
    return offset
  })
  const body = Buffer.concat([
    u16(0, count * 2, power * 2, Math.log2(power), (count - power) * 2),
    u16(...segments.map(({ to }) => to), 0, ...segments.map(({ from }) => from)),
    u16(...segments.map(({ glyph }) => (glyph === 0 ? 1 : 0)), ...offsets),
    u16(...lists.flat()),
  ])
  const table = Buffer.concat([u16(4, body.length + 4), body])
  return Buffer.concat([u16(0, 1, 3, 1), u32(12), table])
}

function names(): Buffer {
  const texts = ['Box', 'Regular', 'Box', 'Box', '1', 'Box']
  const ids = [1, 2, 3, 4, 5, 6]
  const encoded = texts.map((text) => Buffer.from(text, 'utf16le').swap16())
  let offset = 0
  const records = encoded.map((bytes, at) => {
    const record = u16(3, 1, 0x409, ids[at] ?? 0, bytes.length, offset)
    offset += bytes.length
    return record
  })
  return Buffer.concat([u16(0, records.length, 6 + records.length * 12), ...records, ...encoded])
}

const [ascent, descent] = [900, -250]
const tables: Record<string, Buffer> = {
  'OS/2': Buffer.concat([
    u16(4, advance, 400, 5, 0, 500, 500, 0, 100, 500, 500, 0, 300, 50, 250, 0),
    Buffer.alloc(10),
    u32(1, 0, 0, 0),
    Buffer.from('NONE'),
    u16(0x40, 0x20, 0x2bff, ascent, descent, 0, ascent, -descent),
    u32(1, 0),
    u16(500, 660, 0, 0x20, 1),
  ]),
  cmap: characters(),
  glyf: Buffer.concat([box, Buffer.alloc(box.length % 2)]),
  head: Buffer.concat([
    u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
    u16(0, unitsPerEm),
    Buffer.alloc(16),
    u16(left, bottom, right, top, 0, 8, 2, 0, 0),
  ]),
  hhea: Buffer.concat([u32(0x10000), u16(ascent, descent, 0, advance, 0, 0, right, 1, 0, 0, 0, 0, 0, 0, 0, 3)]),
  hmtx: u16(advance, 0, advance, left, advance, 0),
  loca: u16(0, 0, Math.ceil(box.length / 2), Math.ceil(box.length / 2)),
  maxp: Buffer.concat([u32(0x10000), u16(3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]),
  name: names(),
  post: Buffer.concat([u32(0x30000, 0), u16(-100, 50), u32(1, 0, 0, 0, 0)]),
}

/** TrueType. */
function boxFont(): Buffer {
  const all = Object.entries(tables)
  const power = 2 ** Math.floor(Math.log2(all.length))
  const head = u16(0, 0, all.length, power * 16, Math.log2(power), (all.length - power) * 16)
  head.writeUInt32BE(0x10000, 0)
  let offset = 12 + all.length * 16
  const records: Buffer[] = []
  const bodies: Buffer[] = []
  for (const [tag, table] of all) {
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)])
    let sum = 0
    for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0
    records.push(Buffer.from(tag.padEnd(4)), u32(sum, offset, table.length))
    bodies.push(padded)
    offset += padded.length
  }
  return Buffer.concat([head, ...records, ...bodies])
}

/** A style that sets everything in it; by its own measures, which no machine rounds in its own way. */
export const boxStyle = `@font-face { font-family: Box; src: url(data:font/ttf;base64,${boxFont().toString('base64')}) }
* { font-family: Box !important; font-synthesis: none !important; caret-color: transparent !important;
  text-rendering: geometricPrecision !important }`
