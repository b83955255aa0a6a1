/** Descriptions that an agent may confuse: found by their rare words and trigger phrases, and nothing else. */
import { describe, expect, test } from 'vitest'
import { findDescriptionOverlaps } from '../../../../src/phases/1-plan/check/find_description_overlaps.ts'

/** Eight skills of one collection. The first two pairs would be confused by anyone; the other four have nothing in common. */
const collection = {
  'invoice-reader':
    'Extracts line items, totals and due dates from supplier invoices in PDF. Use when the user sends an invoice or asks what a supplier charged.',
  'bill-parser':
    'Reads supplier invoices and extracts totals, due dates and line items into a table. Use for bills, invoices and receipts in PDF.',
  'release-notes':
    'Writes release notes from merged pull requests since the last tag. Use when the user prepares a release or asks what changed.',
  'changelog-writer':
    'Writes a changelog entry from merged pull requests and the last tag. Use when preparing a release, or when asked what changed.',
  'sql-tuner': 'Finds slow SQL queries from an execution plan and proposes indexes. Use for database performance.',
  'meeting-minutes': 'Turns a transcript of a meeting into minutes with decisions and owners.',
  'logo-colours': 'Checks whether colours of a logo have enough contrast. Use for brand palettes.',
  'travel-costs': 'Sums travel expenses by country and converts currencies at the rate of the day.',
}

const listed = (skills: Record<string, string>) =>
  findDescriptionOverlaps(Object.entries(skills).map(([name, description]) => ({ name, description })))

describe('one collection', () => {
  test('finds both planted pairs and no other', () => {
    expect(listed(collection).map(({ a, b }) => `${a}|${b}`)).toEqual([
      'release-notes|changelog-writer',
      'invoice-reader|bill-parser',
    ])
  })

  test('names the shared words, whole and the rarest first', () => {
    const [, invoices] = listed(collection)
    expect(invoices).toMatchObject({ phrases: [], delimited: false })
    expect(invoices?.words).toEqual(expect.arrayContaining(['supplier', 'line', 'items']))
    expect(invoices?.words).not.toContain('use')
  })

  test.each([
    ['no skill', {}],
    ['one skill', { a: 'Reads invoices' }],
    ['no words', { a: '…', b: '…' }],
  ])('%s: none', (_, skills) => expect(listed(skills)).toEqual([]))
})

describe('what a skill is not for', () => {
  const own = {
    ...collection,
    'bill-parser': 'Plans the office party. Not for supplier invoices, totals, due dates or line items in PDF.',
  }

  test('does not make it similar to the skill that is', () => {
    expect(listed(own).map(({ a }) => a)).toEqual(['release-notes'])
  })

  test('a description that names the other skill is marked, and the pair stays listed', () => {
    const named = { ...collection, 'bill-parser': `${collection['bill-parser']} For one invoice, use invoice-reader.` }
    expect(listed(named).find(({ a }) => a === 'invoice-reader')).toMatchObject({ b: 'bill-parser', delimited: true })
  })

  test('a name that is a common word counts only where the text sends there', () => {
    const pair = (text: string) =>
      listed({ notes: 'Sorts notes of a meeting by topic.', minutes: `Sorts notes of a meeting by topic. ${text}` })[0]
    expect(pair('')?.delimited).toBe(false)
    expect(pair('For topics alone, use notes.')?.delimited).toBe(true)
  })
})

describe('trigger phrases', () => {
  const phrase = (mark: readonly [string, string]) => ({
    'a-one': `Reviews database migrations. Triggers on ${mark[0]}check my schema${mark[1]}.`,
    'b-two': `Draws diagrams of tables for documentation sites and slides, with arrows. Use for ${mark[0]}Check my schema.${mark[1]}`,
  })

  test.each([
    ['straight', '"', '"'],
    ['curly', '“', '”'],
    ['single', "'", "'"],
    ['Chinese', '「', '」'],
  ])('the same phrase in %s quotation marks lists a pair whatever else it says', (_, open, close) => {
    expect(listed(phrase([open, close]))).toMatchObject([{ a: 'a-one', b: 'b-two', phrases: ['check my schema'] }])
  })

  test('apostrophes are not quotation marks', () => {
    const text = (rest: string) => `Shows a user's calendar and the team's plan. ${rest}`
    expect(listed({ a: text('Colours.'), b: text('Rivers.') }).flatMap(({ phrases }) => phrases)).toEqual([])
  })
})

test('words of a template that many descriptions share do not count', () => {
  const template = (words: string) =>
    `Agent skill and plugin for editors and terminals of all kinds, with scripts: ${words}`
  const subjects = ['invoices', 'rivers', 'chess', 'bread', 'violins', 'tents', 'maps', 'soil', 'glass', 'wool']
  const skills = Object.fromEntries(subjects.map((one) => [one, template(one)]))
  expect(listed(skills)).toEqual([])
  expect(listed(Object.fromEntries(Object.entries(skills).slice(0, 3)))).toHaveLength(3) // in three, it is all they say
})
