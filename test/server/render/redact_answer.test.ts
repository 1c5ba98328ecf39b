import { expect, test } from 'vitest'
import { redactAnswer } from '../../../src/server/render/redact_answer.ts'

const url = new URL(
  'https://maps.example.org/wms/0123456789abcdef0123/?apikey=S3cret%20Key&LAYERS=roads&FORMAT=image/png&token=abc',
)
const request = { url, credentials: { login: 'me', password: 'p4ssword' } }

test.each([
  ['Layer roads in image/png is not defined', 'Layer roads in image/png is not defined'],
  ['Key S3cret Key has expired', 'Key … has expired'],
  ['Key S3cret%20Key has expired', 'Key … has expired'],
  ['No /wms/0123456789abcdef0123/ here', 'No /wms/…/ here'],
  ['Wrong password p4ssword', 'Wrong password …'],
  [
    'Cannot read http://me:pw@inner.example.org:8080/x?key=1, see "https://help.example.org/keys"',
    'Cannot read http://inner.example.org:8080/… see "https://help.example.org/…"',
  ],
  // Too short to tell it from letters of words.
  ['abc', 'abc'],
])('what a service quotes of a request is replaced: %s', (text, redacted) => {
  expect(redactAnswer(text, request)).toBe(redacted)
})
