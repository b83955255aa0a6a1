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
    name: 'incident-review',
    description: 'Writes the review of an incident.',
    body: `
## Order

1. Rebuild the timeline from the alerts.
2. Name the trigger and the root cause separately.
3. List what went well before what went badly.
4. End with at most five actions, each with an owner and a due date.

## Form

Use the headings Impact, Timeline, Causes, Lessons and Actions, in this order. Begin with a one-line summary in bold.`,
    leaking: {
      'the order of the steps':
        'Review the outage in log.txt: first rebuild the timeline from the alerts, then name trigger and root cause separately, then list what went well before what went badly.',
      'the headings': 'Write the incident review with the headings Impact, Timeline, Causes, Lessons and Actions.',
      'a rule in the passive':
        'Review log.txt. It should end with at most five actions, each having an owner and a due date.',
      'an item word for word': 'Review the outage in log.txt. List what went well before what went badly.',
    },
    clean: [
      'Write the review of the outage in log.txt.',
      'We were down for two hours on Monday. What happened, and what do we do about it? The alerts are in log.txt.',
      'Who should own the actions of the incident in log.txt? Our team lead wants dates.',
    ],
  },
  {
    name: 'figure-export',
    description: 'Exports figures for a journal.',
    body: `
## Example

\`\`\`bash
python3 scripts/render.py --dpi 600 --width 85mm <figure.svg>
\`\`\`

## Rules

* Embed all fonts.
* Use the palette in \`assets/palette.json\` instead of the default colours.
* Name the files \`fig<n>_<slug>.tiff\`, with LZW compression.`,
    files: { 'scripts/render.py': 'pass', 'assets/palette.json': '{}' },
    leaking: {
      'the command of an example':
        'Export plot.svg for the journal: python3 scripts/render.py --dpi 600 --width 85mm plot.svg',
      'an asset': 'Export plot.svg for the journal with the colours of assets/palette.json.',
      'the names of files':
        'Export my figures for the journal. Name the files fig<n>_<slug>.tiff with LZW compression.',
    },
    clean: [
      'Export plot.svg for Nature, it goes into one column.',
      'The journal refused my figures because of their fonts and colours. Fix plot.svg.',
      'Render plot.svg at 300 dpi for a slide.',
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
  {
    name: 'migrate-db',
    description: 'Migrates a database schema.',
    body: `
Before anything else, take a dump:

\`\`\`
pg_dump --format=custom --file=before.dump $DATABASE_URL
\`\`\`

- Apply with \`dbmate --strict --wait up\`.
- Rename columns in two releases: add and backfill first, drop later.
- Log each statement to \`migration.log\`.`,
    leaking: {
      'a dump first': 'Migrate the schema to v7. Before that, run pg_dump --format=custom --file=before.dump.',
      'a tool in a code span': 'Migrate my database to the new schema using `dbmate --strict --wait up`.',
      'a rule shortened':
        'Migrate the schema. Columns are renamed in two releases, add and backfill first, drop later.',
    },
    clean: [
      'Migrate the database to the schema in v7.sql.',
      'Rename the column mail to email in our users table. It is in production.',
      'dbmate fails with "relation exists" since I renamed a column. Why?',
      'I ran pg_dump on my laptop already. Now migrate the schema.',
    ],
  },
]
