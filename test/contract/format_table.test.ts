import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { printFormatTable } from '../support/format_table.ts'

test('README shows the formats of the contract', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [table = 'no table'] = /^\| format \|.*\n(?:\|.*\n)*/m.exec(readme) ?? []
  expect(table.trimEnd()).toBe(printFormatTable())
})
