// Totals an invoice by the house rules (references/rules.md). Usage: node total.mjs <invoice.csv> [--json]
import { readFileSync } from 'node:fs'

const REDUCED = 0.07
const STANDARD = 0.19
const DISCOUNT = 0.05
const DISCOUNT_FROM = 100
const vat = { food: REDUCED, books: REDUCED, export: 0 }

const file = process.argv.slice(2).find((word) => !word.startsWith('--'))
if (!file) {
  console.error('usage: node total.mjs <invoice.csv> [--json]')
  process.exit(2)
}
const cents = (value) => Math.round((value + Number.EPSILON) * 100) / 100
const lines = readFileSync(file, 'utf8').trim().split(/\r?\n/).slice(1)
const sum = { net: 0, vat: 0, discount: 0 }
for (const line of lines) {
  const [, category = '', quantity = '0', price = '0'] = line.split(',')
  const full = Number(quantity) * Number(price)
  const net = cents(Number(quantity) >= DISCOUNT_FROM ? full * (1 - DISCOUNT) : full)
  sum.net += net
  sum.discount += full - net
  sum.vat += cents(net * (vat[category.trim()] ?? STANDARD))
}
const total = cents(sum.net + sum.vat)
if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ lines: lines.length, net: cents(sum.net), vat: cents(sum.vat), total }))
} else {
  console.log(`Lines: ${lines.length}`)
  console.log(`Net: ${sum.net.toFixed(2)}`)
  console.log(`Discount: ${sum.discount.toFixed(2)}`)
  console.log(`VAT: ${sum.vat.toFixed(2)}`)
  console.log(`Total due: ${total.toFixed(2)}`)
}
