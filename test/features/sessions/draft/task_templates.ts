/** Requests as people type them: recurring tasks in six wordings each, and tasks that nobody repeats. {f}, {n} and {w} are filled in. */

/** The first three wordings were used to choose the threshold; the last three were not. */
export const recurringTasks: readonly { ending: string; wordings: readonly string[] }[] = [
  {
    ending: '.xlsx',
    wordings: [
      'Turn {f}.csv into an Excel sheet with a chart of revenue per month',
      'can you make an xlsx from {f}.csv, with a monthly revenue chart please',
      'I need the revenue in {f}.csv as an Excel workbook, one chart by month',
      'Please build me a spreadsheet out of {f}.csv that charts the monthly revenue',
      'convert {f}.csv to Excel and plot revenue by month in it',
      'an excel file with a revenue chart for each month, the data is in {f}.csv',
    ],
  },
  {
    ending: '.md',
    wordings: [
      'Write release notes for version {n}.{n} from the git log',
      'draft the release notes of {n}.{n}.0, look at the commits since the last tag',
      'release notes please, for everything merged since v{n}.{n}',
      'Generate release notes from the commits since the last release',
      'We ship {n}.{n} tomorrow: write up the release notes using the git history',
      'go through the commits and write the release notes for {n}.{n}',
    ],
  },
  {
    ending: '.pdf',
    wordings: [
      'Merge all the PDFs in {f}/ into one file, sorted by date',
      'combine the pdf files of folder {f} to a single PDF in order of date',
      'I have a bunch of pdfs in {f}, merge them into one by date',
      'Join the PDFs from {f} together, oldest first, one PDF',
      'put every pdf of {f} in one merged pdf, by date',
      'merge these pdf documents ({f}/*.pdf) into a single pdf sorted by their dates',
    ],
  },
  {
    ending: '.sql',
    wordings: [
      'Write a migration that adds a column {w} to the users table',
      'add a {w} column to table users with a database migration',
      'new migration: users gets a column called {w}, nullable',
      'I need a database migration adding the {w} column to users',
      'create the migration for a {w} column in the users table, with a rollback',
      'users table needs {w}; write the migration which adds that column',
    ],
  },
  {
    ending: '.ts',
    wordings: [
      'Write unit tests for src/{f}.ts',
      'please add unit tests for the module {f}.ts, edge cases too',
      '{f}.ts has no unit tests, write some',
      'cover {f}.ts with unit tests',
      'Can you write the missing unit tests of {f}.ts?',
      'unit tests for {f}.ts please, with the edge cases',
    ],
  },
  {
    ending: '.json',
    wordings: [
      'Translate the locale file {f}.json to German, keep the keys',
      'we need a German translation of locales/{f}.json with the same keys',
      'translate all strings of {f}.json into German but leave the keys alone',
      'German version of the locale {f}.json please, keys stay the same',
      'Please translate {f}.json for our German users and keep every key',
      'the strings in {f}.json must be translated to German, not the keys',
    ],
  },
  {
    ending: '.csv',
    wordings: [
      'Remove duplicate rows from {f}.csv and normalise the phone column',
      'dedupe {f}.csv: drop duplicate rows, and phone numbers in one format',
      'clean up {f}.csv, duplicate rows out, same format for all phones',
      'There are duplicate rows in {f}.csv. Remove them and normalise the phone numbers',
      '{f}.csv needs cleaning: duplicates away, phone column normalised',
      'please delete the duplicate rows of {f}.csv and bring the phone numbers into one format',
    ],
  },
  {
    ending: '.docx',
    wordings: [
      'Fill the contract template {f}.docx with the client data of {w}.json',
      'use {w}.json to fill in the contract template {f}.docx for the client',
      'fill out our contract {f}.docx, the client details are in {w}.json',
      'Please complete the contract template {f}.docx with client details from {w}.json',
      'take the client from {w}.json and fill the template of the contract ({f}.docx)',
      'contract for the client in {w}.json: fill in the template {f}.docx',
    ],
  },
  {
    ending: '.md',
    wordings: [
      'Review the pull request #{n}{n} for security problems',
      'security review of pull request {n}{n} please',
      'look at pull request #{n}{n} and review it for security issues',
      'Please do a security review on the pull request {n}{n}',
      'Are there security problems in pull request #{n}{n}? Review it',
      'review PR {n}{n}, the pull request touches login, so mind security',
    ],
  },
  {
    ending: '.html',
    wordings: [
      'Write the weekly newsletter from the notes in {f}.md',
      'newsletter for this week, my notes are in {f}.md',
      'turn the notes {f}.md into our weekly newsletter',
      'Please write this week’s newsletter based on the notes in {f}.md',
      'make the weekly newsletter out of {f}.md',
      'the notes in {f}.md should become the newsletter of the week',
    ],
  },
  {
    ending: '.pptx',
    wordings: [
      'Make a slide deck for the investors from {f}.md',
      'build an investor slide deck, content in {f}.md',
      'slides for our investors please, take {f}.md',
      'turn {f}.md into slides that we can show to investors',
      'Investor deck: create the slides out of {f}.md',
      'I need an investor deck with ten slides based on {f}.md',
    ],
  },
]

/** Each is asked for once. */
export const oneOffTasks: readonly string[] = `
Why does my laptop fan spin up when I open the terminal?
Rename every variable called tmp in parser.rs to something meaningful
Explain the difference between a mutex and a semaphore
Port the bash installer to PowerShell
Find the memory leak in the websocket server
Which license suits a font family?
Implement dark mode for the settings screen
Solve the sudoku in puzzle.txt
Bisect which change broke the login button
Write a haiku about compilers
Upgrade React from 17 to 19 in the dashboard
Compute the hash of each image and list collisions
How do I exit vim?
Replace moment with date-fns across the repo
Draft a polite reply to a recruiter
Estimate the storage cost of keeping logs for ten years
Configure nginx as reverse proxy for two domains
Make the hero banner responsive on phones
Decode this base64 blob and tell me what it is
Add keyboard shortcuts to the editor
Explain this regular expression step by step
Set the timezone of the cron jobs to UTC
Extract all hyperlinks out of archive.html
Create a Dockerfile for a Go program
Convert Roman numerals in chapter titles to Arabic ones
Fix the flaky Selenium suite
Generate fake customers for a demo environment
Suggest a name for my sailing app
Sort the bibliography alphabetically and repair broken DOIs
Implement an LRU cache without dependencies
Measure how long cold starts take on Lambda
Turn the recipe into metric units
Simulate a queue at a coffee shop
Check whether our colour contrast is accessible
Add pagination to the orders endpoint
What is the capital gains rule for crypto in Portugal?
Rewrite the recursive Fibonacci iteratively
Compare Postgres and MySQL for geospatial queries
Print a calendar of 2027 with moon phases
Encrypt the backup folder with age
Refactor the payment class into smaller ones
Detect faces in holiday pictures
Publish the helm chart to our registry
Write lyrics for a birthday song
Locate the typo in the English dictionary list
Debug the segfault in the renderer
Count how many lines each contributor wrote
Transcribe interview.mp3
Implement OAuth login with Keycloak
Lower the bundle size of the web client
Teach me monads with a cooking analogy
Rotate the screenshots by ninety degrees
Scrape prices of e-bikes from three shops
Switch the queue from RabbitMQ to Kafka
Explain borrow checking errors in main.rs
Plan a vegetarian menu for eight guests
Add a progress bar to the downloader
Recover the deleted branch hotfix
Write an ESLint rule forbidding default exports
Prove that the square root of two is irrational
Build a crossword about astronomy
Move the wiki to Docusaurus
Calculate the mortgage over twenty years
Trace why the kernel module refuses to load
Normalise audio levels of the podcast
Sketch a logo for a bakery
Parse the GPX track and compute elevation gain
Remove trailing whitespace everywhere
Write an obituary for an old server
Optimise images for the gallery
Import contacts into the CRM
Turn my voice memo into a poem
List all subdomains with expired certificates
Implement undo and redo in the drawing tool
Draw a family tree from genealogy.ged
Check spelling in the thesis
Create flashcards for Spanish verbs
Stop the printer from printing blank pages
Explain quantum tunnelling to a child
Add rate limits to the public API
Mirror the repository to Codeberg
Guess the author of this anonymous letter
Migrate from Webpack to Vite
Tune the garbage collector of the JVM
Write a bedtime story about a lighthouse
Make the CLI print coloured output
Design an icon for the trash can
Rank the candidates by experience
Detect the language of each paragraph
Compile ffmpeg with hardware support
`
  .trim()
  .split('\n')
