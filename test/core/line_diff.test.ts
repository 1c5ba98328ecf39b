import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPatch } from '../../src/core/line_diff.ts'

describe('formatPatch', () => {
  it('is empty for equal texts', () => {
    expect(formatPatch('a', 'x\n', 'x\n')).toBe('')
  })

  it('shows the changes with three lines around them, and one hunk for each place', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
    const next = lines.with(1, 'two').toSpliced(15, 1)
    expect(formatPatch('a.yaml', `${lines.join('\n')}\n`, `${next.join('\n')}\n`)).toBe(`--- a/a.yaml
+++ b/a.yaml
@@ -1,5 +1,5 @@
 line 1
-line 2
+two
 line 3
 line 4
 line 5
@@ -13,7 +13,6 @@
 line 13
 line 14
 line 15
-line 16
 line 17
 line 18
 line 19`)
  })

  it('is read by git apply', () => {
    const folder = mkdtempSync(join(tmpdir(), 'landform-patch-'))
    const line = fc.constantFrom('a', 'b', 'c', '', '  d: 1')
    const text = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => `${lines.join('\n')}\nend\n`)
    try {
      fc.assert(
        fc.property(text, text, (from, to) => {
          fc.pre(from !== to)
          writeFileSync(join(folder, 'f'), from)
          writeFileSync(join(folder, 'p'), `${formatPatch('f', from, to)}\n`)
          execFileSync('git', ['apply', '--unsafe-paths', 'p'], {
            cwd: folder,
            env: { ...process.env, GIT_DIR: folder },
          })
          expect(readFileSync(join(folder, 'f'), 'utf8')).toBe(to)
        }),
        { numRuns: 25, seed: 20_240_603 },
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
