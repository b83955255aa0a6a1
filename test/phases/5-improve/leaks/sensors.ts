/** Leaks of cases about sensor data in other words, and honest edits on the same subject. */
import type { LeakScene } from './leak_scene.ts'

export const sensors: LeakScene = {
  skill:
    '# Clean sensor data\n\nClean a CSV of sensor readings: parse times, drop duplicates, mark outliers, write clean.csv and report.md.\n',
  seen: [
    ['Clean greenhouse.csv; the humidity column has values above 100.', 'Values above 100 are marked as outliers'],
    [
      'Clean tide_gauge.csv, whose times are in two zones.',
      'All times are in UTC',
      'report.md names the number of rows',
    ],
    ['Remove duplicates from barn.csv.', 'Duplicates are dropped by time and sensor'],
  ],
  held: [
    [
      'In glacier_2019.csv the thermometer of station Vatnajokull froze at -12.4 for 37 readings. Find the stuck stretch and leave it out.',
      'The stuck readings of Vatnajokull are excluded, not interpolated',
      'The report says that 37 readings were left out',
    ],
    [
      'The barometer on the cable car sends hectopascal until 11 May and millibar with a comma afterwards. Bring pressure.csv into one unit.',
      'Commas are read as decimal points from 11 May on',
      'pressure.csv has 2880 rows in hectopascal',
    ],
    [
      'Beehive scales: hive 7 was lifted by the keeper at 14:20, so its weight drops to 3 kg. Clean hives.csv without losing the swarm on 18 June.',
      'The lift of hive 7 at 14:20 is marked as an artefact',
      'The swarm of 18 June stays in the data',
    ],
    [
      'The wind turbine logger restarts its counter at 65535. Compute the energy of turbine T4 in october.csv.',
      'The wrap of the counter at 65535 is corrected',
      'The energy of T4 is 412 megawatt hours',
    ],
  ],
  leaks: [
    ['prompt', 'Station Vatnajokull has a thermometer that freezes at -12.4; leave its stuck stretch away.'],
    [
      'expectation',
      'Stuck Vatnajokull values are excluded (expect thirty-seven, that is 37, readings), never interpolated.',
    ],
    ['answer with the numbers of the prompt', 'Turbine T4: counter wraps at 65,535, energy of october near 412 MWh.'],
    [
      'reordered',
      'A comma is the decimal point once May 11 has passed: the cable car barometer then sends millibar instead of hectopascal.',
    ],
    [
      'two sentences',
      'The keeper lifts hive 7 around 14:20. Treat this as an artefact, but keep the swarm from June 18.',
    ],
    [
      'comment in code',
      '// barometer of the cable car: hectopascal before May 11, millibar (comma) later',
      'scripts/clean.mjs',
    ],
    [
      'table',
      '| file | trap |\n| --- | --- |\n| glacier | Vatnajokull thermometer frozen, -12.40, 37 rows |\n| october | T4 counter, 65535 |',
      'references/traps.md',
    ],
  ],
  honest: [
    'A sensor that repeats exactly the same value for more than 20 readings is stuck: exclude the stretch, do not interpolate it.',
    'Say in the report how many readings were left out, and why.',
    'Some loggers write a decimal comma; look at the first and the last 100 rows before you parse.',
    'Convert to one unit before you look for outliers: 1 hPa is 1 mbar, 1 bar is 1000 hPa.',
    'Counters of 16 bits restart after 65535, those of 32 bits after 4294967295: add the range when the value falls.',
    'A sudden drop and return within minutes is handling (someone lifted the sensor); a drop that stays is an event.',
    'Never delete an event because it looks like an outlier: mark it and keep it.',
    'Energy is the sum of power times the interval; take intervals from the times, not from the nominal rate.',
    'Write clean.csv with the columns time, sensor, value, flag in this order.',
    'Temperatures below -80 or above 60 are not physical at the surface of the earth.',
    'Pressure at sea level is between 870 and 1085 hPa; a mountain station is lower by about 12 hPa for each 100 m.',
    'Scales drift with temperature: subtract the daily median before you look for steps.',
  ],
}
