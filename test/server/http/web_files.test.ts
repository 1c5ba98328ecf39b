import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { warnOfOldPages } from '../../../src/server/http/web_files.ts'
import { captureLog } from '../../support/log.ts'

const path = 'package.json'
const content = await readFile(new URL(`../../../${path}`, import.meta.url))
const sources = createHash('sha256').update(path).update('\0').update(content).update('\0').digest('hex')

test.each([
  ['current', { sources, files: [path] }, 0],
  ['older than a file', { sources: 'of an earlier file', files: [path] }, 1],
  ['built of a file that is gone', { sources, files: [path, 'src/web/gone.ts'] }, 1],
])('warns of web pages that are %s', async (_, build, warnings) => {
  const { log, written } = captureLog()
  await warnOfOldPages(log, { version: '0123456789abcdef', ...build })
  await warnOfOldPages(log, { version: '0123456789abcdef', ...build })
  expect(written).toHaveLength(warnings)
  for (const line of written) expect(line).toMatch(/web pages are older than their sources: run node scripts/)
})
