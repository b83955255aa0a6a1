/** Skills with scripts and lists, and prompts that give away their commands, files, order or form of the result. */
import type { PlantedSkill } from './leaking_prompts.ts'

export const skillsWithFiles: readonly PlantedSkill[] = [
  {
    name: 'invoice-totals',
    description:
      'Totals invoices kept as CSV by the house rules (VAT by category, volume discount, rounding line by line). Use it whenever someone asks what an invoice comes to, for its VAT, or for a summary of one.',
    body: `
The house rules are not a plain sum: see \`references/rules.md\`. Never add up an invoice by hand or with a one-liner.

1. Run the script of this skill on the invoice:

   \`\`\`bash
   node scripts/total.mjs <invoice.csv>
   \`\`\`

   For machine-readable output add \`--json\`.

2. Save exactly what it prints under the name the user asked for.
3. Answer with the line that says what is due.`,
    files: { 'scripts/total.mjs': 'export {}', 'references/rules.md': 'Books: 7 %.' },
    leaking: {
      'three steps in one sentence':
        'What does the invoice in evals/files/march.csv come to? Run node scripts/total.mjs on it, save exactly what it prints as summary.md and answer with the line that says what is due.',
      'a step word for word': 'What does march.csv come to? Answer with the line that says what is due.',
      'a command alone': 'Run `node scripts/total.mjs evals/files/march.csv`',
      'two steps without the command':
        'Total march.csv. Save exactly what the script prints as march.md, and answer with the line that says what is due.',
      'a script by its path': 'Total the invoice march.csv with scripts/total.mjs.',
      'a script without its folder': 'Total the invoice march.csv. Use total.mjs and tell me what is due.',
      'a reference': 'Total march.csv by what references/rules.md says.',
    },
    clean: [
      'What does the invoice in evals/files/march.csv come to? Save the summary as summary.md and tell me what is due.',
      'Please total the invoice evals/files/april.csv, mind the discount, and save the result as april.md.',
      'Total the invoice evals/files/export.csv for our books and save it as totals.json, machine-readable.',
      'My total.mjs gives 972.65 for march.csv and my boss says that is wrong. What is due?',
      'What is due on the invoice march.csv? Answer in one line.',
    ],
  },
  {
    name: 'dns-audit',
    description: 'Audits the DNS zone of a domain.',
    body: `
## Workflow

\`\`\`console
$ zonecheck --strict --zone <domain> > report.txt
$ zonecheck diff --against golden.zone <domain>
\`\`\`

- Quote each record that differs with its TTL.
- Group findings by severity: critical, major, minor.`,
    leaking: {
      'a command with a value for its placeholder':
        'Audit example.org. Please run zonecheck --strict --zone example.org',
      'a command in a block':
        'Audit the zone of example.org like this:\n\n```sh\nzonecheck diff --against old.zone example.org\n```',
      'a split sentence': 'Audit example.org. Quote each record that differs. Give its TTL too.',
      'two items in one sentence':
        'Audit the DNS zone of example.org, grouping findings by severity (critical, major, minor).',
    },
    clean: [
      'Audit the DNS zone of example.org and write report.txt.',
      'Is our zone for example.org fine? Somebody changed a record yesterday, and mail bounces since.',
      'zonecheck says "strict mode failed" for example.org. Which record is wrong?',
    ],
  },
  {
    name: 'translate-strings',
    description: 'Translates the strings of an app.',
    body: `
1. Extract the keys with \`scripts/extract.py\`.
2. Keep placeholders in curly braces untouched.
3. Translate into the informal register (du, tu, tú).
4. Write one file per locale, \`<locale>.arb\`, keys sorted alphabetically.
5. Run \`python scripts/verify_arb.py --locale <locale>\` and fix what it reports.`,
    files: { 'scripts/extract.py': 'pass', 'scripts/verify_arb.py': 'pass' },
    leaking: {
      'the check at the end':
        'Translate app.json into German, and run python scripts/verify_arb.py --locale de at the end.',
      'a script by name': 'Translate app.json into German. First run extract.py on it.',
      'the form of the result':
        'Translate app.json to German and French: one file per locale, named <locale>.arb, with the keys sorted alphabetically.',
      'two rules as wishes':
        'Translate app.json into German. I want the informal register (du), and placeholders in curly braces kept untouched.',
    },
    clean: [
      'Translate the strings in app.json into German and French.',
      'We launch in Spain next week. Translate app.json, please, it is for teenagers.',
      'The German strings of our app look broken since we renamed the keys. Can you repair de.arb?',
    ],
  },
  {
    name: 'stock-count',
    description: 'Counts stock from scans of a warehouse.',
    body: `
Scans within two seconds of each other on the same shelf are one scan.

Returned goods are listed under a heading of their own and never added to the stock.

Output a table with the columns Shelf, Article, Counted, Booked, Gap; end it with a line \`Gap total: <n>\`.

If a shelf has a gap above 5 percent, mark it RECOUNT.`,
    leaking: {
      'a definition':
        'Count the stock in scans.csv. Scans on the same shelf within two seconds of each other are one scan.',
      'the columns': 'Count scans.csv and output a table with columns Shelf, Article, Counted, Booked and Gap.',
      'a condition': 'Count the stock in scans.csv; mark a shelf RECOUNT if its gap is above 5 percent.',
      'the last line': 'Count the stock in scans.csv as a table that ends with a line "Gap total: <n>".',
    },
    clean: [
      'Count the stock in scans.csv and tell me where it differs from what is booked.',
      'Some goods in scans.csv came back last week. How many lamps do we have?',
      'Make a table of the stock per shelf from scans.csv.',
    ],
  },
]
