/** Personal data and secrets as people in Germany and elsewhere write them are removed; what only looks like them stays. */
import { expect, test } from 'vitest'
import { createPersonalRedactor } from '../../../src/features/sessions/draft/personal_data.ts'

const redact = (text: string) => createPersonalRedactor({}, [text]).text(text)

test.each([
  ['65 929 970 489', 'tax-number'],
  ['86095742719', 'tax-number'],
  ['181/815/08155', 'tax-number'],
  ['65 170839 J 003', 'tax-number'],
  ['meine Steuer-ID lautet 36574261809', 'id-number'],
  ['Steuernummer: 21/815/08150', 'id-number'],
  ['Versichertennummer A123456780', 'id-number'],
  ['Personalausweis L01X00T471', 'id-number'],
  ['Kundennummer 4711-0815-22', 'id-number'],
  ['passport number C01X00T47', 'id-number'],
  ['geboren am 14.03.1962', 'birthday'],
  ['Geburtsdatum: 03.07.1958', 'birthday'],
  ['sie ist geb. 3.7.58', 'birthday'],
  ['030 / 9017 28 61', 'phone'],
  ['(0 30) 44 55 66 77', 'phone'],
  ['0176.4455.6677', 'phone'],
  ['+49 151 23456789', 'phone'],
  ['0049 89 636 48018', 'phone'],
  ['Am Alten Markt 12, 50667 Köln', 'address'],
  ['Wiesenstraße 17b, 80331 München', 'address'],
  ['221B Baker Street', 'address'],
  ['Kennzeichen M-AB 1234', 'number-plate'],
  ['AKIA2E0A8F3B244C9986', 'token'],
  ['6123456789:AAHk3_9dZxQw8LmNpRtUvYbCeFgHiJkLmNo', 'telegram-token'],
  ['Kennwort: Rumpel-99', 'secret'],
  ['das Passwort lautet Kiebitz4711', 'secret'],
  ['Kto.-Nr. 648 479 930', 'id-number'],
  ['12 rue du Markt, 75002 Paris', 'address'],
  ['pw: Rumpel!stilz5', 'secret'],
  ['machine api.example.com login otto password Kiebitz4711', 'secret'],
  ['curl -u otto:Kiebitz4711 https://api.example.com', 'secret'],
  ['Liebe Grüße\nErika Beispiel', 'name'],
  ['Best,\nErika Beispiel', 'name'],
  ['LG\nErika', 'name'],
  ['text\n-- \nErika Beispiel\nMuster GmbH', 'name'],
  ['Von: Erika Beispiel <x>', 'name'],
  ['Hallo Erika,\ndanke', 'name'],
  ['\\\\fileserver\\users$\\erikab\\plan.docx', 'home'],
])('removes "%s" as %s', (given, kind) => {
  const text = redact(given)
  expect(text).toContain(`[redacted:${kind}]`)
  for (const value of [
    '36574261809',
    'Kiebitz4711',
    'Erika',
    'erikab',
    '14.03',
    '3.7.58',
    'A123456780',
    'Markt',
    'München',
    '6123456789',
  ])
    expect(text).not.toContain(value)
})

test.each([
  ['11 digits with a wrong check digit', 'order 86095742718 is late'],
  ['a date', 'the figures of 01/02/2026 and 14.03.2026'],
  ['a path of numbers', 'see logs/2026/11/28/app.log'],
  ['a time and a port', 'curl -u flag on localhost:8080 at 12:30'],
  ['a version', 'upgrade from 1.2.3 to 20.19.0'],
  ['a constant', 'set MAX_RETRIES and TLS_AES_128_GCM_SHA256'],
  ['a greeting without a name', 'Hello world, say Hallo zusammen'],
  ['a field of a mail', 'From: and To: are headers'],
  ['a word before a number', 'Passnummern und Konto 12'],
  ['the best of a list', 'take the best\nof these'],
])('leaves %s as it is', (_, given) => {
  expect(redact(given)).toBe(given)
})
