import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatTable } from '../../scripts/docs/markdown.ts'
import { printFiles, referenceFolder, replacePart, root } from '../../scripts/docs/print.ts'

const printed = await printFiles()

test.each([...printed.keys()])('%s is what `npm run docs` prints', (path) => {
  expect(readFileSync(root + path, 'utf8')).toBe(printed.get(path))
})

test('the reference has no other pages', () => {
  const pages = [...printed.keys()]
    .filter((path) => path.startsWith(referenceFolder))
    .map((path) => basename(path))
  expect(readdirSync(root + referenceFolder).sort()).toEqual(pages.sort())
})

describe('printing', () => {
  test('escapes the bars of a table, and leaves out empty columns', () => {
    expect(formatTable(['A', 'B', 'C'], [['x|y', '', 'z\n  z']])).toBe(
      '| A | C |\n| --- | --- |\n| x\\|y | z z |',
    )
  })

  test('replaces the part between marks', () => {
    expect(replacePart('a <!-- b --> old <!-- /b --> c', 'b', 'new')).toBe(
      'a <!-- b -->\n\nnew\n\n<!-- /b --> c',
    )
    expect(() => replacePart('a <!-- b -->', 'b', 'new')).toThrow('no part')
  })
})
