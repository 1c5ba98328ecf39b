import { describe, expect, test } from 'vitest'
import { checkMarkdown, checkStrings } from './support/source/language.ts'
import { parseSource } from './support/source/source.ts'
import { readSources, readTexts } from './support/source/tracked.ts'

const sources = readSources().filter(({ path }) => path.startsWith('src/'))

test('documents use standard terms', () => {
  // The reference is printed from the strings of the source.
  const documents = readTexts().filter(
    ({ path }) => path.endsWith('.md') && !path.startsWith('docs/reference/'),
  )
  expect(documents.map(({ path }) => path)).toContain('README.md')
  expect(documents.flatMap(checkMarkdown)).toEqual([])
})

test('strings of the source use standard terms', () => {
  expect(sources.flatMap(checkStrings)).toEqual([])
})

describe('the checks can fail', () => {
  const markdown = (text: string) => checkMarkdown({ path: 'a.md', text })
  const strings = (text: string) => checkStrings(parseSource('a.ts', text))

  test('prose of Markdown: the line and the replacement', () => {
    expect(markdown('# A\n\nNobody may ask.\n')).toEqual([
      'a.md:3 has "may ask": write caller',
      'a.md:3 has "Nobody": write name the user, the caller or the program',
    ])
  })

  test.each([
    '```console\n$ whoever\n```',
    'Set `shape` to 1.',
    '<!-- nobody -->',
    'See [the file](nobody.md).',
    'A Shapefile is no longer there; there is no state file.',
  ])('accepted Markdown: %s', (text) => {
    expect(markdown(text)).toEqual([])
  })

  test.each(["f('It is no file.')", 'f(`${a} is no file of ${b}`)', "const a = { help: 'a text to show' }"])(
    'string: %s',
    (text) => {
      expect(strings(text)).toHaveLength(1)
    },
  )

  test.each(["f('shape')", '// Nobody asks.', "f('It is not a file.')", "import 'a-moment'"])(
    'accepted source: %s',
    (text) => {
      expect(strings(text)).toEqual([])
    },
  )
})
