/** Leaks of invoice cases in other words, and honest edits on the same subject. */
import type { LeakScene } from './leak_scene.ts'

export const invoices: LeakScene = {
  skill:
    '# Invoice totals\n\nRead the invoice, add its lines, apply tax and discounts, and write summary.md with what is due.\n',
  seen: [
    [
      'Total the invoice in bakery_march.csv.',
      'The summary names net amount, tax and gross amount',
      'Gross is 1,842.60',
    ],
    ['Sum the invoice of the flower shop in Lyon; two lines are credit notes.', 'Credit notes are subtracted'],
    [
      'A printer in Ghent sent an invoice with three tax rates. What do we owe?',
      'Tax is worked out for each rate alone',
    ],
  ],
  held: [
    [
      'The shipyard in Gdansk billed us 14 crane hours at 385 zloty and a mooring fee of 920. Total it with 23% tax.',
      'The gross amount is 7,761.30 zloty',
      'The mooring fee is taxed like the crane hours',
    ],
    [
      'Total the bill of the veterinary clinic for the llama herd: 6 vaccinations at 48.50, one castration at 310, and a travel surcharge of 75 that is free of tax.',
      'The travel surcharge is listed without tax',
      'The summary says that 790.19 is due',
    ],
    [
      'The caterer of the Halvorsen wedding gives 12% off for early payment on 84 menus at 62.40; the 9 children pay half. What is due by 3 June?',
      'The early payment discount is applied after the half price for children',
      'The answer is 4,365.50',
    ],
    [
      'Two invoices of the same roofer, R-2207 and R-2219, overlap by one line: the scaffolding of week 31. Total both without paying it twice.',
      'The scaffolding of week 31 is counted once',
      'The totals are rounded to two decimals',
    ],
  ],
  leaks: [
    [
      'prompt',
      'When a shipyard from Gdansk charges crane hours (14 of these, 385 zloty each) and 920 for mooring, everything gets 23%.',
    ],
    ['answer with the numbers of the prompt', 'Crane work: 14 * 385 + 920, taxed at 23, gives 7761.3.'],
    [
      'reordered',
      'Menus at 62.40 from the wedding caterer (Halvorsen, 84 guests): children pay half first, the 12% for paying early come last.',
    ],
    [
      'two sentences',
      'Roofers may send R-2207 and R-2219 together. Count the week 31 scaffolding in just one of them.',
    ],
    [
      'comment in code',
      '# Halvorsen menus: 84 x 62.40, nine children at half, then less 12 %\nrate = 0.88',
      'scripts/total.py',
    ],
    [
      'table',
      '| case | how |\n| --- | --- |\n| llama vaccinations | six at 48.50, castration 310, surcharge 75 untaxed |',
      'references/special.md',
    ],
  ],
  missed: ['For vet bills about llamas, list the surcharge for travel untaxed; some 790 remains due.'],
  honest: [
    'Round totals to two decimals, and round only once, at the end.',
    'Apply a discount for early payment after all other reductions.',
    'Some fees are free of tax: list them in a line of their own, below the taxed amounts.',
    'If two invoices of a supplier share a line, count it once and name the duplicate.',
    'Half prices, such as those for children, are applied before any discount in percent.',
    'Quote the currency after the amount: 1,250.00 EUR, not EUR 1250.',
    'Polish invoices carry 23% VAT as a rule, German ones 19%, French ones 20%.',
    'Work in cents as integers; 0.1 + 0.2 is not 0.3 in floating point.',
    'A mooring fee, a toll and a parking fee are services: tax them as such unless the invoice says otherwise.',
    'Check the sum of the lines against the total that the invoice prints, and report a difference above 0.01.',
    'Travel surcharges come in two kinds: part of the service (taxed) or passed on at cost (not taxed).',
    'Write summary.md with these headings: Net, Tax, Gross, Due, Notes.',
    'If hours are billed, multiply hours by the hourly rate and show the product.',
  ],
}
